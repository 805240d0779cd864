"""Who plays against a learner: one agent, one for each seat, or a mixture that is re-sampled for every game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, counted, quoted

from .registry import AnyAgent, make_agent

Opponents = AnyAgent | Sequence[AnyAgent] | Mapping[AnyAgent, float]
"""One agent for all other seats; a list with one for each, clockwise from the learner; or agents with weights, from
which each other seat of each game samples its own."""


class Opposition:
    """Opponents as a list of agents, and the rule for seating them."""

    def __init__(self, opponents: Opponents, most_players: int) -> None:
        """Parse the opponents that a caller gave; ``most_players`` sit at the largest table.

        Raises:
            CryptError: they are not possible.
        """
        self.agents: list[AnyAgent] = []
        self._limits: NDArray[np.float64] | None = None
        if isinstance(opponents, Mapping):
            self.agents, self._limits = list(opponents), _limits(list(opponents.values()))
        elif not isinstance(opponents, Sequence) or isinstance(opponents, str):
            self.agents, self._limits = [make_agent(opponents)], np.ones(1)
        elif len(opponents) == most_players - 1:
            self.agents = list(opponents)
        else:
            given, seated = counted(len(opponents), "opponent"), counted(most_players, "player")
            raise CryptError(
                f"{given} given for {seated}; one agent for each of the other {most_players - 1} seats is needed, a "
                "single one for all, or a dictionary of agents and weights"
            )

    def seated(
        self, learners: NDArray[np.int8], players: NDArray[np.int8], bits: NDArray[np.uint64]
    ) -> NDArray[np.int16]:
        """Return the number of the agent for each seat of some games, [n, seats]; -1 for learners and empty seats.

        Args:
            learners: the learners' seats.
            players: how many players there are.
            bits: [n, seats], random.
        """
        places = (np.arange(bits.shape[1]) - learners[:, None]) % players[:, None]
        owners = (places - 1).astype(np.int16)
        if self._limits is not None:
            owners[:] = np.searchsorted(self._limits[:-1], (bits >> np.uint64(11)) / 2.0**53, side="right")
        is_empty = (places == 0) | (np.arange(bits.shape[1]) >= players[:, None])
        owners[is_empty] = -1
        return owners


def _limits(given: list[float]) -> NDArray[np.float64]:
    """Return the cumulative probabilities of agents with these weights."""
    try:
        weights = np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        weights = np.array([np.nan])
    with np.errstate(over="ignore", invalid="ignore"):
        total = weights.sum()
    if weights.ndim != 1 or not 0 < total < np.inf or (weights < 0).any():
        raise CryptError(
            f"opponents with weights {quoted(given)} cannot be drawn; weights are numbers, none negative and not all "
            "of them 0"
        )
    return np.asarray(np.cumsum(weights) / total)
