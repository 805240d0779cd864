"""Uniformly random play, written down as crypt-record/1."""

from __future__ import annotations

import random
from typing import Any

from .pieces import TYPES
from .table import Game, full_deck


class RandomSource:
    """A Source that draws everything and writes the events."""

    def __init__(self, rng: random.Random, legal: bool) -> None:
        """Start an empty list of events, with or without the legal actions."""
        self.rng = rng
        self.legal = legal
        self.events: list[list[Any]] = []

    def dice(self, count: int) -> list[int]:
        """Roll dice."""
        return [self.rng.randint(1, 6) for _ in range(count)]

    def choose(self, seat: int, legal: list[str]) -> str:
        """Any legal action, all equally likely."""
        action = self.rng.choice(legal)
        self.events.append(["act", seat, action] + ([list(legal)] if self.legal else []))
        return action

    def roll(self, seat: int, slot: int, effort: int, count: int) -> list[int]:
        """Roll the dice on a claimed card."""
        results = self.dice(count)
        self.events.append(["roll", seat, slot, effort, results])
        return results

    def reroll(self, seat: int, effort: int) -> int:
        """Roll one failed die again."""
        result = self.dice(1)[0]
        self.events.append(["reroll", seat, effort, result])
        return result

    def ghost(self, count: int) -> list[int]:
        """Roll the Ghost's dice."""
        results = self.dice(count)
        self.events.append(["ghost", results])
        return results

    def tiebreak(self, dice: list[tuple[int, int]]) -> list[list[int]]:
        """Roll the dice of the tied players."""
        rolls = [self.dice(count) for _, count in dice]
        rows = [[seat, results] for (seat, _), results in zip(dice, rolls, strict=True)]
        self.events.append(["tiebreak", rows])
        return rolls


def random_record(players: int, collectors: str, seed: int, legal: bool = True) -> dict[str, Any]:
    """Play one random game; `collectors` is six letters or "random", `legal` adds the legal actions."""
    rng = random.Random(seed)
    if collectors == "random":
        collectors = "".join(rng.choice("AB") for _ in TYPES)
    leader = rng.randrange(players)
    deck = full_deck(players)
    rng.shuffle(deck)
    source = RandomSource(rng, legal)
    scores, winners = Game(players, collectors, leader, deck, source).play()
    return {
        "format": "crypt-record/1",
        "players": players,
        "collectors": collectors,
        "leader": leader,
        "seed": seed,
        "deck": deck,
        "events": source.events,
        "scores": scores,
        "winners": winners,
    }
