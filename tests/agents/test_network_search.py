"""`puct:N:net:NAME`: a search that asks a network."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import look, middle
from agents.trials import random_bits
from crypt_env import Batch, CryptError
from crypt_env.agents import make_agent
from crypt_env.agents.base import Decisions
from crypt_env.agents.network import Network, load_network
from crypt_env.agents.network_search import NetworkEvaluator, earned_coins


def test_what_a_seat_has_earned_is_what_a_dense_game_has_paid():
    """At every decision of games at all tables."""
    batch = Batch(256, 1, reward="coins", dense=True, seed=5, restarts=False)
    arrays = batch.reset()
    paid = np.zeros(256)
    tables = set()
    while (arrays.movers >= 0).any():
        is_on = arrays.movers >= 0
        assert (earned_coins(arrays.observations)[is_on] == paid[is_on]).all()
        tables |= {tuple(row) for row in arrays.observations[:, 4:10].tolist()}
        arrays = batch.step_random()
        paid += arrays.rewards[:, 0]
    assert len(tables) > 32


def test_values_are_coins():
    network = load_network("solo")
    games = middle(1, 30, 6, seed=3)
    observations, masks = look(games)
    chances, values = NetworkEvaluator(network).evaluate(observations, masks)
    scale = network.facts["reward"]["scale"]
    np.testing.assert_allclose(
        values, network.evaluate(observations)[1] / scale + earned_coins(observations), rtol=1e-5
    )
    assert (chances > 0)[~masks].sum() == 0


@pytest.mark.parametrize(
    ("reward", "players", "is_refused"),
    [
        ({"kind": "margin", "dense": True, "scale": 0.1}, [2], True),
        ({"kind": "coins", "dense": True, "scale": 0.1}, [1, 2], True),
        ({"kind": "margin", "dense": False, "scale": 0.1}, [2], False),
        ({"kind": "win", "dense": True, "scale": 1.0}, [2], False),
        ({"kind": "win", "dense": True, "scale": 0.1}, [1], False),
    ],
)
def test_a_value_of_what_is_still_to_be_paid_is_refused(reward, players, is_refused):
    solo = load_network("solo")
    network = Network(solo.weights, {**solo.facts, "players": players, "reward": reward})
    if not is_refused:
        NetworkEvaluator(network)
        return
    with pytest.raises(CryptError, match="a network trained with dense=false is needed, or one for solo games alone"):
        NetworkEvaluator(network)


def test_it_plays_legally_and_the_same_again():
    games = middle(1, 20, 6, seed=51)
    asked = Decisions(*look(games), random_bits(len(games), 52), games)
    actions = make_agent("puct:8:net:solo").act(asked)
    assert asked.masks[np.arange(len(games)), actions].all()
    assert (make_agent("puct:8:net:solo").act(asked) == actions).all()


@pytest.mark.parametrize("text", ["", "8", "8:net", "8:net:", "0:net:solo", "many:net:solo", "8:sb3:solo"])
def test_a_spec_that_makes_no_sense_is_refused(text):
    with pytest.raises(CryptError, match="allowed is 'puct:N:net:NAME' with N simulations a decision"):
        make_agent(f"puct:{text}")


def test_a_network_that_is_not_there_is_named():
    with pytest.raises(CryptError, match="there is no network 'nobody'; with the package come"):
        make_agent("puct:8:net:nobody")
