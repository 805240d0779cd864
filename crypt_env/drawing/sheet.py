"""The score sheet, which replaces the Crypt when a game is over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from crypt_env.notation.outcome import TITLES, Reason, solo_reason
from crypt_env.rules.score import SHEET_LINES

from .pieces import badge, plate
from .plan import INSIDE, MARGIN, Plan
from .shapes import Put, Text
from .symbols import put_symbol, tinted
from .themes import KIND_COLOURS
from .words import subject

if TYPE_CHECKING:
    from .scene import Ending, Scene

_NAME_WIDTH = 238
_HEADS = 62
_TITLES = 106
"""Height of the titles that a single player can earn."""


def sheet_items(scene: Scene, plan: Plan) -> Iterator[Put | Text]:
    """Yield the sheet: a line for each player, a column for each source of coins, and the total."""
    ending = scene.ending
    if ending is None:
        return
    left, lines = MARGIN + 20, len(ending.sheets)
    titles = _TITLES if scene.players == 1 else 0
    step = min(90.0, (plan.crypt_height - 40 - _HEADS - titles) / lines)
    height = _HEADS + step * lines + 6 + titles
    top = plan.crypt_top + (plan.crypt_height - height) / 2
    yield Put(plate(INSIDE - 40, height, "panel", "niche_edge", 3, 12), left, top)
    yield from _heads(left, top + 10)
    for place in range(lines):
        yield from _line(scene, ending, place, left, top + _HEADS + step * place, step)
    if titles:
        earned = solo_reason(sum(ending.sheets[0])) if ending.winners else None  # none if the game was broken off
        yield from _titles(earned, left + 20, top + _HEADS + step + 14)


def _column(left: float, number: int) -> float:
    width = (INSIDE - 40 - _NAME_WIDTH) / (len(SHEET_LINES) + 1)
    return left + _NAME_WIDTH + (number + 0.5) * width


def _heads(left: float, top: float) -> Iterator[Put | Text]:
    """Yield the heads of the columns: symbols for the Collectors, words for the rest."""
    for number, line in enumerate((*SHEET_LINES, "total")):
        middle = _column(left, number)
        if line in KIND_COLOURS:
            symbol = tinted(line, f"{line}_main", f"{line}_shade", f"{line}_light")
            yield put_symbol(symbol, middle, top + 22, 40, line.capitalize())
        else:
            yield Text(middle, top + 31, line.capitalize(), 22, "ink", "middle", True)


def _line(scene: Scene, ending: Ending, place: int, left: float, top: float, height: float) -> Iterator[Put | Text]:
    seat = scene.seats[place]
    is_winner = place in ending.winners and scene.players > 1
    if is_winner:
        yield Put(plate(INSIDE - 56, height - 4, "panel_mover", "accent", 2, 8), left + 8, top)
        crown = tinted("crown", "gold", "gold_dark", "gold_light")
        yield put_symbol(crown, left + _NAME_WIDTH - 18, top + height / 2 - 3, 36)
    baseline = top + height / 2 + 6
    yield put_symbol(badge(seat.owner, seat.label), left + 38, top + height / 2 - 2, min(44, height - 8))
    yield Text(left + 70, baseline, subject(scene, place), 24, "ink", "start", is_winner)
    for number, coins in enumerate(ending.sheets[place]):
        colour = "ink" if coins else "muted"
        yield Text(_column(left, number), baseline, str(coins) if coins else "-", 24, colour, "middle")
    yield Text(_column(left, len(SHEET_LINES)), baseline + 2, str(sum(ending.sheets[place])), 30, "ink", "middle", True)


def _titles(earned: Reason | None, left: float, top: float) -> Iterator[Put | Text]:
    """Yield the titles that a single player can earn, the earned one marked."""
    width = (INSIDE - 80) / len(TITLES)
    starts = [least for least, _ in TITLES]
    words = [f"{least} to {more - 1} coins" for least, more in pairwise(starts)] + [f"{starts[-1]} coins and more"]
    for number, ((_, title), coins) in enumerate(zip(TITLES, words, strict=True)):
        is_own = title is earned
        x = left + number * width
        yield Put(plate(width - 12, 76, "panel_mover" if is_own else "page", "accent" if is_own else "", 3, 10), x, top)
        middle = x + (width - 12) / 2
        yield Text(middle, top + 33, title.value, 26, "ink" if is_own else "muted", "middle", True)
        yield Text(middle, top + 60, coins, 21, "ink" if is_own else "muted", "middle")
