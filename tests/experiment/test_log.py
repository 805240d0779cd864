"""What a run says while it goes on, and where it says so."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

from crypt_env.experiment.settings import settings_from
from training.train import train

from .test_resume import ROLLOUT, SMALL

CHANGES = {"decisions": 5 * ROLLOUT, "evaluate_every": 2 * ROLLOUT}


def test_evaluations_are_logged_where_they_were_made(tmp_path: Path) -> None:
    """In TensorBoard at the decisions of the network that was evaluated, and in the table in a row of their own."""
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


@pytest.mark.parametrize(("minutes", "end"), [(0.0, "0.00 M decisions"), (600.0, "0.00 M decisions, 600.0 min left")])
def test_nothing_is_said_about_the_end_before_it_is_known(
    minutes: float, end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the first line of a run nobody knows yet how fast it is."""
    train(settings_from({**SMALL, "decisions": ROLLOUT, "minutes": minutes}), tmp_path)
    assert capsys.readouterr().err.splitlines()[0].strip() == f"0.0%  {end}"
