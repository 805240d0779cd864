"""`puct:N:net:NAME`: a search that asks a network."""

from __future__ import annotations

import numpy as np
import pytest

from agents.earned import earned_coins
from agents.search_reference import last_round, look, middle
from agents.trials import random_bits
from crypt_env import Batch, CryptError
from crypt_env.agents import make_agent, search
from crypt_env.agents.base import Decisions
from crypt_env.agents.network import Network, load_network
from crypt_env.agents.network_search import NetworkEvaluator
from crypt_env.rules.state import REWARD_NAMES


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


def test_values_are_coins_still_to_come():
    network = load_network("solo")
    games = middle(1, 30, 6, seed=3)
    observations, masks = look(games)
    chances, values = NetworkEvaluator(network).evaluate(observations, masks)
    scale = network.facts["reward"]["scale"]
    np.testing.assert_allclose(values, network.evaluate(observations)[1] / scale, rtol=1e-5)
    assert (chances > 0)[~masks].sum() == 0


class Asked:
    """Values everything at 0, and records what it was asked."""

    def __init__(self, adds_earned):
        self.adds_earned = adds_earned
        self.observations = []

    def evaluate(self, observations, masks):
        self.observations.append(observations.copy())
        return masks.astype(np.float64), np.zeros(len(masks))


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("adds_earned", [False, True])
def test_the_engine_adds_what_is_earned_at_the_leaves(players, adds_earned, monkeypatch):
    """In solo games alone, and the same as an observer can tell."""
    carried = []
    back_up = search.back_up_rows

    def spied(trees, nodes, masks, payoffs, rows, priors, values):
        carried.append(values.copy())
        back_up(trees, nodes, masks, payoffs, rows, priors, values)

    monkeypatch.setattr(search, "back_up_rows", spied)
    asked = Asked(adds_earned)
    games = middle(players, 24, 8, seed=7)
    search.NetworkSearch(asked, 6).act(Decisions(*look(games), random_bits(len(games), 8), games))
    wanted = [
        earned_coins(observations) if adds_earned else np.zeros(len(observations))
        for observations in asked.observations
    ]
    assert len(wanted) == 6
    for values, coins in zip(carried, wanted, strict=True):
        assert values.tolist() == coins.tolist()
    assert any(values.any() for values in carried) == (adds_earned and players == 1)


@pytest.mark.parametrize("kind", ["win", "margin"])
def test_games_that_end_in_the_search_pay_what_the_network_predicts(kind):
    """Not what the game pays: coins beside shares of the win would drown them."""
    duel = load_network("duel")
    network = Network(duel.weights, {**duel.facts, "reward": {"kind": kind, "dense": False, "scale": 1.0}})
    agent = search.NetworkSearch(NetworkEvaluator(network), 24)
    visits = []
    for rule in range(2):
        games = last_round(2, 24, seed=4)
        games["reward_rule"] = rule
        before = games.copy()
        visits.append(agent.search(Decisions(*look(games), random_bits(len(games), 8), games))[1].tolist())
        assert games.tobytes() == before.tobytes()
    assert visits[0] == visits[1]


def test_the_reward_of_an_evaluator_counts():
    asked = Asked(False)
    games = last_round(2, 24, seed=4)
    visits = []
    for asked.reward_rule in map(REWARD_NAMES.index, ("win", "margin")):
        visits.append(
            search.NetworkSearch(asked, 24).search(Decisions(*look(games), random_bits(24, 8), games[:24]))[1]
        )
    assert (visits[0] != visits[1]).any()


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
    with pytest.raises(
        CryptError, match="a network trained with dense=false is needed, or one for solo games alone"
    ) as caught:
        NetworkEvaluator(network)
    assert f"at tables of {' or '.join(map(str, players))} players" in str(caught.value)


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
    with pytest.raises(CryptError, match="there is no network 'missing'; the package has"):
        make_agent("puct:8:net:missing")
