"""What a run logs, and where."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import crypt_env.console.progress
from crypt_env.experiment.settings import settings_from
from experiment.runs import ROLLOUT, SMALL
from training.train import train

CHANGES = {"decisions": 5 * ROLLOUT, "evaluate_every": 2 * ROLLOUT}


def test_evaluations_are_logged_where_they_were_made(tmp_path: Path) -> None:
    """In TensorBoard at the step of the evaluated network, and in the table in a separate row."""
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run = train(settings_from({**SMALL, **CHANGES, "tensorboard": True}), tmp_path)
    events = accumulators.EventAccumulator(str(tmp_path / "log"))
    events.Reload()
    logged = [(event.step, event.value) for event in events.Scalars("evaluation/random")]
    made = [(row["decisions"], row["random"]) for row in run.rows]
    assert [step for step, _ in logged] == [step for step, _ in made] == [2 * ROLLOUT, 4 * ROLLOUT, 5 * ROLLOUT]
    assert [value for _, value in logged] == pytest.approx([value for _, value in made], abs=1e-4)
    with (tmp_path / "log" / "progress.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["evaluation/random"]]
    assert [int(row["time/total_timesteps"]) for row in rows] == [step for step, _ in made]


@pytest.mark.parametrize(("minutes", "end"), [(0.0, ""), (600.0, ", 600.0 min left at most")])
def test_nothing_is_said_about_the_end_before_it_is_known(
    minutes: float, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The speed of a run is not known in its first line."""
    monkeypatch.setattr(crypt_env.console.progress, "LOG_SECONDS", 0.0)
    train(settings_from({**SMALL, "decisions": 2 * ROLLOUT, "minutes": minutes}), tmp_path)
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"0 of {2 * ROLLOUT} decisions (0%){end}"
    assert second.startswith(f"{ROLLOUT} of {2 * ROLLOUT} decisions (50%), ")
    assert " a second, " in second
