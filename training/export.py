"""From a model to a network: the weights of a policy as files that `crypt_env` plays without torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from crypt_env import CryptError
from crypt_env.agents.network import Network, NetworkAgent, Weights
from crypt_env.observation import LAYOUT_VERSION
from crypt_env.sb3 import SharedTrunk


def _tensors(policy: MaskableActorCriticPolicy) -> dict[str, torch.Tensor]:
    """Return the weights of a policy with a shared trunk, by the names that networks use."""
    names = {f"features_extractor.layers.{2 * layer}": f"hidden.{layer}" for layer in range(100)}
    names |= {"action_net": "policy", "value_net": "value"}
    tensors = {}
    for name, tensor in policy.state_dict().items():
        module, _, kind = name.rpartition(".")
        if module in names:
            tensors[f"{names[module]}.{kind}"] = tensor
    return tensors


def weights_of(policy: MaskableActorCriticPolicy) -> Weights:
    """Return a copy of the weights of a policy with a shared trunk, by the names that networks use."""
    tensors = _tensors(policy)
    return {name: tensor.detach().cpu().numpy().astype(np.float32).copy() for name, tensor in tensors.items()}


def start_from(policy: MaskableActorCriticPolicy, network: Network, with_value: bool = True) -> None:
    """Give a policy the weights of a network.

    Raises:
        CryptError: it looks at other columns, or has other layers.
    """
    tensors, wanted = _tensors(policy), facts_of(policy, [])
    for name in ("columns", "above"):
        if wanted.get(name) != network.facts.get(name):
            raise CryptError(f"the network to start from looks at other numbers: its {name!r} are not those asked for")
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    theirs = {name: array.shape for name, array in network.weights.items()}
    if shapes != theirs:
        raise CryptError(f"the network to start from has layers {theirs}; the settings ask for {shapes}")
    with torch.no_grad():
        for name, tensor in tensors.items():
            if with_value or not name.startswith("value."):
                tensor.copy_(torch.from_numpy(network.weights[name]))


def facts_of(policy: MaskableActorCriticPolicy, players: Sequence[int], **more: Any) -> dict[str, Any]:
    """Return what a network's file says about itself."""
    extractor = policy.features_extractor
    assert isinstance(extractor, SharedTrunk)
    inputs = {"columns": extractor.columns.tolist()}
    if extractor.above is not None:
        inputs["above"] = extractor.above.tolist()
    return {"layout_version": LAYOUT_VERSION, **inputs, "players": list(players), **more}


def agent_of(policy: MaskableActorCriticPolicy, players: Sequence[int], name: str, draws: bool = False) -> NetworkAgent:
    """Return an agent that plays as a policy does now, whatever becomes of the policy."""
    agent = NetworkAgent(Network(weights_of(policy), facts_of(policy, players)), draws)
    agent.name = name
    return agent
