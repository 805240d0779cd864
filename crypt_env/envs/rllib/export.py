"""From a trained module to a network file that plays without torch and Ray."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core.rl_module.rl_module import RLModule

from crypt_env.agents.network import save_network
from crypt_env.agents.network_file import Weights
from crypt_env.errors import CryptError

from .module import MaskedModule


def weights_of(module: MaskedModule) -> Weights:
    """Return a copy of the weights of a module, by the names that networks use."""
    weights = {}
    for name, tensor in module.state_dict().items():
        layer, _, kind = name.rpartition(".")
        part, _, number = layer.partition(".")
        place = f"hidden.{int(number) // 2}" if part == "hidden" else part
        weights[f"{place}.{kind}"] = tensor.detach().cpu().numpy().astype(np.float32).copy()
    return weights


def export_network(path: str | Path, trained: Algorithm | RLModule, **facts: Any) -> None:
    """Write a trained policy as a network, which `crypt_env` plays as ``net:PATH``, in the arena and in the browser.

    Args:
        path: of the file; ``.safetensors`` is added if it is missing.
        trained: an algorithm of `ppo_config`, or its module.
        **facts: more to be kept in the file, such as a name.

    Raises:
        CryptError: the module is of another class, whose layers a network file cannot hold.
    """
    module = trained.get_module() if isinstance(trained, Algorithm) else trained
    if type(module) is not MaskedModule:
        raise CryptError(
            f"a {type(module).__name__} cannot be exported: a network file holds the layers of a MaskedModule, "
            "which ppo_config() trains"
        )
    settings = module.model_config
    all_facts = {**module.inputs, "players": settings["players"], "reward": settings["reward"], **facts}
    save_network(Path(path), weights_of(module), all_facts)
