"""How likely the outcomes of dice are, exactly."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import TypeAlias

from crypt_env.rules.actions import EFFORTS

Outcomes: TypeAlias = tuple[tuple[int, float], ...]
"""Outcomes and how likely they are, in ascending order; none is impossible."""

Tied: TypeAlias = tuple[tuple[int, int], ...]
"""Seats, and how many dice each of them rolls."""


@lru_cache
def failures(dice: int, effort: int) -> Outcomes:
    """Return how many dice fail: how many show less than the effort on them."""
    fail = Fraction(effort - 1, EFFORTS)
    return tuple(
        (failed, float(comb(dice, failed) * fail**failed * (1 - fail) ** (dice - failed)))
        for failed in range(dice + 1)
        if fail or not failed
    )


@lru_cache
def ghost_dice(dice: int) -> tuple[tuple[int, ...], ...]:
    """Return the sorted rolls of the Ghost's dice; an outcome is a place in this list."""
    return tuple(combinations_with_replacement(range(1, EFFORTS + 1), dice))


@lru_cache
def ghost_rolls(dice: int) -> Outcomes:
    """Return how likely each of `ghost_dice` is."""
    ways = [factorial(dice) // prod(map(factorial, Counter(roll).values())) for roll in ghost_dice(dice)]
    return tuple((place, ways[place] / EFFORTS**dice) for place in range(len(ways)))


@lru_cache
def tie_break(tied: Tied) -> Outcomes:
    """Return who wins a tie-break in the end, no matter how often it is rolled. At least one seat has a die. [R11]"""
    return tuple((seat, float(chance)) for seat, chance in sorted(_winners(tied).items()) if chance)


@lru_cache
def _sums(dice: int) -> dict[int, Fraction]:
    """Return how likely each sum of some dice is."""
    sums = {0: Fraction(1)}
    for _ in range(dice):
        longer: dict[int, Fraction] = {}
        for total, chance in sums.items():
            for face in range(1, EFFORTS + 1):
                longer[total + face] = longer.get(total + face, Fraction(0)) + chance / EFFORTS
        sums = longer
    return sums


@lru_cache
def _winners(tied: Tied) -> dict[int, Fraction]:
    """Return how likely each seat wins."""
    if len(tied) == 1:
        return {tied[0][0]: Fraction(1)}
    won = {seat: Fraction(0) for seat, _ in tied}
    again = Fraction(0)
    for left, chance in _still_tied(tied).items():
        if left == tied:
            again = chance
            continue
        for seat, share in _winners(left).items():
            won[seat] += chance * share
    return {seat: chance / (1 - again) for seat, chance in won.items()}


def _still_tied(tied: Tied) -> dict[Tied, Fraction]:
    """Return the probability, for each group of seats, that exactly these share the highest sum of one roll."""
    groups: dict[tuple[int, Tied], Fraction] = {(-1, ()): Fraction(1)}
    for member in tied:
        longer: dict[tuple[int, Tied], Fraction] = {}
        for (best, left), chance in groups.items():
            for total, share in _sums(member[1]).items():
                group = (*left, member) if total == best else (member,) if total > best else left
                key = (max(best, total), group)
                longer[key] = longer.get(key, Fraction(0)) + chance * share
        groups = longer
    merged: dict[Tied, Fraction] = {}
    for (_, left), chance in groups.items():
        merged[left] = merged.get(left, Fraction(0)) + chance
    return merged
