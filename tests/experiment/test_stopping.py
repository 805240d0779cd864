"""Ctrl-C, SIGTERM and SIGHUP, at any moment: one line, an exit code for each, and a checkpoint of what was learned."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import crypt_env
import crypt_env.experiment.run
from crypt_env.experiment.checkpoint import load_checkpoint
from crypt_env.experiment.checkpoint_file import NAME
from crypt_env.experiment.run import Run
from crypt_env.experiment.settings import settings_from
from experiment.runs import ROLLOUT, SMALL, assert_same_runs
from training.train import main, train

ROOT = Path(crypt_env.__file__).resolve().parents[1]
SIGNALS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}
if hasattr(signal, "SIGHUP"):
    SIGNALS[signal.SIGHUP] = "SIGHUP"
EACH = pytest.mark.parametrize("number", list(SIGNALS), ids=list(SIGNALS.values()))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole")
    train(settings_from(SMALL), folder)
    return folder


@pytest.fixture(autouse=True)
def _usual_handlers() -> Iterator[None]:
    """Have signals do what they do in a new process; Ray, once started in this one, leaves a handler of its own."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Return a command line for the same run in another folder."""
    (tmp_path / "small.yaml").write_text(repr(SMALL))
    return [str(tmp_path / "small.yaml"), "--out", str(tmp_path / "run")]


def signalling(function: Callable[..., Any], number: int, at: int) -> Callable[..., Any]:
    """Return a function that gets a signal in the middle of one of its calls."""
    calls = []

    def called(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == at:
            signal.raise_signal(number)
        return function(*arguments)

    return called


def stopped_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the only line that is printed about a stop."""
    said = capsys.readouterr().err
    assert "Traceback" not in said
    (line,) = (line for line in said.splitlines() if "stopped" in line)
    return line


@EACH
@pytest.mark.parametrize(
    ("place", "at", "decisions"),
    [("evaluate", 2, 6), ("evaluate", 4, 10), ("save_checkpoint", 1, 2), ("save_checkpoint", 3, 6)],
)
def test_a_signal_between_two_rollouts(
    place: str,
    at: int,
    decisions: int,
    number: int,
    whole: Path,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An evaluation is aborted and repeated later; a checkpoint is written completely."""
    handlers = [signal.getsignal(each) for each in SIGNALS]
    folder = Path(command[-1])
    with monkeypatch.context() as patch:
        patch.setattr(crypt_env.experiment.run, place, signalling(getattr(crypt_env.experiment.run, place), number, at))
        assert main(command) == 128 + number
    assert [signal.getsignal(each) for each in SIGNALS] == handlers
    sentence = f"train: stopped by {SIGNALS[signal.Signals(number)]} after {decisions * ROLLOUT} decisions"
    assert stopped_line(capsys) == f"{sentence}; --resume continues from there"
    assert load_checkpoint(folder)["model"]["decisions"] == decisions * ROLLOUT
    assert main([*command, "--resume"]) == 0
    assert_same_runs(whole, folder)


def test_sigterm_in_a_rollout_is_as_ctrl_c(
    whole: Path, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rollout is played and learned from."""

    def on_step(run: Run) -> bool:
        if run.num_timesteps == 5 * ROLLOUT - 40:
            signal.raise_signal(signal.SIGTERM)
        return True

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_on_step", on_step)
        assert main(command) == 143
    assert f"stopped by SIGTERM after {5 * ROLLOUT} decisions" in stopped_line(capsys)
    assert main([*command, "--resume"]) == 0
    assert_same_runs(whole, Path(command[-1]))


@EACH
def test_a_signal_in_the_first_rollout_does_what_it_did_before(
    number: int, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to save yet, so it does not wait."""

    def on_step(run: Run) -> bool:
        signal.raise_signal(number)
        return True

    monkeypatch.setattr(Run, "_on_step", on_step)
    if number == signal.SIGINT:
        assert main(command) == 130
        sentence = "train: stopped by Ctrl-C before the first rollout was played, so there is nothing new to keep"
        assert stopped_line(capsys) == sentence
    else:
        with pytest.raises(SystemExit) as caught:
            main(command)
        assert caught.value.code == 128 + number
    assert not (Path(command[-1]) / NAME).exists()


def signalled_to_the_end(number: int) -> Callable[[Run], bool]:
    """Return what a run does at each step of the fifth rollout's last games: it is sent a signal."""

    def on_step(run: Run) -> bool:
        if run.num_timesteps >= 5 * ROLLOUT - 40:
            signal.raise_signal(number)
        return True

    return on_step


def test_a_second_signal_does_not_wait(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """For the end of the rollout."""
    monkeypatch.setattr(Run, "_on_step", signalled_to_the_end(signal.SIGINT))
    assert main(command) == 130
    assert load_checkpoint(Path(command[-1]))["model"]["decisions"] == 4 * ROLLOUT


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no such signal")
def test_a_closed_terminal_may_say_so_twice(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the system and from the shell; there is a checkpoint all the same."""
    monkeypatch.setattr(Run, "_on_step", signalled_to_the_end(signal.SIGHUP))
    assert main(command) == 129
    assert f"stopped by SIGHUP after {5 * ROLLOUT} decisions" in stopped_line(capsys)
    assert load_checkpoint(Path(command[-1]))["model"]["decisions"] == 5 * ROLLOUT


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no such signal")
def test_nohup_is_respected() -> None:
    """A hangup that the parent process ignores stays ignored."""
    code = "import signal; from crypt_env.experiment.stopping import NAMES; print(signal.SIGHUP in NAMES)"
    for ignored, known in (("trap '' HUP; ", "False\n"), ("", "True\n")):
        line = f"{ignored}exec {sys.executable} -c '{code}'"
        shell = ["sh", "-c", line]
        done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=True, restore_signals=True)
        assert done.stdout == known


# -- programs ---------------------------------------------------------------------------------------------------------

WHEN_IMPORTED = """
import importlib.abc, os, sys

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == {module!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Finder())
"""
WHEN_CALLED = """
import atexit, os
atexit.register(os.kill, os.getpid(), {number})
"""


def run_program(name: str, folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of training in a process that executes some code first."""
    (folder / "sitecustomize.py").write_text(code)
    return subprocess.run(
        [sys.executable, "-m", f"training.{name}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@EACH
@pytest.mark.parametrize(
    ("name", "module", "remark"),
    [
        ("train", "torch", ""),
        ("train", "crypt_env.experiment.curves", ""),
        ("evaluate", "crypt_env.arena", ""),
        ("train", "matplotlib.figure", " after the training, which is in {folder}"),
    ],
)
def test_a_signal_ends_a_program_at_once(
    name: str, module: str, remark: str, number: int, command: list[str], tmp_path: Path
) -> None:
    """While it imports, and before and after the training: with one line, although libraries catch what is raised."""
    code = WHEN_IMPORTED.format(module=module, number=int(number))
    run = run_program(name, tmp_path, code, *command, "tensorboard=true", "decisions=128")
    assert run.returncode == 128 + number
    lines = [line for line in run.stderr.splitlines() if "%" not in line and "compiling" not in line]
    remark = remark.format(folder=command[-1])
    assert lines == [f"{name}: stopped by {SIGNALS[signal.Signals(number)]}{remark}"]


@pytest.mark.slow
@EACH
def test_a_signal_while_the_interpreter_shuts_down_changes_nothing(
    number: int, command: list[str], tmp_path: Path
) -> None:
    """The exit code is that of a finished run."""
    run = run_program("train", tmp_path, WHEN_CALLED.format(number=int(number)), *command, "decisions=128")
    assert run.returncode == 0, run.stderr
    assert "best score" in run.stdout


@pytest.mark.slow
def test_a_training_does_not_end_with_the_reader_of_its_output(command: list[str]) -> None:
    """Such as a `tee` that was killed; all files are there."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        line = [sys.executable, "-m", "training.train", *command]
        assert subprocess.run(line, cwd=ROOT, stdout=pipe, stderr=pipe, check=False).returncode == 0
    assert load_checkpoint(Path(command[-1]))["model"]["decisions"] == SMALL["decisions"]
