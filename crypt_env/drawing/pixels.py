"""Draws pictures as pixels with Pillow, without a display or system fonts.

Sprites and texts are rasterised once for each size and theme and then pasted; a frame pastes about a hundred of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted
from crypt_env.table import is_whole

from .shapes import Circle, Path, Point, Put, Rect, Shape, Sprite, Text, outlines
from .themes import THEMES

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

SMALLEST, LARGEST = 64, 4096
"""Limits of width and height, in pixels."""

_FINE = 4
"""Supersampling factor: shapes are rasterised larger and then reduced."""
_FINE_PIXELS = 1_500_000
"""Larger sprites are rasterised at half of that."""
_REGULAR, _BOLD = 0.008, 0.035
"""Stroke added around letters, by font size."""


class _Raster(NamedTuple):
    """A rasterised sprite, and its mask; fully opaque if there is none."""

    image: Image.Image
    mask: Image.Image | None


class _Word(NamedTuple):
    """A rasterised text and its offset from the anchor."""

    mask: Image.Image
    x: int
    y: int


def pixels_of(picture: Sprite, width: int, height: int, dark: bool) -> NDArray[np.uint8]:
    """Return a picture, made only of sprites and texts, as an image: uint8 [height, width, 3].

    It is as large as fits, centered.

    Raises:
        CryptError: the size is not possible, or Pillow is not installed.
    """
    _check_size(width, height)
    image_module = _pillow()
    scale = min(width / picture.width, height / picture.height)
    left, top = (width - picture.width * scale) / 2, (height - picture.height * scale) / 2
    image = image_module.new("RGB", (width, height), THEMES[dark]["page"])
    for shape in picture.shapes:
        if isinstance(shape, Put):
            raster = _rasterised(shape.sprite, scale * shape.scale, dark)
            image.paste(raster.image, (round(left + shape.x * scale), round(top + shape.y * scale)), raster.mask)
        elif isinstance(shape, Text):
            _paste_text(image, shape, left, top, scale, dark)
    return np.asarray(image).copy()


def _check_size(width: int, height: int) -> None:
    """Raise CryptError unless this is an allowed size."""
    for name, length in (("width", width), ("height", height)):
        if not is_whole(length) or not SMALLEST <= length <= LARGEST:
            raise CryptError(
                f"{name}={quoted(length)} is not possible; allowed are whole numbers from {SMALLEST} to {LARGEST}"
            )


def _pillow() -> ModuleType:
    try:
        from PIL import Image, features
    except ImportError as error:
        raise CryptError("drawing pixels needs Pillow; run pip install pillow") from error
    if not features.check("freetype2"):
        raise CryptError("drawing pixels needs a Pillow that was built with FreeType; run pip install pillow")
    return Image


# -- sprites ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _rasterised(sprite: Sprite, scale: float, dark: bool) -> _Raster:
    """Return a sprite as an image; the rest stays transparent."""
    from PIL import Image, ImageDraw

    width, height = max(1, round(sprite.width * scale)), max(1, round(sprite.height * scale))
    fine = _FINE if width * height <= _FINE_PIXELS else _FINE // 2
    image = Image.new("RGBA", (width * fine, height * fine))
    pen = _Pen(ImageDraw.Draw(image), THEMES[dark])
    texts: list[tuple[Text, float, float, float]] = []
    for shape, x, y, by in _flat(sprite, 0, 0, scale):
        if isinstance(shape, Text):
            texts.append((shape, x, y, by))
        else:
            pen.draw(shape, x * fine, y * fine, by * fine)
    image = image.reduce(fine)
    for text, x, y, by in texts:
        _paste_text(image, text, x, y, by, dark)
    mask = image.getchannel("A")
    is_full = mask.getextrema() == (255, 255)
    return _Raster(image.convert("RGB"), None if is_full else mask)


def _flat(sprite: Sprite, x: float, y: float, scale: float) -> Iterator[tuple[Shape, float, float, float]]:
    """Yield all shapes of a sprite and of its nested sprites, with the position and scale of their box."""
    for shape in sprite.shapes:
        if isinstance(shape, Put):
            yield from _flat(shape.sprite, x + shape.x * scale, y + shape.y * scale, scale * shape.scale)
        else:
            yield shape, x, y, scale


class _Pen:
    """Draws shapes onto an image."""

    def __init__(self, draw: ImageDraw.ImageDraw, colours: dict[str, str]) -> None:
        self._pen = draw
        self._colours = colours

    def draw(self, shape: Shape, x: float, y: float, scale: float) -> None:
        """Draw a shape of a box with this corner and scale."""
        if isinstance(shape, Rect):
            self._rect(shape, x, y, scale)
        elif isinstance(shape, Circle):
            self._circle(shape, x, y, scale)
        elif isinstance(shape, Path):
            self._path(shape, x, y, scale)

    def _box(
        self, shape: Rect | Circle, left: float, top: float, right: float, bottom: float, radius: float, line: float
    ) -> None:
        """Draw a rectangle with rounded corners; half of its border is outside."""
        outside = line / 2 if shape.stroke else 0
        x, y = round(left - outside), round(top - outside)
        self._pen.rounded_rectangle(
            (x, y, max(x, round(right + outside) - 1), max(y, round(bottom + outside) - 1)),
            radius + outside if radius else 0,
            self._colours[shape.fill] if shape.fill else None,
            self._colours[shape.stroke] if outside else None,
            max(1, round(line)),
        )

    def _rect(self, shape: Rect, x: float, y: float, scale: float) -> None:
        left, top = x + shape.x * scale, y + shape.y * scale
        right, bottom = left + shape.width * scale, top + shape.height * scale
        self._box(shape, left, top, right, bottom, shape.radius * scale, shape.line * scale)

    def _circle(self, shape: Circle, x: float, y: float, scale: float) -> None:
        outside = shape.line / 2 if shape.stroke else 0
        middle_x, middle_y, radius = x + shape.x * scale, y + shape.y * scale, (shape.radius + outside) * scale
        self._pen.ellipse(
            (middle_x - radius, middle_y - radius, middle_x + radius, middle_y + radius),
            self._colours[shape.fill] if shape.fill else None,
            self._colours[shape.stroke] if outside else None,
            max(1, round(shape.line * scale)),
        )

    def _path(self, shape: Path, x: float, y: float, scale: float) -> None:
        """Draw a path: its parts are filled, then all lines drawn."""
        parts = [
            ([(x + left * scale, y + top * scale) for left, top in points], is_closed)
            for points, is_closed in outlines(shape.data)
        ]
        if shape.fill:
            for points, _ in parts:
                self._pen.polygon(points, self._colours[shape.fill])
        if shape.stroke and shape.line:
            for points, is_closed in parts:
                self._line(points + points[:2] * is_closed, self._colours[shape.stroke], shape.line * scale)

    def _line(self, points: list[Point], colour: str, width: float) -> None:
        """Draw lines with rounded ends."""
        self._pen.line(points, colour, max(1, round(width)), "curve")
        radius = width / 2
        for x, y in (points[0], points[-1]):
            self._pen.ellipse((x - radius, y - radius, x + radius, y + radius), colour)


# -- texts ------------------------------------------------------------------------------------------------------------


def _paste_text(image: Image.Image, text: Text, x: float, y: float, scale: float, dark: bool) -> None:
    """Draw a text of a box with this corner and scale."""
    word = _word(text.text, round(text.size * scale * 4) / 4, text.anchor, text.is_bold)
    place = (round(x + text.x * scale) + word.x, round(y + text.y * scale) + word.y)
    image.paste(THEMES[dark][text.fill], (*place, place[0] + word.mask.width, place[1] + word.mask.height), word.mask)


@lru_cache(maxsize=2048)
def _word(text: str, size: float, anchor: str, is_bold: bool) -> _Word:
    """Return a text as a mask."""
    from PIL import Image, ImageDraw

    font = _font(size * _FINE)
    line = round(size * _FINE * (_BOLD if is_bold else _REGULAR))
    where = {"start": "ls", "middle": "ms", "end": "rs"}[anchor]
    box = font.getbbox(text, anchor=where, stroke_width=line)
    left, top = int(box[0] // _FINE) - 1, int(box[1] // _FINE) - 1
    width, height = int(box[2] // _FINE) + 2 - left, int(box[3] // _FINE) + 2 - top
    mask = Image.new("L", (width * _FINE, height * _FINE))
    ImageDraw.Draw(mask).text((-left * _FINE, -top * _FINE), text, 255, font, where, stroke_width=line)
    return _Word(mask.reduce(_FINE), left, top)


@lru_cache(maxsize=128)
def _font(size: float) -> ImageFont.FreeTypeFont:
    """Return Pillow's built-in font, always with the same layout engine."""
    from PIL import ImageFont

    font = cast("ImageFont.FreeTypeFont", ImageFont.load_default(max(1.0, size)))
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)
