"""The dice of one round alone: every way in which the player and the Ghost can place, apart from which cards are there.

Which cards are in the slots changes what a round pays, not what can happen in it. So all that can happen is listed
once, as tables of numbers:

*end*      how a Claim can end: which slots the player holds, the efforts of its dice there, and its ready dice.
*choice*   the player's last turn of a round that it leads: the ends among which it chooses.
*lottery*  what follows from a placement: choices (or ends) with their probabilities. Plans with the same are one.

Dice are interchangeable. Two placements are left out because an optimal player, one that knows the deck or one that
does not, never needs them: effort beyond the least that is enough on the last turn that anybody has; and effort above 1
in an even round by a player that pushes nothing off, as the Ghost then rolls nothing. The same die roll that returns
a die of the higher effort returns one of the lower effort; and another ready die is never worse than an exhausted
one, for the player can treat it as exhausted until it would have come back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import DICE, EFFORTS

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Pair: TypeAlias = tuple[int, int]
Pairs: TypeAlias = tuple[Pair, ...]
"""For each slot the number of dice and their effort; (0, 0) for none."""
End: TypeAlias = tuple[int, tuple[int, ...], int]
"""The slots that the player holds as bits, the efforts of its dice in increasing order, its ready dice."""

Lottery: TypeAlias = tuple[tuple[int, float], ...]
"""Items with their probabilities."""

NOTHING: Pair = (0, 0)
PASSED: End = (0, (), DICE)
"""No dice on cards: all recover. [R6]"""


class Lists(NamedTuple):
    """Lists of numbers, one after another."""

    starts: Ints
    """[N + 1]: where each list starts, and the end of the last one."""
    items: Ints
    weights: Floats
    """A number with each item, such as its probability."""


class Moves(NamedTuple):
    """All that can happen with this many slots. Slots without a card are not counted."""

    slots: Ints
    """[ends]: the slots held, as bits."""
    ready: Ints
    """[ends]: with the dice on cards; this many are ready if none of those fails."""
    returns: Floats
    """[ends, 0 to DICE]: the probability of having this many ready dice after the rolls for exhaustion."""
    failures: Lists
    """[ends]: the sets of failed dice with their probabilities."""
    choices: Lists
    """Of ends."""
    revived: Ints
    """[choices]: the choice with one exhausted die ready, or -1 if none is exhausted."""
    lead: Lists
    """Lotteries over choices: the first placements of a player that leads."""
    lead_plans: Lists
    """[ready dice]: the lotteries among which it chooses."""
    follow: Lists
    """Lotteries over ends: the placements of a player after the Ghost."""
    follow_plans: Lists
    """[ready dice, roll of the Ghost]: the lotteries among which it chooses."""
    rolls: Floats
    """[rolls]: the probability of each roll of the Ghost's three dice."""


def moves(slots: int) -> Moves:
    """Return all that can happen with two or three slots."""
    return _Listing(slots).moves()


def _rolls(dice: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the rolls of dice in increasing order, with their probabilities."""
    found = []
    for roll in combinations_with_replacement(range(1, EFFORTS + 1), dice):
        ways = factorial(dice) // prod(map(factorial, Counter(roll).values()))
        found.append((roll, ways / EFFORTS**dice))
    return found


def _groups(roll: tuple[int, ...]) -> list[Pair]:
    """Return the groups of a roll of the Ghost, in the order in which they are placed."""
    groups = [(count, face) for face, count in Counter(roll).items()]
    return sorted(groups, key=lambda group: (group[0] * group[1], group[0]), reverse=True)


def _effort(pair: Pair) -> int:
    return pair[0] * pair[1]


def _dice_on(pairs: Iterable[Pair]) -> int:
    return sum(count for count, _ in pairs)


def _end(own: Pairs, ready: int) -> End:
    """Return the end of a Claim."""
    held = sum(1 << slot for slot, pair in enumerate(own) if pair != NOTHING)
    efforts = sorted(effort for count, effort in own for _ in range(count))
    return (held, tuple(efforts), ready) if held else PASSED


FAILED = [dice for count in range(DICE + 1) for dice in combinations_with_replacement(range(2, EFFORTS + 1), count)]
"""The sets of dice that can fail, by their efforts."""
_FAILED_NUMBER = {dice: number for number, dice in enumerate(FAILED)}


def _failures(efforts: tuple[int, ...]) -> list[tuple[int, float]]:
    """Return the sets of dice that fail, of those on cards, with their probabilities."""
    found: dict[int, float] = defaultdict(float)
    for fails in product((False, True), repeat=len(efforts)):
        chances = [(effort - 1) / EFFORTS for effort in efforts]
        probability = prod(chance if failed else 1 - chance for chance, failed in zip(chances, fails, strict=True))
        if probability > 0:
            failed = tuple(effort for effort, failed in zip(efforts, fails, strict=True) if failed)
            found[_FAILED_NUMBER[failed]] += probability
    return list(found.items())


def _returns(ends: list[End]) -> Floats:
    """Return the probability of each number of ready dice after the rolls for exhaustion."""
    table = np.zeros((len(ends), DICE + 1))
    for number, (_, efforts, ready) in enumerate(ends):
        for failed, probability in _failures(efforts):
            table[number, ready + len(efforts) - len(FAILED[failed])] += probability
    return table


def rerolls() -> tuple[Ints, Lists]:
    """Return the sizes of the sets of failed dice, and for each die of a set: the set without it, its chance."""
    lists = []
    for dice in FAILED:
        ways = []
        for effort in sorted(set(dice)):
            rest = list(dice)
            rest.remove(effort)
            ways.append((_FAILED_NUMBER[tuple(rest)], (EFFORTS + 1 - effort) / EFFORTS))
        lists.append(ways)
    return np.array([len(dice) for dice in FAILED], np.int64), _lists(lists)


class _Listing:
    """Numbers everything in the order in which it comes up."""

    def __init__(self, slots: int) -> None:
        """Begin with the end that always exists."""
        self._empty: Pairs = (NOTHING,) * slots
        self._ends: dict[End, int] = {PASSED: 0}
        self._choices: dict[tuple[tuple[int, ...], int], int] = {}
        self._found: dict[tuple[Pairs, Pairs, int, int], int] = {}
        self._lotteries: dict[Lottery, int] = {}
        self._rolls = _rolls(DICE)

    def moves(self) -> Moves:
        """Return everything as tables."""
        lead_plans = [self._lead_plans(ready) for ready in range(DICE + 1)]
        lead, self._lotteries = self._lotteries, {}
        follow_plans = [self._follow_plans(ready, roll) for ready in range(DICE + 1) for roll, _ in self._rolls]
        ends = list(self._ends)
        return Moves(
            np.array([held for held, _, _ in ends], np.int64),
            np.array([ready + len(efforts) for _, efforts, ready in ends], np.int64),
            _returns(ends),
            _lists([_failures(efforts) for _, efforts, _ in ends]),
            _lists([[(end, 1.0) for end in choice] for choice, _ in self._choices]),
            np.array([revived for _, revived in self._choices], np.int64),
            _lists(lead),
            _lists([[(lottery, 1.0) for lottery in plans] for plans in lead_plans]),
            _lists(self._lotteries),
            _lists([[(lottery, 1.0) for lottery in plans] for plans in follow_plans]),
            np.array([probability for _, probability in self._rolls]),
        )

    def _end(self, own: Pairs, ready: int) -> int:
        return self._ends.setdefault(_end(own, ready), len(self._ends))

    def _lottery(self, prospects: Iterable[tuple[int, float]]) -> int:
        """Return the number of a lottery; equal prospects are joined."""
        joined: dict[int, float] = defaultdict(float)
        for item, probability in prospects:
            joined[item] += probability
        lottery = tuple(sorted((item, round(probability, 12)) for item, probability in joined.items()))
        return self._lotteries.setdefault(lottery, len(self._lotteries))

    # -- a round that the player leads: it places, the Ghost places, it claims one card --------------------------------

    def _lead_plans(self, ready: int) -> list[int]:
        """Return the lotteries of all first turns: to recover, and every placement."""
        plans = {self._lottery(self._after_ghost(self._empty, DICE, 0))}
        for own in _placements(ready, self._empty):
            plans.add(self._lottery(self._after_ghost(own, ready - _dice_on(own), DICE - ready)))
        return sorted(plans)

    def _after_ghost(self, own: Pairs, ready: int, exhausted: int) -> Iterator[tuple[int, float]]:
        """Yield the choices of the last turn with their probabilities."""
        for roll, probability in self._rolls:
            after, ghost = own, self._empty
            for group in _groups(roll):
                after, ghost = _place_group(after, ghost, group)
            yield self._choice(after, ghost, ready + _dice_on(own) - _dice_on(after), exhausted), probability

    def _choice(self, own: Pairs, ghost: Pairs, ready: int, exhausted: int) -> int:
        """Return the number of the choice in the last turn."""
        key = (own, ghost, ready, exhausted)
        if key not in self._found:
            revived = self._choice(own, ghost, ready + 1, exhausted - 1) if exhausted else -1
            ends = {self._end(own, ready + exhausted)}
            for slot, count in product(range(len(own)), range(1, ready + 1)):
                effort = _effort(ghost[slot]) // count + 1
                if own[slot] == NOTHING and effort <= EFFORTS:
                    ends.add(self._end(_with(own, slot, (count, effort)), ready - count))
            self._found[key] = self._choices.setdefault((tuple(sorted(ends)), revived), len(self._choices))
        return self._found[key]

    # -- a round that the Ghost leads: it places, the player places, it places what was pushed off ---------------------

    def _follow_plans(self, ready: int, roll: tuple[int, ...]) -> list[int]:
        """Return the lotteries of all turns after a roll of the Ghost: to recover, and every placement."""
        ghost = self._empty
        for group in _groups(roll):
            _, ghost = _place_group(self._empty, ghost, group)
        plans = {self._lottery([(self._end(self._empty, DICE), 1.0)])}
        for own in _placements(ready, ghost):
            pushed = [slot for slot, pair in enumerate(own) if pair != NOTHING and ghost[slot] != NOTHING]
            if pushed or all(effort <= 1 for _, effort in own):
                plans.add(self._lottery(self._after_pushing(own, ghost, pushed, ready - _dice_on(own))))
        return sorted(plans)

    def _after_pushing(self, own: Pairs, ghost: Pairs, pushed: list[int], ready: int) -> Iterator[tuple[int, float]]:
        """Yield the ends after the Ghost's second turn with their probabilities."""
        dice = sum(ghost[slot][0] for slot in pushed)
        left = tuple(NOTHING if slot in pushed else held for slot, held in enumerate(ghost))
        for group, probability in _best_groups(dice):
            after, _ = _place_group(own, left, group)
            yield self._end(after, ready + _dice_on(own) - _dice_on(after)), probability


def _with(pairs: Pairs, slot: int, pair: Pair) -> Pairs:
    """Return what is on the slots after one of them has changed."""
    return (*pairs[:slot], pair, *pairs[slot + 1 :])


def _place_group(own: Pairs, ghost: Pairs, group: Pair) -> tuple[Pairs, Pairs]:
    """Return what is on the slots after the Ghost has placed a group, or has set it aside."""
    for slot, held in enumerate(ghost):
        if held == NOTHING and _effort(own[slot]) < _effort(group):
            return _with(own, slot, NOTHING), _with(ghost, slot, group)
    return own, ghost


def _placements(ready: int, ghost: Pairs) -> Iterator[Pairs]:
    """Yield every placement of one or more ready dice, each beating what the Ghost has there."""
    ways = [
        [
            NOTHING,
            *(pair for pair in product(range(1, ready + 1), range(1, EFFORTS + 1)) if _effort(pair) > _effort(held)),
        ]
        for held in ghost
    ]
    for own in product(*ways):
        if 0 < _dice_on(own) <= ready:
            yield own


@lru_cache
def _best_groups(dice: int) -> tuple[tuple[Pair, float], ...]:
    """Return the groups that the Ghost can place in its second turn, with their probabilities; none without dice."""
    if dice == 0:
        return (((0, 0), 1.0),)
    found: dict[Pair, float] = defaultdict(float)
    for roll, probability in _rolls(dice):
        found[_groups(roll)[0]] += probability
    return tuple(found.items())


def _lists(lists: Iterable[Iterable[tuple[int, float]]]) -> Lists:
    """Return lists of pairs (number, weight) as arrays."""
    every = [list(pairs) for pairs in lists]
    pairs = [pair for part in every for pair in part]
    return Lists(
        np.cumsum([0, *map(len, every)]),
        np.array([item for item, _ in pairs], np.int64),
        np.array([weight for _, weight in pairs]),
    )
