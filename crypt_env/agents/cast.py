"""`Cast`: which agent plays which seat of which game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crypt_env.batch import Batch
from crypt_env.errors import IllegalActionError
from crypt_env.notation.position import describe_refusal
from crypt_env.rules.actions import DRAW
from crypt_env.rules.arrays import Arrays
from crypt_env.rules.batch import check_rows
from crypt_env.rules.cards import MAX_PLAYERS

from .base import ask
from .random import RandomAgent
from .registry import AnyAgent, make_agent

NOBODY = -1
"""The owner of a seat that no agent of the cast plays, such as the learner's."""


class Cast:
    """Agents at the tables of a batch: each is asked for all of its decisions at once."""

    def __init__(self, games: int, agents: Sequence[AnyAgent]) -> None:
        """Make the agents known, for this many games; nobody has a seat yet."""
        self.agents = [make_agent(agent) for agent in agents]
        self.owners = np.full((games, MAX_PLAYERS), NOBODY, np.int8)
        """[N, seats]: the number of the agent that plays the seat, or `NOBODY`."""
        self._memories = [np.zeros((games, MAX_PLAYERS, agent.memory_size), np.float32) for agent in self.agents]

    def add(self, agent: AnyAgent) -> None:
        """Make one more agent known."""
        made = make_agent(agent)
        self.agents.append(made)
        self._memories.append(np.zeros((*self.owners.shape, made.memory_size), np.float32))

    def forget(self, games: NDArray[np.int64]) -> None:
        """Clear what the agents keep of the games listed; to be called when they begin."""
        for memory in self._memories:
            memory[games] = 0

    def answer(
        self, states: NDArray[np.void], arrays: Arrays, games: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> None:
        """Write an action for each of the games listed to its place; agents of the cast decide in all of these."""
        movers = arrays.movers[games]
        owners = self.owners[games, movers]
        for number, agent in enumerate(self.agents):
            mine = owners == number
            if not mine.any():
                continue
            rows = games[mine]
            if isinstance(agent, RandomAgent):
                actions[rows] = DRAW  # as it would answer, but nobody gathers what it does not look at
                continue
            seats = (rows, movers[mine])
            kept = self._memories[number][seats]
            actions[rows] = ask(agent, states, rows, arrays.observations[rows], arrays.masks[rows], kept)
            self._memories[number][seats] = kept

    def step(self, batch: Batch, actions: NDArray[np.int64], into: Arrays | None = None) -> Arrays:
        """Play in a batch what agents of the cast have answered, see `Batch.step`.

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
