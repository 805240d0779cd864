"""Trained networks as agents, played with numpy alone.

A network is two files of one name: ``NAME.safetensors`` with its weights, and ``NAME.json`` with what they are for: the
layout of the observation, the columns of it that the network looks at (with "above": at whether each is above its
limit), the players it was trained for, and facts about the training. Reading them runs no code of theirs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.files import replace_file
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.observe import FEATURES, LAYOUT_VERSION

from .base import Actions, Agent, Decisions, draw

Weights = dict[str, NDArray[np.float32]]
Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""A matrix, [in, out], and a bias."""
SHIPPED = Path(__file__).resolve().parent.parent / "networks"
"""Where the networks lie that come with the package."""

FORMAT = "crypt-network/1"
_DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
_POLICY, _VALUE = "policy", "value"


class Network:
    """Layers with ReLU over some columns of the observation, then one layer for the policy and one for the value."""

    def __init__(self, weights: Weights, facts: dict[str, Any]) -> None:
        """Take weights: ``hidden.0.weight`` [out, in], ``hidden.0.bias`` and so on, ``policy...`` and ``value...``.

        Raises:
            CryptError: they do not fit each other, or the observations and actions of this package.
        """
        self.weights, self.facts = weights, facts
        if facts.get("layout_version") != LAYOUT_VERSION:
            raise CryptError(
                f"this network is for observation layout {facts.get('layout_version')!r}, "
                f"but this version of crypt_env writes layout {LAYOUT_VERSION}; train it anew, or use another version"
            )
        self.columns = np.asarray(facts["columns"], np.int64)
        self._above = None if facts.get("above") is None else np.asarray(facts["above"], np.int8)
        self.players: list[int] = list(facts["players"])
        self._hidden: list[Layer] = []
        while f"hidden.{len(self._hidden)}.weight" in weights:
            self._hidden.append(_layer(weights, f"hidden.{len(self._hidden)}"))
        self._policy, self._value = _layer(weights, _POLICY), _layer(weights, _VALUE)
        self._check()

    def _check(self) -> None:
        """Raise an error unless every layer fits the one before it."""
        width = len(self.columns)
        if self._above is not None and self._above.shape != self.columns.shape:
            raise CryptError(f"this network has limits of shape {self._above.shape} for {width} columns")
        for matrix, bias in [*self._hidden, self._policy, self._value]:
            if matrix.ndim != 2 or matrix.shape[0] != width or bias.shape != matrix.shape[1:]:
                raise CryptError(
                    f"this network has a layer of shape {matrix.shape} behind one that gives {width} numbers"
                )
            width = matrix.shape[1] if matrix is not self._policy[0] else width
        fits = self.columns.min() >= 0 and self.columns.max() < FEATURES
        if not fits or self._policy[0].shape[1] != ACTIONS or self._value[0].shape[1] != 1:
            raise CryptError(f"this network is not for observations of {FEATURES} numbers and {ACTIONS} actions")

    def evaluate(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, ACTIONS] and values [n] of observations [n, FEATURES]."""
        numbers = observations[:, self.columns]
        seen = numbers if self._above is None else numbers > self._above
        hidden = seen.astype(np.float32)
        for matrix, bias in self._hidden:
            hidden = np.maximum(hidden @ matrix + bias, 0)
        logits = hidden @ self._policy[0] + self._policy[1]
        values = hidden @ self._value[0] + self._value[1]
        return logits, values[:, 0]

    def chances(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the chance of each action, 0 for those that are not legal. [n, ACTIONS]"""
        logits = np.where(masks, self.evaluate(observations)[0], -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _layer(weights: Weights, name: str) -> Layer:
    """Return a layer."""
    try:
        return np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]
    except KeyError as error:
        raise CryptError(f"this network lacks {error.args[0]!r}") from None


class NetworkAgent(Agent):
    """Plays the likeliest action of a network, or draws by its chances."""

    def __init__(self, network: Network, draws: bool = False) -> None:
        """Play a network."""
        self.name = "net"
        self.network = network
        self._draws = draws

    def act(self, decisions: Decisions) -> Actions:
        """Choose by the network; a drawn action follows from the bits of the decision alone."""
        if self._draws:
            chances = self.network.chances(decisions.observations, decisions.masks).astype(np.float64)
            return draw(chances, decisions.bits)
        logits, _ = self.network.evaluate(decisions.observations)
        return np.asarray(np.where(decisions.masks, logits, -np.inf).argmax(axis=1))


# -- files ------------------------------------------------------------------------------------------------------------


def save_network(path: str | Path, weights: Weights, facts: dict[str, Any]) -> None:
    """Write a network's two files; ``facts`` need "columns" and "players", and hold whatever else is worth knowing."""
    path = Path(path).with_suffix(".safetensors")
    known = {"format": FORMAT, "layout_version": LAYOUT_VERSION, "actions": ACTIONS}
    Network(weights, {**known, **facts})
    header: dict[str, Any] = {}
    start = 0
    for name, array in weights.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [start, start + array.nbytes]}
        start += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    body = b"".join(np.ascontiguousarray(array, "<f4").tobytes() for array in weights.values())
    replace_file(path, len(text).to_bytes(8, "little") + text + body)
    replace_file(path.with_suffix(".json"), json.dumps({**known, **facts}).encode() + b"\n")


def load_network(name: str | Path) -> Network:
    """Read a network: one that comes with the package, by its name, or the files of a path.

    Raises:
        CryptError: there is none, a file is damaged, or it is for another layout of the observation.
    """
    path = _find(name)
    try:
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        if facts["format"] != FORMAT:
            raise ValueError(f"its format is {facts['format']!r}, {FORMAT!r} is needed")
        return Network(_read_weights(path.read_bytes()), facts)
    except CryptError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CryptError(f"network {str(path)!r} cannot be read: {type(error).__name__}: {error}") from error


def _find(name: str | Path) -> Path:
    """Return the path of a network's weights."""
    for candidate in (Path(name), SHIPPED / name):
        path = candidate.with_name(candidate.name.removesuffix(".safetensors") + ".safetensors")
        if path.is_file():
            return path
    raise CryptError(
        f"there is no network {str(name)!r}; with the package come {', '.join(shipped_networks()) or 'none'}"
    )


def network_files(agent: str) -> list[Path]:
    """Return the files of the network in an agent's name, such as ``net:solo`` or ``puct:50:net:solo``; often none."""
    _, found, name = agent.rpartition("net:")
    if not found:
        return []
    try:
        path = _find(name.removesuffix(":draw"))
    except CryptError:
        return []  # whoever makes the agent says so
    return [path, path.with_suffix(".json")]


def shipped_networks() -> list[str]:
    """Return the names of the networks that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.safetensors"))


def _read_weights(data: bytes) -> Weights:
    """Return the arrays in a safetensors file."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 + size:
        raise ValueError("it is cut short")
    weights = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        dtype = _DTYPES[entry["dtype"]]
        start, stop = entry["data_offsets"]
        if not 0 <= start <= stop <= len(data) - 8 - size:
            raise ValueError("it is cut short")
        array = np.frombuffer(data[8 + size + start : 8 + size + stop], dtype)
        weights[name] = array.reshape(entry["shape"]).astype(np.float32)
    return weights


def network_agent(text: str) -> Agent:
    """Make the agent of a spec ``net:NAME`` or ``net:NAME:draw``, NAME being a shipped network or a path."""
    name, _, how = text.rpartition(":") if text.endswith(":draw") else (text, "", "")
    if not name:
        raise CryptError(f"'net:{text}' names no network; allowed are 'net:NAME' and 'net:NAME:draw'")
    return NetworkAgent(load_network(name), draws=how == "draw")
