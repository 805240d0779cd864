"""All numbers of a result, computed from what its games paid; `run_task` writes them, `verify` computes them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crypt_env.arena.statistics import Estimate

from .matches import cross_pairs
from .scores import Values, estimates, part_score, parts_of, raw_estimates, table_scores
from .tasks import Task

DIGITS = 6
_TOLERANCE = 2e-6
"""By so much numbers may differ that were computed on another machine: two in the last digit."""


def numbers_of(task: Task, runs: Sequence[Values], cross: Sequence[float]) -> dict[str, Any]:
    """Return the numbers of a result.

    Args:
        task: the task.
        runs: what each run was paid against the panel.
        cross: the first one's share of the wins for each pair of runs.
    """
    part = parts_of(task)["score"]
    return {
        "runs": [
            {
                "score": _rounded(float(part_score(values.mean(axis=1), part, task.players))),
                "panel": [_rounded(float(mean)) for mean in values.mean(axis=(1, 2))],
                "tables": [_rounded(score) for score in table_scores(values, task.players)],
            }
            for values in runs
        ],
        "cross": [[*pair, _rounded(share)] for pair, share in zip(cross_pairs(task, len(runs)), cross, strict=True)],
        "panel": [_triple(estimate) for estimate in raw_estimates(runs)],
        "parts": {name: _triple(estimate) for name, estimate in estimates(task, runs).items()},
    }


def first_difference(right: Any, found: Any, where: str = "") -> str | None:
    """Return in words where numbers first differ from the right ones, None if they agree. Both have the same form."""
    if isinstance(right, Mapping):
        places = [(f"{where}.{key}".lstrip("."), right[key], found[key]) for key in right]
    elif isinstance(right, list):
        places = [(f"{where}[{number}]", *pair) for number, pair in enumerate(zip(right, found, strict=True))]
    else:
        return None if abs(right - found) <= _TOLERANCE else f"{where} is {found}, the games make it {right}"
    return next(filter(None, (first_difference(one, other, place) for place, one, other in places)), None)


def _rounded(number: float) -> float:
    """Return a number as a result has it; never -0.0."""
    return round(number, DIGITS) + 0.0


def _triple(estimate: Estimate) -> list[float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return [_rounded(estimate.value), _rounded(estimate.low), _rounded(estimate.high)]
