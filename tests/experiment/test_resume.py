"""Runs that are killed, stopped or run out of disk resume from their checkpoint as if nothing had happened."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import crypt_env.files
import training.train
from crypt_env import CryptError
from crypt_env.agents.network import load_network
from crypt_env.experiment.checkpoint import load_checkpoint
from crypt_env.experiment.checkpoint_file import NAME
from crypt_env.experiment.run import Run
from crypt_env.ppo.fast import FastMaskablePPO
from experiment.runs import LEAGUE, ROLLOUT, SMALL, TAUGHT, assert_same_runs, curves, plain, small
from training.train import main, train

KILLED_WHILE_IT_WRITES = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
import crypt_env.experiment.checkpoint_file
from crypt_env.experiment.settings import settings_from
from training.train import train

whole, written = crypt_env.experiment.checkpoint_file.replace_file, []

def replace_file(path, content):
    written.append(path)
    if len(written) == 3:
        (path.parent / f".{path.name}.0.part").write_bytes(content[:1000])
        os.kill(os.getpid(), signal.SIGKILL)
    whole(path, content)

crypt_env.experiment.checkpoint_file.replace_file = replace_file
train(settings_from(eval(sys.argv[1])), Path(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [{}, LEAGUE, {**LEAGUE, "trainer": "stock"}, TAUGHT],
    ids=["self-play", "league", "stock league", "taught"],
)
def test_a_killed_run_continues_as_if_it_had_never_stopped(changes: dict[str, Any], tmp_path: Path) -> None:
    """It is killed in the middle of writing its third checkpoint."""
    settings = small(**changes)
    train(settings, tmp_path / "whole")
    command = [sys.executable, "-c", KILLED_WHILE_IT_WRITES, repr({**SMALL, **changes}), str(tmp_path / "killed")]
    root = Path(crypt_env.__file__).resolve().parents[1]
    killed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert load_checkpoint(tmp_path / "killed")["model"]["decisions"] == 4 * ROLLOUT
    train(settings, tmp_path / "killed", is_resumed=True)
    assert_same_runs(tmp_path / "whole", tmp_path / "killed")
    if "league_share" in changes:
        assert len(load_checkpoint(tmp_path / "killed")["model"]["games"]["league"]["snapshots"]) == 2


def interrupt_at(monkeypatch: pytest.MonkeyPatch, decisions: int) -> None:
    """Send Ctrl-C after a number of decisions."""

    def on_step(run: Run) -> bool:
        if run.num_timesteps == decisions:
            signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.setattr(Run, "_on_step", on_step)


def arguments(folder: Path, **changes: Any) -> list[str]:
    """Return a command line, with a file of settings."""
    folder.mkdir(exist_ok=True)
    (folder / "small.yaml").write_text(repr({**SMALL, **changes}))
    return [str(folder / "small.yaml"), "--out", str(folder / "run")]


@pytest.mark.parametrize("trainer", ["fast", "stock"])
def test_an_interruption_stops_cleanly(
    trainer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rollout is learned from, everything is written, and the run resumes to the same weights."""
    train(small(evaluate_every=10**9, trainer=trainer), tmp_path / "whole")
    command = arguments(tmp_path, evaluate_every=10**9, trainer=trainer)
    handler = signal.getsignal(signal.SIGINT)
    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        interrupt_at(patch, 5 * ROLLOUT - 40)
        assert main(command) == 130
    assert signal.getsignal(signal.SIGINT) is handler
    sentence = f"train: stopped by Ctrl-C after {5 * ROLLOUT} decisions; --resume continues from there"
    assert capsys.readouterr().err.splitlines()[-1] == sentence
    assert load_checkpoint(folder)["model"]["decisions"] == 5 * ROLLOUT
    load_network(folder / "last")
    assert (folder / "model.zip").is_file()
    assert main([*command, "--resume"]) == 0
    assert_same_runs(tmp_path / "whole", folder)


def test_an_interruption_before_the_first_rollout_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was learned, so there is nothing to save."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training.train, "make_games", interrupted)
    config = Path(__file__).parents[2] / "configs" / "duel.yaml"
    assert main([str(config), "--out", str(tmp_path / "run")]) == 130
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == "train: stopped by Ctrl-C before the training had begun"
    assert "Traceback" not in captured.err
    assert not (tmp_path / "run").exists()


def test_what_was_logged_before_stays(tmp_path: Path) -> None:
    """A resumed run logs to a separate file."""
    train(small(decisions=2 * ROLLOUT), tmp_path)
    before = (tmp_path / "log" / "progress.csv").read_text()
    assert len(before.splitlines()) > 1
    train(small(decisions=4 * ROLLOUT), tmp_path, is_resumed=True)
    assert (tmp_path / "log" / "progress.csv").read_text() == before
    assert len((tmp_path / "log" / f"progress-{2 * ROLLOUT}.csv").read_text().splitlines()) > 1


def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The previous checkpoint stays, and the run resumes from it when there is space again."""
    command = arguments(tmp_path)
    written = []
    sync = os.fsync

    def fill(file: int) -> None:
        name = Path(f"/proc/self/fd/{file}").readlink().name
        written.extend([name] if NAME in name else [])
        if len(written) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(file)

    with monkeypatch.context() as patch:
        patch.setattr(crypt_env.files.os, "fsync", fill)
        assert main(command) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("train: [Errno 28] No space left on device")
    assert load_checkpoint(tmp_path / "run")["model"]["decisions"] == 2 * ROLLOUT
    assert not list((tmp_path / "run").glob(".*.part"))
    assert main([*command, "--resume"]) == 0
    train(small(), tmp_path / "whole")
    assert_same_runs(tmp_path / "whole", tmp_path / "run")


def test_a_full_disk_leaves_the_models_zip_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The one from before."""
    command = arguments(tmp_path, decisions=2 * ROLLOUT)
    assert main(command) == 0
    before = (tmp_path / "run" / "model.zip").read_bytes()

    def fill(file: int) -> None:
        if "model.zip" in Path(f"/proc/self/fd/{file}").readlink().name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(crypt_env.files.os, "fsync", fill)
        assert main([*command, "--resume", f"decisions={4 * ROLLOUT}"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("train: [Errno 28] No space left on device")
    assert (tmp_path / "run" / "model.zip").read_bytes() == before


def test_a_finished_run_can_be_made_longer_or_left_alone(tmp_path: Path) -> None:
    """Resuming a finished run changes no weights."""
    train(small(decisions=2 * ROLLOUT), tmp_path)
    before = plain(load_checkpoint(tmp_path)["model"]["policy"])
    train(small(decisions=2 * ROLLOUT), tmp_path, is_resumed=True)
    assert plain(load_checkpoint(tmp_path)["model"]["policy"]) == before
    assert len(curves(tmp_path)) == 1
    train(small(decisions=4 * ROLLOUT), tmp_path, is_resumed=True)
    assert plain(load_checkpoint(tmp_path)["model"]["policy"]) != before


# -- folders and limits ------------------------------------------------------------------------------------------------


def test_a_folder_with_a_run_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unless requested; then nothing of the previous run is left, and no other files are touched."""
    command = arguments(tmp_path, decisions=2 * ROLLOUT)
    assert main(command) == 0
    folder = tmp_path / "run"
    (folder / "notes.txt").write_text("mine")
    (folder / "log" / "events.out.tfevents.1").write_text("a curve of the run before")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert main(command) == 2
    sentence = (
        f"train: '{folder}' holds a run; say --resume to continue it, --overwrite to replace it, or name another --out"
    )
    assert capsys.readouterr().err.splitlines()[-1] == sentence
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert main([*command, "--overwrite", "evaluate_every=1000000", "seed=2"]) == 0
    assert len(curves(folder)) == 1
    assert load_checkpoint(folder)["settings"]["seed"] == 2
    assert (folder / "notes.txt").read_text() == "mine"
    assert not list((folder / "log").glob("*tfevents*"))


def test_a_run_that_has_ended_can_be_resumed(tmp_path: Path) -> None:
    """It plays nothing more: its last rollout was complete, which were some decisions more than wanted."""
    command = arguments(tmp_path, decisions=2 * ROLLOUT - 1)
    assert main(command) == 0
    (tmp_path / "run" / "model.zip").unlink()
    assert main([*command, "--resume"]) == 0
    assert (tmp_path / "run" / "model.zip").is_file()
    assert load_checkpoint(tmp_path / "run")["model"]["decisions"] == 2 * ROLLOUT


def test_networks_without_a_checkpoint_are_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody may have removed the checkpoint, which is large, and kept the rest."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "best.safetensors").write_bytes(b"of a long training")
    command = arguments(tmp_path, decisions=2 * ROLLOUT)
    assert main(command) == 2
    sentence = "holds 'best.safetensors' of a run without a checkpoint; say --overwrite to replace it, or name another"
    assert sentence in capsys.readouterr().err
    assert (folder / "best.safetensors").read_bytes() == b"of a long training"
    assert main([*command, "--overwrite"]) == 0


def test_a_limit_of_time_ends_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With more time it continues; the model's file does not depend on the clock."""
    command = arguments(tmp_path, minutes=0.02, decisions=10**9)
    assert main(command) == 0
    sentence = "0.02 minutes are over; --resume with more minutes continues"
    assert sentence in capsys.readouterr().out
    done = load_checkpoint(tmp_path / "run")["model"]["decisions"]
    assert main([*command, "--resume"]) == 0
    assert sentence in capsys.readouterr().out
    assert load_checkpoint(tmp_path / "run")["model"]["decisions"] == done
    assert main([*command, "--resume", "minutes=0.05"]) == 0
    assert load_checkpoint(tmp_path / "run")["model"]["decisions"] > done
    assert FastMaskablePPO.load(tmp_path / "run" / "model.zip").time_used == 0


@pytest.mark.parametrize("trainer", ["fast", "stock"])
@pytest.mark.parametrize("rollouts", [0.3, 1.4])
def test_rates_fall_to_their_end_and_no_further(rollouts: float, trainer: str, tmp_path: Path) -> None:
    """The last rollout may play more decisions than requested."""
    final = {"learning_rate": 0.01, "final_learning_rate": 0.001, "final_entropy": 0.0}
    run = train(small(decisions=int(rollouts * ROLLOUT), trainer=trainer, **final), tmp_path)
    assert run.model.num_timesteps > rollouts * ROLLOUT
    (group,) = run.model.policy.optimizer.param_groups
    assert group["lr"] == pytest.approx(0.001)


@pytest.mark.parametrize("trainer", ["fast", "stock"])
def test_weights_that_break_end_a_run(trainer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence, and the files keep the last valid state."""
    command = arguments(tmp_path, trainer=trainer, learning_rate=1e30)
    assert main(command) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("train: training broke: the weights")
    assert not list((tmp_path / "run").glob("*.safetensors"))


# -- checkpoints that do not fit --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a short run."""
    folder = tmp_path_factory.mktemp("finished")
    train(small(decisions=2 * ROLLOUT), folder)
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {"games": 16},
        {"players": [3]},
        {"collectors": "A"},
        {"reward": "margin"},
        {"widths": [8]},
        {"widths": [16, 16]},
        {"without": ["leader"]},
        {"league_share": 0.5},
        {"weight_decay": 0.1},
        {"trainer": "stock"},
        {"steps": 32},
        {"seed": 2},
        {"start": "duel"},
    ],
    ids=str,
)
def test_another_run_cannot_go_on(changes: dict[str, Any], finished: Path) -> None:
    """If the games, the network or fixed settings differ from those of the checkpoint."""
    before = (finished / NAME).read_bytes()
    facts = (finished / "run.json").read_bytes()
    with pytest.raises(CryptError, match=r"is not possible; this run has .*which cannot change when it continues"):
        train(small(**changes), finished, is_resumed=True)
    assert (finished / NAME).read_bytes() == before
    assert (finished / "run.json").read_bytes() == facts


@pytest.mark.parametrize("length", [0, 100, 5000])
def test_a_checkpoint_that_is_cut_short_is_refused(length: int, finished: Path, tmp_path: Path) -> None:
    """With a sentence, and nothing is overwritten."""
    content = (finished / NAME).read_bytes()[:length]
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(CryptError, match="cannot be read, it is truncated or damaged: "):
        train(small(), tmp_path, is_resumed=True)
    assert (tmp_path / NAME).read_bytes() == content


def test_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    """A file that would is refused."""

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "exploded"),)

    torch.save({"policy": Bomb()}, tmp_path / NAME)
    with pytest.raises(CryptError, match="cannot be read"):
        load_checkpoint(tmp_path)
    assert not (tmp_path / "exploded").exists()


def test_the_leagues_agents_stay_who_they_are(tmp_path: Path) -> None:
    """Otherwise the results of one run would count for another."""
    train(small(**LEAGUE, decisions=2 * ROLLOUT), tmp_path)
    turned = {**LEAGUE, "league_agents": ["random", "ghost"]}
    with pytest.raises(CryptError, match=r"this run has league_agents=\['ghost', 'random'\], which cannot change"):
        train(small(**turned), tmp_path, is_resumed=True)


def test_a_run_continues_without_the_network_it_started_from(finished: Path, tmp_path: Path) -> None:
    """All of it is in the checkpoint."""
    for file in finished.glob("best.*"):
        shutil.copy(file, tmp_path)
    settings = small(decisions=ROLLOUT, start=str(tmp_path / "best"))
    train(settings, tmp_path / "run")
    for file in tmp_path.glob("best.*"):
        file.unlink()
    train(settings.model_copy(update={"decisions": 2 * ROLLOUT}), tmp_path / "run", is_resumed=True)
    assert load_checkpoint(tmp_path / "run")["model"]["decisions"] == 2 * ROLLOUT


def test_there_must_be_a_checkpoint(tmp_path: Path) -> None:
    """To resume from."""
    with pytest.raises(
        CryptError, match=r"there is no checkpoint in .*; a run that was stopped has a file checkpoint\.safetensors"
    ):
        train(small(), tmp_path / "none", is_resumed=True)
    assert not (tmp_path / "none").exists()


def test_numbers_survive(finished: Path) -> None:
    """The files contain what was trained."""
    network = load_network(finished / "last")
    kept = load_checkpoint(finished)["model"]["policy"]
    np.testing.assert_array_equal(network.weights["policy.weight"], kept["action_net.weight"].numpy())
    assert network.facts["training"]["decisions"] == 2 * ROLLOUT
