"""The network as an RLModule, with masks: hidden layers that policy and value share.

It is the network of `crypt_env.ppo`, so that `export_network` can write it to a file that plays without torch.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from crypt_env.notation.view import thermometer, used_columns
from crypt_env.rules.actions import ACTIONS

from .games import MASK, OBSERVATIONS

_ILLEGAL = -1e9
"""The logit of an illegal action: its probability is exactly 0, and no sum overflows."""


def inputs_for(players: list[int], thermometers: bool) -> dict[str, list[int]]:
    """Return the columns of the observation that a network sees, with their limits if it sees bits."""
    columns = used_columns(players).tolist()
    if not thermometers:
        return {"columns": columns}
    return dict(zip(("columns", "above"), thermometer(columns), strict=True))


class MaskedModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """A policy and a value over shared layers; illegal actions have the probability 0.

    Its ``model_config`` has "players" (the numbers of players that it is for), "widths" (of the hidden layers) and
    "thermometers" (whether it sees numbers as bits).
    """

    def setup(self) -> None:
        """Make the layers."""
        settings: dict[str, Any] = self.model_config
        self.inputs = inputs_for(settings["players"], settings["thermometers"])
        self.register_buffer("columns", torch.tensor(self.inputs["columns"]), persistent=False)
        above = torch.tensor(self.inputs["above"], dtype=torch.int8) if "above" in self.inputs else None
        self.register_buffer("above", above, persistent=False)
        layers: list[torch.nn.Module] = []
        for before, after in itertools.pairwise([len(self.inputs["columns"]), *settings["widths"]]):
            layers += [_linear(before, after, 2**0.5), torch.nn.ReLU()]
        self.hidden = torch.nn.Sequential(*layers)
        self.policy = _linear(settings["widths"][-1], ACTIONS, 0.01)
        self.value = _linear(settings["widths"][-1], 1, 1.0)

    def features(self, batch: dict[str, Any]) -> torch.Tensor:
        """Return the outputs of the hidden layers, [n, widths[-1]]."""
        seen = batch[Columns.OBS][OBSERVATIONS][:, self.columns]
        numbers = seen.float() if self.above is None else (seen > self.above).float()
        features: torch.Tensor = self.hidden(numbers)
        return features

    def _logits(self, batch: dict[str, Any], features: torch.Tensor) -> torch.Tensor:
        """Return the logits, [n, ACTIONS]."""
        is_legal = batch[Columns.OBS][MASK] > 0
        logits: torch.Tensor = self.policy(features)
        return logits.masked_fill(~is_legal, _ILLEGAL)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the logits."""
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, self.features(batch))}

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the logits, and the features from which `compute_values` gets the values."""
        features = self.features(batch)
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, features), Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """Return the values, [n]."""
        values: torch.Tensor = self.value(self.features(batch) if embeddings is None else embeddings)
        return values.squeeze(-1)


def _linear(before: int, after: int, gain: float) -> torch.nn.Linear:
    """Return an untrained layer."""
    layer = torch.nn.Linear(before, after)
    torch.nn.init.orthogonal_(layer.weight, gain)
    torch.nn.init.zeros_(layer.bias)
    return layer
