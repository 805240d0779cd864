"""Parsers with a fault each, by which the harness itself is tested. Every tenth input shows the fault."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from random import Random
from typing import Any

from crypt_env import CryptError
from fuzz.target import LONGEST_MESSAGE, Target, require

BAD = 9
"""The last digit of inputs that show the fault."""


def _wrong_exception() -> None:
    """Raise what is not documented."""
    raise KeyError("x")


def _value_error() -> None:
    """Raise what is only almost documented."""
    raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid")


def _long_message() -> None:
    """Raise an error that says too much."""
    raise CryptError("x" * LONGEST_MESSAGE)


def _many_lines() -> None:
    """Raise an error that says something on two lines."""
    raise CryptError("one\ntwo")


def _says_nothing() -> None:
    """Raise an error without a message."""
    raise CryptError


def _crash() -> None:
    """Read where there is no memory."""
    ctypes.string_at(0)


def _hang() -> None:
    """Loop forever."""
    while True:
        pass


def _sleep() -> None:
    """Wait forever."""
    time.sleep(1e6)


def _grow() -> None:
    """Allocate more memory than allowed, and touch it."""
    taken = [bytes(2**24) for _ in range(2**10)]
    raise CryptError(f"{len(taken)} pieces")


def _leave() -> None:
    """End the process."""
    raise SystemExit(3)


FAULTS: dict[str, Callable[[], None]] = {
    "wrong exception": _wrong_exception,
    "value error": _value_error,
    "long message": _long_message,
    "many lines": _many_lines,
    "says nothing": _says_nothing,
    "crash": _crash,
    "hang": _hang,
    "sleep": _sleep,
    "grow": _grow,
    "leave": _leave,
}


def _parser(fault: Callable[[], None]) -> Callable[[int], int]:
    """Return a parser that refuses some numbers as it should, and others not."""

    def parse(number: int) -> int:
        if number % 10 == BAD:
            fault()
        if number % 2:
            raise CryptError(f"{number} is odd")
        return number

    return parse


def _use(number: int) -> None:
    """Fail on numbers that were accepted."""
    require(number % 10 != BAD - 1, f"{number} does not work")


def _number(rng: Random, _: Any) -> int:
    """Return an input."""
    return rng.randrange(100)


TARGETS = (
    *(Target(name, lambda: None, _number, _parser(fault)) for name, fault in FAULTS.items()),
    Target("unusable", lambda: None, _number, _parser(lambda: None), _use),
)
