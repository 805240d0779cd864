"""Tianshou's PPO learns the Only Child: masks travel inside the observation, and the actor obeys them.

Usage: python examples/tianshou_ppo.py [decisions]  (needs Tianshou 2: pip install 'tianshou>=2')
"""

import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn
from torch.distributions import Categorical

import crypt_env  # registers the environments

DECISIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
GAMES, STEPS = 32, 2048
torch.manual_seed(1)
np.random.seed(1)  # noqa: NPY002 - Tianshou shuffles with numpy's global generator
torch.set_num_threads(1)


class WithMask(gymnasium.ObservationWrapper):
    """Adds the mask to the observation, because Tianshou's policies see observations alone."""

    def observation(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Return both."""
        return {"obs": observation, "mask": self.get_wrapper_attr("action_masks")()}


class Network(nn.Module):
    """The actor, whose logits are very low where an action is not legal; or the critic."""

    def __init__(self, outputs: int) -> None:
        """Make the layers."""
        super().__init__()
        hidden = (nn.Linear(crypt_env.FEATURES, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.layers = nn.Sequential(*hidden, nn.Linear(128, outputs))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> Any:
        """Return the logits and, as Tianshou expects it, the state of a recurrent network; or the values."""
        outputs = self.layers(torch.as_tensor(obs.obs, dtype=torch.float32))
        is_actor = outputs.shape[1] == crypt_env.ACTIONS
        return (outputs.masked_fill(~torch.as_tensor(obs.mask), -1e8), state) if is_actor else outputs


def games(count: int, dense: bool, first: int = 0) -> DummyVectorEnv:
    """Return games of the Only Child; each has a number of its own, so all are different."""
    make = [lambda i=i: WithMask(gymnasium.make("crypt_env/OnlyChild-v0", dense=dense, index=i)) for i in range(count)]
    envs = DummyVectorEnv(make)
    envs.seed([first] * count)
    return envs


space = gymnasium.make("crypt_env/OnlyChild-v0").action_space
policy = ProbabilisticActorPolicy(
    actor=Network(crypt_env.ACTIONS),
    dist_fn=lambda logits: Categorical(logits=logits),
    action_space=space,
    action_scaling=False,
)
algorithm = PPO(policy=policy, critic=Network(1), optim=AdamOptimizerFactory(lr=1e-3), max_grad_norm=0.5, gamma=1.0)
training = Collector(algorithm, games(GAMES, dense=True, first=1), VectorReplayBuffer(STEPS, GAMES))
testing = Collector(algorithm, games(GAMES, dense=False, first=2))
before = testing.collect(n_episode=256, reset_before_collect=True).returns.mean()
algorithm.run_training(
    OnPolicyTrainerParams(
        training_collector=training,
        max_epochs=1,
        epoch_num_steps=DECISIONS,
        collection_step_num_env_steps=STEPS,
        update_step_num_repetitions=4,
        batch_size=512,
        test_step_num_episodes=0,
        show_progress=False,
        verbose=False,
    )
)
after = testing.collect(n_episode=256, reset_before_collect=True).returns.mean()
print(f"mean coins of 256 games: {before:.1f} before, {after:.1f} after {DECISIONS:,} decisions")
