"""MaskablePPO learns the Only Child: 256 games at once, with masks, in about a minute.

Usage: python examples/maskable_ppo.py [decisions]  (needs the extra "train": pip install '.[train]' in the sources)
"""

import sys

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from crypt_env.envs.sb3 import SeatVecEnv

decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
torch.set_num_threads(1)  # more threads do not help small networks, and hurt when other programs are running

games = SeatVecEnv(256, players=1, dense=True)
model = MaskablePPO("MlpPolicy", games, n_steps=64, batch_size=2048, n_epochs=4, ent_coef=0.01, seed=1)
untrained, _ = evaluate_policy(model, SeatVecEnv(64, players=1), n_eval_episodes=256)
model.learn(decisions)
trained, _ = evaluate_policy(model, SeatVecEnv(64, players=1), n_eval_episodes=256)
print(f"mean coins of 256 games: {untrained:.1f} before, {trained:.1f} after {model.num_timesteps:,} decisions")
model.save("only_child_ppo")  # MaskablePPO.load("only_child_ppo", env=games) continues from here
