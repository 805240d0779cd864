"""Networks as files: one safetensors file each, with the weights as its tensors and the facts in its metadata.

The tensors are ``hidden.0.weight`` [out, in] and ``hidden.0.bias`` [out], then ``hidden.1...`` and so on, ``policy...``
and ``value...``. They are written as F32; F16 is read as well. The metadata has one entry, ``crypt-network``, with one
JSON object:

    format          "crypt-network/2"
    layout_version  of the observation that the network reads
    actions         how many it chooses from
    columns         the columns of the observation that are its inputs
    above           optional: limits, one for each column; the inputs are whether the numbers exceed them
    players         the numbers of players that it was trained for
    ...             any other facts, such as "name", "reward" and "training"

A file may come from a stranger. Reading it executes no code from it; its header is checked before anything else is
read, and a file larger than any network needs is refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crypt_env.errors import CryptError, quoted
from crypt_env.files import replace_file, shown

Weights = dict[str, NDArray[np.float32]]
"""Arrays by the names that tensors have in files."""
Facts = dict[str, Any]
"""A network's metadata, as parsed JSON."""

FORMAT = "crypt-network/2"
KEY = "crypt-network"
"""The metadata entry that holds the facts."""
MAX_BYTES = 2**28
"""Of a file."""
MAX_HEADER = 2**20
"""Bytes of its header, in which the facts are."""
MAX_WIDTH = 2**14
"""Of a layer, so that thousands of decisions at once need no gigabytes."""

_NAME = re.compile(r"(hidden\.(0|[1-9]\d{0,3})|policy|value)\.(weight|bias)")
_DTYPES = ("F32", "F16")


def read_network(path: Path) -> tuple[Weights, Facts]:
    """Return the weights and the facts of a network, for any observations and actions.

    Raises:
        CryptError: the file is damaged, too large, or does not hold a network.
    """
    weights, metadata = read_tensors(path)
    with reading(path):
        if KEY not in metadata:
            raise ValueError(
                f"its metadata has no entry {KEY!r}; tools/carry_network.py makes one file of a network that has two"
            )
        facts = parse_facts(metadata[KEY])
        if facts.get("format") != FORMAT:
            raise ValueError(f"its format is {quoted(facts.get('format'))}; {FORMAT!r} is needed")
    return weights, facts


def read_tensors(path: Path) -> tuple[Weights, dict[str, str]]:
    """Return the tensors and the metadata of a safetensors file that may hold a network.

    Raises:
        CryptError: the file is damaged or too large, or has tensors that no network has.
    """
    with reading(path):
        _check_file(path)
        with safe_open(path, framework="numpy") as file:
            names = list(file.keys())
            for name in names:
                tensor = file.get_slice(name)
                _check_tensor(name, tensor.get_dtype(), tensor.get_shape())
            weights = {name: np.asarray(file.get_tensor(name), np.float32) for name in names}
            return weights, dict(file.metadata() or {})


def parse_facts(text: str) -> Facts:
    """Return the facts in a text.

    Raises:
        ValueError: it is not a JSON object, or lacks a required fact.
    """
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its facts are not readable JSON: {error}") from None
    if not isinstance(facts, dict):
        raise ValueError(f"its facts are {type(facts).__name__}; a JSON object is needed")
    for name in ("layout_version", "actions"):
        if type(facts.get(name)) is not int:
            raise ValueError(f"its facts have {name}={quoted(facts.get(name))}; a whole number is needed")
    return facts


def write_network(path: Path, weights: Weights, facts: Mapping[str, Any]) -> None:
    """Write a network's file; an existing one stays until the new one is complete.

    Raises:
        CryptError: the facts cannot be written as JSON, or the file would be too large to be read.
    """
    try:
        for name, array in weights.items():
            _check_tensor(name, "F32", list(array.shape))
        text = _as_json(facts)
        data = save({name: np.ascontiguousarray(array, "<f4") for name, array in weights.items()}, {KEY: text})
        _check_sizes(len(data), int.from_bytes(data[:8], "little"))
    except ValueError as error:
        raise CryptError(f"network '{shown(path)}' cannot be written: {error}") from error
    replace_file(path, data)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn any failure to read a file into one sentence that names the file."""
    try:
        yield
    except CryptError:
        raise
    except SafetensorError as error:
        raise _unreadable(path, "it is truncated, damaged or not a safetensors file") from error
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unreadable(path, str(error)) from error


def _unreadable(path: Path, reason: str) -> CryptError:
    return CryptError(f"network '{shown(path)}' cannot be read: {reason}")


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise ValueError("it is not a file")
    with path.open("rb") as file:
        header = int.from_bytes(file.read(8), "little")
    size = path.stat().st_size
    _check_sizes(size, min(header, size))


def _check_sizes(size: int, header: int) -> None:
    if size > MAX_BYTES:
        raise ValueError(f"it has {size} bytes; at most {MAX_BYTES} are allowed")
    if header > MAX_HEADER:
        raise ValueError(f"its header, with the facts, has {header} bytes; at most {MAX_HEADER} are allowed")


def _check_tensor(name: str, dtype: str, shape: list[int]) -> None:
    kind = _NAME.fullmatch(name)
    if kind is None:
        raise ValueError(f"it has a tensor {quoted(name)}, which no network has")
    if dtype not in _DTYPES:
        raise ValueError(f"{name} is of type {dtype}; {' and '.join(_DTYPES)} are allowed")
    axes = 2 if kind[3] == "weight" else 1
    if len(shape) != axes or not all(1 <= size <= MAX_WIDTH for size in shape):
        raise ValueError(f"{name} has shape {quoted(shape)}; {axes} axes of 1 to {MAX_WIDTH} are allowed")


def _as_json(facts: Mapping[str, Any]) -> str:
    try:
        return json.dumps(_plain(dict(facts)), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"its facts cannot be written as JSON: {error}") from error


def _plain(value: Any) -> Any:
    """Return a value with null for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
