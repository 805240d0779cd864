"""Shipped agents at a PettingZoo table: two of them and a function of your own play three games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env import crypt_v0

GAMES = 3


def stubborn(observations: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Always take the first action that is legal."""
    return masks.argmax(axis=1)


def main() -> None:
    """Play the games, asking the player of the selected agent."""
    env = crypt_v0.env(players=3, reward="coins")
    players = {"player_0": "net:trio", "player_1": "search:20", "player_2": stubborn}
    for game in range(GAMES):
        env.reset(seed=1 if game == 0 else None)
        coins = dict.fromkeys(env.agents, 0.0)
        for agent in env.agent_iter():
            _, reward, termination, truncation, _ = env.last()
            coins[agent] += reward
            env.step(None if termination or truncation else env.ask(players[agent]))
        print(f"game {game}: " + ", ".join(f"{agent} {amount:.0f} coins" for agent, amount in coins.items()))


if __name__ == "__main__":
    main()
