"""What other seats did before a decision, for agents that infer from it what those seats know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.cards import MAX_FACE_DOWN
from crypt_env.rules.state import GAME, NONE, REVEALED


class Past(NamedTuple):
    """Earlier decisions of all seats in some games, oldest first within a game."""

    owners: NDArray[np.int64]
    """[m]: which of the decisions asked for now they come before, as its place among them."""
    games: NDArray[np.void]
    """[m], `rules.state.GAME`: the games when they were made. Their hidden cards are those of `Decisions.games`, so
    they tell no secrets."""
    actions: NDArray[np.int64]
    """[m]: what was played."""

    def of(self, place: int) -> Past:
        """Return what came before one decision."""
        mine = self.owners == place
        return Past(np.zeros(mine.sum(), np.int64), self.games[mine], self.actions[mine])


class PastLog:
    """Keeps the decisions of the games of a batch. Which card is flipped is not kept: not everybody sees the choice."""

    def __init__(self, games: int) -> None:
        """Keep nothing yet."""
        self._states: list[list[NDArray[np.void]]] = [[] for _ in range(games)]
        self._actions: list[list[int]] = [[] for _ in range(games)]

    def forget(self, games: Iterable[int]) -> None:
        """Clear what was kept of some games."""
        for game in games:
            self._states[game], self._actions[game] = [], []

    def keep(self, states: NDArray[np.void], rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note the actions that are played now in the games listed; actions that the game draws are unknown."""
        is_public = (states["chosen"][rows] == NONE) & (actions >= 0)
        for row, action in zip(rows[is_public].tolist(), actions[is_public].tolist(), strict=True):
            self._states[row].append(states[row : row + 1].copy())
            self._actions[row].append(action)

    def before(self, rows: NDArray[np.int64], games: NDArray[np.void]) -> Past:
        """Return what was kept of the games listed, with hidden cards as in determinizations of them."""
        listed = rows.tolist()
        owners = np.repeat(np.arange(len(rows)), [len(self._actions[row]) for row in listed])
        kept = [state for row in listed for state in self._states[row]]
        states = np.concatenate(kept) if kept else np.zeros(0, GAME)
        actions = np.array([action for row in listed for action in self._actions[row]], np.int64)
        return Past(owners, determinized_past(states, games[owners]), actions)


def determinized_past(past: NDArray[np.void], games: NDArray[np.void]) -> NDArray[np.void]:
    """Return earlier states of determinized games, with the hidden cards that those have. Both are [m]."""
    states = past.copy()
    for name in ("seed", "index", "episode", "chance", "choice", "decisions"):
        states[name] = 0
    states["deck"] = games["deck"]
    is_drawn = np.arange(MAX_FACE_DOWN) < past["downs"][:, None]
    states["down_card"] = np.where(is_drawn, games["down_card"], past["down_card"])
    numbers = past["down"].astype(np.int64)
    lies_down = (numbers >= 0) & (past["card"] >= 0)
    values = np.take_along_axis(states["down_card"], np.clip(numbers, 0, None), axis=1)
    states["card"] = np.where(lies_down, values, past["card"])
    return states


def is_telling(past: NDArray[np.void], games: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return whether another seat knew a hidden card when it decided, which the seat to move now does not know. [m]"""
    is_drawn = np.arange(MAX_FACE_DOWN) < past["downs"][:, None]
    was_seen = past["down_seen"] >> past["mover"][:, None] & 1 == 1
    is_known = (games["down_seen"] >> games["mover"][:, None] & 1 == 1) | (games["down_place"] == REVEALED)
    return np.asarray((is_drawn & was_seen & ~is_known).any(axis=1) & (past["mover"] != games["mover"]))
