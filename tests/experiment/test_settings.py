"""Wrong command lines: one sentence, exit code 2, and nothing is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

import crypt_env.experiment.log
import training.best_response
import training.train
from crypt_env import CryptError
from crypt_env.agents.network import Network, load_network
from crypt_env.agents.network_names import is_path
from crypt_env.arena.designs import orthogonal_tables
from crypt_env.experiment.command import run_program
from crypt_env.experiment.settings import Settings, describe_settings, load_settings, settings_from
from crypt_env.experiment.setup import make_games, make_model
from crypt_env.ppo.export import facts_of, start_from, weights_of
from crypt_env.rules.observe import LAYOUT
from training.train import main

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def config(folder: Path, text: str = "") -> str:
    """Write a file of settings, and return its name."""
    path = folder / "test.yaml"
    path.write_text(text)
    return str(path)


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the sentence with which a command line is refused."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = (line for line in captured.err.splitlines() if not line.startswith("crypt_env: compiling"))
    assert line.startswith("train: ")
    assert "Traceback" not in line
    return line.removeprefix("train: ")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("decision=5", "setting 'decision' is not known; known are name, players"),
        ("decisions", "'decisions' changes nothing; settings are changed by name=value"),
        (
            "decisions=many",
            "decisions='many' is not possible; a whole number from 1 to 1_000_000_000_000_000 is needed",
        ),
        ("decisions=0", "decisions=0 is not possible; a whole number from 1 to"),
        ("decisions=1.5", "decisions=1.5 is not possible; a whole number from 1 to"),
        ("decisions=true", "decisions=True is not possible; a whole number from 1 to"),
        ("dense=1", "dense=1 is not possible; true or false is needed"),
        ("players=[2,5]", "players=[2, 5] is not possible; a list of 1 to 4 entries, each 1, 2, 3 or 4, is needed"),
        ("players=[]", "players=[] is not possible; a list of 1 to 4 entries, each 1, 2, 3 or 4, is needed"),
        ("players=[two]", "players=['two'] is not possible; a list of 1 to 4 entries, each 1, 2, 3 or 4, is needed"),
        (
            "widths=[]",
            "widths=[] is not possible; a list of 1 to 16 entries, each a whole number from 1 to 16_384, is needed",
        ),
        ("trainer=slow", "trainer='slow' is not possible; fast or stock is needed"),
        ("workers=3", "workers=3 is not possible; 1 or 2 is needed"),
        ("players=[2, 2]", "players=[2, 2] is not possible; 2 is in it twice"),
        ("league_snapshots=-1", "league_snapshots=-1 is not possible; a whole number from 0 to"),
        ("compare=[missing]", "agent 'missing' is not known; known are"),
        ("compare=[ghost, ghost]", "compare=['ghost', 'ghost'] is not possible; ghost is in it twice"),
        ("name=greedy", "name='greedy' is not possible; an opponent has that name"),
        (
            "games=1",
            "games=1 is not possible; each worker and each number of players needs one, and there are workers=2",
        ),
        ("league_share=1.5", "league_share=1.5 is not possible; a number from 0 to 1 is needed"),
        ("gamma=2", "gamma=2 is not possible; a number from 0 to 1 is needed"),
        ("learning_rate=.nan", "learning_rate=nan is not possible; a number above 0 is needed"),
        ("entropy=-1", "entropy=-1 is not possible; a number from 0 on is needed"),
        ("clip=.inf", "clip=inf is not possible; a number above 0 is needed"),
        ("seed=-1", "seed=-1 is not possible; a whole number from 0 to 4_294_967_295 is needed"),
        ("opponents=[]", "opponents=[] is not possible; evaluations of two players and more need an opponent"),
        ("start=nowhere", "there is no network 'nowhere'; the package has"),
        ("start=solo", "the network to start from has other inputs: "),
        ("opponents=[missing]", "agent 'missing' is not known; known are"),
        ("league_agents=[missing]", "agent 'missing' is not known; known are"),
        ("opponents=[random", "'opponents=[random' is not YAML: "),
        ("without=[colour]", "without='colour' is not a part of the observation; its parts are players"),
        (f"without={[part.name for part in LAYOUT]}", "hides the whole observation; a network needs some of it"),
        ("collectors=C", "collectors='C' is not a table; allowed are six letters A or B"),
        ("collectors=even-9", "or 'even' for all tables equally often; 'even-32', 'even-16' and 'even-8' for a"),
        ("reward=fame", "reward='fame' is not possible; win, margin"),
    ],
)
def test_a_wrong_setting_is_named(
    change: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what would have been possible."""
    assert sentence in refused([config(tmp_path), change, "--out", str(tmp_path / "run")], capsys)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "content",
    [{"learning_rate": 10**400}, {"clip": -(10**5000)}, {"games": 10**5000}, {"players": [10**4000]}, {"seed": 1e300}],
)
def test_numbers_of_thousands_of_digits_are_refused_shortly(content: dict[str, Any]) -> None:
    """They come from JSON or Python; YAML has a limit of its own."""
    with pytest.raises(CryptError, match=f"^{next(iter(content))}=.* is not possible; ") as caught:
        settings_from(content)
    assert len(str(caught.value)) < 300


def test_a_file_whose_name_cannot_be_is_refused() -> None:
    """No file has a zero in its name."""
    with pytest.raises(CryptError, match=r"^settings 'a\\x00b' cannot be read: "):
        load_settings("a\0b")


@pytest.mark.parametrize(("program", "wanted"), [(training.train, "config"), (training.best_response, "target")])
def test_a_command_without_anything_is_told_what_it_needs(
    program: Any, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changes of settings are no part of it."""
    with pytest.raises(SystemExit):
        program.main([])
    assert capsys.readouterr().err.endswith(f"error: the following arguments are required: {wanted}\n")


@pytest.mark.parametrize("program", [training.train, training.best_response])
def test_memory_that_is_not_there_is_one_sentence(
    program: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As many games as are allowed can need more than a machine has."""

    def fail(*_: object) -> None:
        raise MemoryError("Unable to allocate 14.4 TiB")

    monkeypatch.setattr(training.train, "make_games", fail)
    path = config(tmp_path, "opponents: [random]\ntensorboard: false\n")
    arguments = [path] if program is training.train else ["greedy", "--config", path]
    assert program.main([*arguments, "--out", str(tmp_path / "run")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(": there is not enough memory; Unable to allocate 14.4 TiB")


def test_torchs_errors_about_memory_are_told_from_others(capsys: pytest.CaptureFixture[str]) -> None:
    """Both are a RuntimeError."""
    assert run_program("train", lambda: torch.empty(2**48)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("train: there is not enough memory; can't allocate memory: you tried to allocate 1125")
    with pytest.raises(RuntimeError, match="shape"):
        run_program("train", lambda: torch.zeros(2).view(3))


@pytest.mark.parametrize("content", [b"a: [", b"\xff\xfe\x00", b"- 1\n- 2\n", b"just a text"])
def test_a_file_that_holds_no_settings_is_refused(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its name is given."""
    path = tmp_path / "broken.yaml"
    path.write_bytes(content)
    assert f"settings {str(path)!r} are " in refused([str(path), "--out", str(tmp_path / "run")], capsys)


def test_a_missing_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And those that are there."""
    if CONFIGS.is_dir():
        monkeypatch.chdir(CONFIGS.parent)
        sentence = refused(["configs/nothing.yaml"], capsys)
        assert sentence.startswith("settings 'configs/nothing.yaml' cannot be read: No such file or directory; in ")
        assert "solo.yaml" in sentence
    assert "cannot be read: Is a directory" in refused([str(tmp_path)], capsys)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything was trained."""
    (tmp_path / "file").write_text("")
    sentence = refused([config(tmp_path, "opponents: [random]"), "--out", str(tmp_path / "file" / "run")], capsys)
    assert "Not a directory" in sentence
    assert "file/run" in sentence


def test_tensorboard_may_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then it must not be asked for."""
    monkeypatch.setattr(crypt_env.experiment.log, "find_spec", lambda name: None)
    arguments = [config(tmp_path, "opponents: [random]"), "games=8", "widths=[8]", "--out", str(tmp_path / "run")]
    assert refused(arguments, capsys) == "tensorboard=true needs TensorBoard; install it, or set tensorboard=false"


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["yaml", "pydantic", "torch", "stable_baselines3", "sb3_contrib"])
def test_a_missing_package_is_named(missing: str, tmp_path: Path) -> None:
    """In a single sentence for programs, and as an ImportError for those that import."""
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{missing!r}] = None\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for arguments, code in (
        (["-m", "training.train", "configs/solo.yaml"], 2),
        (["-c", "import training.train"], 1),
    ):
        run = subprocess.run(
            [sys.executable, *arguments],
            cwd=CONFIGS.parent,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == code
        sentence = f"training needs {missing}; run pip install '.[train]' in a source checkout"
        assert run.stderr.splitlines()[-1].removeprefix("ImportError: ") == sentence
        assert len(run.stderr.splitlines()) == 1 or code == 1


# -- what is right ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"players": [1], "league_share": 0.5}, "league_share=0.5 is not possible; a solo game has no seat to give"),
        (
            {"league_share": 0.5, "league_snapshots": 0},
            "league_share=0.5 needs league_agents, league_snapshots or exploiters",
        ),
        (
            {"players": [2, 3, 4], "games": 2},
            r"games=2 is not possible; each worker and each number of players needs one, .* players=\[2, 3, 4\]",
        ),
    ],
)
def test_settings_that_do_not_fit_each_other_are_refused(content: dict[str, Any], sentence: str) -> None:
    """Instead of one of them doing nothing."""
    with pytest.raises(CryptError, match=sentence):
        settings_from(content)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_all_settings_in_configs_are_possible(path: Path) -> None:
    """They can be loaded, and bear the name of their file."""
    assert load_settings(path).name in (path.stem, f"against-{path.stem}")


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_configuration_can_start_from_what_it_names(path: Path) -> None:
    """The network of the run before looks at the same numbers and fits into the layers."""
    settings = load_settings(path)
    if settings.start:
        network = before(path, settings.start) if is_path(settings.start) else load_network(settings.start)
        here = settings.model_copy(update={"games": 4})
        start_from(make_model(here, make_games(here)).policy, network, settings.players)


@pytest.mark.parametrize("players", [[1], [2, 4], [1, 2, 3, 4]])
def test_every_number_of_players_learns_at_all_tables_of_an_even_set(players: list[int]) -> None:
    """And at no other, in any episode; evaluations keep to them."""
    settings = settings_from({"players": players, "collectors": "even-8", "games": 8 * len(players)})
    venv = make_games(settings)
    venv.reset()
    states = venv.batch.states
    for _ in range(60):
        venv.step(venv.action_masks().argmax(axis=1))
        tables = (states["sides"].astype(int) << np.arange(6)).sum(axis=1)
        for count in players:
            assert sorted(tables[states["players"] == count]) == list(orthogonal_tables(8))
    assert states["episode"].max() > 0


def before(path: Path, start: str) -> Network:
    """Return a network as the run of another configuration leaves it."""
    runs, name, _ = start.split("/")
    assert runs == "runs"
    settings = load_settings(path.with_name(f"{name}.yaml"), ["games=4"])
    policy = make_model(settings, make_games(settings)).policy
    return Network(weights_of(policy), facts_of(policy, settings.players))


def test_values_are_what_settings_want() -> None:
    """However YAML reads them."""
    content: dict[str, Any] = yaml.safe_load("{learning_rate: 3e-4, decisions: 1.0e+6, players: 3, gamma: 1}")
    settings = settings_from(content)
    assert settings == Settings(learning_rate=3e-4, decisions=1_000_000, players=[3], gamma=1.0)
    assert isinstance(settings.gamma, float)


def test_changes_come_last(tmp_path: Path) -> None:
    """They take precedence over the file."""
    path = config(tmp_path, "games: 64\nsteps: 8\n")
    settings = load_settings(path, ["steps=32", "opponents=[random, greedy]", "name=some run"])
    assert (settings.games, settings.steps, settings.name) == (64, 32, "some run")
    assert settings.opponents == ["random", "greedy"]


def test_all_settings_are_described() -> None:
    """Each in a line of its own."""
    lines = describe_settings().splitlines()
    assert [line.split("=")[0].strip() for line in lines] == list(Settings.model_fields)
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


def test_the_defaults_are_possible() -> None:
    """All of them together."""
    with pytest.raises(CryptError, match="is not known"):
        settings_from({"nothing": 1})
    assert settings_from({}) == Settings()
