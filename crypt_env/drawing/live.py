"""Rendering for environments: text, pixels, or a board that updates in place."""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .draw import draw_pixels, draw_text
from .scene import Scene, scenes_of_states

_PACE = 0.5
"""Minimum seconds that a board is shown to a viewer."""
CLEAR = "\x1b[H\x1b[2J"


def render(states: NDArray[np.void], mode: str) -> str | NDArray[np.uint8] | None:
    """Draw the public view of a game, given as one row of `Batch.states`.

    Returns:
        The text of the board for "ansi", its picture for "rgb_array" (uint8 [480, 640, 3]). For any other mode nothing:
        the board is shown, see `show`.

    Raises:
        CryptError: the game was not dealt yet, or Pillow is missing.
    """
    scene = scenes_of_states(states)[0]
    if mode == "ansi":
        return draw_text(scene)
    if mode == "rgb_array":
        return draw_pixels(scene)
    show(scene)
    return None


def show(scene: Scene) -> None:
    """Show a scene: as a picture in a notebook, as text in a terminal, each replacing the one before.

    Each stays for at least half a second. Elsewhere the text is printed, followed by an empty line.
    """
    shell = _notebook()
    if shell is not None:
        _WATCHED.wait()
        _WATCHED.show_in_cell(scene, shell)
    elif sys.stdout.isatty():
        _WATCHED.wait()
        print(CLEAR + draw_text(scene, has_colors()), flush=True)
    else:
        print(draw_text(scene), end="\n\n", flush=True)


def has_colors() -> bool:
    """Return whether the terminal supports colours and the user has not disabled them."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _notebook() -> Any:
    """Return the notebook that this code runs in, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell if getattr(shell, "kernel", None) is not None else None


class _Watched:
    """When a board was last shown, and in which notebook cell."""

    def __init__(self) -> None:
        self._shown = -_PACE
        self._cell: object = None
        self._handle: Any = None

    def wait(self) -> None:
        """Wait until the last board has been shown for long enough."""
        time.sleep(max(0.0, self._shown + _PACE - time.monotonic()))
        self._shown = time.monotonic()

    def show_in_cell(self, scene: Scene, shell: Any) -> None:
        """Replace the last scene of this cell, or append to the output of a new cell."""
        cell = (shell, shell.execution_count)
        if self._handle is None or cell != self._cell:
            self._cell = cell
            self._handle = import_module("IPython.display").display(scene, display_id=True)
        else:
            self._handle.update(scene)


_WATCHED = _Watched()
