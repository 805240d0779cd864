"""Agents in one game that is played move by move, such as in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .base import Agent, action_text, view_game
from .cast import Cast

if TYPE_CHECKING:
    from crypt_env.game import Game

_ROW = np.zeros(1, np.int64)


class OneGame:
    """Agents that remember what they did and what was decided before in a game, as they do in a batch."""

    def __init__(self, agents: Sequence[Agent | None]) -> None:
        """Take an agent for each seat, None where somebody else decides."""
        self._agents = agents
        known = list(dict.fromkeys(agent for agent in agents if agent is not None))
        self._cast = Cast(1, known)
        for seat, agent in enumerate(agents):
            if agent is not None:
                self._cast.owners[0, seat] = known.index(agent)

    def choose(self, game: Game) -> str:
        """Return the text of the action that the agent of the seat to move plays; it must then be played.

        Raises:
            CryptError: the game is over, or the agent does not answer with one whole number.
            IllegalActionError: the agent's action is not legal.
        """
        arrays, actions = view_game(game), np.zeros(1, np.int64)
        agent = self._agents[int(arrays.movers[0])]
        assert agent is not None
        self._cast.answer(game.state, arrays, _ROW, actions)
        return action_text(agent, game, arrays.masks[0], int(actions[0]))

    def keep(self, state: NDArray[np.void], action: int) -> None:
        """Note what somebody else played in a state of the game."""
        self._cast.keep(state, _ROW, np.array([action]))

    def forget(self) -> None:
        """Forget all that was remembered, as after decisions were taken back."""
        self._cast.forget(_ROW)
