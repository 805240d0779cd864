"""The best play of one round by a player who knows its cards, but not the dice.

The order is that of the rules; each step writes the values of one table of `moves`:

prospects   what a round leads to: the slots collected, the Idols flipped for re-rolls, the dice that are ready then;
ends        the expected prospect after the rolls for exhaustion, with the best re-rolls of Idol A;
the round   the best plans against the rolls of the Ghost, with the dice that Remains A revives.

Pottery B doubles a round: with the face-down card taken, two slots are left. A peek of Manuscript B teaches nothing to
a player who knows the deck; it saves the charge for the face-down card, and may be decided on after the Claim, which
no real player could do.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import IDOL, KINDS, MANUSCRIPT, POTTERY, REMAINS, VALUES
from crypt_env.rules.compiled import int64, rule
from crypt_env.rules.state import SIDE_A, SIDE_B

from .guess import Guess, charge_for_face_down, guessed
from .holdings import NEXT, PAYS
from .layout import SLOTS, SOLO_ROUNDS, Layout
from .moves import Floats, Ints, Lists, Moves, moves, rerolls
from .sieve import sifted

CARD_SETS = 1 << SLOTS
MOST_FLIPS = 4
"""Idols that can be flipped in a game, and so in a round."""
SOLVED = int64(-2)
"""In place of a type on top of the deck: the values of the next round are known, none are guessed."""
LEVELS = 3
"""Remains A can revive up to twice in a game, so 0, 1 or 2 times so far."""


class Tables(NamedTuple):
    """All that is the same for every deal."""

    three: Moves
    two: Moves
    """With a slot whose card was taken."""
    sifted_three: Moves
    """The plans that the guess looks at."""
    sifted_two: Moves
    failed: Ints
    """[sets of failed dice]: how many dice are in each."""
    rerolls: Lists
    """[sets of failed dice]: the sets without one of the dice, and the chance that its re-roll succeeds."""


class Work(NamedTuple):
    """Scratch space. Where it matters how often Remains A has revived, that is the first axis."""

    prospects: Floats
    """[CARD_SETS, 0 to MOST_FLIPS, 0 to DICE]"""
    flips: Ints
    """[CARD_SETS]: how many Idols can be flipped."""
    rerolled: Floats
    """[CARD_SETS, sets of failed dice, 0 to MOST_FLIPS, 0 to DICE]"""
    ends: Floats
    """[LEVELS, ends]"""
    choices: Floats
    """[LEVELS, choices]"""
    lotteries: Floats
    """[LEVELS, lotteries]"""
    values: Floats
    """[LEVELS, 0 to DICE]: of a round."""
    best: Floats
    """[0 to DICE]: of a round, with the face-down card taken where that is better."""
    nothing: Floats
    """[0, 0 to DICE]: no values."""


@cache
def tables() -> Tables:
    """Return all that is the same for every deal."""
    three, two = moves(SLOTS), moves(SLOTS - 1)
    return Tables(three, two, sifted(three), sifted(two), *rerolls())


def work() -> Work:
    """Return scratch space."""
    three = tables().three
    lotteries = max(len(three.lead.starts), len(three.follow.starts))
    return Work(
        np.zeros((CARD_SETS, MOST_FLIPS + 1, DICE + 1)),
        np.zeros(CARD_SETS, np.int64),
        np.zeros((CARD_SETS, len(tables().failed), MOST_FLIPS + 1, DICE + 1)),
        np.zeros((LEVELS, len(three.slots))),
        np.zeros((LEVELS, len(three.choices.starts))),
        np.zeros((LEVELS, lotteries)),
        np.zeros((LEVELS, DICE + 1)),
        np.zeros(DICE + 1),
        np.zeros((0, DICE + 1)),
    )


# -- prospects --------------------------------------------------------------------------------------------------------


@rule
def _collect(layout: Layout, number: int, held: Ints, cards: int, after: Ints) -> float:
    """Add the cards in these slots to a collection; return the coins."""
    coins = 0
    after[:] = held
    for slot in range(SLOTS):
        if cards >> slot & 1:
            kind, value = layout.cards[number, slot] // VALUES, layout.cards[number, slot] % VALUES
            coins += PAYS[kind, layout.sides[kind], after[kind], value]
            after[kind] = NEXT[kind, layout.sides[kind], after[kind], value]
    return float(coins)


@rule
def _number_of(layout: Layout, number: int, held: Ints) -> int:
    """Return the number of a collection at the start of a round."""
    total = int64(0)
    for kind in range(KINDS):
        total += layout.places[number, kind, held[kind]]
    return total


@rule
def _value_after(layout: Layout, guess: Guess, number: int, held: Ints, dice: int, values: Floats, top: int) -> float:
    """Return what a collection and dice are worth after a round. After the last, Remains A revives; a die is a coin."""
    if number < SOLO_ROUNDS - 1:
        if top == SOLVED:
            return float(values[_number_of(layout, number + 1, held), dice])
        return guessed(guess, layout, number, held, dice, top)
    revives = held[REMAINS] // 2 if layout.sides[REMAINS] == SIDE_A else 0
    return float(min(DICE, dice + revives))


@rule
def _write_prospects(
    layout: Layout, guess: Guess, number: int, held: Ints, taken: bool, values: Floats, top: int, work: Work
) -> None:
    """Write what follows from collecting the cards in some slots, flipping Idols and having this many dice ready."""
    after = np.empty(KINDS, np.int64)
    down = 1 << layout.down[number]
    has_peek = layout.sides[MANUSCRIPT] == SIDE_B and held[MANUSCRIPT] > 0
    for cards in range(CARD_SETS):
        if taken and not cards & down:
            continue
        charge = charge_for_face_down(guess, layout, number, held, down if taken else cards)
        coins = _collect(layout, number, held, cards, after)
        work.flips[cards] = after[IDOL] if layout.sides[IDOL] == SIDE_A else 0
        for flipped in range(work.flips[cards] + 1):
            for dice in range(DICE + 1):
                value = _value_after(layout, guess, number, after, dice, values, top) - charge
                if has_peek:
                    after[MANUSCRIPT] -= 1
                    value = max(value, _value_after(layout, guess, number, after, dice, values, top))
                    after[MANUSCRIPT] += 1
                work.prospects[cards, flipped, dice] = coins + value
            after[IDOL] -= 1


# -- ends -------------------------------------------------------------------------------------------------------------


@rule
def _reroll(tables: Tables, prospects: Floats, flips: int, rerolled: Floats) -> None:
    """Write what sets of failed dice are worth with the best re-rolls, from prospects [0 to MOST_FLIPS, 0 to DICE]."""
    starts, items, chances = tables.rerolls
    for flipped in range(flips, -1, -1):
        for failed in range(len(tables.failed)):
            for dice in range(DICE + 1 - tables.failed[failed]):
                best = prospects[flipped, dice]
                if flipped < flips:
                    for way in range(starts[failed], starts[failed + 1]):
                        again = chances[way] * rerolled[items[way], flipped + 1, dice + 1]
                        best = max(best, again + (1 - chances[way]) * rerolled[failed, flipped + 1, dice])
                rerolled[failed, flipped, dice] = best


@rule
def _all_cards(cards: int, taken: int) -> int:
    """Return which slots are collected, of slots that are numbered without the one whose card was taken (-1: none)."""
    if taken < 0:
        return cards
    below = cards & ((1 << taken) - 1)
    return below | (cards - below) << 1 | 1 << taken


@rule
def _write_ends(tables: Tables, moves: Moves, has_idols: bool, taken: int, work: Work, ends: Floats) -> None:
    """Write what the ends of a Claim are worth before the dice are rolled. ``ends`` is [ends]."""
    if has_idols:
        for cards in range(CARD_SETS):
            if taken < 0 or cards >> taken & 1:
                _reroll(tables, work.prospects[cards], work.flips[cards], work.rerolled[cards])
    for end in range(len(moves.slots)):
        cards = _all_cards(moves.slots[end], taken)
        total = 0.0
        if has_idols:
            for place in range(moves.failures.starts[end], moves.failures.starts[end + 1]):
                failed = moves.failures.items[place]
                dice = moves.ready[end] - tables.failed[failed]
                total += moves.failures.weights[place] * work.rerolled[cards, failed, 0, dice]
        else:
            for dice in range(DICE + 1):
                total += moves.returns[end, dice] * work.prospects[cards, 0, dice]
        ends[end] = total


# -- the round --------------------------------------------------------------------------------------------------------


@rule
def _write_lotteries(lists: Lists, values: Floats, lotteries: Floats) -> None:
    """Write the means of lotteries."""
    for lottery in range(len(lists.starts) - 1):
        total = 0.0
        for place in range(lists.starts[lottery], lists.starts[lottery + 1]):
            total += lists.weights[place] * values[lists.items[place]]
        lotteries[lottery] = total


@rule
def _best_of(lists: Lists, number: int, values: Floats) -> float:
    """Return the highest value in a list."""
    best: float = values[lists.items[lists.starts[number]]]
    for place in range(lists.starts[number] + 1, lists.starts[number + 1]):
        best = max(best, values[lists.items[place]])
    return best


@rule
def _lead(moves: Moves, levels: int, work: Work) -> None:
    """Write the values of a round that the player leads."""
    for level in range(levels - 1, -1, -1):
        for choice in range(len(moves.revived)):
            best = _best_of(moves.choices, choice, work.ends[level])
            if level < levels - 1 and moves.revived[choice] >= 0:
                best = max(best, work.choices[level + 1, moves.revived[choice]])
            work.choices[level, choice] = best
        _write_lotteries(moves.lead, work.choices[level], work.lotteries[level])
        for dice in range(DICE + 1):
            best = _best_of(moves.lead_plans, dice, work.lotteries[level])
            if level < levels - 1 and dice < DICE:
                best = max(best, work.values[level + 1, dice + 1])
            work.values[level, dice] = best


@rule
def _follow(moves: Moves, levels: int, work: Work) -> None:
    """Write the values of a round that the Ghost leads."""
    rolls = len(moves.rolls)
    best = np.empty((levels, DICE + 1, rolls))
    for level in range(levels - 1, -1, -1):
        _write_lotteries(moves.follow, work.ends[level], work.lotteries[level])
        for dice in range(DICE, -1, -1):
            total = 0.0
            for roll in range(rolls):
                best[level, dice, roll] = _best_of(moves.follow_plans, dice * rolls + roll, work.lotteries[level])
                if level < levels - 1 and dice < DICE:
                    best[level, dice, roll] = max(best[level, dice, roll], best[level + 1, dice + 1, roll])
                total += moves.rolls[roll] * best[level, dice, roll]
            work.values[level, dice] = total


@rule
def _play(
    tables: Tables,
    layout: Layout,
    guess: Guess,
    number: int,
    held: Ints,
    takes: bool,
    values: Floats,
    top: int,
    work: Work,
) -> None:
    """Write the values of a round for a collection into ``work.values[0]``, with the face-down card taken or not."""
    moves, taken = tables.three if top == SOLVED else tables.sifted_three, int64(-1)
    if takes:
        moves, taken = tables.two if top == SOLVED else tables.sifted_two, layout.down[number]
    now = held.copy()
    if takes:
        now[POTTERY] -= 2
    levels = 1 + now[REMAINS] // 2 if layout.sides[REMAINS] == SIDE_A else int64(1)
    for level in range(levels):
        _write_prospects(layout, guess, number, now, takes, values, top, work)
        _write_ends(tables, moves, layout.sides[IDOL] == SIDE_A, taken, work, work.ends[level])
        now[REMAINS] -= 2
    if number % 2 == 0:
        _lead(moves, levels, work)
    else:
        _follow(moves, levels, work)


@rule
def add_round(
    tables: Tables,
    layout: Layout,
    guess: Guess,
    number: int,
    held: Ints,
    values: Floats,
    top: int,
    weight: float,
    work: Work,
    totals: Floats,
) -> None:
    """Add to ``totals`` [0 to DICE] what a round is worth, followed by the values given or by what the guess says."""
    _play(tables, layout, guess, number, held, False, values, top, work)
    work.best[:] = work.values[0]
    if layout.sides[POTTERY] == SIDE_B and held[POTTERY] >= 2:
        _play(tables, layout, guess, number, held, True, values, top, work)
        for dice in range(DICE + 1):
            work.best[dice] = max(work.best[dice], work.values[0, dice])
    for dice in range(DICE + 1):
        totals[dice] += weight * work.best[dice]
