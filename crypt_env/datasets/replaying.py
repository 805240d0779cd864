"""Replays records many at a time, and collects what each seat saw, did and was paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.batch import Batch
from crypt_env.errors import RecordError
from crypt_env.notation.actions import ACTION_BY_TEXT, ACTION_TEXTS
from crypt_env.notation.record import Record, are_alike, dealt_game, dice_of
from crypt_env.rules.actions import ACTIONS, DRAW, SKIP
from crypt_env.rules.batch import roll_row
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import NONE
from crypt_env.table import Table, is_whole

from .recorded import result, roll_event, waiting_for_dice


class DecisionArrays(NamedTuple):
    """The decisions of some games: by game, and within a game in the order in which they were made."""

    observations: NDArray[np.int8]
    """[n, FEATURES]: what the deciding seat knew."""
    masks: NDArray[np.bool_]
    """[n, ACTIONS]: what was legal."""
    actions: NDArray[np.int16]
    """[n]: what it did."""
    seats: NDArray[np.int8]
    """[n]: which seat it was."""
    rewards: NDArray[np.float32]
    """[n]: what it was paid from this decision up to its next one, or to the end."""
    returns: NDArray[np.float32]
    """[n]: the sum of these rewards from this decision to the end, discounted for each decision of its own."""
    games: NDArray[np.int64]
    """[n]: the number of the game, counted from 0."""

    def select(self, rows: Any) -> DecisionArrays:
        """Return some of the decisions."""
        return DecisionArrays._make(array[rows] for array in self)


def empty_arrays(decisions: int) -> DecisionArrays:
    """Return arrays for this many decisions, filled with zeros."""
    return DecisionArrays(
        np.zeros((decisions, FEATURES), np.int8),
        np.zeros((decisions, ACTIONS), np.bool_),
        np.zeros(decisions, np.int16),
        np.zeros(decisions, np.int8),
        np.zeros(decisions, np.float32),
        np.zeros(decisions, np.float32),
        np.zeros(decisions, np.int64),
    )


class WrongRecord(Exception):
    """A record that differs from the rules: its place in the list, and why."""

    def __init__(self, place: int, reason: str) -> None:
        """Keep both."""
        super().__init__(reason)
        self.place = place


class Replayed(NamedTuple):
    """Games that were replayed."""

    decisions: DecisionArrays
    finals: NDArray[np.int8]
    """[games, MAX_PLAYERS, FEATURES]: what each seat knew at the end."""


class ReplayedGames:
    """Records of finished games, replayed side by side; every event is checked against the rules."""

    def __init__(self, records: Sequence[Record], reward: str, dense: bool, wanted: NDArray[np.bool_]) -> None:
        """Deal the games.

        Args:
            records: of finished games.
            reward: "win", "margin" or "coins".
            dense: whether it is paid as soon as it is certain.
            wanted: [games, MAX_PLAYERS], the seats whose decisions are collected.

        Raises:
            WrongRecord: a record cannot be dealt.
        """
        self._records = records
        self._events = [record["events"] for record in records]
        self._next = [0] * len(records)
        self._wanted = wanted
        self._batch = batch = Batch.at(Table(1, reward=reward, dense=dense), len(records), restarts=False)
        rules = {name: batch.states[name][0] for name in ("reward_rule", "dense")}
        for place, record in enumerate(records):
            try:
                batch.states[place] = dealt_game(record).state[0]
            except RecordError as error:
                raise WrongRecord(place, str(error)) from error
        for name, number in rules.items():
            batch.states[name] = number
        rows = np.arange(len(records))
        batch.arrays.movers[:] = batch.states["mover"]
        batch.view(rows, batch.arrays.movers.copy(), batch.arrays.observations, batch.arrays.masks)
        self._actions = np.full(len(records), SKIP, np.int64)
        self._make_room(sum(1 for events in self._events for event in events if _is_act(event)))

    def _make_room(self, most: int) -> None:
        """Make arrays for at most this many decisions."""
        self._count = 0
        self._found = empty_arrays(most)
        self._steps: list[tuple[slice, NDArray[np.int64], NDArray[np.int8]]] = []
        self._last = np.full((len(self._records), MAX_PLAYERS), NONE, np.int64)
        self._paid = np.zeros((len(self._records), MAX_PLAYERS), np.float64)

    def run(self, discount: float = 1.0) -> Replayed:
        """Replay all games and return what was collected.

        Raises:
            WrongRecord: a record differs from the rules.
        """
        batch = self._batch
        while len(rows := np.flatnonzero(batch.arrays.movers != NONE)):
            for row in rows.tolist():
                self._actions[row] = self._recorded_action(row)
            self._collect(rows, batch.arrays.movers[rows])
            self._step(rows)
            self._roll()
        for row in range(len(self._records)):
            self._check_end(row)
        self._pay(*np.nonzero(self._last != NONE))
        self._sum_up(discount)
        return Replayed(self._sorted(), self._finals())

    # -- reading a record ---------------------------------------------------------------------------------------------

    def _event(self, row: int) -> Any:
        """Return the next event of a game, None after the last one."""
        place = self._next[row]
        self._next[row] += 1
        return self._events[row][place] if place < len(self._events[row]) else None

    def _wrong(self, row: int) -> WrongRecord:
        """Return the error about the last event."""
        return WrongRecord(row, f"event {self._next[row] - 1} differs from the rules")

    def _recorded_action(self, row: int) -> int:
        """Return what a record has the deciding seat do; it must be legal."""
        event = self._event(row)
        if not _is_act(event) or not is_whole(event[1]) or event[1] != self._batch.arrays.movers[row]:
            raise self._wrong(row)
        action = ACTION_BY_TEXT.get(event[2], SKIP) if isinstance(event[2], str) else SKIP
        mask = self._batch.arrays.masks[row]
        if action == SKIP or not mask[action] or (len(event) == 4 and not _is_list_of(event[3], mask)):
            raise self._wrong(row)
        return action

    def _roll(self) -> None:
        """Put the dice of the records on the tables, until a seat is asked in every game that is not over."""
        states = self._batch.states
        while len(rows := waiting_for_dice(states)):
            for row in rows.tolist():
                count = int(roll_row(states, row))
                event = self._event(row)
                dice = dice_of(event)
                if len(dice) != count or not all(1 <= die <= 6 for die in dice):
                    raise self._wrong(row)
                states[row]["rolled"][:count] = dice
                if not are_alike(roll_event(states[row], count), event):
                    raise self._wrong(row)
            self._actions[rows] = DRAW
            self._step(rows)

    def _step(self, rows: NDArray[np.int64]) -> None:
        """Step the games listed."""
        self._batch.step(self._actions)
        self._actions[rows] = SKIP
        self._paid[rows] += self._batch.arrays.rewards[rows]

    def _check_end(self, row: int) -> None:
        """Compare how a game ends."""
        record, right = self._records[row], result(self._batch.states[row])
        if self._next[row] != len(self._events[row]):
            raise WrongRecord(row, f"event {self._next[row]}: the game is over, but the record goes on")
        for name, expected in right.items():
            if not are_alike(expected, record[name]):
                raise WrongRecord(row, f"the {name} differ from the rules")

    # -- collecting ---------------------------------------------------------------------------------------------------

    def _collect(self, rows: NDArray[np.int64], movers: NDArray[np.int8]) -> None:
        """Add the decisions that are about to be made."""
        is_wanted = self._wanted[rows, movers]
        rows, movers = rows[is_wanted], movers[is_wanted]
        arrays, found = self._batch.arrays, self._found
        has_decided = self._last[rows, movers] != NONE
        self._pay(rows[has_decided], movers[has_decided])
        self._paid[rows, movers] = 0
        new = slice(self._count, self._count + len(rows))
        self._count = new.stop
        self._last[rows, movers] = np.arange(new.start, new.stop)
        found.observations[new] = arrays.observations[rows]
        found.masks[new] = arrays.masks[rows]
        found.actions[new] = self._actions[rows]
        found.seats[new] = movers
        found.games[new] = rows
        self._steps.append((new, rows, movers))

    def _pay(self, rows: NDArray[np.int64], seats: NDArray[Any]) -> None:
        """Assign what seats were paid since their last decisions to those."""
        self._found.rewards[self._last[rows, seats]] = self._paid[rows, seats]

    def _sum_up(self, discount: float) -> None:
        """Sum the rewards from each decision on."""
        ahead = np.zeros(self._paid.shape)
        for place, rows, seats in reversed(self._steps):
            ahead[rows, seats] = self._found.rewards[place] + discount * ahead[rows, seats]
            self._found.returns[place] = ahead[rows, seats]

    def _sorted(self) -> DecisionArrays:
        """Return the decisions by game."""
        order = self._found.games[: self._count].argsort(kind="stable")
        return self._found.select(order)

    def _finals(self) -> NDArray[np.int8]:
        """Return what the seats know now, at the end."""
        games = len(self._records)
        finals = np.zeros((games, MAX_PLAYERS, FEATURES), np.int8)
        masks = np.zeros((games * MAX_PLAYERS, ACTIONS), np.bool_)
        is_seat = np.arange(MAX_PLAYERS) < self._batch.states["players"][:, None]
        rows, seats = np.nonzero(is_seat)
        seen = np.zeros((len(rows), FEATURES), np.int8)
        self._batch.view(rows, seats.astype(np.int8), seen, masks[: len(rows)])
        finals[rows, seats] = seen
        return finals


def _is_act(event: Any) -> bool:
    """Return whether a value looks like a decision."""
    return isinstance(event, list) and len(event) in (3, 4) and event[0] == "act"


def _is_list_of(texts: Any, mask: NDArray[np.bool_]) -> bool:
    """Return whether these are the texts of all legal actions."""
    is_list = isinstance(texts, list) and all(isinstance(text, str) for text in texts)
    return is_list and sorted(texts) == sorted(ACTION_TEXTS[action] for action in np.flatnonzero(mask))
