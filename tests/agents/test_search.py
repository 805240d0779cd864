"""Searches: legal, reproducible, the same in any batch; their names; and more search plays better."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import look, middle
from agents.trials import random_bits, scores
from crypt_env import CryptError
from crypt_env.agents import SearchAgent, TreeSearchAgent, make_agent
from crypt_env.agents import search as search_module
from crypt_env.agents.base import Decisions
from crypt_env.agents.search import Budget

PLAYERS = (1, 2, 3, 4)
COUNTED = ("search:3", "search:3:random", "ismcts:40", "ismcts:40:random")
TIMED = ("search:2ms", "search:1ms:random", "ismcts:2ms", "ismcts:1ms:random")


def decide(agent: str, games: np.ndarray, bits: np.ndarray) -> np.ndarray:
    return make_agent(agent).act(Decisions(*look(games), bits, games))


def positions(players: int) -> np.ndarray:
    """Decisions from the beginning to the last round, of all phases."""
    found = [middle(players, 12, steps, seed=steps) for steps in (0, 3, 6, 9, 12)]
    return np.concatenate(found)


@pytest.mark.parametrize("agent", COUNTED)
@pytest.mark.parametrize("players", PLAYERS)
def test_whole_games_are_legal(agent, players):
    scores(agent, agent, players, games=6)  # the batch refuses illegal actions


@pytest.mark.parametrize("agent", TIMED)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_time_budget_gives_legal_actions(agent, players):
    games = positions(players)[::7]
    actions = decide(agent, games, random_bits(len(games), 1))
    assert look(games)[1][np.arange(len(games)), actions].all()


@pytest.mark.parametrize("kind", [SearchAgent, TreeSearchAgent])
def test_time_that_is_up_at_once_is_enough_for_some_simulations(kind, monkeypatch):
    spaces = []
    new_workspace = search_module.new_workspace
    monkeypatch.setattr(
        search_module, "new_workspace", lambda *sizes: spaces.append(new_workspace(*sizes)) or spaces[-1]
    )
    clock = iter(range(1_000_000))
    monkeypatch.setattr(search_module.time, "perf_counter", lambda: float(next(clock)))
    games = middle(2, 1, 6, seed=1)
    action = kind(Budget(1, is_time=True)).act(Decisions(*look(games), random_bits(1, 1), games))
    assert look(games)[1][0, action[0]]
    assert spaces[0].trees[0]["deals"] >= 1


@pytest.mark.parametrize("agent", COUNTED)
@pytest.mark.parametrize("players", PLAYERS)
def test_a_decision_is_the_same_alone_in_any_order_and_again(agent, players):
    games = positions(players)
    bits = random_bits(len(games), 2)
    actions = decide(agent, games, bits)
    assert (decide(agent, games, bits) == actions).all()
    order = np.random.default_rng(3).permutation(len(games))
    assert (decide(agent, games[order], bits[order]) == actions[order]).all()
    for row in range(0, len(games), 13):
        assert decide(agent, games[row : row + 1], bits[row : row + 1]) == actions[row]


def test_other_bits_are_other_chance():
    games = np.repeat(middle(3, 1, 5, seed=8), 40)
    assert len(set(decide("search:1:random", games, random_bits(40, 4)))) > 1


def test_the_games_given_are_left_as_they_are():
    games = positions(4)
    before = games.tobytes()
    for agent in COUNTED:
        decide(agent, games, random_bits(len(games), 5))
    assert games.tobytes() == before


@pytest.mark.parametrize(
    ("few", "many"), [("search:1:random", "search:40:random"), ("ismcts:30:random", "ismcts:900:random")]
)
def test_thinking_longer_earns_more_coins(few, many):
    assert scores(many, many, 1, 64)[0] > scores(few, few, 1, 64)[0] + 1.5


def test_thinking_longer_wins():
    assert scores("search:20:random", "search:1:random", 2, 64)[1] > 0.7


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("", Budget(100, False, "tuned")),
        ("7", Budget(7, False, "tuned")),
        ("7:random", Budget(7, False, "random")),
        ("50ms", Budget(50, True, "tuned")),
        ("50ms:tuned", Budget(50, True, "tuned")),
    ],
)
def test_what_a_budget_means(text, budget):
    assert make_agent(f"search:{text}")._budget == budget


@pytest.mark.parametrize("name", ["search", "ismcts"])
@pytest.mark.parametrize(
    "text",
    ["0", "abc", "10:foo", "-5", "1.5", "10:", "10:random:3", "random", "0ms", "10s", "ms", "٣", "1e9"]
    + ["10000001", "1234567890", "3600001ms", "99999999999ms", "9" * 16, "9" * 5000],
)
def test_a_budget_that_makes_no_sense(name, text):
    with pytest.raises(CryptError) as error:
        make_agent(f"{name}:{text}")
    message = str(error.value)
    assert f"'{name}:{text}' is not possible; allowed are '{name}'" in message or len(text) > 50
    assert "a whole number from 1 to 10000000" in message
    assert "milliseconds a decision, from 1 to 3600000" in message
    assert len(message) < 500
    assert "':random' or ':tuned'" in message


def test_names_are_kept():
    assert make_agent("search:7:random").name == "search:7:random"
    assert make_agent("ismcts").name == "ismcts"


def test_a_search_needs_games():
    observations, masks = look(middle(2, 3, 4, seed=1))
    with pytest.raises(CryptError, match="searches in games"):
        make_agent("search:1").act(Decisions(observations, masks, random_bits(3, 1)))
