"""The errors for callers, each with what was given and what is allowed, and the words that messages share."""

from __future__ import annotations


class CryptError(ValueError):
    """A request of a caller that is not possible."""


class IllegalActionError(CryptError):
    """An action that the rules do not allow in this position.

    The text says only what was given and what is legal: agents and players may read it.
    """

    def __init__(self, message: str, position: str | None = None) -> None:
        """Make the error for an action.

        Args:
            message: what was given and what is legal.
            position: the game as text, for its owner.
        """
        super().__init__(message)
        self.position = position
        """The game as text, which `Game.from_text` reads, if it is known. It reveals all that is hidden."""


class PositionError(CryptError):
    """A text that is not a position, or an unreachable position."""


class RecordError(CryptError):
    """A text that is not a game record, or a record that breaks the rules."""


# -- quoting ----------------------------------------------------------------------------------------------------------

QUOTED = 60
"""Maximum characters of a value in a message."""
MESSAGE = 1000
"""Maximum characters of a message from another program or from a user's code."""


def quoted(given: object, length: int = QUOTED) -> str:
    """Return a value as a message shows it: like `repr`, but short, on one printable line, and never an error itself.

    Args:
        given: the value.
        length: the maximum number of characters shown.
    """
    try:
        text = repr(given[: length + 1] if isinstance(given, (str, bytes)) else given)
    except (ValueError, RecursionError, MemoryError):  # a number of thousands of digits, or nested too deep
        return f"a {type(given).__name__} that cannot be shown"
    except Exception as error:  # the value's own repr failed
        return f"a {type(given).__name__} that cannot be shown ({type(error).__name__})"
    text = printable(text)
    return text if len(text) <= length + 2 else f"{text[:length]}..."


def printable(text: str) -> str:
    """Return a text on one line, with unprintable characters escaped."""
    if text.isprintable():
        return text
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words)


def shortened(text: str, length: int = MESSAGE) -> str:
    """Return the message of a foreign error on one printable line of limited length."""
    text = printable(text)
    return text if len(text) <= length else f"{text[:length]}..."


# -- words ------------------------------------------------------------------------------------------------------------


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular or the plural.

    >>> counted(1, "player"), counted(2, "player")
    ('1 player', '2 players')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def install_hint(extra: str) -> str:
    """Return how to install what an extra of the package brings; ``extra`` may be several, as in "ray,train"."""
    return f"run pip install '.[{extra}]' in a source checkout"
