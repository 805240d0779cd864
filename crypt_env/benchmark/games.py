"""Plays games of the protocol many at a time, and writes their records.

Whoever plays them, the record of a game follows from the deal and from the actions alone: the dice are those of the
game's own chance. So `verify` makes every record again from its actions, with the same class that wrote it.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents.cast import Cast
from crypt_env.arena.match import WHOLE_WIN, win_shares
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.notation.record import FORMAT
from crypt_env.rules.actions import DRAW, SKIP
from crypt_env.rules.batch import draw_row, roll_row
from crypt_env.rules.cards import CARD_TEXTS
from crypt_env.rules.state import COLLECT_ROLL, GHOST_ROLL, NONE, OVER, REROLL_ROLL
from crypt_env.table import sides_text

from .deals import SEED, deal_evaluation

Events = list[Any]
"""What happened in a game, as it stands in a record."""


class Games:
    """Games of the protocol that are played side by side."""

    def __init__(self, players: int, deals: NDArray[np.int64]) -> None:
        """Deal games; see `deal_evaluation`."""
        self.players = players
        self.batch = deal_evaluation(players, deals)
        self.states = self.batch.states
        self.events: list[Events] = [[] for _ in range(len(deals))]
        self._leaders = self.states["leader"].copy()
        self._actions = np.full(len(deals), SKIP, np.int64)
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
        movers = self.batch.arrays.movers[rows].tolist()
        self._actions[rows] = actions[rows]
        if cast is None:
            self.batch.step(self._actions)
        else:
            cast.step(self.batch, self._actions)
        self._actions[rows] = SKIP
        for row, mover, action in zip(rows.tolist(), movers, actions[rows].tolist(), strict=True):
            self.events[row].append(["act", mover, ACTION_TEXTS[action]])
        self._roll()

    def _roll(self) -> None:
        """Roll dice until a seat is asked in every game that is not over."""
        while True:
            phases = self.states["phase"]
            rows = np.flatnonzero((phases >= GHOST_ROLL) & (phases < OVER))
            if not len(rows):
                return
            for row in rows.tolist():
                count = int(roll_row(self.states, row))
                self.events[row].append(_roll_event(self.states[row], count))
            self._actions[rows] = DRAW
            self.batch.step(self._actions)
            self._actions[rows] = SKIP

    # -- results ------------------------------------------------------------------------------------------------------

    def line(self, number: int) -> bytes:
        """Return the record of a game that is over, as one line of a file."""
        state = self.states[number]
        record = {
            **self.dealt(number),
            "events": self.events[number],
            "scores": state["scores"][: self.players].tolist(),
            "winners": [seat for seat in range(self.players) if int(state["winners"]) >> seat & 1],
        }
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"

    def dealt(self, number: int) -> dict[str, Any]:
        """Return what a record says about the deal of a game."""
        state = self.states[number]
        return {
            "format": FORMAT,
            "players": self.players,
            "collectors": sides_text(state),
            "leader": int(self._leaders[number]),
            "seed": SEED,
            "deck": [CARD_TEXTS[card] for card in state["deck"][: state["deck_size"]]],
        }

    def values(self, seats: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what counts for one seat of each game: its share of the win, or its coins if it played alone."""
        rows = np.arange(len(self.batch))
        if self.players == 1:
            return self.states["scores"][rows, seats].astype(np.float64)
        return np.asarray(win_shares(self.batch, self.players)[rows, seats] / WHOLE_WIN)


def _roll_event(state: np.void, count: int) -> list[Any]:
    """Return the event of the roll whose results lie on the table, as `Game` has it. A test compares the two."""
    results = state["rolled"][:count].tolist()
    phase, turn = int(state["phase"]), int(state["turn"])
    if phase == GHOST_ROLL:
        return ["ghost", results]
    if phase == COLLECT_ROLL:
        return ["roll", int(state["holder"][turn]), turn, int(state["effort"][turn]), results]
    if phase == REROLL_ROLL:
        seat = (int(state["leader"]) + turn) % int(state["seats"])
        return ["reroll", seat, int(state["last_slot"]), results[0]]
    rolls = []
    for seat in range(int(state["players"])):
        if int(state["winners"]) >> seat & 1:
            dice = int(state["ready"][seat])
            rolls.append([seat, results[:dice]])
            results = results[dice:]
    return ["tiebreak", rolls]
