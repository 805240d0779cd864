"""Plays the games of a block again from their records, and compares."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents import Agent
from crypt_env.agents.base import nearly_drawn
from crypt_env.agents.cast import Cast
from crypt_env.agents.network import NetworkAgent
from crypt_env.errors import CryptError, quoted
from crypt_env.notation.actions import ACTION_BY_TEXT, ACTION_TEXTS
from crypt_env.rules.actions import SKIP
from crypt_env.rules.batch import decision_bits

from .games import Games
from .matches import Block
from .playing import circle_of, finished, seat_block

_NEAR = 1e-4
"""Logits may differ by so much between machines."""
_SLACK = 1e-5
"""Sums of a network's probabilities may differ by so much: in 32 bits their errors are up to some millionths."""


class _Act(NamedTuple):
    """A decision in a record."""

    event: int
    seat: object
    text: object


class Replay:
    """A block that is played again from its records."""

    def __init__(
        self, block: Block, lines: list[bytes], where: str, first: int, agent: Agent | None, other: Agent | None
    ) -> None:
        """Read the records.

        Args:
            block: of the protocol.
            lines: the records.
            where: the start of messages, before the number of a line.
            first: the number of the first line.
            agent: the evaluated agent, if it is asked again.
            other: the other one in cross-play.
        """
        self._block, self._lines, self._where, self._first = block, lines, where, first
        self._cast: Cast = seat_block(block, circle_of(block, agent, other))
        self._games = Games(block.players, block.deal_numbers())
        self._records = [self._parsed(number) for number in range(block.games)]
        for number, record in enumerate(self._records):
            self._check_deal(number, record)
        self._acts = [_acts(record["events"]) for record in self._records]
        self._next = [0] * block.games

    def _wrong(self, number: int, text: str) -> CryptError:
        return CryptError(f"{self._where}{self._first + number}: {text}")

    def _parsed(self, number: int) -> dict[str, Any]:
        try:
            record = json.loads(self._lines[number])
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("events"), list):
            raise self._wrong(number, "there is no record on it")
        return record

    def _check_deal(self, number: int, record: dict[str, Any]) -> None:
        """Compare the deal."""
        deal = int(self._games.states[number]["index"])
        for key, right in self._games.dealt(number).items():
            if record.get(key) != right:
                raise self._wrong(
                    number,
                    f"it has {key} {quoted(record.get(key))}, but deal {deal} of the protocol has {quoted(right)}",
                )

    def run(self) -> NDArray[np.float64]:
        """Play all games again; return the payoffs, [n, 64], as in `playing.Played`.

        Raises:
            CryptError: a record is not that of this game of the protocol.
        """
        games = self._games
        while len(rows := games.waiting):
            actions = np.full(self._block.games, SKIP, np.int64)
            for row in rows.tolist():
                actions[row] = self._recorded(row)
            self._ask_again(rows, actions)
            games.play(rows, actions)
        for number in range(self._block.games):
            self._compare(number)
        return finished(self._block, games).values

    def _recorded(self, number: int) -> int:
        """Return the next action of a record, which must be legal."""
        arrays = self._games.batch.arrays
        mover, place = int(arrays.movers[number]), self._next[number]
        if place >= len(self._acts[number]):
            raise self._wrong(number, f"the record ends where seat {mover} decides")
        act = self._acts[number][place]
        if type(act.seat) is not int or act.seat != mover:
            raise self._wrong(number, f"event {act.event}: seat {mover} decides, found seat {quoted(act.seat)}")
        action = ACTION_BY_TEXT.get(act.text, SKIP) if isinstance(act.text, str) else SKIP
        if action == SKIP or not arrays.masks[number, action]:
            raise self._wrong(number, f"event {act.event}: {quoted(act.text)} is not legal for seat {mover}")
        self._next[number] += 1
        return action

    def _ask_again(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Ask the agents that are known, and compare what they do with the records."""
        answers = self._games.answers(self._cast, rows)
        wrong = rows[(answers[rows] != actions[rows]) & (answers[rows] != SKIP)]
        for number in wrong.tolist():
            mover = int(self._games.batch.arrays.movers[number])
            agent = self._cast.agents[int(self._cast.owners[number, mover])]
            if not self._is_near(agent, number, int(actions[number])):
                act = self._acts[number][self._next[number] - 1]
                raise self._wrong(
                    number,
                    f"event {act.event}: seat {mover} is {quoted(agent.name)}, which plays "
                    f"{ACTION_TEXTS[answers[number]]!r} here, found {quoted(act.text)}",
                )

    def _is_near(self, agent: Agent, number: int, action: int) -> bool:
        """Return whether a network might have played an action on another machine, whose sums end differently."""
        if not isinstance(agent, NetworkAgent):
            return False
        only = slice(number, number + 1)
        observations, masks = self._games.batch.arrays.observations[only], self._games.batch.arrays.masks[only]
        if agent.draws:
            bits = np.empty(1, np.uint64)
            decision_bits(self._games.states, np.array([number]), bits)
            probabilities = agent.network.probabilities(observations, masks).astype(np.float64)
            return bool(nearly_drawn(probabilities, bits, np.array([action]), _SLACK)[0])
        logits = agent.network.evaluate(observations)[0][0]
        return bool(logits[action] > logits[masks[0]].max() - _NEAR)

    def _compare(self, number: int) -> None:
        right = self._games.line(number)
        if right == self._lines[number]:
            return
        record, played = self._records[number], json.loads(right)
        for place, event in enumerate(played["events"]):
            found = record["events"][place] if place < len(record["events"]) else "the end"
            if found != event:
                raise self._wrong(number, f"event {place}: {event} is expected, found {quoted(found)}")
        if len(record["events"]) > len(played["events"]):
            raise self._wrong(number, f"event {len(played['events'])}: the game is over, but the record continues")
        for key in ("scores", "winners"):
            if record.get(key) != played[key]:
                raise self._wrong(
                    number, f"its {key} are {quoted(record.get(key))}, but the game ends with {played[key]}"
                )
        raise self._wrong(number, "the record is not written as the protocol writes it, without blanks or further keys")


def _acts(events: list[Any]) -> list[_Act]:
    return [
        _Act(number, event[1], event[2])
        for number, event in enumerate(events)
        if isinstance(event, list) and len(event) == 3 and event[0] == "act"
    ]
