"""The networks in JavaScript give the same answers as in numpy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from crypt_env import Game
from crypt_env.agents import load_network, make_agent
from crypt_env.agents.network_file import KEY
from crypt_env.agents.network_names import SHIPPED, shipped_networks
from crypt_env.web.replays import judgement
from web.node import as_hex, needs_node, run
from web.positions import answers, look, positions

pytestmark = needs_node

COUNT = 60
CLOSE = 1e-5
REWARDS = [
    {},
    {"kind": "win", "scale": 2.0},
    {"kind": "win", "dense": True},
    {"kind": "margin", "scale": 0.1},
    {"kind": "coins", "dense": True},
]
"""What networks are trained for; only the value of some of them is a chance to win."""


def recorded(name: str) -> np.ndarray:
    """Return positions at the tables that a network was trained for."""
    return np.concatenate([positions(players, COUNT) for players in load_network(name).players])


@pytest.fixture(scope="module")
def found():
    """Return what the networks answered."""
    asked = {str(SHIPPED / f"{name}.safetensors"): as_hex(recorded(name)) for name in shipped_networks()}
    return run("networks.mjs", positions=asked)["evaluated"]


@pytest.mark.parametrize("name", shipped_networks())
def test_a_network_answers_the_same(found, name):
    answered = found[str(SHIPPED / f"{name}.safetensors")]
    states, network = recorded(name), load_network(name)
    observations, masks = look(states)
    _, values = network.evaluate(observations)
    wanted = network.probabilities(observations, masks)
    probabilities = np.array([each["probabilities"] for each in answered])
    assert np.abs(probabilities - wanted).max() < CLOSE
    assert np.abs([each["value"] for each in answered] - values).max() < CLOSE * max(1.0, np.abs(values).max())
    assert [each["likeliest"] for each in answered] == answers(make_agent(f"net:{name}"), states).tolist()
    drawn = answers(make_agent(f"net:{name}:draw"), states)
    assert np.mean(drawn == [each["drawn"] for each in answered]) > 0.98  # unless the bits are at a boundary


def test_numbers_of_16_bits_are_read(tmp_path):
    shipped = SHIPPED / "duel.safetensors"
    network, file = load_network("duel"), tmp_path / "half.safetensors"
    weights = {name: array.astype(np.float16) for name, array in load_file(shipped).items()}
    save_file(weights, file, {KEY: facts_of(shipped)})
    states = positions(2, COUNT)
    observations, masks = look(states)
    (answered,) = run("networks.mjs", positions={str(file): as_hex(states)})["evaluated"].values()
    wanted = load_network(file).probabilities(observations, masks)
    assert np.abs(np.array([each["probabilities"] for each in answered]) - wanted).max() < CLOSE
    assert np.abs(network.probabilities(observations, masks) - wanted).max() > CLOSE


def test_what_is_not_a_network_is_refused(tmp_path):
    shipped = SHIPPED / "duel.safetensors"
    weights = load_file(shipped)
    others = {
        "nothing": ({}, weights),
        "layout": ({KEY: facts_of(shipped).replace('"layout_version":1', '"layout_version":99')}, weights),
        "layer": ({KEY: facts_of(shipped)}, {**weights, "value.weight": weights["policy.weight"][:0]}),
        "lacking": ({KEY: facts_of(shipped)}, {name: each for name, each in weights.items() if "value" not in name}),
    }
    for name, (metadata, tensors) in others.items():
        save_file(tensors, tmp_path / name, metadata or None)
    assert run("networks.mjs", positions={}, refused=[str(tmp_path / name) for name in others])["refused"] == [
        f"this file has no entry {KEY}, so it is not that of a network",
        "this network is not for layout 1 and 127 actions",
        "the layer value is damaged",
        "this network lacks the layer value",
    ]


@pytest.mark.parametrize(("name", "players"), [("solo", 1), ("duel", 2), ("quartet", 4)])
def test_hints_and_replays_expect_the_same(tmp_path, name, players):
    """The likelihood of each action, and the chance to win or the coins, or neither of them."""
    shipped, states = SHIPPED / f"{name}.safetensors", positions(players, 12)
    files = [str(tmp_path / f"{number}.safetensors") for number in range(len(REWARDS))]
    for file, reward in zip(files, REWARDS, strict=True):
        facts = {**json.loads(facts_of(shipped)), "reward": reward}
        save_file(load_file(shipped), file, {KEY: json.dumps(facts)})
    hints = run("judgements.mjs", positions={file: as_hex(states) for file in files})
    expected = set()
    for file in files:
        agent = make_agent(f"net:{file}")
        for row, hint in enumerate(hints[file]):
            wanted = judgement(agent, Game.from_state(states[row : row + 1]))
            expected |= {key for key in ("chance", "coins") if wanted[key] is not None}
            # Replays round what they store.
            assert hint["chance"] == pytest.approx(wanted["chance"], abs=1e-3)
            assert hint["coins"] == pytest.approx(wanted["coins"], abs=0.06)
            assert dict(hint["probabilities"]) == pytest.approx(dict(wanted["probabilities"]), abs=1e-4)
    assert expected == {"coins" if players == 1 else "chance"}


def facts_of(file) -> str:
    """Return the facts in a file, as text."""
    from safetensors import safe_open

    with safe_open(file, framework="numpy") as opened:
        return str(opened.metadata()[KEY])
