"""Many games in which one network plays all seats, for trainers: as arrays, and as a `VecEnv` on top of them.

A step is one decision of whoever is asked in each game. In some games a `League` may give seats to other agents; their
decisions are played by them and no business of the trainer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from crypt_env import ACTIONS, Arrays, Batch, CryptError, new_arrays
from crypt_env.agents.cast import NOBODY
from crypt_env.envs.spaces import Actions, observations
from crypt_env.table import seed_bits

from .league import League


class SelfPlayVecEnv(VecEnv):
    """N games in which every decision is the learner's, whoever's seat it is; but for seats of the league's agents.

    To Stable-Baselines3 a step returns the next mover's observation and what the last mover was paid at once. That is
    not enough to learn from: losers are paid on somebody else's move. Trainers for self-play read `step_movers`,
    `step_rewards`, `step_dones` and `step_is_learner` as well.
    """

    def __init__(
        self,
        num_envs: int,
        players: int | Sequence[int] = 2,
        collectors: str = "random",
        reward: str = "win",
        dense: bool = False,
        league: League | None = None,
        seed: int = 0,
    ) -> None:
        """Prepare the games; the arguments are those of `Batch`.

        Raises:
            CryptError: one of them is not possible.
        """
        if not isinstance(dense, bool):
            raise CryptError(f"dense={dense!r} is not possible; allowed are True and False")
        self.batch = Batch(num_envs, players, collectors, reward=reward, dense=dense, seed=seed)
        self.league = league
        if league is not None:
            league.sit_down(self.batch)
        self.arrays: Arrays = new_arrays(num_envs)
        self.render_mode = None
        self._actions: Any = None
        self._rows = np.arange(num_envs)
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        super().__init__(num_envs, observations(), Actions(ACTIONS))

    # -- for trainers -------------------------------------------------------------------------------------------------

    def deal(self) -> None:
        """Deal all games from the start."""
        self.arrays = self.batch.reset(into=new_arrays(self.num_envs))
        if self.league is not None:
            self.league.seat(self._rows)
        self._returns[:] = 0
        self._lengths[:] = 0

    def is_learner(self, movers: NDArray[np.int8], games: slice = slice(None)) -> NDArray[np.bool_]:
        """Return whether the learner plays the seats that are asked in some games."""
        if self.league is None:
            return np.ones(len(movers), np.bool_)
        owners = self.league.owners[games]
        return np.asarray(owners[np.arange(len(movers)), movers] == NOBODY)

    def count_episodes(
        self, movers: NDArray[np.int8], rewards: NDArray[np.float32], dones: NDArray[np.bool_]
    ) -> list[dict[str, Any]]:
        """Return the infos of the games that ended in a step: what seat 0 was paid, and how many decisions it took."""
        self._returns += rewards[:, 0]
        self._lengths += 1
        ended = np.flatnonzero(dones)
        infos = [{"episode": {"r": self._returns[game], "l": int(self._lengths[game]), "t": 0.0}} for game in ended]
        self._returns[ended] = 0
        self._lengths[ended] = 0
        return infos

    # -- for Stable-Baselines3 ----------------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Have the next `reset` deal the games of a seed."""
        if seed is not None:
            self.batch.seed = seed_bits(seed)
        self._seeds = [self.batch.seed] * self.num_envs
        return self._seeds

    def reset(self) -> NDArray[np.int8]:
        """Deal all games from the start."""
        self.deal()
        self._reset_seeds()
        return self.arrays.observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions; `step_wait` plays them."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play an action in each game; where an agent of the league is asked, its own instead."""
        before = self.arrays
        self.step_movers = before.movers
        self.step_is_learner = self.is_learner(before.movers)
        actions = np.array(self._actions, np.int64)
        if self.league is not None:
            self.league.answer(before, np.flatnonzero(~self.step_is_learner), actions)
        self.arrays = after = self.batch.step(actions, new_arrays(self.num_envs))
        self.step_rewards, self.step_dones = after.rewards, after.dones
        if self.league is not None:
            self.league.follow(after.rewards, after.dones)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = self.count_episodes(before.movers, after.rewards, after.dones)
        for game, info in zip(np.flatnonzero(after.dones).tolist(), ended, strict=True):
            infos[game] = info
        return after.observations, after.rewards[self._rows, before.movers], after.dones, infos

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the masks of all games; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"SelfPlayVecEnv has no method {method_name!r} for each game")
        masks = list(self.arrays.masks)
        return [masks[game] for game in self._get_indices(indices)]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return what the seats that are asked may do. [N, ACTIONS]"""
        return self.arrays.masks

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this object for each game."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of this object."""
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
