"""Writes pictures as SVG: one element for each shape, without ids, so that many can share a page."""

from __future__ import annotations

from html import escape
from weakref import WeakKeyDictionary

from .shapes import Circle, Path, Put, Rect, Shape, Sprite, Text, commands, text_width
from .themes import THEMES

_FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"
_SET_FROM = 4
"""Texts of at least this many letters are stretched to the width that the layout expects, in any font."""


def svg_of(picture: Sprite, dark: bool, width: int, label: str) -> str:
    """Return a picture as an SVG document, shown at a width unless the page says otherwise.

    Args:
        picture: what to write.
        dark: in the dark theme.
        width: in pixels of the page.
        label: a description in words.
    """
    height = round(width * picture.height / picture.width)
    content = _content(picture, dark)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(picture.width)} {_number(picture.height)}" '
        f'width="{width}" height="{height}" font-family="{_FONT}" role="img" '
        f'aria-label="{escape(label)}" style="max-width:100%;height:auto">{content}</svg>\n'
    )


def _number(value: float) -> str:
    """Return a number with up to two decimals, as short as possible."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _element(shape: Shape, dark: bool) -> str:
    if isinstance(shape, Put):
        return _group(shape, dark)
    if isinstance(shape, Text):
        return _text(shape, dark)
    paint = _paint(shape, dark)
    if isinstance(shape, Path):
        return f'<path d="{_path(shape.data)}"{paint}/>'
    place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
    if isinstance(shape, Circle):
        return f'<circle c{place.replace(" y=", " cy=")} r="{_number(shape.radius)}"{paint}/>'
    round_corners = f' rx="{_number(shape.radius)}"' if shape.radius else ""
    return f'<rect {place} width="{_number(shape.width)}" height="{_number(shape.height)}"{round_corners}{paint}/>'


def _paint(shape: Rect | Circle | Path, dark: bool) -> str:
    paint = f' fill="{THEMES[dark][shape.fill] if shape.fill else "none"}"'
    if shape.stroke and shape.line:
        paint += f' stroke="{THEMES[dark][shape.stroke]}" stroke-width="{_number(shape.line)}"'
        paint += ' stroke-linecap="round" stroke-linejoin="round"' if isinstance(shape, Path) else ""
    return paint


def _path(data: str) -> str:
    """Return path data without needless spaces."""
    return "".join(name + " ".join(f"{_number(x)} {_number(y)}" for x, y in points) for name, points in commands(data))


def _text(shape: Text, dark: bool) -> str:
    attributes = f'x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}"'
    if shape.anchor != "start":
        attributes += f' text-anchor="{shape.anchor}"'
    if shape.is_bold:
        attributes += ' font-weight="700"'
    if len(shape.text) >= _SET_FROM:
        length = 0.97 * text_width(shape.text, shape.size, shape.is_bold)
        attributes += f' textLength="{_number(length)}"'
        attributes += ' lengthAdjust="spacingAndGlyphs"'
    return f'<text {attributes} fill="{THEMES[dark][shape.fill]}">{escape(shape.text)}</text>'


def _group(put: Put, dark: bool) -> str:
    """Return a placed sprite; its title shows on hover."""
    move = f"translate({_number(put.x)} {_number(put.y)})" if put.x or put.y else ""
    turn = f"scale({put.scale:.4g})" if put.scale != 1 else ""
    transform = f' transform="{move}{turn}"' if move or turn else ""
    title = f"<title>{escape(put.title)}</title>" if put.title else ""
    return f"<g{transform}>{title}{_content(put.sprite, dark)}</g>"


_WRITTEN: WeakKeyDictionary[Sprite, dict[bool, str]] = WeakKeyDictionary()
"""Cached elements of sprites, by theme."""


def _content(sprite: Sprite, dark: bool) -> str:
    written = _WRITTEN.setdefault(sprite, {})
    if dark not in written:
        written[dark] = "".join(_element(shape, dark) for shape in sprite.shapes)
    return written[dark]
