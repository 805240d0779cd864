"""Trained networks as agents, played with numpy alone.

A network has weights and metadata: the layout of the observation it was trained on, the columns it reads (with
"above": whether each exceeds its limit), the numbers of players it was trained for, and any other facts.
Files of networks are described in `network_file`, their names in `network_names`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted
from crypt_env.files import shown
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import FEATURES, LAYOUT_VERSION

from .base import Actions, Agent, Decisions, draw
from .network_file import FORMAT, Facts, Weights, read_network, write_network
from .network_names import find_network, new_network_path
from .registry import Form

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""A matrix, [in, out], and a bias."""

_POLICY, _VALUE = "policy", "value"
_INT8 = np.iinfo(np.int8)
_QUOTES = "'\""
_HIGHEST = 1e38
"""Upper bound of all numbers in a forward pass; twice as much still fits a 32-bit float."""


class Network:
    """ReLU layers over some columns of the observation, then a policy head and a value head."""

    def __init__(self, weights: Weights, facts: Facts) -> None:
        """Take weights: ``hidden.0.weight`` [out, in], ``hidden.0.bias`` and so on, ``policy...`` and ``value...``.

        Raises:
            CryptError: they do not match each other, or the observations and actions of this package.
        """
        _check_layout(facts)
        self.weights, self.facts = weights, facts
        self.columns = np.array(whole_numbers(facts, "columns", 0, FEATURES - 1), np.int64)
        self.above = limits_of(facts)
        self.players = whole_numbers(facts, "players", 1, MAX_PLAYERS)
        _check_reward(facts)
        count = sum(name.startswith("hidden.") and name.endswith(".weight") for name in weights)
        self.hidden = [_layer(weights, f"hidden.{number}") for number in range(count)]
        self.policy, self.value = _layer(weights, _POLICY), _layer(weights, _VALUE)
        self._check_names(count)
        self._check_shapes()
        self._check_numbers()

    def _check_names(self, count: int) -> None:
        layers = [_POLICY, _VALUE, *(f"hidden.{number}" for number in range(count))]
        for name in self.weights:
            layer, _, kind = name.rpartition(".")
            if layer not in layers or kind not in ("weight", "bias"):
                raise CryptError(f"this network has {quoted(name)}, which is in none of {', '.join(layers)}")

    def _check_shapes(self) -> None:
        """Raise an error unless every layer fits the one before it."""
        width = len(self.columns)
        for matrix, bias in [*self.hidden, self.policy, self.value]:
            if matrix.ndim != 2 or matrix.shape[0] != width or bias.shape != matrix.shape[1:]:
                raise CryptError(
                    f"this network has a layer of shape {matrix.shape} after one that gives {width} numbers"
                )
            width = matrix.shape[1] if matrix is not self.policy[0] else width
        if self.policy[0].shape[1] != ACTIONS or self.value[0].shape[1] != 1:
            raise CryptError(
                f"this network answers {self.policy[0].shape[1]} logits and {self.value[0].shape[1]} values; "
                f"{ACTIONS} and 1 are needed"
            )

    def _check_numbers(self) -> None:
        """Raise an error unless its outputs are finite for every observation."""
        for name, array in self.weights.items():
            if not np.isfinite(array).all():
                raise CryptError(f"this network has weights in {name} that are not finite")
        highest = np.full(len(self.columns), 1.0 if self.above is not None else float(_INT8.max))
        with np.errstate(over="ignore", invalid="ignore"):
            for layer in self.hidden:
                highest = _reach(layer, highest)
            for layer in (self.policy, self.value):
                _reach(layer, highest)

    def evaluate(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return logits [n, ACTIONS] and values [n] of observations [n, FEATURES]."""
        numbers = observations[:, self.columns]
        seen = numbers if self.above is None else numbers > self.above
        hidden = seen.astype(np.float32)
        for matrix, bias in self.hidden:
            hidden = np.maximum(hidden @ matrix + bias, 0)
        logits = hidden @ self.policy[0] + self.policy[1]
        values = hidden @ self.value[0] + self.value[1]
        return logits, values[:, 0]

    @property
    def widths(self) -> list[int]:
        """The widths of its hidden layers."""
        return [bias.size for _, bias in self.hidden]

    def probabilities(self, observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the probability of each action, 0 for illegal ones. [n, ACTIONS]"""
        logits = np.where(masks, self.evaluate(observations)[0], -np.inf)
        exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))

    def __repr__(self) -> str:
        """Return a short description."""
        counts = " or ".join(map(str, self.players))
        count = sum(weight.size for weight in self.weights.values())
        return f"<Network {quoted(self.facts.get('name'))}: {counts} player{'s' * (counts != '1')}, {count:,} weights>"

    def _repr_html_(self) -> str:
        """Return its layers and its metadata as tables for a notebook."""
        from crypt_env.drawing.tables import html_table

        names = sorted({name.rpartition(".")[0] for name in self.weights})
        rows = [(name, *map(str, reversed(self.weights[f"{name}.weight"].shape))) for name in names]
        facts = [fact for fact in self.facts.items() if fact[0] not in ("columns", "above")]
        known = [row for name, value in facts for row in _fact_rows(name, value)]
        return html_table("Network", ("layer", "inputs", "outputs"), rows) + html_table("", ("fact", "value"), known)


def _layer(weights: Weights, name: str) -> Layer:
    try:
        return np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"]
    except KeyError as error:
        raise CryptError(f"this network lacks {error.args[0]!r}") from None


def _fact_rows(name: str, value: Any) -> list[tuple[str, str]]:
    """Return a fact as rows of a table; an object has one row for each entry."""
    if isinstance(value, dict):
        return [(f"{name}: {quoted(key).strip(_QUOTES)}", quoted(entry).strip(_QUOTES)) for key, entry in value.items()]
    return [(name, quoted(value).strip(_QUOTES))]


def _reach(layer: Layer, highest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest absolute value that a layer can produce.

    Raises:
        CryptError: it overflows 32-bit floats.
    """
    matrix, bias = layer
    reached = np.asarray(highest @ np.abs(matrix) + np.abs(bias), np.float64)
    if not (reached < _HIGHEST).all():
        raise CryptError("this network has weights so large that their sums overflow 32-bit floats")
    return reached


# -- facts ------------------------------------------------------------------------------------------------------------


def _check_layout(facts: Mapping[str, Any]) -> None:
    version = facts.get("layout_version")
    if version != LAYOUT_VERSION:
        way = "retrain it, or use another version"
        if type(version) is int and version < LAYOUT_VERSION:
            way = f"carry it over with tools/carry_network.py, {way}"
        raise CryptError(
            f"this network is for observation layout {quoted(version)}, "
            f"but this version of crypt_env writes layout {LAYOUT_VERSION}; {way}"
        )
    if facts.get("actions", ACTIONS) != ACTIONS:
        raise CryptError(f"this network chooses from {quoted(facts['actions'])} actions; {ACTIONS} are needed")


def whole_numbers(facts: Mapping[str, Any], name: str, low: int, high: int) -> list[int]:
    """Return the list of whole numbers under a name; it has at least one."""
    numbers: Any = facts.get(name)
    is_list = isinstance(numbers, list) and len(numbers) > 0
    if is_list and all(type(number) is int and low <= number <= high for number in numbers):
        return list(numbers)
    raise CryptError(
        f"this network has {name}={quoted(numbers)}; a list of whole numbers from {low} to {high} is needed"
    )


def limits_of(facts: Mapping[str, Any]) -> NDArray[np.int8] | None:
    """Return the limits of the columns, None if the network reads the numbers themselves."""
    if facts.get("above") is None:
        return None
    above = whole_numbers(facts, "above", int(_INT8.min), int(_INT8.max))
    if len(above) != len(facts["columns"]):
        raise CryptError(f"this network has {len(above)} limits for {len(facts['columns'])} columns")
    return np.array(above, np.int8)


def _check_reward(facts: Mapping[str, Any]) -> None:
    """Raise an error if the entry about the reward is malformed; it may be absent."""
    reward = facts.get("reward", {})
    scale = reward.get("scale", 1.0) if isinstance(reward, dict) else None
    is_scale = isinstance(scale, (int, float)) and not isinstance(scale, bool) and 0 < scale < _HIGHEST
    if not is_scale or not isinstance(reward.get("dense", False), bool):
        raise CryptError(
            f"this network has reward={quoted(reward)}; an object with a 'scale' above 0 and 'dense' true or false is "
            "needed, or none"
        )


# -- agents and files -------------------------------------------------------------------------------------------------


class NetworkAgent(Agent):
    """Plays the likeliest action of a network, or samples from its policy."""

    def __init__(self, network: Network, draws: bool = False) -> None:
        self.name = "net"
        self.network = network
        self.draws = draws

    def act(self, decisions: Decisions) -> Actions:
        """Choose by the network; a sampled action depends only on the bits of the decision."""
        if self.draws:
            probabilities = self.network.probabilities(decisions.observations, decisions.masks).astype(np.float64)
            return draw(probabilities, decisions.bits)
        logits, _ = self.network.evaluate(decisions.observations)
        return np.asarray(np.where(decisions.masks, logits, -np.inf).argmax(axis=1))


def save_network(path: str | os.PathLike[str], weights: Weights, facts: Mapping[str, Any]) -> None:
    """Write a network to a path, with or without ``.safetensors`` at its end.

    Args:
        path: of the file.
        weights: as `Network` takes them.
        facts: "columns" and "players" are required; any other entries are kept.

    Raises:
        CryptError: they do not match each other, or the observations and actions of this package; the path has no name.
    """
    facts = {"layout_version": LAYOUT_VERSION, **facts, "format": FORMAT, "actions": ACTIONS}
    target = new_network_path(path)
    Network(weights, facts)
    write_network(target, weights, facts)


def load_network(name: str | os.PathLike[str]) -> Network:
    """Read a network: one that comes with the package, by its name, or a file of yours, by its path with a slash.

    Raises:
        CryptError: it does not exist, its file is damaged, or it is for other observations.
    """
    path = find_network(name)
    weights, facts = read_network(path)
    try:
        return Network(weights, facts)
    except CryptError as error:
        raise CryptError(f"network '{shown(path)}' cannot be played: {error}") from error


NETWORK_FORM = Form(
    r"(?P<network>(?!:draw$).+?)(?P<draws>:draw)?",
    "allowed are 'net:NAME' and 'net:NAME:draw', with the name of a network or its path, which has a slash",
)


def network_agent(network: str, draws: str | None) -> Agent:
    """Make the agent of a text ``net:NAME`` or ``net:NAME:draw``; NAME may be a path, which has a slash."""
    return NetworkAgent(load_network(network), draws=draws is not None)
