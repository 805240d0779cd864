"""Play a thousand games at once and ask numpy: how long is a game, and does the first Leader win more often?"""

from __future__ import annotations

import numpy as np

from crypt_env import Batch

GAMES = 1000


def main() -> None:
    """Play random games with each number of players and print a table."""
    print("players  decisions a game  coins of seat 0  wins of the first Leader")
    for players in (1, 2, 3, 4):
        batch = Batch(GAMES, players=players, leader=0, seed=1, restarts=False)
        step = batch.reset()
        while (step.movers >= 0).any():
            step = batch.step_random()
        games = batch.states
        shared = np.bitwise_count(games["winners"].view(np.uint8))
        leader_wins = np.where(games["winners"] & 1, 1 / shared, 0).mean()
        print(
            f"{players:^7}  {games['decisions'].mean():^16.1f}  {games['scores'][:, 0].mean():^15.1f}"
            f"  {leader_wins:^24.0%}"
        )


if __name__ == "__main__":
    main()
