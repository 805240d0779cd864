"""Draws a scene as text for a terminal of 80 columns.

A ready die is an ``o``, an exhausted one an ``x``. A card whose value is not public is a ``?``; its value is in
brackets if the viewer has seen it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from crypt_env.errors import counted
from crypt_env.rules.cards import KIND_LETTERS, KIND_NAMES
from crypt_env.rules.score import SHEET_LINES

from .words import ENDED, ROLLING

if TYPE_CHECKING:
    from .scene import Card, Scene, Seat, Slot

WIDTH = 80

_PHASES = {
    "before": "before the Claim",
    "claim": "Claim",
    "after": "after the Claim",
    "collect": "Collect",
    ROLLING: "dice are rolled",
}
_OWNER_CODES = ("94", "91", "93", "95", "37")
"""Terminal codes for the colours of the seats and the Ghost."""


def draw_text(scene: Scene, color: bool = False) -> str:
    """Return a scene as text; with terminal colours if requested."""
    lines = [*_headlines(scene), ""]
    lines += _sheet(scene, color) if scene.ending else _crypt(scene, color)
    lines.append("")
    for place in range(len(scene.seats)):
        lines += _seat(scene, place, color)
    return "\n".join(lines)


def _name(scene: Scene, place: int) -> str:
    """Return what a seat is called within a sentence."""
    return scene.seats[place].name


def _painted(text: str, scene: Scene, place: int, color: bool) -> str:
    """Return a text in the colour of a seat."""
    return f"\x1b[{_OWNER_CODES[scene.seats[place].owner]}m{text}\x1b[0m" if color and text else text


# -- the head ---------------------------------------------------------------------------------------------------------


def _headlines(scene: Scene) -> list[str]:
    """Return the table and the round, and whose turn it is."""
    words = [f"Crypt, {counted(scene.players, 'player')}", f"Collectors {scene.sides}"]
    words.append(f"round {scene.round} of {scene.rounds}")
    if scene.phase != ENDED:
        words.append(f"Leader: {_name(scene, scene.leader)}")
    return [", ".join(words), *wrap(_turn(scene), WIDTH)]


def _turn(scene: Scene) -> str:
    """Return whose turn it is, or how the game ended."""
    if scene.phase == ENDED:
        return f"the game is over: {scene.ending.words}" if scene.ending else "the game is over"
    if scene.phase == "answer" and scene.taker is not None:
        verb = "take" if _name(scene, scene.taker) == "you" else "takes"
        phase = f"{_name(scene, scene.taker)} {verb} the card in slot {scene.taking}"
    else:
        phase = _PHASES[scene.phase] + ", Lights Out" * scene.is_lights_out
    if scene.mover is None:
        return phase
    asked = f"; which card is flipped for {scene.payment.action!r}?" if scene.payment else ""
    return f"{phase}: {_name(scene, scene.mover)} to decide{asked}"


# -- the Crypt --------------------------------------------------------------------------------------------------------


def _crypt(scene: Scene, color: bool) -> Iterator[str]:
    """Yield the Crypt as a table with a column for each slot, split in two if it is too wide, and the deck."""
    columns = [(str(number), *_slot(scene, slot)) for number, slot in enumerate(scene.slots)]
    widths = [max(map(len, column)) for column in columns]
    is_wide = 6 + sum(widths) + 2 * len(widths) > WIDTH
    step = (len(columns) + 1) // 2 if is_wide else len(columns)
    for first in range(0, len(columns), step):
        shown = range(first, min(first + step, len(columns)))
        for row, head in enumerate(("slot", "card", "dice")):
            cells = [_cell(scene, columns[slot][row].center(widths[slot]), slot, row, color) for slot in shown]
            yield f"  {head}  {'  '.join(cells)}".rstrip()
        if is_wide:
            yield ""
    count = sum(scene.deck)
    top = f", {KIND_NAMES[scene.top]} on top" if scene.top is not None else ""
    yield f"  deck  {counted(count, 'card')}{top}"


def _slot(scene: Scene, slot: Slot) -> tuple[str, str]:
    """Return the card and the dice of a slot."""
    card = f"{KIND_NAMES[slot.card.kind]} {_value(slot.card)}" if slot.card else "-"
    dice = f"{slot.dice.number}x{slot.dice.effort} {_name(scene, slot.dice.seat)}" if slot.dice else ""
    return card, dice


def _cell(scene: Scene, text: str, slot: int, row: int, color: bool) -> str:
    """Return a cell of the table, its dice in their owner's colour."""
    dice, words = scene.slots[slot].dice, text.strip()
    return text.replace(words, _painted(words, scene, dice.seat, color)) if dice and row == 2 else text


def _value(card: Card) -> str:
    if card.is_public:
        return str(card.value)
    return f"({card.value})" if card.value else "?"


# -- the seats --------------------------------------------------------------------------------------------------------


def _seat(scene: Scene, place: int, color: bool) -> Iterator[str]:
    """Yield the lines of a seat: its dice and its collection."""
    seat = scene.seats[place]
    width = max(7, *(len(other.name) for other in scene.seats))
    mark = ">" if place == scene.mover else " "
    dice = "o" * seat.ready + "x" * seat.exhausted
    start = _painted(f"{mark} {seat.name:<{width}} {dice:<3}", scene, place, color)
    if place >= scene.players:
        yield start
        return
    first, *more = _lines(_collection(seat), WIDTH - width - 8) or ["no cards"]
    yield f"{start}  {first}"
    for line in more:
        yield " " * (width + 8) + line


def _lines(parts: Sequence[str], width: int) -> list[str]:
    """Return texts joined on as few lines as possible."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 2 + len(part) <= width:
            lines[-1] += "  " + part
        else:
            lines.append(part)
    return lines


def _collection(seat: Seat) -> list[str]:
    """Return the cards of a seat by type: their values, and how many are flipped."""
    words = []
    for kind, cards in enumerate(seat.collection):
        if cards:
            flipped = f" ({seat.flipped[kind]} flipped)" if seat.flipped[kind] else ""
            words.append(KIND_LETTERS[kind] + "".join(map(_value, cards)) + flipped)
    return words + [f"+{seat.idol_bonus} coins from Idol B"] * bool(seat.idol_bonus)


def _sheet(scene: Scene, color: bool) -> Iterator[str]:
    if scene.ending is None:
        return
    heads = (*SHEET_LINES, "total")
    width = max(7, *(len(seat.name) for seat in scene.seats[: scene.players]))
    yield " ".join([" " * (width + 2), *heads])
    for place, coins in enumerate(scene.ending.sheets):
        mark = "*" if place in scene.ending.winners and scene.players > 1 else " "
        start = _painted(f"{mark} {_name(scene, place):<{width}}", scene, place, color)
        cells = [f"{number:>{len(head)}}" for number, head in zip((*coins, sum(coins)), heads, strict=True)]
        yield " ".join([start, *cells])
