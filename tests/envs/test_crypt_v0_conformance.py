"""`crypt_v0` passes every conformance check, for every number of players, with and without its wrappers."""

import copy
from typing import Any

import numpy as np

from crypt_env import crypt_v0
from crypt_env.rules.resample import resample_rows
from crypt_env.testing import ConformanceTests


def redeal_unknown(env: Any, agent: str) -> Any:
    """Return a copy in which everything that the agent cannot know is re-dealt."""
    env = copy.deepcopy(env)
    raw = env.unwrapped
    content = raw.__getstate__()
    viewers = np.array([int(agent.removeprefix("player_"))], np.int8)
    resample_rows(content["_batch"], 0, 1, viewers, np.array([7], np.uint64))
    raw.__setstate__(content)
    return env


class Conforms(ConformanceTests):
    """What all of the following classes share."""

    __test__ = False
    players = 2
    zero_sum = True
    games = 2
    tries = 600

    def make_env(self) -> Any:
        """Return an environment with the usual wrappers."""
        return crypt_v0.env(players=self.players)

    def hidden(self, env: Any, agent: str) -> Any:
        """Return an environment that differs only in what the agent cannot know; at the end all is known."""
        return None if env.unwrapped.terminations[agent] else redeal_unknown(env, agent)


class TestOnlyChild(Conforms):
    """One player against the Ghost: coins, not a zero-sum game."""

    __test__ = True
    players = 1
    zero_sum = False


class TestTwoPlayers(Conforms):
    """Two players."""

    __test__ = True


class TestThreePlayersRaw(Conforms):
    """Three players without wrappers: an illegal action is refused with an error."""

    __test__ = True
    players = 3
    illegal = "raise"

    def make_env(self) -> Any:
        """Return the environment itself."""
        return crypt_v0.raw_env(players=self.players)


class TestFourPlayersDense(Conforms):
    """Four players, paid in coins as soon as they are certain."""

    __test__ = True
    players = 4
    zero_sum = False

    def make_env(self) -> Any:
        """Return an environment that pays early."""
        return crypt_v0.env(players=self.players, reward="coins", dense=True)
