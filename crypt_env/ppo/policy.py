"""The network of a policy: hidden layers that policy and value share.

`SharedTrunk` is a features extractor of Stable-Baselines3. A network of your own is a subclass whose `make_layers`
returns other layers; `trunk` makes ``policy_kwargs`` of either.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, cast

import gymnasium
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from crypt_env import FEATURES
from crypt_env.errors import CryptError, quoted
from crypt_env.notation.view import thermometer, used_columns
from crypt_env.table import is_whole, player_count, positive


class SharedTrunk(BaseFeaturesExtractor):
    """Hidden layers that policy and value share, for ``policy_kwargs``; see `trunk`."""

    columns: torch.Tensor
    above: torch.Tensor | None

    def __init__(
        self,
        observation_space: gymnasium.Space[Any],
        columns: Sequence[int],
        widths: Sequence[int],
        above: Sequence[int] | None = None,
    ) -> None:
        """Make the layers over these columns of the observation.

        With ``above`` they see whether each number exceeds its limit, instead of the numbers.
        """
        super().__init__(observation_space, widths[-1])
        limits = None if above is None else torch.as_tensor(list(above), dtype=torch.int8)
        # Buffers move to a device with the weights; files do not hold them.
        self.register_buffer("columns", torch.as_tensor(list(columns)), persistent=False)
        self.register_buffer("above", limits, persistent=False)
        self.layers = self.make_layers(len(columns), widths)

    def make_layers(self, inputs: int, widths: Sequence[int]) -> torch.nn.Module:
        """Return the layers, from float32 [n, inputs] to [n, widths[-1]]: linear ones of these widths, all with ReLU.

        A subclass may return any module with these shapes; only the layers made here can be exported.
        """
        layers: list[torch.nn.Module] = []
        for before, after in itertools.pairwise([inputs, *widths]):
            layers += [torch.nn.Linear(before, after), torch.nn.ReLU()]
        return torch.nn.Sequential(*layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the features of observations, [n, FEATURES]."""
        seen = observations[:, self.columns]
        if self.above is not None:
            seen = (seen > self.above).float()
        return cast(torch.Tensor, self.layers(seen))


def trunk(
    players: Sequence[int],
    widths: Sequence[int] = (256, 256),
    columns: Sequence[int] | None = None,
    thermometers: bool = False,
    kind: type[SharedTrunk] = SharedTrunk,
) -> dict[str, Any]:
    """Return ``policy_kwargs`` for a network with one trunk for policy and value.

    It reads only the columns that can vary at tables with these numbers of players, and trains about twice as fast as
    the two separate networks that Stable-Baselines3 makes.

    Args:
        players: numbers of players.
        widths: of the hidden layers.
        columns: of the observation that it reads, if not all that can vary.
        thermometers: read numbers as bits, see `notation.view.thermometer`.
        kind: the class of the trunk, for networks of your own.

    Raises:
        CryptError: a number of players, a width or a column is not possible.

    >>> from sb3_contrib import MaskablePPO
    >>> from crypt_env.envs.sb3 import SeatVecEnv
    >>> model = MaskablePPO("MlpPolicy", SeatVecEnv(64, players=2), policy_kwargs=trunk([2]))
    """
    players = [player_count(count) for count in _entries("players", players, "[2]")]
    widths = [positive("widths", width) for width in _entries("widths", widths, "[256, 256]")]
    columns = used_columns(players).tolist() if columns is None else _columns(columns)
    inputs: dict[str, Any] = {"columns": columns}
    if thermometers:
        inputs = dict(zip(("columns", "above"), thermometer(columns), strict=True))
    return {
        "features_extractor_class": kind,
        "features_extractor_kwargs": {"widths": widths, **inputs},
        "net_arch": [],
        "activation_fn": torch.nn.ReLU,
    }


def _entries(name: str, given: Iterable[int], example: str) -> list[int]:
    """Return the entries of a list that must have some."""
    entries = [] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    if not entries:
        raise CryptError(f"{name}={quoted(given)} is not possible; a list with entries is needed, such as {example}")
    return entries


def _columns(given: Iterable[int]) -> list[int]:
    """Return columns of the observation, of which there must be one."""
    columns = _entries("columns", given, "[0, 1]")
    for column in columns:
        if not is_whole(column) or not 0 <= column < FEATURES:
            raise CryptError(f"columns={quoted(column)} is not possible; allowed are 0 to {FEATURES - 1}")
    return [int(column) for column in columns]


def trunk_of(policy: MaskableActorCriticPolicy) -> SharedTrunk:
    """Return the trunk of a policy.

    Raises:
        CryptError: it has none, or further layers after it.
    """
    extractor = policy.features_extractor
    if not isinstance(extractor, SharedTrunk):
        raise CryptError(
            f"a network with a shared trunk is needed, and this one has a {type(extractor).__name__}: "
            "policy_kwargs=crypt_env.ppo.trunk(players) makes one; SeatMaskablePPO learns with any"
        )
    if list(policy.mlp_extractor.parameters()):
        raise CryptError(
            f"net_arch={policy.net_arch} is not possible after a shared trunk, whose layers are given by its widths; "
            "SeatMaskablePPO learns with any network"
        )
    return extractor


def has_bf16() -> bool:
    """Return whether this processor multiplies bf16 matrices in hardware."""
    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe is not None and probe())
