"""Checkpoints as files: safetensors for the arrays, JSON in its metadata for all else, and a checksum over both.

Reading one runs no code from it, no matter who has written it. The metadata has three entries:

    format   "crypt-checkpoint/3"
    content  the content as JSON; an array stands there as {"array": its name in the file}, a tensor as {"tensor": ...}
    sha256   of the content and of every array: its name, type, shape and bytes
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crypt_env.errors import CryptError, shortened
from crypt_env.files import replace_file

NAME = "checkpoint.safetensors"
FORMAT = "crypt-checkpoint/3"
_MAX_DEPTH = 32
"""How deep lists and objects may be nested; what is written has fewer than ten levels."""

Arrays = dict[str, NDArray[Any]]


def write_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint; the one before stays until the new one is whole."""
    arrays: Arrays = {}
    text = json.dumps(take_out(content, "", arrays), separators=(",", ":"))
    facts = {"format": FORMAT, "content": text, "sha256": digest(text, arrays)}
    replace_file(path, save(arrays, facts))


_DAMAGE = (OSError, SafetensorError, RecursionError, ValueError, KeyError, TypeError, IndexError, AttributeError)
"""The errors that a damaged file can lead to; the last one is numpy's about types that it does not know."""


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint.

    Raises:
        CryptError: it is damaged, or not a checkpoint.
    """
    try:
        return _read(path)
    except _DAMAGE as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else shortened(str(error))
        raise CryptError(f"checkpoint {str(path)!r} cannot be read, it is truncated or damaged: {reason}") from None


def _read(path: Path) -> dict[str, Any]:
    with safe_open(path, framework="numpy") as file:
        facts = file.metadata() or {}
        if facts.get("format") != FORMAT:
            raise ValueError(f"its format is {facts.get('format', 'none')[:60]!r}, and {FORMAT!r} is needed")
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if digest(facts["content"], arrays) != facts["sha256"]:
        raise ValueError("its checksum does not match its content")
    content = _put_back(json.loads(facts["content"]), arrays)
    if not isinstance(content, dict):
        raise ValueError("its content has no names")
    return content


def digest(text: str, arrays: Arrays) -> str:
    """Return the checksum of a content."""
    checksum = hashlib.sha256(text.encode())
    for name, array in sorted(arrays.items()):
        checksum.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        checksum.update(np.ascontiguousarray(array).tobytes())
    return checksum.hexdigest()


def take_out(value: Any, name: str, arrays: Arrays) -> Any:
    """Return a value as JSON has it; arrays and tensors in it go to ``arrays``, and references take their places."""
    if isinstance(value, torch.Tensor):
        arrays[name] = value.detach().cpu().numpy()
        return {"tensor": name}
    if isinstance(value, np.ndarray):
        arrays[name] = np.asarray(value, order="C")  # safetensors writes the bytes of others in their order in memory
        return {"array": name}
    if isinstance(value, dict):
        return {key: take_out(inner, f"{name}/{key}", arrays) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [take_out(inner, f"{name}/{number}", arrays) for number, inner in enumerate(value)]
    return value


def _put_back(value: Any, arrays: Arrays, depth: int = 0) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError(f"more than {_MAX_DEPTH} lists and objects in it are nested")
    if isinstance(value, dict):
        if value.keys() == {"array"}:
            return np.array(arrays[value["array"]])
        if value.keys() == {"tensor"}:
            return torch.from_numpy(np.array(arrays[value["tensor"]]))
        return {key: _put_back(inner, arrays, depth + 1) for key, inner in value.items()}
    return [_put_back(inner, arrays, depth + 1) for inner in value] if isinstance(value, list) else value
