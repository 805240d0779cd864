"""Writes ``rliable.json``, what rliable computes; rliable needs half a gigabyte, so the tests read its numbers.

In an environment of its own: ``pip install rliable==1.2.0 "pandas<3" && python tests/benchmark/rliable_numbers.py``.
"""

import json
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("rliable.json")
MARKS = [0.0, 0.5, 1.0, 1.5]
REPLICATES = 20_000


def scores(runs, tables, step, shift=0.0):
    """Return plausible scores, the same on every machine."""
    places = np.arange(runs * tables).reshape(runs, tables)
    return (places * step % 1009) / 700 + shift + (places % tables) / (2 * tables)


FIRST, SECOND = scores(5, 64, 619), scores(3, 64, 353, -0.1)
TIED = np.round(scores(4, 16, 101), 1)
OTHER = np.round(scores(3, 16, 211), 1)


def main():
    """Compute and write."""
    from rliable import library, metrics

    np.random.seed(0)  # noqa: NPY002 (rliable draws from there)
    single = {
        "mean": metrics.aggregate_mean,
        "median": metrics.aggregate_median,
        "interquartile_mean": metrics.aggregate_iqm,
        "optimality_gap": metrics.aggregate_optimality_gap,
    }
    found = {}
    for name, metric in single.items():
        for key, array in (("first", FIRST), ("second", SECOND)):
            values, intervals = library.get_interval_estimates(
                {key: array}, lambda drawn, metric=metric: np.array([metric(drawn)]), reps=REPLICATES
            )
            found[f"{name}-{key}"] = [float(values[key][0]), *map(float, intervals[key][:, 0])]
    for key, pair in (("first-second", [FIRST, SECOND]), ("second-first", [SECOND, FIRST])):
        values, intervals = library.get_interval_estimates(
            {key: pair}, lambda x, y: np.array([metrics.probability_of_improvement(x, y)]), reps=500
        )
        found[f"improvement-{key}"] = [float(values[key][0]), *map(float, intervals[key][:, 0])]
    found["improvement-tied"] = [float(metrics.probability_of_improvement(TIED, OTHER))]
    profiles, intervals = library.create_performance_profile({"first": FIRST}, np.array(MARKS), reps=REPLICATES)
    for number, mark in enumerate(MARKS):
        found[f"profile-{mark}"] = [float(profiles["first"][number]), *map(float, intervals["first"][:, number])]
    PATH.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
