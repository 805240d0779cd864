"""Expert iteration: a network learns from games that a search has played: `python -m training.expert`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crypt_env.agents import load_network
from ppo.small import small_network
from training import expert

REWARD = {"kind": "margin", "dense": True, "scale": 0.1}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a small network."""
    return small_network(tmp_path_factory.mktemp("network"), reward=REWARD)


def test_the_command_goes_on_where_it_was(
    network: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same examples give the same network, with one process or two; no part is played twice."""
    asked = [network, "--examples", "6000", "--futures", "2", "--games", "64", "--epochs", "1"]
    one, two = tmp_path / "one", tmp_path / "two"
    assert expert.main([*asked, "--jobs", "1", "--out", str(one)]) == 0
    printed = capsys.readouterr().out
    assert "divergence  agreement  error of the value" in printed
    assert f"the network is {one / 'last.safetensors'}" in printed
    facts = json.loads((one / "expert.json").read_text())
    assert facts["futures"] == 2
    assert facts["before"]["divergence"] > 0
    parts = sorted((one / "examples").iterdir())
    assert len(parts) > 1
    times = [part.stat().st_mtime_ns for part in parts]
    first = (one / "last.safetensors").read_bytes()
    assert expert.main([*asked, "--jobs", "2", "--out", str(one)]) == 0
    assert [part.stat().st_mtime_ns for part in parts] == times
    assert (one / "last.safetensors").read_bytes() == first
    capsys.readouterr()
    assert expert.main([*asked, "--examples", "1", "--out", str(one)]) == 2
    assert json.loads((one / "expert.json").read_text()) == facts  # what came out before stays
    two.mkdir()
    monkeypatch.chdir(two)
    assert expert.main([*asked, "--jobs", "2", "--out", "."]) == 0
    assert (two / "last.safetensors").read_bytes() == first
    learned = load_network(one / "last")
    assert learned.facts["reward"] == REWARD
    assert learned.facts["training"]["expert"]["futures"] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["greedy"], "'greedy' is not a network, such as net:duel"),
        (["net:missing"], "there is no network 'missing'"),
        (["net:duel", "--examples", "0"], "--examples=0 is not possible; allowed are whole numbers from 1"),
        (
            ["net:duel", "--widths", "8"],
            "--widths=[8] is not possible; 'net:duel' has [512, 512]; give as many layers, none narrower",
        ),
        (["net:duel", "--widths", "512", "511"], "--widths=[512, 511] is not possible; 'net:duel' has [512, 512]"),
        (["net:duel:draw"], "'net:duel:draw' is not possible: the search does not draw; leave out ':draw'"),
        (["net:duel", "--learning-rate", "2"], "--learning-rate=2.0 is not possible; allowed are numbers above 0"),
        (["net:duel", "--seed", "-1"], "--seed=-1 is not possible; allowed are whole numbers from 0"),
    ],
)
def test_what_is_not_possible_is_refused(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one sentence, before any game is played."""
    assert expert.main([*arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"expert: {sentence}")
    assert error.count("\n") == 1
    assert not list(tmp_path.glob("out/examples/*"))


def test_examples_of_something_else_stay(network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder is for one network, one number of futures and one seed."""
    folder = tmp_path / "out"
    asked = [network, "--examples", "1", "--jobs", "1", "--out", str(folder)]
    assert expert.main([*asked, "--futures", "1"]) == 2
    assert "--examples=1 is too few; two parts of" in capsys.readouterr().err
    assert expert.main([*asked, "--futures", "2"]) == 2
    assert "holds examples with futures=1, not 2; --out names another folder" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"{", b"[]", b'"x"', b"\xff", b"[" * 100_000])
def test_damaged_facts_are_refused(
    content: bytes, network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence, and they stay as they are."""
    path = tmp_path / "expert.json"
    path.write_bytes(content)
    assert expert.main([network, "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"expert: {str(path)!r} is damaged: it is not a JSON object; --out names another folder\n"
    )
    assert path.read_bytes() == content
