"""How all environments render: as text, as pixels, or shown while somebody watches."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted

RENDER_MODES = ("ansi", "rgb_array", "human")


class Renderer:
    """Draws the games of an environment in the mode that it was made for."""

    def __init__(self, mode: str | None) -> None:
        """Check a render mode.

        Raises:
            CryptError: it is not known.
        """
        if mode is not None and not (isinstance(mode, str) and mode in RENDER_MODES):
            raise CryptError(
                f"render_mode={quoted(mode)} is not known; allowed are {', '.join(map(repr, RENDER_MODES))}, None"
            )
        self.mode = mode

    def has_mode(self, wish: str | None = None) -> bool:
        """Return whether something can be rendered, in the mode that is wished if there is one; warn if not."""
        if self.mode is not None and wish in (None, self.mode):
            return True
        missing = "a render_mode" if wish is None else f"render_mode={quoted(wish)}"
        gymnasium.logger.warn(f"render() shows nothing: the environment was made without {missing}")
        return False

    def boards(self, states: NDArray[np.void], is_dealt: bool, mode: str | None = None) -> tuple[Any, ...]:
        """Return the boards of games in a mode, the own one if not given; "human" shows the first and returns nothing.

        Raises:
            CryptError: the games were not dealt yet, or there is no Pillow for pixels.
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
        """Return the board of the only game; None if it is shown instead, or there is no mode."""
        boards = self.boards(states, is_dealt) if self.has_mode() else ()
        return boards[0] if boards else None
