"""Ctrl-C, SIGTERM and SIGHUP: one line, an exit code for each of them, and no work lost.

A program ends at once as long as there is nothing to keep: while it imports, compiles and plays its first rollout. From
then on a signal is noted, and the run stops between two rollouts; a second signal ends it at once.
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
_HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""What a terminal sends when it is closed, or its connection breaks."""
if _HANGUP is not None and signal.getsignal(_HANGUP) != signal.SIG_IGN:  # as nohup asks
    NAMES[_HANGUP] = "SIGHUP"


class Stopped(BaseException):
    """A signal that ends work that can be abandoned, such as an evaluation."""


def exit_code(number: int) -> int:
    """Return the exit code of a program that a signal has ended, as in shells: 130, 143 or 129."""
    return 128 + number


def name_of(number: int) -> str:
    """Return the name of a signal in messages."""
    return NAMES[signal.Signals(number)]


class Program:
    """What a training program says when a signal ends it at once."""

    remark = ""
    """What has been kept, or that nothing has; follows "stopped by Ctrl-C"."""

    def __init__(self) -> None:
        named = [after for flag, after in pairwise(sys.orig_argv) if flag == "-m"]
        self.name = named[0].rpartition(".")[2] if named else "training"
        self._process = os.getpid()

    def leave(self, number: int, _: FrameType | None = None) -> NoReturn:
        """End the process.

        Nothing is raised: in the middle of an import or of the compiler an exception could be swallowed.
        """
        if os.getpid() == self._process:  # a child process says nothing
            with suppress(Exception):
                sys.stdout.flush()
            start = _SHOW_CURSOR if sys.stderr is not None and sys.stderr.isatty() else ""
            text = f"{start}{self.name}: stopped by {name_of(number)}{self.remark}\n"
            with suppress(OSError):
                os.write(2, text.encode())
        os._exit(exit_code(number))


PROGRAM = Program()


def leave_on_signals() -> None:
    """From now on, have signals end this process with one line."""
    for number in NAMES:
        signal.signal(number, PROGRAM.leave)


def end_program(code: int) -> NoReturn:
    """End this process with an exit code, which a signal can no longer change.

    While the interpreter shuts down, which takes a moment with torch, signals would have their default effect again.
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
        self.number = 0
        self.is_worthwhile = False
        self._is_breakable = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in NAMES}
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    @property
    def is_asked(self) -> bool:
        """Whether there was a signal."""
        return self.number != 0

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """Have a signal raise `Stopped` in here."""
        self._is_breakable = True
        try:
            if self.number:
                raise Stopped
            yield
        finally:
            self._is_breakable = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Note the first signal after which there is something to keep; any other does what it did before."""
        if self.number and number == self.number == _HANGUP:
            return  # a terminal that is closed may send it twice, from the system and from the shell
        if self.is_worthwhile and not self.number:
            self.number = number
            if self._is_breakable:
                raise Stopped
        elif callable(before := self._before[number]):
            before(number, frame)
        elif before == signal.SIG_DFL:
            raise SystemExit(exit_code(number))
