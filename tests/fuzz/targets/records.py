"""Game records: as values, as lines, and as files for ``python -m crypt_env replay``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from crypt_env import Game, replay, to_record
from crypt_env.cli.main import main
from crypt_env.notation.record import Record, check_line
from fuzz import samples
from fuzz.answers import Said, require_answer, require_message, run_quietly
from fuzz.mutate import as_text, damaged_bytes, damaged_json, damaged_text, odd_value
from fuzz.play_on import look, play_on
from fuzz.target import Target, require

_BOMB_MEMBER = 2**20
_BOMB_MEMBERS = 1200
"""A file of a megabyte that unpacks to one line of more than a gigabyte."""


# -- values and lines -------------------------------------------------------------------------------------------------


def _record(rng: Random, valid: tuple[Record, ...]) -> Any:
    """Return a damaged record, often in its events alone: the rest is soon covered."""
    record = rng.choice(valid)
    kind = rng.random()
    if kind < 0.03:
        return record if kind < 0.02 else odd_value(rng)
    others = [rng.choice(valid)]
    if kind < 0.6 and record["events"]:
        keep = rng.randint(1, min(30, len(record["events"])))
        short = {**record, "scores": None, "winners": None, "events": record["events"][:keep]}
        return {**short, "events": damaged_json(rng, short["events"], [other["events"] for other in others])}
    return damaged_json(rng, record, others)


def _use_game(game: Game) -> None:
    """Demand that the game of a record has a record, which is replayed to the same game."""
    look(game, Random(game.text()))
    again = replay(to_record(game))
    require(again == game and again.events == game.events, "the record of a replayed game is replayed to another one")
    play_on(game, Random(game.text()))


def _line(rng: Random, valid: tuple[Record, ...]) -> str:
    """Return a damaged line of a file."""
    if rng.random() < 0.4:
        return as_text(rng, _record(rng, valid) if rng.random() < 0.9 else rng.choice(valid))
    line, other = (json.dumps(rng.choice(valid)) for _ in range(2))
    return damaged_text(rng, line, [other])


class _Checked(NamedTuple):
    """A line, and what is wrong with it."""

    line: str
    reason: str | None


def _check(line: str) -> _Checked:
    """Check a line."""
    return _Checked(line, check_line(line))


def _use_check(checked: _Checked) -> None:
    """Demand that a reason can be printed on one line, and that a line without one is a record."""
    if checked.reason is None:
        replay(json.loads(checked.line))
    else:
        require_message(checked.reason)


# -- files ------------------------------------------------------------------------------------------------------------


class _File(NamedTuple):
    """A file to write."""

    name: str
    content: bytes


def _lines(valid: list[str], rng: Random) -> bytes:
    """Return a file of a few records, cut short so that checking them is quick."""
    return "\n".join(rng.choice(valid) for _ in range(rng.randint(1, 3))).encode("utf-8", "surrogatepass")


def _file(rng: Random, valid: list[str]) -> _File:
    """Return a damaged file, packed or not."""
    kind = rng.random()
    if kind < 0.0005:
        return _File("bomb.jsonl.gz", gzip.compress(b" " * _BOMB_MEMBER, mtime=0) * _BOMB_MEMBERS)
    content = _lines(valid, rng)
    if kind < 0.5:
        return _File("a.jsonl", damaged_bytes(rng, content, [_lines(valid, rng)]))
    if kind < 0.7:
        content = damaged_bytes(rng, content)
    packed = gzip.compress(content, 1, mtime=0)
    if kind < 0.9:
        packed = damaged_bytes(rng, packed, [content, gzip.compress(_lines(valid, rng), 1, mtime=0)])
    return _File("a.jsonl.gz", packed)


def _short_lines() -> list[str]:
    """Return records that are cut short after some decisions, as lines."""
    cut = [record for record in samples.records() if record["scores"] is None and len(record["events"]) < 12]
    return [json.dumps(record) for record in cut]


def _replay_file(file: _File) -> Said:
    """Check a file of records."""
    path = Path(file.name)
    path.write_bytes(file.content)
    return run_quietly(main, ["replay", str(path)])


def _use_answer(said: Said) -> None:
    """Demand an answer as commands give them; each line that is printed is a message about a record."""
    require_answer(said)
    for line in said.out.split("\n")[:-1]:
        require_message(line)


TARGETS = (
    Target("records", samples.records, _record, replay, _use_game, quick=300),
    Target(
        "record lines", samples.records, _line, lambda line: _Checked(line, check_line(line)), _use_check, quick=300
    ),
    Target("record files", _short_lines, _file, _replay_file, _use_answer, refusals=(), quick=300),
)
