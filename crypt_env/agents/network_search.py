"""Search with a trained network: its policy gives the priors, its value evaluates the leaves.

``puct:100:net:duel`` searches 100 simulations a decision with the network that comes with the package under the name
``duel``; ``puct:100:net:runs/mine/best`` with one of your own, by a path with a slash.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted
from crypt_env.rules.state import REWARD_NAMES

from .base import Agent
from .network import Network, load_network
from .registry import Form
from .search import MOST_EVALUATED, NetworkSearch


def value_is_usable(network: Network) -> bool:
    """Return whether a network's value tells what a game will pay; see `NetworkEvaluator`."""
    training = network.facts.get("reward", {})
    return not training.get("dense") or training.get("kind") == "win" or network.players == [1]


def reward_rule(network: Network) -> int:
    """Return the record's number of the reward that a network was trained for."""
    kind = network.facts.get("reward", {}).get("kind", "win")
    return REWARD_NAMES.index(kind) if kind in REWARD_NAMES else 0


class NetworkEvaluator:
    """The evaluator of `NetworkSearch`: a network's policy, and its value as the expected payoff of the game."""

    def __init__(self, network: Network) -> None:
        """Take a network.

        Raises:
            CryptError: its value is only what is still to be paid, and at its tables the part already paid is unknown.
        """
        self._network = network
        if not value_is_usable(network):
            players = " or ".join(map(str, network.players))
            raise CryptError(
                f"the network {quoted(network.facts.get('name', ''))} was trained with dense=true at tables of "
                f"{players} players: its value is what is still to be paid, and no search can tell from it who "
                "is ahead; a network trained with dense=false is needed, or one for solo games alone"
            )
        training = network.facts.get("reward", {})
        self._scale = float(training.get("scale", 1.0))
        self.reward_rule = reward_rule(network)
        """The reward that its value is about."""
        self.adds_earned = bool(training.get("dense", False))
        """Whether its value in solo games is what is still to be paid."""

    def evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the action probabilities, and what the game is expected to pay, or still to pay, the seat."""
        values = self._network.evaluate(observations)[1] / self._scale
        return self._network.probabilities(observations, masks).astype(np.float64), values.astype(np.float64)


SEARCH_FORM = Form(
    r"(?P<amount>[1-9][0-9]{0,8}):net:(?P<network>.+)",
    f"allowed is 'puct:N:net:NAME' with N simulations a decision, a whole number from 1 to {MOST_EVALUATED}, and the "
    "name of a network or its path, which has a slash",
    {"amount": MOST_EVALUATED},
)


def network_search(amount: str, network: str) -> Agent:
    """Make the agent of a text ``puct:N:net:NAME``."""
    return NetworkSearch(NetworkEvaluator(load_network(network)), int(amount))
