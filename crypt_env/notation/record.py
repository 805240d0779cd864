"""Game records, format crypt-record/1: one game on one line of JSON.

A record holds what cannot be derived: the table, the deck, the decisions and the dice. So another program can check it,
as `replay` does.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from crypt_env.errors import CryptError, RecordError, quoted
from crypt_env.game import Game
from crypt_env.table import is_whole

from .actions import summary
from .events import Act, Event, GhostRoll, Reroll, Roll

FORMAT = "crypt-record/1"
_KEYS = ("format", "players", "collectors", "leader", "seed", "deck", "events", "scores", "winners")

MAX_LINE = 2**24
"""Bytes in the longest line that is read, with its end; a record with all legal actions has some ten thousand."""
_SHOWN = 1200
"""How many characters of an event a message shows."""

Record = dict[str, Any]
"""A game as it stands in a file."""


# -- writing ----------------------------------------------------------------------------------------------------------


def event_json(event: Event, with_legal: bool = False) -> list[Any]:
    """Return an event as it appears in a record."""
    if isinstance(event, Act):
        return ["act", event.seat, event.text] + ([list(event.legal)] if with_legal else [])
    if isinstance(event, Roll):
        return ["roll", event.seat, event.slot, event.effort, list(event.results)]
    if isinstance(event, Reroll):
        return ["reroll", event.seat, event.effort, event.result]
    if isinstance(event, GhostRoll):
        return ["ghost", list(event.results)]
    return ["tiebreak", [[seat, list(results)] for seat, results in event.rolls]]


def dice_of(event: Any) -> tuple[int, ...]:
    """Return the dice of a roll as it appears in a record; none if it is not one."""
    try:
        if event[0] == "tiebreak":
            dice = [die for _, rolled in event[1] for die in rolled]
        else:
            dice = [event[3]] if event[0] == "reroll" else list(event[-1])
    except (TypeError, ValueError, IndexError, KeyError):
        return ()
    return tuple(dice) if all(map(is_whole, dice)) else ()


def line_of(record: Record) -> str:
    """Return a record as one line of a file, without the line's end."""
    return json.dumps(record, separators=(",", ":"))


def to_record(game: Game, with_legal: bool = False) -> Record:
    """Return a game, finished or not, as a record.

    Args:
        game: a game that was played from the deal on.
        with_legal: add to each decision the list of all that was legal.

    Raises:
        RecordError: the game began from a position.
    """
    if not game.is_from_deal:
        raise RecordError("a game that began with a position has no record: its first decisions are not known")
    outcome = game.outcome()
    return {
        "format": FORMAT,
        "players": game.players,
        "collectors": game.collectors,
        "leader": game.first_leader,
        "seed": game.seed,
        "deck": list(game.deck),
        "events": [event_json(event, with_legal) for event in game.events],
        "scores": list(outcome.scores) if outcome else None,
        "winners": list(outcome.winners) if outcome else None,
    }


def random_game(players: int, collectors: str = "random", seed: int = 0, index: int = 0) -> Game:
    """Return a finished game in which every decision was drawn uniformly from the legal ones.

    It is game ``index`` of a `Batch` with this seed that is stepped at random.
    """
    game = Game(players, collectors, seed=seed, index=index)
    while not game.is_over:
        game.play(game.random_action())
    return game


# -- reading ----------------------------------------------------------------------------------------------------------


def replay(record: Record, decisions: int | None = None) -> Game:
    """Play a record and return the game.

    Args:
        record: a game as `to_record` returns it.
        decisions: stop after this many decisions and their dice, without looking at the rest.

    Raises:
        RecordError: it is not a record, it differs from the rules, or it has fewer decisions; the message names the
            first difference.
    """
    game = dealt_game(record)
    events = record["events"]
    done = played = 0
    while done < len(events) and played != decisions:
        done = _replay_decision(game, events, done)
        played += 1
    if decisions is None:
        _check_end(game, record)
    elif played != decisions:
        raise RecordError(f"decisions={quoted(decisions)} is not possible; this record has {played}")
    return game


def dealt_game(record: Record) -> Game:
    """Return the game of a record as it begins.

    Raises:
        RecordError: it is no record, or its table or deck is impossible.
    """
    _check_form(record)
    try:
        return Game(record["players"], record["collectors"], record["leader"], record["seed"] or 0, record["deck"])
    except ValueError as error:
        raise RecordError(str(error)) from error


def _check_form(record: Record) -> None:
    """Check what a record must have before a game can be dealt from it."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        found = record.get("format") if isinstance(record, dict) else record
        raise RecordError(f"not a record: the format is {quoted(found)}, not {FORMAT!r}")
    missing = [key for key in _KEYS if key not in record]
    if missing:
        raise RecordError(f"not a record: {', '.join(missing)} missing")
    for key in ("deck", "events"):
        if not isinstance(record[key], list):
            raise RecordError(f"not a record: {key} is not a list but {quoted(record[key])}")
    if record["seed"] is not None and not is_whole(record["seed"]):
        raise RecordError(f"seed: a number from 0 to 2**64 - 1 or null is expected, found {quoted(record['seed'])}")
    if not isinstance(record["collectors"], str) or not re.fullmatch("[AB]{6}", record["collectors"]):
        raise RecordError(f"collectors: six letters A or B are expected, found {quoted(record['collectors'])}")
    if not is_whole(record["leader"]):
        raise RecordError(f"leader: a seat is expected, found {quoted(record['leader'])}")


def _shown(event: object) -> str:
    """Return something from a record as a message shows it."""
    is_plain = isinstance(event, str) and event.isprintable() and len(event) <= _SHOWN
    return cast(str, event) if is_plain else quoted(event, _SHOWN)


def _replay_decision(game: Game, events: list[Any], number: int) -> int:
    """Play the decision at this place and the dice after it; return the place of the next decision."""
    event = events[number]
    where = f"event {number}"
    if game.is_over:
        raise RecordError(f"{where}: the game is over, found {_shown(event)}")
    if not isinstance(event, list) or not event or event[0] != "act":
        raise RecordError(f"{where}: a decision of seat {game.to_move} is expected, found {_shown(event)}")
    _check_decision(game, event, where)
    stop = number + 1
    while stop < len(events) and _kind(events[stop]) != "act":
        stop += 1
    rolls = events[number + 1 : stop]
    known = len(game.events)
    used: list[object] = []
    try:
        game.play_with_dice(event[2], _hand_out(rolls, used))
    except CryptError as error:
        found = f"dice are expected, found {_shown(events[stop] if stop < len(events) else 'none')}"
        if 0 < len(used) <= len(rolls):
            found = f"found {_shown(used[-1])}"
        raise RecordError(f"event {number + max(1, len(used))}: {found}; {error}") from error
    _compare(game.events[known + 1 :], rolls, number + 1)
    return stop


def _kind(event: object) -> object:
    """Return what kind of event a value claims to be."""
    return event[0] if isinstance(event, list) and event else None


def _check_decision(game: Game, event: list[Any], where: str) -> None:
    """Check who decides, that the action is legal, and the list of legal actions if there is one."""
    if len(event) not in (3, 4):
        form = "['act', seat, text] and perhaps a list of legal texts"
        raise RecordError(f"{where}: {form} is expected, found {_shown(event)}")
    if not is_whole(event[1]) or event[1] != game.to_move:
        found = f"seat {quoted(event[1])} with {quoted(event[2])}"
        raise RecordError(f"{where}: seat {game.to_move} decides, found {found}")
    legal = game.legal()
    if event[2] not in legal:
        raise RecordError(
            f"{where}: {quoted(event[2])} is not legal; legal: {summary(game.legal_actions())}; position: {game.text()}"
        )
    if len(event) == 4:
        _check_legal(event[3], legal, where, f"position: {game.text()}")


def _check_legal(found: object, legal: tuple[str, ...], where: str, position: str) -> None:
    if not isinstance(found, list):
        raise RecordError(f"{where}: the legal actions differ; a list is expected, found {quoted(found)}; {position}")
    if not all(isinstance(text, str) for text in found) or sorted(found) != sorted(legal):
        missing = [text for text in legal if text not in found]
        wrong = [text for text in found if text not in legal]
        raise RecordError(
            f"{where}: the legal actions differ; missing: {missing}, not legal: {_shown(wrong)}, "
            f"{len(found)} listed, {len(legal)} expected; {position}"
        )


def _hand_out(rolls: list[Any], used: list[object]) -> Iterator[tuple[int, ...]]:
    """Yield the results of each roll, noted in ``used``; then no dice, without end: so a missing roll is noticed."""
    for roll in chain(rolls, repeat(None)):
        used.append(roll)
        yield dice_of(roll)


def _compare(played: tuple[Event, ...], recorded: list[Any], number: int) -> None:
    """Compare the rolls that the rules require with those of the record."""
    for offset, event in enumerate(recorded):
        if offset >= len(played):
            raise RecordError(f"event {number + offset}: a decision or the end is expected, found {_shown(event)}")
        right = event_json(played[offset])
        if not are_alike(right, event):
            raise RecordError(f"event {number + offset}: {right} is expected, found {_shown(event)}")


def are_alike(expected: object, found: object) -> bool:
    """Return whether two values are the same JSON: 1, 1.0 and true are three."""
    if isinstance(expected, list):
        is_list = isinstance(found, list) and len(found) == len(expected)
        return is_list and all(map(are_alike, expected, cast(list[object], found)))
    return type(found) is type(expected) and found == expected


def _check_end(game: Game, record: Record) -> None:
    outcome = game.outcome()
    if outcome is None:
        if record["scores"] is not None or record["winners"] is not None:
            raise RecordError(
                f"event {len(record['events'])}: a decision of seat {game.to_move} is expected, found the end"
            )
        return
    for key, expected in (("scores", list(outcome.scores)), ("winners", list(outcome.winners))):
        if not are_alike(expected, record[key]):
            raise RecordError(f"{key}: {expected} expected, found {_shown(record[key])}")


# -- files ------------------------------------------------------------------------------------------------------------


class Difference(NamedTuple):
    """A record that differs from the rules."""

    line: int
    """From 1 on."""
    reason: str


def open_lines(path: str | Path) -> IO[bytes]:
    """Open a file of records for reading; one that ends in .gz is unpacked."""
    return cast(IO[bytes], gzip.open(path, "rb")) if str(path).endswith(".gz") else Path(path).open("rb")


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file; of a line longer than `MAX_LINE` one byte more than that."""
    try:
        while line := file.readline(MAX_LINE + 1):
            yield line
            while len(line) > MAX_LINE and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE + 1)
    except zlib.error as error:
        raise RecordError(f"the packed file is damaged ({error})") from error


def parsed_line(line: str | bytes) -> Any:
    """Return what a line of a file says as JSON, which is text in UTF-8.

    Raises:
        ValueError, RecursionError: it is not JSON that can be read.
    """
    return json.loads(line.decode() if isinstance(line, bytes) else line)


def check_line(line: str | bytes) -> str | None:
    """Replay a line of a file; return the first difference, or None."""
    if len(line) > MAX_LINE:
        return f"not a record: the line is longer than {MAX_LINE} bytes"
    try:
        replay(parsed_line(line))
    except UnicodeDecodeError as error:
        return f"not text in UTF-8 ({error.reason} at byte {error.start}): {quoted(line)}"
    except json.JSONDecodeError as error:
        return f"not JSON ({error.msg} at column {error.colno}): {_start(line)}"
    except RecordError as error:
        return str(error)
    except (ValueError, RecursionError) as error:  # numbers or nesting that the reader of JSON gives up on
        return f"not JSON that can be read ({error}): {_start(line)}"
    return None


def _start(line: str | bytes) -> str:
    """Return the start of a line as a message shows it."""
    text = line.decode() if isinstance(line, bytes) else line
    return repr(text.strip()[:60])


def check_records(lines: Iterable[str | bytes]) -> Iterator[Difference | None]:
    """Replay every record; yield its first difference, or None."""
    for number, line in enumerate(lines, 1):
        if line.strip() or len(line) > MAX_LINE:
            reason = check_line(line)
            yield None if reason is None else Difference(number, reason)


def check_file(path: str | Path) -> Iterator[Difference | None]:
    """Replay every record of a file; yield its first difference, or None.

    Raises:
        OSError, EOFError: the file cannot be read, or not to its end.
        RecordError: it is damaged, or holds no text.
    """
    with open_lines(path) as file:
        yield from check_records(text_lines(file))


def text_lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file of text.

    Raises:
        RecordError: there is a zero byte in one, which text does not have.
    """
    for number, line in enumerate(lines_of(file), 1):
        if b"\0" in line:
            raise RecordError(f"line {number} has a zero byte in it; records are text, one on each line")
        yield line
