"""Pulls: policies that the learner's is drawn to, in addition to what it learns from its own games.

Teachers are other networks to distill. A magnet is a slow copy of the learner's own network: in self-play each policy
learns to beat the latest one, and may run in circles. Held back by the divergence from an average of its past, it comes
to rest instead: where the magnet no longer moves, policy and magnet are the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch.nn.functional import linear

from crypt_env import ACTIONS, CryptError
from crypt_env.agents.network import Network

from .checks import check_all_like
from .export import inputs_of, named_input
from .loss import magnet_loss, teaching_loss
from .policy import SharedTrunk, trunk_of
from .rollout import Rollout

Layer = tuple[torch.Tensor, torch.Tensor]
"""Weights and biases."""
Logits = Callable[[torch.Tensor], torch.Tensor]
"""Columns of observations in, logits out."""


class Pull:
    """Networks from whose policies the learner's should not be far, each at some of its tables."""

    loss: Callable[..., float]
    """Adds the gradients of the divergence, and returns it; see `loss.teaching_loss`."""

    def __init__(
        self, networks: Sequence[Logits], network_of: NDArray[np.int64], rollout: Rollout, is_bf16: bool
    ) -> None:
        """Prepare to pull; ``network_of`` has the number of the network that counts in each game, or -1."""
        self._networks, self._network_of, self._rollout, self._is_bf16 = networks, network_of, rollout, is_bf16
        self.counts = np.tile(network_of >= 0, rollout.steps)
        self.logits = np.zeros((rollout.steps * rollout.games, ACTIONS), np.float32)
        """Of the networks, for those rows of the rollout that were evaluated."""

    def follow(self) -> None:
        """Move after a rollout, if the networks do."""

    @torch.no_grad()
    def evaluate(self, rows: NDArray[np.int64]) -> None:
        """Compute the networks' logits for some rows of the rollout."""
        seen = self._rollout.seen.reshape(-1, self._rollout.seen.shape[2])
        numbers = self._network_of[rows % self._rollout.games]
        for number, network in enumerate(self._networks):
            mine = rows[numbers == number]
            with torch.autocast("cpu", torch.bfloat16, enabled=self._is_bf16):
                logits = network(torch.from_numpy(seen[mine]).to(torch.bfloat16 if self._is_bf16 else torch.float32))
            self.logits[mine] = logits.float().numpy()

    def add_gradients(
        self, outputs: NDArray[np.float32], rows: NDArray[np.int64], weight: float, gradients: NDArray[np.float32]
    ) -> float:
        """Add the gradients of the divergences of outputs from the networks' logits; return the sum of them."""
        masks = self._rollout.masks.reshape(-1, ACTIONS)
        return float(self.loss(outputs, rows, masks, self.logits, self.counts, weight, gradients))

    def state_dict(self) -> dict[str, Any]:
        """Return what changes in a training: nothing, if the networks do not move."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what changes in a training."""


class Teachers(Pull):
    """Networks, each of which teaches at tables with the numbers of players that it was trained for."""

    loss = staticmethod(teaching_loss)

    def __init__(
        self, networks: Sequence[Network], trunk: SharedTrunk, rollout: Rollout, is_bf16: bool = False
    ) -> None:
        """Prepare to teach.

        Args:
            networks: at each table teaches the first that was trained for its number of players, if any.
            trunk: of the learner, which must see all that they see.
            rollout: of the learner.
            is_bf16: whether matrices are multiplied in bf16.

        Raises:
            CryptError: a teacher sees what the learner does not, or was trained for none of its tables.
        """
        players = rollout.venv.batch.states["players"]
        teacher_of = np.full(len(players), -1)
        for number in reversed(range(len(networks))):
            teacher_of[np.isin(players, networks[number].players)] = number
        super().__init__([_logits_over(network, trunk) for network in networks], teacher_of, rollout, is_bf16)
        for number, network in enumerate(networks):
            if not (teacher_of == number).any():
                raise CryptError(
                    f"teacher {number + 1} of {len(networks)} has no table to teach at: it was trained for "
                    f"players={network.players}"
                )


class Magnet(Pull):
    """An exponential average of a policy's weights."""

    loss = staticmethod(magnet_loss)

    def __init__(self, policy: MaskableActorCriticPolicy, rollout: Rollout, rate: float, is_bf16: bool = False) -> None:
        """Prepare to start where the policy is when it has played its first rollout.

        Args:
            policy: the learner's, with a shared trunk. Weights that it is given before it learns count.
            rollout: of the learner.
            rate: how far the magnet moves towards the policy in each rollout, from 0 to 1.
            is_bf16: whether matrices are multiplied in bf16.
        """
        self._fast = torch.nn.Sequential(trunk_of(policy).layers, policy.action_net)
        self._slow = copy.deepcopy(self._fast)
        self._rate, self._has_begun = rate, False
        super().__init__([self._slow], np.zeros(rollout.games, np.int64), rollout, is_bf16)

    @torch.no_grad()
    def follow(self) -> None:
        """Move towards the policy."""
        rate = self._rate if self._has_begun else 1.0
        self._has_begun = True
        for slow, fast in zip(self._slow.parameters(), self._fast.parameters(), strict=True):
            slow.lerp_(fast, rate)

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
        self._has_begun = True


def _logits_over(network: Network, trunk: SharedTrunk) -> Logits:
    """Return a network as a function of what a learner's trunk sees."""
    above = None if trunk.above is None else trunk.above.tolist()
    place = {seen: number for number, seen in enumerate(inputs_of({"columns": trunk.columns.tolist(), "above": above}))}
    theirs = inputs_of(network.facts)
    unseen = [wanted for wanted in theirs if wanted not in place]
    if unseen:
        raise CryptError(f"a teacher sees what the learner does not: {named_input(unseen[0])}")
    weights = {name: torch.from_numpy(array) for name, array in network.weights.items()}
    first = torch.zeros((len(weights["hidden.0.bias"]), len(place)))
    first[:, [place[wanted] for wanted in theirs]] = weights["hidden.0.weight"]
    weights["hidden.0.weight"] = first
    count = sum(name.startswith("hidden.") for name in weights) // 2
    names = [*(f"hidden.{number}" for number in range(count)), "policy"]
    return partial(_logits, [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names])


def _logits(layers: Sequence[Layer], hidden: torch.Tensor) -> torch.Tensor:
    """Return the logits of a network with ReLU between its layers."""
    for layer in layers[:-1]:
        hidden = torch.relu(linear(hidden, *layer))
    return linear(hidden, *layers[-1])
