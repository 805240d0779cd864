"""The collections that are possible in each round of a deal, numbered."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypt_env.rules.cards import KINDS, MANUSCRIPT, ROUNDS, VALUES
from crypt_env.rules.ghost import laid_order
from crypt_env.rules.state import SIDE_B

from .holdings import COUNTS, NEXT, SAME, SETS, SPENT, STATES
from .moves import Ints

SOLO_ROUNDS = int(ROUNDS[1])
SLOTS = 3
DOWN = SLOTS - 1
"""The last of the cards drawn for a round is face-down."""


class Layout(NamedTuple):
    """A deal, and for each round the collections that the player can have at its start.

    A collection is one state of each type; its number is the sum of `places` over the types.
    """

    sides: Ints
    """[KINDS]"""
    drawn: Ints
    """[rounds, SLOTS]: the cards in the order in which they are drawn."""
    cards: Ints
    """[rounds, SLOTS]: from left to right."""
    down: Ints
    """[rounds]: the slot of the face-down card."""
    left: Ints
    """[rounds + 1, KINDS]: the set of cards of each type that the deck holds before the round's are drawn."""
    counts: Ints
    """[rounds + 1, KINDS]: how many states of each type there are."""
    states: Ints
    """[rounds + 1, KINDS, STATES]: these states."""
    places: Ints
    """[rounds + 1, KINDS, STATES]: what each state adds to the number of a collection; also of those it stands for."""


def layout(sides: Ints, deck: Ints, counts_peeks: bool) -> Layout:
    """Return the collections of a deal.

    Args:
        sides: of each Collector.
        deck: all cards in draw order.
        counts_peeks: whether unflipped Manuscripts matter on side B; without them a peek shows nothing new.
    """
    drawn = deck.reshape(SOLO_ROUNDS, SLOTS)
    order = laid_order(drawn, np.broadcast_to(np.arange(SLOTS) == DOWN, drawn.shape), SLOTS)
    shape = (SOLO_ROUNDS + 1, KINDS)
    left, counts = np.full(shape, SETS - 1, np.int64), np.ones(shape, np.int64)
    states, places = np.zeros((2, *shape, STATES), np.int64)
    reached = [{0} for _ in range(KINDS)]
    for number in range(SOLO_ROUNDS + 1):
        if number > 0:
            left[number] = left[number - 1]
            for card in drawn[number - 1]:
                _draw(reached, sides, int(card))
                left[number, card // VALUES] &= ~(1 << card % VALUES)
        stride = 1
        for kind in range(KINDS):
            same = SAME[kind, sides[kind], left[number, kind]]
            if kind == MANUSCRIPT and sides[kind] == SIDE_B and not counts_peeks:
                same = np.zeros(STATES, np.int64)
            found = sorted({int(same[state]) for state in reached[kind]})
            counts[number, kind] = len(found)
            states[number, kind, : len(found)] = found
            for state in range(COUNTS[kind, sides[kind]]):
                if same[state] in found:
                    places[number, kind, state] = stride * found.index(same[state])
            stride *= len(found)
    return Layout(
        sides,
        drawn,
        np.take_along_axis(drawn, order, 1),
        np.argmax(order == DOWN, axis=1),
        left,
        counts,
        states,
        places,
    )


def _draw(reached: list[set[int]], sides: Ints, card: int) -> None:
    """Add the states that a collection of a type can be in when one more card was drawn."""
    kind, side = card // VALUES, int(sides[card // VALUES])
    added = {int(NEXT[kind, side, state, card % VALUES]) for state in reached[kind]}
    if (kind, side) in SPENT:
        added |= set(range(max(added)))
    reached[kind] |= added
