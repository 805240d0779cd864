"""Teachers: networks that a learner distills in addition to its own experience."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from crypt_env import ACTIONS, CryptError
from crypt_env.agents.network import Network

from .export import inputs_of, named_input
from .loss import teaching_loss
from .policy import SharedTrunk
from .rollout import Rollout

Layer = tuple[torch.Tensor, torch.Tensor]
"""Weights and biases."""


class Teachers:
    """Networks, each of which teaches at tables with the numbers of players that it was trained for."""

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
        self._layers = [_layers_over(network, trunk) for network in networks]
        self._rollout, self._is_bf16 = rollout, is_bf16
        players = rollout.venv.batch.states["players"]
        self._teacher = np.full(len(players), -1)
        for number in reversed(range(len(networks))):
            self._teacher[np.isin(players, networks[number].players)] = number
        for number, network in enumerate(networks):
            if not (self._teacher == number).any():
                raise CryptError(
                    f"teacher {number + 1} of {len(networks)} has no table to teach at: it was trained for "
                    f"players={network.players}"
                )
        self.is_taught = np.tile(self._teacher >= 0, rollout.steps)
        self.logits = np.zeros((rollout.steps * rollout.games, ACTIONS), np.float32)
        """Of the teachers, for those rows of the rollout that were evaluated."""

    @torch.no_grad()
    def evaluate(self, rows: NDArray[np.int64]) -> None:
        """Compute the teachers' logits for some rows of the rollout."""
        seen = self._rollout.seen.reshape(-1, self._rollout.seen.shape[2])
        teachers = self._teacher[rows % self._rollout.games]
        for number, layers in enumerate(self._layers):
            mine = rows[teachers == number]
            with torch.autocast("cpu", torch.bfloat16, enabled=self._is_bf16):
                hidden = torch.from_numpy(seen[mine]).to(torch.bfloat16 if self._is_bf16 else torch.float32)
                for layer in layers[:-1]:
                    hidden = torch.relu(torch.nn.functional.linear(hidden, *layer))
                self.logits[mine] = torch.nn.functional.linear(hidden, *layers[-1]).float().numpy()

    def add_gradients(
        self, outputs: NDArray[np.float32], rows: NDArray[np.int64], weight: float, gradients: NDArray[np.float32]
    ) -> float:
        """Add the gradients of the divergences of outputs from the teachers' logits; return the sum of them."""
        masks = self._rollout.masks.reshape(-1, ACTIONS)
        return float(teaching_loss(outputs, rows, masks, self.logits, self.is_taught, weight, gradients))


def _layers_over(network: Network, trunk: SharedTrunk) -> list[Layer]:
    """Return a network's layers up to its logits, the first for the inputs of a learner."""
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
    return [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names]
