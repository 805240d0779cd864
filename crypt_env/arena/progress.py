"""Shows on standard error how far a tournament is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

Progress = Callable[[int, int], None]
"""Is told how many games are finished, and how many there are in all; first before any is played."""

TERMINAL_SECONDS = 0.2
LOG_SECONDS = 30.0


class ProgressLine:
    """One line that is written anew on a terminal; elsewhere a line from time to time."""

    def __init__(self, stream: TextIO | None = None, every: float | None = None) -> None:
        """Begin.

        Args:
            stream: standard error if not given.
            every: seconds between two lines.
        """
        self._stream = sys.stderr if stream is None else stream
        self._is_terminal = self._stream.isatty()
        self._every = every if every is not None else TERMINAL_SECONDS if self._is_terminal else LOG_SECONDS
        self._width = 0
        self.begin()

    def begin(self, label: str = "") -> None:
        """Begin anew with another tournament, the name of which stands in front of the numbers."""
        self._label = label
        self._begin = self._last = time.monotonic()
        self._found: int | None = None

    def __call__(self, games: int, total: int) -> None:
        """Show the numbers, if it is time to."""
        now = time.monotonic()
        if self._found is None or games < self._found:  # the first one, or another tournament
            self._begin, self._found = now, games
        if now - self._last >= self._every or (self._is_terminal and games == total):
            self._last = now
            self._write(_sentence(games, total, games - self._found, now - self._begin))

    def _write(self, text: str) -> None:
        """Write a line, over the last one on a terminal."""
        text = f"{self._label}{text}"
        self._stream.write(f"\r{text:{self._width}}" if self._is_terminal else f"{text}\n")
        self._width = len(text)
        self._stream.flush()

    def end(self) -> None:
        """Leave the line as it is."""
        if self._is_terminal and self._width:
            self._stream.write("\n")
            self._stream.flush()
        self._width = 0


def _sentence(games: int, total: int, played: int, seconds: float) -> str:
    """Say how far it is and how long it may take."""
    text = f"{games} of {total} games ({games / total:.0%})"
    if not played or not seconds:
        return text
    rate = played / seconds
    rate_text = f"{rate:.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"{text}, {rate_text} a second, {_duration((total - games) / rate)} to go"


def _duration(seconds: float) -> str:
    """Return a time in words."""
    minutes, left = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {left:02} s" if minutes else f"{left} s"
