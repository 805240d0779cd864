"""A run resumes with its settings; changes to it are recorded, and none of its history is lost."""

from __future__ import annotations

import csv
import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import crypt_env
from crypt_env import CryptError
from crypt_env.agents.network import load_network
from crypt_env.experiment import history
from crypt_env.experiment.checkpoint import load_checkpoint, resumed_settings
from crypt_env.experiment.checkpoint_file import NAME, write_checkpoint
from crypt_env.experiment.lock import locked
from crypt_env.experiment.settings import settings_from
from experiment.runs import ROLLOUT, SMALL
from training import best_response
from training.train import main, train

ROOT = Path(crypt_env.__file__).resolve().parents[1]


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Return a command line."""
    (tmp_path / "small.yaml").write_text(repr({**SMALL, "decisions": 4 * ROLLOUT}))
    return [str(tmp_path / "small.yaml"), "--out", str(tmp_path / "run")]


def facts(folder: Path) -> dict[str, Any]:
    """Return the content of run.json."""
    content: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return content


def test_a_run_continues_as_it_was(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Overrides of the first command need not be repeated, and the weights are the same as without the stop."""
    folder = tmp_path / "run"
    first = ["entropy=0.05", "epochs=1", f"evaluate_every={2 * ROLLOUT}"]
    assert main([*command, *first, f"decisions={2 * ROLLOUT}"]) == 0
    capsys.readouterr()
    assert main([*command, "--resume", f"decisions={4 * ROLLOUT}"]) == 0
    said = capsys.readouterr().out
    assert f"{folder} continues after {2 * ROLLOUT} decisions; changed: decisions={4 * ROLLOUT} instead of" in said
    assert f"small.yaml has epochs=2 instead of 1, entropy=0.01 instead of 0.05, evaluate_every={3 * ROLLOUT}" in said
    assert "which is ignored; name=value changes a run" in said
    settings = facts(folder)["settings"]
    assert (settings["entropy"], settings["epochs"], settings["decisions"]) == (0.05, 1, 4 * ROLLOUT)
    assert load_checkpoint(folder)["settings"] == settings


def test_a_run_tells_its_history(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every start, with the code, the versions and the changes; even if run.json was lost in between."""
    folder = tmp_path / "run"
    assert main([*command, f"decisions={2 * ROLLOUT}"]) == 0
    assert main([*command, "--resume", f"decisions={4 * ROLLOUT}", "learning_rate=0.001"]) == 0
    (folder / "run.json").unlink()
    assert main([*command, "--resume"]) == 0
    assert f"{folder} continues after {4 * ROLLOUT} decisions, with the settings that it had" in capsys.readouterr().out
    content = facts(folder)
    changes = {"decisions": [2 * ROLLOUT, 4 * ROLLOUT], "learning_rate": [0.003, 0.001]}
    assert [session["changes"] for session in content["sessions"]] == [{}, changes, {}]
    assert [session["decisions"] for session in content["sessions"]] == [0, 2 * ROLLOUT, 4 * ROLLOUT]
    for session in [content, *content["sessions"]]:
        assert session["code"] == history.code_version()
        assert session["versions"] == history.versions()


def test_curves_keep_opponents_that_are_gone(command: list[str], tmp_path: Path) -> None:
    """With new opponents, the best network is chosen among those evaluated against them."""
    folder = tmp_path / "run"
    assert main([*command, f"decisions={2 * ROLLOUT}"]) == 0
    assert main([*command, "--resume", f"decisions={4 * ROLLOUT}", "opponents=[ghost]", "evaluate_games=256"]) == 0
    with (folder / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [bool(row["random"]) for row in rows] == [True, False, False]
    assert [bool(row["ghost"]) for row in rows] == [False, True, True]
    best = load_network(folder / "best").facts["training"]
    assert best["score"] == max(float(row["score"]) for row in rows[1:])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("widths=[32]", "widths=[32] is not possible; this run has widths=[16], which cannot change when it continues"),
        ("games=16", "games=16 is not possible; this run has games=8, which cannot change when it continues"),
        ("players=[3]", "players=[3] is not possible; this run has players=[2], which cannot"),
        ("steps=8", "steps=8 is not possible; this run has steps=16, which cannot"),
        ("league_share=0.5", "league_share=0.5 is not possible; this run has no league, which cannot"),
        ("decisions=5", f"decisions=5 is not possible; this run has played {4 * ROLLOUT} already"),
        ("width=3", "setting 'width' is not known"),
    ],
)
def test_what_cannot_change_is_refused(
    change: str, sentence: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence, and the run stays as it is."""
    assert main(command) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file()}
    assert main([*command, "--resume", change]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"train: {sentence}")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file()} == before


def test_a_checkpoint_names_no_code(command: list[str], tmp_path: Path) -> None:
    """It may come from a stranger, like a settings file."""
    assert main(command) == 0
    content = load_checkpoint(tmp_path / "run")
    content["settings"]["compare"] = ["some.module:Agent"]
    write_checkpoint(tmp_path / "run" / NAME, content)
    with pytest.raises(CryptError, match=r"would run code .*--allow-code trusts the file"):
        resumed_settings(tmp_path / "run", {})
    assert resumed_settings(tmp_path / "run", {"compare": ["random"]}).compare == ["random"]


def test_a_best_response_continues_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Against the same target."""
    (tmp_path / "small.yaml").write_text(repr({**SMALL, "decisions": 2 * ROLLOUT}))
    command = ["--config", str(tmp_path / "small.yaml"), "--games", "128", "--out", str(tmp_path / "run")]
    assert best_response.main(["ghost", *command, "entropy=0.05"]) == 0
    assert best_response.main(["ghost", *command, "--resume", f"decisions={3 * ROLLOUT}"]) == 0
    assert facts(tmp_path / "run")["settings"]["entropy"] == 0.05
    assert best_response.main(["random", *command, "--resume"]) == 2
    assert "this run has league_agents=['ghost'], which cannot change" in capsys.readouterr().err


# -- the code of a run ------------------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder."""
    names = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    command = ["git", "-C", str(folder), *names, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_code_is_named_by_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a mark if it was changed since; code in another repository, or in none, by its version."""
    version = f"crypt_env {crypt_env.__version__}"
    ask = history.code_version.__wrapped__
    monkeypatch.setattr(history, "SOURCES", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert ask() == version
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert ask() == f"git {commit}"
    git(tmp_path, "tag", "-a", "v1", "-m", "v1")
    assert ask() == f"git {commit}"
    (tmp_path / "code.py").write_text("2\n")
    assert ask() == f"git {commit}-dirty"
    (tmp_path / "inner").mkdir()
    monkeypatch.setattr(history, "SOURCES", tmp_path / "inner")
    assert ask() == version
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(history, "SOURCES", tmp_path)
    assert ask() == version


# -- the folder of a run ----------------------------------------------------------------------------------------------

HOLDS = """
import sys, time
from pathlib import Path
from crypt_env.experiment.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_one_training_at_a_time(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one folder; when the other process dies, the folder is free again."""
    folder = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(folder)], cwd=ROOT, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        for more in ([], ["--overwrite"]):
            assert main([*command, *more]) == 2
            sentence = f"train: another training is writing to '{folder}'; wait for its end, or name another --out"
            assert capsys.readouterr().err.splitlines()[-1] == sentence
        assert [path.name for path in folder.iterdir()] == [".lock"]
        other.kill()
    assert main(command) == 0


def test_a_file_system_without_locks_is_no_reason_not_to_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock is optional."""

    def unsupported(_: object) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr("crypt_env.experiment.lock._take", unsupported)
    with locked(tmp_path), locked(tmp_path):
        pass


@pytest.mark.parametrize("more", [[], ["--overwrite"], ["--resume"]])
def test_halves_of_files_do_not_stay(more: list[str], command: list[str], tmp_path: Path) -> None:
    """Those that a killed process was writing; other files are not touched."""
    folder = tmp_path / "run"
    if more:
        assert main(command) == 0
    names = ["checkpoint.safetensors", "best.safetensors", "model.zip", "run.json", "curves.png"]
    halves = [folder / f".{name}.4711.part" for name in names]
    others = [folder / ".notes.part", folder / "mine.part"]
    folder.mkdir(exist_ok=True)
    for path in (*halves, *others):
        path.write_bytes(b"half")
    assert main([*command, *more]) == 0
    assert not any(path.exists() for path in halves)
    assert all(path.exists() for path in others)


def test_settings_made_in_python_are_checked(tmp_path: Path) -> None:
    """As those of a file are."""
    for name, value in (("dense", 2), ("epochs", True), ("learning_rate", "fast"), ("name", "../up")):
        wrong = settings_from(SMALL)
        setattr(wrong, name, value)
        with pytest.raises(CryptError, match=rf"^{name}=.* is not possible"):
            train(wrong, tmp_path / "run")
    assert not (tmp_path / "run").exists()
