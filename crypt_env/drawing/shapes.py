"""The building blocks of pictures: a few flat shapes, coloured by names from a theme.

A `Sprite` is a finished piece in its own box, such as the face of a card; pictures place sprites. Everything is plain
data: `svg` writes it, `pixels` rasterises it, and neither knows what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

Point = tuple[float, float]

CURVE_STEPS = 10
"""Line segments per curve when rasterising."""


class Rect(NamedTuple):
    """A rectangle, its corners rounded by a radius."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0
    stroke: str = ""
    line: float = 0


class Circle(NamedTuple):
    """A circle around a point."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str = ""
    line: float = 0


class Path(NamedTuple):
    """Lines and curves: SVG's path data with the absolute commands M, L, Q, C and Z alone. Ends are round."""

    data: str
    fill: str
    stroke: str = ""
    line: float = 0


class Text(NamedTuple):
    """One line of text; `y` is its baseline, `x` its start, middle or end."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "start"
    is_bold: bool = False


@dataclass(frozen=True, eq=False)
class Sprite:
    """A piece in its own box. Its texts are drawn above all its other shapes."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


class Put(NamedTuple):
    """A placed sprite: its upper left corner, its scale, and a description in words."""

    sprite: Sprite
    x: float
    y: float
    scale: float = 1
    title: str = ""


Shape: TypeAlias = Rect | Circle | Path | Text | Put


# -- paths ------------------------------------------------------------------------------------------------------------

_COMMAND = re.compile(r"([MLQCZ])([\d\s.,-]*)")
_POINTS = {"M": 1, "L": 1, "Q": 2, "C": 3, "Z": 0}


def commands(data: str) -> Iterator[tuple[str, list[Point]]]:
    """Yield the commands of a path and their points; one command may be followed by several sets of points.

    Raises:
        ValueError: the path has other commands, or a command does not have all its points.
    """
    if _COMMAND.sub("", data).strip():
        raise ValueError(f"not a path of M, L, Q, C and Z: {data!r}")
    for name, numbers in _COMMAND.findall(data):
        values = [float(number) for number in numbers.replace(",", " ").split()]
        points = list(zip(values[::2], values[1::2], strict=True))
        count = _POINTS[name]
        if (count == 0) != (not points) or (count and len(points) % count):
            raise ValueError(f"{name} with {len(points)} points in the path {data!r}")
        for start in range(0, max(1, len(points)), max(1, count)):
            yield name, points[start : start + count]


@lru_cache(maxsize=512)
def outlines(data: str) -> tuple[tuple[tuple[Point, ...], bool], ...]:
    """Return the parts of a path as polylines, and whether each part is closed."""
    parts: list[tuple[tuple[Point, ...], bool]] = []
    points: list[Point] = []
    for name, given in commands(data):
        if name == "M":
            parts += [(tuple(points), False)] if points else []
            points = []
        if name == "Z":
            parts.append((tuple(points), True))
            points = []
        elif len(given) == 1:
            points += given
        else:
            points += _curve([points[-1], *given])
    return (*parts, (tuple(points), False)) if points else tuple(parts)


def _curve(handles: list[Point]) -> list[Point]:
    """Return points of a Bezier curve, without the first."""
    return [_between(handles, step / CURVE_STEPS) for step in range(1, CURVE_STEPS + 1)]


def _between(handles: list[Point], share: float) -> Point:
    """Return the point at a parameter of a Bezier curve."""
    while len(handles) > 1:
        handles = [(x + (to_x - x) * share, y + (to_y - y) * share) for (x, y), (to_x, to_y) in pairwise(handles)]
    return handles[0]


# -- widths of texts --------------------------------------------------------------------------------------------------

_WIDTHS = {
    0.24: "' ,.:;ij·",
    0.29: "!l|-I]`f",
    0.34: '()/[\\t{}"r',
    0.48: "sz",
    0.52: "?_xvy",
    0.56: "ack*Je",
    0.59: "#$+0123456789<=>FL^~EPSYZhnou",
    0.64: "KRTbdgpqABVX&",
    0.72: "CUDGN",
    0.75: "%HOQ",
    0.88: "w@mM",
    0.96: "W",
}
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}


def text_width(text: str, size: float, is_bold: bool = False) -> float:
    """Return the approximate width of a text, rather too large than too small."""
    return size * sum(_WIDTH_OF.get(letter, 0.75) + 0.02 * is_bold for letter in text)


def fitting(text: str, size: float, width: float, is_bold: bool = False) -> float:
    """Return the largest size, up to the given one, at which a text fits a width."""
    return round(size * min(1.0, width / max(1.0, text_width(text, size, is_bold))), 1)
