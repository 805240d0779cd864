"""The deals still to be played, handed out in chunks of a few seconds each."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from .schedule import Plan

FIRST_DEALS = 2
"""The size of the first chunk of a line-up, before its speed is known."""
CHUNK_SECONDS = 4.0
"""Target time of a chunk: progress stays visible, and an interruption costs little."""
MOST_GAMES = 4096
"""In one chunk: larger batches are not faster."""
_GROWTH = 8


class Task(NamedTuple):
    """The deals ``start`` to ``stop - 1`` of a line-up."""

    lineup: int
    start: int
    stop: int


class Chunks:
    """Hands out the missing deals. The line-ups advance side by side.

    The result of a tournament does not depend on how its deals are cut into chunks.
    """

    def __init__(self, plan: Plan, done: Sequence[Task] = (), size: int | None = None) -> None:
        """Determine what is missing.

        Args:
            plan: the tournament.
            done: what was already played.
            size: deals in a chunk; measured if not given.
        """
        self._gaps = [_gaps(plan.deals, [task for task in done if task.lineup == n]) for n in range(len(plan.lineups))]
        self._most = max(1, MOST_GAMES // plan.players) if size is None else size
        self._sizes = [min(FIRST_DEALS, self._most) if size is None else size] * len(plan.lineups)
        self._is_fixed = size is not None

    @property
    def count(self) -> int:
        """How many chunks remain, at their current size."""
        sized = zip(self._gaps, self._sizes, strict=True)
        return sum(ceil((stop - start) / size) for gaps, size in sized for start, stop in gaps)

    def _missing(self, number: int) -> int:
        return sum(stop - start for start, stop in self._gaps[number])

    def next(self) -> Task | None:
        """Return the next chunk, of the line-up with the most missing deals, or None if nothing is left."""
        number = max(range(len(self._gaps)), key=self._missing)
        if not self._gaps[number]:
            return None
        start, end = self._gaps[number].pop(0)
        stop = min(end, start + self._sizes[number])
        if stop < end:
            self._gaps[number].insert(0, (stop, end))
        return Task(number, start, stop)

    def learn(self, task: Task, seconds: float) -> None:
        """Choose the size of a line-up's next chunks from the time that one took."""
        if self._is_fixed:
            return
        deals = task.stop - task.start
        wanted = int(deals * CHUNK_SECONDS / max(seconds, 1e-6))
        reached = max(deals * _GROWTH, self._sizes[task.lineup])
        self._sizes[task.lineup] = max(1, min(wanted, reached, self._most))


def _gaps(deals: int, done: Sequence[Task]) -> list[tuple[int, int]]:
    """Return the ranges of deals between those that are done."""
    gaps, end = [], 0
    for task in sorted(done):
        if task.start > end:
            gaps.append((end, task.start))
        end = task.stop
    return [*gaps, (end, deals)] if end < deals else gaps
