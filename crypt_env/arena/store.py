"""Stores the finished chunks of a tournament, so that an interrupted one can resume.

A folder holds one file, ``arena.jsonl``: the plan on the first line, then a line for each chunk, in any order. A line
is appended in one write, and ends with a checksum of itself and of the plan. A partial line at the end of the file,
left by an interruption, is cut off when the tournament resumes.

The file may be untrusted: it is read line by line, no line may be longer than this tournament needs, and every number
is checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

import crypt_env
from crypt_env.agents.registry import file_path
from crypt_env.errors import CryptError, quoted
from crypt_env.files import shown

from .chunks import Task
from .match import WHOLE_WIN, Played
from .schedule import Plan
from .workers import Done

FORMAT = "crypt-arena/2"
FILE_NAME = "arena.jsonl"

_MOST_HEADER = 2**24
"""Maximum bytes of the first line."""
_MOST_LINE, _MOST_DEAL = 4096, 96
"""Maximum bytes of any other line, and of each deal in it."""
_MOST_COINS, _MOST_DECISIONS = 1000, 10_000
"""Of a seat in a game."""
_CHECK = b',"check":"'


def code_digest(agents: Sequence[str] = ()) -> str:
    """Return a digest of rules, agents, and the files of these agents' networks and saved models.

    That is everything that determines the games, except for agents of a user's modules.
    """
    package = Path(crypt_env.__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*package.glob("rules/**/*.py"), *package.glob("agents/**/*.py")]):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    for agent in agents:
        file = file_path(agent)
        if file is not None:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class Store:
    """A folder with the finished chunks of one tournament."""

    def __init__(self, folder: str | os.PathLike[str], plan: Plan) -> None:
        """Open a folder, creating it if necessary.

        Raises:
            CryptError: it cannot be written, another run is writing to it, or it holds something else.
        """
        self.path = Path(folder) / FILE_NAME
        self._plan = plan
        self._header = {"format": FORMAT, "code": code_digest(plan.agents), **plan.as_json()}
        self._key = hashlib.sha256(_line(self._header)).digest()
        self.done: list[Done] = []
        """The chunks that were already stored."""
        try:
            if self.path.parent.exists() and not self.path.parent.is_dir():
                raise CryptError(f"nothing can be stored in {shown(folder)}: it is not a folder")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not self.path.is_file():
                raise CryptError(f"nothing can be stored in {shown(folder)}: its {FILE_NAME} is not a file")
            self._file: IO[bytes] = self.path.open("ab+")
        except OSError as error:
            raise CryptError(f"nothing can be stored in {shown(folder)}: {error.strerror or error}") from error
        try:
            self._lock()
            self._read()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; all chunks are already on disk, except one that could not be written."""
        with contextlib.suppress(OSError):
            self._file.close()

    def add(self, done: Done) -> None:
        """Store a chunk.

        Raises:
            CryptError: it cannot be written.
        """
        content = {**done.task._asdict(), **{name: array.tolist() for name, array in done.played._asdict().items()}}
        self._append(sealed(content, self._key))

    def _append(self, line: bytes) -> None:
        try:
            self._file.write(line + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise CryptError(f"{shown(self.path)} cannot be written: {error.strerror or error}") from error

    def _lock(self) -> None:
        with contextlib.suppress(ImportError):
            import fcntl

            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise CryptError(f"another run is writing to {shown(self.path.parent)}; wait for its end") from error

    # -- reading ------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        self._file.seek(0)
        first = self._file.readline(_MOST_HEADER)
        if not first.endswith(b"\n"):  # a new file, or one that ends within its first line
            line = _line(self._header)
            if not line.startswith(first):
                raise self._damage(1)
            self._file.truncate(0)
            self._append(line)
            return
        self._compare(self._parsed(1, first))
        played = np.zeros((len(self._plan.lineups), self._plan.deals), np.bool_)
        end = len(first)
        for number, line in enumerate(self._lines(), 2):
            if not line.endswith(b"\n"):
                self._file.truncate(end)
                break
            done = self._chunk(number, line)
            self._mark(played[done.task.lineup], done.task)
            self.done.append(done)
            end += len(line)

    def _lines(self) -> Iterator[bytes]:
        """Yield the lines from the second on; a line that is too long is not read in full."""
        most = _MOST_LINE + _MOST_DEAL * self._plan.deals
        number = 1
        while line := self._file.readline(most):
            number += 1
            if len(line) == most:
                raise self._damage(number)
            yield line

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise self._damage(number)
        return content

    def _damage(self, number: int) -> CryptError:
        return CryptError(f"{shown(self.path)}, line {number}, was not written by a tournament; give another folder")

    def _compare(self, found: dict[str, Any]) -> None:
        if not str(found.get("format")).startswith(FORMAT.partition("/")[0] + "/"):
            raise self._damage(1)
        for name, wanted in self._header.items():
            if found.get(name) != wanted:
                there, here = (_written(name, value) for value in (found.get(name), wanted))
                raise CryptError(
                    f"{shown(self.path.parent)} holds another tournament: {there} there, {here} here; "
                    "give another folder"
                )

    def _chunk(self, number: int, line: bytes) -> Done:
        body, _, _ = line.rpartition(_CHECK)
        if line != _with_check(body, self._key) + b"\n":
            raise self._damage(number)
        try:
            return _done(self._parsed(number, line), self._plan)
        except (ValueError, KeyError):
            raise self._damage(number) from None

    def _mark(self, played: NDArray[np.bool_], task: Task) -> None:
        part = played[task.start : task.stop]
        if part.any():
            twice = task.start + int(part.argmax())
            raise CryptError(
                f"{shown(self.path)} holds deal {twice} of line-up {task.lineup} twice; give another folder"
            )
        part[:] = True


# -- lines ------------------------------------------------------------------------------------------------------------


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def sealed(content: dict[str, Any], key: bytes) -> bytes:
    """Return a line with the checksum of itself and of the plan at its end."""
    return _with_check(_line(content)[:-1], key)


def _with_check(body: bytes, key: bytes) -> bytes:
    """Return a line from its part before the checksum."""
    return body + _CHECK + hashlib.sha256(key + body).hexdigest()[:16].encode() + b'"}'


def _done(content: dict[str, Any], plan: Plan) -> Done:
    """Return the chunk that a line describes.

    Raises:
        ValueError, KeyError: it was not written by a tournament with this plan.
    """
    lineup = _whole(content["lineup"], len(plan.lineups) - 1)
    stop = _whole(content["stop"], plan.deals)
    start = _whole(content["start"], stop - 1)
    deals, seats = stop - start, len(plan.lineups[lineup].seats)
    shares = _array(content["shares"], (deals, seats), int, WHOLE_WIN * plan.players)
    coins = _array(content["coins"], (deals, seats), int, _MOST_COINS * plan.players**2)
    decisions = _array(content["decisions"], (seats,), int, _MOST_DECISIONS * deals * plan.players**2)
    seconds = _array(content["seconds"], (seats,), float, sys.float_info.max)
    if not (shares.sum(axis=1) == WHOLE_WIN * plan.players).all():
        raise ValueError
    return Done(Task(lineup, start, stop), Played(shares, coins, decisions, seconds))


def _whole(value: Any, most: int) -> int:
    """Return a whole number from 0 to a limit, or raise a ValueError."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError
    return value


def _array(values: Any, shape: tuple[int, ...], kind: type[int] | type[float], most: float) -> NDArray[Any]:
    """Return numbers of a type, from 0 to a limit, as an array of a shape, or raise a ValueError."""
    array = np.array(values, object)
    if array.shape != shape or not all(type(value) is kind and 0 <= value <= most for value in array.flat):
        raise ValueError
    return array.astype(np.int64 if kind is int else np.float64)


def _written(name: str, value: object) -> str:
    """Return a setting as a message shows it."""
    if name == "code":
        return f"rules and agents of version {quoted(value).strip(chr(39))}"
    if isinstance(value, list) and all(isinstance(part, str) and part.isprintable() for part in value):
        text = " ".join(value)
        return f"{name} {text if len(text) <= 200 else text[:200] + '...'}"
    return f"{name} {quoted(value).strip(chr(39))}"
