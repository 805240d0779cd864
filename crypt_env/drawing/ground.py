"""The static part of the picture: the wall of the Crypt with its niches, the Collectors, the rows.

It depends on few parameters, so only a few large sprites are cached.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import hypot

from crypt_env.rules.cards import KIND_NAMES, KINDS

from .pieces import CARD_WIDTH, chip, exhausted_die
from .plan import (
    COLLECTORS_HEIGHT,
    HEAD_WIDTH,
    HEADER_HEIGHT,
    HEADER_TOP,
    HEIGHT,
    INSIDE,
    LEDGE_HEIGHT,
    MARGIN,
    POOL_HEIGHT,
    SMALL,
    WIDTH,
    Plan,
)
from .shapes import Circle, Path, Point, Put, Rect, Shape, Sprite, Text, fitting
from .symbols import put_symbol, tinted
from .themes import KIND_COLOURS
from .words import COLLECTORS

_BRICK_WIDTH, _BRICK_HEIGHT = 78, 34
KEYSTONE_WIDTH = 46

_LETTERS = (
    ("M78 26 C64 4 20 6 20 50 C20 94 64 96 78 74", 92),
    ("M24 90 L24 10 L50 10 C80 10 80 52 50 52 L24 52 M50 52 L78 90", 92),
    ("M16 10 L47 50 L78 10 M47 50 L47 90", 90),
    ("M24 90 L24 10 L52 10 C84 10 84 56 52 56 L24 56", 88),
    ("M12 10 L80 10 M46 10 L46 90", 84),
)
"""The letters of the name, each with its width."""


@cache
def ground(plan: Plan, has_ghost: bool, has_crypt: bool) -> Sprite:
    """Return the static part; at the end of a game the wall has no niches."""
    shapes: list[Shape] = [Rect(0, 0, WIDTH, HEIGHT, "page")]
    shapes += _name()
    shapes.append(
        Rect(MARGIN + HEAD_WIDTH, HEADER_TOP, INSIDE - HEAD_WIDTH, HEADER_HEIGHT, "panel", 10, "panel_edge", 2)
    )
    shapes += _wall(plan, has_crypt)
    if has_crypt:
        for slot in range(plan.slots):
            shapes += _niche(plan, slot)
    for seat in range(plan.seats):
        shapes += _row(plan, plan.row_top(seat), plan.row_height, not (has_ghost and seat))
    shapes += _row(plan, plan.pool_top, POOL_HEIGHT, True)
    return Sprite(WIDTH, HEIGHT, tuple(shapes))


def _name() -> Iterator[Shape]:
    """Yield the name of the game between two torches."""
    torch = tinted("torch", "ink")
    left = MARGIN + 38.0
    yield put_symbol(torch, MARGIN + 18, HEADER_TOP + 26, 50)
    for data, width in _LETTERS:
        yield Put(Sprite(width, 100, (Path(data, "", "ink", 13),)), left, HEADER_TOP + 8, 0.38)
        left += width * 0.38
    yield put_symbol(torch, left + 16, HEADER_TOP + 26, 50)


# -- the Crypt --------------------------------------------------------------------------------------------------------


def _wall(plan: Plan, has_torches: bool) -> Iterator[Shape]:
    """Yield a wall of bricks, lit by torches if there is room for any."""
    top, height = plan.crypt_top, plan.crypt_height
    torches = plan.torches if has_torches else ()
    yield Rect(MARGIN, top, INSIDE, height, "mortar", 10)
    bricks: dict[str, list[str]] = {}
    for row in range(int(height // _BRICK_HEIGHT) + 1):
        upper = top + 4 + row * _BRICK_HEIGHT
        lower = min(upper + _BRICK_HEIGHT - 3, top + height - 4)
        for place in range(int(INSIDE // _BRICK_WIDTH) + 2):
            left = max(MARGIN + 4, MARGIN + _BRICK_WIDTH * (place - 0.5 * (row % 2)))
            right = min(MARGIN + INSIDE - 4, MARGIN + _BRICK_WIDTH * (place + 1 - 0.5 * (row % 2)) - 3)
            if right > left and lower > upper:
                colour = _brick((left + right) / 2, (upper + lower) / 2, row * 7 + place * 5, torches)
                corners = f"M{left} {upper} L{right} {upper} L{right} {lower} L{left} {lower} Z"
                bricks.setdefault(colour, []).append(corners)
    for colour, paths in bricks.items():
        yield Path(" ".join(paths), colour)
    for x, y in torches:
        yield put_symbol(tinted("torch", "ink"), x, y, 104)


def _brick(x: float, y: float, number: int, torches: tuple[Point, ...]) -> str:
    """Return the colour of a brick, brighter near a torch."""
    distance = min((hypot(x - torch_x, y - torch_y + 30) for torch_x, torch_y in torches), default=1000.0)
    if distance < 75:
        return "glow_high"
    if distance < 165:
        return "glow"
    return "wall_high" if number % 11 in (0, 4, 7) else "wall"


def _niche(plan: Plan, slot: int) -> Iterator[Shape]:
    """Yield the niche of a slot with its number, and the ledge below it."""
    middle, top = plan.slot_middle(slot), plan.crypt_top + 10
    half = CARD_WIDTH * plan.card_scale / 2 + 11
    bottom = plan.ledge_top + 4
    for grow, colour in ((6, "niche_edge"), (0, "niche"), (-5, "niche_deep")):
        left, right, upper = middle - half - grow, middle + half + grow, top + 6 - grow
        yield Path(
            f"M{left} {bottom} L{left} {upper + 40} C{left} {upper + 8} {left + 24} {upper} {middle} {upper} "
            f"C{right - 24} {upper} {right} {upper + 8} {right} {upper + 40} L{right} {bottom} Z",
            colour,
        )
    width = max(plan.slot_width - 14, 2 * half + 16)
    yield Rect(middle - width / 2, plan.ledge_top, width, LEDGE_HEIGHT, "ledge", 8, "niche_edge", 2.5)
    yield Put(keystone(slot, False), middle - KEYSTONE_WIDTH / 2, top - 8)


@cache
def keystone(slot: int, is_closed: bool) -> Sprite:
    """Return the stone with the number of a slot; paler if the claiming seat has passed the slot."""
    fill, ink = ("wall", "niche_edge") if is_closed else ("ledge", "wall_ink")
    return Sprite(
        KEYSTONE_WIDTH,
        30,
        (
            Path("M3 2 L43 2 L38 28 L8 28 Z", fill, "niche_edge", 2.5),
            Text(KEYSTONE_WIDTH / 2, 22, str(slot), SMALL, ink, "middle", True),
        ),
    )


# -- the rows ---------------------------------------------------------------------------------------------------------


@cache
def collector(kind: int, side: int, width: float) -> Sprite:
    """Return a Collector as a column head: its type, its side and its effect."""
    name = KIND_COLOURS[kind]
    symbol = tinted(name, f"{name}_back_main", f"{name}_back_shade", f"{name}_back_light")
    size = fitting(KIND_NAMES[kind], 21, width - 70, is_bold=True)
    shapes: list[Shape] = [
        Rect(1, 1, width - 2, COLLECTORS_HEIGHT - 2, "panel", 9, "panel_edge", 2),
        Rect(0, 0, width, 44, f"{name}_back", 9),
        Rect(0, 24, width, 20, f"{name}_back"),
        put_symbol(symbol, 20, 22, 32),
        Text(40, 29, KIND_NAMES[kind], size, f"{name}_back_light", "start", True),
        Circle(width - 16, 22, 12.5, f"{name}_back_light"),
        Text(width - 16, 29, "AB"[side], SMALL, f"{name}_back_shade", "middle", True),
    ]
    lines = COLLECTORS[kind][side]
    for line, words in enumerate(lines):
        height = 94.5 - 12.5 * len(lines) + 25 * line
        shapes.append(Text(width / 2, height, words, fitting(words, SMALL, width - 8), "ink", "middle"))
    return Sprite(width, COLLECTORS_HEIGHT, tuple(shapes))


def _row(plan: Plan, top: float, height: float, has_columns: bool) -> Iterator[Shape]:
    """Yield the background of a row."""
    yield Rect(MARGIN, top, INSIDE, height, "panel", 9, "panel_edge", 2)
    if has_columns:
        lefts = [plan.column_left(kind) for kind in range(KINDS)]
        lines = [f"M{left} {top + 8} L{left} {top + height - 8}" for left in lefts]
        yield Path(" ".join(lines), "", "panel_edge", 2)


@cache
def legend() -> Sprite:
    """Return the legend of the signs in the rows."""
    muted = tinted("flipped", "muted")
    return Sprite(
        HEAD_WIDTH,
        80,
        (
            Put(chip(4, 3, True), 2, 0, 0.63),
            Text(30, 19, "open", SMALL, "ink"),
            Put(chip(4, 0, False), 108, 0, 0.63),
            Text(134, 19, "hidden", SMALL, "ink"),
            put_symbol(muted, 12, 39, 24),
            Text(30, 46, "flipped", SMALL, "ink"),
            put_symbol(exhausted_die(0), 118, 39, 24),
            Text(134, 46, "exhausted", SMALL, "ink"),
            put_symbol(tinted("torch", "ink"), 12, 66, 28),
            Text(30, 73, "Leader", SMALL, "ink"),
            put_symbol(tinted("lights_out", "ink"), 118, 66, 28),
            Text(134, 73, "Lights Out", SMALL, "ink"),
        ),
    )
