"""What is fuzzed: a parser, what it is given, what it may answer, and what must be possible with what it accepts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from crypt_env import CryptError

LONGEST_MESSAGE = 4096
"""Characters of what a refusal says."""

WRONG, LONG, UNUSABLE, GROWTH = "wrong exception", "bad message", "not usable", "growth"
CRASH, HANG = "crash", "hang"
NO_INPUT = "no input"
"""The fault of a target that cannot make one of its inputs."""


@dataclass(frozen=True)
class Target:
    """A parser and its inputs. Input ``number`` of a seed is always the same."""

    name: str
    samples: Callable[[], Any]
    """Makes what inputs are made of, once in each process: valid inputs from real play."""
    make: Callable[[Random, Any], Any]
    """Makes an input, from a generator and the samples."""
    parse: Callable[[Any], Any]
    """Gives an input to the parser; returns what it accepts. A refusal is raised."""
    use: Callable[[Any], None] = lambda accepted: None
    """Uses it for its purpose; anything that this raises is a fault."""
    refusals: tuple[type[BaseException], ...] = (CryptError,)
    """The exceptions that are documented; subclasses of CryptError among them."""
    quick: int = 100
    """Inputs of a short run."""

    def input(self, seed: int, number: int, samples: Any) -> Any:
        """Return an input."""
        return self.make(Random(f"{self.name} {seed} {number}"), samples)


class Fault(NamedTuple):
    """What is wrong with how an input was treated."""

    kind: str
    what: str
    error: BaseException | None = None


class Unusable(Exception):
    """An accepted input does not work."""


def require(is_so: object, what: str) -> None:
    """Raise an error unless a condition holds for an accepted input."""
    if not is_so:
        raise Unusable(what)


def judge(target: Target, given: Any) -> tuple[bool, Fault | None]:
    """Give an input to a target; return whether it was accepted, and what is wrong with that, if anything is."""
    try:
        accepted = target.parse(given)
    except Unusable as error:
        return True, Fault(UNUSABLE, str(error), error)
    except BaseException as error:
        return False, _fault_of_refusal(target, error)
    try:
        target.use(accepted)
    except BaseException as error:
        kind = GROWTH if isinstance(error, MemoryError) else UNUSABLE
        return True, Fault(kind, _message(error), error)
    return True, None


def _fault_of_refusal(target: Target, error: BaseException) -> Fault | None:
    """Return what is wrong with a refusal: it must be a documented one, and one printable line of bounded length."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    if isinstance(error, MemoryError):
        return Fault(GROWTH, _message(error), error)
    if not (isinstance(error, CryptError) or type(error) in target.refusals):
        return Fault(WRONG, _message(error), error)
    message = str(error)
    if not message:
        return Fault(LONG, f"{type(error).__name__} says nothing", error)
    if len(message) >= LONGEST_MESSAGE:
        return Fault(LONG, f"{type(error).__name__} says {len(message)} characters", error)
    if not message.isprintable() and not isinstance(error, SystemExit):
        return Fault(LONG, f"{type(error).__name__} says what cannot be printed on one line", error)
    return None


def _message(error: BaseException) -> str:
    """Return an error in one line, with any content."""
    try:
        text = " ".join(str(error).split())[:200]
    except Exception as second:
        text = f"({type(second).__name__} from its text)"
    return f"{type(error).__name__}: {ascii(text)[1:-1]}"
