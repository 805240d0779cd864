"""The standard streams of a program: always there, for any character, and for long work not worth failing for."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


def prepare_streams() -> None:
    """Replace standard streams that are closed, and escape characters that the encoding of a stream does not have."""
    for name, mode in _MODES.items():
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def outlive_streams(name: str) -> None:
    """Have this process go on if what reads its output ends, or the disk is full: only the text is lost.

    Args:
        name: of the program, for a sentence about that.
    """
    for stream, words in (("stdout", "standard output"), ("stderr", "standard error")):
        before = getattr(sys, stream)
        if not isinstance(before, io.TextIOWrapper):
            continue
        before.flush()
        sentence = f"{name}: {words} cannot be written any more, and is left out"
        setattr(
            sys,
            stream,
            io.TextIOWrapper(
                io.BufferedWriter(_Optional(before.fileno(), sentence)),
                before.encoding,
                before.errors,
                line_buffering=before.line_buffering,
                write_through=before.write_through,
            ),
        )


class _Optional(io.FileIO):
    """An open file; once it cannot be written, what comes is dropped."""

    def __init__(self, descriptor: int, sentence: str) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._sentence = sentence
        self._is_lost = False

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Write, or drop everything."""
        if not self._is_lost:
            try:
                return super().write(data)
            except OSError as error:
                self._is_lost = True
                if not isinstance(error, BrokenPipeError):  # a reader that leaves, such as head, needs no words
                    with suppress(OSError):
                        os.write(2, f"{self._sentence}: {error.strerror}\n".encode())
        return len(data)
