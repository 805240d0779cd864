"""Expert iteration: a network learns from games that a search has played: `python -m training.expert`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from crypt_env.agents import Network, load_network, save_network
from crypt_env.experiment.apprentice import Apprentice, Lesson
from crypt_env.experiment.examples import (
    GAMES,
    Examples,
    columns_of,
    example_player,
    load_examples,
    observations_of,
    save_examples,
    targets_of,
)
from crypt_env.rules.actions import ACTIONS
from ppo.small import small_env, small_model
from training import expert


def network_of_a_model(folder: Path) -> str:
    """Write a small network for two players; return its path."""
    from crypt_env.ppo.export import facts_of, weights_of

    policy = small_model(small_env()).policy
    facts = {**facts_of(policy, [2]), "reward": {"kind": "margin", "dense": True, "scale": 0.1}, "name": "small"}
    save_network(folder / "small", weights_of(policy), facts)
    return f"{folder}/small"


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a small network."""
    return network_of_a_model(tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module")
def examples(network: str) -> Examples:
    """Return the first part of its examples."""
    return example_player(network, 2, 5)(0)


def test_examples_are_whole_games(network: str, examples: Examples) -> None:
    """Every game begins and ends, all targets are legal, and the seats are paid what the network's value predicts."""
    rows = np.arange(len(examples.paid))
    masks, targets = targets_of(examples, rows)
    assert (targets[~masks] == 0).all()
    assert targets.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert len(rows) > 10 * GAMES
    first = examples.paid[:GAMES]
    assert np.abs(first).max() > 0.1, "margins, a tenth of the coins"
    assert np.unique(np.round(first * 10, 3)).tolist() == np.unique(np.round(first * 10)).tolist()
    seen = observations_of(examples, rows, columns_of(load_network(network)))
    assert (seen[:, columns_of(load_network(network))] == examples.numbers).all()


def test_parts_depend_only_on_their_number(network: str, examples: Examples) -> None:
    """A part is the same in another order; another seed, or another number, gives others."""
    play = example_player(network, 2, 5)
    second = play(1)
    for mine, other in zip(play(0), examples, strict=True):
        assert (mine == other).all()
    assert second.numbers[:GAMES].tolist() != examples.numbers[:GAMES].tolist()
    assert example_player(network, 2, 6)(0).numbers[:GAMES].tolist() != examples.numbers[:GAMES].tolist()


def test_files_of_examples(network: str, examples: Examples, tmp_path: Path) -> None:
    """They give back what was written; those of another network, or with impossible actions, are refused."""
    path = tmp_path / "part.safetensors"
    save_examples(path, examples)
    for mine, other in zip(load_examples(path, load_network(network)), examples, strict=True):
        assert (mine == other).all()
    from crypt_env import CryptError

    with pytest.raises(CryptError, match="are not for this network: numbers does not fit"):
        load_examples(path, load_network("solo"))
    save_examples(path, examples._replace(order=np.full_like(examples.order, ACTIONS)))
    with pytest.raises(CryptError, match="have actions that do not exist"):
        load_examples(path, load_network(network))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CryptError, match="cannot be read, it is truncated or damaged"):
        load_examples(path, load_network(network))


def test_an_apprentice_comes_close_to_what_it_is_shown(network: str, examples: Examples) -> None:
    """On the examples that it learns from; before, it plays as the network, no matter how wide it is."""
    target = load_network(network)
    rows = np.arange(len(examples.paid))
    lesson = Lesson(epochs=20, minibatch=256, learning_rate=3e-3)
    wide = Apprentice(target, [32, 32], lesson, seed=1)
    start, narrow = wide.grade(examples, rows), Apprentice(target, [16, 16], lesson, seed=1).grade(examples, rows)
    assert start.agreement == pytest.approx(narrow.agreement, abs=0.02)
    steps = list(wide.learn(examples, rows))
    assert steps[-1] == 20 * len(rows)
    after = wide.grade(examples, rows)
    assert after.divergence < 0.8 * start.divergence
    assert after.error < start.error


def test_the_command_goes_on_where_it_was(network: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert expert.main([*asked, "--jobs", "2", "--out", str(two)]) == 0
    assert (two / "last.safetensors").read_bytes() == first
    learned: Network = load_network(str(one / "last"))
    assert learned.facts["reward"] == {"kind": "margin", "dense": True, "scale": 0.1}
    assert learned.facts["training"]["expert"]["futures"] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["greedy"], "'greedy' is not a network, such as net:duel"),
        (["net:missing"], "there is no network 'missing'"),
        (["net:duel", "--examples", "0"], "--examples=0 is not possible; allowed are whole numbers from 1"),
        (["net:duel", "--widths", "64", "64"], "the network to start from has layers"),
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
    assert "holds examples of another network, number of futures or seed" in capsys.readouterr().err
