"""`SeatMaskablePPO`: PPO for self-play on Stable-Baselines3's own loop, the reference for `FastMaskablePPO`.

It is sb3-contrib's MaskablePPO with one change, a rollout buffer that knows whose decision each was: the shortest
description of how self-play is learned here. It takes any policy, including networks that the fast trainer cannot
train, and is several times slower. ``tests/ppo/test_reference.py`` checks that both make the same step from a rollout.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples

from crypt_env import CryptError
from crypt_env.rules.cards import MAX_PLAYERS

from .base import BROKEN, SelfPlayPPO
from .selfplay import SelfPlayVecEnv

_DISTRIBUTION = "of distribution MaskableCategorical"
"""A part of torch's error about logits that are not finite; other ValueErrors may come from a user's own code."""
_FLATTENED = ("observations", "actions", "values", "log_probs", "advantages", "returns", "action_masks")


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """A rollout of self-play: advantages are computed along each (game, seat)."""

    def attach(self, venv: SelfPlayVecEnv, reward_scale: float, generator: np.random.Generator) -> None:
        """Ask these games who moved and who was paid; shuffle by this generator."""
        self._venv, self._reward_scale, self._generator = venv, reward_scale, generator

    def reset(self) -> None:
        """Begin a new rollout."""
        super().reset()
        shape = self.buffer_size, self.n_envs
        self.movers = np.zeros(shape, np.int8)
        self.seat_rewards = np.zeros((*shape, MAX_PLAYERS), np.float32)
        self.dones = np.zeros(shape, np.bool_)
        self.is_learner = np.zeros(shape, np.bool_)
        self.is_closed = np.zeros(shape, np.bool_)

    def add(self, *arguments: Any, **options: Any) -> None:
        """Add a step, directly after it was played."""
        step, venv = self.pos, self._venv
        self.movers[step], self.seat_rewards[step] = venv.step_movers, venv.step_rewards
        self.dones[step], self.is_learner[step] = venv.step_dones, venv.step_is_learner
        super().add(*arguments, **options)

    def compute_returns_and_advantage(self, last_values: Any, dones: NDArray[np.bool_]) -> None:
        """Go backwards through the rollout, with what is known of each seat's own next decision."""
        games = np.arange(self.n_envs)
        seats = self.n_envs, MAX_PLAYERS
        paid, later_value, later_advantage = (np.zeros(seats, np.float32) for _ in range(3))
        is_known = np.zeros(seats, np.bool_)
        # Only the seat that decides next has a value for what follows.
        after = self._venv.arrays.movers
        later_value[games, after] = last_values.clone().cpu().numpy().flatten()
        is_known[games, after] = True
        for step in reversed(range(self.buffer_size)):
            ended, mine = self.dones[step], (games, self.movers[step])
            paid[ended] = later_value[ended] = later_advantage[ended] = 0
            is_known[ended] = True
            paid += self._reward_scale * self.seat_rewards[step]
            error = paid[mine] + self.gamma * later_value[mine] - self.values[step]
            advantage = error + self.gamma * self.gae_lambda * later_advantage[mine]
            self.is_closed[step] = is_known[mine]
            self.advantages[step] = np.where(is_known[mine], advantage, 0)
            paid[mine] = 0
            later_value[mine], later_advantage[mine], is_known[mine] = self.values[step], self.advantages[step], True
        self.returns = self.advantages + self.values

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield minibatches of even size, without decisions that are still open or were not the learner's.

        Raises:
            CryptError: fewer than two are left, so that advantages cannot be normalized.
        """
        rows = np.flatnonzero(self.swap_and_flatten(self.is_closed & self.is_learner))
        if len(rows) < 2:
            raise CryptError(f"{self.buffer_size} steps are too few: hardly any seat has decided twice")
        if not self.generator_ready:
            for name in _FLATTENED:
                setattr(self, name, self.swap_and_flatten(getattr(self, name)))
            self.generator_ready = True
        parts = max(1, round(len(rows) / (batch_size or len(rows))))
        for minibatch in np.array_split(self._generator.permutation(rows), parts):
            yield self._get_samples(minibatch)


class SeatMaskablePPO(SelfPlayPPO):
    """MaskablePPO on a `SelfPlayVecEnv`, with any policy."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"rollout_buffer_class": SeatRolloutBuffer, **options})

    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, *more: Any, **options: Any) -> bool:
        """Play a rollout."""
        if not isinstance(env, SelfPlayVecEnv):
            raise CryptError(f"SeatMaskablePPO learns only from a SelfPlayVecEnv, and this is a {type(env).__name__}")
        self._follow_schedules()
        rollout_buffer.attach(env, self.reward_scale, self._rng)
        if env.league is not None:
            env.league.refresh()
        with self._sure_of_weights():
            return super().collect_rollouts(env, callback, rollout_buffer, *more, **options)

    def train(self) -> None:
        """Learn from the rollout.

        Raises:
            CryptError: the weights are no longer finite.
        """
        with self._sure_of_weights():
            super().train()
        self.check_finite()

    @contextmanager
    def _sure_of_weights(self) -> Iterator[None]:
        """Turn torch's error about probabilities that are not finite into one sentence about the weights."""
        try:
            yield
        except ValueError as error:
            if _DISTRIBUTION in str(error):
                raise CryptError(BROKEN) from error
            raise
