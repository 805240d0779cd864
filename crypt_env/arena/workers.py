"""Plays chunks: in this process, or in several others."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from crypt_env.agents import AnyAgent
from crypt_env.errors import CryptError

from .chunks import Chunks, Task
from .match import Played, play_deals, ready_agents
from .processes import one_thread, receive, send, start_workers, stop_workers
from .schedule import Plan


class Done(NamedTuple):
    """A chunk that was played."""

    task: Task
    played: Played


class Crew(ABC):
    """Who plays the games of a tournament if not processes of this machine."""

    @abstractmethod
    def play_chunks(self, plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks) -> Generator[Done]:
        """Play all chunks, and yield each when it is finished. The order may vary."""


def play_chunks(plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks, jobs: int | Crew) -> Generator[Done]:
    """Play all chunks, and yield each as soon as it is finished. The order may vary.

    Close the iterator to stop; its processes end with it.
    """
    if isinstance(jobs, Crew):
        return jobs.play_chunks(plan, agents, chunks)
    jobs = min(jobs, chunks.count)
    return _play_here(plan, agents, chunks) if jobs <= 1 else _play_elsewhere(plan, agents, chunks, jobs)


def player(plan: Plan, agents: Sequence[AnyAgent]) -> Callable[[Task], tuple[Done, float]]:
    """Return a function that plays tasks, and tells how long each took."""
    ready = ready_agents(agents, plan.players)

    def play(task: Task) -> tuple[Done, float]:
        start = time.perf_counter()
        played = play_deals(plan, plan.lineups[task.lineup], ready, task.start, task.stop)
        return Done(task, played), time.perf_counter() - start

    return play


def _play_here(plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks) -> Generator[Done]:
    """Play in this process."""
    if not chunks.count:
        return
    play = one_thread(player(plan, agents))
    while (task := chunks.next()) is not None:
        done, seconds = play(task)
        chunks.learn(task, seconds)
        yield done


def _play_elsewhere(plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks, jobs: int) -> Generator[Done]:
    """Play in other processes."""
    names = [agent for agent in agents if isinstance(agent, str)]
    if len(names) < len(agents):
        raise CryptError(f"jobs={jobs} is not possible with agents that are objects; name them, or play with jobs=1")
    workers = start_workers(player, (plan, names), jobs)
    try:
        busy = [worker.line for worker in workers if _hand_out(worker.line, chunks)]
        while busy:
            ready = wait(busy)
            for line in [line for line in busy if line in ready]:
                done, seconds = receive(line)
                chunks.learn(done.task, seconds)
                if not _hand_out(line, chunks):
                    busy.remove(line)
                yield done
    finally:
        stop_workers(workers)


def _hand_out(line: Connection, chunks: Chunks) -> bool:
    """Give a process its next chunk; return whether there is one."""
    task = chunks.next()
    if task is not None:
        send(line, task)
    return task is not None
