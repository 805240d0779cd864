"""The errors that callers can make. Each says what was given and what is allowed."""

from __future__ import annotations


class CryptError(ValueError):
    """Anything that a caller asked for and that cannot be."""


class IllegalActionError(CryptError):
    """An action that the rules do not allow in this position."""


class PositionError(CryptError):
    """A text that is no position, or a position that cannot come up."""


class RecordError(CryptError):
    """A text that is no game record, or a record that differs from the rules."""
