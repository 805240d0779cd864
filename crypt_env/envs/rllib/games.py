"""The games of a runner: N of them, in which one policy plays all seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from crypt_env.batch import Batch
from crypt_env.envs.spaces import ActionSpace, observations
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.batch import Arrays, new_arrays
from crypt_env.table import Table

OBSERVATIONS, MASK = "observations", "action_mask"
"""The entries of an observation, named as in the action-masking examples of RLlib."""
TABLE = ("players", "collectors", "leader", "reward", "dense")
"""The entries of ``env_config``: the arguments of `Table`."""


def masked_observations() -> spaces.Dict:
    """Return the space of what a seat may know and do."""
    return spaces.Dict({OBSERVATIONS: observations(), MASK: spaces.Box(0, 1, (ACTIONS,), np.int8)})


class SelfPlayGames:
    """N games side by side, for `SelfPlayRunner`: this class is the ``env`` of its configuration.

    With several numbers of players, each has an equal part of the games.
    """

    def __init__(self, config: Mapping[str, Any], games: int = 1, first_index: int = 0) -> None:
        """Prepare the games; `deal` deals them.

        Args:
            config: ``env_config``: the arguments of a `Table`, all optional.
            games: how many.
            first_index: the number of the first one among the games of a seed.

        Raises:
            CryptError: an entry is not known or not possible.
        """
        unknown = [name for name in config if name not in TABLE]
        if unknown:
            raise CryptError(f"env_config has {quoted(unknown[0])}; allowed are {', '.join(TABLE)}")
        entries = dict(config)
        players = Table(**entries).players
        if not isinstance(players, int):
            entries["players"] = [players[game % len(players)] for game in range(games)]
        self.num_envs = games
        self.batch = Batch.at(Table(**entries), games, first_index=first_index)
        self.now: Arrays = new_arrays(games)
        self.single_observation_space, self.single_action_space = masked_observations(), ActionSpace(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, games)
        self.action_space = batch_space(self.single_action_space, games)

    @property
    def unwrapped(self) -> SelfPlayGames:
        """Return itself: there is no wrapper."""
        return self

    def deal(self, seed: int) -> None:
        """Deal the games of a seed from the start."""
        self.now = self.batch.reset(seed)

    def step(self, actions: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        """Play an action in each game; `now` is then what the next movers know."""
        self.now = self.batch.step(actions)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
