"""TorchRL's PPO learns the Only Child: its environment is the batch of games, with masks for `MaskedCategorical`.

Usage: python examples/torchrl_ppo.py [decisions]  (needs TorchRL: pip install torchrl)
"""

import sys

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from crypt_env import ACTIONS, FEATURES
from crypt_env.envs.vector import SeatVectorEnv

DECISIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
GAMES, STEPS, EPOCHS, MINIBATCH = 128, 32, 4, 1024
torch.manual_seed(1)
torch.set_num_threads(1)


class Games(EnvBase):
    """Games of the Only Child. TorchRL says which of them to deal again, so they do not restart by themselves."""

    def __init__(self, games: int, dense: bool, seed: int) -> None:
        """Make the games, and describe what TorchRL reads and writes."""
        super().__init__(batch_size=[games])
        self._envs, self._seed = SeatVectorEnv(games, players=1, dense=dense, autoreset_mode="Disabled"), seed
        mask = Binary(shape=(games, ACTIONS), dtype=torch.bool)
        self.observation_spec = Composite(observation=Unbounded((games, FEATURES)), action_mask=mask, shape=[games])
        self.action_spec = Categorical(ACTIONS, shape=(games,))
        self.reward_spec = Unbounded((games, 1))

    def _reset(self, tensordict: TensorDict | None = None, **_: object) -> TensorDict:
        """Deal all games, or those that TorchRL names."""
        if tensordict is None or "_reset" not in tensordict:
            return self._seen(*self._envs.reset(seed=self._seed))
        return self._seen(*self._envs.reset(options={"reset_mask": tensordict["_reset"].flatten().numpy()}))

    def _step(self, tensordict: TensorDict) -> TensorDict:
        """Play an action in each game."""
        seen, rewards, over, _, infos = self._envs.step(tensordict["action"].numpy())
        done, paid = torch.from_numpy(over)[:, None], torch.from_numpy(rewards).float()[:, None]
        return self._seen(seen, infos).update({"reward": paid, "done": done, "terminated": done.clone()})

    def _seen(self, observations: np.ndarray, infos: dict) -> TensorDict:
        """Return observations and masks."""
        seen, mask = torch.from_numpy(observations).float(), torch.from_numpy(infos["action_mask"]).bool()
        return TensorDict({"observation": seen, "action_mask": mask}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        """Take a seed for the next games."""
        self._seed = 1 if seed is None else seed


def layers(outputs: int) -> nn.Sequential:
    """Return the network of the actor or of the critic."""
    return nn.Sequential(nn.Linear(FEATURES, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs))


games = Games(GAMES, dense=True, seed=1)
actor = ProbabilisticActor(
    TensorDictModule(layers(ACTIONS), in_keys=["observation"], out_keys=["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    out_keys=["action"],
    spec=games.action_spec,
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(layers(1), in_keys=["observation"])
advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)


def mean_coins() -> float:
    """Return what a game brings: everything is paid at its end."""
    with torch.no_grad():
        played = Games(256, dense=False, seed=2).rollout(64, actor, break_when_any_done=False)["next"]
    return (played["reward"].sum() / played["done"].sum()).item()


before = mean_coins()
collector = Collector(
    games, actor, frames_per_batch=GAMES * STEPS, total_frames=DECISIONS, auto_register_policy_transforms=False
)
for rollout in collector:
    with torch.no_grad():
        advantages(rollout)
    flat = rollout.reshape(-1)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(flat)).split(MINIBATCH):
            losses = loss(flat[rows])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
            optimizer.step()
print(f"mean coins of a game: {before:.1f} before, {mean_coins():.1f} after {DECISIONS:,} decisions")
