"""Signals that end a command: they unwind it, so that it keeps and cleans up what it does after Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_AGAIN_SECONDS = 0.05


@contextmanager
def signals_unwind() -> Iterator[None]:
    """Have SIGTERM and SIGHUP raise `SystemExit`, and have neither them nor Ctrl-C be lost.

    Python drops an exception that is raised in a callback of C code, for instance while numba loads compiled code. The
    signal is then sent once more, a moment later.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    taken = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]  # nohup ignores SIGHUP
    report_dropped = sys.unraisablehook

    def leave(number: int, _: FrameType | None) -> NoReturn:
        for each in taken:  # a terminal that is closed may send SIGHUP twice; a second SIGTERM ends the process at once
            signal.signal(each, signal.SIG_DFL if each == signal.SIGTERM else signal.SIG_IGN)
        raise _Signalled(number)

    def repeat(dropped: UnraisableHookArgs) -> None:
        error = dropped.exc_value
        if isinstance(error, _Signalled):
            signal.signal(error.number, leave)
            _send_later(error.number)
        elif isinstance(error, KeyboardInterrupt):
            _send_later(signal.SIGINT)
        else:
            report_dropped(dropped)

    for number in taken:
        signal.signal(number, leave)
    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = report_dropped
        for number in taken:
            if signal.getsignal(number) is leave:
                signal.signal(number, signal.SIG_DFL)


class _Signalled(SystemExit):
    """A signal has come that ends the process."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def _send_later(number: int) -> None:
    """Send the main thread a signal, when what it runs now is likely over; it must be that thread, which may sleep."""

    def send() -> None:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        else:
            signal.raise_signal(number)

    timer = threading.Timer(_AGAIN_SECONDS, send)
    timer.daemon = True
    timer.start()
