"""PPO in one file of plain torch, as CleanRL writes it: on the vector environment it learns to beat a random opponent.

Usage: python examples/ppo_from_scratch.py [decisions]  (needs the extra "train": pip install '.[train]' in the sources)
"""

import sys
from collections.abc import Callable

import gymnasium
import torch
from torch import nn
from torch.distributions import Categorical

import crypt_env  # registers the environments

GAMES, STEPS, EPOCHS, MINIBATCH = 256, 32, 4, 2048
GAMMA, LAMBDA, CLIP, ENTROPY = 0.99, 0.95, 0.2, 0.01


class Network(nn.Module):
    """One trunk, a head for the policy and one for the value."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(crypt_env.FEATURES, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.policy, self.value = nn.Linear(128, crypt_env.ACTIONS), nn.Linear(128, 1)

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the distribution of legal actions, and the value."""
        hidden = self.trunk(observations.float())
        return Categorical(logits=self.policy(hidden).masked_fill(~masks, -1e8)), self.value(hidden).squeeze(-1)


def learn(
    envs: gymnasium.vector.VectorEnv,
    network: Network,
    decisions: int,
    report: Callable[[int, list[float]], object],
) -> None:
    """Learn for this many decisions, at least one update of 8192; report each, and the rewards of finished games."""
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    seen, infos = envs.reset(seed=1)
    scores: list[float] = []
    for update in range(1, max(1, decisions // (GAMES * STEPS)) + 1):
        rows = []
        for _ in range(STEPS):
            observation, mask = torch.as_tensor(seen), torch.as_tensor(infos["action_mask"]).bool()
            with torch.no_grad():
                distribution, value = network(observation, mask)
            action = distribution.sample()
            seen, rewards, ends, _, infos = envs.step(action.numpy())
            scores += rewards[ends].tolist()
            reward, end = torch.as_tensor(rewards).float(), torch.as_tensor(ends).float()
            rows.append((observation, mask, action, distribution.log_prob(action), value, reward, end))
        with torch.no_grad():
            _, ahead = network(torch.as_tensor(seen), torch.as_tensor(infos["action_mask"]).bool())
        advantages, advantage = [], torch.zeros(GAMES)
        for _, _, _, _, value, reward, end in reversed(rows):  # what follows the end of a game belongs to the next one
            advantage = reward + GAMMA * (1 - end) * ahead - value + GAMMA * LAMBDA * (1 - end) * advantage
            advantages.insert(0, advantage)
            ahead = value
        observations, masks, actions, old, values = (torch.cat(column) for column in list(zip(*rows, strict=True))[:5])
        gains = torch.cat(advantages)
        targets, gains = gains + values, (gains - gains.mean()) / gains.std()
        for _ in range(EPOCHS):
            for batch in torch.randperm(GAMES * STEPS).split(MINIBATCH):
                distribution, value = network(observations[batch], masks[batch])
                ratio = (distribution.log_prob(actions[batch]) - old[batch]).exp()
                gain = torch.min(ratio * gains[batch], ratio.clamp(1 - CLIP, 1 + CLIP) * gains[batch]).mean()
                loss = -gain + 0.5 * (value - targets[batch]).pow(2).mean() - ENTROPY * distribution.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        report(update, scores)


def show(update: int, scores: list[float]) -> None:
    """Print how the latest games went."""
    if update == 1 or update % 10 == 0:
        last = scores[-1000:]
        won = sum(score > 0 for score in last) / len(last)
        print(f"{update * GAMES * STEPS:>8,} decisions: wins {won:.0%} of {len(last)}")


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    learn(
        gymnasium.make_vec("crypt_env/Crypt-v0", num_envs=GAMES, players=2, opponents="random"),
        Network(),
        int(sys.argv[1]) if len(sys.argv) > 1 else 400_000,
        show,
    )
