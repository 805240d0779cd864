"""The leaderboard: a page of verified results."""

from __future__ import annotations

from collections.abc import Sequence

from crypt_env.arena.formats import plain, titled_table

from .report import part_cell, part_columns
from .results import Result, check_distinct
from .tasks import PROTOCOL, TASKS, VERSION, Task

_HEAD = f"""# The leaderboard of {PROTOCOL}, version {VERSION}

`crypt benchmark leaderboard FOLDER...` has written this page: it verifies every result, replaying all its games, and
refuses to write anything if one fails. [benchmark.md](benchmark.md) describes the tasks, the budgets and the
numbers. 0 is `random`, 1 is `tuned`; in brackets 95% intervals, over deals and, where there are several, runs.
Results of the size `quick` are from the first deals of each table alone.
"""


def as_leaderboard(results: Sequence[Result]) -> str:
    """Return the page about results, which must have been verified.

    Raises:
        CryptError: two of them have the same games.
    """
    check_distinct(results)
    sections = [_section(task, [result for result in results if result.task == task]) for task in TASKS.values()]
    return "\n".join([_HEAD, *(section for section in sections if section)])


def _label(result: Result) -> str:
    """Return the name of a result; one method may have results of several budgets."""
    return plain(result.name) + ("" if result.budget == "open" else f" ({result.budget})")


def _section(task: Task, results: Sequence[Result]) -> str:
    if not results:
        return ""
    ranked = sorted(results, key=lambda result: (-result.numbers["parts"]["score"][0], result.name))
    columns = part_columns(task)
    rows = [
        (
            result.name,
            result.budget,
            str(len(result.runs)),
            result.size,
            *(part_cell(result, part) for part in columns),
        )
        for result in ranked
    ]
    tables = f"{len(task.tables)} tables, judged by the others" if task.generalizes else "all 64 tables"
    table = titled_table(f"Trained at {tables}", ("result", "budget", "runs", "size", *columns.values()), rows)
    notes = [f"- {_label(result)}: {plain(result.description)}" for result in ranked if result.description]
    return "\n".join([f"## {task.name}", "", table, "", *notes, *([""] if notes else [])])
