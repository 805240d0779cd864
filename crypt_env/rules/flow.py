"""The course of a game: phases, who is asked next, what an action does.

`advance` goes on until a seat has at least two legal actions [R12], the game is over or, for callers that resolve
chance themselves, dice must be rolled. Each phase is one function, and only that function names the phase that follows.
"""

from __future__ import annotations

import numpy as np

from .actions import DONE, EFFORTS, FLIP, PEEK, PLACES, RECOVER, REROLL, REVIVE, TAKE
from .cards import IDOL, MANUSCRIPT, POTTERY, REMAINS, VALUES
from .chance import roll_die
from .claim import (
    can_place,
    can_place_somewhere,
    clear_dice,
    is_lights_out,
    place_dice,
    recover,
    turns_in_claim,
)
from .collect import hand_out_cards, next_roll, open_collect, settle_collect_roll
from .collectors import (
    can_answer,
    can_peek,
    can_reroll,
    can_reroll_any,
    can_revive,
    can_take,
    check_idols,
    peek,
    revive,
    settle_reroll,
)
from .compiled import int64, part, rule
from .deal import deal, reveal
from .flips import can_flip, flip_unasked, pay
from .ghost import dice_to_roll, settle_ghost_roll
from .score import score_game, settle_tiebreak_roll, tiebreak_dice
from .state import (
    AFTER_CLAIM,
    ANSWER,
    BEFORE_CLAIM,
    CLAIM,
    COLLECT,
    COLLECT_ROLL,
    GHOST_ROLL,
    MOST_DECISIONS,
    NONE,
    OVER,
    REROLL_ROLL,
    ROLLING,
    ROUND_END,
    SCORED,
    SIDE_A,
    SIDE_B,
    TIEBREAK_ROLL,
    gain,
    is_human,
    seat_in_turn,
    turn_of,
)


@rule
def enter(game: np.record, phase: int) -> None:
    """Open a phase with the first seat of its turn order."""
    game.phase = phase
    game.turn = 0
    game.last_slot = NONE


@rule
def end_turn(game: np.record) -> None:
    """Pass on to the next seat of the phase."""
    game.turn += 1
    game.last_slot = NONE


# -- the phases in which seats decide: True if one must, else the next phase is open ----------------------------------


@part
def _continue_before_claim(game: np.record) -> bool:
    """Ask the seats that may take a face-down card for Pottery; then open the Claim. [R3]"""
    while game.sides[POTTERY] == SIDE_B and game.turn < game.seats:
        seat = seat_in_turn(game, int64(game.turn))
        if is_human(game, seat) and can_take(game, seat):
            game.mover = seat
            return True
        end_turn(game)
    check_idols(game)
    enter(game, CLAIM)
    return False


@part
def _continue_answer(game: np.record) -> bool:
    """Ask the others who may peek before the card is taken; then give it to its taker, whose window goes on. [R10]"""
    while game.turn < game.seats:
        seat = seat_in_turn(game, int64(game.turn))
        if is_human(game, seat) and can_answer(game, seat):
            game.mover = seat
            return True
        end_turn(game)
    taker = int64(game.taker)
    gain(game, taker, int64(game.taking))
    game.taker = NONE
    game.taking = NONE
    game.phase = BEFORE_CLAIM
    game.turn = turn_of(game, taker)
    return False


@part
def _has_choice_in_claim(game: np.record, seat: int) -> bool:
    """Return whether a seat has more than one legal action in its Claim turn."""
    if game.last_slot >= 0:
        return not is_lights_out(game) and can_place_somewhere(game, seat)
    return can_place_somewhere(game, seat) or can_peek(game, seat) or can_revive(game, seat)


@part
def _continue_claim(game: np.record) -> bool:
    """Ask the seats in turn to claim; then open the window after the Claim."""
    while game.turn < turns_in_claim(game):
        seat = seat_in_turn(game, int64(game.turn))
        if is_human(game, seat):
            if _has_choice_in_claim(game, seat):
                game.mover = seat
                return True
            if game.last_slot < 0:
                recover(game, seat)
        elif dice_to_roll(game) > 0:
            game.phase = GHOST_ROLL
            return False
        end_turn(game)
    enter(game, AFTER_CLAIM)
    return False


@part
def _continue_after_claim(game: np.record) -> bool:
    """Ask the seats that may still learn from a Manuscript, not in the last round; then open Collect. [R10]"""
    is_last_round = game.drawn == game.deck_size
    while game.sides[MANUSCRIPT] == SIDE_B and not is_last_round and game.turn < game.seats:
        seat = seat_in_turn(game, int64(game.turn))
        if is_human(game, seat) and can_peek(game, seat):
            game.mover = seat
            return True
        end_turn(game)
    open_collect(game)
    enter(game, ROLLING)
    return False


@part
def _continue_collect(game: np.record) -> bool:
    """Ask the seats that may re-roll a failed die; then end the round. [R7]"""
    while game.sides[IDOL] == SIDE_A and game.turn < game.seats:
        seat = seat_in_turn(game, int64(game.turn))
        if is_human(game, seat) and can_reroll_any(game, seat):
            game.mover = seat
            return True
        end_turn(game)
    game.phase = ROUND_END
    return False


# -- the phases in which no seat decides ------------------------------------------------------------------------------


@rule
def _seek_roll(game: np.record) -> None:
    """Wait for the dice of the next slot that is rolled; after the last one hand out the cards and open the window."""
    slot = next_roll(game, int64(game.turn))
    if slot >= 0:
        game.phase = COLLECT_ROLL
        game.turn = slot
        return
    hand_out_cards(game)
    enter(game, COLLECT)


@rule
def _end_round(game: np.record) -> None:
    """Clear the table, then pass the Torch and reveal the next Crypt, or score the game when the deck is empty."""
    clear_dice(game)
    if game.drawn < game.deck_size:
        game.leader = seat_in_turn(game, int64(1))
        game.round_number += 1
        reveal(game)
        enter(game, BEFORE_CLAIM)
        return
    for seat in range(int64(game.players)):
        while can_revive(game, seat):
            flip_unasked(game, seat, REMAINS)
            flip_unasked(game, seat, REMAINS)
            revive(game, seat)
    score_game(game)
    game.phase = SCORED


@part
def _break_tie(game: np.record) -> None:
    """Wait for the dice of the tied players, or end the game. [R11]"""
    game.turn = 0
    game.phase = TIEBREAK_ROLL if tiebreak_dice(game) > 0 else OVER


# -- chance -----------------------------------------------------------------------------------------------------------


@part
def waits_for_dice(game: np.record) -> bool:
    """Return whether dice must be rolled before the game can go on."""
    return GHOST_ROLL <= game.phase < OVER


@part
def pending_dice(game: np.record) -> int:
    """Return how many dice must be rolled."""
    if game.phase == GHOST_ROLL:
        return dice_to_roll(game)
    if game.phase == COLLECT_ROLL:
        return int64(game.dice[game.turn])
    if game.phase == TIEBREAK_ROLL:
        return tiebreak_dice(game)
    return 1


@part
def roll_pending(game: np.record) -> int:
    """Roll the dice that the game waits for; return how many there are."""
    dice = pending_dice(game)
    for die in range(dice):
        game.rolled[die] = roll_die(game)
    return dice


@rule
def settle(game: np.record) -> None:
    """Carry out the roll whose results are in ``rolled``."""
    if game.phase == COLLECT_ROLL:
        settle_collect_roll(game, int64(game.turn))
        game.phase = ROLLING
        game.turn += 1
    elif game.phase == GHOST_ROLL:
        settle_ghost_roll(game)
        game.phase = CLAIM
        end_turn(game)
    elif game.phase == REROLL_ROLL:
        seat = seat_in_turn(game, int64(game.turn))
        settle_reroll(game, seat, int64(game.last_slot), int64(game.rolled[0]))
        game.phase = COLLECT
        game.last_slot = NONE
    else:
        settle_tiebreak_roll(game)
        game.phase = SCORED


@part
def advance(game: np.record, stops_at_dice: bool) -> None:
    """Go on until a seat decides or the game is over, or, with ``stops_at_dice``, until dice must be rolled."""
    is_asked = game.mover >= 0 and game.chosen >= 0
    while game.phase != OVER and not is_asked:
        if waits_for_dice(game):
            if stops_at_dice:
                break
            roll_pending(game)
            settle(game)
        elif game.phase == CLAIM:
            is_asked = _continue_claim(game)
        elif game.phase == BEFORE_CLAIM:
            is_asked = _continue_before_claim(game)
        elif game.phase == AFTER_CLAIM:
            is_asked = _continue_after_claim(game)
        elif game.phase == COLLECT:
            is_asked = _continue_collect(game)
        elif game.phase == ANSWER:
            is_asked = _continue_answer(game)
        elif game.phase == ROLLING:
            _seek_roll(game)
        elif game.phase == ROUND_END:
            _end_round(game)
        elif game.phase == SCORED:
            _break_tie(game)
        else:
            deal(game)
            enter(game, BEFORE_CLAIM)
    if not is_asked:
        game.mover = NONE


# -- actions ----------------------------------------------------------------------------------------------------------


@part
def _is_legal_in_claim(game: np.record, action: int) -> bool:
    """Return whether this is legal for the seat that decides in the Claim."""
    seat = int64(game.mover)
    if action < DONE:
        return can_place(game, seat, action // PLACES, action % PLACES)
    if game.last_slot >= 0:
        return action == DONE
    if action == RECOVER:
        return True
    return (action == PEEK and can_peek(game, seat)) or (action == REVIVE and can_revive(game, seat))


@rule
def is_legal_in_window(game: np.record, action: int) -> bool:
    """Return whether this is legal for the seat that decides in a window."""
    seat = int64(game.mover)
    if action == DONE:
        return True
    if game.phase == BEFORE_CLAIM:
        if action == PEEK:
            return can_peek(game, seat)
        slot = action - TAKE
        return 0 <= slot < game.slots and game.card[slot] >= 0 and game.down[slot] >= 0
    if game.phase == AFTER_CLAIM or game.phase == ANSWER:
        return action == PEEK
    return REROLL <= action < REROLL + EFFORTS - 1 and can_reroll(game, seat, action - REROLL + 2)


@rule
def is_legal(game: np.record, action: int) -> bool:
    """Return whether this is legal for the seat that decides; nothing is if none does."""
    if game.mover < 0 or action < 0:
        return False
    if game.chosen >= 0:
        return FLIP <= action < FLIP + VALUES and can_flip(game, int64(game.mover), action - FLIP + 1)
    if game.phase == CLAIM:
        return _is_legal_in_claim(game, action)
    return is_legal_in_window(game, action)


@part
def _do_paid(game: np.record, seat: int) -> None:
    """Carry out the chosen action, which is paid for."""
    action = int64(game.chosen)
    game.chosen = NONE
    if action == PEEK:
        peek(game, seat)
    elif action == REVIVE:
        revive(game, seat)
    elif action < REROLL:
        game.taker = seat
        game.taking = action - TAKE
        enter(game, ANSWER)
    else:
        game.phase = REROLL_ROLL
        game.last_slot = action - REROLL + 2


@rule
def apply(game: np.record, action: int) -> None:
    """Carry out a legal action of the seat that decides, and nothing that follows from it."""
    seat = int64(game.mover)
    game.decisions = (game.decisions + 1) & MOST_DECISIONS
    if action < DONE:
        place_dice(game, seat, action // PLACES, action % PLACES // EFFORTS + 1, action % EFFORTS + 1)
    elif action == DONE:
        end_turn(game)
    elif action == RECOVER:
        recover(game, seat)
        end_turn(game)
    else:
        if action < FLIP:
            game.chosen = action
        if pay(game, seat, action):
            _do_paid(game, seat)
