"""What both trainers share: schedules, their state for a checkpoint, and weights that must stay finite."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from crypt_env import CryptError
from crypt_env.table import checked_number, positive

from .checks import check_all_like, check_like, whole_in
from .schedules import Schedule, remaining, value_at

BROKEN = "training broke: the weights are no longer finite; a lower learning_rate may help"

_MOMENTS = ("exp_avg", "exp_avg_sq")
_MOST_STEPS = 2**24
"""Of the optimizer; torch counts them in float32, where larger whole numbers have gaps."""


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO for self-play; see `FastMaskablePPO` and `SeatMaskablePPO`."""

    time_used = 0.0
    """Share of the time limit that is used up, if there is a limit; schedules then follow the clock."""

    _rng: np.random.Generator

    def __init__(
        self, *arguments: Any, reward_scale: float = 1.0, ent_coef: float | Schedule = 0.0, **options: Any
    ) -> None:
        """Make a model.

        Args:
            *arguments: policy and environment, as for `MaskablePPO`.
            reward_scale: a factor for rewards; the largest returns should then be about 1.
            ent_coef: weight of the entropy; unlike that of `MaskablePPO` it may be a schedule.
            **options: all others of `MaskablePPO`.

        Raises:
            CryptError: an argument is not possible.
        """
        self.reward_scale = checked_number("reward_scale", reward_scale, 0)
        if not self.reward_scale:
            raise CryptError(f"reward_scale={reward_scale!r} is not possible; a number above 0 is needed")
        self.schedules: dict[str, Schedule] = {"ent_coef": ent_coef} if callable(ent_coef) else {}
        """By the name of the attribute, those that Stable-Baselines3 itself does not follow."""
        super().__init__(*arguments, **{**options, "ent_coef": value_at(ent_coef, 1.0)})

    def _setup_model(self) -> None:
        """Make the network, and the generator that draws minibatches."""
        self._check_numbers()
        super()._setup_model()
        self._rng = np.random.default_rng(self.seed)

    def _check_numbers(self) -> None:
        """Refuse numbers with which nothing would be learned, or something else than was meant.

        Here the attributes are set, whether they were given by name, by place or by a file; schedules are not called.
        """
        for name in ("n_steps", "batch_size", "n_epochs"):
            positive(name, getattr(self, name))
        for name in ("gamma", "gae_lambda"):
            checked_number(name, getattr(self, name), 0, 1)
        for name in ("ent_coef", "vf_coef", "learning_rate", "clip_range", "max_grad_norm"):
            number = getattr(self, name)
            if not callable(number) and (name, number) != ("max_grad_norm", math.inf):
                checked_number(name, number, 0)
        if self.target_kl is not None:
            checked_number("target_kl", self.target_kl, 0)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_rng", "rollout_buffer_class", "time_used"]

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        """Set how much is left, for the schedules of the learning rate and of the clip ranges."""
        self._current_progress_remaining = remaining(num_timesteps, total_timesteps, self.time_used)

    def _follow_schedules(self) -> None:
        """Set what follows `schedules`, at the start of each rollout."""
        left = remaining(self.num_timesteps, self._total_timesteps, self.time_used)
        for name, schedule in self.schedules.items():
            setattr(self, name, schedule(left))

    def check_finite(self, losses: Iterable[float] = ()) -> None:
        """Raise CryptError unless losses and weights are finite."""
        is_finite = all(map(math.isfinite, losses)) and all(part.isfinite().all() for part in self.policy.parameters())
        if not is_finite:
            raise CryptError(BROKEN)

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return all that changes in a training, including its games: a model that loads it continues bit for bit."""
        moments = self.policy.optimizer.state_dict()["state"]
        return {
            "decisions": self.num_timesteps,
            "updates": self._n_updates,
            "policy": self.policy.state_dict(),
            "optimizer": [
                {part: moments[number][part] for part in ("step", *_MOMENTS)} for number in range(len(moments))
            ],
            "generator": self._rng.bit_generator.state,
            "torch": torch.get_rng_state(),
            "games": self._games.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over the state of another model.

        Raises:
            ValueError: the state is of other games or another network, or not possible. A state of another form may
                also lead to a KeyError, a TypeError and the like.
        """
        self._games.load_state_dict(state["games"])
        self._last_obs = self._games.arrays.observations
        self._last_episode_starts = self._games.arrays.dones
        self.num_timesteps = whole_in(state, "decisions")
        self._n_updates = whole_in(state, "updates")
        self._rng.bit_generator.state = state["generator"]
        check_like("torch", state["torch"], torch.get_rng_state())
        torch.set_rng_state(state["torch"])
        check_all_like("policy", state["policy"], self.policy.state_dict())
        self.policy.load_state_dict(state["policy"])
        self._load_optimizer(state["optimizer"])

    @property
    def _games(self) -> Any:
        """The `SelfPlayVecEnv`."""
        if self.env is None:
            raise CryptError("the model has no games; set_env gives it some")
        return self.env

    def _load_optimizer(self, moments: Any) -> None:
        """Restore the optimizer's moments of each weight; there are none before its first step."""
        optimizer = self.policy.optimizer
        weights = [weight for group in optimizer.param_groups for weight in group["params"]]
        if len(moments) not in (0, len(weights)):
            raise ValueError(f"its optimizer knows {len(moments)} weights, not {len(weights)}")
        for number, (known, weight) in enumerate(zip(moments, weights, strict=False)):
            wanted = {"step": torch.tensor(0.0), **dict.fromkeys(_MOMENTS, weight.detach())}
            check_all_like(f"optimizer {number}", known, wanted)
            if not 0 <= known["step"] <= _MOST_STEPS or (known["exp_avg_sq"] < 0).any():
                raise ValueError(f"optimizer {number} holds numbers that no optimizer produces")
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": dict(enumerate(moments)), "param_groups": groups})
