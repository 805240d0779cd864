"""Agents of this package as bots for OpenSpiel, and the resampler that its own bots need to play Crypt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from crypt_env.agents.base import ask
from crypt_env.agents.registry import AnyAgent, make_agent
from crypt_env.errors import CryptError, IllegalActionError, counted
from crypt_env.notation.position import State, describe_refusal
from crypt_env.rules.actions import ACTIONS, DRAW
from crypt_env.rules.batch import views
from crypt_env.rules.state import NONE

from .fields import DECISION
from .game import CryptState, TableGame
from .point import point_of, resampled


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of this package as a bot. It gets what its seat may know, and no more."""

    def __init__(self, agent: AnyAgent, seed: int | None = None) -> None:
        """Make a bot.

        Args:
            agent: an agent, or its name such as ``greedy`` or ``search:200``.
            seed: of the agent's random bits; drawn if not given.
        """
        super().__init__()
        self._agent = make_agent(agent)
        self._chance = np.random.default_rng(seed)
        self._memory = np.zeros((1, self._agent.memory_size), np.float32)

    def restart(self) -> None:
        """Forget the game that was played."""
        self._memory[:] = 0

    def restart_at(self, state: CryptState) -> None:
        """Forget the game that was played."""
        self.restart()

    def step(self, state: CryptState) -> int:
        """Return the action that the agent plays for the seat that decides.

        Raises:
            CryptError: no seat decides there.
            IllegalActionError: the agent's action is not legal.
        """
        if state.point.kind != DECISION:
            raise CryptError("no seat decides in this state, so there is nothing to choose")
        row = state.point.row
        row["seed"] = self._chance.integers(2**64, dtype=np.uint64)
        observations, masks = views(row)
        action = int(ask(self._agent, row, np.zeros(1, np.int64), observations, masks, self._memory)[0])
        if action == DRAW:
            return int(self._chance.choice(masks[0].nonzero()[0]))
        if action >= ACTIONS or not masks[0, action]:
            raise IllegalActionError(f"agent {self._agent.name!r}: {describe_refusal(row[0], action)}")
        return action

    def step_with_policy(self, state: CryptState) -> tuple[list[tuple[int, float]], int]:
        """Return the policy that always plays the action, and the action."""
        action = self.step(state)
        return [(action, 1.0)], action


def resampler(seed: int | None = None) -> Callable[[CryptState, int], CryptState]:
    """Return a function for ``ISMCTSBot.set_resampler``: it re-deals all that a player cannot know.

    Every deal that is consistent with the player's knowledge is equally likely.

    Args:
        seed: of the deals; drawn if not given.
    """
    chance = np.random.default_rng(seed)

    def resample(state: CryptState, player: int) -> CryptState:
        clone: CryptState = state.clone()
        clone.point = resampled(state.point, player, int(chance.integers(2**64, dtype=np.uint64)))
        return clone

    return resample


def state_of_row(game: TableGame, row: State) -> CryptState:
    """Return the state, without a history, of a game in which a seat decides, given as an array of one row.

    Raises:
        CryptError: no seat decides in it, or it is of another number of players.
    """
    if row["mover"][0] == NONE:
        raise CryptError("no seat decides in this game, so it is no state; it is over or was not dealt yet")
    players = int(row["players"][0])
    if players != game.num_players():
        raise CryptError(f"this is a game of {counted(players, 'player')}; one of {game.num_players()} is needed")
    state: Any = game.new_initial_state()
    state.point = point_of(row)
    return state  # type: ignore[no-any-return]
