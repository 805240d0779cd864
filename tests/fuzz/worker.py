"""A process that is given inputs to targets, one after the other, and may die of them.

It is started with a file of tasks, shows on a `Board` which input it works on, and writes a line of JSON for each fault
that leaves it alive. Its parent knows the input of the other faults: the one on the board.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from . import limits, targets
from .board import PREPARING, Board, Counts
from .saving import save_input
from .target import NO_INPUT, Fault, Target, judge

SHOWN = 2
"""Faults of the same kind in the same place that a worker reports in full."""


class Task(NamedTuple):
    """Inputs of one target."""

    target: str
    seed: int
    first: int
    stop: int
    """0 for as many as a short run has."""
    seconds: float
    """When to stop if they are not all done by then."""


class Order(NamedTuple):
    """The orders of a worker."""

    tasks: list[Task]
    board: str
    reports: str
    """The file for what is wrong, a line for each fault."""
    faults: str
    """The folder for inputs that show a fault."""
    limits: limits.Limits
    saves: bool = False
    """Only write the first input to the folder, without giving it to the target."""


def read_order(text: str) -> Order:
    """Return what `write_order` has written."""
    tasks, board, reports, faults, bounds, saves = json.loads(text)
    return Order([Task(*task) for task in tasks], board, reports, faults, limits.Limits(*bounds), saves)


def write_order(order: Order) -> str:
    """Return an order as text."""
    return json.dumps(order)


def place_of(error: BaseException | None) -> str:
    """Return where in the project an error arose: the file and the function of the last frame there."""
    frames = traceback.extract_tb(error.__traceback__ if error is not None else None)
    for frame in reversed(frames):
        if any(f"{os.sep}{room}{os.sep}" in frame.filename for room in ("crypt_env", "training")):
            return f"{Path(frame.filename).name}:{frame.name}"
    return f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else ""


class Worker:
    """Gives the inputs of a task to its target."""

    def __init__(self, order: Order, place: int) -> None:
        """Get ready for one of the tasks; samples are made here."""
        self._order, self._place, self._task = order, place, order.tasks[place]
        self._target: Target = targets.load(self._task.target)
        self._samples = self._target.samples()
        self._reported: Counter[str] = Counter()

    def run(self, board: Board) -> None:
        """Go through all inputs of the task, as far as time allows."""
        task, bounds, begin = self._task, self._order.limits, time.monotonic()
        number, accepted, passed = task.first, 0, 0.0
        stop = task.stop or self._target.quick
        while number < stop and passed < task.seconds:
            board.begin(self._place, number)
            limits.begin_input(bounds)
            given = None
            try:
                given = self._input(number)
                is_accepted, fault = judge(self._target, given)
            except Exception as error:
                is_accepted, fault = False, Fault(NO_INPUT, f"{type(error).__name__}: {ascii(str(error))[:200]}", error)
            if fault is not None:
                self._tell(number, given, fault)
            number, accepted = number + 1, accepted + is_accepted
            passed = time.monotonic() - begin
            board.count(self._place, Counts(number - task.first, accepted, passed))

    def save(self) -> None:
        """Write the first input of the task to its file."""
        self._write(str(save_input(self._stem(self._task.first), self._input(self._task.first))))

    def _input(self, number: int) -> Any:
        """Return an input."""
        return self._target.input(self._task.seed, number, self._samples)

    def _stem(self, number: int) -> Path:
        """Return the name of the file for an input, without its ending."""
        return Path(self._order.faults) / f"{self._task.target}-{self._task.seed}-{number}"

    def _tell(self, number: int, given: Any, fault: Fault) -> None:
        """Say what is wrong, and keep the input if it is among the first of its kind."""
        place = place_of(fault.error)
        key = f"{fault.kind} {place}"
        self._reported[key] += 1
        line: dict[str, Any] = {"task": self._place, "number": number, "kind": fault.kind, "place": place}
        line["what"] = fault.what
        if self._reported[key] <= SHOWN:
            line["input"] = str(save_input(self._stem(number), given))
            line["trace"] = _trace(fault.error)
        self._write(json.dumps(line))

    def _write(self, line: str) -> None:
        """Write a line for the watcher."""
        with Path(self._order.reports).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def _trace(error: BaseException | None) -> str:
    """Return the end of an error's traceback."""
    try:
        return "".join(traceback.format_exception(error, limit=-12))[-6000:]
    except Exception:
        return ""


def main(path: str) -> None:
    """Do what a file orders."""
    order = read_order(Path(path).read_text(encoding="utf-8"))
    warnings.simplefilter("ignore")
    if order.saves:
        Worker(order, 0).save()
    else:
        board = Board(Path(order.board), len(order.tasks))
        for place in range(len(order.tasks)):
            board.begin(place, PREPARING)
            worker = Worker(order, place)
            limits.begin_task(order.limits)
            worker.run(board)
            limits.end_task()
    os._exit(0)  # no fuzzed code gets another chance to run


if __name__ == "__main__":
    main(sys.argv[1])
