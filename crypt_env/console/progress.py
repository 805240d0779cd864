"""Progress of long work: a bar on a terminal, an occasional line elsewhere, or nothing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

Update = Callable[[int, int], None]
"""Receives the amount done and the total, such as `Progress.update`."""

TERMINAL_SECONDS = 0.2
LOG_SECONDS = 30.0


class Progress:
    """The progress display on standard error.

    >>> progress = Progress("games", quiet=True)
    >>> _ = progress.begin("2 players: ")
    >>> for games in range(0, 101, 50):
    ...     progress.update(games, 100)
    >>> progress.end()
    """

    def __init__(
        self, unit: str = "games", quiet: bool = False, stream: TextIO | None = None, every: float | None = None
    ) -> None:
        """Configure the display; nothing is shown before the first `update`.

        Args:
            unit: what is counted, as a plural.
            quiet: show nothing.
            stream: standard error if not given.
            every: seconds between displayed updates.
        """
        self._unit = unit
        self._quiet = quiet
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._every = every if every is not None else TERMINAL_SECONDS if self._is_terminal else LOG_SECONDS
        self._bar: Bar | None = None
        self.begin()

    def begin(self, text: str = "") -> Update:
        """Start counting; ``text`` is shown in front of the numbers. Returns `update`."""
        self._text = text
        self._start = self._last = time.monotonic()
        self._first: int | None = None
        return self.update

    def update(self, done: int, total: int, note: str = "") -> None:
        """Set the amount done and the total, and display them if the last display was long enough ago.

        Call it once before the work starts, so that earlier work does not count toward the speed. An amount below the
        starting one means that a new task has begun.
        """
        now = time.monotonic()
        if self._first is None or done < self._first:
            self._start, self._first = now, done
        if self._quiet or (now - self._last < self._every and not (self._is_terminal and done >= total)):
            return
        self._last = now
        parts = [_sentence(done, total, self._unit, done - self._first, now - self._start), *([note] if note else [])]
        with self._optional():
            if self._is_terminal:
                self._draw(done, total, f"{self._text}{', '.join(parts)}")
            else:
                print(f"{self._text}{', '.join(parts)}", file=self._stream, flush=True)

    def say(self, text: str) -> None:
        """Print a permanent line on standard output, above the display."""
        with self._optional():
            self._clear(erase=True)
        with suppress(OSError):
            print(text, flush=True)

    def end(self) -> None:
        """Leave the display as it is; more may follow."""
        with self._optional():
            self._clear(erase=False)

    @contextmanager
    def _optional(self) -> Iterator[None]:
        """Fall silent if the display cannot be written: the work is worth more."""
        try:
            yield
        except OSError:
            self._quiet, self._bar = True, None

    def _draw(self, done: int, total: int, text: str) -> None:
        """Show a bar followed by a text."""
        if self._bar is None:
            self._bar = _new_bar(self._stream)
            self._bar.add_task(text, total=total, completed=done)
            self._bar.start()
        else:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total, description=text, refresh=True)

    def _clear(self, erase: bool) -> None:
        """Stop drawing; remove the bar or leave it."""
        if self._bar is not None:
            self._bar.live.transient = erase
            self._bar.stop()
            self._bar = None


def _new_bar(stream: TextIO) -> Bar:
    """Return a bar that is drawn only on request, not by its own thread."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(file=stream, force_terminal=True, highlight=False)
    columns = (BarColumn(bar_width=20), TextColumn("{task.description}", markup=False))
    return Progress(*columns, console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)


def _sentence(done: int, total: int, unit: str, gained: int, seconds: float) -> str:
    """Return the progress and the time left, in words."""
    share = f" ({done / total:.0%})" if total else ""
    text = f"{done} of {total} {unit}{share}"
    if not gained or not seconds:
        return text
    rate = gained / seconds
    rate_text = f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"{text}, {rate_text} a second, {_duration(max(0, total - done) / rate)} to go"


def _duration(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {left:02} s" if minutes else f"{left} s"
