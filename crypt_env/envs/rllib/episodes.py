"""From decisions to episodes: each seat of each game is an episode of its own.

A decision is followed by the same seat's next decision, no matter how many others come in between, and is paid what
the seat is paid until then. It is closed when that next decision, or the end of the game, is known. `Recorder` hands
out closed decisions; open ones wait for the next sample, so every decision is handed out exactly once, with its whole
reward.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.env.single_agent_episode import SingleAgentEpisode

from crypt_env.batch import Batch
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.batch import Arrays
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import FEATURES

from .games import MASK, OBSERVATIONS

_NO_ROW = 0
"""The first row: no decision. It also stands for what follows the end of a game: an observation and a mask of zeros."""


class Ended(NamedTuple):
    """An episode that ended."""

    game: int
    """The place of its game in the batch."""
    episode: int
    seat: int
    total: float
    """The sum of its rewards."""
    decisions: int
    seconds: float
    """From the deal to the end, with all that happened in between."""


def _row(keeps_logits: bool) -> np.dtype[np.void]:
    """Return the record of a decision.

    Its "place" counts the seat's decisions in the game from 0; "next" is the row of the seat's next decision; it is
    closed when that is known, and the last one if the game ended after it.
    """
    fields: list[Any] = [
        *(("observation", np.int8, FEATURES), ("mask", np.int8, ACTIONS)),
        *(("game", np.int64), ("episode", np.int64), ("seat", np.int8), ("place", np.int64)),
        *(("action", np.int64), ("log_prob", np.float32), ("reward", np.float32)),
        *(("next", np.int64), ("is_closed", np.bool_), ("is_last", np.bool_)),
    ]
    return np.dtype([*fields, ("logits", np.float32, ACTIONS)] if keeps_logits else fields)


class Recorder:
    """The decisions of the games of a batch: `look`, `act` and `pay` for each step, then `episodes`."""

    def __init__(self, batch: Batch, keeps_logits: bool) -> None:
        """Record the games of a batch from their deal on, with the logits of each decision or without."""
        self._batch, self._keeps_logits = batch, keeps_logits
        self._games = np.arange(len(batch))
        self._nothing = np.zeros(1, _row(keeps_logits))
        self._rows = self._nothing.copy()
        self._size = 1
        self._now = slice(0, 0)
        self._open = np.full((len(batch), MAX_PLAYERS), _NO_ROW, np.int64)
        self._places = np.zeros((len(batch), MAX_PLAYERS), np.int64)
        self._returns = np.zeros((len(batch), MAX_PLAYERS), np.float64)
        self._starts = np.full(len(batch), time.perf_counter())

    def _reserve(self, more: int) -> None:
        """Make room for more rows."""
        if self._size + more > len(self._rows):
            rows = np.zeros(max(2 * len(self._rows), self._size + more), self._rows.dtype)
            rows[: self._size] = self._rows[: self._size]
            self._rows = rows

    def look(self, now: Arrays) -> None:
        """Take in what the movers know: that closes their previous decisions."""
        games = len(self._games)
        self._reserve(games)
        self._now = slice(self._size, self._size + games)
        self._size += games
        rows = self._rows[self._now]
        rows[:] = self._nothing
        rows["observation"], rows["mask"], rows["seat"] = now.observations, now.masks, now.movers
        rows["game"], rows["episode"] = self._batch.states["index"], self._batch.states["episode"]
        before = self._open[self._games, now.movers]
        self._rows["next"][before] = np.arange(self._now.start, self._now.stop)
        self._rows["is_closed"][before] = True
        self._open[self._games, now.movers] = _NO_ROW

    def act(self, actions: NDArray[np.int64], log_probs: NDArray[np.float32], logits: NDArray[np.float32]) -> None:
        """Take in what the movers do."""
        rows = self._rows[self._now]
        rows["action"], rows["log_prob"] = actions, log_probs
        if self._keeps_logits:
            rows["logits"] = logits
        seats = rows["seat"]
        rows["place"] = self._places[self._games, seats]
        self._places[self._games, seats] += 1
        self._open[self._games, seats] = np.arange(self._now.start, self._now.stop)

    def pay(self, rewards: NDArray[np.float32], dones: NDArray[np.bool_]) -> list[Ended]:
        """Take in what all seats are paid; the end of a game closes the decisions of all of its seats.

        Returns:
            The episodes that ended.
        """
        self._returns += rewards
        self._rows["reward"][self._open] += rewards
        if not dones.any():
            return []
        last = self._open[dones]
        self._rows["is_closed"][last] = self._rows["is_last"][last] = True
        places, seats = np.nonzero(last != _NO_ROW)
        games, now = np.flatnonzero(dones)[places], time.perf_counter()
        numbers = self._rows["episode"][last[places, seats]]
        sums, lengths = self._returns[games, seats], self._places[games, seats]
        columns = (games, numbers, seats, sums, lengths, now - self._starts[games])
        for array in (self._open, self._places, self._returns):
            array[dones] = 0
        self._starts[dones] = now
        return [Ended(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]

    def episodes(self) -> list[SingleAgentEpisode]:
        """Return all closed decisions as parts of episodes, and forget them."""
        closed = 1 + np.flatnonzero(self._rows["is_closed"][1 : self._size])
        streams = self._rows["game"][closed] * MAX_PLAYERS + self._rows["seat"][closed]
        order = np.argsort(streams, kind="stable")
        closed, streams = closed[order], streams[order]
        rows = self._rows[closed]
        is_end = np.ones(len(closed), np.bool_)
        is_end[:-1] = (streams[1:] != streams[:-1]) | rows["is_last"][:-1]
        stops = 1 + np.flatnonzero(is_end)
        # What follows the last decision of each part: the seat's next one, or nothing.
        follow = np.where(rows["is_last"], _NO_ROW, rows["next"])[stops - 1]
        self._rows[_NO_ROW] = self._nothing
        seen = self._rows[["observation", "mask"]][np.insert(closed, stops, follow)]
        starts = np.concatenate([[0], stops[:-1]])
        found = [
            self._episode(rows[start:stop], seen[start + number : stop + number + 1])
            for number, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True))
            if stop > start
        ]
        self._forget()
        return found

    def _episode(self, rows: NDArray[np.void], seen: NDArray[np.void]) -> SingleAgentEpisode:
        """Return decisions that follow each other as a part of an episode; ``seen`` has one entry more."""
        first = rows[0]
        game, number, seat, place = (int(first[name]) for name in ("game", "episode", "seat", "place"))
        outputs: dict[str, Any] = {Columns.ACTION_LOGP: rows["log_prob"].copy()}
        if self._keeps_logits:
            outputs[Columns.ACTION_DIST_INPUTS] = rows["logits"].copy()
        episode = SingleAgentEpisode(
            id_=f"{self._batch.seed}-{game}-{number}-{seat}",
            observations={OBSERVATIONS: seen["observation"].copy(), MASK: seen["mask"].copy()},
            actions=rows["action"].copy(),
            rewards=rows["reward"].copy(),
            infos=[{}] * len(seen),
            extra_model_outputs=outputs,
            terminated=bool(rows[-1]["is_last"]),
            t_started=place,
            len_lookback_buffer=0,
        )
        episode.custom_data.update(game=game, episode=number, seat=seat)
        return episode

    def _forget(self) -> None:
        """Keep only the open decisions."""
        is_open = self._open != _NO_ROW
        kept = self._rows[self._open[is_open]]
        self._open[is_open] = 1 + np.arange(len(kept))
        self._rows[1 : 1 + len(kept)] = kept
        self._size = 1 + len(kept)
