"""Games that agents play, as records."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crypt_env.agents import Agent, AnyAgent
from crypt_env.agents.cast import Cast
from crypt_env.arena.match import ready_agents
from crypt_env.arena.processes import MOST_JOBS, in_order, one_thread
from crypt_env.batch import Batch
from crypt_env.console.progress import Update
from crypt_env.errors import CryptError
from crypt_env.notation.record import line_of
from crypt_env.table import RANDOM, Table, game_index, player_count, positive, seed_bits

from .recorded import RecordedGames

MOST_GAMES = 512
"""In one batch."""
_FIRST_GAMES = 8
"""In the first batch, before the speed is known."""
_GROWTH = 8
_SECONDS = 2.0
"""Target time of a batch."""
_WORTH = 4.0
"""Seconds of work that are worth starting other processes."""


@dataclass(frozen=True)
class _Plan:
    """The games to be recorded. Game ``i`` is game ``i`` of the seed."""

    players: int
    collectors: str
    leader: int | str
    seed: int
    rotate: bool
    with_legal: bool
    with_agents: bool


class _Part(NamedTuple):
    """Some of the games, played."""

    lines: list[bytes]
    seconds: float


def record_games(
    agents: AnyAgent | Sequence[AnyAgent] = RANDOM,
    players: int = 2,
    games: int = 1,
    collectors: str = RANDOM,
    leader: int | str = RANDOM,
    seed: int = 0,
    rotate: bool = False,
    with_legal: bool = False,
    jobs: int = 1,
    progress: Update | None = None,
) -> Generator[bytes]:
    """Play games and yield the record of each, as one line of a file, in order.

    The same arguments make the same bytes, with any number of processes, if the agents use no randomness but the bits
    that they are given. If agents are named, a record has the further key "agents" with the name of each seat's agent.

    Args:
        agents: one for all seats, or a list with one for each.
        players: 1 (against the Ghost) to 4.
        games: how many.
        collectors: six letters such as "AABBAB", "A" or "B" for all, or "random".
        leader: the first Leader's seat, or "random".
        seed: determines all randomness.
        rotate: move the agents one seat on with each game.
        with_legal: add to each decision the list of all that was legal.
        jobs: processes to play in; with more than one, agents must be given by name.
        progress: called with the games finished so far and their number.

    Raises:
        CryptError: an argument is not possible.
        IllegalActionError: an agent's action is not legal.
    """
    Table(player_count(players), collectors, leader)
    positive("games", games)
    game_index("games", games - 1)
    positive("jobs", jobs, MOST_JOBS)
    seated = _seated(agents, players)
    if jobs > 1 and not all(isinstance(agent, str) for agent in seated):
        raise CryptError(f"jobs={jobs} is not possible with agents that are objects; name them, or play with jobs=1")
    with_agents = list(seated) != [RANDOM]
    plan = _Plan(players, collectors, leader, seed_bits(seed), rotate, with_legal, with_agents)
    return _record(plan, seated, games, jobs, progress)


def _seated(agents: AnyAgent | Sequence[AnyAgent], players: int) -> list[AnyAgent]:
    """Return the agents as a list of one for all seats or one for each."""
    seated: list[AnyAgent] = list(agents) if isinstance(agents, (list, tuple)) else [agents]  # type: ignore[list-item]
    if len(seated) not in (1, players):
        raise CryptError(f"{len(seated)} agents cannot play with players={players}; one for all seats or one for each")
    return seated


def _record(
    plan: _Plan, agents: Sequence[AnyAgent], games: int, jobs: int, progress: Update | None
) -> Generator[bytes]:
    """Play the games and yield their records."""
    parts, done = _Parts(games), 0
    if progress is not None:
        progress(0, games)
    with closing(_play_parts(plan, agents, parts, jobs)) as played:
        for part in played:
            parts.learn(part)
            done += len(part.lines)
            if progress is not None:
                progress(done, games)
            yield from part.lines


def _play_parts(plan: _Plan, agents: Sequence[AnyAgent], parts: _Parts, jobs: int) -> Generator[_Part]:
    """Play the first part here, and the others in several processes if they take long."""
    play = one_thread(_player(plan, agents))
    yield play(next(parts))
    if jobs > 1 and parts.seconds_left > _WORTH:
        yield from in_order(_player, (plan, agents), parts, jobs)
    else:
        yield from map(play, parts)


class _Parts:
    """Hands out the games in parts of a few seconds each: ``(start, stop)``."""

    def __init__(self, games: int) -> None:
        """Begin with the first game."""
        self._next, self._games, self._size, self._speed = 0, games, _FIRST_GAMES, 1.0

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Return itself."""
        return self

    def __next__(self) -> tuple[int, int]:
        """Return the next games."""
        if self._next >= self._games:
            raise StopIteration
        start = self._next
        self._next = min(self._games, start + self._size)
        return start, self._next

    def learn(self, part: _Part) -> None:
        """Choose the next size from the time that a part took."""
        self._speed = len(part.lines) / max(part.seconds, 1e-6)
        self._size = int(min(max(1, self._speed * _SECONDS), self._size * _GROWTH, MOST_GAMES))

    @property
    def seconds_left(self) -> float:
        """Return how long the remaining games would take in one process."""
        return (self._games - self._next) / self._speed


def _player(plan: _Plan, agents: Sequence[AnyAgent]) -> Callable[[tuple[int, int]], _Part]:
    """Return a function that plays the games from a first to before a last one."""
    ready = ready_agents(agents, plan.players)

    def play(games: tuple[int, int]) -> _Part:
        start = time.perf_counter()
        lines = _play(plan, ready, *games)
        return _Part(lines, time.perf_counter() - start)

    return play


def _play(plan: _Plan, agents: Sequence[Agent], start: int, stop: int) -> list[bytes]:
    """Play some games and return their records."""
    batch = Batch(
        stop - start, plan.players, plan.collectors, plan.leader, plan.seed, restarts=False, first_index=start
    )
    batch.states["pauses"] = 1
    batch.reset()
    games = RecordedGames(batch, plan.with_legal)
    cast = Cast(len(batch), agents)
    moved = np.arange(start, stop)[:, None] if plan.rotate else 0
    owners = (np.arange(plan.players) - moved) % len(agents)
    cast.owners[:, : plan.players] = owners
    while len(rows := games.waiting):
        games.play(rows, games.answers(cast, rows), cast)
    if not plan.with_agents:
        return [games.line(number) for number in range(len(batch))]
    lines = []
    for number in range(len(batch)):
        names = [agents[owner].name for owner in cast.owners[number, : plan.players]]
        lines.append(line_of({**games.record(number), "agents": names}).encode() + b"\n")
    return lines
