"""Plays games on a Ray cluster: the same results as on one machine, to the byte."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from typing import Any, TypeVar

from crypt_env.agents import AnyAgent, make_agent
from crypt_env.agents.registry import network_path
from crypt_env.arena.cluster import cores, ray_cluster
from crypt_env.errors import CryptError
from crypt_env.table import positive

from .chunks import Chunks, Task
from .processes import MOST_JOBS
from .schedule import Plan
from .workers import Crew, Done, player

Given = TypeVar("Given")
Result = TypeVar("Result")

RAY_HELP = "play on the Ray cluster at RAY_ADDRESS, else in processes of this machine under Ray"
"""What command lines say about ``--ray``."""

JOBS_HELP = "processes (default: one for each core)"
"""What they say about ``--jobs``."""

_Answer = tuple[str, Any]
"""Kind and content of what comes back for a task."""
_Busy = dict[Any, tuple[Any, tuple[int, Any]]]
"""The processes that play, each with the number of its task and the task itself, by what they will return."""

_TRIES = 3
"""How often a task is tried; a process that is lost with it is replaced."""


def crew(is_on_ray: bool, jobs: int | None = None) -> AbstractContextManager[int | Crew]:
    """Return who plays: this many processes of this machine, or of a Ray cluster; by default one for each core."""
    if is_on_ray:
        return RayCrew(jobs)
    return nullcontext(cores() if jobs is None else jobs)


class _Process:
    """What runs in a process of the cluster."""

    def __init__(self, given: tuple[Callable[..., Callable[[Any], Any]], Sequence[Any]]) -> None:
        """Keep what makes the function, and its arguments; errors of that belong to a task."""
        self._make, self._arguments = given
        self._function: Callable[[Any], Any] | None = None

    def do(self, task: Any) -> _Answer:
        """Return the result of a task, or the text of an error."""
        try:
            if self._function is None:
                self._function = self._make(*self._arguments)
            return "result", self._function(task)
        except CryptError as error:
            return "mistake", str(error)
        except Exception:
            return "failure", traceback.format_exc()


class RayCrew(Crew):
    """Processes of a Ray cluster: that of RAY_ADDRESS, or one of this machine.

    >>> with RayCrew() as crew:  # doctest: +SKIP
    ...     report = round_robin(["random", "greedy"], jobs=crew)
    """

    def __init__(self, jobs: int | None = None) -> None:
        """Play in this many processes; as many as the cluster has cores if not given, and no more than these."""
        self._wanted = None if jobs is None else positive("jobs", jobs, MOST_JOBS)

    def __enter__(self) -> RayCrew:
        """Connect to the cluster.

        Raises:
            CryptError: Ray is not installed, or there is no such cluster.
        """
        with ExitStack() as stack:
            self._ray: Any = stack.enter_context(ray_cluster(self._wanted))
            cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self.jobs = cores if self._wanted is None else min(cores, self._wanted)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the cluster."""
        self._stack.close()

    def play_chunks(self, plan: Plan, agents: Sequence[AnyAgent], chunks: Chunks) -> Generator[Done]:
        """Play all chunks, and yield each when it is finished."""
        tasks: Iterable[Task] = iter(chunks.next, None)
        with closing(self.results(player, (plan, portable(agents)), tasks)) as finished:
            for _, (done, seconds) in finished:
                chunks.learn(done.task, seconds)
                yield done

    def results(
        self, make: Callable[..., Callable[[Given], Result]], arguments: Sequence[Any], tasks: Iterable[Given]
    ) -> Generator[tuple[int, Result]]:
        """Yield the number of each task and its result, in any order. Close the iterator to stop.

        Args:
            make: called in each process with the arguments; returns the function that is called with each task.
            arguments: can be pickled.
            tasks: can be pickled, and are taken from their iterator when needed; so can the results.

        Raises:
            CryptError: a task was a caller's mistake, or its processes were lost too often.
        """
        left = enumerate(tasks)
        given = self._ray.put((make, tuple(arguments)))
        busy: _Busy = {}
        losses: Counter[int] = Counter()
        try:
            while True:
                while len(busy) < self.jobs and (entry := next(left, None)) is not None:
                    _hand_out(self._start(given), entry, busy)
                if not busy:
                    return
                process, entry, answer = self._receive(busy)
                if answer is None:
                    losses[entry[0]] += 1
                    _check_losses(losses[entry[0]])
                    _hand_out(self._start(given), entry, busy)
                    continue
                if (following := next(left, None)) is not None:
                    _hand_out(process, following, busy)
                else:
                    self._ray.kill(process)
                yield entry[0], _checked(answer)
        finally:
            for process, _ in busy.values():
                self._ray.kill(process)

    def _start(self, given: Any) -> Any:
        """Start a process."""
        return self._ray.remote(num_cpus=1)(_Process).remote(given)

    def _receive(self, busy: _Busy) -> tuple[Any, tuple[int, Any], _Answer | None]:
        """Wait for a process; return it, its task, and the answer, or None if it was lost."""
        ready, _ = self._ray.wait(list(busy))
        process, entry = busy.pop(ready[0])
        try:
            return process, entry, self._ray.get(ready[0])
        except (self._ray.exceptions.RayActorError, self._ray.exceptions.ObjectLostError):
            return process, entry, None


def _hand_out(process: Any, entry: tuple[int, Any], busy: _Busy) -> None:
    """Give a process a task."""
    busy[process.do.remote(entry[1])] = process, entry


def _check_losses(times: int) -> None:
    """Raise an error if a task has lost its process too often."""
    if times == _TRIES:
        raise CryptError(f"the processes that played some games were lost {times} times; was there enough memory?")


def _checked(answer: _Answer) -> Any:
    """Return the result in an answer, or raise its error."""
    kind, content = answer
    if kind == "mistake":
        raise CryptError(content)
    if kind == "failure":
        raise RuntimeError(f"an agent failed in another process:\n{content}")
    return content


def portable(agents: Iterable[AnyAgent]) -> list[AnyAgent]:
    """Return agents that other machines can make: networks with their weights, whose files are on this one."""
    return [
        make_agent(agent) if isinstance(agent, str) and network_path(agent) is not None else agent for agent in agents
    ]
