"""What matters of a collection: for each type and side a few states, what a card changes, and what it pays at once.

The coins of solo games add up card by card, so a collection that was paid for everything is described by what its cards
still change. The state of a type whose cards can be flipped is the number of those that are unflipped. Given which
cards of the type are still to come, states that pay the same for each of them are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np

from crypt_env.rules.cards import IDOL, KINDS, MANUSCRIPT, POTTERY, REMAINS, VALUES
from crypt_env.rules.state import SIDE_A, SIDE_B

from .moves import Ints

STATES = 8
"""No type has more states than this."""
SETS = 1 << VALUES
"""Sets of cards of a type: bit v - 1 is the card of value v."""
SPENT = frozenset(
    (int(kind), side) for kind, side in ((IDOL, SIDE_A), (MANUSCRIPT, SIDE_B), (POTTERY, SIDE_B), (REMAINS, SIDE_A))
)
"""The types and sides whose cards are flipped by choice; their state is a number of cards."""
_PAID_IN_PAIRS = ((int(POTTERY), SIDE_B), (int(REMAINS), SIDE_A))

_State = tuple[int, int]
_Step = Callable[[_State, int], tuple[_State, int]]
"""From a state, two numbers, and a card's value to the next state and the coins that the card brings."""
_POTTERY_A = (0, 0, 2, 4, 8)


def _count(state: _State, value: int) -> tuple[_State, int]:
    return (state[0] + 1, 0), value


def _idol_b(state: _State, value: int) -> tuple[_State, int]:
    return (min(state[0] + 1, 2), 0), value + 5 * (state[0] == 1)


def _jewelry_a(state: _State, value: int) -> tuple[_State, int]:
    """Keep how many there are, up to two, and the highest."""
    highest = max(state[1], value)
    before = state[1] if state[0] == 2 else 0
    return (min(state[0] + 1, 2), highest), value + (highest - before if state[0] else 0)


def _jewelry_b(state: _State, value: int) -> tuple[_State, int]:
    return state, value + 1


def _manuscript_a(state: _State, value: int) -> tuple[_State, int]:
    """Keep how many there are, up to two, and the value of a single one."""
    if state[0] == 0:
        return (1, value), value
    return (2, 0), 8 - state[1] if state[0] == 1 else 4


def _pottery_a(state: _State, value: int) -> tuple[_State, int]:
    count = min(state[0] + 1, 4)
    return (count, 0), value + _POTTERY_A[count] - _POTTERY_A[state[0]]


def _remains_b(state: _State, value: int) -> tuple[_State, int]:
    return (state[0] + 1, 0), value + 10 * (state[0] == 3)


def _tapestry_a(state: _State, value: int) -> tuple[_State, int]:
    return (1, 0), value + 5 * (state[0] == 0)


def _tapestry_b(state: _State, value: int) -> tuple[_State, int]:
    return (min(state[0] + 1, 3), 0), value + 7 * (state[0] == 2)


_STEPS: tuple[tuple[_Step, _Step], ...] = (
    (_count, _idol_b),
    (_jewelry_a, _jewelry_b),
    (_manuscript_a, _count),
    (_pottery_a, _count),
    (_count, _remains_b),
    (_tapestry_a, _tapestry_b),
)


def _subsets(cards: int) -> Iterable[tuple[int, ...]]:
    """Yield all subsets of a set of cards, as values."""
    values = [value for value in range(1, VALUES + 1) if cards >> (value - 1) & 1]
    for size in range(len(values) + 1):
        yield from combinations(values, size)


def _states(step: _Step) -> list[_State]:
    """Return all states that four cards can lead to, those of fewer cards first."""
    found: dict[_State, int] = {(0, 0): 0}
    for size in range(1, VALUES + 1):
        for values in combinations(range(1, VALUES + 1), size):
            state = (0, 0)
            for value in values:
                state, _ = step(state, value)
            found.setdefault(state, len(found))
    return list(found)


def _pay(step: _Step, state: _State, values: tuple[int, ...]) -> int:
    """Return what cards pay from a state on."""
    total = 0
    for value in values:
        state, coins = step(state, value)
        total += coins
    return total


def _tables() -> tuple[Ints, Ints, Ints, Ints]:
    """Return `NEXT`, `PAYS`, `SAME` and `COUNTS`."""
    following, pays = np.zeros((2, KINDS, 2, STATES, VALUES), np.int64)
    same, counts = np.zeros((KINDS, 2, SETS, STATES), np.int64), np.zeros((KINDS, 2), np.int64)
    for kind, sides in enumerate(_STEPS):
        for side, step in enumerate(sides):
            states = _states(step)
            counts[kind, side] = len(states)
            for number, state in enumerate(states):
                for value in range(1, VALUES + 1):
                    after, pays[kind, side, number, value - 1] = step(state, value)
                    following[kind, side, number, value - 1] = states.index(after) if after in states else number
            for cards in range(SETS):
                same[kind, side, cards, : len(states)] = _representatives((kind, side), step, states, cards)
    return following, pays, same, counts


def _representatives(place: tuple[int, int], step: _Step, states: list[_State], cards: int) -> list[int]:
    """Return for each state the first one that is equal to it when these cards are still to come."""
    if place in SPENT:
        pairs = place in _PAID_IN_PAIRS and cards == 0
        return [number - number % 2 if pairs else number for number in range(len(states))]
    first: dict[tuple[int, ...], int] = {}
    return [
        first.setdefault(tuple(_pay(step, state, values) for values in _subsets(cards)), number)
        for number, state in enumerate(states)
    ]


NEXT, PAYS, SAME, COUNTS = _tables()
"""NEXT [kind, side, state, value - 1]: the state with one more card. PAYS: the coins that the card brings, alike.
SAME [kind, side, cards to come, state]: the state that stands for it. COUNTS [kind, side]: how many there are."""
