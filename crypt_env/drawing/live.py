"""What environments render: text, pixels, or a board that changes in place while one watches."""

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
"""Seconds for which a board is shown at least, where somebody watches."""
CLEAR = "\x1b[H\x1b[2J"


def render(states: NDArray[np.void], mode: str) -> str | NDArray[np.uint8] | None:
    """Draw a game, given as one row of `Batch.states`, as everybody sees it.

    Returns:
        The text of the board for "ansi", its picture for "rgb_array" (uint8 [480, 640, 3]). For any other mode nothing:
        the board is shown, see `show`.

    Raises:
        CryptError: the game was not dealt yet, or there is no Pillow for the picture.
    """
    scene = scenes_of_states(states)[0]
    if mode == "ansi":
        return draw_text(scene)
    if mode == "rgb_array":
        return draw_pixels(scene)
    show(scene)
    return None


def show(scene: Scene) -> None:
    """Show a scene: in a notebook as a picture, in a terminal as text, each in the place of the one before.

    There each stays for half a second at least. Elsewhere the text is printed, and an empty line.
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
    """Return whether the terminal knows colours and the user has not switched them off."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _notebook() -> Any:
    """Return the notebook that this runs in, or None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell if getattr(shell, "kernel", None) is not None else None


class _Watched:
    """What was shown last: when, and in which cell of a notebook."""

    def __init__(self) -> None:
        """Nothing was shown yet."""
        self._shown = -_PACE
        self._cell: object = None
        self._handle: Any = None

    def wait(self) -> None:
        """Wait until the last board was shown for long enough."""
        time.sleep(max(0.0, self._shown + _PACE - time.monotonic()))
        self._shown = time.monotonic()

    def show_in_cell(self, scene: Scene, shell: Any) -> None:
        """Show a scene where the last one of this cell is, or else below what the cell has shown."""
        cell = (shell, shell.execution_count)
        if self._handle is None or cell != self._cell:
            self._cell = cell
            self._handle = import_module("IPython.display").display(scene, display_id=True)
        else:
            self._handle.update(scene)


_WATCHED = _Watched()
