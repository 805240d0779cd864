"""How a game ended, and the score sheets: read from its record."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.batch import sheet_rows
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.score import SHEET_LINES

from .events import Tiebreak


class Reason(Enum):
    """Why a game ended the way it did."""

    MOST_COINS = "most coins"
    TIEBREAK = "tie-break: highest dice"
    SHARED = "shared: no tied player has a die left"
    FOOL = "The Fool"
    PETTY = "The Petty"
    AFFLUENT = "The Affluent"
    MAGNIFICENT = "The Magnificent"
    ILLEGAL = "broken off by an illegal action"


TITLES = ((0, Reason.FOOL), (30, Reason.PETTY), (40, Reason.AFFLUENT), (50, Reason.MAGNIFICENT))
"""The titles of a single player, each after the fewest coins that earn it."""


class Outcome(NamedTuple):
    """How a game ended."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: Reason
    tiebreak: tuple[Tiebreak, ...] = ()
    """The rounds of the tie-break, as far as they are known."""

    def __str__(self) -> str:
        if self.reason is Reason.ILLEGAL:
            return str(self.reason.value)
        if len(self.scores) == 1:
            return f"{self.scores[0]} coins: {self.reason.value}"
        winners = " and ".join(f"seat {seat}" for seat in self.winners)
        scores = ", ".join(map(str, self.scores))
        return f"{winners} {'win' if len(self.winners) > 1 else 'wins'} ({scores}; {self.reason.value})"

    def _repr_html_(self) -> str:
        """Return the scores as a table for a notebook."""
        from crypt_env.drawing.tables import html_table

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
        from crypt_env.drawing.tables import html_table

        return html_table("", (*self._fields, "total"), [tuple(map(str, (*self, self.total)))])


def winners_of(state: np.void) -> tuple[int, ...]:
    """Return the seats that win a game, or are still tied in it."""
    return tuple(seat for seat in range(state["players"]) if state["winners"] >> seat & 1)


def sheets_of(states: NDArray[np.void]) -> tuple[Sheet, ...]:
    """Return every player's score sheet in a game, given as an array of one row."""
    sheets = np.zeros((1, MAX_PLAYERS, len(SHEET_LINES)), np.int16)
    sheet_rows(states, 0, 1, sheets)
    return tuple(Sheet(*lines) for lines in sheets[0, : states["players"][0]].tolist())


def outcome_of(state: np.void, tiebreak: tuple[Tiebreak, ...] = ()) -> Outcome:
    """Return how a game that is over ended."""
    scores, winners = tuple(state["scores"][: state["players"]].tolist()), winners_of(state)
    return Outcome(scores, winners, _end_reason(scores, winners), tiebreak)


def _end_reason(scores: tuple[int, ...], winners: tuple[int, ...]) -> Reason:
    """Return why a game with these scores ended with these winners; a game that was broken off has none."""
    if not winners:
        return Reason.ILLEGAL
    if len(scores) == 1:
        return solo_reason(scores[0])
    if len(winners) > 1:
        return Reason.SHARED
    return Reason.TIEBREAK if scores.count(max(scores)) > 1 else Reason.MOST_COINS


def solo_reason(coins: int) -> Reason:
    """Return the title that a solo score earns."""
    return [title for least, title in TITLES if coins >= least][-1]
