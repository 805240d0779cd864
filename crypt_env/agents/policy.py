"""A network as a policy that a response knows: its likeliest actions, or actions sampled from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.batch import Arrays
from crypt_env.rules.chance import STEP
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import STAYS

from .base import choose_legal
from .network import Network
from .quick_network import AT_A_TIME, QuickNetwork

CANDIDATES = 8
"""How many of a network's likeliest actions a search tries."""


class Policy:
    """How a network plays."""

    def __init__(self, network: Network, draws: bool) -> None:
        """Play a network; ``draws`` says whether it samples its actions."""
        self.network, self.draws = network, draws
        self._quick = QuickNetwork(network)

    def probabilities(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the probability of each action. [n, ACTIONS]"""
        if self.draws:
            return self.network.probabilities(observations, masks).astype(np.float64)
        result = np.zeros(masks.shape)
        likeliest = np.where(masks, self.network.evaluate(observations)[0], -np.inf).argmax(axis=1)
        result[np.arange(len(masks)), likeliest] = 1
        return result

    def likeliest(
        self, observations: NDArray[np.int8], masks: NDArray[np.bool_], most: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the likeliest actions first, [n, most], and how many of them are legal, [n]."""
        order = np.argsort(-self.network.probabilities(observations, masks), axis=1, kind="stable")
        return order[:, :most], np.minimum(masks.sum(axis=1), most)

    def choose(self, states: NDArray[np.void], rows: NDArray[np.int64], arrays: Arrays) -> NDArray[np.int64]:
        """Return the actions in the games listed, which a step has written to these arrays."""
        actions = np.empty(len(rows), np.int64)
        for start in range(0, len(rows), AT_A_TIME):
            some = rows[start : start + AT_A_TIME]
            logits, _ = self._quick.evaluate(arrays.observations, some)
            actions[start : start + AT_A_TIME] = choose_legal(logits, arrays.masks[some], states, some, self.draws)
        return actions


def futures(games: NDArray[np.void], bits: NDArray[np.uint64], count: int) -> NDArray[np.void]:
    """Return determinizations of each game for the seat to move, one game's after the other's. [n * count]"""
    dealt = np.repeat(games, count)
    numbers = np.tile(np.arange(1, count + 1, dtype=np.uint64), len(games))
    resample_rows(dealt, 0, len(dealt), dealt["mover"].copy(), np.repeat(bits, count) ^ (numbers * STEP))
    dealt["restarts"], dealt["pauses"], dealt["dense"], dealt["paid"] = STAYS, 0, 0, 0
    return dealt
