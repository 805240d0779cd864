"""A network that learns from examples, the decisions of a search: the second half of expert iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch.nn.functional import log_softmax

from crypt_env.agents.network import Network
from crypt_env.envs.spaces import ActionSpace, observations
from crypt_env.ppo.export import start_from
from crypt_env.ppo.policy import has_bf16, trunk
from crypt_env.rules.actions import ACTIONS

from .examples import Examples, columns_of, observations_of, targets_of

CERTAIN = 0.3
"""Weight of a decision for which the search has tried only one action."""
VALUE = 0.3
"""Weight of the value loss."""
_WARM_UP = 50
"""Minibatches in which the learning rate rises."""
_GRADIENT = 1.0
_ROWS = 4096
"""Examples evaluated at a time."""


class Lesson(NamedTuple):
    """How the network learns."""

    epochs: int = 3
    minibatch: int = 2048
    learning_rate: float = 5e-4
    weight_decay: float = 0.01


class Grade(NamedTuple):
    """How a network does on examples that it has not learned from; each decision has the weight of its divergence in
    learning.
    """

    divergence: float
    """Mean divergence of its probabilities from those of the search."""
    agreement: float
    """Share of the decisions in which its likeliest action is that of the search."""
    error: float
    """Mean squared error of its value."""


class Apprentice:
    """A policy, and how it learns from examples."""

    def __init__(self, network: Network, widths: list[int], lesson: Lesson, seed: int) -> None:
        """Start from the weights of a network; the layers may be wider than its own.

        Raises:
            CryptError: they are narrower, or of another number.
        """
        torch.manual_seed(seed)
        self._random = np.random.default_rng(seed)
        self.lesson, self._columns = lesson, columns_of(network)
        shape = trunk(network.players, widths, network.columns.tolist())
        if network.above is not None:
            extractor = {"columns": network.columns.tolist(), "above": network.above.tolist(), "widths": widths}
            shape["features_extractor_kwargs"] = extractor
        self.policy = MaskableActorCriticPolicy(observations(), ActionSpace(ACTIONS), lambda _: 0.0, **shape)
        start_from(self.policy, network, network.players)
        self._is_bf16 = has_bf16()

    def learn(self, examples: Examples, rows: NDArray[np.int64]) -> Iterator[int]:
        """Learn from some rows of the examples; yield the number of examples so far after every minibatch."""
        lesson = self.lesson
        weights = list(self.policy.parameters())
        optimizer = torch.optim.AdamW(weights, lr=lesson.learning_rate, weight_decay=lesson.weight_decay, fused=True)
        parts = max(1, round(len(rows) / lesson.minibatch))
        steps, step, seen = lesson.epochs * parts, 0, 0
        for _ in range(lesson.epochs):
            for minibatch in np.array_split(self._random.permutation(rows), parts):
                rate = lesson.learning_rate * min(1.0, (step + 1) / _WARM_UP) * (1 - step / steps)
                for group in optimizer.param_groups:
                    group["lr"] = rate
                optimizer.zero_grad()
                divergences, errors, _, counts = self._compare(examples, np.sort(minibatch))
                (((divergences * counts).sum() / counts.sum()) + VALUE * errors.mean()).backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(weights, _GRADIENT)
                optimizer.step()
                step, seen = step + 1, seen + len(minibatch)
                yield seen

    @torch.no_grad()
    def grade(self, examples: Examples, rows: NDArray[np.int64]) -> Grade:
        """Compare the network with some rows of the examples."""
        sums = np.zeros(3)
        total = 0.0
        for start in range(0, len(rows), _ROWS):
            divergences, errors, agrees, counts = self._compare(examples, rows[start : start + _ROWS])
            sums += [float((of * counts).sum()) for of in (divergences, agrees, errors)]
            total += float(counts.sum())
        return Grade(*(sums / max(total, 1.0)).tolist())

    def _compare(self, examples: Examples, rows: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Return for each row the divergence, the value's squared error, whether it agrees, and what it counts."""
        masks, targets = map(torch.from_numpy, targets_of(examples, rows))
        seen = torch.from_numpy(observations_of(examples, rows, self._columns)).float()
        with torch.autocast("cpu", torch.bfloat16, enabled=self._is_bf16):
            features = self.policy.features_extractor(seen)
            logits, values = self.policy.action_net(features), self.policy.value_net(features)
        logs = log_softmax(logits.float().masked_fill(~masks, -1e9), dim=1)
        divergences = torch.xlogy(targets, targets).sum(dim=1) - (targets * logs).sum(dim=1)
        errors = (values.float()[:, 0] - torch.from_numpy(examples.paid[rows])) ** 2
        agrees = (logs.argmax(dim=1) == targets.argmax(dim=1)).float()
        counts = torch.from_numpy(np.where(examples.is_searched[rows], 1.0, CERTAIN).astype(np.float32))
        return divergences, errors, agrees, counts
