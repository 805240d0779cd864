"""The artwork: every symbol as shapes in a box of 100 x 100, with tones instead of colours. It is in artwork.json.

The tones are ``main``, ``shade``, ``light`` and, for parts with a fixed colour, names of a theme's colours. `tinted`
gives a symbol its colours; `symbols_json` exports everything for other programs.
"""

from __future__ import annotations

import json
from functools import cache

from .shapes import Circle, Path, Put, Rect, Shape, Sprite
from .themes import ARTWORK

BOX: int = ARTWORK["box"]
Symbol = tuple[Rect | Circle | Path, ...]

_SHAPES: dict[str, type[Rect] | type[Circle] | type[Path]] = {"rect": Rect, "circle": Circle, "path": Path}

SYMBOLS: dict[str, Symbol] = {
    name: tuple(_SHAPES[shape["shape"]](**{key: shape[key] for key in shape if key != "shape"}) for shape in shapes)
    for name, shapes in ARTWORK["symbols"].items()
}
PIPS: tuple[tuple[tuple[float, float], ...], ...] = tuple(
    tuple((x, y) for x, y in result) for result in ARTWORK["pips"]
)
"""The positions of the pips on a die, for each result."""


@cache
def tinted(name: str, main: str, shade: str = "", light: str = "") -> Sprite:
    """Return a symbol in colours of a theme."""
    colours = {"main": main, "shade": shade or main, "light": light or main}
    return Sprite(BOX, BOX, tuple(_coloured(shape, colours) for shape in SYMBOLS[name]))


def _coloured(shape: Rect | Circle | Path, colours: dict[str, str]) -> Shape:
    """Return a shape with colours for its tones."""
    return shape._replace(fill=colours.get(shape.fill, shape.fill), stroke=colours.get(shape.stroke, shape.stroke))


def put_symbol(sprite: Sprite, x: float, y: float, size: float, title: str = "") -> Put:
    """Return a symbol centered on a point, with a given width."""
    return Put(sprite, x - size / 2, y - size / 2, size / sprite.width, title)


def symbols_json() -> str:
    """Return all symbols and pips as JSON: lists of shapes, each with its kind and what `shapes` says of it."""
    symbols = {
        name: [{"shape": type(shape).__name__.lower(), **shape._asdict()} for shape in symbol]
        for name, symbol in SYMBOLS.items()
    }
    return json.dumps({"format": "crypt-symbols/1", "box": BOX, "symbols": symbols, "pips": PIPS}, indent=1) + "\n"
