"""Texts of actions and of positions."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from crypt_env import ACTIONS, Game, action_text, parse_action
from fuzz import samples
from fuzz.mutate import damaged_text, odd_text, odd_value
from fuzz.play_on import comes_back, play_on
from fuzz.target import Target, require


def _action_texts() -> tuple[str, ...]:
    """Return the texts of all actions."""
    return tuple(action_text(index) for index in range(ACTIONS))


def _text(rng: Random, valid: tuple[str, ...]) -> Any:
    """Return a damaged text, sometimes a valid one, or a value that is not a text."""
    kind = rng.random()
    if kind < 0.02:
        return rng.choice(valid)
    if kind < 0.05:
        return odd_value(rng) if kind < 0.04 else odd_text(rng)
    return damaged_text(rng, rng.choice(valid), [rng.choice(valid)])


class _Action(NamedTuple):
    """A text and the action that it was read as."""

    text: Any
    index: int


def _use_action(action: _Action) -> None:
    """Demand that the text of the action is the one that was read, up to case and blanks."""
    plain = " ".join(action.text.lower().split())
    require(type(action.index) is int, f"an action is {type(action.index).__name__}")
    require(action_text(action.index) == plain, f"read as {action_text(action.index)!r}")


def _position(rng: Random, valid: tuple[str, ...]) -> Any:
    """Return a damaged position, sometimes with fields of one that comes soon after it."""
    if rng.random() < 0.4:
        place = rng.randrange(len(valid))
        fields, others = (text.split(" ") for text in (valid[place], valid[(place + rng.randint(1, 9)) % len(valid)]))
        for _ in range(rng.randint(1, 3)):
            fields[rng.randrange(len(fields))] = rng.choice(others)
        return " ".join(fields)
    return _text(rng, valid)


def _use_position(game: Game) -> None:
    """Play on from a position, and write it again."""
    comes_back(game)
    play_on(game, Random(game.text()))
    comes_back(game)


TARGETS = (
    Target(
        "actions",
        _action_texts,
        _text,
        lambda text: _Action(text, parse_action(text)),
        _use_action,
        refusals=(ValueError,),
        quick=3000,
    ),
    Target("positions", samples.texts, _position, Game.from_text, _use_position, quick=1000),
)
