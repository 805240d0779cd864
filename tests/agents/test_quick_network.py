"""Networks in playouts: a quicker way to the same outputs."""

from __future__ import annotations

import numpy as np
import pytest

from agents.trials import some_decisions
from crypt_env.agents import Network, load_network
from crypt_env.agents.network_names import shipped_networks
from crypt_env.agents.quick_network import QuickNetwork
from crypt_env.rules.observe import FEATURES, LAYOUT_VERSION
from fuzz.tiny import tiny_facts, tiny_weights

CLOSE = 1e-4


def assert_same_outputs(network: Network, observations: np.ndarray) -> None:
    """Logits and values are those of the network, for any rows in any order."""
    rows = np.random.default_rng(1).permutation(len(observations))[: len(observations) // 2]
    for found, wanted in zip(
        QuickNetwork(network).evaluate(observations, rows), network.evaluate(observations[rows]), strict=True
    ):
        assert found.shape == wanted.shape
        assert np.abs(found - wanted).max() < CLOSE * max(1, np.abs(wanted).max())


@pytest.mark.parametrize("name", shipped_networks())
def test_outputs_are_those_of_the_network(name: str) -> None:
    """At positions of games."""
    network = load_network(name)
    assert_same_outputs(network, some_decisions(network.players[0]).observations)


@pytest.mark.parametrize("name", shipped_networks())
def test_all_values_of_all_features_count(name: str) -> None:
    """Also those that no game has, below and above all limits."""
    observations = np.random.default_rng(2).integers(-128, 128, (64, FEATURES)).astype(np.int8)
    assert_same_outputs(load_network(name), observations)


@pytest.mark.parametrize("above", [None, [0, 1, -1]])
@pytest.mark.parametrize("widths", [[], [5], [6, 4, 5]])
def test_networks_of_any_form(above: list[int] | None, widths: list[int]) -> None:
    """A network may read the numbers themselves; the limits of a feature may stand in any order; no layer is needed."""
    facts = {**tiny_facts(above), "columns": [5, 7, 5], "layout_version": LAYOUT_VERSION}
    observations = np.random.default_rng(4).integers(-3, 4, (32, FEATURES)).astype(np.int8)
    assert_same_outputs(Network(tiny_weights(widths), facts), observations)


def test_no_positions_have_no_outputs() -> None:
    """The end of playouts asks for none."""
    nothing = np.zeros(0, np.int64)
    logits, values = QuickNetwork(load_network("duel")).evaluate(np.zeros((3, FEATURES), np.int8), nothing)
    assert len(logits) == len(values) == 0
