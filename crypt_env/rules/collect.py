"""Chapter 2.III of the rules: rolling for exhaustion and taking the cards. [R6]"""

from __future__ import annotations

import numpy as np

from .claim import has_dice_on_cards, recover
from .collectors import check_idols
from .compiled import int64, part
from .state import NONE, discard, gain, is_human


@part
def open_collect(game: np.record) -> None:
    """Let those who were pushed out recover, discard what was not claimed and return the dice that are not rolled."""
    for seat in range(int64(game.players)):
        if not has_dice_on_cards(game, seat):
            recover(game, seat)
    for slot in range(int64(game.slots)):
        holder = int64(game.holder[slot])
        if game.card[slot] >= 0 and holder < 0:
            discard(game, slot)
        elif holder >= 0 and game.effort[slot] == 1 and is_human(game, holder):
            game.ready[holder] += game.dice[slot]
            game.dice[slot] = 0


@part
def next_roll(game: np.record, slot: int) -> int:
    """Return the first slot from ``slot`` on whose dice must be rolled, or -1."""
    for candidate in range(slot, int64(game.slots)):
        if game.effort[candidate] > 1 and game.holder[candidate] >= 0 and is_human(game, int64(game.holder[candidate])):
            return candidate
    return NONE


@part
def settle_collect_roll(game: np.record, slot: int) -> None:
    """Exhaust the dice that rolled below their effort and return the others. The failed ones stay on the slot."""
    holder = int64(game.holder[slot])
    failed = 0
    for die in range(int64(game.dice[slot])):
        if game.rolled[die] < game.effort[slot]:
            failed += 1
    game.ready[holder] += game.dice[slot] - failed
    game.exhausted[holder] += failed
    game.dice[slot] = failed


@part
def hand_out_cards(game: np.record) -> None:
    """Give every claimed card to its claimant; what the Ghost holds is discarded."""
    for slot in range(int64(game.slots)):
        if game.card[slot] < 0:
            continue
        holder = int64(game.holder[slot])
        if is_human(game, holder):
            gain(game, holder, slot)
        else:
            discard(game, slot)
            game.ready[holder] += game.dice[slot]
            game.dice[slot] = 0
        if game.dice[slot] == 0:
            game.holder[slot] = NONE
            game.effort[slot] = 0
    check_idols(game)
