"""AgileRL's PPO learns the Only Child: its rollouts read the masks of the vector environment as they are.

Usage: python examples/agilerl_ppo.py [decisions]  (in an environment of its own: pip install . agilerl peft)
"""

import sys

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts import collect_rollouts

import crypt_env  # noqa: F401 - registers the environments

DECISIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
GAMES, STEPS = 32, 2048
torch.manual_seed(1)
np.random.seed(1)  # noqa: NPY002 - AgileRL shuffles with numpy's global generator
torch.set_num_threads(1)


def mean_coins(agent: PPO, games: int = 256) -> float:
    """Return what the agent collects: the coins of the first game in each row."""
    envs = gymnasium.make_vec("crypt_env/OnlyChild-v0", games)
    observations, infos = envs.reset(seed=2)
    coins, is_playing = np.zeros(games), np.ones(games, bool)
    while is_playing.any():
        actions = agent.get_action(observations, action_mask=infos["action_mask"])[0]
        observations, rewards, ends, _, infos = envs.step(actions)
        coins += rewards * is_playing
        is_playing &= ~ends
    return float(coins.mean())


envs = gymnasium.make_vec("crypt_env/OnlyChild-v0", GAMES, dense=True)
envs = gymnasium.wrappers.vector.TransformReward(envs, lambda coins: 0.1 * coins)
envs.reset(seed=1)
agent = PPO(
    envs.single_observation_space,
    envs.single_action_space,
    net_config={"encoder_config": {"hidden_size": [128, 128]}, "head_config": {"hidden_size": [64]}},
    batch_size=256,
    lr=1e-3,
    learn_step=STEPS,
    gamma=1.0,
    num_envs=GAMES,
    share_encoders=False,
)
before = mean_coins(agent)
position = {}  # where the last rollout stopped
for _ in range(max(1, DECISIONS // STEPS)):
    _, *last = collect_rollouts(agent, envs, **position)
    position = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), last, strict=True))
    agent.learn()
print(f"mean coins of 256 games: {before:.1f} before, {mean_coins(agent):.1f} after {DECISIONS:,} decisions")
