"""Fits the guess, round after round from the last one back.

Many collections are drawn at the start of a round, with the cards that are left. What the guess for the next round
makes of each, on average over the cards that can be drawn next, is what the guess for this round should say.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import KINDS, VALUES
from crypt_env.rules.compiled import entry

from .guess import DICE_GROUPS, SIZES, Guess, dice_group, no_guess
from .holdings import COUNTS, NEXT, PAYS, SAME, SETS, SPENT, STATES
from .layout import SOLO_ROUNDS, Layout, layout
from .moves import Floats, Ints
from .rounds import Tables, Work, tables, work
from .solve import add_mean_guess, copied

COLLECTED = 0.62
"""The share of the cards that a good player collects."""
UNFLIPPED = 0.7
"""What an unflipped card is worth before anything is known."""
COLLECTIONS = 4
"""Drawn for each deal."""
RIDGE_OF_SETS, RIDGE_OF_SIZES, RIDGE_OF_TABLES = 1.0, 0.3, 1e-3
"""How strongly what is fitted is held near 0: for each set of cards to come, for each number of them, for the dice."""
EVEN = 0.1
"""The share of the collections that are drawn evenly from all states of a type."""

# [kind, side]: where the columns of the states of a type begin.
_FIRST = np.concatenate([[0], np.cumsum(COUNTS.ravel())])[:-1].reshape(KINDS, 2)
_ALL = int(COUNTS.sum())
_FINE, _COARSE = _ALL * SETS, _ALL * (VALUES + 1)
_HALF = _FINE + _COARSE
COLUMNS = 2 * _HALF + DICE_GROUPS
"""For each state with each set of cards to come, then with each number of them; the same for the top of the deck."""
_USED = 2 * KINDS + 3
"""Columns that one collection uses: two for each type, two for that on top of the deck, and one for the table."""


def _prior() -> Floats:
    """Return what states are worth if each card to come is collected with the same probability."""
    worth = np.zeros((KINDS, 2, STATES, SETS))
    for cards in range(1, SETS):
        lowest = (cards & -cards).bit_length() - 1
        rest = cards & (cards - 1)
        for kind in range(KINDS):
            for side in range(2):
                for state in range(COUNTS[kind, side]):
                    gained = PAYS[kind, side, state, lowest] + worth[kind, side, NEXT[kind, side, state, lowest], rest]
                    worth[kind, side, state, cards] = (
                        COLLECTED * gained + (1 - COLLECTED) * worth[kind, side, state, rest]
                    )
    for kind, side in SPENT:
        worth[kind, side] += UNFLIPPED * np.arange(STATES)[:, None]
    return worth


PRIOR = _prior()


def _weights(layout: Layout, number: int) -> list[Floats]:
    """Return how likely a good player's collection is to be in each state, type by type."""
    found = []
    for kind in range(KINDS):
        side = layout.sides[kind]
        chances = np.zeros(STATES)
        chances[0] = 1.0
        for card in layout.drawn[:number].ravel():
            if card // VALUES == kind:
                after = np.zeros(STATES)
                np.add.at(after, NEXT[kind, side, :, card % VALUES], COLLECTED * chances)
                chances = after + (1 - COLLECTED) * chances
        count = layout.counts[number, kind]
        states = layout.states[number, kind, :count]
        place = SAME[kind, side, layout.left[number, kind]]
        joined = np.array(
            [chances[: COUNTS[kind, side]][place[: COUNTS[kind, side]] == state].sum() for state in states]
        )
        found.append((1 - EVEN) * joined + EVEN / count)
    return found


def _draw(layout: Layout, number: int, rng: np.random.Generator) -> Ints:
    """Draw a collection at the start of a round; return its states."""
    return np.array(
        [
            rng.choice(layout.states[number, kind, : len(weights)], p=weights / weights.sum())
            for kind, weights in enumerate(_weights(layout, number))
        ]
    )


@entry
def _write_values(
    tables: Tables, layout: Layout, other: Layout, guess: Guess, number: int, held: Ints, work: Work, values: Floats
) -> None:
    """Write what the guess for the next round says of this one. ``held`` is [N, KINDS], ``values`` [N, 0 to DICE]."""
    other.left[:] = layout.left
    for sample in range(len(held)):
        values[sample] = 0.0
        add_mean_guess(tables, other, guess, number, held[sample], work, values[sample])


@entry
def _add_samples(
    layout: Layout, number: int, held: Ints, values: Floats, prior: Floats, products: Floats, targets: Floats
) -> None:
    """Add samples to the normal equations. ``targets`` is [COLUMNS, 0 to DICE]."""
    columns, top = np.empty(_USED, np.int64), layout.drawn[number, 0] // VALUES
    for sample in range(len(held)):
        known = 0.0
        for kind in range(KINDS):
            side, left, state = layout.sides[kind], layout.left[number, kind], held[sample, kind]
            known += prior[kind, side, state, left]
            columns[2 * kind] = (_FIRST[kind, side] + state) * SETS + left
            columns[2 * kind + 1] = _FINE + (_FIRST[kind, side] + state) * (VALUES + 1) + SIZES[left]
        columns[_USED - 3 : _USED - 1] = columns[2 * top : 2 * top + 2] + _HALF
        columns[_USED - 1] = COLUMNS - DICE_GROUPS + dice_group(layout.sides)
        for column in columns:
            for dice in range(DICE + 1):
                targets[column, dice] += values[sample, dice] - known
            for other in columns:
                products[column, other] += 1.0


def fitted(deals: int, rng: np.random.Generator, tell: Callable[[str], None]) -> Guess:
    """Return a guess that is fitted backwards, round after round: each to what the next one makes of it.

    Args:
        deals: how many are drawn for each round.
        rng: draws them.
        tell: called with a line on the progress.
    """
    guess, scratch = no_guess(True), work()
    guess.dice[SOLO_ROUNDS] = np.arange(DICE + 1)
    for number in range(SOLO_ROUNDS - 1, 0, -1):
        products, sums = np.zeros((COLUMNS, COLUMNS)), np.zeros((COLUMNS, DICE + 1))
        for deal in range(deals):
            sides = np.array([deal >> kind & 1 for kind in range(KINDS)])
            found = layout(sides, rng.permutation(KINDS * VALUES), True)
            held = np.array([_draw(found, number, rng) for _ in range(COLLECTIONS)])
            values = np.zeros((COLLECTIONS, DICE + 1))
            _write_values(tables(), found, copied(found), guess, number, held, scratch, values)
            _add_samples(found, number, held, values, PRIOR, products, sums)
        _set_round(guess, number, products, sums)
        tell(f"round {number + 1} is fitted")
    return guess


def _set_round(guess: Guess, number: int, products: Floats, targets: Floats) -> None:
    """Write what fits best into the guess."""
    ridge = np.full(COLUMNS, RIDGE_OF_SIZES)
    ridge[:_FINE] = ridge[_HALF : _HALF + _FINE] = RIDGE_OF_SETS
    ridge[-DICE_GROUPS:] = RIDGE_OF_TABLES
    found: Floats = np.asarray(np.linalg.solve(products + np.diag(ridge), targets), np.float64)
    for kind in range(KINDS):
        for side in range(2):
            count = COUNTS[kind, side]
            own = slice(_FIRST[kind, side], _FIRST[kind, side] + count)
            guess.worth[number, kind, side, :count] = _states_in(found[:_HALF], own)
            guess.worth[number, kind, side, :count] += PRIOR[kind, side, :count, :, None]
            guess.top[number, kind, side, :count] = _states_in(found[_HALF:], own)
    guess.dice[number] = found[-DICE_GROUPS:]


def _states_in(found: Floats, own: slice) -> Floats:
    """Return what was found for the states of a type, with each set of cards to come. [states, SETS, 0 to DICE]"""
    fine = found[:_FINE].reshape(_ALL, SETS, DICE + 1)
    coarse = found[_FINE:_HALF].reshape(_ALL, VALUES + 1, DICE + 1)
    return fine[own] + coarse[own][:, SIZES]
