"""What can happen at each kind of chance node, and how likely it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from crypt_env.rules.actions import EFFORTS
from crypt_env.rules.batch import roll_row
from crypt_env.rules.cards import CARDS, COPIES, KINDS, VALUES

from .fields import (
    CARD,
    COLLECT,
    DECK,
    DICE_ON,
    DOWN_CARD,
    DRAWN,
    EFFORT,
    GHOST,
    HIDDEN,
    LAST_SLOT,
    LEADER,
    PLAYERS,
    REROLL,
    ROUND_SLOTS,
    SIDE,
    SIZES,
    TIEBREAK,
    TOP,
    TURN,
    deck_position,
    hidden_downs,
    tied,
)
from .odds import Outcomes, failures, ghost_dice, ghost_rolls, tie_break

if TYPE_CHECKING:
    from .point import Point

_COPIES: list[list[int]] = COPIES.tolist()


def _share(counts: list[int], first: int = 0) -> Outcomes:
    """Return outcomes, numbered from ``first`` on, with probabilities in proportion to their counts."""
    total = sum(counts)
    return tuple((first + place, count / total) for place, count in enumerate(counts) if count)


def _left(point: Point) -> list[int]:
    """Return how many copies of each card are not drawn yet."""
    left = _COPIES[point.data[PLAYERS]].copy()
    for card in point.data[DECK : DECK + point.filled]:
        left[card] -= 1
    return left


def _cards(point: Point) -> Outcomes:
    """Return the cards that can be drawn. The type of a round's first card is known: it lay on top of the deck."""
    left = _left(point)
    if point.filled == 0 or point.filled % ROUND_SLOTS[point.data[PLAYERS]]:
        return _share(left)
    first = point.data[DECK + point.filled] // VALUES * VALUES
    return _share(left[first : first + VALUES], first)


def _tops(point: Point) -> Outcomes:
    """Return the types that can be on top of the deck."""
    left = _left(point)
    return _share([sum(left[kind * VALUES : (kind + 1) * VALUES]) for kind in range(KINDS)])


def pool(point: Point) -> list[int]:
    """Return the place in the deck of the next hidden card, then those of all cards that it can change places with."""
    hidden = hidden_downs(point.data)
    later = [deck_position(point.data, down) for down in hidden[point.place :]]
    return later + list(range(max(point.filled, point.data[DRAWN]), SIZES[point.data[PLAYERS]]))


def _hidden_values(point: Point) -> Outcomes:
    """Return what the next hidden card can be: any card of its type that not all seats have seen."""
    data = point.data
    kind = data[DOWN_CARD + hidden_downs(data)[point.place]] // VALUES
    counts = [0] * CARDS
    for position in pool(point):
        card = data[DECK + position]
        counts[card] += card // VALUES == kind
    return _share(counts)


def _collect(point: Point) -> Outcomes:
    """Return how many dice on the slot can fail."""
    slot = point.data[TURN]
    return failures(point.data[DICE_ON + slot], point.data[EFFORT + slot])


def _ghost_count(point: Point) -> int:
    """Return how many dice the Ghost rolls."""
    return int(roll_row(point.row, 0))


def dice_of(point: Point, outcome: int) -> tuple[int, ...]:
    """Return the results of a roll with this outcome at a point."""
    if point.kind == GHOST:
        return ghost_dice(_ghost_count(point))[outcome]
    if point.kind == TIEBREAK:
        return tie_break_dice(tied(point.data), outcome)
    return plain_dice(outcome, point.data[DICE_ON + point.data[TURN]] if point.kind == COLLECT else 1)


def plain_dice(failed: int, dice: int) -> tuple[int, ...]:
    """Return the results of a roll in which this many dice fail against any effort above 1."""
    return (1,) * failed + (EFFORTS,) * (dice - failed)


def tie_break_dice(members: Iterable[tuple[int, int]], winner: int) -> tuple[int, ...]:
    """Return the results of a roll with which one of the tied seats, given with their dice, wins at once."""
    return tuple(EFFORTS if seat == winner else 1 for seat, dice in members for _ in range(dice))


OUTCOMES: dict[int, Callable[[Point], Outcomes]] = {
    SIDE: lambda point: ((0, 0.5), (1, 0.5)),
    LEADER: lambda point: _share([1] * point.data[PLAYERS]),
    HIDDEN: _hidden_values,
    CARD: _cards,
    TOP: _tops,
    COLLECT: _collect,
    REROLL: lambda point: failures(1, point.data[LAST_SLOT]),
    GHOST: lambda point: ghost_rolls(_ghost_count(point)),
    TIEBREAK: lambda point: tie_break(tied(point.data)),
}
"""The outcomes of each kind of chance node."""
