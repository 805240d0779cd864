"""Reports on results: Markdown, for a terminal as well. The numbers are those of ``result.json``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from crypt_env.arena.formats import Table, estimate_cell, titled_table
from crypt_env.arena.statistics import Estimate
from crypt_env.errors import CryptError

from . import metrics
from .metrics import Scores
from .results import Result, check_distinct
from .tasks import Task

MARKS = np.array([0.0, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0])
"""Scores at which performance profiles are shown."""
_AGGREGATES = (
    ("IQM", metrics.interquartile_mean),
    ("median", metrics.median),
    ("mean", metrics.mean),
    ("optimality gap", metrics.optimality_gap),
)


def as_report(results: Sequence[Result]) -> str:
    """Return a report on results of one task, which are compared with each other.

    Raises:
        CryptError: they are of different tasks or sizes, or two of them have the same games.
    """
    task, size = results[0].task, results[0].size
    for result in results:
        if (result.task, result.size) != (task, size):
            raise CryptError(
                f"{result.task.name} ({result.size}) and {task.name} ({size}) cannot be compared; "
                "a report is about results of one task and size"
            )
    check_distinct(results)
    tables = [
        _scores(task, results),
        _panel(task, results),
        _aggregates(results),
        _profiles(results),
        _improvements(results),
        *(_cross(result) for result in results if result.numbers["cross"]),
    ]
    return "\n\n".join([_summary(task, size), *(titled_table(*table) for table in tables if table.rows)]) + "\n"


def scores_of(result: Result) -> Scores:
    """Return the scores of each run at each table. [runs, 64]"""
    return np.array([run["tables"] for run in result.numbers["runs"]])


def part_columns(task: Task) -> dict[str, str]:
    """Return the parts that tables show, with their headings."""
    columns = {"score": "score"}
    if task.generalizes:
        columns = {"score": "score (other tables)", "trained": "training tables", "gap": "gap"}
    if task.players > 1:
        columns |= {"public": "public opponents", "held_out": "held-out opponents"}
    return columns


def part_cell(result: Result, part: str) -> str:
    """Return a score with its interval."""
    return estimate_cell(Estimate(*result.numbers["parts"][part]), "+.3f" if part == "gap" else ".3f")


def _summary(task: Task, size: str) -> str:
    return (
        f"{task.name}, size {size}: {task.deals(size)} deals at all 64 tables, {task.games(size)} games for each run. "
        "0 is `random`, 1 is `tuned`. In brackets: 95% intervals, over deals and, where there are several, runs; for "
        "what is about all runs at all tables, over runs alone, as rliable has them."
    )


def _scores(task: Task, results: Sequence[Result]) -> Table:
    columns = part_columns(task)
    rows = [
        (result.name, result.budget, str(len(result.runs)), *(part_cell(result, part) for part in columns))
        for result in results
    ]
    return Table("Scores", ("result", "budget", "runs", *columns.values()), rows)


def _panel(task: Task, results: Sequence[Result]) -> Table:
    form = ".2f" if task.players == 1 else ".3f"
    rows = [
        (result.name, *(estimate_cell(Estimate(*row), form) for row in result.numbers["panel"])) for result in results
    ]
    heads = [f"{lineup.name}{' (held out)' * lineup.is_held_out}" for lineup in task.lineups]
    return Table("Coins" if task.players == 1 else "Share of the wins, against", ("result", *heads), rows)


def _aggregates(results: Sequence[Result]) -> Table:
    rows = [
        (result.name, *(estimate_cell(metrics.estimate(metric, scores_of(result)), ".3f") for _, metric in _AGGREGATES))
        for result in results
    ]
    return Table("Scores of all runs at all tables", ("result", *(name for name, _ in _AGGREGATES)), rows)


def _profiles(results: Sequence[Result]) -> Table:
    rows = [
        (result.name, *(estimate_cell(part, ".2f") for part in metrics.profile_estimates(scores_of(result), MARKS)))
        for result in results
    ]
    heads = [f"> {mark:g}" for mark in MARKS]
    return Table("Performance profile: part of all runs and tables with a score", ("result", *heads), rows)


def _improvements(results: Sequence[Result]) -> Table:
    rows = [
        (
            one.name,
            other.name,
            estimate_cell(metrics.estimate(metrics.improvement, *map(scores_of, (one, other))), ".3f"),
        )
        for one, other in permutations(results, 2)
    ]
    return Table("Probability of improvement: a run of the first above one of the second", ("result", "over", ""), rows)


def _cross(result: Result) -> Table:
    """Return the table of the runs of a result against each other."""
    shares = {(int(one), int(other)): share for one, other, share in result.numbers["cross"]}
    is_duel = result.task.players == 2
    rows = []
    for one in range(len(result.runs)):
        cells = []
        for other in range(len(result.runs)):
            share = shares.get((one, other))
            if share is None and is_duel and one != other:
                share = 1 - shares[other, one]
            cells.append("" if share is None else f"{share:.3f}")
        rows.append((f"run {one}", *cells))
    heads = [f"run {other}" for other in range(len(result.runs))]
    others = "the other seat" if is_duel else "all other seats"
    return Table(f"Cross-play of {result.name}: wins of the run, against the one in {others}", ("run", *heads), rows)
