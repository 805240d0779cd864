"""Playouts of a network that stop after some of the seat's own decisions, where the network's value takes over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import SKIP
from crypt_env.rules.batch import Arrays, decision_bits, new_arrays, step_rows
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import REWARD_NAMES

from .base import draw
from .network import Network
from .network_search import NetworkEvaluator
from .quick_network import QuickNetwork

_ROWS = 512
"""Positions that the network evaluates at a time: what it computes then stays in the cache."""
COINS = 10.0
"""What a payoff in coins is divided by where it is compared with wins."""


def value_is_usable(network: Network) -> bool:
    """Return whether a network's value tells what a game will pay; see `NetworkEvaluator`."""
    training = network.facts.get("reward", {})
    return not training.get("dense") or training.get("kind") == "win" or network.players == [1]


class Lookahead:
    """Plays games on as a network would, to the end or up to one of the seat's own decisions."""

    def __init__(self, network: Network, depth: int | None, draws: bool = False) -> None:
        """Play a network.

        Args:
            network: plays in all seats.
            depth: the playout stops at this one of the seat's own decisions, and the network's value counts; with None
                it goes to the end of the game, and only what that pays counts.
            draws: whether the network samples its actions.

        Raises:
            CryptError: there is a depth, but the network's value does not tell what a game will pay.
        """
        self.network, self.depth, self.draws = network, depth, draws
        self._quick = QuickNetwork(network)
        self._is_dense = depth is not None and NetworkEvaluator(network).adds_earned
        reward = network.facts.get("reward", {})
        self._scale = float(reward.get("scale", 1.0))
        kind = reward.get("kind", "win")
        self._rule = REWARD_NAMES.index(kind) if kind in REWARD_NAMES else 0

    def prepare(self, states: NDArray[np.void]) -> None:
        """Set what games pay, in place: with a depth, what the network's value predicts."""
        states["dense"] = self._is_dense
        states["paid"] = 0
        if self.depth is not None:
            states["reward_rule"] = self._rule

    def unit(self, states: NDArray[np.void]) -> NDArray[np.float64]:
        """Return the size of payoffs in prepared games: 1 for wins, `COINS` for coins. [n]"""
        pays_wins = (states["players"] > 1) & (states["reward_rule"] == REWARD_NAMES.index("win"))
        return np.where(pays_wins, 1.0, COINS)

    def play(self, states: NDArray[np.void], first: NDArray[np.int64]) -> NDArray[np.float64]:
        """Play the first actions, then the network in all seats; return what the seats to move can expect. [n]

        The games, as `prepare` left them, are changed.
        """
        arrays = new_arrays(len(states))._replace(finals=np.zeros((0, FEATURES), np.int8))
        seats, memory = states["mover"].astype(np.int64), states.view(np.uint8)
        paid, met = np.zeros(len(states)), np.zeros(len(states), np.int64)
        actions, running = first.copy(), np.arange(len(states))
        while len(running):
            step_rows(memory, 0, len(states), *arrays, actions)
            paid[running] += arrays.rewards[running, seats[running]]
            actions[running[arrays.dones[running]]] = SKIP
            running = running[~arrays.dones[running]]
            met[running] += arrays.movers[running] == seats[running]
            stops = met[running] == self.depth
            for start in range(0, len(running), _ROWS):
                part = slice(start, start + _ROWS)
                self._decide(states, running[part], stops[part], arrays, actions, paid)
            running = running[~stops]
        return paid

    def _decide(
        self,
        states: NDArray[np.void],
        rows: NDArray[np.int64],
        stops: NDArray[np.bool_],
        arrays: Arrays,
        actions: NDArray[np.int64],
        paid: NDArray[np.float64],
    ) -> None:
        """Write the next actions in the games listed; where one stops, add its value instead."""
        logits, values = self._quick.evaluate(arrays.observations, rows)
        actions[rows] = self._choose(logits, arrays.masks[rows], states, rows)
        paid[rows[stops]] += values[stops] / self._scale
        actions[rows[stops]] = SKIP

    def _choose(
        self, logits: NDArray[np.float32], masks: NDArray[np.bool_], states: NDArray[np.void], rows: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        legal = np.where(masks, logits, -np.inf)
        if not self.draws:
            return np.asarray(legal.argmax(axis=1))
        bits = np.empty(len(rows), np.uint64)
        decision_bits(states, rows, bits)
        return draw(np.exp(legal - legal.max(axis=1, keepdims=True)).astype(np.float64), bits)
