"""The best play alone of a player who knows the deck, but not the dice, and is charged for the knowledge.

Backwards over the rounds, `solve` values every collection with every number of ready dice; `rounds` plays each round.
`guess` says what is charged for, and why that gives a bound.
"""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import KINDS, VALUES
from crypt_env.rules.compiled import entry, int64, rule

from .guess import ANY, SIZES, Guess, cards_left
from .layout import SOLO_ROUNDS, Layout
from .moves import Floats, Ints
from .rounds import SOLVED, Tables, Work, add_round, tables, work

# -- the charge for the cards of a round ------------------------------------------------------------------------------


@rule
def _lay_out(layout: Layout, number: int, first: int, second: int, down: int) -> None:
    """Put other cards into a round."""
    cards = layout.cards[number]
    left, right = (first, second) if first % VALUES >= second % VALUES else (second, first)
    layout.left[number + 1] = layout.left[number]
    for card in (first, second, down):
        layout.left[number + 1, card // VALUES] &= ~(1 << card % VALUES)
    # The face-down card counts for 2.5 coins.
    slot = int64(left % VALUES >= 2) + int64(right % VALUES >= 2)
    layout.down[number] = slot
    cards[slot] = down
    cards[0 if slot > 0 else 1] = left
    cards[1 if slot > 1 else 2] = right


@rule
def _has(left: Ints, card: int) -> bool:
    return bool(left[card // VALUES] >> card % VALUES & 1 == 1)


@rule
def _stand_in(left: Ints, kind: int, first: int, second: int) -> tuple[int, int]:
    """Return a card of a type that can be face-down beside two others, -1 if there is none, and how many can be."""
    found, count = int64(-1), 0
    for card in range(kind * VALUES, kind * VALUES + VALUES):
        if card != first and card != second and _has(left, card):
            found, count = int64(card), count + 1
    return found, count


@rule
def _add_guess(
    tables: Tables,
    other: Layout,
    guess: Guess,
    number: int,
    held: Ints,
    first: int,
    second: int,
    down: int,
    top: int,
    weight: float,
    work: Work,
    totals: Floats,
) -> None:
    """Add what the guess says of a round with these cards."""
    _lay_out(other, number, first, second, down)
    add_round(tables, other, guess, number, held, work.nothing, top, weight, work, totals)


@rule
def add_mean_guess(
    tables: Tables, other: Layout, guess: Guess, number: int, held: Ints, work: Work, totals: Floats
) -> None:
    """Add what the guess says of a round on average over the cards that can be drawn for it.

    The type of the first one is known. Of the face-down card only the type counts, so one stands for all of a type.
    """
    left, top, count = other.left[number], other.drawn[number, 0] // VALUES, cards_left(other.left[number])
    for first in range(top * VALUES, top * VALUES + VALUES):
        for second in range(KINDS * VALUES):
            if first == second or not _has(left, first) or not _has(left, second):
                continue
            share = 1.0 / SIZES[left[top]] / (count - 1) / (count - 2)
            for kind in range(KINDS):
                down, alike = _stand_in(left, kind, first, second)
                if alike > 0:
                    _add_guess(
                        tables, other, guess, number, held, first, second, down, ANY, share * alike, work, totals
                    )


@rule
def subtract_drawn(
    tables: Tables, layout: Layout, other: Layout, guess: Guess, number: int, held: Ints, work: Work, totals: Floats
) -> None:
    """Subtract what the guess says of the cards drawn, and the charge for the type that is then on top of the deck."""
    first, second, third = layout.drawn[number]
    down, _ = _stand_in(layout.left[number], third // VALUES, first, second)
    _add_guess(tables, other, guess, number, held, first, second, down, ANY, -1.0, work, totals)
    if number == SOLO_ROUNDS - 1:
        return
    count = cards_left(layout.left[number + 1])
    for kind in range(KINDS):
        size = SIZES[layout.left[number + 1, kind]]
        weight = size / count - float(int64(kind == layout.drawn[number + 1, 0] // VALUES))
        if size > 0:
            _add_guess(tables, other, guess, number, held, first, second, down, int64(kind), weight, work, totals)


# -- backwards over the rounds ----------------------------------------------------------------------------------------


@rule
def _value_collection(
    tables: Tables,
    layout: Layout,
    other: Layout,
    guess: Guess,
    number: int,
    held: Ints,
    values: Floats,
    work: Work,
    result: Floats,
) -> None:
    """Write what a collection is worth at the start of a round, charges included. ``result`` is [0 to DICE]."""
    result[:] = 0.0
    add_round(tables, layout, guess, number, held, values, SOLVED, 1.0, work, result)
    if guess.charges:
        subtract_drawn(tables, layout, other, guess, number, held, work, result)
        add_mean_guess(tables, other, guess, number, held, work, result)


@entry
def _solve(tables: Tables, layout: Layout, other: Layout, guess: Guess, first: int, work: Work, values: Floats) -> None:
    """Write `solve`. ``other`` is a copy of the layout to lay out other cards in."""
    held = np.empty(KINDS, np.int64)
    for number in range(SOLO_ROUNDS - 1, first - 1, -1):
        collections = int64(1)
        for kind in range(KINDS):
            collections *= layout.counts[number, kind]
        other.left[:] = layout.left
        for collection in range(collections):
            rest = collection
            for kind in range(KINDS):
                held[kind] = layout.states[number, kind, rest % layout.counts[number, kind]]
                rest //= layout.counts[number, kind]
            following = values[min(number + 1, SOLO_ROUNDS - 1)]
            _value_collection(tables, layout, other, guess, number, held, following, work, values[number, collection])


def copied(layout: Layout) -> Layout:
    """Return a copy in which other cards can be laid out."""
    return layout._replace(cards=layout.cards.copy(), down=layout.down.copy(), left=layout.left.copy())


def solve(layout: Layout, guess: Guess, first: int = 0) -> Floats:
    """Return the most that can be expected from each round on, for a player who knows the deck and is charged for it.

    Args:
        layout: the deal.
        guess: determines the charges.
        first: the first round that is wanted.

    Returns:
        [rounds, collections, 0 to DICE]: coins by the number of ready dice at the start of the round; 0 where there is
        no collection of that number.
    """
    most = int(layout.counts[:SOLO_ROUNDS].prod(axis=1).max())
    values = np.zeros((SOLO_ROUNDS, most, DICE + 1))
    _solve(tables(), layout, copied(layout), guess, first, work(), values)
    return values
