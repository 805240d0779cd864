"""Behavior cloning: a network learns from records of a strong agent, and beats "greedy" without ever having played.

Usage: python examples/behavior_cloning.py [games]  (needs the extra "train": pip install '.[train]' in the sources)

On the command line, `crypt records net:duel --games 2000 --out games.jsonl.gz` and `crypt dataset games.jsonl.gz --out
games.npz` write the same games and the same arrays to files.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

from crypt_env import ACTIONS, FEATURES
from crypt_env.arena import play_match
from crypt_env.datasets import DecisionReader, record_games

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
torch.manual_seed(1)
torch.set_num_threads(1)

Path("games.jsonl").write_bytes(b"".join(record_games("net:duel", players=2, games=GAMES, seed=1)))
parts = list(DecisionReader("games.jsonl", agent="net:duel"))
observations, masks, actions = (
    torch.from_numpy(np.concatenate(column)) for column in list(zip(*parts, strict=True))[:3]
)

network = nn.Sequential(nn.Linear(FEATURES, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, ACTIONS))
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)


def logits(seen: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return the logits of all actions, very low where they are not legal."""
    return network(seen.float()).masked_fill(~legal, -1e8)


for epoch in range(4):
    for rows in torch.randperm(len(actions)).split(512):
        loss = nn.functional.cross_entropy(logits(observations[rows], masks[rows]), actions[rows].long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f} on {len(actions):,} decisions")


def clone(seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Play the likeliest action; the arena takes such a function as an agent."""
    with torch.no_grad():
        return logits(torch.from_numpy(seen), torch.from_numpy(legal)).argmax(1).numpy()


for opponent in ("random", "greedy"):
    share = play_match(clone, opponent, players=2, games=1000, collectors="even").share
    print(f"{share.value:.1%} of the wins against {opponent}")
