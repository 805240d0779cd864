"""Keeps the chunks of a tournament that are finished, so that an interrupted one can go on.

A folder holds one file, ``arena.jsonl``: the plan on the first line, then a line for each chunk, in any order. A line
is appended in one go. What an interruption leaves of a line at the end of the file is cut off when the tournament goes
on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np

import crypt_env
from crypt_env.agents.network_names import network_file
from crypt_env.errors import CryptError

from .chunks import Task
from .match import WHOLE_WIN, Played
from .schedule import Plan
from .workers import Done

FORMAT = "crypt-arena/1"
FILE_NAME = "arena.jsonl"


def code_digest(agents: Sequence[str] = ()) -> str:
    """Return a digest of all that decides how games go: rules, agents, and the networks that these agents play."""
    package = Path(crypt_env.__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*package.glob("rules/**/*.py"), *package.glob("agents/**/*.py")]):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    for agent in agents:
        network = network_file(agent)
        if network is not None:
            digest.update(network.read_bytes())
    return digest.hexdigest()[:16]


class Store:
    """A folder with the finished chunks of one tournament."""

    def __init__(self, folder: str | os.PathLike[str], plan: Plan) -> None:
        """Open a folder, which is made if need be.

        Raises:
            CryptError: it cannot be written, another run writes to it, or it holds something else.
        """
        self.path = Path(folder) / FILE_NAME
        self._plan = plan
        self.done: list[Done] = []
        """The chunks that were there already."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = self.path.open("ab+")
        except OSError as error:
            raise CryptError(f"nothing can be kept in {folder}: {error.strerror or error}") from error
        try:
            self._lock()
            self._read()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file. What was added is there already."""
        self._file.close()

    def add(self, done: Done) -> None:
        """Keep a chunk."""
        self._append({**done.task._asdict(), **{name: array.tolist() for name, array in done.played._asdict().items()}})

    def _append(self, content: dict[str, Any]) -> None:
        """Write a line, and see that it reaches the disk."""
        self._file.write(json.dumps(content, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lock(self) -> None:
        """Keep other runs away from the file, where the platform can do so."""
        with contextlib.suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise CryptError(f"another run writes to {self.path.parent}; wait for its end") from error

    def _read(self) -> None:
        """Read what is there, and cut off a line that was not finished."""
        self._file.seek(0)
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            self._file.truncate(whole)
        lines = content[:whole].splitlines()
        header = {"format": FORMAT, "code": code_digest(self._plan.agents), **self._plan.as_json()}
        if not lines:
            self._append(header)
            return
        self._compare(self._parsed(1, lines[0]), header)
        self.done = [self._chunk(number, self._parsed(number, line)) for number, line in enumerate(lines[1:], 2)]
        self._check_overlaps()

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        """Return what is on a line."""
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise self._damage(number)
        return content

    def _damage(self, number: int) -> CryptError:
        """Return an error that names a line of the file."""
        return CryptError(f"{self.path}, line {number}, is not what a tournament has written; give another folder")

    def _compare(self, found: dict[str, Any], header: dict[str, Any]) -> None:
        """Raise an error unless the file belongs to this plan."""
        if found.get("format") != FORMAT:
            raise self._damage(1)
        for name, wanted in header.items():
            if found.get(name) != wanted:
                there, here = (_written(name, value) for value in (found.get(name), wanted))
                raise CryptError(
                    f"{self.path.parent} holds another tournament: {there} there, {here} here; give another folder"
                )

    def _chunk(self, number: int, content: dict[str, Any]) -> Done:
        """Return the chunk on a line, checked."""
        try:
            task = Task(*(content[name] for name in Task._fields))
            seats = np.array(self._plan.lineups[task.lineup].seats)
            shares, coins, decisions = (np.array(content[name], np.int64) for name in Played._fields[:3])
            played = Played(shares, coins, decisions, np.array(content["seconds"], np.float64))
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            raise self._damage(number) from None
        deals = task.stop - task.start
        is_right = (
            0 <= task.start < task.stop <= self._plan.deals
            and task.lineup >= 0
            and shares.shape == coins.shape == (deals, len(seats))
            and decisions.shape == played.seconds.shape == (len(seats),)
            and (shares.sum(axis=1) == WHOLE_WIN * self._plan.players).all()
        )
        if not is_right:
            raise self._damage(number)
        return Done(task, played)

    def _check_overlaps(self) -> None:
        """Raise an error if a deal of a line-up is there twice."""
        tasks = sorted(done.task for done in self.done)
        for one, other in pairwise(tasks):
            if one.lineup == other.lineup and one.stop > other.start:
                raise CryptError(
                    f"{self.path} holds deal {other.start} of line-up {other.lineup} twice; give another folder"
                )


def _written(name: str, value: object) -> str:
    """Return a setting as a message shows it."""
    if name == "code":
        return f"rules and agents of version {value}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"{name} {' '.join(map(str, value))}"
    return f"{name} {value}"
