"""Ctrl-C and SIGTERM: one line, an exit code that tells which of them it was, and no work lost.

A program leaves at once as long as there is nothing to keep: while it imports, compiles and plays its first rollout.
From then on a signal is noted, and the run stops at the next moment at which everything stands still; a second signal
leaves at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from types import FrameType
from typing import Any, NoReturn

_SHOW_CURSOR = "\r\x1b[?25h"
"""To the start of the line; a bar that is drawn on a terminal hides the cursor."""

NAMES = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}


class Stopped(BaseException):
    """A signal that ends what can be left in the middle, such as an evaluation."""


def exit_code(number: int) -> int:
    """Return the exit code of a program that a signal has ended, as shells count them: 130 or 143."""
    return 128 + number


def name_of(number: int) -> str:
    """Return what a signal is called."""
    return NAMES[signal.Signals(number)]


class Program:
    """What a training program says when a signal ends it at once."""

    remark = ""
    """What has been kept, or that nothing has; follows "stopped by Ctrl-C"."""

    def __init__(self) -> None:
        """Find out what is running."""
        named = [after for flag, after in pairwise(sys.orig_argv) if flag == "-m"]
        self.name = named[0].rpartition(".")[2] if named else "training"
        self._process = os.getpid()

    def leave(self, number: int, _: FrameType | None = None) -> NoReturn:
        """End the process.

        Nothing is raised: in the middle of an import or of the compiler an exception could be swallowed.
        """
        if os.getpid() == self._process:  # else it is a process that this one has started, which has nothing to say
            with suppress(Exception):
                sys.stdout.flush()
            start = _SHOW_CURSOR if sys.stderr is not None and sys.stderr.isatty() else ""
            text = f"{start}{self.name}: stopped by {name_of(number)}{self.remark}\n"
            with suppress(OSError):
                os.write(2, text.encode())
        os._exit(exit_code(number))


PROGRAM = Program()


def leave_on_signals() -> None:
    """Have signals end this process with one line from now on."""
    for number in NAMES:
        signal.signal(number, PROGRAM.leave)


def end_program(code: int) -> NoReturn:
    """End this process with an exit code, which a signal cannot change any more.

    While the interpreter shuts down, which takes a moment with torch, signals would again do what they do by default.
    """
    for number in NAMES:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)


class Stop:
    """Notes a signal while a run trains.

    >>> with Stop() as stop:
    ...     stop.is_worthwhile = True  # from now on there is something to keep
    ...     number = stop.number  # 0 until there was a signal
    """

    def __init__(self) -> None:
        """Wait for signals; before there is something to keep they do what they did before."""
        self.number = 0
        self.is_worthwhile = False
        self._is_breakable = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        """Take the signals, if this is the thread that gets them."""
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in NAMES}
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, before in self._before.items():
            signal.signal(number, before)

    @property
    def is_asked(self) -> bool:
        """Whether there was a signal."""
        return self.number != 0

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """Let a signal end what is done here by `Stopped`."""
        self._is_breakable = True
        try:
            if self.number:
                raise Stopped
            yield
        finally:
            self._is_breakable = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if self.number or not self.is_worthwhile:
            self._do_as_before(number, frame)
            return
        self.number = number
        if self._is_breakable:
            raise Stopped

    def _do_as_before(self, number: int, frame: FrameType | None) -> None:
        """Do what the signal did before this object took it."""
        before = self._before[number]
        if callable(before):
            before(number, frame)
        elif before == signal.SIG_DFL:
            raise SystemExit(exit_code(number))
