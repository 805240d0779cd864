"""Quoting in a message what somebody gave, whatever it is and however long."""

from __future__ import annotations

QUOTED = 60
"""So many characters of it are shown."""
MESSAGE = 1000
"""So many characters of a message that somebody else has made."""


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
