"""How good a network is that a run trains: what it wins, or alone earns, on deals that it does not learn from."""

from __future__ import annotations

import numpy as np

from crypt_env.agents import Agent
from crypt_env.arena import SELECTION_SEED, Estimate, play_match, round_robin
from crypt_env.arena.designs import EVEN
from crypt_env.arena.workers import Crew

from .settings import Settings

Scores = dict[str, Estimate]
"""Coins, or shares of the wins by the names of opponents."""


def evaluate(agent: Agent, settings: Settings, jobs: int | Crew = 1) -> Scores:
    """Return its coins alone, else its share of the wins: evenly over all tables, or the even set that it learns at."""
    tables = settings.collectors if settings.collectors in EVEN else "even"
    games, even = settings.evaluate_games, (tables, SELECTION_SEED)
    scores = {}
    for players in settings.players:
        if players == 1:
            solo = round_robin([agent], 1, games, *even, jobs=jobs).solos[0]
            scores["coins"] = solo.coins
            continue
        for opponent in settings.opponents:
            match = play_match(agent, opponent, players, games, *even, jobs=jobs)
            scores[_label(settings, opponent, players)] = match.share
    return scores


def _label(settings: Settings, opponent: str, players: int) -> str:
    return opponent if len(settings.players) == 1 else f"{opponent} ({players} players)"


def overall(scores: Scores, settings: Settings) -> float:
    """Return by what networks of a run are compared: solo the coins, else the wins against the last opponent named.

    With several numbers of players it is their mean; a coin then counts as much as a hundredth of the wins.
    """
    if settings.players == [1]:
        return scores["coins"].value
    counted = {_label(settings, settings.opponents[-1], players) for players in settings.players}
    values = [score.value / 100 if name == "coins" else score.value for name, score in scores.items()]
    is_counted = [name == "coins" or name in counted for name in scores]
    return float(np.mean(np.array(values)[is_counted]))


def as_row(scores: Scores, settings: Settings) -> dict[str, float]:
    """Return scores as columns of a table: the overall one, and each with its interval."""
    row = {"score": overall(scores, settings)}
    for name, estimate in scores.items():
        row[name] = round(estimate.value, 4)
        row[f"{name} low"], row[f"{name} high"] = round(estimate.low or 0, 4), round(estimate.high or 0, 4)
    return row


def as_words(scores: Scores) -> str:
    """Return scores with their intervals, for a line of text."""
    return ", ".join(f"{name} {_rounded(estimate)}" for name, estimate in scores.items())


def _rounded(estimate: Estimate) -> str:
    half = ((estimate.high or 0) - (estimate.low or 0)) / 2
    if estimate.value > 1:
        return f"{estimate.value:.2f} ± {half:.2f}"
    return f"{estimate.value:.1%} ± {half:.1%}"
