"""A network's policy, improved by playouts: probabilities that another network can learn.

For each decision the network's likely actions are played out in the same futures, as in `halving`, but none is dropped.
The better an action does, the more its probability grows; the less the playouts can be trusted, the less it does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .base import Actions
from .halving import DEPTH, Race
from .lookahead import Lookahead
from .network import Network
from .network_search import value_is_usable
from .policy import CANDIDATES

LEAST = 0.01
"""Actions that the network finds less likely than this are not tried."""
_TOGETHER = 512
"""Decisions searched at the same time."""


class Improved(NamedTuple):
    """What became of a policy in some decisions."""

    order: Actions
    """[n, CANDIDATES]: the network's likeliest actions first."""
    probabilities: NDArray[np.float64]
    """[n, CANDIDATES]: of these actions, now; that of all others is 0."""
    is_searched: NDArray[np.bool_]
    """[n]: whether more than one action was likely, and playouts have decided."""


class Improver:
    """Improves the policy of a network, see this module."""

    def __init__(self, network: Network, futures: int) -> None:
        """Improve a network, by playing each likely action in a number of futures."""
        self._futures = futures
        self._network = network
        self._lookahead = Lookahead(network, DEPTH if value_is_usable(network) else None)

    def improve(
        self,
        observations: NDArray[np.int8],
        masks: NDArray[np.bool_],
        games: NDArray[np.void],
        bits: NDArray[np.uint64],
    ) -> Improved:
        """Improve the policy in the decisions of some games; futures are dealt from ``bits`` [n]."""
        order, logs = self._likely(observations, masks)
        is_searched = np.isfinite(logs).sum(axis=1) > 1
        probabilities = np.exp(logs)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        searched = np.flatnonzero(is_searched)
        for start in range(0, len(searched), _TOGETHER):
            rows = searched[start : start + _TOGETHER]
            race = Race(self._lookahead, games[rows], bits[rows], order[rows], logs[rows])
            race.play(np.full(len(rows), self._futures))
            probabilities[rows] = race.probabilities()
        return Improved(order, probabilities, is_searched)

    def _likely(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> tuple[Actions, NDArray[np.float64]]:
        """Return the likeliest actions, and the logs of their probabilities, minus infinity for the unlikely."""
        probabilities = self._network.probabilities(observations, masks).astype(np.float64)
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, :CANDIDATES]
        likeliest = np.take_along_axis(probabilities, order, axis=1)
        is_likely = likeliest >= LEAST
        is_likely[:, 0] = True
        return order, np.log(likeliest, out=np.full(order.shape, -np.inf), where=is_likely)
