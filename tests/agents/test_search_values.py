"""Searches compared with full enumeration, and with an independent flat Monte Carlo."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from agents.search_reference import enumerated, look, middle, playout_payoffs
from agents.trials import random_bits
from crypt_env.agents import NetworkSearch, make_agent
from crypt_env.agents.base import Decisions
from crypt_env.agents.playouts import POLICIES
from crypt_env.agents.thinking import DEALS, get_ready, new_workspace, think
from crypt_env.rules.actions import ACTIONS


class Indifferent:
    """Knows nothing."""

    def evaluate(self, observations, masks):
        return masks.astype(float), np.full(len(masks), 30.0)


AGENTS = {
    "search:400": make_agent,
    "search:400:random": make_agent,
    "ismcts:6000": make_agent,
    "ismcts:6000:random": make_agent,
    "puct": lambda _: NetworkSearch(Indifferent(), 3000),
}


@cache
def ends(has_later_decisions: bool, least_gap: float):
    return enumerated(4, has_later_decisions, least_gap)


def estimates(game: np.ndarray, deals: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the candidates of a flat search with random playouts, and their mean payoffs."""
    get_ready()
    workspace = new_workspace(1, 1 + ACTIONS)
    think(game, random_bits(1, 6), workspace, DEALS, int(POLICIES["random"]), deals, True)
    nodes = workspace.nodes[1 : 1 + int(workspace.trees[0]["alive"])]
    assert (nodes["visits"] == deals).all()
    return nodes["action"], nodes["value"] / nodes["visits"]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_last_decision_is_the_best_one(agent):
    assert len(ends(False, 0.3)) == 4
    for number, (game, ways) in enumerate(ends(False, 0.3)):
        made = AGENTS[agent](agent)
        action = made.act(Decisions(*look(game), random_bits(1, number), game))[0]
        assert action == ways.actions[ways.coins.argmax()]


@pytest.mark.parametrize("has_later_decisions", [False, True])
def test_estimates_converge_to_the_exact_mean(has_later_decisions):
    for game, ways in ends(has_later_decisions, 0.3 * (not has_later_decisions)):
        actions, means = estimates(game, 40_000)
        assert (actions == ways.actions).all()
        assert abs(means - ways.coins).max() < 0.06  # coins; a playout's deviation is about 1.5


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_estimates_agree_with_playouts_written_otherwise(players):
    for game in np.split(middle(players, 2, 8, seed=21), 2):
        others = playout_payoffs(game, 400, seed=22)
        _, means = estimates(game, 4_000)
        errors = others.std(axis=1) * np.sqrt(1 / 400 + 1 / 4_000)
        assert (abs(others.mean(axis=1) - means) < 5 * errors + 1e-9).all()


def test_half_of_the_candidates_are_dropped_again_and_again():
    game = middle(2, 1, 4, seed=2)
    get_ready()
    workspace = new_workspace(1, 1 + ACTIONS)
    action = think(game, random_bits(1, 7), workspace, 0, 0, 64, True)[0]
    candidates = np.flatnonzero(look(game)[1][0])
    nodes = workspace.nodes[1 : 1 + len(candidates)]
    assert sorted(nodes["action"]) == candidates.tolist()
    assert nodes["action"][0] == action
    assert (np.diff(nodes["visits"]) <= 0).all()
    assert 0.9 * 64 * len(candidates) < nodes["visits"].sum() <= 64 * len(candidates)
