"""Schedules: numbers that change during a training, such as the learning rate.

A schedule is a function of how much of the training is left, from 1 to 0, as in Stable-Baselines3. The learning rate,
the clip ranges, and the weights of the entropy, the teachers and the magnet may all be schedules or plain numbers. What
is left is counted in decisions, or by the clock if the time is limited (`remaining`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Schedule = Callable[[float], float]
"""From how much is left, 1 to 0, to the number then."""


@dataclass(frozen=True)
class Linear:
    """A number that changes linearly from its first to its last value.

    >>> Linear(0.5, 0.25)(1.0), Linear(0.5, 0.25)(0.5), Linear(0.5, 0.25)(0.0)
    (0.5, 0.375, 0.25)
    """

    first: float
    last: float = 0.0

    def __call__(self, left: float) -> float:
        """Return the value at this point."""
        return self.last + left * (self.first - self.last)


def remaining(decisions: int, total: int, time_used: float = 0.0) -> float:
    """Return how much of a training is left: the smaller of its shares of decisions and of time.

    Args:
        decisions: played so far; the last rollout may exceed the total.
        total: to be played.
        time_used: share of the time limit that is used up, 0 if there is no limit.

    >>> remaining(25, 100), remaining(25, 100, 0.5), remaining(125, 100)
    (0.75, 0.5, 0.0)
    """
    return max(0.0, min(1.0 - decisions / total, 1.0 - time_used))


def value_at(schedule: float | Schedule, left: float) -> float:
    """Return the value of a schedule, or the number given instead of one."""
    return schedule(left) if callable(schedule) else schedule
