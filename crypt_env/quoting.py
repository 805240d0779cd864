"""Quoting in a message what somebody gave, whatever it is and however long."""

from __future__ import annotations

QUOTED = 60
"""So many characters of it are shown."""


def quoted(given: object, length: int = QUOTED) -> str:
    """Return a value as a message shows it: like `repr`, but short, and never an error itself."""
    try:
        text = repr(given[: length + 1] if isinstance(given, (str, bytes)) else given)
    except Exception:  # a number of thousands of digits, lists nested too deep, or whatever a stranger's repr does
        return f"a {type(given).__name__} that cannot be shown"
    return text if len(text) <= length + 2 else f"{text[:length]}..."
