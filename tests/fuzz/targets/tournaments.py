"""Stores of tournaments that are not finished, and reports."""

from __future__ import annotations

import hashlib
import json
import shutil
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from crypt_env.arena import Report, as_markdown, as_text, make_plan, round_robin, store
from crypt_env.arena.formats import as_html
from crypt_env.arena.schedule import Plan
from crypt_env.arena.store import FILE_NAME, Store, sealed
from fuzz.mutate import as_text as json_text
from fuzz.mutate import damaged_bytes, damaged_json, damaged_text
from fuzz.target import Target, require

_AGENTS = ("random", "greedy")
_WISHES: dict[str, Any] = {"players": 2, "games": 12, "collectors": "random", "seed": 2}


# -- stores -----------------------------------------------------------------------------------------------------------


class _Stored(NamedTuple):
    """A plan, what its store holds, and the key of its checksums."""

    plan: Plan
    content: bytes
    key: bytes


def _stored() -> _Stored:
    """Return the store of a tournament."""
    store.code_digest = cache(store.code_digest)  # type: ignore[attr-defined]  # it reads the same sources each time
    round_robin(list(_AGENTS), **_WISHES, out="sample", chunk=2)
    content = (Path("sample") / FILE_NAME).read_bytes()
    return _Stored(make_plan(list(_AGENTS), **_WISHES), content, hashlib.sha256(content.splitlines()[0]).digest())


def _store(rng: Random, stored: _Stored) -> tuple[_Stored, bytes]:
    """Return a damaged store: its bytes, its lines, or what its lines say, with the right checksum."""
    lines = stored.content.splitlines(keepends=True)
    kind = rng.random()
    if kind < 0.25:
        return stored, damaged_bytes(rng, stored.content, [stored.content])
    for _ in range(rng.randint(1, 2)):
        place = rng.randrange(len(lines))
        if kind < 0.4:
            lines[place : place + rng.randint(0, 1)] = [rng.choice(lines)] * rng.randint(0, 2)
        elif place == 0:
            lines[0] = json_text(rng, damaged_json(rng, _read(lines[0]))).encode("utf-8", "replace") + b"\n"
        else:
            content = _read(lines[place]) if lines[place].startswith(b'{"lineup"') else {}
            content.pop("check", None)
            lines[place] = _sealed(damaged_json(rng, content), stored.key)
        if not lines:
            break
    return stored, b"".join(lines)


def _read(line: bytes) -> Any:
    """Return what a line says; nothing if an earlier damage has left nothing that can be read."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return {}


def _sealed(content: Any, key: bytes) -> bytes:
    """Return a line with its checksum, as far as it can be written."""
    try:
        return sealed(content, key) + b"\n"
    except (ValueError, RecursionError):
        return b'{"check":""}\n'


class _Opened(NamedTuple):
    """A store that was opened, and its folder."""

    store: Store
    folder: Path


def _open(given: tuple[_Stored, bytes]) -> _Opened:
    """Open a store."""
    stored, content = given
    folder = Path("damaged")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(content)
    return _Opened(Store(folder, stored.plan), folder)


def _use_store(opened: _Opened) -> None:
    """Finish the tournament, and look at the report."""
    opened.store.close()
    report = round_robin(list(_AGENTS), **_WISHES, out=opened.folder)
    require(report.pairings[0].games == _WISHES["games"], f"{report.pairings[0].games} games were counted")
    as_text(report)


# -- reports ----------------------------------------------------------------------------------------------------------


def _reports() -> list[str]:
    """Return reports of small tournaments, as JSON."""
    plans = ((2, False), (1, False), (3, True))
    reports = [round_robin(["random", "ghost", "greedy"], players, 12, mixed=mixed) for players, mixed in plans]
    return [report.as_json() for report in reports]


def _report(rng: Random, valid: list[str]) -> str:
    """Return a damaged report."""
    text, other = rng.choice(valid), rng.choice(valid)
    if rng.random() < 0.25:
        return damaged_text(rng, text, [other])
    return json_text(rng, damaged_json(rng, json.loads(text), [json.loads(other)]))


def _use_report(report: Report) -> None:
    """Format a report in all ways, write it, and query it."""
    for draw in (as_text, as_markdown, as_html):
        require(len(draw(report)) < 1_000_000, "the tables of a report are huge")
    require(Report.from_json(report.as_json()) == report, "a report is read as another one")
    for row in report.pairings:
        report.pairing(row.agent, row.opponent)
    for rating in report.ratings:
        report.rating(rating.agent)
    for solo in report.solos:
        report.solo(solo.agent)


TARGETS = (
    Target("stores", _stored, _store, _open, _use_store, quick=200),
    Target("reports", _reports, _report, Report.from_json, _use_report, quick=300),
)
