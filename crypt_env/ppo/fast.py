"""`FastMaskablePPO`: sb3-contrib's MaskablePPO for self-play, several times faster.

To the outside it is a `MaskablePPO`: same arguments, callbacks and logger keys, and plain `MaskablePPO` loads its zip
and plays the same. Inside, the engine writes rollouts in place (`rollout`), sampling and the loss are compiled
(`kernels`), matrices are multiplied in bf16 where the processor can, and two threads share the work.

It differs from `MaskablePPO` on purpose: advantages follow each (game, seat) by itself and are normalised over all of a
rollout, `target_kl` is looked at after each epoch, and minibatches are of even size.
"""

from __future__ import annotations

import copy
import ctypes
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance

from crypt_env import ACTIONS, CryptError
from crypt_env.agents.network import Network
from crypt_env.envs.sb3 import SharedTrunk

from .base import SelfPlayPPO, checked_number
from .kernels import ppo_loss
from .rollout import Rollout
from .selfplay import SelfPlayVecEnv
from .teachers import Teachers

Rows = NDArray[np.int64]
Lesson = tuple[Teachers, float]
"""Who teaches, and what the lessons weigh."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What glibc calls M_TRIM_THRESHOLD and M_MMAP_THRESHOLD."""


def has_bf16() -> bool:
    """Return whether this processor multiplies bf16 matrices in hardware."""
    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe is not None and probe())


def keep_memory() -> None:
    """Have the C library keep freed memory for the next minibatch; to return and fetch it each time costs a tenth."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return  # no glibc
    set_option(_TRIM_THRESHOLD, 2**30)
    set_option(_MMAP_THRESHOLD, 2**25)


def _parts(policy: MaskableActorCriticPolicy) -> list[torch.nn.Module]:
    """Return the trunk of a policy and its two heads."""
    extractor = policy.features_extractor
    if not isinstance(extractor, SharedTrunk):
        raise CryptError(
            "FastMaskablePPO needs a network with a shared trunk: policy_kwargs=crypt_env.envs.sb3.trunk(players)"
        )
    return [extractor.layers, policy.action_net, policy.value_net]


class _NoBuffer(MaskableRolloutBuffer):
    """Stands where Stable-Baselines3 wants a buffer, and holds nothing."""

    def reset(self) -> None:
        """Do nothing."""


class _Worker:
    """A network that shares its weights with the policy, but has gradients of its own, and the games it plays."""

    def __init__(self, policy: MaskableActorCriticPolicy, start: int, stop: int, is_bf16: bool) -> None:
        """Take the games ``start`` to ``stop - 1``."""
        self.start, self.stop, self._is_bf16 = start, stop, is_bf16
        self._parts = _parts(policy)
        if start > 0:
            self._parts = copy.deepcopy(self._parts)
        self.sums = np.zeros(6)

    def share(self, policy: MaskableActorCriticPolicy) -> None:
        """Use the policy's weights, in place."""
        for mine, master in zip(self._parts, _parts(policy), strict=True):
            for weight, shared in zip(mine.parameters(), master.parameters(), strict=True):
                weight.data = shared.data

    def parameters(self) -> list[torch.nn.Parameter]:
        """Return the weights."""
        return [weight for part in self._parts for weight in part.parameters()]

    def outputs(self, seen: torch.Tensor) -> torch.Tensor:
        """Return logits and values of observations, int8 [n, columns], as float32 [n, ACTIONS + 1]."""
        trunk, policy, value = self._parts
        with torch.autocast("cpu", torch.bfloat16, enabled=self._is_bf16):
            hidden = trunk(seen.to(torch.bfloat16 if self._is_bf16 else torch.float32))
            # Both heads at once: a matrix with a single column takes far more time than its share.
            weight, bias = (torch.cat(both) for both in zip(policy.parameters(), value.parameters(), strict=True))
            return torch.nn.functional.linear(hidden, weight, bias).float()

    def play(self, rollout: Rollout) -> None:
        """Play this worker's games."""
        with torch.no_grad():
            rollout.play(self.start, self.stop, self.outputs)

    def learn(self, rollout: Rollout, rows: Rows, lesson: Lesson | None, *more: NDArray[np.float32]) -> None:
        """Add the gradient of the loss of some rows of a rollout to this worker's own."""
        advantages, returns, coefficients = more
        flat = rollout.seen.reshape(-1, rollout.seen.shape[2])
        with torch.enable_grad():
            outputs = self.outputs(torch.from_numpy(flat).index_select(0, torch.from_numpy(rows)))
        gradients = np.empty(outputs.shape, np.float32)
        ppo_loss(
            outputs.detach().numpy(),
            rows,
            rollout.masks.reshape(-1, ACTIONS),
            rollout.actions.reshape(-1),
            rollout.log_chances.reshape(-1),
            rollout.values.reshape(-1),
            advantages,
            returns,
            coefficients,
            gradients,
            self.sums[:5],
        )
        if lesson is not None:
            teachers, weight = lesson
            self.sums[5] += teachers.teach(outputs.detach().numpy(), rows, weight * coefficients[-1], gradients)
        outputs.backward(torch.from_numpy(gradients))  # type: ignore[no-untyped-call]


class FastMaskablePPO(SelfPlayPPO):
    """MaskablePPO in self-play on a `SelfPlayVecEnv`, with a policy from `crypt_env.envs.sb3.trunk`."""

    def __init__(
        self,
        *arguments: Any,
        workers: int = 2,
        precision: str = "auto",
        reward_scale: float = 1.0,
        teachers: Sequence[Network] = (),
        teaching: float = 1.0,
        **options: Any,
    ) -> None:
        """Make a model.

        Args:
            *arguments: policy and environment, as for `MaskablePPO`.
            workers: threads that share the games and the minibatches, 1 or 2.
            precision: "bf16", "fp32", or "auto" for bf16 where the processor has it.
            reward_scale: what one unit of reward counts; about 1 for the largest returns is good.
            teachers: networks to come close to as well, each at the tables that it was trained for.
            teaching: what the KL divergence from them counts.
            **options: all others of `MaskablePPO`.

        Raises:
            CryptError: one of these is not possible.
        """
        if type(workers) is not int or workers not in (1, 2):
            raise CryptError(f"workers={workers!r} is not possible; allowed are 1 and 2")
        if precision not in ("auto", "bf16", "fp32"):
            raise CryptError(f"precision={precision!r} is not possible; allowed are auto, bf16, fp32")
        self.workers, self.precision = workers, precision
        self.reward_scale = checked_number("reward_scale", reward_scale, 0)
        self._networks, self.teaching = list(teachers), checked_number("teaching", teaching, 0)
        options.setdefault("rollout_buffer_class", _NoBuffer)
        options.setdefault("device", "cpu")
        super().__init__(*arguments, **options)

    def _setup_model(self) -> None:
        """Make the network, and the rollout if there are games."""
        super()._setup_model()
        self._rng = np.random.default_rng(self.seed)
        self._rollout: Rollout | None = None
        if self.env is not None:
            self._get_ready(self.env)

    def _get_ready(self, venv: Any) -> None:
        """Make the rollout and the workers for these games."""
        if not isinstance(venv, SelfPlayVecEnv):
            raise CryptError(f"FastMaskablePPO learns from a SelfPlayVecEnv alone, and this is a {type(venv).__name__}")
        keep_memory()
        for group in self.policy.optimizer.param_groups:
            group["fused"] = True  # all weights in one pass
        self._is_bf16 = has_bf16() if self.precision == "auto" else self.precision == "bf16"
        _parts(self.policy)
        trunk = cast(SharedTrunk, self.policy.features_extractor)
        self._rollout = Rollout(self.n_steps, venv, trunk)
        self._teachers = Teachers(self._networks, trunk, self._rollout) if self._networks else None
        bounds = np.linspace(0, venv.num_envs, self.workers + 1).astype(int).tolist()
        self._workers = [_Worker(self.policy, start, stop, self._is_bf16) for start, stop in itertools.pairwise(bounds)]
        self._threads = ThreadPoolExecutor(max(1, self.workers - 1))

    def _excluded_save_params(self) -> list[str]:
        """Return what is not part of the zip."""
        return [*super()._excluded_save_params(), "_rollout", "_workers", "_threads", "_rows", "_networks", "_teachers"]

    def _together(self, tasks: list[Any]) -> None:
        """Run one task for each worker, the first in this thread."""
        others = [self._threads.submit(task) for task in tasks[1:]]
        try:
            tasks[0]()
        finally:
            for other in others:
                other.result()

    # -- rollouts -----------------------------------------------------------------------------------------------------

    def collect_rollouts(self, env: Any, callback: BaseCallback, *_: Any, **__: Any) -> bool:
        """Play a rollout; callbacks are called once for each step, after it."""
        if self._rollout is None or self._rollout.venv is not env:
            self._get_ready(env)
        rollout = self._rollout
        assert rollout is not None
        callback.on_rollout_start()
        for worker in self._workers:
            worker.share(self.policy)
        if env.league is not None:
            env.league.refresh()
        rollout.begin()
        self._together([partial(worker.play, rollout) for worker in self._workers])
        self._rows = rollout.end(self.gamma, self.gae_lambda, self.reward_scale)
        if self._teachers is not None:
            shares = np.array_split(self._rows, len(self._workers))
            self._together([partial(self._teachers.show, share, self._is_bf16) for share in shares])
        self._last_obs = env.arrays.observations
        for step in range(rollout.steps):
            self.num_timesteps += env.num_envs
            infos = env.count_episodes(rollout.movers[step], rollout.rewards[step], rollout.dones[step])
            self._update_info_buffer(infos, np.ones(len(infos), np.bool_))
            callback.update_locals({"self": self, "infos": infos, "dones": rollout.dones[step]})
            if not callback.on_step():
                return False
        callback.on_rollout_end()
        return True

    # -- updates ------------------------------------------------------------------------------------------------------

    def train(self) -> None:
        """Learn from the rollout."""
        rollout = self._rollout
        assert rollout is not None
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        rows = self._rows
        if not len(rows):
            raise CryptError(f"{rollout.steps} steps are too few: no seat has decided twice")
        advantages = rollout.advantages.reshape(-1)
        returns = advantages + rollout.values[:-1].reshape(-1)
        if self.normalize_advantage:
            chosen = advantages[rows]
            advantages = (advantages - chosen.mean()) / (chosen.std() + 1e-8)
        clips = self._clips()
        sums = np.zeros((0, 6))
        for _ in range(self.n_epochs):
            self._n_updates += 1
            sums = self._train_epoch(rows, advantages.astype(np.float32), returns, clips)
            if self.target_kl is not None and sums[3] > 1.5 * self.target_kl:
                break
        self.check_sound(sums.ravel())
        self._log(sums, rows, returns, clips)

    def _clips(self) -> tuple[float, float]:
        """Return the clip ranges of the policy and of the value, 0 for none."""
        left = self._current_progress_remaining
        value_clip = 0.0 if self.clip_range_vf is None else float(self.clip_range_vf(left))  # type: ignore[operator]
        return float(self.clip_range(left)), value_clip  # type: ignore[operator]

    def _train_epoch(
        self, rows: Rows, advantages: NDArray[np.float32], returns: NDArray[np.float32], clips: tuple[float, float]
    ) -> NDArray[np.float64]:
        """Go over all rows once; return the means of what is logged: the first five are those of `ppo_loss`."""
        assert self._rollout is not None
        lesson = None if self._teachers is None else (self._teachers, self.teaching)
        sums = np.zeros(6)
        parts = max(1, round(len(rows) / (self.batch_size or len(rows))))
        for minibatch in np.array_split(self._rng.permutation(rows), parts):
            coefficients = np.array([*clips, self.ent_coef, self.vf_coef, 1 / len(minibatch)], np.float32)
            shares = np.array_split(np.sort(minibatch), len(self._workers))  # in order they are quicker to fetch
            for worker in self._workers:
                worker.sums[:] = 0
                for weight in worker.parameters():
                    weight.grad = None
            self._together(
                [
                    partial(worker.learn, self._rollout, share, lesson, advantages, returns, coefficients)
                    for worker, share in zip(self._workers, shares, strict=True)
                ]
            )
            self._step()
            sums += np.sum([worker.sums for worker in self._workers], axis=0)
        return np.asarray(sums / len(rows))

    def _step(self) -> None:
        """Add the workers' gradients and move the weights."""
        first = self._workers[0].parameters()
        for worker in self._workers[1:]:
            for mine, other in zip(first, worker.parameters(), strict=True):
                assert mine.grad is not None
                assert other.grad is not None
                mine.grad.add_(other.grad)
        torch.nn.utils.clip_grad_norm_(first, self.max_grad_norm)
        self.policy.optimizer.step()

    def _log(
        self, sums: NDArray[np.float64], rows: Rows, returns: NDArray[np.float32], clips: tuple[float, float]
    ) -> None:
        """Tell the logger what `MaskablePPO` tells it, of the last epoch."""
        rollout = self._rollout
        assert rollout is not None
        policy_loss, value_loss, entropy, divergence, clipped, teaching = sums.tolist()
        values = rollout.values[:-1].reshape(-1)[rows]
        self.logger.record("train/entropy_loss", -entropy)
        self.logger.record("train/policy_gradient_loss", policy_loss)
        self.logger.record("train/value_loss", value_loss)
        self.logger.record("train/approx_kl", divergence)
        self.logger.record("train/clip_fraction", clipped)
        loss = policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss
        if self._teachers is not None:
            self.logger.record("train/teaching_loss", teaching)
            loss += self.teaching * teaching
        self.logger.record("train/loss", loss)
        self.logger.record("train/explained_variance", explained_variance(values, returns[rows]))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clips[0])
        self.logger.record("rollout/used_decisions", len(rows) / rollout.dones.size)
        if self.clip_range_vf is not None:
            self.logger.record("train/clip_range_vf", clips[1])
