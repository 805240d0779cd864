"""Numbers that a worker shows to its watcher: they stay readable when it dies in the middle of an input."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import NamedTuple

PREPARING = -1
_PLACE, _ROW = struct.Struct("<qq"), struct.Struct("<qqd")


class Counts(NamedTuple):
    """The progress of a worker on a task."""

    done: int
    accepted: int
    seconds: float


class Board:
    """Which task and which input is worked on, and a row of counts for each task, in a file that two processes map."""

    def __init__(self, path: Path, tasks: int) -> None:
        """Open the file, creating it if necessary."""
        if not path.exists():
            path.write_bytes(_PLACE.pack(0, PREPARING) + _ROW.pack(0, 0, 0.0) * tasks)
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)

    def begin(self, task: int, number: int) -> None:
        """Show which input of which task is worked on."""
        _PLACE.pack_into(self._memory, 0, task, number)

    def count(self, task: int, counts: Counts) -> None:
        """Show how far a task is."""
        _ROW.pack_into(self._memory, _PLACE.size + task * _ROW.size, *counts)

    def place(self) -> tuple[int, int]:
        """Return which task is worked on, and the number of the input."""
        task, number = _PLACE.unpack_from(self._memory, 0)
        return task, number

    def counts(self, task: int) -> Counts:
        """Return how far a task is."""
        return Counts(*_ROW.unpack_from(self._memory, _PLACE.size + task * _ROW.size))

    def close(self) -> None:
        """Close the file."""
        self._memory.close()
