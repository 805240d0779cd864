"""Random play, written down as crypt-record/1."""

from __future__ import annotations

import random
from typing import Any

from .pieces import TYPES
from .table import FACE_DOWN, FACE_UP, PRICE, Game, full_deck

REWARDS = tuple(PRICE)
EAGERNESS = 0.4
"""How often an eager seat pays for a reward that it is offered; one that waits has more cards to choose from."""
CLAIMING = 0.5
"""How often an eager seat looks at placements on face-down cards alone."""
HIDING = 0.9
"""How likely each card of a hidden type is put among the face-down ones, while there is room."""


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
        """Any legal action of those that the policy looks at, all equally likely."""
        action = self.rng.choice(self.tempting(seat, legal))
        self.events.append(["act", seat, action] + ([list(legal)] if self.legal else []))
        return action

    def tempting(self, seat: int, legal: list[str]) -> list[str]:
        """All legal actions: uniform play."""
        return legal

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


class EagerSource(RandomSource):
    """A RandomSource that often claims face-down cards and pays for rewards."""

    def __init__(self, rng: random.Random, legal: bool, players: int) -> None:
        """Start an empty list of events, with or without the legal actions."""
        super().__init__(rng, legal)
        # Solo the face-down card can lie anywhere; but no flip is asked there [R9].
        self.face_down = tuple(f"place {FACE_UP[players] + place} " for place in range(FACE_DOWN[players]))

    def tempting(self, seat: int, legal: list[str]) -> list[str]:
        """Rewards, or claims of face-down cards, each some of the time; else all that is no reward."""
        rewards = [text for text in legal if text.startswith(REWARDS)]
        if rewards and self.rng.random() < EAGERNESS:
            return rewards
        others = [text for text in legal if text not in rewards]
        claims = [text for text in others if text.startswith(self.face_down)]
        return claims if claims and self.rng.random() < CLAIMING else others


def table_of(collectors: str, rng: random.Random) -> str:
    """Six letters A or B; a ? is drawn, and all six for the word random."""
    pattern = "?" * len(TYPES) if collectors == "random" else collectors
    return "".join(rng.choice("AB") if side == "?" else side for side in pattern)


def random_deck(players: int, hidden: str, rng: random.Random) -> list[str]:
    """A shuffled deck; most cards of the types in `hidden` are face-down, a ? being drawn among those that pay."""
    deck = full_deck(players)
    rng.shuffle(deck)
    if not hidden:
        return deck
    drawn = rng.sample([kind for kind, _ in PRICE.values() if kind not in hidden], hidden.count("?"))
    kinds = [*hidden.replace("?", ""), *drawn]
    deck.sort(key=lambda card: card[0] in kinds and rng.random() < HIDING)
    slots = FACE_UP[players] + FACE_DOWN[players]
    places = [place for place in range(len(deck)) if place % slots >= FACE_UP[players]]
    up, down = deck[: -len(places)], deck[-len(places) :]
    rng.shuffle(up)
    rng.shuffle(down)
    return [(down if place in places else up).pop() for place in range(len(deck))]


def random_record(
    players: int, collectors: str, seed: int, legal: bool = True, eager: bool = False, hidden: str = ""
) -> dict[str, Any]:
    """Play one random game.

    `collectors` is "random" or six letters, a ? being drawn; `legal` adds the legal actions. In an `eager` game rewards
    are often paid for; they are paid for with the types I, M, P, R, and flips are asked more often for those that
    `hidden` names, as "MP" or "M?".
    """
    rng = random.Random(seed)
    collectors = table_of(collectors, rng)
    leader = rng.randrange(players)
    deck = random_deck(players, hidden, rng)
    source = EagerSource(rng, legal, players) if eager else RandomSource(rng, legal)
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
