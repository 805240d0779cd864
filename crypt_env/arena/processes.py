"""Worker processes: started, given tasks, and ended for certain."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, TypeVar

from crypt_env.errors import CryptError

MOST_JOBS = 1024
"""Maximum processes of a tournament."""
_PATIENCE = 0.5
"""Seconds that a process has to exit."""
_AHEAD = 4
"""Tasks for each process that may be finished before their turn in `in_order`."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that say how many threads linear algebra uses."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class _Failure(NamedTuple):
    """An error in another process."""

    text: str
    is_mistake: bool
    """Whether it is a caller's error: then the text is one sentence, otherwise a traceback."""


class Worker(NamedTuple):
    """A process and its connection."""

    process: BaseProcess
    line: Connection


def in_order(
    make: Callable[..., Callable[[Task], Result]], arguments: Sequence[Any], tasks: Iterable[Task], jobs: int
) -> Generator[Result]:
    """Yield the result of each task, in the order of the tasks, which are taken from their iterator when needed.

    Close the iterator to stop; its processes end with it.

    Args:
        make: called in each process with the arguments; returns the function that is called with each task.
        arguments: can be pickled.
        tasks: can be pickled; so can the results.
        jobs: processes; with 1, everything happens in this one.
    """
    if jobs <= 1:
        yield from map(one_thread(make(*arguments)), tasks)
        return
    numbered = enumerate(tasks)
    workers = start_workers(make, arguments, jobs)
    idle, busy, results, turn = [worker.line for worker in workers], dict[Connection, int](), dict[int, Result](), 0
    try:
        while True:
            while idle and len(busy) + len(results) < _AHEAD * jobs and (entry := next(numbered, None)) is not None:
                send(idle[-1], entry[1])
                busy[idle.pop()] = entry[0]
            if not busy:
                return
            for line in [line for line in wait(list(busy)) if isinstance(line, Connection)]:
                results[busy.pop(line)] = receive(line)
                idle.append(line)
            while turn in results:
                yield results.pop(turn)
                turn += 1
    finally:
        stop_workers(workers)


def _work(line: Connection, make: Callable[..., Callable[[Any], Any]], arguments: Sequence[Any]) -> None:
    """Answer incoming tasks until the process ends."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        function = make(*arguments)
        while True:
            line.send(function(line.recv()))
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


def one_thread(function: Callable[[Task], Result]) -> Callable[[Task], Result]:
    """Return the function with one thread for linear algebra, unless the environment asks for more.

    With another number of threads sums can be rounded otherwise, and a network can then decide otherwise. So games in
    this process are those of other processes, which have one thread each.
    """
    if any(name in os.environ for name in _THREADS):
        return function
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()

    def limited(task: Task) -> Result:
        with controller.limit(limits=1, user_api="blas"):
            return function(task)

    return limited


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have processes that are started here use one thread for linear algebra: they share the cores.

    Numpy reads these variables when it is imported, which a new process does before anything else.
    """
    unset = [name for name in _THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            del os.environ[name]


def start_workers(make: Callable[..., Callable[[Any], Any]], arguments: Sequence[Any], jobs: int) -> list[Worker]:
    """Start processes that wait for tasks, see `in_order`.

    They are spawned, not forked, so threads of this process cannot deadlock them.
    """
    context = get_context("spawn")
    workers: list[Worker] = []
    try:
        with _deaf_to_interrupts(), _one_thread_each():
            for _ in range(jobs):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(there, make, arguments), daemon=True)
                process.start()
                there.close()
                workers.append(Worker(process, here))
    except BaseException:
        stop_workers(workers)
        raise
    return workers


def stop_workers(workers: Sequence[Worker]) -> None:
    """End processes, even in the middle of a game; one that does not respond is killed."""
    for worker in workers:
        worker.process.terminate()
        worker.line.close()
    for worker in workers:
        worker.process.join(_PATIENCE)
        worker.process.kill()
        worker.process.join()
        worker.process.close()


def send(line: Connection, task: object) -> None:
    """Give a process a task.

    Raises:
        CryptError: the process is gone.
    """
    try:
        line.send(task)
    except (BrokenPipeError, ConnectionResetError):
        receive(line)  # raises what ended the process, if it could still say so
        raise _ended() from None


def receive(line: Connection) -> Any:
    """Return the answer of a process to its task.

    Raises:
        CryptError: the task was a caller's mistake, or the process is gone.
    """
    try:
        answer = line.recv()
    except (EOFError, ConnectionResetError):
        raise _ended() from None
    if not isinstance(answer, _Failure):
        return answer
    if answer.is_mistake:
        raise CryptError(answer.text)
    raise RuntimeError(f"an agent failed in another process:\n{answer.text}")


def _ended() -> CryptError:
    """Return the error about a process that is gone."""
    return CryptError("a process that this command had started was ended from outside; was there enough memory?")
