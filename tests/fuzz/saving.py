"""Inputs as files, to investigate their faults."""

from __future__ import annotations

import json
import pickle
import reprlib
from pathlib import Path
from typing import Any


def save_input(stem: Path, given: Any) -> Path:
    """Write an input beside this name, in the plainest form that can hold it; return the file."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    ending, content = _as_file(given)
    path = stem.with_name(stem.name + ending)
    path.write_bytes(content)
    return path


def _as_file(given: Any) -> tuple[str, bytes]:
    """Return the ending of a file's name, and what is in it."""
    if isinstance(given, bytes):
        return ".bin", given
    if isinstance(given, str):
        return ".txt", given.encode("utf-8", "surrogatepass")
    try:
        if isinstance(given, (dict, list)) and json.loads(json.dumps(given)) == given:
            return ".json", json.dumps(given).encode()
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return ".pickle", pickle.dumps(given)
    except Exception:  # nested too deep, or not serializable
        return ".repr.txt", reprlib.Repr().repr(given).encode("utf-8", "backslashreplace")
