"""Find the weights of the agent ``tuned`` and write them to ``crypt_env/networks/tuned.json``.

    python benchmarks/tune_playouts.py [--players 1 2 3 4] [--generations 100] [--games 1024] [--population 96]

A cross-entropy search: each generation samples weights around the mean, lets each play the same games, and moves mean
and spread toward the best quarter. The objective is the mean of the coins over the 64 tables in solo games, and with
more players the win rate, smoothed over the margin, against copies that play with the mean of some generations ago.
The seats rotate with the games. Everything follows from the seed, so the same command writes the same file. Each
number of players takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from crypt_env import Batch
from crypt_env.agents import tuned_table
from crypt_env.agents.tuned import weighted_action
from crypt_env.agents.tuned_table import WEIGHTS, WEIGHTS_FILE, first_weights, read_weights, table_of
from crypt_env.console.arguments import count
from crypt_env.files import write_text
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.choice import write_mask
from crypt_env.rules.compiled import row
from crypt_env.rules.deal import TABLES
from crypt_env.rules.flow import advance, apply
from crypt_env.rules.observe import FEATURES, write_observation
from crypt_env.rules.state import NEW, NONE

Floats = NDArray[np.float64]

TEST_SEED, TEST_GAMES = 10**6, 400 * TABLES
FIRST_SPREAD, LAST_SPREAD = 0.3, 0.02
PACE = 0.7
"""Share of a new spread that is taken from the elite."""
ELITE = 0.25
RENEWAL = 10
"""Generations after which the opponents become the mean of the search."""
SOFTNESS = 4.0
"""Coins of margin over which a win is smoothed."""
LAST = 20
"""Generations whose means are averaged at the end."""
DIGITS = 3


@numba.njit(error_model="numpy")
def play(
    states: np.ndarray, own_seats: np.ndarray, own: np.ndarray, other: np.ndarray, view: np.ndarray, mask: np.ndarray
) -> None:
    """Play games to their ends: one seat with its own table, the others with another."""
    for index in range(len(states)):
        game = row(states, index)
        players = int(game.players)
        while True:
            advance(game, False)
            if game.mover < 0:
                break
            write_observation(game, int(game.mover), view)
            write_mask(game, mask)
            table = own if game.mover == own_seats[index] else other
            apply(game, weighted_action(view, mask, players, table))


class Arena:
    """Games in which weights are compared."""

    def __init__(self, players: int, games: int) -> None:
        """Lay out the games: all tables equally often, the seats in rotation."""
        self.players = players
        batch = Batch(games, players, restarts=False)
        self._states = batch.states
        self._states["table_rule"] = np.arange(games) % TABLES
        self._seats = np.arange(games) // TABLES % players
        self._view, self._mask = np.zeros(FEATURES, np.int8), np.zeros(ACTIONS, np.bool_)

    def scores(self, own: Floats, other: Floats, seed: int) -> Floats:
        """Return the scores of the seats in the games of a seed, [games, players], the one with own weights first."""
        states = self._states
        states["seed"], states["episode"], states["mover"], states["phase"] = seed, 0, NONE, NEW
        tables = table_of(own, self.players), table_of(other, self.players)
        play(states, self._seats, *tables, self._view, self._mask)
        order = (self._seats[:, None] + np.arange(self.players)) % self.players
        return np.take_along_axis(states["scores"].astype(np.float64), order, axis=1)

    def fitness(self, own: Floats, other: Floats, seed: int) -> float:
        """Return the objective for weights: mean coins, or with opponents the smoothed share of wins."""
        scores = self.scores(own, other, seed)
        if self.players == 1:
            return float(scores.mean())
        margins = scores[:, 0] - scores[:, 1:].max(axis=1)
        return float((1.0 / (1.0 + np.exp(-margins / SOFTNESS))).mean())

    def report(self, own: Floats, other: Floats, seed: int) -> str:
        """Compare weights with others in words."""
        scores = self.scores(own, other, seed)
        text = f"{scores[:, 0].mean():.2f} coins +- {1.96 * scores[:, 0].std() / len(scores) ** 0.5:.2f}"
        if self.players > 1:
            best = scores.max(axis=1)
            share = (scores[:, 0] == best) / (scores == best[:, None]).sum(axis=1)
            text += f", {100 * share.mean():.1f}% wins (even: {100 / self.players:.0f}%)"
        return text


def search(players: int, start: Floats, options: argparse.Namespace) -> Floats:
    """Return the mean of the last generations."""
    rng = np.random.default_rng([options.seed, players])
    arena = Arena(players, options.games)
    mean, spread = start.copy(), np.full(len(start), FIRST_SPREAD)
    other, means, began = mean.copy(), [mean], time.perf_counter()
    for generation in range(options.generations):
        drawn = mean + spread * rng.standard_normal((options.population, len(mean)))
        fitness = np.array([arena.fitness(weights, other, generation) for weights in drawn])
        best = drawn[np.argsort(-fitness, kind="stable")[: max(2, int(options.population * ELITE))]]
        mean = best.mean(axis=0)
        spread = (1 - PACE) * spread + PACE * np.maximum(best.std(axis=0), LAST_SPREAD)
        means = [*means, mean][-LAST:]
        if (generation + 1) % RENEWAL == 0:
            other = mean.copy()
            result = arena.report(mean, start, TEST_SEED)
            print(f"{players}p, {generation + 1}: {result}; {time.perf_counter() - began:.0f} s", flush=True)
    return np.round(np.stack(means).mean(axis=0), DIGITS) + 0.0  # no -0


def write(rows: dict[int, Floats]) -> None:
    """Write the file with the weights of each number of players, and its digest into the module that reads it."""
    lines = []
    for players, weights in sorted(rows.items()):
        named = {name: weights[block.start : block.stop].tolist() for name, block in WEIGHTS.items()}
        lines.append(f'"{players}":{json.dumps(named, separators=(",", ":"))}')
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_text(WEIGHTS_FILE, text)
    reader = Path(tuned_table.__file__)
    digest = hashlib.sha256(text.encode()).hexdigest()
    write_text(reader, reader.read_text(encoding="utf-8").replace(tuned_table.WEIGHTS_SHA256, digest))


def main() -> None:
    """Search for each number of players, write the file, and compare with the previous weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, choices=(1, 2, 3, 4), nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--generations", type=count, default=100)
    parser.add_argument("--games", type=count, default=1024)
    parser.add_argument("--population", type=count, default=96)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = read_weights()
    for players in options.players:
        before = rows.get(players, first_weights())
        rows[players] = search(players, first_weights(), options)
        write(rows)
        result = Arena(players, TEST_GAMES).report(rows[players], before, TEST_SEED)
        print(f"{players}p, against the weights before: {result}", flush=True)


if __name__ == "__main__":
    main()
