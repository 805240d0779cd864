"""A short run of all fuzzers, always with the same inputs; ``make fuzz`` runs for an hour with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import targets
from fuzz.__main__ import described, table
from fuzz.harness import run_tasks
from fuzz.worker import Task

SEED = 1
LEAST = 50
"""Inputs of each target."""
ROOMS = {
    "engine": ("texts", "records", "games"),
    "faces": ("options", "moves", "commands", "agents", "tournaments"),
    "training": targets.WITH_TORCH,
}


def test_every_target_is_in_the_short_run() -> None:
    assert sorted(room for rooms in ROOMS.values() for room in rooms) == sorted(targets.ROOMS)


@pytest.mark.parametrize("group", ROOMS)
def test_a_short_run_finds_nothing(group: str, tmp_path: Path) -> None:
    if group == "training":
        pytest.importorskip("sb3_contrib")
        pytest.importorskip("training")
    names = [name for room in ROOMS[group] for name in targets.ROOMS[room]]
    tallies = run_tasks([[Task(name, SEED, 0, 0, 3600.0) for name in names]], tmp_path)
    findings = [finding for tally in tallies.values() for finding in tally.findings.values()]
    assert not findings, "\n\n".join(f"{described(finding)}\n{finding.trace}" for finding in findings)
    assert all(tally.done >= LEAST for tally in tallies.values()), table(tallies)
    assert all(tally.accepted > 0 for tally in tallies.values()), table(tallies)
