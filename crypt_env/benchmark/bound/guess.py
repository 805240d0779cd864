"""A guess of what a collection and dice are worth, and why charging by it for knowing the deck gives a bound.

The guess is a sum over the types: of the state of the collection with the cards to come, for each number of ready dice;
the type on top of the deck, which every player sees, counts once more.

*Why any guess gives a valid bound* (information relaxation: Brown, Smith and Sun 2010). Give a player more than the
rules do: all cards of earlier rounds, also the discarded ones. Beside these it knows the face-up cards of this round,
the types of its face-down card and of the deck's top card, and all dice so far. Every order of the other cards is then
equally likely, no matter how it has played. Three charges are made, each when something becomes known, and each is a
number minus its mean given all that was known before:

*the cards of a round*  what the guess says of a round with these face-up cards and this type face-down;
*the next type*         what it says of that round with this type on top of the deck;
*the face-down card*    what it says of the value, once all claims are made, or when Pottery B takes the card.

A player who does not know the deck chose its collection and its claims before that, so each charge is zero on average
for any guess, and its mean coins are the same with charges as without. They cannot be more than those of the best play
of a player who knows the whole deck and is charged alike: that is the bound. One who peeks (Manuscript B) before its
claims knows the value; it pays with the card and is not charged. No player knows dice ahead. If the guess were exactly
what the best player gets, so would the bound be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypt_env.rules.actions import DICE
from crypt_env.rules.cards import IDOL, KINDS, REMAINS, VALUES
from crypt_env.rules.compiled import int64, rule

from .holdings import NEXT, PAYS, SAME, SETS, STATES
from .layout import SLOTS, SOLO_ROUNDS, Layout
from .moves import Floats, Ints

# [set]: how many cards are in it.
SIZES = np.array([bits.bit_count() for bits in range(SETS)], np.int64)
ANY = int64(-1)
"""Stands for no type."""
DICE_GROUPS = 4
"""Idol A and Remains A change what dice are worth; each combination of the two is a group."""


class Guess(NamedTuple):
    """What things are worth at the start of a round, before its cards are drawn. After the last round all is 0."""

    charges: bool
    """Whether the knowledge of the deck is charged for at all."""
    worth: Floats
    """[rounds + 1, KINDS, 2, STATES, SETS, 0 to DICE]: of a state, by side, with these cards to come, by ready dice."""
    top: Floats
    """Of the same shape: what a state of the type that is on top of the deck is worth besides."""
    dice: Floats
    """[rounds + 1, DICE_GROUPS, 0 to DICE]: of this many ready dice."""


def no_guess(charges: bool = False) -> Guess:
    """Return the guess that all is worth nothing but the coins of a card; by default nothing is charged."""
    return Guess(
        charges,
        np.zeros((SOLO_ROUNDS + 1, KINDS, 2, STATES, SETS, DICE + 1)),
        np.zeros((SOLO_ROUNDS + 1, KINDS, 2, STATES, SETS, DICE + 1)),
        np.zeros((SOLO_ROUNDS + 1, DICE_GROUPS, DICE + 1)),
    )


@rule
def dice_group(sides: Ints) -> int:
    """Return which number of `DICE_GROUPS` a table has."""
    return int64(sides[IDOL] + 2 * sides[REMAINS])


@rule
def cards_left(left: Ints) -> int:
    """Return how many cards a deck holds. ``left`` is [KINDS], of sets."""
    count = int64(0)
    for kind in range(KINDS):
        count += SIZES[left[kind]]
    return count


@rule
def guessed(guess: Guess, layout: Layout, number: int, held: Ints, dice: int, top: int) -> float:
    """Return what the guess says of a collection and ready dice after a round.

    ``top`` is the type on top of the deck, or `ANY`: then it is what the guess says on average.
    """
    left = layout.left[number + 1]
    total, count = guess.dice[number + 1, dice_group(layout.sides), dice], cards_left(left)
    for kind in range(KINDS):
        side, state = layout.sides[kind], SAME[kind, layout.sides[kind], left[kind], held[kind]]
        total += guess.worth[number + 1, kind, side, state, left[kind], dice]
        share = SIZES[left[kind]] / count if top == ANY else float(int64(kind == top))
        total += share * guess.top[number + 1, kind, side, state, left[kind], dice]
    return float(total)


@rule
def _says(
    guess: Guess, layout: Layout, number: int, kind: int, state: int, value: int, rest: int, holds: bool
) -> float:
    """Return what the guess says of a face-down card of this value, collected or not; ``rest`` are those left besides.

    It is the mean over the ready dice: their number may depend on the value, as re-rolls are chosen when it is known.
    """
    side, total = layout.sides[kind], 0.0
    if holds:
        total = float(PAYS[kind, side, state, value])
        state = NEXT[kind, side, state, value]
    state = SAME[kind, side, rest, state]
    for dice in range(DICE + 1):
        total += guess.worth[number + 1, kind, side, state, rest, dice] / (DICE + 1)
    return total


@rule
def charge_for_face_down(guess: Guess, layout: Layout, number: int, held: Ints, cards: int) -> float:
    """Return the charge for the value of the face-down card when these slots are collected."""
    if not guess.charges:
        return 0.0
    slot = layout.down[number]
    kind, value = layout.cards[number, slot] // VALUES, layout.cards[number, slot] % VALUES
    state = held[kind]
    for other in range(SLOTS):
        card = layout.cards[number, other]
        if other != slot and cards >> other & 1 and card // VALUES == kind:
            state = NEXT[kind, layout.sides[kind], state, card % VALUES]
    unseen = layout.left[number + 1, kind] | 1 << value
    holds = cards >> slot & 1 == 1
    mean = 0.0
    for other in range(VALUES):
        if unseen >> other & 1:
            mean += _says(guess, layout, number, kind, state, other, unseen & ~(1 << other), holds)
    charge: float = (
        _says(guess, layout, number, kind, state, value, unseen & ~(1 << value), holds) - mean / SIZES[unseen]
    )
    return charge
