"""Chapter 2.II of the rules: placing dice on cards, pushing others off, recovering. [R4] [R5]"""

from __future__ import annotations

import numpy as np

from .actions import DICE, EFFORTS, PLACES
from .cards import MAX_SLOTS
from .compiled import int64, part, rule
from .state import GHOST, NONE, is_human

_TOTALS = DICE * EFFORTS + 1
# [ready dice, effort to beat, way to place]: the one predicate of placing. The check of an action, the mask and the
# drawing of an action read it, so that none of them loops over counts and efforts.
WAYS = np.array(
    [
        [
            [
                count <= ready and count * effort > total
                for count in range(1, DICE + 1)
                for effort in range(1, EFFORTS + 1)
            ]
            for total in range(_TOTALS)
        ]
        for ready in range(DICE + 1)
    ],
    np.bool_,
)
# [ready dice, effort to beat]: how many ways there are.
WAY_COUNTS = WAYS.sum(axis=2).astype(np.int8)
# [ready dice, effort to beat, k]: the k-th way; unused entries are 0.
NTH_WAY = np.array(
    [[np.pad(np.flatnonzero(ways), (0, PLACES - ways.sum())) for ways in by_total] for by_total in WAYS], np.int8
)


@rule
def turns_in_claim(game: np.record) -> int:
    """Return how many turns the Claim phase has: with two seats the Leader has a second one."""
    return 3 if game.seats == 2 else int64(game.seats)


@rule
def is_lights_out(game: np.record) -> bool:
    """Return whether this Claim turn is the last one, on which only one card may be claimed."""
    return int64(game.turn) == turns_in_claim(game) - 1


@rule
def effort_on(game: np.record, slot: int) -> int:
    """Return the total effort on a slot; an unoccupied card has 0."""
    return int64(game.dice[slot]) * int64(game.effort[slot])


@rule
def is_open_to(game: np.record, seat: int, slot: int) -> bool:
    """Return whether a seat with enough effort could place on a slot in this turn: slots go in increasing order."""
    return slot > game.last_slot and game.card[slot] >= 0 and game.holder[slot] != seat


@part
def can_place(game: np.record, seat: int, slot: int, way: int) -> bool:
    """Return whether a seat may place dice on a slot in one of the 18 ways."""
    return (
        slot < game.slots and is_open_to(game, seat, slot) and WAYS[int64(game.ready[seat]), effort_on(game, slot), way]
    )


@rule
def can_place_somewhere(game: np.record, seat: int) -> bool:
    """Return whether any placement is legal for a seat in this turn.

    `WAYS` says the same, but is read more slowly; tests/rules/test_claim.py compares the two.
    """
    most = int64(game.ready[seat]) * EFFORTS
    for slot in range(int64(game.last_slot) + 1, int64(game.slots)):
        if effort_on(game, slot) < most and is_open_to(game, seat, slot):
            return True
    return False


@part
def push_off(game: np.record, slot: int) -> None:
    """Give the dice on a slot back to their owner, available again at once."""
    holder = int64(game.holder[slot])
    if holder < 0:
        return
    game.ready[holder] += game.dice[slot]
    if holder == GHOST and not is_human(game, holder):
        game.ghost_pushed += game.dice[slot]


@rule
def place_dice(game: np.record, seat: int, slot: int, count: int, effort: int) -> None:
    """Place dice on a card, pushing off those that were there."""
    push_off(game, slot)
    game.holder[slot] = seat
    game.dice[slot] = count
    game.effort[slot] = effort
    game.ready[seat] -= count
    game.last_slot = slot


@part
def has_dice_on_cards(game: np.record, seat: int) -> bool:
    """Return whether a seat holds any card in the Crypt."""
    for slot in range(int64(game.slots)):
        if game.holder[slot] == seat:
            return True
    return False


@rule
def recover(game: np.record, seat: int) -> None:
    """Take all exhausted dice back."""
    game.ready[seat] += game.exhausted[seat]
    game.exhausted[seat] = 0


@part
def clear_dice(game: np.record) -> None:
    """Leave no dice on any slot; the Ghost has all of its own again."""
    for slot in range(MAX_SLOTS):
        game.holder[slot] = NONE
        game.dice[slot] = 0
        game.effort[slot] = 0
    if game.players == 1:
        game.ready[GHOST] = DICE
    game.ghost_pushed = 0
