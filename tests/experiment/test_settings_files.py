"""Malicious settings files: one short sentence, at once, and nothing has run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from crypt_env import CryptError
from crypt_env.experiment.plain_yaml import MAX_LENGTH, read_yaml
from crypt_env.experiment.settings import load_settings, settings_from
from training.train import main

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{name}'] * 9)}]\n" for name, after in zip("abcdefgh", "bcdefghi", strict=True)
)


def refusal(text: str, folder: Path) -> str:
    """Return the sentence with which a file is refused."""
    path = folder / "evil.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CryptError) as caught:
        load_settings(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, "refused: anchors and aliases (& and *) are not allowed; each value must be written out"),
        ("widths: &a [*a]", "anchors and aliases"),
        ("seed: " + "9" * 5000, "refused: a number has 5000 digits; at most 30 are allowed"),
        ("seed: -" + "9" * 5000, "a number has 5001 digits"),
        ("minutes: " + "9" * 5000 + ".5", "a number has 5002 digits"),
        ("widths: " + "[" * 20_000, "at most 3 nested lists or mappings are allowed"),
        ("widths: " + "[" * 20_000 + "]" * 20_000, "at most 3 nested lists or mappings"),
        (
            "seed: !!python/object/apply:os.system [echo]",
            "the tag 'tag:yaml.org,2002:python/object/apply:os.system' is",
        ),
        ("seed: !!int '7'", "the tag 'tag:yaml.org,2002:int' is not allowed"),
        ("seed: 1\nseed: 2", "refused: 'seed' is there twice"),
        ("? [seed]\n: 1", "refused: a list or mapping stands where a name is needed"),
        ("<<: {seed: 1}", "setting '<<' is not known"),
        ("x" * (MAX_LENGTH + 1), f"there are {MAX_LENGTH + 1} characters; at most {MAX_LENGTH} are allowed"),
        ("x" * 1000 + ": 1", "setting 'xxxxx"),
        ("collectors: " + "x" * 10_000, "a text of at most 1000 characters is needed"),
        ("widths: [" + "1, " * 10_000 + "1]", "widths=[1, 1, 1, 1, 1, 1"),
        ("seed: 2020-99-99", "seed='2020-99-99' is not possible; a whole number from 0 to 4_294_967_295 is needed"),
        ("seed: 2020-01-01", "seed='2020-01-01' is not possible"),
        ("decisions: 1:30", "decisions='1:30' is not possible; a whole number from 1 to"),
        ("decisions: 0x10", "decisions='0x10' is not possible; a whole number from 1 to"),
        ("decisions: 1.0e+300", "is not possible; a whole number from 1 to 1_000_000_000_000_000 is needed"),
        ("dense: 2", "dense=2 is not possible; true or false is needed"),
        ("dense: 1", "dense=1 is not possible; true or false is needed"),
        ("learning_rate: true", "learning_rate=True is not possible; a number above 0 is needed"),
        (
            "widths: [true]",
            "widths=[True] is not possible; a list of 1 to 16 entries, each a whole number from 1 to 16_384, is needed",
        ),
        ("games: 100000000000", "games=100000000000 is not possible; a whole number from 1 to 1_048_576 is needed"),
        (
            "widths: [1000000]",
            "widths=[1000000] is not possible; a list of 1 to 16 entries, each a whole number from 1 to 16_384, is",
        ),
        ("league_snapshots: 126", "at most 100 agents, snapshots and exploiters together are allowed"),
    ],
)
def test_a_file_of_settings_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    """Before it has used any resources; the sentence is short, no matter how long the file is."""
    start = time.monotonic()
    said = refusal(text, tmp_path)
    assert sentence in said
    assert len(said) < 1500  # one of them lists all settings
    assert "\n" not in said
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    "name", ["/any/where", "../up", "a/b", "a\\b", "C:x", ".", "..", ".hidden", "", " ", "a\nb", "a" * 101]
)
def test_a_name_does_not_choose_where_files_go(name: str) -> None:
    """It is that of a folder in runs/, no matter who chose it."""
    with pytest.raises(CryptError, match=r"^name=.* is not possible; up to 100 characters without slashes"):
        settings_from({"name": name})


def test_values_are_read_as_people_mean_them() -> None:
    """A leading zero does not make a number octal, and a number with an exponent is a number."""
    text = "[3e-4, 1.0e+6, 012, 40_000_000, -5, .5, true, ~, null, on, yes, .inf, '1', 1e3]"
    values = [3e-4, 1e6, 12, 40_000_000, -5, 0.5, True, None, None, "on", "yes", float("inf"), "1", 1000.0]
    assert read_yaml(text, "it is") == values
    assert [type(value) for value in read_yaml(text, "it is")] == [type(value) for value in values]


# -- code -------------------------------------------------------------------------------------------------------------

MODULE = "from pathlib import Path\nPath('ran').touch()\nfrom crypt_env.agents import RandomAgent as Mine\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an agent of a module that writes a file when it is imported."""
    (tmp_path / "evil_agents.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "evil_agents", raising=False)
    return "evil_agents:Mine"


@pytest.mark.parametrize("name", ["opponents", "league_agents", "compare"])
def test_a_file_runs_no_code(name: str, module: str, tmp_path: Path) -> None:
    """Neither from modules nor from model zips, unless allowed; the command line may name them."""
    path = tmp_path / "evil.yaml"
    for agent in (module, "sb3:evil.zip", "some.module:Agent"):
        said = refusal(f"{name}: ['{agent}']", tmp_path)
        assert f"agent '{agent}' would run code" in said
        assert said.endswith("; --allow-code trusts the file")
        assert not (tmp_path / "ran").exists()
    path.write_text(f"{name}: ['{module}']\n")
    assert getattr(load_settings(path, [f"{name}=[ghost]"]), name) == ["ghost"]
    assert not (tmp_path / "ran").exists()
    assert getattr(load_settings(path, allow_code=True), name) == [module]
    assert (tmp_path / "ran").exists()


def test_the_command_line_may_name_code(module: str, tmp_path: Path) -> None:
    """Typed names are trusted."""
    (tmp_path / "plain.yaml").write_text("opponents: [random]\n")
    assert load_settings(tmp_path / "plain.yaml", [f"opponents=['{module}']"]).opponents == [module]
    assert (tmp_path / "ran").exists()


def test_the_flag_is_passed_on(module: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command passes it to the settings."""
    (tmp_path / "evil.yaml").write_text(f"opponents: ['{module}']\nwithout: [colour]\n")
    command = [str(tmp_path / "evil.yaml"), "--out", str(tmp_path / "run")]
    assert main(command) == 2
    assert "would run code" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()
    assert main([*command, "--allow-code"]) == 2
    assert "without='colour' is not a part" in capsys.readouterr().err
    assert (tmp_path / "ran").exists()
