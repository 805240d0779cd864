"""The steps of a ladder: each agent against the one below it, on several disjoint sets of deals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from crypt_env.console.progress import Update

from .formats import estimate_cell, percentage_cell, plain, titled_table
from .statistics import Estimate
from .tournament import Folder, play_match, round_robin
from .workers import Crew

FORMAT = "crypt-arena-steps/1"


class Step(NamedTuple):
    """An agent and the one below it."""

    players: int
    agent: str
    below: str
    gains: tuple[Estimate, ...]
    """For each seed: in solo games by how many coins the agent is ahead on the same deals, otherwise its share of the
    wins in one seat against the other agent in all others."""

    @property
    def even_result(self) -> float:
        """Return the result of two equal agents."""
        return 0.0 if self.players == 1 else 1 / self.players

    @property
    def is_up(self) -> bool:
        """Return whether the agent was significantly stronger with every seed."""
        return all(gain.low is not None and gain.low > self.even_result for gain in self.gains)


def play_steps(
    agents: Sequence[str],
    players: int,
    games: int,
    seeds: Sequence[int],
    jobs: int | Crew = 1,
    out: Folder | None = None,
    progress: Update | None = None,
) -> list[Step]:
    """Let every agent play against the one before it in the list, at even tables, once with each seed.

    Args:
        agents: names, the weakest first.
        players: 1 to 4.
        games: with each seed.
        seeds: of the deals.
        jobs: processes.
        out: a folder for finished chunks.
        progress: called with the games finished and the total, for one match after the other.
    """
    steps = []
    for number, (below, agent) in enumerate(pairwise(agents)):
        gains = []
        for seed in seeds:
            folder = None if out is None else Path(out) / f"step-{number}-seed-{seed}"
            if players == 1:
                report = round_robin([agent, below], 1, games, "even", seed, jobs=jobs, out=folder, progress=progress)
                gains.append(report.differences[0].coins)
            else:
                match = play_match(agent, below, players, games, "even", seed, jobs, folder, progress=progress)
                gains.append(match.share)
        steps.append(Step(players, agent, below, tuple(gains)))
    return steps


def steps_as_json(steps: Sequence[Step], games: int, seeds: Sequence[int]) -> str:
    """Return the steps as JSON."""
    rows = [{**step._asdict(), "gains": [gain._asdict() for gain in step.gains]} for step in steps]
    return json.dumps({"format": FORMAT, "games": games, "seeds": list(seeds), "steps": rows}, indent=1) + "\n"


def steps_as_markdown(steps: Sequence[Step], seeds: Sequence[int]) -> str:
    """Return the steps at tables of one number of players as a table in Markdown with a one-sentence verdict."""
    gained = (
        f"share of the wins of one seat against the other agent in all others; equal agents: {steps[0].even_result:.0%}"
    )
    cells = [[percentage_cell(gain) for gain in step.gains] for step in steps]
    if steps[0].players == 1:
        gained = "coins ahead on the same deals"
        cells = [[estimate_cell(gain, "+.2f") for gain in step.gains] for step in steps]
    header = ("agent", "above", *(f"seed {seed}" for seed in seeds))
    rows = [(step.agent, step.below, *gains) for step, gains in zip(steps, cells, strict=True)]
    return f"{titled_table(f'Step by step: {gained}', header, rows)}\n\n{plain(_verdict(steps, len(seeds)))}\n"


def _verdict(steps: Sequence[Step], seeds: int) -> str:
    doubtful = [f"{step.agent} above {step.below}" for step in steps if not step.is_up]
    if not doubtful:
        return f"Every step leads up, beyond doubt with each of the {seeds} seeds."
    return f"Not beyond doubt with each of the {seeds} seeds: {', '.join(doubtful)}. All other steps are."
