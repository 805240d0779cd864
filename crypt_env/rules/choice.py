"""What may be chosen: the mask of legal actions, and drawing one of them without looking at the mask."""

from __future__ import annotations

import numpy as np

from .actions import DONE, FLIP, PEEK, PLACES, RECOVER, REVIVE
from .cards import VALUES
from .chance import choose_below
from .claim import NTH_WAY, WAY_COUNTS, WAYS, effort_on, is_open_to
from .collectors import can_peek, can_revive
from .compiled import int64, part, rule
from .flips import can_flip
from .flow import is_legal_in_window
from .state import CLAIM


@part
def write_mask(game: np.record, mask: np.ndarray) -> None:
    """Write which actions are legal for the seat that decides. ``mask`` is bool [ACTIONS]; all False if none does."""
    mask[:] = False
    seat = int64(game.mover)
    if seat < 0:
        return
    if game.chosen >= 0:
        for value in range(1, VALUES + 1):
            mask[FLIP + value - 1] = can_flip(game, seat, value)
    elif game.phase == CLAIM:
        _write_claim_mask(game, seat, mask)
    else:
        for action in range(DONE, FLIP):
            mask[action] = is_legal_in_window(game, action)


@part
def _write_claim_mask(game: np.record, seat: int, mask: np.ndarray) -> None:
    """Write the legal actions of a Claim turn."""
    ready = int64(game.ready[seat])
    for slot in range(int64(game.last_slot) + 1, int64(game.slots)):
        if is_open_to(game, seat, slot):
            total = effort_on(game, slot)
            for way in range(PLACES):
                mask[slot * PLACES + way] = WAYS[ready, total, way]
    if game.last_slot >= 0:
        mask[DONE] = True
        return
    mask[RECOVER] = True
    mask[PEEK] = can_peek(game, seat)
    mask[REVIVE] = can_revive(game, seat)


@rule
def draw_action(game: np.record) -> int:
    """Draw one of the legal actions of the seat that decides, each equally likely."""
    if game.chosen >= 0:
        return _draw_flip(game)
    if game.phase == CLAIM:
        return _draw_in_claim(game)
    return _draw_in_window(game)


@part
def _draw_in_claim(game: np.record) -> int:
    """Draw a legal action of a Claim turn."""
    seat = int64(game.mover)
    ready = int64(game.ready[seat])
    peeks = game.last_slot < 0 and can_peek(game, seat)
    revives = game.last_slot < 0 and can_revive(game, seat)
    others = 1 + int64(peeks) + int64(revives)
    count = others
    for slot in range(int64(game.last_slot) + 1, int64(game.slots)):
        if is_open_to(game, seat, slot):
            count += int64(WAY_COUNTS[ready, effort_on(game, slot)])
    chosen = choose_below(game, count)
    if chosen >= others:
        return _nth_placement(game, seat, ready, chosen - others)
    if game.last_slot >= 0:
        return DONE
    if chosen == 0:
        return RECOVER
    return PEEK if peeks and chosen == 1 else REVIVE


@part
def _nth_placement(game: np.record, seat: int, ready: int, nth: int) -> int:
    """Return the n-th legal placement of a Claim turn."""
    slot = int64(game.last_slot) + 1
    while True:
        if is_open_to(game, seat, slot):
            total = effort_on(game, slot)
            ways = int64(WAY_COUNTS[ready, total])
            if nth < ways:
                return slot * PLACES + int64(NTH_WAY[ready, total, nth])
            nth -= ways
        slot += 1


@part
def _draw_in_window(game: np.record) -> int:
    """Draw a legal action of a window."""
    count = 0
    for action in range(DONE, FLIP):
        count += int64(is_legal_in_window(game, action))
    chosen = choose_below(game, count)
    for action in range(DONE, FLIP):
        chosen -= int64(is_legal_in_window(game, action))
        if chosen < 0:
            return action
    return DONE


@part
def _draw_flip(game: np.record) -> int:
    """Draw a value to flip."""
    seat = int64(game.mover)
    count = 0
    for value in range(1, VALUES + 1):
        count += int64(can_flip(game, seat, value))
    chosen = choose_below(game, count)
    for value in range(1, VALUES + 1):
        chosen -= int64(can_flip(game, seat, value))
        if chosen < 0:
            return FLIP + value - 1
    return FLIP
