"""The agent that plays any legal action, each equally likely."""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import DRAW

from .base import Actions, Agent, Decisions


class RandomAgent(Agent):
    """Leaves the choice to the game's own generator."""

    name = "random"

    def act(self, decisions: Decisions) -> Actions:
        """Have an action drawn in every game."""
        return np.full(len(decisions.masks), DRAW, np.int64)
