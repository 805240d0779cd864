"""Evaluates agents on a task of the protocol, and writes the result."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

import crypt_env
from crypt_env.agents import Agent, AnyAgent, make_agent, network_path
from crypt_env.agents.network_names import SHIPPED
from crypt_env.agents.registry import in_full
from crypt_env.arena.on_ray import RayCrew
from crypt_env.console.progress import Update
from crypt_env.errors import CryptError, counted, quoted
from crypt_env.files import PathText, replace_file, shown

from .matches import Counter, cross_block, cross_pairs, panel_blocks
from .numbers import numbers_of
from .on_ray import Asked, play_on_ray
from .playing import Played, play_block
from .results import (
    CROSS,
    MOST_RUNS,
    MOST_TEXT,
    RESULT,
    Result,
    Run,
    check_records,
    check_runs,
    check_seed,
    check_text,
    games_file,
    network_name,
    write_result,
)
from .scores import Values
from .tasks import NO_BUDGET, Task, check_budget, check_size, find_task


class _Entry(NamedTuple):
    """An agent to evaluate."""

    run: Run
    agent: Agent
    network: bytes | None
    """The file of its network, if the result brings it: a training may overwrite it while games are played."""
    label: str
    """The method's name, if none is given."""


def run_task(
    task: str,
    agents: Sequence[AnyAgent],
    out: PathText,
    size: str = "full",
    name: str | None = None,
    description: str = "",
    budget: str = NO_BUDGET,
    decisions: int = 0,
    seeds: Sequence[int] | None = None,
    update: Update | None = None,
    crew: RayCrew | None = None,
) -> Result:
    """Evaluate an agent, or several that were trained alike with different seeds; write and return the result.

    Args:
        task: such as "duel-64".
        agents: names, `agents.Agent` objects, or functions of observations and masks.
        out: a new or empty folder.
        size: "full", or "quick" for the first deals of each table.
        name: of the method; the first agent's if not given, with its network's file for a path.
        description: how the agents were made, on one line.
        budget: "1M", "10M", "100M", "1B", or "open" if it is none of them.
        decisions: that the training of each agent played.
        seeds: of the trainings, one for each agent.
        update: called with the number of games finished and the total.
        crew: processes of a Ray cluster, which play the games instead of this one.

    Raises:
        CryptError: an argument is not possible, or two agents played the same games.
    """
    judged, size = find_task(task), check_size(size)
    check_budget(budget, decisions)
    entries = _entries(agents, seeds)
    runs, made = tuple(entry.run for entry in entries), [entry.agent for entry in entries]
    label = check_text("name", entries[0].label if name is None else name)
    check_text("description", description)
    with _new_folder(out) as folder:
        count = Counter(judged, size, len(runs), update)
        blocks = _play_blocks(judged, size, made, count, crew)
        values, records = _play_panel(judged, size, made, folder, blocks)
        cross = _play_cross(folder, blocks, records)
        check_records(records)
        _copy_networks(entries, folder)
        package, numbers = str(crypt_env.__version__), numbers_of(judged, values, cross)
        result = Result(judged, size, label, description, budget, decisions, package, runs, records, numbers)
        return write_result(folder, result)


def _play_blocks(
    task: Task, size: str, agents: Sequence[Agent], count: Counter, crew: RayCrew | None
) -> Iterator[Played]:
    """Yield the results of each block: those of every agent against the panel, then those of the cross-play."""
    asked = [Asked(block, number, None) for number in range(len(agents)) for block in panel_blocks(task, size)]
    asked += [Asked(cross_block(task), one, other) for one, other in cross_pairs(task, len(agents))]
    if crew is not None:
        yield from play_on_ray(asked, agents, crew, count.add)
        return
    for block, one, other in asked:
        yield play_block(block, agents[one], None if other is None else agents[other])
        count.add(block.games)


def _play_panel(
    task: Task, size: str, agents: Sequence[Agent], folder: Path, blocks: Iterator[Played]
) -> tuple[list[Values], dict[str, str]]:
    values: list[Values] = []
    records: dict[str, str] = {}
    for number in range(len(agents)):
        played = [next(blocks) for _ in panel_blocks(task, size)]
        records[games_file(number)] = _write_records(folder / games_file(number), played)
        values.append(np.array([part.values for part in played]))
    return values, records


def _play_cross(folder: Path, blocks: Iterator[Played], records: dict[str, str]) -> list[float]:
    """Let the agents play against each other; return the first one's share of the wins for each pair."""
    played = list(blocks)
    if played:
        records[CROSS] = _write_records(folder / CROSS, played)
    return [float(part.values.mean()) for part in played]


def _write_records(path: Path, played: Iterable[Played]) -> str:
    """Write records; return their digest. The same records are the same file."""
    content = b"".join(line for part in played for line in part.lines)
    replace_file(path, gzip.compress(content, 9, mtime=0))
    return hashlib.sha256(content).hexdigest()


# -- what was asked for -----------------------------------------------------------------------------------------------


def _entries(agents: Sequence[AnyAgent], seeds: Sequence[int] | None) -> list[_Entry]:
    if isinstance(agents, str) or not 1 <= len(agents) <= MOST_RUNS:
        raise CryptError(f"agents={quoted(agents)} is not possible; a list of 1 to {MOST_RUNS} agents is needed")
    if seeds is not None and len(seeds) != len(agents):
        there = f"{counted(len(seeds), 'seed')} given for {counted(len(agents), 'agent')}"
        raise CryptError(f"{there}; each has its own, or none has one")
    given: list[int | None] = [None] * len(agents) if seeds is None else list(seeds)
    entries = [_entry(agent, seed) for agent, seed in zip(agents, given, strict=True)]
    names = [entry.agent.name for entry in entries]
    for number, found in enumerate(names):
        if found in names[:number]:
            raise CryptError(f"agent {quoted(found)} was given twice; runs are agents that were trained separately")
    check_runs([entry.run for entry in entries])
    return entries


def _entry(given: AnyAgent, seed: int | None) -> _Entry:
    """Make an agent, and what a result says about it; of a network its path is left out."""
    agent, path, network = _made(given)
    if path is None or network is None:
        return _Entry(Run(check_text("agent", agent.name), check_seed(seed)), agent, None, _shortened(agent.name))
    digest = hashlib.sha256(network).hexdigest()
    if path.parent == SHIPPED:
        run = Run(check_text("agent", agent.name), check_seed(seed), digest)
        return _Entry(run, agent, None, _shortened(agent.name))
    head, _, rest = in_full(agent.name).partition("net:")
    tail = ":draw" if rest.endswith(":draw") else ""
    run = Run(f"{head}net:{{network}}{tail}", check_seed(seed), digest)
    return _Entry(run, agent, network, _shortened(f"{head}net:{path.stem}{tail}"))


def _made(given: AnyAgent) -> tuple[Agent, Path | None, bytes | None]:
    """Return an agent, and the file of its network with the bytes that it was made from, if it has one.

    Raises:
        CryptError: there is no such agent, or a training has just overwritten its network.
    """
    name = given if isinstance(given, str) else make_agent(given).name
    path = network_path(name)
    before = None if path is None else _read(path)
    agent = make_agent(given)
    if path is not None and _read(path) != before:
        raise CryptError(f"{shown(path)} was overwritten while it was read; try again")
    return agent, path, before


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CryptError(f"{shown(path)} cannot be read: {error.strerror or error}") from error


def _shortened(name: str) -> str:
    """Return a name of an agent as one of a method."""
    return "".join(filter(str.isprintable, name))[: MOST_TEXT["name"]]


def _copy_networks(entries: Sequence[_Entry], folder: Path) -> None:
    for number, entry in enumerate(entries):
        if entry.network is not None:
            replace_file(folder / network_name(number), entry.network)


@contextmanager
def _new_folder(out: PathText) -> Generator[Path]:
    """Yield a temporary folder for what is to be written; at the end its files are in their place.

    After an error or an interruption there is nothing new. If the finished files cannot be put into their place, they
    stay where they are: hours may be in them.
    """
    folder = Path(os.fspath(out)).resolve()
    name = f".{folder.name}.{os.getpid()}.part"
    try:
        is_new = not folder.exists()
        if not is_new and (not folder.is_dir() or any(folder.iterdir())):
            raise CryptError(f"{shown(out)} is there already; give a folder that is new or empty")
        partial = folder.with_name(name) if is_new else folder / name
        partial.mkdir(parents=True)
    except OSError as error:
        raise CryptError(f"{shown(out)} cannot be written: {error.strerror or error}") from error
    try:
        yield partial
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    try:
        _put_in_place(partial, folder, is_new)
    except OSError as error:
        reason = error.strerror or error
        raise CryptError(f"{shown(out)} cannot be written: {reason}; the result is in {shown(partial)}") from error


def _put_in_place(partial: Path, folder: Path, is_new: bool) -> None:
    """Rename a folder; or move its files into one that exists, which may be mounted there, so that it is complete last.

    Raises:
        OSError: that is not possible, for instance because a file has appeared there.
    """
    if is_new:
        partial.replace(folder)
        return
    files = sorted(partial.iterdir(), key=lambda path: path.name == RESULT)
    for path in files:
        if (folder / path.name).exists():
            raise FileExistsError(errno.EEXIST, f"a file {path.name} has appeared in it")
    for path in files:
        path.replace(folder / path.name)
    partial.rmdir()
