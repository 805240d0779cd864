"""From a policy to a network's file and back: it plays the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from crypt_env import Batch, CryptError
from crypt_env.agents import make_agent
from crypt_env.agents.network import load_network, save_network
from crypt_env.arena import play_match
from crypt_env.envs.sb3 import PolicyAgent
from crypt_env.notation.view import used_columns
from crypt_env.ppo.export import agent_of, facts_of, start_from, weights_of
from crypt_env.ppo.fast import FastMaskablePPO
from crypt_env.ppo.policy import trunk
from crypt_env.rules.observe import LAYOUT
from ppo.small import GAMES, STEPS, collect, small_env, small_model

PLAYERS = [2, 3]


@pytest.fixture(scope="module", params=[([16], False), ([24, 16, 8], False), ([16], True)], ids=str)
def model(request: pytest.FixtureRequest) -> FastMaskablePPO:
    """Return briefly trained models, with one hidden layer and with three, and one with thermometer inputs."""
    widths, thermometers = request.param
    venv = small_env([*PLAYERS] * (GAMES // 2))
    learned: FastMaskablePPO = small_model(
        venv, policy_kwargs=trunk(PLAYERS, widths, thermometers=thermometers), learning_rate=0.01
    )
    return learned.learn(3 * GAMES * STEPS)


@pytest.fixture
def path(model: FastMaskablePPO, tmp_path: Path) -> Path:
    """Return where the model's network was written."""
    save_network(tmp_path / "net", weights_of(model.policy), facts_of(model.policy, PLAYERS, name="small"))
    return tmp_path / "net.safetensors"


def decisions(players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return observations and masks from the middle of many games."""
    batch = Batch(500, players, seed=9)
    arrays = batch.reset()
    for _ in range(15):
        arrays = batch.step_random()
    return arrays.observations.copy(), arrays.masks.copy()


# -- the same play ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_a_network_says_what_its_policy_says(players: int, model: FastMaskablePPO, path: Path) -> None:
    """Logits, values, probabilities and the most likely actions."""
    network = load_network(path)
    observations, masks = decisions(players)
    with torch.no_grad():
        vectors = torch.from_numpy(observations)
        features = model.policy.extract_features(vectors, model.policy.features_extractor)
        logits = model.policy.action_net(features).numpy()
        chances = model.policy.get_distribution(vectors, action_masks=masks).distribution.probs.numpy()
        values = model.policy.predict_values(vectors).numpy()[:, 0]
    np.testing.assert_allclose(network.evaluate(observations)[0], logits, atol=1e-4)
    np.testing.assert_allclose(network.evaluate(observations)[1], values, atol=1e-4)
    np.testing.assert_allclose(network.probabilities(observations, masks), chances, atol=1e-5)
    likeliest, _ = model.predict(observations, action_masks=masks, deterministic=True)
    assert (np.where(masks, network.evaluate(observations)[0], -np.inf).argmax(axis=1) == likeliest).all()


@pytest.mark.parametrize("draws", [False, True])
def test_a_network_plays_what_its_policy_plays(draws: bool, model: FastMaskablePPO, path: Path) -> None:
    """Whole matches have the same results, whether actions are sampled or not."""
    spec = f"net:{path.with_suffix('')}" + (":draw" if draws else "")
    players = [make_agent(spec), agent_of(model.policy, PLAYERS, "net", draws), PolicyAgent(model, not draws)]
    for agent in players:
        agent.name = "the same"
    matches = [play_match(agent, "random", games=200) for agent in players]
    assert matches[0] == matches[1] == matches[2]


def test_an_agent_stays_as_it_was_made(model: FastMaskablePPO) -> None:
    """No matter how the policy changes later."""
    copied = small_model(small_env([*PLAYERS] * (GAMES // 2)), policy_kwargs=model.policy_kwargs)
    copied.policy.load_state_dict(model.policy.state_dict())
    agent = agent_of(copied.policy, PLAYERS, "snapshot 0k")
    before = {name: array.copy() for name, array in agent.network.weights.items()}
    collect(copied)
    copied.train()
    assert agent.name == "snapshot 0k"
    for name, array in agent.network.weights.items():
        np.testing.assert_array_equal(array, before[name])
        assert array.dtype == np.float32
    assert (weights_of(copied.policy)["policy.weight"] != before["policy.weight"]).any()


@pytest.mark.parametrize("with_value", [False, True])
def test_a_policy_can_start_from_a_network(with_value: bool, model: FastMaskablePPO, path: Path) -> None:
    """With its value or without."""
    begun = small_model(small_env([*PLAYERS] * (GAMES // 2)), policy_kwargs=model.policy_kwargs)
    fresh = weights_of(begun.policy)
    start_from(begun.policy, load_network(path), PLAYERS, with_value)
    for name, array in weights_of(begun.policy).items():
        is_kept = with_value or not name.startswith("value.")
        np.testing.assert_array_equal(array, load_network(path).weights[name] if is_kept else fresh[name])


@pytest.mark.parametrize("thermometers", [False, True])
@pytest.mark.parametrize("players", [[1], [2], [3], [2, 4]])
def test_a_network_for_more_tables_is_a_start_for_fewer(players: list[int], thermometers: bool) -> None:
    """Constant inputs are folded into the biases: both give the same outputs in any position of such games."""
    everywhere = trunk([1, 2, 3, 4], [16], thermometers=thermometers)
    general = agent_of(small_model(small_env(2), policy_kwargs=everywhere, seed=4).policy, [1, 2, 3, 4], "all").network
    special = small_model(small_env(2), policy_kwargs=trunk(players, [16], thermometers=thermometers))
    start_from(special.policy, general, players)
    network = agent_of(special.policy, players, "some").network
    assert len(network.facts["columns"]) < len(general.facts["columns"])
    for count in players:
        observations, _ = decisions(count)
        for said, expected in zip(network.evaluate(observations), general.evaluate(observations), strict=True):
            np.testing.assert_allclose(said, expected, atol=1e-5)


@pytest.mark.parametrize("thermometers", [False, True])
def test_a_narrow_network_is_a_start_for_a_wide_one(thermometers: bool) -> None:
    """Both give the same outputs until training starts, and the new units learn as well."""
    options = {"thermometers": thermometers}
    narrow = agent_of(small_model(small_env(2), policy_kwargs=trunk([2], [16, 12], **options)).policy, [2], "n").network
    wide = small_model(small_env(2), policy_kwargs=trunk([2], [20, 24], **options), seed=3)
    start_from(wide.policy, narrow, [2])
    before = weights_of(wide.policy)
    observations, _ = decisions(2)
    network = agent_of(wide.policy, [2], "wide").network
    for said, expected in zip(network.evaluate(observations), narrow.evaluate(observations), strict=True):
        np.testing.assert_allclose(said, expected, atol=1e-5)
    after = weights_of(wide.learn(2 * GAMES * STEPS).policy)
    for name, first_new in (("hidden.0.weight", 16), ("hidden.1.weight", 12), ("policy.weight", 0)):
        assert (after[name][first_new:] != before[name][first_new:]).any()
    assert (after["policy.weight"][:, 12:] != 0).any()


NARROW = [column for column in used_columns(PLAYERS).tolist() if column != LAYOUT[-1].start]


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (trunk([1, 2, 3, 4], [16]), "the network to start from has other inputs: .* is not among them"),
        (trunk(PLAYERS, [16], thermometers=True), r"has other inputs: players\[0\] > 0 is not among them"),
        (trunk(PLAYERS, [16], NARROW), rf"has other inputs: {LAYOUT[-1].name}\[0\] is not asked for"),
        (trunk(PLAYERS, [15]), "the network to start from has layers"),
        (trunk(PLAYERS, [16, 16]), "the network to start from has layers"),
    ],
)
def test_a_network_that_does_not_fit_is_no_start(policy: dict, sentence: str) -> None:
    """Other columns, too few columns, bits instead of numbers, other layers."""
    other = small_model(small_env([*PLAYERS] * (GAMES // 2)), policy_kwargs=policy)
    network = agent_of(small_model(small_env(3), policy_kwargs=trunk(PLAYERS, [16])).policy, PLAYERS, "net").network
    with pytest.raises(CryptError, match=sentence):
        start_from(other.policy, network, PLAYERS)


def test_a_file_gives_back_what_was_written(model: FastMaskablePPO, path: Path) -> None:
    """To the last bit."""
    network = load_network(path)
    weights = weights_of(model.policy)
    assert network.weights.keys() == weights.keys()
    for name, array in weights.items():
        np.testing.assert_array_equal(network.weights[name], array)
    assert network.facts["name"] == "small"
    assert network.players == PLAYERS
    assert network.columns.tolist() == model.policy.features_extractor.columns.tolist()


def test_weights_that_do_not_fit_are_not_written(model: FastMaskablePPO, tmp_path: Path) -> None:
    """A layer is missing, or has another shape."""
    weights, facts = weights_of(model.policy), facts_of(model.policy, PLAYERS)
    for name, wrong in (("policy.bias", None), ("hidden.0.weight", np.zeros((5, 4), np.float32))):
        broken = {key: array for key, array in weights.items() if key != name}
        if wrong is not None:
            broken[name] = wrong
        with pytest.raises(CryptError, match=r"this network (lacks|has a layer of shape)"):
            save_network(tmp_path / "broken", broken, facts)
    assert not list(tmp_path.iterdir())
