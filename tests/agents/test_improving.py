"""A network's policy, improved by playouts."""

from __future__ import annotations

import numpy as np
import pytest

from agents.trials import some_decisions
from crypt_env.agents import Network, load_network
from crypt_env.agents.improving import LEAST, Improver
from crypt_env.rules.observe import LAYOUT_VERSION
from fuzz.tiny import tiny_facts, tiny_weights

PLAYERS = {"solo": 1, "duel": 2, "trio": 3, "quartet": 4, "generalist": 2}


@pytest.mark.parametrize("name", PLAYERS)
def test_only_likely_actions_are_tried(name: str) -> None:
    """All others have no probability, a decision with one likely action is not searched, games stay as they were."""
    decisions, network = some_decisions(PLAYERS[name], games=24), load_network(name)
    before = decisions.games.tobytes()
    improved = Improver(network, 4).improve(*decisions[:2], decisions.games, decisions.bits)
    known = network.probabilities(*decisions[:2])
    tried = np.take_along_axis(known, improved.order, axis=1) >= LEAST
    assert improved.probabilities.sum(axis=1) == pytest.approx(1)
    assert (improved.probabilities[~tried] == 0).all()
    assert (improved.order[:, 0] == known.argmax(axis=1)).all()
    assert (improved.is_searched == (tried.sum(axis=1) > 1)).all()
    assert improved.probabilities[~improved.is_searched, 0] == pytest.approx(1)
    assert improved.is_searched.any()
    assert decisions.games.tobytes() == before


def test_playouts_change_the_mind_of_a_network_that_knows_nothing() -> None:
    """All actions are alike to it; after playouts to the end they are not."""
    network = Network(tiny_weights([]), {**tiny_facts(), "layout_version": LAYOUT_VERSION})
    decisions = some_decisions(games=8)
    improved = Improver(network, 32).improve(*decisions[:2], decisions.games, decisions.bits)
    searched = improved.probabilities[improved.is_searched]
    assert (searched.max(axis=1) > 1.5 / 8).any()
