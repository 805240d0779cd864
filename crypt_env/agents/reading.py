"""Compiled readers of one observation: what an agent sees on the table, by name.

All heuristic agents read observations and masks only through these functions, so they cannot see what is hidden. Places
count clockwise from the observer, who is place 0; in a solo game place 1 is the Ghost.
"""

from __future__ import annotations

import numpy as np

from crypt_env.rules.actions import FLIP
from crypt_env.rules.cards import (
    FACE_DOWN,
    FACE_UP,
    IDOL,
    KINDS,
    MANUSCRIPT,
    MAX_FACE_DOWN,
    MAX_PLAYERS,
    MAX_SLOTS,
    POTTERY,
    REMAINS,
    VALUES,
)
from crypt_env.rules.compiled import int64, rule
from crypt_env.rules.observe import LAYOUT, OTHERS, PAID

NO_PLAYER = int64(-1)
GAP = int64(-1)

AT = {part.name: part.start for part in LAYOUT}
"""Where each part of the observation starts."""

_PLAYERS, _LEADER, _LIGHTS_OUT = AT["players"], AT["leader"], AT["lights_out"]
_UNSEEN, _CARDS, _UNKNOWN, _READY = AT["unseen"], AT["cards"], AT["unknown"], AT["ready"]
_SLOT_TYPE, _SLOT_VALUE, _SLOT_HOLDER = AT["slot_type"], AT["slot_value"], AT["slot_holder"]
_SLOT_DICE, _SLOT_EFFORT, _SLOT_FACE_DOWN = AT["slot_dice"], AT["slot_effort"], AT["slot_face_down"]
_PAYING, _TAKER, _TAKING = AT["paying"], AT["taker"], AT["taking"]
_HIDDEN_OWNER, _HIDDEN_TYPE = AT["hidden_owner"], AT["hidden_type"]
_HIDDEN_VALUE, _HIDDEN_SEEN_BY = AT["hidden_value"], AT["hidden_seen_by"]

_CARD_KINDS = KINDS * VALUES
_FLIPPED_FOR = np.array([POTTERY, MANUSCRIPT, REMAINS, IDOL])
"""Which cards pay, in the order of the part `paying`."""

# [players]: cards in a Crypt.
_SLOTS = (FACE_UP + FACE_DOWN).astype(np.int64)


@rule
def player_count(observation: np.ndarray) -> int:
    """Return the number of players, 1 to 4."""
    for players in range(1, MAX_PLAYERS):
        if observation[_PLAYERS + players - 1] != 0:
            return players
    return MAX_PLAYERS


@rule
def slot_count(players: int) -> int:
    """Return the number of slots in the Crypt."""
    return int64(_SLOTS[players])


@rule
def turn_number(observation: np.ndarray, players: int) -> int:
    """Return which Claim turn of the round the observer has, from 0; with two seats the Leader has 0 and 2."""
    seats = max(players, 2)
    if observation[_LEADER] != 0:
        return 2 if seats == 2 and observation[_LIGHTS_OUT] != 0 else 0
    for place in range(1, seats):
        if observation[_LEADER + place] != 0:
            return seats - place
    return 0


@rule
def kind_in(observation: np.ndarray, slot: int) -> int:
    """Return the type of the card in a slot, or `GAP`."""
    start = _SLOT_TYPE + slot * KINDS
    for kind in range(KINDS):
        if observation[start + kind] != 0:
            return kind
    return GAP


@rule
def holder_of(observation: np.ndarray, slot: int) -> int:
    """Return the place of the player with dice on a slot, or `NO_PLAYER`."""
    start = _SLOT_HOLDER + slot * MAX_PLAYERS
    for place in range(MAX_PLAYERS):
        if observation[start + place] != 0:
            return place
    return NO_PLAYER


@rule
def effort_in(observation: np.ndarray, slot: int) -> int:
    """Return the total effort on a slot, 0 if it is unoccupied."""
    return int64(observation[_SLOT_DICE + slot]) * int64(observation[_SLOT_EFFORT + slot])


@rule
def expected_coins(observation: np.ndarray, kind: int) -> float:
    """Return the average value of an unseen card of a type; 2.5 if none is left."""
    coins, copies = 0, 0
    for value in range(1, VALUES + 1):
        left = int64(observation[_UNSEEN + kind * VALUES + value - 1])
        coins += value * left
        copies += left
    return coins / copies if copies > 0 else 2.5


@rule
def coins_in(observation: np.ndarray, slot: int, kind: int) -> float:
    """Return the coins on the card in a slot: its value if the observer knows it, else the average of its type."""
    value = int64(observation[_SLOT_VALUE + slot])
    return float(value) if value > 0 else expected_coins(observation, kind)


@rule
def cards_held(observation: np.ndarray, place: int, kind: int) -> int:
    """Return how many cards of a type a player has collected."""
    start = _CARDS + place * _CARD_KINDS + kind * VALUES
    count = int64(observation[_UNKNOWN + place * KINDS + kind])
    for value in range(VALUES):
        count += int64(observation[start + value])
    return count


@rule
def coins_held(observation: np.ndarray, place: int, kind: int) -> float:
    """Return the coins on a player's cards of a type; a card of unknown value counts its type's average."""
    start = _CARDS + place * _CARD_KINDS + kind * VALUES
    coins = 0.0
    for value in range(1, VALUES + 1):
        coins += value * int64(observation[start + value - 1])
    unknown = int64(observation[_UNKNOWN + place * KINDS + kind])
    return coins + unknown * expected_coins(observation, kind) if unknown > 0 else coins


@rule
def highest_held(observation: np.ndarray, place: int, kind: int) -> int:
    """Return the highest value that a player is known to hold of a type, 0 if none."""
    start = _CARDS + place * _CARD_KINDS + kind * VALUES
    for value in range(VALUES, 0, -1):
        if observation[start + value - 1] != 0:
            return value
    return 0


@rule
def most_ready_after(observation: np.ndarray, players: int, turn: int) -> int:
    """Return the most ready dice of any player still to move after the observer's Claim turn."""
    if max(players, 2) == 2:
        return int64(observation[_READY + 1]) if turn < 2 else 0
    most = 0
    for place in range(1, players - turn):
        most = max(most, int64(observation[_READY + place]))
    return most


# -- what to reveal ---------------------------------------------------------------------------------------------------


@rule
def kind_to_flip(observation: np.ndarray) -> int:
    """Return the type of the card that the observer is asked to flip, or `GAP` if it is asked something else."""
    for place in range(PAID):
        if observation[_PAYING + place] != 0:
            return int64(_FLIPPED_FOR[place])
    return GAP


@rule
def _most_watchers(observation: np.ndarray, kind: int, value: int) -> int:
    """Return how many others have seen the most widely seen of one's own hidden cards of a type and value."""
    most = 0
    for down in range(MAX_FACE_DOWN):
        is_mine = observation[_HIDDEN_OWNER + down * MAX_PLAYERS] != 0 and observation[_HIDDEN_TYPE + down] == kind + 1
        if is_mine and observation[_HIDDEN_VALUE + down] == value:
            watchers = 0
            for other in range(OTHERS):
                watchers += int64(observation[_HIDDEN_SEEN_BY + down * OTHERS + other])
            most = max(most, watchers)
    return most


@rule
def least_telling_flip(observation: np.ndarray, mask: np.ndarray, kind: int) -> int:
    """Return the flip that reveals the least.

    It shows the card that most others have seen; among equals the one closest to the average of its type's unseen
    cards, which changes the others' expectations the least; then the lowest.
    """
    average = expected_coins(observation, kind)
    best, chosen = -1e9, FLIP
    for value in range(1, VALUES + 1):
        if mask[FLIP + value - 1]:
            score = 10.0 * _most_watchers(observation, kind, value) - abs(value - average)
            if score > best:
                best, chosen = score, FLIP + value - 1
    return chosen


@rule
def peek_shows_more(observation: np.ndarray) -> bool:
    """Return whether a peek shows an unknown card that stays in the Crypt, not only the one that another seat takes."""
    is_answer = False
    for place in range(1, MAX_PLAYERS):
        is_answer = is_answer or observation[_TAKER + place] != 0
    if not is_answer:
        return True
    for slot in range(MAX_SLOTS):
        is_unknown = observation[_SLOT_FACE_DOWN + slot] != 0 and observation[_SLOT_VALUE + slot] == 0
        if is_unknown and observation[_TAKING + slot] == 0:
            return True
    return False
