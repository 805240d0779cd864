"""The arrays that a step writes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .actions import ACTIONS
from .cards import MAX_PLAYERS
from .observe import FEATURES


class Arrays(NamedTuple):
    """What a step writes, for N games. Observations, masks and finals are not written if their length is 0."""

    observations: NDArray[np.int8]
    """[N, FEATURES]: what the seat that decides next may know; of a game that is over, what its learner may know."""
    masks: NDArray[np.bool_]
    """[N, ACTIONS]: what it may do."""
    movers: NDArray[np.int8]
    """[N]: that seat; -1 if the game is over."""
    rewards: NDArray[np.float32]
    """[N, MAX_PLAYERS]: what every seat was paid in this step."""
    dones: NDArray[np.bool_]
    """[N]: whether the game ended in this step."""
    finals: NDArray[np.int8]
    """[N, FEATURES]: of games that ended and restarted at once, what their learner knew at the end."""


def new_arrays(games: int) -> Arrays:
    """Return arrays for a step of this many games."""
    return Arrays(
        np.zeros((games, FEATURES), np.int8),
        np.zeros((games, ACTIONS), np.bool_),
        np.zeros(games, np.int8),
        np.zeros((games, MAX_PLAYERS), np.float32),
        np.zeros(games, np.bool_),
        np.zeros((games, FEATURES), np.int8),
    )
