"""`FastMaskablePPO`: sb3-contrib's MaskablePPO for self-play, several times faster.

From the outside it is a `MaskablePPO`: same arguments, callbacks and logger keys, and plain `MaskablePPO` loads its zip
and plays the same. Inside, the engine writes rollouts in place (`rollout`), sampling and loss are compiled (`loss`),
matrices are multiplied in bf16 if the processor can do it, and two threads share the work.

It differs from `MaskablePPO` on purpose: advantages are computed along each (game, seat) and normalized over the whole
rollout, `target_kl` is checked after each epoch, and minibatches have even sizes.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback

from crypt_env import ACTIONS, CryptError
from crypt_env.agents.network import Network
from crypt_env.table import checked_number

from .base import SelfPlayPPO
from .exchange import Exchange, cut, joined
from .loss import ppo_loss
from .policy import has_bf16, trunk_of
from .pulls import Magnet, Pull, Teachers
from .rollout import Rollout
from .schedules import Schedule, value_at
from .selfplay import SelfPlayVecEnv

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]


SUMS = 7


class _NoBuffer(MaskableRolloutBuffer):
    """An empty buffer, as Stable-Baselines3 requires one."""

    def reset(self) -> None:
        """Do nothing."""


class _Worker:
    """The share of one thread: some games, and a copy of the network with its own gradients."""

    def __init__(self, policy: MaskableActorCriticPolicy, start: int, stop: int, is_bf16: bool, is_first: bool) -> None:
        """Take the games from ``start`` to ``stop - 1``; multiply matrices in bf16 or in float32.

        The first worker uses the policy's own modules, so its gradients are already where the optimizer reads them.
        """
        self.start, self.stop, self._is_bf16 = start, stop, is_bf16
        self._originals = [trunk_of(policy).layers, policy.action_net, policy.value_net]
        self._modules = self._originals if is_first else copy.deepcopy(self._originals)
        self.sums = np.zeros(SUMS)
        """Of its rows of a minibatch: the five of `ppo_loss`, and the divergences from up to two pulls."""

    def share_weights(self) -> None:
        """Use the memory of the policy's weights, which may have moved."""
        for mine, original in zip(self._modules, self._originals, strict=True):
            for weight, shared in zip(mine.parameters(), original.parameters(), strict=True):
                weight.data = shared.data

    def parameters(self) -> list[torch.nn.Parameter]:
        """Return the weights."""
        return [weight for module in self._modules for weight in module.parameters()]

    def outputs(self, seen: torch.Tensor) -> torch.Tensor:
        """Return logits and values, float32 [n, ACTIONS + 1], of what the trunk sees, int8 [n, inputs]."""
        layers, policy, value = self._modules
        with torch.autocast("cpu", torch.bfloat16, enabled=self._is_bf16):
            hidden = layers(seen.to(torch.bfloat16 if self._is_bf16 else torch.float32))
            # Both heads at once: a matrix with a single column is disproportionately slow.
            weight, bias = (torch.cat(both) for both in zip(policy.parameters(), value.parameters(), strict=True))
            return torch.nn.functional.linear(hidden, weight, bias).float()


class _Batch(NamedTuple):
    """The inputs of one update, besides the rollout itself."""

    rows: Rows
    """Rows of the rollout to learn from."""
    advantages: Floats
    """Of all rows of the rollout, normalized over those to learn from."""
    returns: Floats
    """Of all rows of the rollout."""
    counts: list[int]
    """How many rows each worker of an exchange learns from."""
    clip: float
    value_clip: float


class FastMaskablePPO(SelfPlayPPO):
    """MaskablePPO in self-play on a `SelfPlayVecEnv`, with a policy from `trunk`.

    With an `Exchange` it is one of several workers that learn together: each plays games of its own, `num_timesteps`
    counts those of all, and gradients are summed over all before every step of the optimizer.
    """

    _exchange = Exchange()

    def __init__(
        self,
        *arguments: Any,
        workers: int = 2,
        precision: str = "auto",
        teachers: Sequence[Network] = (),
        teaching: float | Schedule = 1.0,
        magnet: float | Schedule = 0.0,
        magnet_rate: float = 0.002,
        exchange: Exchange | None = None,
        **options: Any,
    ) -> None:
        """Make a model.

        Args:
            *arguments: policy and environment, as for `MaskablePPO`.
            workers: threads that share the games and the minibatches, 1 or 2.
            precision: "bf16", "fp32", or "auto" for bf16 where the processor has it.
            teachers: networks to distill as well, each at the tables that it was trained for.
            teaching: weight of the KL divergence from them, a number or a schedule.
            magnet: weight of the KL divergence from a slow average of its own past, a number or a schedule; 0 for none.
            magnet_rate: how far that average moves towards the network in each rollout, from 0 to 1.
            exchange: with the other workers, if there are any.
            **options: all others of `SelfPlayPPO` and `MaskablePPO`.

        Raises:
            CryptError: one of these is not possible.
        """
        if type(workers) is not int or workers not in (1, 2):
            raise CryptError(f"workers={workers!r} is not possible; allowed are 1 and 2")
        if precision not in ("auto", "bf16", "fp32"):
            raise CryptError(f"precision={precision!r} is not possible; allowed are auto, bf16, fp32")
        self.workers, self.precision = workers, precision
        self._networks = list(teachers)
        self._exchange = exchange or Exchange()
        self._has_magnet = callable(magnet) or magnet != 0
        self.teaching = checked_number("teaching", value_at(teaching, 1.0), 0)
        self.magnet = checked_number("magnet", value_at(magnet, 1.0), 0)
        self._magnet_rate = checked_number("magnet_rate", magnet_rate, 0, 1)
        options.setdefault("rollout_buffer_class", _NoBuffer)
        options.setdefault("device", "cpu")
        super().__init__(*arguments, **options)
        for name, schedule in {"teaching": teaching, "magnet": magnet}.items():
            if callable(schedule):
                self.schedules[name] = schedule

    def _setup_model(self) -> None:
        super()._setup_model()
        self._rollout: Rollout | None = None
        if self.env is not None:
            self._prepare(self.env)

    def _prepare(self, venv: Any) -> None:
        if not isinstance(venv, SelfPlayVecEnv):
            raise CryptError(f"FastMaskablePPO learns only from a SelfPlayVecEnv, and this is a {type(venv).__name__}")
        if self.device.type != "cpu":
            raise CryptError(f"device={str(self.device)!r} is not possible; FastMaskablePPO learns on the CPU")
        for group in self.policy.optimizer.param_groups:
            group["fused"] = True  # all weights in one pass
        trunk = trunk_of(self.policy)
        is_bf16 = has_bf16() if self.precision == "auto" else self.precision == "bf16"
        self._rollout = Rollout(self.n_steps, venv, trunk)
        self._pulls: dict[str, Pull] = {}  # by the attribute that has the weight of each
        if self._networks:
            self._pulls["teaching"] = Teachers(self._networks, trunk, self._rollout, is_bf16)
        if self._has_magnet:
            self._pulls["magnet"] = Magnet(self.policy, self._rollout, self._magnet_rate, is_bf16)
        bounds = np.linspace(0, venv.num_envs, self.workers + 1).astype(int).tolist()
        self._workers = [
            _Worker(self.policy, start, stop, is_bf16, number == 0)
            for number, (start, stop) in enumerate(itertools.pairwise(bounds))
        ]
        self._threads = ThreadPoolExecutor(max(1, self.workers - 1))
        self._all_games = sum(self._exchange.all(venv.num_envs))

    def _excluded_save_params(self) -> list[str]:
        return [
            *super()._excluded_save_params(),
            "_rollout",
            "_workers",
            "_threads",
            "_rows",
            "_networks",
            "_pulls",
            "_exchange",
        ]

    def _together(self, tasks: list[Callable[[], object]]) -> None:
        """Run one task for each worker at the same time, the first in this thread."""
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
            self._prepare(env)
        rollout = self._rollout
        assert rollout is not None
        callback.on_rollout_start()
        self._follow_schedules()
        for worker in self._workers:
            worker.share_weights()
        if env.league is not None:
            env.league.refresh()
            before = env.league.results()
        rollout.begin()
        self._together([partial(rollout.play, worker.start, worker.stop, worker.outputs) for worker in self._workers])
        if env.league is not None:
            env.league.count(before + self._exchange.total(env.league.results() - before))
        self._rows = rollout.finish(self.gamma, self.gae_lambda, self.reward_scale)
        for pull in self._pulls.values():
            pull.follow()
            self._together([partial(pull.evaluate, rows) for rows in np.array_split(self._rows, len(self._workers))])
        self._last_obs = env.arrays.observations
        for step in range(rollout.steps):
            self.num_timesteps += self._all_games
            infos = env.count_episodes(rollout.rewards[step], rollout.dones[step])
            self._update_info_buffer(infos, np.ones(len(infos), np.bool_))
            callback.update_locals({"self": self, "infos": infos, "dones": rollout.dones[step]})
            if not callback.on_step():
                return False
        callback.on_rollout_end()
        return True

    # -- updates ------------------------------------------------------------------------------------------------------

    def train(self) -> None:
        """Learn from the rollout."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        batch = self._batch()
        means = np.zeros(SUMS)
        for _ in range(self.n_epochs):
            self._n_updates += 1
            means = self._train_epoch(batch)
            if self.target_kl is not None and means[3] > 1.5 * self.target_kl:
                break
        self.check_finite(means)
        self._log(means, batch)

    def _batch(self) -> _Batch:
        """Return the inputs of all epochs: advantages, returns, clip ranges."""
        rollout, rows = self._rollout, self._rows
        assert rollout is not None
        counts = self._exchange.all(len(rows))
        if not sum(counts):
            raise CryptError(f"{rollout.steps} steps are too few: no seat has decided twice")
        advantages = rollout.advantages.reshape(-1)
        returns = advantages + rollout.values[:-1].reshape(-1)
        if self.normalize_advantage:
            mean, variance = self._exchange.moments(advantages[rows])
            advantages = (advantages - mean) / (np.sqrt(variance) + 1e-8)
        left = self._current_progress_remaining
        value_clip = 0.0 if self.clip_range_vf is None else float(self.clip_range_vf(left))  # type: ignore[operator]
        clip = float(self.clip_range(left))  # type: ignore[operator]
        return _Batch(rows, advantages.astype(np.float32), returns, counts, clip, value_clip)

    def _train_epoch(self, batch: _Batch) -> NDArray[np.float64]:
        """Go over all rows once, in minibatches; return the means of `_Worker.sums`."""
        sums = np.zeros(SUMS)
        count = sum(batch.counts)
        assert self.batch_size is not None
        parts = max(1, round(count / self.batch_size))
        for number, minibatch in enumerate(np.array_split(self._shuffled(batch.rows), parts)):
            size = sum(rows // parts + (number < rows % parts) for rows in batch.counts)
            for worker in self._workers:
                worker.sums[:] = 0
                for weight in worker.parameters():
                    weight.grad = None
            coefficients = np.array([batch.clip, batch.value_clip, self.ent_coef, self.vf_coef, 1 / size], np.float32)
            shares = np.array_split(np.sort(minibatch), len(self._workers))  # sorted, rows are quicker to fetch
            self._together(
                [
                    partial(self._add_gradients, worker, rows, batch, coefficients)
                    for worker, rows in zip(self._workers, shares, strict=True)
                ]
            )
            self._step_optimizer()
            sums += np.sum([worker.sums for worker in self._workers], axis=0)
        return np.asarray(self._exchange.total(sums) / count)

    def _shuffled(self, rows: Rows) -> Rows:
        """Return rows in a random order; generators of all workers go on alike, so one of them is enough to resume."""
        if self._exchange.size == 1:
            return self._rng.permutation(rows)
        return np.random.default_rng([int(self._rng.integers(2**63)), self._exchange.rank]).permutation(rows)

    def _add_gradients(self, worker: _Worker, rows: Rows, batch: _Batch, coefficients: Floats) -> None:
        """Compute the loss of some rows, and the gradients of the worker's replica."""
        rollout = self._rollout
        assert rollout is not None
        seen = rollout.seen.reshape(-1, rollout.seen.shape[2])
        with torch.enable_grad():
            outputs = worker.outputs(torch.from_numpy(seen).index_select(0, torch.from_numpy(rows)))
        gradients = np.empty(outputs.shape, np.float32)
        ppo_loss(
            outputs.detach().numpy(),
            rows,
            rollout.masks.reshape(-1, ACTIONS),
            rollout.actions.reshape(-1),
            rollout.log_probs.reshape(-1),
            rollout.values.reshape(-1),
            batch.advantages,
            batch.returns,
            coefficients,
            gradients,
            worker.sums[:5],
        )
        for place, (name, pull) in enumerate(self._pulls.items(), 5):
            weight = getattr(self, name) * coefficients[-1]
            worker.sums[place] += pull.add_gradients(outputs.detach().numpy(), rows, weight, gradients)
        outputs.backward(torch.from_numpy(gradients))  # type: ignore[no-untyped-call]

    def _step_optimizer(self) -> None:
        first = self._workers[0].parameters()
        for worker in self._workers[1:]:
            for mine, other in zip(first, worker.parameters(), strict=True):
                assert mine.grad is not None
                assert other.grad is not None
                mine.grad.add_(other.grad)
        self._exchange.add([weight.grad for weight in first if weight.grad is not None])
        torch.nn.utils.clip_grad_norm_(first, self.max_grad_norm)
        self.policy.optimizer.step()

    def _log(self, means: NDArray[np.float64], batch: _Batch) -> None:
        """Log what `MaskablePPO` logs, of the last epoch."""
        rollout = self._rollout
        assert rollout is not None
        policy_loss, value_loss, entropy, divergence, clipped, *distances = means.tolist()
        loss = policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss
        for name, distance in zip(self._pulls, distances, strict=False):
            self.logger.record(f"train/{name}_loss", distance)
            loss += getattr(self, name) * distance
        self.logger.record("train/entropy_loss", -entropy)
        self.logger.record("train/policy_gradient_loss", policy_loss)
        self.logger.record("train/value_loss", value_loss)
        self.logger.record("train/approx_kl", divergence)
        self.logger.record("train/clip_fraction", clipped)
        self.logger.record("train/loss", loss)
        self.logger.record("train/explained_variance", self._explained_variance(batch))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", batch.clip)
        self.logger.record("rollout/used_decisions", sum(batch.counts) / (rollout.steps * self._all_games))
        if self.clip_range_vf is not None:
            self.logger.record("train/clip_range_vf", batch.value_clip)

    def _explained_variance(self, batch: _Batch) -> float:
        """Return the share of the returns' variance that the values explain."""
        assert self._rollout is not None
        returns, values = batch.returns[batch.rows], self._rollout.values[:-1].reshape(-1)[batch.rows]
        _, variance = self._exchange.moments(returns)
        _, left = self._exchange.moments(returns - values)
        return math.nan if variance == 0 else float(1 - left / variance)

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return all that changes; of several workers all call it, and the first one gets the games of all."""
        state = super().state_dict()
        state |= {name: moved for name, pull in self._pulls.items() if (moved := pull.state_dict())}
        parts = self._exchange.gather(state["games"])
        return {**state, "games": joined(parts)} if len(parts) > 1 else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Become what another model was, or a worker's part of it, no matter how many workers that one had."""
        games = sum(self._exchange.all(self._games.num_envs))
        super().load_state_dict({**state, "games": cut(state["games"], *self._exchange.part(games), games)})
        for name, pull in self._pulls.items():
            pull.load_state_dict(state.get(name, {}))
