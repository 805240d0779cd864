"""From a model to a network: the weights of a policy as files that `crypt_env` plays without torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from crypt_env.agents.network import Network, NetworkAgent, Weights
from crypt_env.observation import LAYOUT_VERSION
from crypt_env.sb3 import SharedTrunk


def weights_of(policy: MaskableActorCriticPolicy) -> Weights:
    """Return a copy of the weights of a policy with a shared trunk, by the names that networks use."""
    names = {f"features_extractor.layers.{2 * layer}": f"hidden.{layer}" for layer in range(100)}
    names |= {"action_net": "policy", "value_net": "value"}
    weights = {}
    for name, tensor in policy.state_dict().items():
        module, _, kind = name.rpartition(".")
        if module in names:
            weights[f"{names[module]}.{kind}"] = tensor.detach().cpu().numpy().astype(np.float32).copy()
    return weights


def facts_of(policy: MaskableActorCriticPolicy, players: Sequence[int], **more: Any) -> dict[str, Any]:
    """Return what a network's file says about itself."""
    extractor = policy.features_extractor
    assert isinstance(extractor, SharedTrunk)
    columns = extractor.columns.tolist()
    return {"layout_version": LAYOUT_VERSION, "columns": columns, "players": list(players), **more}


def agent_of(policy: MaskableActorCriticPolicy, players: Sequence[int], name: str, draws: bool = False) -> NetworkAgent:
    """Return an agent that plays as a policy does now, whatever becomes of the policy."""
    agent = NetworkAgent(Network(weights_of(policy), facts_of(policy, players)), draws)
    agent.name = name
    return agent
