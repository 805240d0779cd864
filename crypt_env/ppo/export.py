"""From a model to a network: the weights of a policy as a file that `crypt_env` plays without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from crypt_env import Batch, CryptError
from crypt_env.agents.network import Network, NetworkAgent, save_network
from crypt_env.agents.network_file import Weights
from crypt_env.notation.view import used_columns
from crypt_env.rules.observe import LAYOUT, LAYOUT_VERSION

from .policy import SharedTrunk, trunk_of


def _tensors(policy: MaskableActorCriticPolicy) -> dict[str, torch.Tensor]:
    """Return the weights of a policy with a shared trunk, by the names that networks use."""
    extractor = trunk_of(policy)
    if type(extractor).make_layers is not SharedTrunk.make_layers:
        raise CryptError(
            f"a {type(extractor).__name__} cannot be exported: the file of a network holds linear layers with ReLU; "
            "the model's zip plays as sb3:FILE.zip"
        )
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


def start_from(
    policy: MaskableActorCriticPolicy, network: Network, players: Sequence[int], with_value: bool = True
) -> None:
    """Give a policy the weights of a network.

    The network may be for more numbers of players than the policy: inputs that never change in the policy's games
    become part of the first layer's biases, so that both play the same. So they do if the policy has wider layers,
    until it learns.

    Raises:
        CryptError: it has other inputs, wider layers, or another number of them.
    """
    weights = {**network.weights, **_first_layer(network, inputs_of(facts_of(policy, [])), players)}
    tensors = _tensors(policy)
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    theirs = {name: array.shape for name, array in weights.items()}
    is_room = shapes.keys() == theirs.keys() and all(np.less_equal(theirs[name], shapes[name]).all() for name in shapes)
    if not is_room:
        raise CryptError(f"the network to start from has layers {theirs}; the settings ask for {shapes}")
    with torch.no_grad():
        for name, tensor in tensors.items():
            if with_value or not name.startswith("value."):
                _fill(tensor, torch.from_numpy(weights[name]))


def _fill(tensor: torch.Tensor, array: torch.Tensor) -> None:
    """Copy an array to the first places of a tensor; units beyond it have inputs, but no effect at first."""
    if tensor.dim() == 2:
        tensor[: array.shape[0], array.shape[1] :] = 0
    tensor[tuple(slice(size) for size in array.shape)] = array


def inputs_of(facts: Mapping[str, Any]) -> list[tuple[int, int | None]]:
    """Return the inputs of a network: columns, each with its limit, if there are limits."""
    columns = facts["columns"]
    return list(zip(columns, facts.get("above") or [None] * len(columns), strict=True))


def _first_layer(network: Network, wanted: list[tuple[int, int | None]], players: Sequence[int]) -> Weights:
    """Return the first layer of a network for the given inputs, in games of these numbers of players."""
    theirs = {place: number for number, place in enumerate(inputs_of(network.facts))}
    unknown = [place for place in wanted if place not in theirs]
    if unknown:
        raise CryptError(f"the network to start from has other inputs: {named_input(unknown[0])} is not among them")
    changing = set(used_columns(players).tolist())
    dropped = [place for place in theirs if place not in set(wanted)]
    lost = [place for place in dropped if place[0] in changing]
    if lost:
        raise CryptError(f"the network to start from has other inputs: {named_input(lost[0])} is not asked for")
    constants = Batch(1, players[0]).reset().observations[0]
    always = np.array([constants[column] if limit is None else constants[column] > limit for column, limit in dropped])
    weight, bias = network.weights["hidden.0.weight"], network.weights["hidden.0.bias"]
    folded = weight[:, [theirs[place] for place in dropped]] @ always.astype(np.float32)
    return {"hidden.0.weight": weight[:, [theirs[place] for place in wanted]], "hidden.0.bias": bias + folded}


def named_input(place: tuple[int, int | None]) -> str:
    """Return the name of an input."""
    column, limit = place
    part = next(part for part in LAYOUT if part.start <= column < part.stop)
    name = f"{part.name}[{column - part.start}]"
    return name if limit is None else f"{name} > {limit}"


def facts_of(policy: MaskableActorCriticPolicy, players: Sequence[int], **more: Any) -> dict[str, Any]:
    """Return the facts in a network's file."""
    extractor = trunk_of(policy)
    inputs = {"columns": extractor.columns.tolist()}
    if extractor.above is not None:
        inputs["above"] = extractor.above.tolist()
    return {"layout_version": LAYOUT_VERSION, **inputs, "players": list(players), **more}


def agent_of(policy: MaskableActorCriticPolicy, players: Sequence[int], name: str, draws: bool = False) -> NetworkAgent:
    """Return an agent that plays as the policy does now, also when the policy has learned more."""
    agent = NetworkAgent(Network(weights_of(policy), facts_of(policy, players)), draws)
    agent.name = name
    return agent


def export_network(path: str | Path, policy: MaskableActorCriticPolicy, players: Sequence[int], **facts: Any) -> None:
    """Write a policy as a network, which `crypt_env` plays without torch, as ``net:PATH``.

    Args:
        path: of the file; ``.safetensors`` is added if it is missing.
        policy: of a model.
        players: the numbers of players that it is for.
        **facts: further facts for the file, such as a name.

    Raises:
        CryptError: the policy has no shared trunk, or one with layers of another kind.
    """
    save_network(Path(path), weights_of(policy), facts_of(policy, players, **facts))
