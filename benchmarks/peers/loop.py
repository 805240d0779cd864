"""What all peers share: how long is measured, and what is printed. It imports nothing but the standard library."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

Play = Callable[[], int]
"""Plays a little and returns how many decisions that were."""


def main(makers: dict[str, Callable[[], Play]], packages: tuple[str, ...]) -> None:
    """Measure each contestant for some seconds on one core, in turns; print decisions a second and versions as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--core", type=int, default=0)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {options.core})
    plays, failed = {}, {}
    for name, make in makers.items():
        try:
            plays[name] = make()
            plays[name]()
        except Exception as error:  # one game that does not install is no reason to lose the others
            failed[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
    rates: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(options.repeats):
        for name, play in plays.items():
            rates[name].append(_rate(play, options.seconds))
    print(json.dumps({"rates": rates, "failed": failed, "versions": _versions(packages)}))


def _rate(play: Play, seconds: float) -> float:
    """Return decisions per second of the processor's time."""
    start, decisions = time.process_time(), 0
    while (taken := time.process_time() - start) < seconds:
        decisions += play()
    return decisions / taken


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of what is installed."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
