"""A magnet: a slow copy of the learner's network, from whose policy the learner may not run away.

In self-play each policy learns to beat the latest one, and may run in circles. Held back by the divergence from an
average of its past, it comes to rest instead: where the magnet no longer moves, policy and magnet are the same.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from crypt_env import ACTIONS

from .checks import check_all_like
from .loss import magnet_loss
from .policy import trunk_of
from .rollout import Rollout


class Magnet:
    """An exponential average of a policy's weights."""

    def __init__(self, policy: MaskableActorCriticPolicy, rollout: Rollout, rate: float, is_bf16: bool = False) -> None:
        """Start where the policy is.

        Args:
            policy: the learner's, with a shared trunk.
            rollout: of the learner.
            rate: how far the magnet moves towards the policy in each rollout, from 0 to 1.
            is_bf16: whether matrices are multiplied in bf16.
        """
        self._fast = torch.nn.Sequential(trunk_of(policy).layers, policy.action_net)
        self._slow = copy.deepcopy(self._fast)
        self._rollout, self._rate, self._is_bf16 = rollout, rate, is_bf16
        self.logits = np.zeros((rollout.steps * rollout.games, ACTIONS), np.float32)
        """Of the magnet, for those rows of the rollout that were evaluated."""

    @torch.no_grad()
    def follow(self) -> None:
        """Move towards the policy."""
        for slow, fast in zip(self._slow.parameters(), self._fast.parameters(), strict=True):
            slow.lerp_(fast, self._rate)

    @torch.no_grad()
    def evaluate(self, rows: NDArray[np.int64]) -> None:
        """Compute the magnet's logits for some rows of the rollout."""
        seen = torch.from_numpy(self._rollout.seen.reshape(-1, self._rollout.seen.shape[2])[rows])
        with torch.autocast("cpu", torch.bfloat16, enabled=self._is_bf16):
            logits = self._slow(seen.to(torch.bfloat16 if self._is_bf16 else torch.float32))
        self.logits[rows] = logits.float().numpy()

    def add_gradients(
        self, outputs: NDArray[np.float32], rows: NDArray[np.int64], weight: float, gradients: NDArray[np.float32]
    ) -> float:
        """Add the gradients of the divergences of outputs from the magnet's logits; return the sum of them."""
        masks = self._rollout.masks.reshape(-1, ACTIONS)
        return float(magnet_loss(outputs, rows, masks, self.logits, weight, gradients))

    def state_dict(self) -> dict[str, Any]:
        """Return its weights."""
        return self._slow.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over weights.

        Raises:
            ValueError: they are those of another network, or not possible.
        """
        check_all_like("magnet", state, self._slow.state_dict())
        self._slow.load_state_dict(state)
