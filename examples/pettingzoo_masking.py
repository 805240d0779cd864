"""PettingZoo with action masking: MaskablePPO of Stable-Baselines3 learns on the AEC environment, one game at a time.

Usage: python examples/pettingzoo_masking.py [decisions]  (needs the extra "train": pip install '.[train]')

PettingZoo's tutorial has one model play all seats in turn, and gives each action what its agent was paid in that very
step. Cards are paid for when a round is over, mostly in another seat's step, so a model taught like that does not learn
Crypt. Here `step` goes on until the learner is asked again, and `last` returns all that it was paid since.
"""

import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from pettingzoo import AECEnv
from sb3_contrib import MaskablePPO

from crypt_env import crypt_v0

DECISIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
torch.set_num_threads(1)


class OneSeat(gymnasium.Env):
    """One agent of an AEC environment; the others play at random."""

    def __init__(self, env: AECEnv) -> None:
        """Take the spaces of any agent: they are all the same."""
        self.env, self.mine, self._games = env, env.possible_agents[0], 0
        self.observation_space = env.observation_space(self.mine)["observation"]
        self.action_space = env.action_space(self.mine)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Deal a game; the learner sits in another seat each time."""
        self.env.reset(seed=seed, options=options)
        self._games += 1
        self.mine = self.env.possible_agents[self._games % len(self.env.possible_agents)]
        return self._next()[0], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Play, and go on until the learner is asked again."""
        self.env.step(action)
        return *self._next(), {}

    def _next(self) -> tuple[np.ndarray, float, bool, bool]:
        """Play the others; return what the learner sees, what it was paid, and whether the game is over."""
        for agent in self.env.agent_iter():
            seen, reward, termination, truncation, _ = self.env.last()
            if agent == self.mine:
                self._mask = seen["action_mask"]
                return seen["observation"], reward, termination, truncation
            over = termination or truncation
            self.env.step(None if over else self.env.action_space(agent).sample(seen["action_mask"]))
        raise AssertionError("every agent gets a last observation")

    def action_masks(self) -> np.ndarray:
        """Return what is legal: MaskablePPO asks for it by this name."""
        return self._mask


def wins(model: MaskablePPO, games: int = 200) -> float:
    """Return how many games the model wins against random actions."""
    env, won = OneSeat(crypt_v0.env(players=2)), 0
    for game in range(games):
        seen, _ = env.reset(seed=game)
        over = False
        while not over:
            action, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=True)
            seen, reward, over, _, _ = env.step(action)
        won += reward > 0
    return won / games


table = crypt_v0.env(players=2, reward="margin", dense=True)
table.action_space("player_0").seed(1), table.action_space("player_1").seed(2)
model = MaskablePPO(
    "MlpPolicy", OneSeat(table), learning_rate=1e-3, gamma=1.0, n_steps=1024, batch_size=128, n_epochs=5, seed=1
)
before = wins(model)
model.learn(DECISIONS)
print(f"{before:.1%} of the wins against random before, {wins(model):.1%} after {DECISIONS:,} decisions")
