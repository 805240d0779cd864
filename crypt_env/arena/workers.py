"""Plays chunks: in this process, or in several others."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from crypt_env.agents import AnyAgent
from crypt_env.errors import CryptError

from .chunks import Chunks, Task
from .match import Played, play_deals, ready_agents
from .schedule import Plan

MOST_JOBS = 1024
"""Maximum processes of a tournament."""
_PATIENCE = 0.5
"""Seconds that a process has to exit."""


class Done(NamedTuple):
    """A chunk that was played."""

    task: Task
    played: Played


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play_chunks(plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks, jobs: int) -> Generator[Done]:
    """Play all chunks, and yield each as soon as it is finished. The order may vary.

    Close the iterator to stop; its processes end with it.
    """
    jobs = min(jobs, chunks.count)
    return _play_here(plan, agents, chunks) if jobs <= 1 else _play_elsewhere(plan, agents, chunks, jobs)


def _play_here(plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks) -> Generator[Done]:
    """Play in this process."""
    if not chunks.count:
        return
    ready = ready_agents(agents, plan.players)
    while (task := chunks.next()) is not None:
        start = time.perf_counter()
        played = play_deals(plan, plan.lineups[task.lineup], ready, task.start, task.stop)
        chunks.learn(task, time.perf_counter() - start)
        yield Done(task, played)


# -- other processes --------------------------------------------------------------------------------------------------


class _Failure(NamedTuple):
    """An error in another process."""

    text: str
    is_mistake: bool
    """Whether it is a caller's error: then the text is one sentence, otherwise a traceback."""


class _Worker(NamedTuple):
    """A process and its connection."""

    process: BaseProcess
    line: Connection


def _work(line: Connection, plan: Plan, agents: Sequence[str]) -> None:
    """Play incoming tasks until the process ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        ready = ready_agents(agents, plan.players)
        while True:
            task: Task = line.recv()
            start = time.perf_counter()
            played = play_deals(plan, plan.lineups[task.lineup], ready, task.start, task.stop)
            line.send((Done(task, played), time.perf_counter() - start))
    except (EOFError, BrokenPipeError):  # the parent process has gone
        return
    except CryptError as error:
        line.send(_Failure(str(error), is_mistake=True))
    except Exception:
        line.send(_Failure(traceback.format_exc(), is_mistake=False))


def _end_with_parent() -> None:
    """End this process as soon as its parent has ended, even in the middle of a game."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Shield processes that are started here from keyboard interrupts: this process stops them.

    An interrupt in the meantime takes effect at the end: a half-started process would print an error.
    """
    with _interrupts_put_off():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        resource_tracker.ensure_running()  # started with the first process, it would unblock signals
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # new processes inherit that
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _interrupts_put_off() -> Iterator[None]:
    """Defer interrupts to the end. Threads other than the main one are never interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if noted:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have processes that are started here use one thread for linear algebra: they share the cores.

    Numpy reads these variables when it is imported, which a new process does before anything else.
    """
    unset = [name for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS") if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            del os.environ[name]


def _start(plan: Plan, agents: Sequence[str], jobs: int) -> list[_Worker]:
    """Start processes. They are spawned, not forked, so threads of this process cannot deadlock them."""
    context = get_context("spawn")
    workers: list[_Worker] = []
    try:
        with _deaf_to_interrupts(), _one_thread_each():
            for _ in range(jobs):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(there, plan, agents), daemon=True)
                process.start()
                there.close()
                workers.append(_Worker(process, here))
    except BaseException:
        _stop(workers)
        raise
    return workers


def _stop(workers: Sequence[_Worker]) -> None:
    """End processes, even in the middle of a game; one that does not respond is killed."""
    for worker in workers:
        worker.process.terminate()
        worker.line.close()
    for worker in workers:
        worker.process.join(_PATIENCE)
        worker.process.kill()
        worker.process.join()
        worker.process.close()


def _play_elsewhere(plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks, jobs: int) -> Generator[Done]:
    """Play in other processes."""
    names = [agent for agent in agents if isinstance(agent, str)]
    if len(names) < len(agents):
        raise CryptError(f"jobs={jobs} is not possible with agents that are objects; name them, or play with jobs=1")
    workers = _start(plan, names, jobs)
    try:
        busy = [worker.line for worker in workers if _hand_out(worker.line, chunks)]
        while busy:
            ready = wait(busy)
            for line in [line for line in busy if line in ready]:
                done, seconds = _receive(line)
                chunks.learn(done.task, seconds)
                if not _hand_out(line, chunks):
                    busy.remove(line)
                yield done
    finally:
        _stop(workers)


def _hand_out(line: Connection, chunks: Chunks) -> bool:
    """Give a process its next chunk; return whether there is one."""
    task = chunks.next()
    if task is not None:
        line.send(task)
    return task is not None


def _receive(line: Connection) -> tuple[Done, float]:
    """Return the results of a process, and how long it took."""
    try:
        answer: tuple[Done, float] | _Failure = line.recv()
    except (EOFError, ConnectionResetError):
        raise CryptError("a process that played games was ended from outside; was there enough memory?") from None
    if not isinstance(answer, _Failure):
        return answer
    if answer.is_mistake:
        raise CryptError(answer.text)
    raise RuntimeError(f"an agent failed in another process:\n{answer.text}")
