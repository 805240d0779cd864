"""`Cast`: which agent plays which seat of which game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crypt_env.batch import Batch
from crypt_env.errors import CryptError, IllegalActionError
from crypt_env.notation.position import describe_refusal
from crypt_env.rules.actions import DRAW
from crypt_env.rules.batch import Arrays, check_rows
from crypt_env.rules.cards import MAX_PLAYERS

from .base import Agent, ask
from .past import PastLog
from .random import RandomAgent
from .registry import AnyAgent, make_agent

NO_AGENT = -1
"""The owner of a seat that no agent of the cast plays, such as a learner's."""
MOST_AGENTS = 2**15
"""Agents of one cast: as many as the type of `Cast.owners` can number."""


class Cast:
    """The agents at the tables of a batch. Each makes all of its decisions in one call."""

    def __init__(self, games: int, agents: Sequence[AnyAgent]) -> None:
        """Register the agents, for this many games; no seats are assigned yet."""
        self.agents: list[Agent] = []
        self.owners = np.full((games, MAX_PLAYERS), NO_AGENT, np.int16)
        """[N, seats]: the number of the agent that plays the seat, or `NO_AGENT`."""
        self._memories: list[NDArray[np.float32]] = []
        self._log: PastLog | None = None
        for agent in agents:
            self.add(agent)

    def add(self, agent: AnyAgent) -> None:
        """Register one more agent.

        Raises:
            CryptError: there is no such agent, or there are too many.
        """
        if len(self.agents) == MOST_AGENTS:
            raise CryptError(f"more than {MOST_AGENTS} agents were given; at most that many can play")
        made = make_agent(agent)
        if made.needs_past and self._log is None:
            self._log = PastLog(len(self.owners))
        self.agents.append(made)
        self._memories.append(np.zeros((*self.owners.shape, made.memory_size), np.float32))

    def forget(self, games: NDArray[np.int64]) -> None:
        """Clear the agents' memories of the games listed; call it when those games begin."""
        for memory in self._memories:
            memory[games] = 0
        if self._log is not None:
            self._log.forget(games.tolist())

    def answer(
        self, states: NDArray[np.void], arrays: Arrays, games: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> None:
        """Write actions for the games listed to their places; those of seats without an agent stay as they are."""
        movers = arrays.movers[games]
        owners = self.owners[games, movers]
        for number, agent in enumerate(self.agents):
            mine = owners == number
            if not mine.any():
                continue
            rows = games[mine]
            if isinstance(agent, RandomAgent):
                actions[rows] = DRAW  # what it would answer, without gathering inputs that it ignores
                continue
            seats = (rows, movers[mine])
            kept = self._memories[number][seats]
            actions[rows] = ask(agent, states, rows, arrays.observations[rows], arrays.masks[rows], kept, self._log)
            self._memories[number][seats] = kept
        if self._log is not None:
            self.keep(states, games[owners != NO_AGENT], actions)

    @property
    def keeps_past(self) -> bool:
        """Return whether any agent needs to know what was decided before."""
        return self._log is not None

    def keep(self, states: NDArray[np.void], games: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note actions that others than the agents are about to play in the games listed. ``actions`` has all games."""
        if self._log is not None:
            self._log.keep(states, games, actions[games])

    def step(self, batch: Batch, actions: NDArray[np.int64], into: Arrays | None = None) -> Arrays:
        """Play the answers of the cast in a batch, see `Batch.step`.

        Raises:
            IllegalActionError: an answer is not legal; no game has changed. It names the agent, its seat and the game.
        """
        try:
            return batch.step(actions, into)
        except IllegalActionError as error:
            row = check_rows(batch.states, 0, len(batch), actions)
            game = batch.states[row]
            agent = self.agents[int(self.owners[row, game["mover"]])]
            refusal = describe_refusal(game, int(actions[row]))
            raise IllegalActionError(
                f"agent {agent.name!r} gave an illegal action in game {int(game['index'])}: {refusal}"
            ) from error
