"""One seat against agents, for RLlib's own vector runner: observations with masks, and restarts that it understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from crypt_env.envs.vector import SeatVectorEnv

from .games import MASK, OBSERVATIONS, masked_observations

Seen = dict[str, NDArray[np.int8]]


class MaskedVectorEnv(SeatVectorEnv):
    """`SeatVectorEnv` with observations that hold the mask, and the step after the end of a game as its reset.

    >>> from ray.tune.registry import register_env  # doctest: +SKIP
    >>> register_env("crypt", MaskedVectorEnv.create)  # doctest: +SKIP
    """

    def __init__(self, num_envs: int = 1, **arguments: Any) -> None:
        """Prepare the games; arguments are those of `SeatVectorEnv`, by default with ``autoreset_mode="NextStep"``."""
        super().__init__(num_envs, **{"autoreset_mode": AutoresetMode.NEXT_STEP, **arguments})
        self.single_observation_space: Any = masked_observations()
        self.observation_space: Any = batch_space(self.single_observation_space, num_envs)

    @classmethod
    def create(cls, config: Mapping[str, Any]) -> MaskedVectorEnv:
        """Return the games that RLlib asks for: ``env_config``, with "num_envs" added."""
        return cls(**config)

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Deal all games or some, as `SeatVectorEnv` does."""
        observations, infos = super().reset(**arguments)
        return _with_masks(observations, infos), infos

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action of each learner, as `SeatVectorEnv` does."""
        observations, *others, infos = super().step(actions)
        rewards, terminations, truncations = others
        return _with_masks(observations, infos), rewards, terminations, truncations, infos


def _with_masks(observations: NDArray[np.int8], infos: dict[str, Any]) -> Seen:
    """Return observations and masks as one dictionary."""
    return {OBSERVATIONS: observations, MASK: infos["action_mask"]}
