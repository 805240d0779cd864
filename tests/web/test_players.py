"""The players in JavaScript make the same choices as in Python."""

from __future__ import annotations

import numpy as np
import pytest

from agents.earned import earned_coins
from crypt_env import Batch, CryptError
from crypt_env.agents import Decisions, NetworkEvaluator, NetworkSearch, load_network, make_agent
from crypt_env.agents.cast import Cast
from crypt_env.agents.network_names import SHIPPED
from crypt_env.agents.reading import AT
from crypt_env.rules.batch import decision_bits
from web.node import as_hex, needs_node, run
from web.positions import answers, look, positions

pytestmark = needs_node

COUNTS = (1, 2, 3, 4)
SEED = 29
SIMULATIONS = 24
NETWORKS = {"solo": 1, "duel": 2, "quartet": 4}
NAMES = ("greedy", "tuned", "ghost", "random")
AMOUNTS = {
    "greedy": 200,
    "tuned": 200,
    "ghost": 200,
    "search:3": 20,
    "search:20:random": 20,
    "ismcts:40": 20,
    "ismcts:300:random": 8,
}
"""How many positions at each table each of them is asked about."""


class Counter:
    """All actions are equally likely, and more dice ready are better, alone more coins: exact in any arithmetic."""

    def evaluate(self, observations, masks):
        ready = observations[:, AT["ready"] : AT["ready"] + 2].astype(np.float64)
        values = np.where(observations[:, 0] == 1, earned_coins(observations) / 64, (ready[:, 0] - ready[:, 1]) / 8)
        return masks.astype(np.float64), values


@pytest.fixture(scope="module")
def found():
    """Return what the players answered."""
    asked = {name: [hex_ for players in COUNTS for hex_ in as_hex(positions(players, amount))]
             for name, amount in AMOUNTS.items()}  # fmt: skip
    return run("players.mjs", positions=asked, names=NAMES, counts=COUNTS * 5, seed=str(SEED))


@pytest.mark.parametrize("name", AMOUNTS)
def test_a_player_chooses_the_same(found, name):
    wanted = np.concatenate([answers(make_agent(name), positions(players, AMOUNTS[name])) for players in COUNTS])
    assert found["chosen"][name] == wanted.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_whole_games_are_the_same(found, name):
    """A memory is kept for each seat, and drawn actions come from the game."""
    counts = COUNTS * 5
    batch = Batch(len(counts), counts, seed=SEED, restarts=False)
    cast = Cast(len(counts), [name])
    cast.owners[:] = 0
    arrays = batch.reset()
    actions = np.zeros(len(counts), np.int64)
    while (arrays.movers >= 0).any():
        asked = np.flatnonzero(arrays.movers >= 0)
        cast.answer(batch.states, arrays, asked, actions)
        arrays = cast.step(batch, actions)
    assert found["finals"][name] == as_hex(batch.states)


def test_searches_with_evaluators_are_the_same():
    exact = np.concatenate([positions(players, 16) for players in COUNTS])
    files = {name: str(SHIPPED / f"{name}.safetensors") for name in (*NETWORKS, "generalist")}
    asked = {files[name]: as_hex(positions(players, 16)) for name, players in NETWORKS.items()}
    found = run(
        "searches.mjs", simulations=SIMULATIONS, exact=as_hex(exact), positions=asked, refused=files["generalist"]
    )
    assert found["exact"] == searched(NetworkSearch(Counter(), SIMULATIONS), exact)
    for name, players in NETWORKS.items():
        wanted = searched(NetworkSearch(NetworkEvaluator(load_network(name)), SIMULATIONS), positions(players, 16))
        same = [one == other for one, other in zip(found["visits"][files[name]], wanted, strict=True)]
        assert np.mean(same) >= 0.8, name  # sums of 32-bit floats are rounded in another order
    with pytest.raises(CryptError, match="who is ahead"):
        make_agent("puct:5:net:generalist")
    assert "who is ahead" in found["refused"]


def searched(search, states):
    """Return how often a search visited each action of each game."""
    bits = np.empty(len(states), np.uint64)
    decision_bits(states, np.arange(len(states)), bits)
    return search.search(Decisions(*look(states), bits, states.copy()))[1].tolist()
