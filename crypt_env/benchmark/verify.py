"""Verifies a result: replays all its games, and computes all its numbers again.

The record of a game follows from the deal and the actions of its seats. So every game is dealt as the protocol says;
the actions of the evaluated agent are taken from the record, if the rules allow them; the opponents are asked again,
and must have played what they answer; the dice are the game's own. The outcome must be the record, byte for byte. Then
the numbers are computed from the games.

This proves that the games are those of the protocol and that some choices led to these numbers. It does not prove who
chose: an agent that had looked at the cards would pass. With ``reask`` the agents are asked again as well, if they are
programs of this package or networks in the folder.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from crypt_env.agents import Agent, make_agent, network_path
from crypt_env.agents.network_file import MAX_BYTES
from crypt_env.agents.network_names import SHIPPED
from crypt_env.console.progress import Update
from crypt_env.errors import CryptError, quoted
from crypt_env.files import PathText, shown

from .frozen import file_digest
from .matches import Block, Counter, cross_block, cross_pairs, panel_blocks
from .numbers import first_difference, numbers_of
from .replaying import Replay
from .results import CROSS, Result, Run, file_in, games_file, network_name, read_result
from .scores import Values

MOST_LINE = 2**14
"""Bytes of a record; games of four players have some four thousand."""


def verify(folder: PathText, reask: bool = False, update: Update | None = None) -> Result:
    """Verify a result and return it.

    Args:
        folder: of the result.
        reask: also ask the evaluated agents again. A result may name a search that takes forever.
        update: called with the number of games verified and the total.

    Raises:
        CryptError: it is not a result of the protocol; one sentence says where.
    """
    place = Path(folder)
    result = read_result(place)
    agents = [_agent(place, number, run, reask) for number, run in enumerate(result.runs)]
    checked = _Checked(place, result, update)
    values = [checked.panel(number, agent) for number, agent in enumerate(agents)]
    cross = checked.cross(agents)
    wrong = first_difference(numbers_of(result.task, values, cross), result.numbers)
    if wrong is not None:
        raise CryptError(f"{shown(place)}: {wrong}")
    return result


class _Checked:
    """Reads and verifies the files of a result."""

    def __init__(self, folder: Path, result: Result, update: Update | None) -> None:
        self._folder, self._result = folder, result
        self._pairs = cross_pairs(result.task, len(result.runs))
        self._count = Counter(result.task, result.size, len(result.runs), update)

    def panel(self, number: int, agent: Agent | None) -> Values:
        """Return what a run was paid against the panel."""
        blocks = list(panel_blocks(self._result.task, self._result.size))
        return np.array(list(self._file(games_file(number), blocks, [(agent, None)] * len(blocks))))

    def cross(self, agents: list[Agent | None]) -> list[float]:
        """Return the shares of the wins of the runs against each other."""
        if not self._pairs:
            return []
        blocks = [cross_block(self._result.task)] * len(self._pairs)
        seated = [(agents[one], agents[other]) for one, other in self._pairs]
        return [float(values.mean()) for values in self._file(CROSS, blocks, seated)]

    def _file(
        self, name: str, blocks: list[Block], seated: list[tuple[Agent | None, Agent | None]]
    ) -> Iterator[np.ndarray[Any, np.dtype[np.float64]]]:
        where = shown(self._folder / name)
        path = file_in(self._folder, name)
        digest = _digest(path, sum(block.games for block in blocks), where)
        with gzip.open(path, "rb") as packed:
            file, first = cast(IO[bytes], packed), 1
            for block, (agent, other) in zip(blocks, seated, strict=True):
                lines = [file.readline(MOST_LINE) for _ in range(block.games)]
                yield Replay(block, lines, f"{where}, line ", first, agent, other).run()
                first += block.games
                self._count.add(block.games)
        if digest != self._result.records[name]:
            raise CryptError(f"{where} holds other games than result.json says: the SHA-256 of its records differs")


def _digest(path: Path, games: int, where: str) -> str:
    """Return the SHA-256 of the records in a file, of which there must be this many."""
    digest, found = hashlib.sha256(), 0
    try:
        with gzip.open(path, "rb") as packed:
            file = cast(IO[bytes], packed)
            while line := file.readline(MOST_LINE):
                found += 1
                if len(line) == MOST_LINE or not line.endswith(b"\n"):
                    raise CryptError(f"{where}, line {found}, is not a record: it is too long or truncated")
                if found > games:
                    raise CryptError(f"{where} holds more than the {games} games of the protocol")
                digest.update(line)
    except (OSError, EOFError, zlib.error) as error:
        raise CryptError(f"{where} cannot be read: {error}") from error
    if found < games:
        raise CryptError(f"{where} holds {found} games, but the protocol has {games}: {games - found} missing")
    return digest.hexdigest()


# -- the evaluated agents ---------------------------------------------------------------------------------------------


def _agent(folder: Path, number: int, run: Run, reask: bool) -> Agent | None:
    """Check the network of a run; return its agent if it is to be asked again."""
    text = run.agent
    if run.brings_network:
        path = file_in(folder, network_name(number))
        if path.stat().st_size > MAX_BYTES:
            raise CryptError(f"{shown(path)} has more than {MAX_BYTES} bytes")
        text = text.replace("{network}", str(path.resolve()))
    found = network_path(text)
    if found is not None and not run.brings_network and found.parent != SHIPPED:
        raise CryptError(f"{shown(folder)}: agent {quoted(run.agent)} names a file outside of the folder")
    digest = None if found is None else file_digest(found)
    if digest != run.network and (reask or run.brings_network):
        raise CryptError(f"{shown(folder)}: the network of agent {quoted(run.agent)} is not the one of result.json")
    if not reask:
        return None
    try:
        return make_agent(text, allow_code=False)
    except CryptError as error:
        raise CryptError(f"{shown(folder)}: {error}") from error
