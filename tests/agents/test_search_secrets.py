"""What a seat cannot know makes no difference to its search; and a search that cheats is detected."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import dealt_otherwise, extreme_deals, look, middle, playout_payoffs
from agents.trials import random_bits
from crypt_env import Batch
from crypt_env.agents import NetworkSearch, make_agent
from crypt_env.agents.base import Decisions, ask
from property.play import asked_games

DECISIONS = 400


class HeldCoins:
    """Values a position by a sum over everything that it sees, including anything that it should not see."""

    def evaluate(self, observations, masks):
        weights = np.random.default_rng(1).normal(size=observations.shape[1])
        values = np.tanh(observations @ weights / 10)
        return masks * (1.5 + np.sin(np.arange(masks.shape[1]) * values[:, None])), values


AGENTS = {
    "search:4": make_agent,
    "search:4:random": make_agent,
    "ismcts:60": make_agent,
    "ismcts:60:random": make_agent,
    "puct": lambda _: NetworkSearch(HeldCoins(), 25),
}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_every_hidden_deal_gives_the_same_decision(agent, players):
    asked = [game.state for game in asked_games(players)]
    games = np.concatenate([middle(players, 10, steps, seed=30) for steps in (2, 7, 11)] + asked)
    bits, made = random_bits(len(games), 31), AGENTS[agent](agent)
    actions = made.act(Decisions(*look(games), bits, games))
    for seed in range(5):
        others = dealt_otherwise(games, seed)
        assert (others["deck"] != games["deck"]).any()
        assert (made.act(Decisions(*look(others), bits, others)) == actions).all()


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """Return how many standard deviations the chi-square of two samples of actions is above its mean."""
    actions = np.union1d(one, other)
    counts = np.array([[(sample == action).sum() for action in actions] for sample in (one, other)], float)
    mean = counts.mean(axis=0)
    freedom = max(1, len(actions) - 1)
    return float((((counts - mean) ** 2 / mean).sum() - freedom) / np.sqrt(2 * freedom))


def cheating(games: np.ndarray, seed: int) -> np.ndarray:
    """Decide by flat Monte Carlo over the true cards."""
    candidates = np.flatnonzero(look(games[:1])[1][0])
    payoffs = playout_payoffs(games[:1], 4 * DECISIONS, seed, redeals=False)
    return candidates[payoffs.reshape(len(candidates), DECISIONS, 4).mean(axis=2).argmax(axis=0)]


def honest(games: np.ndarray, seed: int) -> np.ndarray:
    """Decide as the cheat does, but over re-dealt cards."""
    candidates = np.flatnonzero(look(games[:1])[1][0])
    payoffs = playout_payoffs(games[:1], 4 * DECISIONS, seed)
    return candidates[payoffs.reshape(len(candidates), DECISIONS, 4).mean(axis=2).argmax(axis=0)]


def searching(agent: str):
    made = AGENTS[agent](agent)

    def decide(games: np.ndarray, seed: int) -> np.ndarray:
        """Decide repeatedly, each time with different bits."""
        games = np.repeat(games, DECISIONS)
        return made.act(Decisions(*look(games), random_bits(DECISIONS, seed), games))

    return decide


@pytest.mark.parametrize("decide", [honest, *map(searching, ("search:4:random", "ismcts:60:random", "search:4"))])
def test_decisions_have_the_same_distribution_for_all_hidden_cards(decide):
    low, high = extreme_deals()
    assert distance(decide(low, 41), decide(high, 42)) < 5


def test_a_cheating_search_is_detected_by_the_same_measure():
    low, high = extreme_deals()
    assert distance(cheating(low, 41), cheating(high, 42)) > 12


@pytest.mark.parametrize("agent", ["search:4:random", "ismcts:60:random"])
def test_the_seed_of_the_game_tells_nothing(agent):
    """A game played through the public interface, with the seed that dealt it and with another."""
    batch = Batch(40, 2, seed=9)
    arrays = batch.reset()
    made = AGENTS[agent](agent)
    games = batch.states.copy()
    games["chance"] ^= np.uint64(12345)
    games["choice"] ^= np.uint64(54321)
    rows = np.arange(40)
    actions = ask(made, batch.states, rows, arrays.observations, arrays.masks)
    assert (ask(made, games, rows, arrays.observations, arrays.masks) == actions).all()
