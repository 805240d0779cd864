"""A game as an animated GIF."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from crypt_env.errors import CryptError

from .draw import draw_pixels
from .scene import Scene

_LAST = 4
"""How many times longer the last picture is shown."""
_SAMPLES = 8
"""How many pictures the colours are taken from: not all of them are in the first one."""


def draw_gif(
    scenes: Sequence[Scene], width: int = 640, height: int = 480, dark: bool = False, seconds: float = 0.7
) -> bytes:
    """Return scenes as an animated GIF that loops forever.

    Raises:
        CryptError: there are no scenes, the size is not possible, or Pillow is not installed.
    """
    if not scenes:
        raise CryptError("nothing to draw: there are no scenes")
    pictures = [draw_pixels(scene, width, height, dark) for scene in scenes]
    from PIL import Image

    sample = np.concatenate(pictures[:: -(-len(pictures) // _SAMPLES)])
    palette = Image.fromarray(sample).quantize(method=Image.Quantize.FASTOCTREE)
    first, *rest = (Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures)
    pause = round(seconds * 1000)
    pauses = [pause] * (len(pictures) - 1) + [pause * _LAST]
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=rest, duration=pauses, loop=0, optimize=False)
    return file.getvalue()
