"""Quoting in a message what somebody gave, whatever it is and however long."""

from __future__ import annotations

QUOTED = 60
"""So many characters of it are shown."""


def quoted(given: object, length: int = QUOTED) -> str:
    """Return a value as a message shows it: like `repr`, but short, and never an error itself."""
    try:
        text = repr(given[: length + 1] if isinstance(given, (str, bytes)) else given)
    except (ValueError, RecursionError, MemoryError):  # a number of thousands of digits, or nested too deep
        return f"a {type(given).__name__} that cannot be shown"
    except Exception as error:  # the value is a stranger's, and so is its repr
        return f"a {type(given).__name__} that cannot be shown ({type(error).__name__})"
    return text if len(text) <= length + 2 else f"{text[:length]}..."
