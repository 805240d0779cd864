"""Reads files of records as arrays of decisions, a few games at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.console.progress import Update
from crypt_env.errors import CryptError, RecordError, counted, quoted
from crypt_env.files import PathText, shown
from crypt_env.notation.record import Record, check_line, open_lines, parsed_line, text_lines
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.table import checked_number, is_whole, reward_rule

from .replaying import DecisionArrays, Replayed, ReplayedGames, WrongRecord

GAMES = 256
"""Replayed at once: what is in memory does not grow with the files."""


class _Line(NamedTuple):
    """A record and where it stands."""

    file: str
    number: int
    text: bytes
    record: Record


class Part(NamedTuple):
    """Some of the games, replayed."""

    records: list[Record]
    replayed: Replayed


class DecisionReader:
    """The decisions in files of records. Every record is checked against the rules; unfinished games are left out.

    >>> from crypt_env.datasets import DecisionReader
    >>> reader = DecisionReader(["games.jsonl"], agent="net:duel")  # doctest: +SKIP
    >>> for decisions in reader:  # doctest: +SKIP
    ...     learn(decisions.observations, decisions.masks, decisions.actions)
    """

    def __init__(
        self,
        files: PathText | Sequence[PathText],
        reward: str = "win",
        dense: bool = False,
        discount: float = 1.0,
        agent: str | None = None,
        seat: int | None = None,
        winners: bool = False,
        progress: Update | None = None,
    ) -> None:
        """Describe what to read; nothing is opened before the first iteration.

        Args:
            files: .jsonl or .jsonl.gz, as `crypt records` writes them.
            reward: "win", "margin" or "coins"; a solo game always pays coins. See docs/rewards.md.
            dense: pay as soon as coins are certain instead of at the end.
            discount: of the returns, for each decision of a seat; 1 for their plain sum.
            agent: only decisions of the seats that this agent played, by its name in the records.
            seat: only decisions of this seat.
            winners: only decisions of the seats that won.
            progress: called with the records read so far and their number.

        Raises:
            CryptError: an argument is not possible.
        """
        self.files = [files] if isinstance(files, (str, bytes)) or not isinstance(files, Sequence) else list(files)
        reward_rule(reward)
        if seat is not None and (not is_whole(seat) or not 0 <= seat < MAX_PLAYERS):
            raise CryptError(f"seat={quoted(seat)} is not possible; allowed are 0 to {MAX_PLAYERS - 1}")
        self.reward, self.dense, self.discount = reward, dense, checked_number("discount", discount, 0, 1)
        self.agent, self.seat, self.winners = agent, seat, winners
        self._progress = progress
        self.games = self.decisions = self.unfinished = 0
        """What the last iteration has read; unfinished games are not among the games."""

    def __iter__(self) -> Iterator[DecisionArrays]:
        """Yield the decisions of some games at a time.

        Raises:
            RecordError: a file cannot be read, or a record differs from the rules; the message names file and line.
            CryptError: no decision is left to be read.
        """
        for part in self.parts():
            yield part.replayed.decisions

    def parts(self) -> Generator[Part]:
        """Yield the decisions of some games at a time, with the games' records; as the iteration itself."""
        self.games = self.decisions = self.unfinished = 0
        players: set[str] = set()
        waiting: list[_Line] = []
        for line in self._counted():
            if _is_unfinished(line.record):
                self.unfinished += 1
                continue
            waiting.append(line)
            players.update(_agents(line.record))
            if len(waiting) == GAMES:
                yield self._replayed(waiting)
                waiting = []
        if waiting:
            yield self._replayed(waiting)
        if not self.decisions:
            raise CryptError(self._nothing(players))

    def _nothing(self, players: Iterable[str]) -> str:
        """Return why there are no decisions."""
        if not self.games:
            return f"there is no finished game in {', '.join(map(shown, self.files))}"
        if self.agent is None:
            return f"no seat is chosen in any of {counted(self.games, 'game')}"
        known = ", ".join(sorted(players)) or "the records do not name their agents; 'crypt records AGENT' does"
        return f"agent={quoted(self.agent)} decides in none of {counted(self.games, 'game')}; their agents: {known}"

    def _counted(self) -> Generator[_Line]:
        """Yield the records, and tell the progress."""
        if self._progress is None:
            yield from self._lines()
            return
        total = sum(1 for name in self.files for _ in _texts(name))
        for done, line in enumerate(self._lines()):
            if done % GAMES == 0:
                self._progress(done, total)
            yield line
        self._progress(total, total)

    def _lines(self) -> Generator[_Line]:
        """Yield the records of all files."""
        for name in self.files:
            for number, text in _texts(name):
                try:
                    record = parsed_line(text)
                except (ValueError, RecursionError):
                    record = None
                yield _Line(shown(name), number, text, record)

    def _replayed(self, lines: Sequence[_Line]) -> Part:
        """Replay some records."""
        records = [line.record for line in lines]
        try:
            for place, record in enumerate(records):
                if not isinstance(record, dict) or not isinstance(record.get("events"), list):
                    raise WrongRecord(place, "not a record")
            wanted = np.array([self._wanted(record) for record in records])
            replayed = ReplayedGames(records, self.reward, self.dense, wanted).run(self.discount)
        except WrongRecord as error:
            line = lines[error.place]
            raise RecordError(f"{line.file}:{line.number}: {check_line(line.text) or error}") from None
        replayed.decisions.games[:] += self.games
        self.games += len(records)
        self.decisions += len(replayed.decisions.actions)
        return Part(records, replayed)

    def _wanted(self, record: Record) -> NDArray[np.bool_]:
        """Return whose decisions are read."""
        wanted = np.ones(MAX_PLAYERS, np.bool_)
        if self.seat is not None:
            wanted &= np.arange(MAX_PLAYERS) == self.seat
        if self.agent is not None:
            names = _agents(record)
            wanted[: len(names)] &= np.array(names, object) == self.agent
            wanted[len(names) :] = False
        if self.winners:
            wanted &= np.isin(np.arange(MAX_PLAYERS), _whole_numbers(record.get("winners")))
        return wanted


def _texts(name: PathText) -> Generator[tuple[int, bytes]]:
    """Yield the lines of a file that are not empty, with their numbers.

    Raises:
        RecordError: the file cannot be read, or not to its end.
    """
    try:
        with open_lines(str(name)) as file:
            for number, text in enumerate(text_lines(file), 1):
                if text.strip():
                    yield number, text
    except (OSError, EOFError, RecordError) as error:
        raise RecordError(f"{shown(name)}: {getattr(error, 'strerror', None) or error}") from error


def _is_unfinished(record: Any) -> bool:
    """Return whether a record is one of a game that was cut short."""
    return isinstance(record, dict) and "scores" in record and record["scores"] is None


def _agents(record: Any) -> list[str]:
    """Return the names of the agents in a record, by seat; none if it does not name them."""
    names = record.get("agents") if isinstance(record, dict) else None
    is_list = isinstance(names, list) and len(names) <= MAX_PLAYERS and all(isinstance(name, str) for name in names)
    return names if is_list else []  # type: ignore[return-value]


def _whole_numbers(numbers: object) -> list[int]:
    """Return the whole numbers in a list."""
    return [number for number in numbers if is_whole(number)] if isinstance(numbers, list) else []
