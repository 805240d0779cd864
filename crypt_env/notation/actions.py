"""What actions mean, and their texts; `rules.actions` has the table of all 127."""

from __future__ import annotations

import re
from typing import NamedTuple

from crypt_env.errors import CryptError, quoted
from crypt_env.rules.actions import ACTIONS, DONE, EFFORTS, FLIP, PLACES, REROLL, TAKE
from crypt_env.table import is_whole


class Action(NamedTuple):
    """What an action means; what a verb does not use is 0."""

    verb: str
    slot: int = 0
    dice: int = 0
    effort: int = 0
    value: int = 0


def decode_action(index: int) -> Action:
    """Return the meaning of an action index.

    Raises:
        CryptError: there is no such action.
    """
    if not is_whole(index) or not 0 <= index < ACTIONS:
        raise CryptError(f"not an action: {quoted(index)}; actions are numbered 0 to {ACTIONS - 1}")
    if index < DONE:
        slot, way = divmod(index, PLACES)
        return Action("place", slot, way // EFFORTS + 1, way % EFFORTS + 1)
    if index >= FLIP:
        return Action("flip", value=index - FLIP + 1)
    if index >= REROLL:
        return Action("reroll", effort=index - REROLL + 2)
    if index >= TAKE:
        return Action("take", index - TAKE)
    return Action(("done", "recover", "peek", "revive")[index - DONE])


def _text(index: int) -> str:
    action = decode_action(index)
    if action.verb == "place":
        return f"place {action.slot} {action.dice}x{action.effort}"
    if action.verb == "take":
        return f"take {action.slot}"
    if action.verb == "reroll":
        return f"reroll {action.effort}"
    if action.verb == "flip":
        return f"flip {action.value}"
    return action.verb


ACTION_TEXTS = tuple(_text(index) for index in range(ACTIONS))
ACTION_BY_TEXT = {text: index for index, text in enumerate(ACTION_TEXTS)}
FORMS = "'place S CxV', 'done', 'recover', 'peek', 'revive', 'take S', 'reroll V' or 'flip V'"


def action_text(index: int) -> str:
    """Return the text form of an action index.

    Raises:
        CryptError: there is no such action.
    """
    decode_action(index)
    return ACTION_TEXTS[index]


def summary(actions: list[int]) -> str:
    """Return a set of actions in short: ``place 0 1x4-6 2x2-6, place 2 1x1-6, recover``."""
    slots: dict[int, dict[int, list[int]]] = {}
    for action in map(decode_action, sorted(actions)):
        if action.verb == "place":
            slots.setdefault(action.slot, {}).setdefault(action.dice, []).append(action.effort)
    others = [ACTION_TEXTS[index] for index in sorted(actions) if index >= DONE]
    places = [
        f"place {slot} " + " ".join(f"{dice}x{_span(efforts)}" for dice, efforts in by_dice.items())
        for slot, by_dice in slots.items()
    ]
    return ", ".join(places + others) or "nothing"


def _span(efforts: list[int]) -> str:
    """Return consecutive efforts as text. All that beat a card are consecutive, up to 6."""
    return str(efforts[0]) if len(efforts) == 1 else f"{efforts[0]}-{efforts[-1]}"


def parse_action(text: str) -> int:
    """Return the action that a text names; letter case and extra spaces do not matter.

    Raises:
        CryptError: the text names no action.
    """
    if isinstance(text, str):
        index = ACTION_BY_TEXT.get(re.sub(r"\s+", " ", text.strip().lower()))
        if index is not None:
            return index
    raise CryptError(
        f"not an action: {quoted(text)}; expected {FORMS} with slots 0-5, 1-3 dice, efforts 1-6 (reroll 2-6), "
        "values 1-4"
    )
