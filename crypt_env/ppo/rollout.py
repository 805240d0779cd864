"""A rollout: T decisions in each of N games, written by the engine to where the trainer wants them.

Two threads can each play half of the games: nothing but the network is shared, and each game has its own chance, so how
the games are split does not matter.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from crypt_env import ACTIONS, FEATURES, CryptError
from crypt_env.envs.sb3 import SharedTrunk
from crypt_env.rules.arrays import Arrays
from crypt_env.rules.batch import decision_bits, step_rows
from crypt_env.rules.cards import MAX_PLAYERS

from .kernels import copy_columns, draw_actions, seat_advantages
from .selfplay import SelfPlayVecEnv

Forward = Callable[[torch.Tensor], torch.Tensor]
"""Columns of observations in, logits and values out, float32 [n, ACTIONS + 1]."""


class Rollout:
    """The arrays of a rollout, [T, N, ...], and what is computed from them."""

    def __init__(self, steps: int, venv: SelfPlayVecEnv, trunk: SharedTrunk) -> None:
        """Make room for so many steps; of the observations what the network sees is kept."""
        games = venv.num_envs
        self.venv, self.steps, self.games = venv, steps, games
        self._columns: NDArray[np.int64] = trunk.columns.numpy()
        self._above: NDArray[np.int8] = np.zeros(0, np.int8) if trunk.above is None else trunk.above.numpy()
        self._states = venv.batch.states
        self._memory = venv.batch.states.view(np.uint8)
        self._rows = np.arange(games)
        self._bits = np.empty(games, np.uint64)
        # The engine writes whole observations for two steps in turn; the columns of each are copied to the rollout.
        self._observations = np.zeros((2, games, FEATURES), np.int8)
        self.seen = np.zeros((steps + 1, games, len(self._columns)), np.int8)
        self.masks = np.zeros((steps + 1, games, ACTIONS), np.bool_)
        self.movers = np.zeros((steps + 1, games), np.int8)
        self.values = np.zeros((steps + 1, games), np.float32)
        self.actions = np.zeros((steps, games), np.int64)
        self.log_chances = np.zeros((steps, games), np.float32)
        self.rewards = np.zeros((steps, games, MAX_PLAYERS), np.float32)
        self.dones = np.zeros((steps, games), np.bool_)
        self.is_learner = np.ones((steps, games), np.bool_)
        self.advantages = np.zeros((steps, games), np.float32)
        self.is_closed = np.zeros((steps, games), np.bool_)
        self._no_finals = np.zeros((0, FEATURES), np.int8)

    def begin(self) -> None:
        """Go on where the games stand."""
        now = self.venv.arrays
        self._observations[0], self.masks[0], self.movers[0] = now.observations, now.masks, now.movers

    def play(self, start: int, stop: int, forward: Forward) -> None:
        """Play all steps of the games ``start`` to ``stop - 1``."""
        for step in range(self.steps):
            self._decide(step, start, stop, forward)
            refused = step_rows(
                self._memory,
                start,
                stop,
                self._observations[(step + 1) % 2],
                self.masks[step + 1],
                self.movers[step + 1],
                self.rewards[step],
                self.dones[step],
                self._no_finals,
                self.actions[step],
            )
            if refused != -1:
                raise CryptError(f"the engine refused action {self.actions[step, refused]} of game {refused}")
            if self.venv.league is not None:
                self.venv.league.follow(self.rewards[step, start:stop], self.dones[step, start:stop], start)
        self._look(self.steps, start, stop, forward)

    def _look(self, step: int, start: int, stop: int, forward: Forward) -> torch.Tensor:
        """Ask the network about the decisions of a step; keep its values."""
        seen = self.seen[step, start:stop]
        copy_columns(self._observations[step % 2, start:stop], self._columns, self._above, seen)
        outputs = forward(torch.from_numpy(seen))
        self.values[step, start:stop] = outputs[:, ACTIONS].numpy()
        return outputs

    def _decide(self, step: int, start: int, stop: int, forward: Forward) -> None:
        """Choose the actions of a step."""
        outputs = self._look(step, start, stop, forward)
        bits = self._bits[start:stop]
        decision_bits(self._states, self._rows[start:stop], bits)
        masks, actions = self.masks[step, start:stop], self.actions[step, start:stop]
        empty = draw_actions(
            outputs.numpy(), masks, bits, actions, self.log_chances[step, start:stop], self.values[step, start:stop]
        )
        if empty >= 0:
            raise CryptError(f"game {start + empty} asks for a decision without a legal action, or the network broke")
        league = self.venv.league
        if league is not None:
            movers = self.movers[step, start:stop]
            self.is_learner[step, start:stop] = self.venv.is_learner(movers, slice(start, stop))
            others = start + np.flatnonzero(~self.is_learner[step, start:stop])
            league.answer(self._arrays(step), others, self.actions[step])

    def _arrays(self, step: int) -> Arrays:
        """Return what a step has written, as the league reads it."""
        return Arrays(
            self._observations[step % 2],
            self.masks[step],
            self.movers[step],
            self.rewards[step - 1],
            self.dones[step - 1],
            self._no_finals,
        )

    def end(self, gamma: float, gae_lambda: float, reward_scale: float) -> NDArray[np.int64]:
        """Compute the advantages; return the rows to learn from, as numbers from 0 to T * N - 1."""
        last = self.steps
        self.venv.arrays = Arrays(
            self._observations[last % 2].copy(),
            self.masks[last].copy(),
            self.movers[last].copy(),
            self.rewards[last - 1].copy(),
            self.dones[last - 1].copy(),
            np.zeros((self.games, FEATURES), np.int8),
        )
        seat_advantages(
            self.movers,
            self.rewards,
            self.dones,
            self.values,
            gamma,
            gae_lambda,
            reward_scale,
            self.advantages,
            self.is_closed,
        )
        return np.flatnonzero(self.is_closed & self.is_learner)
