"""Checkpoints as files: safetensors for the arrays, JSON in its metadata for all else, and a checksum over both.

Reading one runs no code of its own, whoever has written it. The metadata has three entries:

    format   "crypt-checkpoint/2"
    content  the content as JSON; an array stands there as {"tensor": its name in the file}
    sha256   of the content and of every array: its name, type, shape and bytes

Checkpoints of format 1 are zip archives of torch with the name ``checkpoint.pt``. They are read by torch's unpickler
for weights alone.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crypt_env import CryptError
from crypt_env.errors import shortened
from crypt_env.files import replace_file

NAME = "checkpoint.safetensors"
OLD_NAME = "checkpoint.pt"
FORMAT = "crypt-checkpoint/2"
_REFERENCE = "tensor"
_MOST_DEPTH = 32
"""How many lists and objects may be inside each other; what is written has fewer than ten."""

Arrays = dict[str, NDArray[Any]]


def find_checkpoint(folder: Path) -> Path | None:
    """Return the checkpoint in a folder; the one of the old format only if there is no other."""
    return next((folder / name for name in (NAME, OLD_NAME) if (folder / name).exists()), None)


def write_checkpoint(folder: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint; the one before stays until the new one is whole."""
    arrays: Arrays = {}
    text = json.dumps(_take_out(content, "", arrays), separators=(",", ":"))
    facts = {"format": FORMAT, "content": text, "sha256": _digest(text, arrays)}
    replace_file(folder / NAME, save(arrays, facts))
    (folder / OLD_NAME).unlink(missing_ok=True)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint; arrays are tensors.

    Raises:
        CryptError: it is damaged, or no checkpoint.
    """
    try:
        content = _read_old(path) if path.name == OLD_NAME else _read(path)
    except (OSError, SafetensorError, RecursionError, ValueError, KeyError, TypeError, IndexError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else shortened(str(error))
        raise CryptError(f"checkpoint {str(path)!r} cannot be read, it is cut short or damaged: {reason}") from None
    return content


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint of the current format."""
    with safe_open(path, framework="numpy") as file:
        facts = file.metadata() or {}
        if facts.get("format") != FORMAT:
            raise ValueError(f"its format is {facts.get('format', 'none')[:60]!r}, and {FORMAT!r} is needed")
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if _digest(facts["content"], arrays) != facts["sha256"]:
        raise ValueError("its checksum does not fit its content")
    content = _put_back(json.loads(facts["content"]), arrays)
    if not isinstance(content, dict):
        raise ValueError("its content has no names")
    return content


def _digest(text: str, arrays: Arrays) -> str:
    """Return the checksum of a content."""
    digest = hashlib.sha256(text.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _take_out(value: Any, name: str, arrays: Arrays) -> Any:
    """Return a value as JSON has it; its tensors become arrays by names, and references to them."""
    if isinstance(value, torch.Tensor):
        arrays[name] = value.detach().cpu().numpy()
        return {_REFERENCE: name}
    if isinstance(value, dict):
        return {key: _take_out(inner, f"{name}/{key}", arrays) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_take_out(inner, f"{name}/{number}", arrays) for number, inner in enumerate(value)]
    return value


def _put_back(value: Any, arrays: Arrays, depth: int = 0) -> Any:
    """Return a value with the tensors that it refers to."""
    if depth > _MOST_DEPTH:
        raise ValueError(f"more than {_MOST_DEPTH} lists and objects in it are inside each other")
    if isinstance(value, dict):
        if value.keys() == {_REFERENCE}:
            return torch.from_numpy(np.array(arrays[value[_REFERENCE]]))
        return {key: _put_back(inner, arrays, depth + 1) for key, inner in value.items()}
    return [_put_back(inner, arrays, depth + 1) for inner in value] if isinstance(value, list) else value


def _read_old(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint of format 1, as one of the current format."""
    try:
        _check_archive(path)
        content: dict[str, Any] = torch.load(path, weights_only=True)
        state = content["optimizer"]["state"]
        return {**content, "optimizer": [state[number] for number in range(len(state))]}
    except Exception as error:
        raise ValueError((str(error).splitlines() or [type(error).__name__])[0][:200]) from error


def _check_archive(path: Path) -> None:
    """Raise an error for what torch has not written; other files than archives could make old versions run code."""
    with zipfile.ZipFile(path) as archive:
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
            raise ValueError("it is compressed")
        broken = archive.testzip()
        if broken is not None:
            raise ValueError(f"the checksum of {broken!r} does not fit its content")
