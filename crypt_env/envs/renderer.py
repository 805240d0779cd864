"""Rendering for all environments: as text, as pixels, or live."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted

RENDER_MODES = ("ansi", "rgb_array", "human")


class Renderer:
    """Draws the games of an environment in its render mode."""

    def __init__(self, mode: str | None) -> None:
        """Check a render mode.

        Raises:
            CryptError: the mode is not known.
        """
        if mode is not None and not (isinstance(mode, str) and mode in RENDER_MODES):
            raise CryptError(
                f"render_mode={quoted(mode)} is not known; allowed are {', '.join(map(repr, RENDER_MODES))}, None"
            )
        self.mode = mode

    def has_mode(self, requested: str | None = None) -> bool:
        """Return whether rendering is possible, in the requested mode if given; warn if not."""
        if self.mode is not None and requested in (None, self.mode):
            return True
        missing = "a render_mode" if requested is None else f"render_mode={quoted(requested)}"
        gymnasium.logger.warn(f"render() shows nothing: the environment was made without {missing}")
        return False

    def boards(self, states: NDArray[np.void], is_dealt: bool, mode: str | None = None) -> tuple[Any, ...]:
        """Return the boards of games in a mode, by default the renderer's; "human" shows the first and returns nothing.

        Raises:
            CryptError: the games were not dealt yet, or Pillow is missing.
        """
        if not is_dealt:
            raise CryptError("nothing to render: no game was dealt yet; call reset()")
        from crypt_env.drawing import render

        mode = mode or self.mode or ""
        if mode == "human":
            render(states[:1], mode)
            return ()
        return tuple(render(states[row : row + 1], mode) for row in range(len(states)))

    def board(self, states: NDArray[np.void], is_dealt: bool) -> Any:
        """Return the board of the only game; None if it is shown instead, or without a mode."""
        boards = self.boards(states, is_dealt) if self.has_mode() else ()
        return boards[0] if boards else None
