"""How a game ended, and the score sheets."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from .notation.events import Tiebreak


class Reason(Enum):
    """Why a game ended the way it did."""

    MOST_COINS = "most coins"
    TIEBREAK = "tie-break: highest dice"
    SHARED = "shared: tied, and nobody tied has a die left"
    FOOL = "The Fool"
    PETTY = "The Petty"
    AFFLUENT = "The Affluent"
    MAGNIFICENT = "The Magnificent"


class Outcome(NamedTuple):
    """How a game ended."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: Reason
    tiebreak: tuple[Tiebreak, ...] = ()
    """The number of tie-break rounds in this game."""

    def __str__(self) -> str:
        """Return the outcome as a sentence."""
        if len(self.scores) == 1:
            return f"{self.scores[0]} coins: {self.reason.value}"
        winners = " and ".join(f"seat {seat}" for seat in self.winners)
        scores = ", ".join(map(str, self.scores))
        return f"{winners} {'win' if len(self.winners) > 1 else 'wins'} ({scores}; {self.reason.value})"

    def _repr_html_(self) -> str:
        """Return the scores as a table for a notebook."""
        from .drawing.tables import html_table

        rows = [(f"seat {seat}", str(coins), "wins" * (seat in self.winners)) for seat, coins in enumerate(self.scores)]
        return html_table(str(self), ("", "coins", ""), rows)


class Sheet(NamedTuple):
    """One player's score sheet, as if the game ended now."""

    cards: int
    idol: int
    jewelry: int
    manuscript: int
    pottery: int
    remains: int
    tapestry: int
    dice: int

    @property
    def total(self) -> int:
        """Return the score."""
        return sum(self)

    def _repr_html_(self) -> str:
        """Return the sheet as a table for a notebook."""
        from .drawing.tables import html_table

        return html_table("", (*self._fields, "total"), [tuple(map(str, (*self, self.total)))])


def end_reason(scores: tuple[int, ...], winners: tuple[int, ...]) -> Reason:
    """Return why a game with these scores ended with these winners."""
    if len(scores) == 1:
        return solo_reason(scores[0])
    if len(winners) > 1:
        return Reason.SHARED
    return Reason.TIEBREAK if scores.count(max(scores)) > 1 else Reason.MOST_COINS


def solo_reason(coins: int) -> Reason:
    """Return the title that a solo score earns."""
    for least, reason in ((50, Reason.MAGNIFICENT), (40, Reason.AFFLUENT), (30, Reason.PETTY)):
        if coins >= least:
            return reason
    return Reason.FOOL
