"""Commands: what they print is kept, and must be lines that can be printed."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from .target import LONGEST_MESSAGE, require


class Said(NamedTuple):
    """What a command has answered."""

    code: int
    out: str
    error: str
    is_usage: bool = False
    """Whether argparse has answered, which repeats what was typed."""


def run_quietly(command: Callable[[list[str]], int], arguments: list[str]) -> Said:
    """Run a command and keep what it prints. argparse ends by SystemExit."""
    out, error = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        try:
            code = command(arguments)
        except SystemExit as end:
            return Said(end.code if isinstance(end.code, int) else 1, out.getvalue(), error.getvalue(), True)
    return Said(code, out.getvalue(), error.getvalue())


def require_answer(said: Said) -> None:
    """Demand one of the documented exit codes, and lines that can be printed."""
    require(said.code in (0, 1, 2), f"the exit code is {said.code}")
    require((said.code == 2) == bool(said.error), f"exit code {said.code} with {said.error[:100]!a} on standard error")
    for line in said.error.split("\n")[:-1]:
        if not said.is_usage:
            require_message(line)


def require_message(message: str) -> None:
    """Demand that a message is one printable line that is not too long."""
    require(message and len(message) < LONGEST_MESSAGE, f"a message has {len(message)} characters")
    require(message.isprintable(), f"a message cannot be printed on one line: {message[:200]!a}")
