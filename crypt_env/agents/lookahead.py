"""Playouts of a network that stop after some of the seat's own decisions, where the network's value takes over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import SKIP
from crypt_env.rules.batch import Arrays, arrays_without_finals, step_rows
from crypt_env.rules.state import REWARD_NAMES

from .base import choose_legal
from .network import Network
from .network_search import NetworkEvaluator, reward_rule
from .quick_network import AT_A_TIME, QuickNetwork

COINS = 10.0
"""What a payoff in coins is divided by where it is compared with wins."""


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
        self._scale = float(network.facts.get("reward", {}).get("scale", 1.0))
        self._rule = reward_rule(network)

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
        arrays = arrays_without_finals(len(states))
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
            for start in range(0, len(running), AT_A_TIME):
                part = slice(start, start + AT_A_TIME)
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
        actions[rows] = choose_legal(logits, arrays.masks[rows], states, rows, self.draws)
        paid[rows[stops]] += values[stops] / self._scale
        actions[rows[stops]] = SKIP
