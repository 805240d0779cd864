"""Examples that a search gives, their files, and the network that learns from them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crypt_env import CryptError
from crypt_env.agents import load_network
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
from ppo.small import small_network


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a small network."""
    return small_network(tmp_path_factory.mktemp("network"), reward={"kind": "margin", "dense": True, "scale": 0.1})


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
    with pytest.raises(CryptError, match="are not for this network: numbers does not fit"):
        load_examples(path, load_network("solo"))
    for wrong in (5, None, np.array(1.0)):
        save_examples(path, examples._replace(paid=wrong))  # type: ignore[arg-type]
        with pytest.raises(CryptError, match="are not for this network: numbers does not fit"):
            load_examples(path, load_network(network))
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
