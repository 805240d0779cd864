"""What happens in a game that cannot be derived: decisions and dice. One frozen value each, in the order of play."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from crypt_env.rules.state import COLLECT_ROLL, GHOST_ROLL, REROLL_ROLL


class Act(NamedTuple):
    """A seat decided."""

    seat: int
    text: str
    legal: tuple[str, ...]
    """All that was legal, in the order of the actions."""


class Roll(NamedTuple):
    """A seat rolled the dice on a card it claimed."""

    seat: int
    slot: int
    effort: int
    results: tuple[int, ...]


class Reroll(NamedTuple):
    """A seat rolled a failed die again."""

    seat: int
    effort: int
    result: int


class GhostRoll(NamedTuple):
    """The Ghost rolled its dice."""

    results: tuple[int, ...]


class Tiebreak(NamedTuple):
    """The tied seats rolled all their unexhausted dice."""

    rolls: tuple[tuple[int, tuple[int, ...]], ...]
    """Each tied seat, in seat order, and its results."""


Event: TypeAlias = Act | Roll | Reroll | GhostRoll | Tiebreak


def roll_event(state: np.void, count: int) -> Event:
    """Return the event of the roll whose results, ``count`` dice, are on the table of a game."""
    results = tuple(state["rolled"][:count].tolist())
    phase, turn = int(state["phase"]), int(state["turn"])
    if phase == GHOST_ROLL:
        return GhostRoll(results)
    if phase == COLLECT_ROLL:
        return Roll(int(state["holder"][turn]), turn, int(state["effort"][turn]), results)
    if phase == REROLL_ROLL:
        return Reroll((int(state["leader"]) + turn) % int(state["seats"]), int(state["last_slot"]), results[0])
    rolls = []
    for seat in range(int(state["players"])):
        if int(state["winners"]) >> seat & 1:
            dice = int(state["ready"][seat])
            rolls.append((seat, results[:dice]))
            results = results[dice:]
    return Tiebreak(tuple(rolls))


def event_text(event: Event) -> str:
    """Return an event in words, on one line."""
    if isinstance(event, Act):
        return f"seat {event.seat}: {event.text}"
    if isinstance(event, Roll):
        return f"seat {event.seat} rolls {_dice(event.results)} against {event.effort} on slot {event.slot}"
    if isinstance(event, Reroll):
        return f"seat {event.seat} re-rolls {event.result} against {event.effort}"
    if isinstance(event, GhostRoll):
        return f"the Ghost rolls {_dice(event.results)}"
    return "tie-break: " + ", ".join(
        f"seat {seat} rolls {_dice(results) or 'nothing'}" for seat, results in event.rolls
    )


def _dice(results: tuple[int, ...]) -> str:
    return " ".join(map(str, results))
