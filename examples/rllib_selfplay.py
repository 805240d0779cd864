"""Self-play with RLlib: learn a game, write the network to a file, and let it play in the arena.

    python examples/rllib_selfplay.py [decisions] [players]

After half a million decisions, half a minute on an idle core, it earns some 46 coins alone, where random play earns 27.
"""

import sys
import tempfile
from pathlib import Path

import ray
import torch

from crypt_env.arena import play_match, round_robin
from crypt_env.envs.rllib import export_network, ppo_config

decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
players = int(sys.argv[2]) if len(sys.argv) > 2 else 1

torch.set_num_threads(1)  # more threads do not help small networks, and hurt when other programs are running
ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
config = ppo_config(
    players,
    reward="coins" if players == 1 else "margin",
    dense=True,
    reward_scale=0.1,
    gae_lambda=0.8,
    learning_rate=2e-3,
    widths=[128, 128],
    decisions=decisions,
)
algorithm = config.build_algo()  # .env_runners(num_env_runners=8) plays in eight processes, also on a cluster
played = 0
while played < decisions:
    result = algorithm.train()["env_runners"]
    played = int(result["num_env_steps_sampled_lifetime"])
    print(f"{played:9,} decisions: mean return {result.get('episode_return_mean', float('nan')):.2f}")

with tempfile.TemporaryDirectory() as folder:
    export_network(Path(folder) / "mine", algorithm)
    agent = f"net:{folder}/mine"
    if players == 1:
        print(f"coins: {round_robin([agent, 'random'], 1, 1024, 'even', 1).solos[0].coins.value:.1f}")
    else:
        print(f"against greedy: {play_match(agent, 'greedy', players, 1024, 'even', 1).share.value:.1%} of the wins")
algorithm.stop()
ray.shutdown()
