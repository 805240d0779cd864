"""The errors that callers can make. Each says what was given and what is allowed; and how a message quotes that."""

from __future__ import annotations


class CryptError(ValueError):
    """Anything that a caller asked for and that cannot be."""


class IllegalActionError(CryptError):
    """An action that the rules do not allow in this position.

    The text says what was given and what is legal, and no more: agents and players may read it.
    """

    def __init__(self, message: str, position: str | None = None) -> None:
        """Make the error for an action.

        Args:
            message: what was given and what is legal.
            position: the game as text, for its owner.
        """
        super().__init__(message)
        self.position = position
        """The game as text, which `Game.from_text` reads, if it is known. It holds the deck and all that is hidden."""


class PositionError(CryptError):
    """A text that is no position, or a position that cannot come up."""


class RecordError(CryptError):
    """A text that is no game record, or a record that differs from the rules."""


# -- quoting ----------------------------------------------------------------------------------------------------------

QUOTED = 60
"""Characters of a value that a message shows."""
MESSAGE = 1000
"""Characters of a message that another program or a stranger's code has made."""


def quoted(given: object, length: int = QUOTED) -> str:
    """Return a value as a message shows it: like `repr`, but short, on one printable line, and never an error itself.

    Args:
        given: the value.
        length: so many characters of it are shown.
    """
    try:
        text = repr(given[: length + 1] if isinstance(given, (str, bytes)) else given)
    except (ValueError, RecursionError, MemoryError):  # a number of thousands of digits, or nested too deep
        return f"a {type(given).__name__} that cannot be shown"
    except Exception as error:  # the value is a stranger's, and so is its repr
        return f"a {type(given).__name__} that cannot be shown ({type(error).__name__})"
    text = printable(text)
    return text if len(text) <= length + 2 else f"{text[:length]}..."


def printable(text: str) -> str:
    """Return a text on one line, with escapes for all that cannot be printed."""
    if text.isprintable():
        return text
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in words)


def shortened(text: str, length: int = MESSAGE) -> str:
    """Return the message of somebody else's error on one printable line, and not longer than this."""
    text = printable(text)
    return text if len(text) <= length else f"{text[:length]}..."
