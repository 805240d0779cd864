"""What each reward owes, derived from the end of a game alone: the judge of what the engine pays.

The interfaces are compared with it exactly. A reward that is paid in fractions, bit by bit, is rounded to float32 each
time, and needs a tolerance there.
"""

from __future__ import annotations

import numpy as np


def owed(players: int, reward: str, scores: list[int], winners: int) -> list[float]:
    """Return what each seat is owed for a game; bit s of ``winners``: seat s wins."""
    if players == 1 or reward == "coins":
        return [float(score) for score in scores]
    if reward == "margin":
        return [float(own - max(scores[:seat] + scores[seat + 1 :])) for seat, own in enumerate(scores)]
    if reward == "win":
        wins = [winners >> seat & 1 for seat in range(players)]
        won, lost = sum(wins), players - sum(wins)
        return [float(np.float32((1 / won if lost else 0.0) if win else -1 / lost)) for win in wins]
    raise NotImplementedError(f"say here what {reward!r} owes")
