"""Chapter 3 of the rules: the Collectors that act during the game. Those that only score are in `score`."""

from __future__ import annotations

import numpy as np

from .cards import IDOL, MANUSCRIPT, POTTERY, REMAINS
from .compiled import int64, part, rule
from .flips import flip_unasked
from .state import AFTER_CLAIM, IN_CRYPT, NONE, SIDE_A, SIDE_B, has_seen, show

# -- Pottery B: before the Claim, flip two to take a face-down card. [R3] ---------------------------------------------


@part
def can_take(game: np.record, seat: int) -> bool:
    """Return whether a seat may take some face-down card, on a table with Pottery B."""
    if game.unflipped[seat, POTTERY] < 2:
        return False
    for slot in range(int64(game.slots)):
        if game.card[slot] >= 0 and game.down[slot] >= 0:
            return True
    return False


# -- Manuscript B: flip one to see all face-down cards in the Crypt. [R10] ---------------------------------------------


@rule
def has_manuscript(game: np.record, seat: int) -> bool:
    """Return whether a seat can pay for a peek."""
    return game.sides[MANUSCRIPT] == SIDE_B and game.unflipped[seat, MANUSCRIPT] >= 1


@rule
def can_peek(game: np.record, seat: int) -> bool:
    """Return whether a peek would show a seat an unknown value; after the Claim its own claims do not count."""
    if not has_manuscript(game, seat):
        return False
    for slot in range(int64(game.slots)):
        is_unknown = game.card[slot] >= 0 and game.down[slot] >= 0 and not has_seen(game, int64(game.down[slot]), seat)
        if is_unknown and (game.phase != AFTER_CLAIM or game.holder[slot] != seat):
            return True
    return False


@part
def can_answer(game: np.record, seat: int) -> bool:
    """Return whether a seat may peek before the card that another seat takes leaves the Crypt."""
    return seat != game.taker and has_manuscript(game, seat) and not has_seen(game, int64(game.down[game.taking]), seat)


@part
def peek(game: np.record, seat: int) -> None:
    """Let a seat see all face-down cards in the Crypt."""
    for down in range(int64(game.downs)):
        if game.down_place[down] == IN_CRYPT:
            show(game, down, seat)


# -- Remains A: flip two to recover one exhausted die. [R10] ----------------------------------------------------------


@rule
def can_revive(game: np.record, seat: int) -> bool:
    """Return whether a seat may recover a die for two Remains."""
    return game.sides[REMAINS] == SIDE_A and game.exhausted[seat] > 0 and game.unflipped[seat, REMAINS] >= 2


@rule
def revive(game: np.record, seat: int) -> None:
    """Recover one exhausted die."""
    game.exhausted[seat] -= 1
    game.ready[seat] += 1


# -- Idol A: re-roll failed dice. [R7] --------------------------------------------------------------------------------


@part
def can_reroll(game: np.record, seat: int, effort: int) -> bool:
    """Return whether a die of a seat failed this round against an effort and an Idol can pay for its re-roll."""
    if game.unflipped[seat, IDOL] == 0:
        return False
    for slot in range(int64(game.slots)):
        if game.holder[slot] == seat and game.effort[slot] == effort:
            return True
    return False


@part
def can_reroll_any(game: np.record, seat: int) -> bool:
    """Return whether a seat may re-roll any failed die, on a table with Idol A."""
    if game.unflipped[seat, IDOL] == 0:
        return False
    for slot in range(int64(game.slots)):
        if game.holder[slot] == seat:
            return True
    return False


@part
def settle_reroll(game: np.record, seat: int, effort: int, result: int) -> None:
    """Return the re-rolled die to its owner if it did not fail again."""
    if result < effort:
        return
    game.exhausted[seat] -= 1
    game.ready[seat] += 1
    for slot in range(int64(game.slots)):
        if game.holder[slot] == seat and game.effort[slot] == effort:
            game.dice[slot] -= 1
            if game.dice[slot] == 0:
                game.holder[slot] = NONE
                game.effort[slot] = 0
            return


# -- Idol B: the first to hold two. [R8] ------------------------------------------------------------------------------


@rule
def check_idols(game: np.record) -> None:
    """Give Idol B to every player who now holds two Idols."""
    if game.sides[IDOL] != SIDE_B:
        return
    for seat in range(int64(game.players)):
        if game.held[seat, IDOL] < 2 or game.idol_bonus[seat] > 0:
            continue
        if game.idol_round < 0 or game.idol_round == game.round_number:
            game.idol_round = game.round_number
            game.idol_bonus[seat] = 5
            flip_unasked(game, seat, IDOL)
            flip_unasked(game, seat, IDOL)
        else:
            game.idol_bonus[seat] = 2
