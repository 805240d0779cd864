"""The errors that callers can make. Each says what was given and what is allowed."""

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
            position: the game as text, for whoever owns it.
        """
        super().__init__(message)
        self.position = position
        """The game as text, which `Game.from_text` reads, if it is known. It holds the deck and all that is hidden."""


class PositionError(CryptError):
    """A text that is no position, or a position that cannot come up."""


class RecordError(CryptError):
    """A text that is no game record, or a record that differs from the rules."""
