"""Watches workers: names an input that kills one, and continues after it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .board import PREPARING, Board, Counts
from .limits import Limits, is_out_of_time
from .target import CRASH, HANG
from .worker import Order, Task, write_order

TESTS = Path(__file__).resolve().parents[1]
_POLL = 0.05
_UNCAUGHT = 1
"""Python's exit code after an uncaught exception; exceptions of targets are all caught."""
_PREPARING_SECONDS = 3600.0
"""The rules may have to be compiled first, on a machine that is busy with other things."""


@dataclass
class Finding:
    """Faults of one kind in one place."""

    target: str
    seed: int
    kind: str
    place: str
    number: int
    """Of the first input that shows it."""
    what: str
    input: str = ""
    """The file that this input was written to."""
    trace: str = ""
    count: int = 1


@dataclass
class Tally:
    """The results of the inputs to one target."""

    done: int = 0
    accepted: int = 0
    seconds: float = 0.0
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)

    def add(self, counts: Counts) -> None:
        """Count what a worker has done."""
        self.done += counts.done
        self.accepted += counts.accepted
        self.seconds += counts.seconds

    def note(self, finding: Finding) -> None:
        """Count a fault."""
        known = self.findings.setdefault((finding.kind, finding.place), finding)
        known.count += known is not finding


class _Running:
    """A worker at work on some tasks, one after the other."""

    def __init__(self, tasks: list[Task], folder: Path, faults: Path, limits: Limits) -> None:
        """Start it in a folder of its own."""
        self._tasks, self._limits, self._faults = tasks, limits, faults
        self._scratch = Path(tempfile.mkdtemp(dir=folder))
        self._board = Board(self._scratch / "board", len(tasks))
        self._reports = self._scratch / "reports"
        self._reports.touch()
        order = Order(tasks, str(self._scratch / "board"), str(self._reports), str(faults), limits)
        self._process = start_worker(order, self._scratch)
        self._seen, self._since = self._board.place(), time.monotonic()
        self._was_stuck = False

    def is_over(self) -> bool:
        """Return whether the worker has ended; end it if its input takes too long."""
        if self._process.poll() is not None:
            return True
        now, seen = time.monotonic(), self._board.place()
        if seen != self._seen:
            self._seen, self._since = seen, now
        allowed = _PREPARING_SECONDS if seen[1] == PREPARING else self._limits.wall_seconds
        self._was_stuck = now - self._since > allowed
        if self._was_stuck:
            self._process.kill()
            self._process.wait()
        return self._was_stuck

    def finish(self, tallies: dict[str, Tally]) -> list[Task]:
        """Count what was done; return what is left if the worker died of an input."""
        for place, task in enumerate(self._tasks):
            tallies[task.target].add(self._board.counts(place))
        for line in self._reports.read_text(encoding="utf-8").splitlines():
            report = {"input": "", "trace": "", **json.loads(line)}
            task = self._tasks[report.pop("task")]
            tallies[task.target].note(Finding(task.target, task.seed, **report))
        left = [] if self._process.returncode == 0 else self._after_death(tallies)
        self._board.close()
        return left

    def _after_death(self, tallies: dict[str, Tally]) -> list[Task]:
        """Note the input that the worker died of; return the tasks that are left, from the next input on."""
        place, number = self._board.place()
        task, code = self._tasks[place], self._process.returncode
        said = (self._scratch / "error").read_text(encoding="utf-8", errors="replace")
        if number == PREPARING or code == _UNCAUGHT:
            raise RuntimeError(f"the worker for {task.target} failed by itself at {number} ({code}):\n{said}")
        kind = HANG if self._was_stuck or is_out_of_time(code) else CRASH
        what = f"no answer within {self._limits.seconds:g} s" if kind == HANG else _name_of(code)
        task = task._replace(first=number)
        saved = save_one(task, self._scratch, self._faults, self._limits)
        tally = tallies[task.target]
        tally.done += 1
        tally.note(Finding(task.target, task.seed, kind, _place_in(said), number, what, saved, said[-4000:]))
        seconds = task.seconds - self._board.counts(place).seconds
        return [task._replace(first=number + 1, seconds=seconds), *self._tasks[place + 1 :]]

    def stop(self) -> None:
        """End the worker."""
        self._process.kill()
        self._process.wait()
        self._board.close()


def start_worker(order: Order, scratch: Path) -> subprocess.Popen[bytes]:
    """Start a worker in a folder; what it says on standard error is in a file there."""
    path = scratch / "order.json"
    path.write_text(write_order(order), encoding="utf-8")
    rooms = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, rooms)), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "fuzz.worker", str(path)]
    with (scratch / "error").open("wb") as error:
        return subprocess.Popen(
            command, cwd=scratch, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=error
        )


def save_one(task: Task, folder: Path, faults: Path, limits: Limits) -> str:
    """Write the first input of a task to a file, in a process that does not give it to the target; return its name."""
    scratch = Path(tempfile.mkdtemp(dir=folder))
    reports = scratch / "reports"
    start_worker(Order([task], "", str(reports), str(faults), limits, saves=True), scratch).wait()
    return reports.read_text(encoding="utf-8").strip() if reports.exists() else ""


def _name_of(code: int) -> str:
    """Return why a process died."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        return f"the process died of {signal.Signals(-code).name}"
    except ValueError:
        return f"the process died of signal {-code}"


def _place_in(stderr: str) -> str:
    """Return the innermost frame of the project in what faulthandler has written."""
    for line in stderr.splitlines():
        path, _, rest = line.strip().removeprefix('File "').partition('", line ')
        if any(f"{os.sep}{room}{os.sep}" in path for room in ("crypt_env", "training", "fuzz")):
            return f"{Path(path).name}:{rest.rpartition(' in ')[2]}"
    return ""


def run_tasks(
    groups: Iterable[list[Task]],
    faults: Path,
    jobs: int = 1,
    limits: Limits | None = None,
    tallies: dict[str, Tally] | None = None,
) -> dict[str, Tally]:
    """Go through tasks, some at a time; return the results of the inputs, by target.

    Args:
        groups: tasks that one process works on, one after the other.
        faults: the folder for inputs that show a fault.
        jobs: how many processes work at a time.
        limits: what one input may cost.
        tallies: where to count, also of what an interruption has left unfinished.
    """
    limits, faults = limits or Limits(), faults.resolve()
    waiting, again = iter(groups), list[list[Task]]()
    tallies = defaultdict(Tally) if tallies is None else tallies
    running: list[_Running] = []
    with tempfile.TemporaryDirectory() as name:
        try:
            while True:
                while len(running) < jobs and (tasks := again.pop() if again else next(waiting, None)):
                    running.append(_Running(tasks, Path(name), faults, limits))
                if not running:
                    return tallies
                time.sleep(_POLL)
                for worker in [worker for worker in running if worker.is_over()]:
                    running.remove(worker)
                    again += [left] if (left := worker.finish(tallies)) else []
        finally:
            for worker in running:
                worker.stop()
