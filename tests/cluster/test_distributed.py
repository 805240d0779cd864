"""A training shared by workers of a Ray cluster: the same runs as those of one process, also if workers are lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import crypt_env
import training.distributed
import training.train
from crypt_env import CryptError
from crypt_env.experiment.checkpoint import load_checkpoint
from crypt_env.experiment.checkpoint_file import NAME
from experiment.runs import LEAGUE, ROLLOUT, SMALL, TAUGHT, assert_same_runs, curves, plain, small
from training.distributed import main, train

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # within Ray


def sessions(folder: Path) -> list[tuple[int, int | None]]:
    """Return where a run has started: decisions played before, and workers."""
    facts = json.loads((folder / "run.json").read_text())
    return [(session["decisions"], session.get("workers")) for session in facts["sessions"]]


def test_one_worker_comes_to_the_same_weights_as_the_program_without_ray(cluster: Any, tmp_path: Path) -> None:
    """To the last bit, with a league, past selves and several numbers of players."""
    settings = small(**LEAGUE, workers=1, decisions=6 * ROLLOUT)
    training.train.train(settings, tmp_path / "alone")
    run = train(settings, tmp_path / "ray", workers=1)
    assert_same_runs(tmp_path / "alone", tmp_path / "ray")
    assert run.num_timesteps == 6 * ROLLOUT
    assert (tmp_path / "ray" / "model.zip").is_file()
    seconds = load_checkpoint(tmp_path / "ray")["run"]["seconds"]
    assert seconds > 0
    train(settings, tmp_path / "ray", workers=1, is_resumed=True)  # it is finished; its time stays known
    assert load_checkpoint(tmp_path / "ray")["run"]["seconds"] >= seconds
    assert len((tmp_path / "ray" / "log" / "progress.csv").read_text().splitlines()) > 1


def learn_and_die(mark: Path) -> Any:
    """Return what a worker does if the second one kills itself in its fifth rollout, once."""

    def learn(run: Any, model: Any, is_resumed: bool) -> None:
        def on_step() -> bool:
            if run.num_timesteps > 4 * ROLLOUT and not run.is_first and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return True

        run._on_step = on_step
        training.train.learn(run, model, is_resumed)

    return learn


def test_a_worker_that_is_killed_is_replaced(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run goes on from its last checkpoint, and ends as if nothing had happened; curves are whole."""
    settings = small(**LEAGUE, workers=1, decisions=6 * ROLLOUT)
    train(settings, tmp_path / "whole", workers=2)
    assert "whole begins with 2 workers" in capsys.readouterr().out
    monkeypatch.setattr(training.distributed, "learn", learn_and_die(tmp_path / "dead"))
    train(settings, tmp_path / "killed", workers=2)
    assert f"killed continues after {4 * ROLLOUT} decisions with 2 workers" in capsys.readouterr().out
    assert (tmp_path / "dead").exists()
    assert_same_runs(tmp_path / "whole", tmp_path / "killed")
    assert len(curves(tmp_path / "killed")) == 2
    assert sessions(tmp_path / "whole") == [(0, 2)]
    assert sessions(tmp_path / "killed") == [(0, 2), (4 * ROLLOUT, 2)]
    assert len(load_checkpoint(tmp_path / "killed")["model"]["games"]["league"]["snapshots"]) == 2


@pytest.mark.slow
def test_a_run_goes_on_with_any_number_of_workers(cluster: Any, tmp_path: Path) -> None:
    """Also without Ray, as checkpoints hold the games of all; teachers teach all workers."""
    for number, workers in enumerate((3, 1, 2), 1):
        train(small(**TAUGHT, workers=1, decisions=2 * number * ROLLOUT), tmp_path, workers, is_resumed=number > 1)
    training.train.train(small(**TAUGHT, workers=2, decisions=8 * ROLLOUT), tmp_path, is_resumed=True)
    assert sessions(tmp_path) == [(0, 3), (2 * ROLLOUT, 1), (4 * ROLLOUT, 2), (6 * ROLLOUT, None)]
    assert len(load_checkpoint(tmp_path)["model"]["games"]["returns"]) == 8


@pytest.mark.slow
def test_weights_that_break_end_a_run(cluster: Any, tmp_path: Path) -> None:
    """In one sentence, at once."""
    with pytest.raises(CryptError, match="training broke: the weights are"):
        train(small(workers=1, learning_rate=1e30), tmp_path, workers=2)
    assert not list(tmp_path.glob("*.safetensors"))


@pytest.mark.slow
def test_workers_that_are_lost_again_and_again_end_a_run(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they come to no new checkpoint in between; the sentence tells why."""

    def learn(run: Any, model: Any, is_resumed: bool) -> None:
        raise RuntimeError("a bad day")

    monkeypatch.setattr(training.distributed, "learn", learn)
    monkeypatch.setattr("crypt_env.experiment.ray_training.MOST_STARTS", 2)
    with pytest.raises(CryptError, match=r"lost .* after 0 decisions; the last error was: RuntimeError: a bad day"):
        train(small(workers=1), tmp_path, workers=1)


def refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, *changes: str) -> str:
    """Return why a command line is refused."""
    (tmp_path / "small.yaml").write_text(repr(plain(small().model_dump())))
    assert main([str(tmp_path / "small.yaml"), "--out", str(tmp_path / "run"), *changes]) == 2
    assert not (tmp_path / "run").exists()
    return capsys.readouterr().err.splitlines()[-1]


def test_what_workers_cannot_share_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sentence = refused(capsys, tmp_path, "workers=9")
    assert (
        "workers=9 is not possible with games=8; each worker needs at least one game, so games must be at least 9"
        in sentence
    )
    sentence = refused(capsys, tmp_path, "workers=3", "players=[1, 2, 3]")
    assert "at least one game of each of 3 numbers of players, so games must be at least 9" in sentence
    sentence = refused(capsys, tmp_path, "workers=2", "minibatch=1")
    assert "each worker needs at least one decision of every minibatch" in sentence
    assert "trainer='stock' is not possible with Ray" in refused(capsys, tmp_path, "trainer=stock")
    assert "workers=0 is not possible" in refused(capsys, tmp_path, "workers=0")
    assert "there is no checkpoint" in refused(capsys, tmp_path, "--resume")


@pytest.mark.slow
def test_a_program_that_is_killed_or_stopped_can_be_resumed(cluster: Any, tmp_path: Path) -> None:
    """It takes its workers with it, and the run ends with the same weights as one that was left alone.

    It could go on for hours, and ends soon after it was stopped: rates do not fall, so its length changes no weights.
    """
    psutil = pytest.importorskip("psutil")
    rates = {"final_learning_rate": SMALL["learning_rate"], "entropy": 0.01, "final_entropy": 0.01}
    changes = {**rates, "decisions": 10**6 * ROLLOUT, "evaluate_every": 20 * ROLLOUT, "workers": 1}
    (tmp_path / "small.yaml").write_text(repr({**SMALL, **changes}))
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "training.distributed", str(tmp_path / "small.yaml"), "--out", str(folder)]
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    root = Path(crypt_env.__file__).resolve().parents[1]
    started = []
    for number, more in ((signal.SIGKILL, []), (signal.SIGTERM, ["--resume"])):
        begun = (folder / NAME).stat().st_mtime_ns if more else 0
        with (tmp_path / "errors").open("w") as errors:
            program = subprocess.Popen([*command, *more], cwd=root, env=environment, stderr=errors)
        while not (folder / NAME).exists() or (folder / NAME).stat().st_mtime_ns == begun:
            assert program.poll() is None, (tmp_path / "errors").read_text()
            time.sleep(0.05)
        time.sleep(1.0 if more else 0.0)  # the program learns of a rollout a moment later
        started += psutil.Process(program.pid).children(recursive=True)
        program.send_signal(number)
        program.wait(timeout=120)
        if number == signal.SIGTERM:
            assert program.returncode == 143
            assert "distributed: stopped by SIGTERM" in (tmp_path / "errors").read_text().splitlines()[-1]
    changes["decisions"] = load_checkpoint(folder)["model"]["decisions"] + 25 * ROLLOUT
    assert main([*command[3:], "--resume", f"decisions={changes['decisions']}"]) == 0
    train(small(**changes), tmp_path / "whole", workers=2)
    assert_same_runs(tmp_path / "whole", folder)
    assert len(sessions(folder)) == 3
    _, alive = psutil.wait_procs(started, timeout=90)  # Ray looks for its own every few seconds
    assert not alive
