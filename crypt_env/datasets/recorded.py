"""Many games at once that keep their records.

The record of a game follows from its deal and its actions alone: the dice are those of the game's own chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents.cast import Cast
from crypt_env.batch import Batch
from crypt_env.notation import events
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.notation.outcome import winners_of
from crypt_env.notation.record import FORMAT, Record, event_json, line_of
from crypt_env.rules.actions import DRAW, SKIP
from crypt_env.rules.batch import draw_row, roll_row, wait_for_dice
from crypt_env.rules.cards import CARD_TEXTS
from crypt_env.rules.state import NONE
from crypt_env.table import sides_text


class RecordedGames:
    """The games of a batch, with the events of each as they stand in a record."""

    def __init__(self, batch: Batch, with_legal: bool = False) -> None:
        """Begin to record.

        Args:
            batch: just dealt, with the field ``pauses`` of its games set, so that they stop wherever dice are due.
            with_legal: add to each decision the list of all that was legal.
        """
        self.batch = batch
        self.states = batch.states
        self.events: list[list[Any]] = [[] for _ in range(len(batch))]
        self._with_legal = with_legal
        self._leaders = self.states["leader"].copy()
        self._actions = np.full(len(batch), SKIP, np.int64)
        self._roll()

    @property
    def waiting(self) -> NDArray[np.int64]:
        """Return the games in which a seat is asked."""
        return np.flatnonzero(self.batch.arrays.movers != NONE)

    def answers(self, cast: Cast, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what the agents of a cast do in the games listed; `SKIP` where the seat is none of theirs."""
        actions = np.full(len(self.batch), SKIP, np.int64)
        cast.answer(self.states, self.batch.arrays, rows, actions)
        for row in rows[actions[rows] == DRAW].tolist():
            actions[row] = draw_row(self.states, row)
        return actions

    def play(self, rows: NDArray[np.int64], actions: NDArray[np.int64], cast: Cast | None = None) -> None:
        """Play an action in each of the games listed, and all dice that follow from it. ``actions`` has all games.

        Raises:
            IllegalActionError: an action is not legal; it names the agent if there is a cast.
        """
        arrays = self.batch.arrays
        movers = arrays.movers[rows].tolist()
        legal = [_texts(mask) for mask in arrays.masks[rows]] if self._with_legal else None
        self._actions[rows] = actions[rows]
        if cast is None:
            self.batch.step(self._actions)
        else:
            cast.step(self.batch, self._actions)
        self._actions[rows] = SKIP
        for place, (row, mover, action) in enumerate(zip(rows.tolist(), movers, actions[rows].tolist(), strict=True)):
            event = ["act", mover, ACTION_TEXTS[action]]
            self.events[row].append(event if legal is None else [*event, legal[place]])
        self._roll()

    def _roll(self) -> None:
        """Roll dice until a seat is asked in every game that is not over."""
        while len(rows := waiting_for_dice(self.states)):
            for row in rows.tolist():
                count = int(roll_row(self.states, row))
                self.events[row].append(roll_event(self.states[row], count))
            self._actions[rows] = DRAW
            self.batch.step(self._actions)
            self._actions[rows] = SKIP

    # -- results ------------------------------------------------------------------------------------------------------

    def record(self, number: int) -> Record:
        """Return the record of a game that is over."""
        return {**self.dealt(number), "events": self.events[number], **result(self.states[number])}

    def line(self, number: int) -> bytes:
        """Return the record of a game that is over, as one line of a file."""
        return line_of(self.record(number)).encode() + b"\n"

    def dealt(self, number: int) -> Record:
        """Return what a record says about the deal of a game."""
        state = self.states[number]
        return {
            "format": FORMAT,
            "players": int(state["players"]),
            "collectors": sides_text(state),
            "leader": int(self._leaders[number]),
            "seed": int(state["seed"]),
            "deck": [CARD_TEXTS[card] for card in state["deck"][: state["deck_size"]]],
        }


def result(state: np.void) -> Record:
    """Return what a record says about the end of a game."""
    players = int(state["players"])
    return {
        "scores": state["scores"][:players].tolist(),
        "winners": list(winners_of(state)),
    }


def waiting_for_dice(states: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the games that wait for a roll."""
    return np.flatnonzero(wait_for_dice(states["phase"]))


def roll_event(state: np.void, count: int) -> list[Any]:
    """Return the event of the roll whose results are on the table."""
    return event_json(events.roll_event(state, count))


def _texts(mask: NDArray[np.bool_]) -> list[str]:
    """Return legal actions as texts."""
    return [ACTION_TEXTS[action] for action in np.flatnonzero(mask)]
