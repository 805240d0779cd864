"""Self-play in a minute: one network in both seats, exported to a file that plays without torch.

Usage: python examples/self_play.py [decisions]  (needs the extra "train": pip install '.[train]' in the sources)
"""

import sys

import torch

from crypt_env.agents import make_agent
from crypt_env.arena import play_match
from crypt_env.ppo import FastMaskablePPO, Linear, SelfPlayVecEnv, export_network, trunk

decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
torch.set_num_threads(1)  # the trainer runs two threads of its own

games = SelfPlayVecEnv(256, players=2, reward="margin", dense=True, seed=1)
model = FastMaskablePPO(
    "MlpPolicy",
    games,
    learning_rate=Linear(1e-3),
    n_steps=64,
    batch_size=2048,
    n_epochs=3,
    gamma=1.0,
    gae_lambda=0.9,
    ent_coef=0.01,
    reward_scale=0.1,
    policy_kwargs=trunk([2], [128, 128]),
    seed=1,
)
model.learn(decisions)

export_network("mine", model.policy, players=[2], name="mine")
mine = make_agent("net:./mine")  # the file mine.safetensors; numpy is enough to play it
for opponent in ("random", "greedy"):
    share = play_match(mine, opponent, players=2, games=1024, collectors="even").share
    print(f"{share.value:.1%} of the wins against {opponent} after {model.num_timesteps:,} decisions")
