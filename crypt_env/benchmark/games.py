"""Plays games of the protocol many at a time, and writes their records.

`verify` makes every record again from its actions, with the same class that wrote it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.arena.match import WHOLE_WIN, win_shares
from crypt_env.datasets.recorded import RecordedGames

from .deals import deal_evaluation


class Games(RecordedGames):
    """Games of the protocol that are played side by side."""

    def __init__(self, players: int, deals: NDArray[np.int64]) -> None:
        self.players = players
        super().__init__(deal_evaluation(players, deals))

    def values(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what counts for one seat of each game: its share of the win, or its coins if it played alone."""
        rows = np.arange(len(self.batch))
        if self.players == 1:
            return self.states["scores"][rows, seats].astype(np.float64)
        return np.asarray(win_shares(self.batch, self.players)[rows, seats] / WHOLE_WIN)
