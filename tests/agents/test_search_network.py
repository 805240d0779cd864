"""`NetworkSearch`: a tree whose leaves are evaluated by a hand-written evaluator."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import CoinsAhead, look, middle
from agents.trials import random_bits, scores
from crypt_env import CryptError
from crypt_env.agents import NetworkSearch
from crypt_env.agents.base import Decisions
from crypt_env.rules.actions import ACTIONS, DONE
from crypt_env.rules.observe import FEATURES, LAYOUT

_AT = {part.name: part.start for part in LAYOUT}
COINS = np.tile(np.arange(1, 5), 6)


class Fixed:
    """Answers as configured."""

    def __init__(self, priors, values) -> None:
        self.priors, self.values = priors, values

    def evaluate(self, observations, masks):
        return self.priors(masks), self.values(masks)


def zeros(masks):
    return np.zeros(len(masks))


def decisions(players: int, count: int = 20, steps: int = 6) -> Decisions:
    games = middle(players, count, steps, seed=51)
    return Decisions(*look(games), random_bits(len(games), 52), games)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_actions_are_legal_and_visits_are_complete(players):
    given = decisions(players)
    actions, visits = NetworkSearch(CoinsAhead(), 30).search(given)
    assert given.masks[np.arange(20), actions].all()
    assert (visits[~given.masks] == 0).all()
    assert (visits.sum(axis=1) == 29).all()  # the first simulation is the root's
    assert (visits[np.arange(20), actions] == visits.max(axis=1)).all()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_an_evaluator_sees_decisions_from_the_seat_that_is_asked(players):
    purse = CoinsAhead()
    NetworkSearch(purse, 25).act(decisions(players))
    assert len(purse.seen[0][0]) == 20  # one call for all
    for observations, masks in purse.seen:
        assert observations.shape[1] == FEATURES
        assert (masks.sum(axis=1) >= 2).all()
        assert (observations[:, _AT["mover"]] == 1).all()


def test_one_simulation_follows_the_priors():
    wanted = np.random.default_rng(1).random(ACTIONS)
    given = decisions(3)
    actions = NetworkSearch(Fixed(lambda masks: np.tile(wanted, (len(masks), 1)), zeros), 1).act(given)
    assert (actions == np.where(given.masks, wanted, -1).argmax(axis=1)).all()


@pytest.mark.parametrize("players", [1, 2, 4])
def test_a_decision_is_the_same_alone_and_again(players, monkeypatch):
    given = decisions(players)
    actions = NetworkSearch(CoinsAhead(), 40).act(given)
    assert (NetworkSearch(CoinsAhead(), 40).act(given) == actions).all()
    for row in range(0, 20, 4):
        only = slice(row, row + 1)
        alone = Decisions(given.observations[only], given.masks[only], given.bits[only], given.games[only])
        assert NetworkSearch(CoinsAhead(), 40).act(alone) == actions[row]
    monkeypatch.setattr("crypt_env.agents.search.POOL", 8000)  # a few trees at a time
    assert (NetworkSearch(CoinsAhead(), 40).act(given) == actions).all()


def test_a_tree_that_is_full_continues_without_new_nodes(monkeypatch):
    monkeypatch.setattr("crypt_env.agents.search.NODES_A_LEAF", 0)
    given = decisions(2)
    actions, visits = NetworkSearch(CoinsAhead(), 60).search(given)
    assert given.masks[np.arange(20), actions].all()
    assert (visits.sum(axis=1) == 59).all()


@pytest.mark.parametrize("players", [2, 3])
def test_a_value_is_that_of_the_seat_that_is_asked(players):
    """With a good evaluator the search beats random play; with an inverted one it is much worse."""
    sound, inverted = (scores(NetworkSearch(CoinsAhead(sign), 60), "random", players, 64)[1] for sign in (1.0, -1.0))
    assert sound > 1.3 / players
    assert inverted < sound - 0.3


def test_priors_of_illegal_actions_do_not_count():
    def spoiled(masks):
        return np.where(masks, 1.0, np.nan)

    given = decisions(2)
    plain = NetworkSearch(Fixed(lambda masks: masks * 1.0, zeros), 20).act(given)
    assert (NetworkSearch(Fixed(spoiled, zeros), 20).act(given) == plain).all()


def test_without_any_prior_actions_are_legal_all_the_same():
    given = decisions(2)
    actions = NetworkSearch(Fixed(lambda masks: masks * 0.0, zeros), 20).act(given)
    assert given.masks[np.arange(20), actions].all()


@pytest.mark.parametrize(
    ("priors", "values", "message"),
    [
        (lambda masks: masks[:, :DONE] * 1.0, zeros, "answered priors of shape"),
        (lambda masks: masks * 1.0, lambda masks: np.zeros((len(masks), 1)), "values of shape"),
        (lambda masks: masks * -1.0, zeros, "a prior below 0"),
        (lambda masks: masks * np.nan, zeros, "not finite"),
        (lambda masks: masks * 1.0, lambda masks: np.full(len(masks), np.inf), "not finite"),
    ],
)
def test_an_answer_that_cannot_be_used(priors, values, message):
    with pytest.raises(CryptError, match=message):
        NetworkSearch(Fixed(priors, values), 5).act(decisions(2))


@pytest.mark.parametrize("simulations", [0, -1, True, 2.5])
def test_a_number_of_simulations_that_makes_no_sense(simulations):
    with pytest.raises(CryptError, match="simulations"):
        NetworkSearch(CoinsAhead(), simulations)
