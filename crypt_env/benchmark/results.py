"""A result: a folder with ``result.json``, the records of all games, and the networks that played them.

    result.json            what was judged, and all numbers
    games-0.jsonl.gz       the games of the first run against the panel, as crypt-record/1; games-1... of the second
    cross.jsonl.gz         the games of the runs against each other, if there are several and seats for them
    network-0.safetensors  the network of the first run, if it is none that comes with the package

A folder may come from a stranger. The names of its files are those above and none that it asks for, links are not
followed, sizes are bounded, and nothing in it is made into an agent that runs code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from crypt_env.agents.registry import network_of
from crypt_env.errors import CryptError, quoted
from crypt_env.files import replace_file, shown
from crypt_env.rules.deal import TABLES

from .matches import cross_pairs
from .protocol import protocol_digest
from .scores import parts_of
from .tasks import PROTOCOL, VERSION, Task, check_budget, check_size, find_task

FORMAT = "crypt-64-result/1"
RESULT, CROSS = "result.json", "cross.jsonl.gz"
MOST_RUNS = 16
MOST_BYTES = 2**20
"""Of ``result.json``."""
MOST_TEXT = {"name": 60, "agent": 200, "package": 40, "description": 2000}
"""Characters of texts."""
_HIGHEST = 1e6
_SEPARATE = "runs are agents that were trained separately"


@dataclass(frozen=True)
class Run:
    """One agent; several were trained with different seeds."""

    agent: str
    """Its name, with ``{network}`` for a network in the folder."""
    seed: int | None = None
    """Of its training."""
    network: str | None = None
    """The SHA-256 of its network's file; None if it has none."""

    @property
    def brings_network(self) -> bool:
        """Return whether its network is in the folder."""
        return "{network}" in self.agent


@dataclass(frozen=True)
class Result:
    """What ``result.json`` says."""

    task: Task
    size: str
    name: str
    description: str
    budget: str
    decisions: int
    package: str
    runs: tuple[Run, ...]
    records: Mapping[str, str]
    """The SHA-256 of the unpacked records by file."""
    numbers: Mapping[str, Any]
    """What `numbers.numbers_of` has computed from the games."""

    def as_json(self) -> str:
        """Return the content of ``result.json``."""
        content = {
            "format": FORMAT,
            "protocol": {"name": PROTOCOL, "version": VERSION, "digest": protocol_digest()},
            **vars(self),
            "task": self.task.name,
            "runs": [asdict(run) for run in self.runs],
        }
        return json.dumps(content, indent=1) + "\n"


def games_file(number: int) -> str:
    """Return the name of the records of a run."""
    return f"games-{number}.jsonl.gz"


def network_name(number: int) -> str:
    """Return the name of the network of a run."""
    return f"network-{number}.safetensors"


def write_result(folder: Path, result: Result) -> Result:
    """Write ``result.json``; return the result."""
    replace_file(folder / RESULT, result.as_json().encode())
    return result


def file_in(folder: Path, name: str) -> Path:
    """Return a file of a result.

    Raises:
        CryptError: it is missing, or not a plain file.
    """
    path = folder / name
    try:
        is_there = path.is_file() and not path.is_symlink()
    except (OSError, ValueError):
        is_there = False
    if not is_there:
        raise CryptError(f"{shown(folder)} has no file {name}, or it is a link")
    return path


def read_result(folder: str | Path) -> Result:
    """Read ``result.json``, without looking at the games.

    Raises:
        CryptError: it is missing, too large, of another version of the protocol, or not from `run_task`.
    """
    path = file_in(Path(folder), RESULT)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise CryptError(f"{shown(path)} cannot be read: {error.strerror or error}") from error
    try:
        if len(data) > MOST_BYTES:
            raise CryptError(f"it has more than {MOST_BYTES} bytes")
        return _result(_parsed(data))
    except CryptError as error:
        raise CryptError(f"{shown(path)}: {error}") from None


# -- reading ----------------------------------------------------------------------------------------------------------


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        content = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise CryptError(f"it is not valid JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else content
        raise CryptError(f"its format is {quoted(found)}; {FORMAT!r} is needed")
    return content


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _result(content: dict[str, Any]) -> Result:
    here = {"name": PROTOCOL, "version": VERSION, "digest": protocol_digest()}
    found = content.get("protocol")
    if found != here or type(found["version"]) is not int:
        raise CryptError(f"its protocol is {quoted(found, 200)}; this version of crypt_env has {here}")
    task, size = find_task(content.get("task")), check_size(content.get("size"))
    check_budget(content.get("budget"), content.get("decisions"))
    runs = _runs(content.get("runs"))
    records = content.get("records")
    files = record_files(task, len(runs))
    if not isinstance(records, dict) or list(records) != files or not all(map(_is_digest, records.values())):
        raise CryptError(f"records must be an object with the SHA-256 of {', '.join(files)}")
    check_records(records)
    check_numbers(task, len(runs), content.get("numbers"))
    _check_keys(content)
    return Result(
        task,
        size,
        check_text("name", content.get("name")),
        check_text("description", content.get("description")),
        content["budget"],
        content["decisions"],
        check_text("package", content.get("package")),
        runs,
        records,
        content["numbers"],
    )


def _check_keys(content: dict[str, Any]) -> None:
    unknown = set(content) - {"format", "protocol", *(field.name for field in fields(Result))}
    if unknown:
        raise CryptError(f"{quoted(min(unknown))} is not known")


def record_files(task: Task, runs: int) -> list[str]:
    """Return the files that hold the games of a result."""
    return [*map(games_file, range(runs)), *([CROSS] if cross_pairs(task, runs) else [])]


def check_text(name: str, text: Any) -> str:
    """Check a text of a result: printable, on one line, and not too long."""
    most = MOST_TEXT[name]
    is_blank = isinstance(text, str) and name != "description" and not text.strip()
    if not isinstance(text, str) or len(text) > most or not text.isprintable() or is_blank:
        raise CryptError(
            f"{name}={quoted(text)} is not possible; a text on one line of at most {most} letters is needed"
        )
    return text


def _runs(found: Any) -> tuple[Run, ...]:
    if not isinstance(found, list) or not 1 <= len(found) <= MOST_RUNS:
        raise CryptError(f"runs must be a list of 1 to {MOST_RUNS} objects")
    runs = tuple(_run(run) for run in found)
    check_runs(runs)
    return runs


def _run(found: Any) -> Run:
    if not isinstance(found, dict) or set(found) != {"agent", "seed", "network"}:
        raise CryptError(f"a run is {quoted(found)}; an object with agent, seed and network is needed")
    run = Run(check_text("agent", found["agent"]), check_seed(found["seed"]), found["network"])
    if run.network is not None and not _is_digest(run.network):
        raise CryptError(f"network={quoted(run.network)} is not a SHA-256")
    has_network = network_of(run.agent) is not None
    if run.network is None and (has_network or run.brings_network):
        raise CryptError(f"agent {quoted(run.agent)} has a network, but its SHA-256 is missing")
    if run.network is not None and not has_network:
        raise CryptError(f"agent {quoted(run.agent)} has no network, but the SHA-256 of one is given")
    return run


def check_runs(runs: Sequence[Run]) -> None:
    """Raise an error if one training was given as several runs: a method's runs were trained separately."""
    for number, run in enumerate(runs):
        for other in runs[:number]:
            if (run.agent, run.network) == (other.agent, other.network):
                raise CryptError(f"agent {quoted(run.agent)} was given twice; {_SEPARATE}")
            if run.seed is not None and run.seed == other.seed:
                raise CryptError(f"seed {run.seed} was given twice; {_SEPARATE}")


def check_records(records: Mapping[str, str]) -> None:
    """Raise an error if several runs played the same games."""
    if len(set(records.values())) < len(records):
        raise CryptError(f"two runs have the same games; {_SEPARATE}, and a program that learns nothing is one run")


def check_distinct(results: Sequence[Result]) -> None:
    """Raise an error if two results have games in common."""
    for number, result in enumerate(results):
        for other in results[:number]:
            if not set(result.records.values()).isdisjoint(other.records.values()):
                raise CryptError(
                    f"results {quoted(other.name)} and {quoted(result.name)} have the same games; give each result once"
                )


def check_seed(seed: Any) -> int | None:
    """Check the seed of a training; None if there was none."""
    if seed is not None and (type(seed) is not int or not 0 <= seed < 2**64):
        raise CryptError(f"seed={quoted(seed)} is not possible; allowed are integers from 0 to 2**64 - 1, or none")
    return seed


def _is_digest(found: Any) -> bool:
    return isinstance(found, str) and len(found) == 64 and all(letter in "0123456789abcdef" for letter in found)


# -- numbers ----------------------------------------------------------------------------------------------------------


def check_numbers(task: Task, runs: int, numbers: Any) -> None:
    """Raise an error unless these are numbers as a result of this task has them, right or wrong."""
    lineups, parts = len(task.lineups), [*parts_of(task), *(["gap"] if task.generalizes else [])]
    wanted = {
        "runs": [{"score": 0.0, "panel": [0.0] * lineups, "tables": [0.0] * TABLES} for _ in range(runs)],
        "cross": [[0.0, 0.0, 0.0] for _ in cross_pairs(task, runs)],
        "panel": [[0.0] * 3 for _ in range(lineups)],
        "parts": {name: [0.0] * 3 for name in parts},
    }
    wrong = _misfit(wanted, numbers, "numbers")
    if wrong is not None:
        raise CryptError(f"{wrong} does not have the form of results of {task.name}")


def _misfit(wanted: Any, found: Any, where: str) -> str | None:
    """Return the first place at which a value has another form than is wanted."""
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or list(found) != list(wanted):
            return where
        return next(filter(None, (_misfit(wanted[key], found[key], f"{where}.{key}") for key in wanted)), None)
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return where
        pairs = enumerate(zip(wanted, found, strict=True))
        return next(filter(None, (_misfit(one, other, f"{where}[{n}]") for n, (one, other) in pairs)), None)
    is_number = type(found) in (int, float) and abs(found) < _HIGHEST
    return None if is_number else where
