"""The agent that plays uniformly random legal actions."""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import DRAW

from .base import Actions, Agent, Decisions


class RandomAgent(Agent):
    """Leaves the choice to the game's own random generator."""

    name = "random"

    def act(self, decisions: Decisions) -> Actions:
        """Have every game draw its action."""
        return np.full(len(decisions.masks), DRAW, np.int64)
