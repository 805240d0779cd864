"""Search with a trained network: its policy says where to look, its value what a leaf is worth.

``puct:100:net:duel`` searches 100 simulations a decision with the network that comes with the package under the name
``duel``; ``puct:100:net:runs/mine/best`` with one of yours, whose path has a slash.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.rules.cards import CARDS, JEWELRY, KINDS, MANUSCRIPT, POTTERY, REMAINS, TAPESTRY, VALUES
from crypt_env.rules.observe import LAYOUT

from .base import Agent
from .network import Network, load_network
from .network_file import short
from .search import MOST_EVALUATED, NetworkSearch

_AMOUNT = re.compile(r"[1-9][0-9]{0,8}")
_PARTS = {part.name: part for part in LAYOUT}
_POTTERY_A = np.array([0, 0, 2, 4, 8, 8, 8, 8, 8])


class NetworkEvaluator:
    """What `NetworkSearch` asks: the policy of a network, and its value as what the game will pay."""

    def __init__(self, network: Network) -> None:
        """Take a network.

        Raises:
            CryptError: its value is what is still to be paid, and what was paid already cannot be told at its tables.
        """
        self._network = network
        training = network.facts.get("reward", {})
        if training.get("dense") and training.get("kind") != "win" and network.players != [1]:
            raise CryptError(
                f"the network {short(network.facts.get('name', ''))} was trained with dense=true at tables of "
                f"{network.players} players: its value is what is still to be paid, and no search can tell from it who "
                "is ahead; a network trained with dense=false is needed, or one for solo games alone"
            )
        self._scale = float(training.get("scale", 1.0))
        self._adds_earned = bool(training.get("dense", False))

    def evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the chances of the actions, and what the game is expected to pay the seat that decides."""
        values = self._network.evaluate(observations)[1] / self._scale
        if self._adds_earned:
            values = values + earned_coins(observations)
        return self._network.chances(observations, masks).astype(np.float64), values.astype(np.float64)


def earned_coins(observations: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the coins that observers of solo games have for certain, 0 for those of other games. [n]

    It is what a dense solo game has paid so far.
    """
    sides = _part(observations, "sides")
    cards = _part(observations, "cards")[:, :CARDS].reshape(-1, KINDS, VALUES)
    held = cards.sum(axis=2)
    values = np.arange(1, VALUES + 1)
    coins = (cards * values).sum(axis=2)
    highest = (values * (cards > 0)).max(axis=2)
    is_a = sides == 0
    earned = coins.sum(axis=1) + _part(observations, "idol_bonus")[:, 0]
    jewelry = np.where(is_a[:, JEWELRY], highest[:, JEWELRY] * (held[:, JEWELRY] >= 2), held[:, JEWELRY])
    manuscript = (VALUES * held[:, MANUSCRIPT] - coins[:, MANUSCRIPT]) * (held[:, MANUSCRIPT] >= 2)
    tapestry = np.where(is_a[:, TAPESTRY], 5 * (held[:, TAPESTRY] >= 1), 7 * (held[:, TAPESTRY] >= 3))
    earned = earned + jewelry + tapestry + manuscript * is_a[:, MANUSCRIPT]
    earned = earned + _POTTERY_A[held[:, POTTERY]] * is_a[:, POTTERY]
    earned = earned + 10 * ((held[:, REMAINS] >= 4) & ~is_a[:, REMAINS])
    return np.asarray(earned * _part(observations, "players")[:, 0])


def _part(observations: NDArray[np.int8], name: str) -> NDArray[np.int64]:
    """Return a part of observations as wide integers."""
    part = _PARTS[name]
    return observations[:, part.start : part.stop].astype(np.int64)


def network_search(text: str) -> Agent:
    """Make the agent of a spec ``puct:N:net:NAME``.

    Raises:
        CryptError: it makes no sense, or there is no such network.
    """
    amount, _, network = text.partition(":")
    kind, _, name = network.partition(":")
    is_amount = _AMOUNT.fullmatch(amount) is not None and int(amount) <= MOST_EVALUATED
    if not is_amount or kind != "net" or not name:
        raise CryptError(
            f"agent {short(f'puct:{text}')} makes no sense; allowed is 'puct:N:net:NAME' with N simulations a "
            f"decision, a whole number from 1 to {MOST_EVALUATED}, and the name of a network or its path, which has a "
            "slash"
        )
    return NetworkSearch(NetworkEvaluator(load_network(name)), int(amount))
