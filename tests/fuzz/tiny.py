"""The smallest possible networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crypt_env import ACTIONS
from crypt_env.agents.network_file import Weights

COLUMNS = [3, 4, 10]


def tiny_weights(widths: Sequence[int]) -> Weights:
    """Return the weights of a network with these hidden layers."""
    generator = np.random.default_rng(4)
    sizes = [len(COLUMNS), *widths]
    shapes = {f"hidden.{number}": (sizes[number + 1], sizes[number]) for number in range(len(widths))}
    shapes |= {"policy": (ACTIONS, sizes[-1]), "value": (1, sizes[-1])}
    weights: Weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = generator.normal(size=shape).astype(np.float32)
        weights[f"{name}.bias"] = generator.normal(size=shape[0]).astype(np.float32)
    return weights


def tiny_facts(above: list[int] | None = None) -> dict[str, Any]:
    """Return what its file says about it."""
    reward = {"kind": "win", "dense": False, "scale": 1.0}
    facts = {"columns": COLUMNS, "players": [2, 3], "name": "tiny", "reward": reward}
    return {**facts, **({} if above is None else {"above": above})}
