"""Which games a result consists of, and their order in its files.

A *block* is one line-up on all deals, in all seatings: one after the other, each with all its deals. An agent plays a
block against each line-up of the panel. Where there are several agents, trained with different seeds, each also plays
a block against each other one (cross-play), on the deals of the size ``quick``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.console.progress import Update
from crypt_env.rules.deal import TABLES

from .tasks import Task


class Block(NamedTuple):
    """One line-up on all deals in all seatings."""

    players: int
    deals: int
    others: tuple[str, ...]
    """Names of the opponents, clockwise from the agent; none in cross-play."""

    @property
    def games(self) -> int:
        """Return how many games there are."""
        return self.deals * self.players

    def deal_numbers(self) -> NDArray[np.int64]:
        """Return the deal of each game."""
        return np.tile(np.arange(self.deals), self.players)

    def places(self) -> NDArray[np.int64]:
        """Return who sits where in each game, as places in the circle: 0 is the agent. [games, seats]"""
        circle = np.arange(self.players)
        seated = np.stack([np.roll(circle, turn) for turn in range(self.players)])
        return np.repeat(seated, self.deals, axis=0)

    def seats(self) -> NDArray[np.int64]:
        """Return the agent's seat in each game."""
        return np.repeat(np.arange(self.players), self.deals)

    def by_deal(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over the seatings of a value for each game, by place within the table and table. [n, 64]"""
        return np.asarray(values.reshape(self.players, self.deals).mean(axis=0).reshape(-1, TABLES))


def panel_blocks(task: Task, size: str) -> Iterator[Block]:
    """Yield the blocks of an agent against the panel."""
    for lineup in task.lineups:
        yield Block(task.players, task.deals(size), lineup.others)


def cross_pairs(task: Task, runs: int) -> list[tuple[int, int]]:
    """Return which runs meet: the first in one seat, the second in all others."""
    if task.players == 1:
        return []
    return list(combinations(range(runs), 2) if task.players == 2 else permutations(range(runs), 2))


def cross_block(task: Task) -> Block:
    """Return the block of a cross-play."""
    return Block(task.players, task.deals("quick"), ())


class Counter:
    """Counts the games of a result as they are finished."""

    def __init__(self, task: Task, size: str, runs: int, update: Update | None) -> None:
        self._total = task.games(size) * runs + len(cross_pairs(task, runs)) * cross_block(task).games
        self._done = 0
        self._update = update

    def add(self, games: int) -> None:
        """Count some more games."""
        self._done += games
        if self._update is not None:
            self._update(self._done, self._total)
