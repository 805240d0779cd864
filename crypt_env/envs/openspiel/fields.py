"""Where the fields of a game's record are in its bytes, and the log of what happened."""

from __future__ import annotations

from typing import NamedTuple

from crypt_env.rules.cards import CARDS, DECK_SIZES, FACE_DOWN, FACE_UP
from crypt_env.rules.state import DISCARDED, GAME, NONE, REVEALED

DECISION, END, SIDE, LEADER, HIDDEN, CARD, TOP, COLLECT, REROLL, GHOST, TIEBREAK = range(11)
"""Kinds of points. `HIDDEN` deals the value of a face-down card where a game begins in the middle."""
ACT, CARD_DOWN, FLIPPED = 11, 12, 13
"""Kinds of log entries besides those of chance: a seat's action, a card drawn face-down, a card turned over."""


class Entry(NamedTuple):
    """Something that happened, and who saw what of it."""

    kind: int
    seat: int
    """Whose action it is; -1 for chance."""
    what: int
    """The action or the outcome. Of a card drawn face-down its type; of one turned over `CARDS` x its number + card."""
    shown: int
    """What the others see; -1 if nothing, as of an action that is not paid for yet. Of dice how many there are."""


Log = tuple[Entry, ...]


def _offset(name: str) -> int:
    """Return the byte at which a field of the record begins."""
    return int(GAME.fields[name][1])  # type: ignore[index]


PLAYERS, PHASE, MOVER, CHOSEN, PAUSES = map(_offset, ("players", "phase", "mover", "chosen", "pauses"))
TABLE, FIRST_LEADER, DRAWN, DECK = map(_offset, ("table_rule", "leader_rule", "drawn", "deck"))
TURN, LAST_SLOT, ROLLED = map(_offset, ("turn", "last_slot", "rolled"))
DICE_ON, EFFORT, READY, WINNERS = map(_offset, ("dice", "effort", "ready", "winners"))
DOWNS, DOWN_CARD, DOWN_PLACE, DOWN_SEEN = map(_offset, ("downs", "down_card", "down_place", "down_seen"))
SLOTS, CARD_ON, DOWN_ON = map(_offset, ("slots", "card", "down"))
NONE_BYTE = 255
"""`rules.state.NONE`, -1, as a byte: no seat, no card, no action."""

ROUND_SLOTS: list[int] = (FACE_UP + FACE_DOWN).tolist()
ROUND_FACE_UP: list[int] = FACE_UP.tolist()
SIZES: list[int] = DECK_SIZES.tolist()


def tied(data: bytearray) -> tuple[tuple[int, int], ...]:
    """Return the tied seats and their dice."""
    return tuple((seat, data[READY + seat]) for seat in range(data[PLAYERS]) if data[WINNERS] >> seat & 1)


def known_downs(data: bytearray, seats: int) -> list[tuple[int, int]]:
    """Return the number and the card of each hidden card that one of some seats, given as bits, has seen."""
    return [
        (down, data[DOWN_CARD + down])
        for down in range(data[DOWNS])
        if data[DOWN_SEEN + down] & seats and data[DOWN_PLACE + down] != REVEALED
    ]


def hidden_downs(data: bytearray) -> list[int]:
    """Return the numbers of the cards that some seat does not know; those discarded unseen come last."""
    everybody = (1 << data[PLAYERS]) - 1
    hidden = [
        down
        for down in range(data[DOWNS])
        if data[DOWN_PLACE + down] != REVEALED and data[DOWN_SEEN + down] != everybody
    ]
    return sorted(hidden, key=lambda down: is_gone(data, down))


def is_gone(data: bytearray, down: int) -> bool:
    """Return whether a card was discarded before any seat had seen it."""
    return data[DOWN_PLACE + down] == DISCARDED and not data[DOWN_SEEN + down]


def deck_position(data: bytearray, down: int) -> int:
    """Return the place in the deck of a card that was drawn face-down."""
    players = data[PLAYERS]
    face_up, slots = ROUND_FACE_UP[players], ROUND_SLOTS[players]
    number, place = divmod(down, slots - face_up)
    return number * slots + face_up + place


def update_downs(data: bytearray) -> None:
    """Copy the face-down cards from the deck, after that has changed."""
    for down in range(data[DOWNS]):
        data[DOWN_CARD + down] = data[DECK + deck_position(data, down)]
    for slot in range(data[SLOTS]):
        if data[CARD_ON + slot] != NONE_BYTE and data[DOWN_ON + slot] != NONE_BYTE:
            data[CARD_ON + slot] = data[DOWN_CARD + data[DOWN_ON + slot]]


def flipped(before: bytearray, after: bytearray) -> Log:
    """Return entries for the hidden cards that a step turned over."""
    return tuple(
        Entry(FLIPPED, NONE, down * CARDS + after[DOWN_CARD + down], 0)
        for down in range(after[DOWNS])
        if after[DOWN_PLACE + down] == REVEALED != before[DOWN_PLACE + down]
    )
