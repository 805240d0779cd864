"""How many playouts per second the searches play, from the middle of games, on one core.

    python benchmarks/playouts.py [--seconds 0.5] [--repeats 7]

Playouts are those of a flat search: everything that the seat to move does not know is re-dealt, every candidate is
played on each deal, and each game is played to its end. The contestants take turns, each is charged its own CPU time,
and the median of the repeats counts, so a busy machine changes little.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crypt_env import Batch
from crypt_env.agents.playouts import POLICIES
from crypt_env.agents.thinking import DEALS, GROWING, get_ready, new_workspace, think
from crypt_env.arena.formats import markdown_table
from crypt_env.console.arguments import amount, count
from crypt_env.rules.actions import ACTIONS

MIDDLE = {1: 6, 2: 13, 3: 17, 4: 21}
"""Decisions of random play in half a game, by the number of players."""
GAMES = 64
DEALS_A_GAME = 8
SIMULATIONS = 400

Work = Callable[[], int]
"""Does something once for each game; returns the number of playouts."""


def middle(players: int) -> NDArray[np.void]:
    """Return games in the middle of random play."""
    batch = Batch(2 * GAMES, players, restarts=False, seed=7)
    batch.reset()
    for _ in range(MIDDLE[players]):
        batch.step_random()
    states: NDArray[np.void] = batch.states[batch.states["mover"] >= 0][:GAMES].copy()
    return states


def flat(players: int, policy: str) -> Work:
    """Return the work of a flat search."""
    games, bits, workspace = middle(players), np.arange(GAMES, dtype=np.uint64), new_workspace(1, 1 + ACTIONS)

    def work() -> int:
        playouts = 0
        for row in range(len(games)):
            only = slice(row, row + 1)
            think(games[only], bits[only], workspace, DEALS, int(POLICIES[policy]), DEALS_A_GAME, True)
            playouts += DEALS_A_GAME * int(workspace.trees[0]["alive"])
        return playouts

    return work


def tree(players: int, policy: str) -> Work:
    """Return the work of a tree search."""
    games, bits, workspace = middle(players), np.arange(GAMES, dtype=np.uint64), new_workspace(1, 1 + SIMULATIONS)

    def work() -> int:
        think(games, bits, workspace, GROWING, int(POLICIES[policy]), SIMULATIONS, True)
        return SIMULATIONS * len(games)

    return work


def rate(work: Work, seconds: float) -> float:
    """Work for some seconds; return the playouts per second of CPU time."""
    playouts, start = 0, time.process_time()
    while (passed := time.process_time() - start) < seconds:
        playouts += work()
    return playouts / passed


def measure(seconds: float, repeats: int) -> dict[tuple[int, str, str], float]:
    """Return the median rate of each number of players, search and policy."""
    get_ready()
    works = {
        (players, search.__name__, policy): search(players, policy)
        for players in MIDDLE
        for search in (flat, tree)
        for policy in POLICIES
    }
    rates: dict[tuple[int, str, str], list[float]] = {key: [] for key in works}
    for repeat in range(repeats + 1):
        for key, work in works.items():
            found = rate(work, seconds if repeat else 0.02)
            if repeat:  # the first round only warms up
                rates[key].append(found)
    return {key: statistics.median(found) for key, found in rates.items()}


def as_table(medians: dict[tuple[int, str, str], float]) -> str:
    """Return the medians as a table in Markdown."""
    columns = list(dict.fromkeys((search, policy) for _, search, policy in medians))
    rows = [(players, *(f"{medians[(players, *column)] / 1e3:.0f}" for column in columns)) for players in MIDDLE]
    table = markdown_table(("players", *(", ".join(column) for column in columns)), rows)
    return f"Playouts a second, in thousands\n\n{table}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=amount, default=0.5, help="for each measurement")
    parser.add_argument("--repeats", type=count, default=7)
    arguments = parser.parse_args()
    print(as_table(measure(arguments.seconds, arguments.repeats)))


if __name__ == "__main__":
    main()
