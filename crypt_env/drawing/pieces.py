"""The pieces on the table as sprites: cards, chips for the cards of a collection, dice, badges, coins."""

from __future__ import annotations

from functools import cache

from crypt_env.rules.cards import KIND_NAMES

from .shapes import Circle, Path, Put, Rect, Shape, Sprite, Text, fitting
from .symbols import BOX, PIPS, put_symbol, tinted
from .themes import GHOST, KIND_COLOURS

CARD_WIDTH, CARD_HEIGHT = 150, 210
CHIP_WIDTH, CHIP_HEIGHT = 32, 38

_PIP_ROOM = ((1.0, 50.0), (0.86, 50.0), (0.82, 50.0), (0.86, 44.0), (0.84, 46.0))
"""By owner: the space for pips on a die, and the height of their center."""


# -- cards ------------------------------------------------------------------------------------------------------------


@cache
def card(kind: int, value: int, is_face_down: bool) -> Sprite:
    """Return a card of the Crypt; a value of 0 is unknown."""
    return _back(kind, value) if is_face_down else _face(kind, value)


def _face(kind: int, value: int) -> Sprite:
    name = KIND_COLOURS[kind]
    shapes: list[Shape] = [
        Rect(2, 2, CARD_WIDTH - 4, CARD_HEIGHT - 4, "face", 12, f"{name}_shade", 3),
        Rect(9, 9, CARD_WIDTH - 18, CARD_HEIGHT - 18, "", 7, "face_edge", 2),
        Rect(2, 170, CARD_WIDTH - 4, 38, f"{name}_main", 10),
        Rect(2, 170, CARD_WIDTH - 4, 14, f"{name}_main"),
        put_symbol(tinted(name, f"{name}_main", f"{name}_shade", f"{name}_light"), CARD_WIDTH / 2 + 4, 95, 100),
        *(
            Circle(CARD_WIDTH / 2 + 8 + 18 * (n - (value - 1) / 2) - 4, 158, 6, "gold", "gold_dark", 2)
            for n in range(value)
        ),
        *_coin(30, 31, str(value)),
        _card_name(kind, "face"),
    ]
    return Sprite(CARD_WIDTH, CARD_HEIGHT, tuple(shapes))


def _back(kind: int, value: int) -> Sprite:
    """Return a card's back, with its value for viewers who have seen it."""
    name = KIND_COLOURS[kind]
    symbol = tinted(name, f"{name}_back_main", f"{name}_back_shade", f"{name}_back_light")
    value_shapes = (
        _coin(30, 31, str(value))
        if value
        else [
            Circle(30, 31, 19, f"{name}_back", f"{name}_back_light", 3),
            Text(30, 42, "?", 32, f"{name}_back_light", "middle", True),
        ]
    )
    return Sprite(
        CARD_WIDTH,
        CARD_HEIGHT,
        (
            Rect(2, 2, CARD_WIDTH - 4, CARD_HEIGHT - 4, f"{name}_back", 12, f"{name}_back_shade", 3),
            Path("M75 12 L138 105 L75 198 L12 105 Z", "", f"{name}_back_edge", 2.5),
            Rect(9, 9, CARD_WIDTH - 18, CARD_HEIGHT - 18, "", 7, f"{name}_back_edge", 3),
            Rect(20, 172, CARD_WIDTH - 40, 30, f"{name}_back"),
            put_symbol(symbol, CARD_WIDTH / 2, 105, 92),
            *value_shapes,
            _card_name(kind, f"{name}_back_light"),
        ),
    )


def _card_name(kind: int, colour: str) -> Text:
    return Text(CARD_WIDTH / 2, 198, KIND_NAMES[kind], 24, colour, "middle", True)


def _coin(x: float, y: float, text: str) -> list[Shape]:
    return [
        Circle(x, y, 20, "gold", "gold_dark", 3),
        Circle(x, y, 15.5, "", "gold_light", 2),
        Text(x, y + 11, text, 32, "face_ink", "middle", True),
    ]


@cache
def chip(kind: int, value: int, is_public: bool) -> Sprite:
    """Return a card of a collection, small; a value of 0 is unknown."""
    name = KIND_COLOURS[kind]
    box = Rect(1.5, 1.5, CHIP_WIDTH - 3, CHIP_HEIGHT - 3, "face", 5, f"{name}_shade", 2.5)
    colour = "face_ink"
    if not is_public:
        box = box._replace(fill=f"{name}_back", stroke=f"{name}_back_edge")
        colour = f"{name}_back_light"
    return Sprite(
        CHIP_WIDTH,
        CHIP_HEIGHT,
        (
            box,
            Text(CHIP_WIDTH / 2, CHIP_HEIGHT / 2 + 9, str(value or "?"), 26, colour, "middle", True),
        ),
    )


# -- dice and seats ---------------------------------------------------------------------------------------------------


@cache
def die(owner: int, effort: int, is_failed: bool = False) -> Sprite:
    """Return a die on a card; one that failed has its owner's colour only on its edge."""
    colour, pip = f"owner{owner}", f"owner{owner}_pip"
    body = tinted(f"die{owner}", colour, "shadow") if not is_failed else tinted(f"die{owner}", "face", colour)
    room, middle = _PIP_ROOM[owner]
    pips = [
        Circle(50 + (x - 50) * room, middle + (y - 50) * room, 9.5, "face_ink" if is_failed else pip)
        for x, y in PIPS[effort]
    ]
    return Sprite(BOX, BOX, (Put(body, 0, 0), *pips))


@cache
def ready_die(owner: int) -> Sprite:
    """Return a die that can be placed."""
    middle = _PIP_ROOM[owner][1]
    servant = tinted("servant", f"owner{owner}_pip")
    return Sprite(
        BOX, BOX, (Put(tinted(f"die{owner}", f"owner{owner}", "shadow"), 0, 0), put_symbol(servant, 50, middle - 2, 74))
    )


@cache
def exhausted_die(owner: int) -> Sprite:
    """Return an exhausted die."""
    middle = _PIP_ROOM[owner][1]
    cross = tinted("cross", "muted")
    return Sprite(BOX, BOX, (Put(tinted(f"die{owner}", "spent", "muted"), 0, 0), put_symbol(cross, 50, middle, 90)))


@cache
def badge(owner: int, label: str) -> Sprite:
    """Return the sign of a seat: the shape of its dice with its label."""
    body = Put(tinted(f"die{owner}", f"owner{owner}", "shadow"), 0, 0)
    if owner == GHOST:
        return Sprite(
            BOX, BOX, (body, Circle(35, 42, 8, "shadow"), Circle(65, 42, 8, "shadow"), Circle(50, 63, 7, "shadow"))
        )
    size = fitting(label, 62, 68, is_bold=True)
    text = Text(50, _PIP_ROOM[owner][1] + size * 0.35, label, size, f"owner{owner}_pip", "middle", True)
    return Sprite(BOX, BOX, (body, text))


# -- plates -----------------------------------------------------------------------------------------------------------


@cache
def plate(width: float, height: float, fill: str, stroke: str = "", line: float = 0, radius: float = 10) -> Sprite:
    """Return a plain rectangle with rounded corners and an inner border."""
    inset = line / 2 if stroke else 0
    box = Rect(inset, inset, width - 2 * inset, height - 2 * inset, fill, radius, stroke, line)
    return Sprite(width, height, (box,))
