"""From payoffs to scores: 0 is `random`, 1 is `tuned`, on any part of the panel and of the tables.

The score of a part is ``(x - r) / (t - r)``: x, r and t are the means of the agent, of `random` and of `tuned` over
the line-ups and the tables of that part, each line-up and each table counting alike. What is averaged are shares of the
win, or coins alone.

The intervals are those of a bootstrap over runs and deals: runs are drawn again, and within each table its deals, the
same ones for all line-ups and runs that played them. Of n things n - 1 are drawn, so that the spread is right also
where n is small (Rao and Wu 1988). A single run is not drawn again: its interval is about the luck of the deals alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.arena.statistics import Estimate
from crypt_env.rules.deal import TABLES

from .frozen import anchors
from .metrics import draws, interval
from .tasks import Task

REPLICATES = 1000
_DEALS, _RUNS = 101, 102
"""Streams of the bootstrap."""

Values = NDArray[np.float64]
"""What a run was paid: [line-ups, deals of a table, 64]."""


class Part(NamedTuple):
    """Some line-ups at some tables."""

    lineups: tuple[int, ...]
    tables: tuple[int, ...]


def parts_of(task: Task) -> dict[str, Part]:
    """Return the parts of a task that have a score; ``score`` is the main one."""
    lineups = tuple(range(len(task.lineups)))
    every = tuple(range(TABLES))
    parts = {"score": Part(lineups, task.unseen if task.generalizes else every)}
    if task.players > 1:
        held_out = tuple(number for number in lineups if task.lineups[number].is_held_out)
        public = tuple(number for number in lineups if number not in held_out)
        parts |= {"public": Part(public, every), "held_out": Part(held_out, every)}
    if task.generalizes:
        parts |= {"all": Part(lineups, every), "trained": Part(lineups, task.tables)}
    for number in lineups if len(lineups) > 1 else ():
        parts[f"lineup-{number}"] = Part((number,), every)
    return parts


def part_score(means: NDArray[np.float64], part: Part, players: int) -> NDArray[np.float64]:
    """Return the score of a part from means [..., line-ups, 64]."""
    chosen = np.ix_(part.lineups, part.tables)
    zero, one = (array[chosen].mean() for array in anchors(players))
    reached = means[..., part.lineups, :][..., part.tables].mean(axis=(-2, -1))
    return np.asarray((reached - zero) / (one - zero))


def table_scores(values: Values, players: int) -> list[float]:
    """Return a run's score at each of the 64 tables, over the whole panel."""
    means = values.mean(axis=1)
    lineups = tuple(range(len(means)))
    return [float(part_score(means, Part(lineups, (table,)), players)) for table in range(TABLES)]


def replicate_means(runs: Sequence[Values]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means over runs and deals [line-ups, 64], and the same in replicates [REPLICATES, line-ups, 64]."""
    deals = runs[0].shape[1]
    weights = _weights(_DEALS, (REPLICATES, TABLES), deals)
    of_runs = _weights(_RUNS, (REPLICATES,), len(runs))
    drawn = np.zeros((REPLICATES, runs[0].shape[0], TABLES))
    for number, values in enumerate(runs):
        drawn += of_runs[:, number, None, None] * np.einsum("btd,ldt->blt", weights, values)
    return np.mean([values.mean(axis=1) for values in runs], axis=0), drawn


def _weights(stream: int, shape: tuple[int, ...], count: int) -> NDArray[np.float64]:
    """Return how much each of some things counts in replicates; [*shape, count], which sums to 1."""
    if count == 1:
        return np.ones((*shape, 1))
    drawn = draws(stream, (*shape, count - 1), count)
    weights = np.zeros((*shape, count))
    for number in range(count):
        weights[..., number] = (drawn == number).sum(axis=-1) / (count - 1)
    return weights


def estimates(task: Task, runs: Sequence[Values]) -> dict[str, Estimate]:
    """Return the scores of all parts over all runs, with intervals; ``gap`` is that of training tables over others."""
    means, drawn = replicate_means(runs)
    parts = parts_of(task)
    values = {name: float(part_score(means, part, task.players)) for name, part in parts.items()}
    replicates = {name: part_score(drawn, part, task.players) for name, part in parts.items()}
    if task.generalizes:
        values["gap"] = values["trained"] - values["score"]
        replicates["gap"] = replicates["trained"] - replicates["score"]
    return {name: interval(value, replicates[name]) for name, value in values.items()}


def raw_estimates(runs: Sequence[Values]) -> list[Estimate]:
    """Return what was paid on average against each line-up: the share of the wins, or coins alone."""
    means, drawn = (array.mean(axis=-1) for array in replicate_means(runs))
    return [interval(value, drawn[:, number]) for number, value in enumerate(means.tolist())]
