"""Draws scenes: as text, SVG, pixels and animated GIFs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.table import checked_number, positive

from .board import picture_of
from .pixels import pixels_of
from .shapes import Put, Rect, Sprite
from .svg import svg_of
from .text import draw_text
from .words import headline

if TYPE_CHECKING:
    from .scene import Scene

__all__ = ["draw_gif", "draw_grid", "draw_pixels", "draw_svg", "draw_text"]

_GRID_GAP = 24
_LAST = 4
"""How many times longer an animation shows its last picture."""
_LONGEST = 100
"""Limit of the seconds for a picture; a GIF cannot store ten minutes."""
_SAMPLES = 8
"""How many pictures the colours are taken from: not all of them are in the first one."""


def draw_svg(scene: Scene, dark: bool = False, width: int = 800) -> str:
    """Return a scene as an SVG document, ``width`` pixels wide unless the page shrinks it.

    Raises:
        CryptError: the width is not possible.
    """
    return svg_of(picture_of(scene), dark, positive("width", width), headline(scene))


def draw_pixels(scene: Scene, width: int = 640, height: int = 480, dark: bool = False) -> NDArray[np.uint8]:
    """Return a scene as an image, uint8 [height, width, 3]: as large as fits, centered.

    Raises:
        CryptError: the size is not possible, or Pillow is not installed.
    """
    return pixels_of(picture_of(scene), width, height, dark)


def draw_grid(scenes: Sequence[Scene], dark: bool = False, width: int = 1000) -> str:
    """Return several scenes as one SVG document, row by row.

    Raises:
        CryptError: there are no scenes, or the width is not possible.
    """
    _check_any(scenes)
    pictures = [picture_of(scene) for scene in scenes]
    columns = ceil(sqrt(len(pictures)))
    step_x, step_y = pictures[0].width + _GRID_GAP, pictures[0].height + _GRID_GAP
    size = (columns * step_x + _GRID_GAP, ceil(len(pictures) / columns) * step_y + _GRID_GAP)
    places = [divmod(number, columns) for number in range(len(pictures))]
    boards = [
        Put(picture, _GRID_GAP + column * step_x, _GRID_GAP + row * step_y)
        for picture, (row, column) in zip(pictures, places, strict=True)
    ]
    grid = Sprite(*size, (Rect(0, 0, *size, "mortar"), *boards))
    return svg_of(grid, dark, positive("width", width), " ".join(map(headline, scenes)))


def draw_gif(
    scenes: Sequence[Scene], width: int = 640, height: int = 480, dark: bool = False, seconds: float = 0.7
) -> bytes:
    """Return scenes as an animated GIF that loops forever, each shown for ``seconds``, 0 to 100.

    Raises:
        CryptError: there are no scenes, the size or the time is not possible, or Pillow is not installed.
    """
    _check_any(scenes)
    pause = round(checked_number("seconds", seconds, 0, _LONGEST) * 1000)
    pictures = [draw_pixels(scene, width, height, dark) for scene in scenes]
    from PIL import Image

    sample = np.concatenate(pictures[:: -(-len(pictures) // _SAMPLES)])
    palette = Image.fromarray(sample).quantize(method=Image.Quantize.FASTOCTREE)
    first, *rest = (Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures)
    pauses = [pause] * (len(pictures) - 1) + [pause * _LAST]
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=rest, duration=pauses, loop=0, optimize=False)
    return file.getvalue()


def _check_any(scenes: Sequence[Scene]) -> None:
    if not scenes:
        raise CryptError("nothing to draw: there are no scenes")
