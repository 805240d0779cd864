"""The entry points of the rules: what Python calls, for any number of games at once.

The engine writes into arrays that it is given and keeps none of its own, so a rollout lands where the caller wants it.
It runs without the GIL: two threads can each drive a part of the games.

A game whose ``pauses`` is set stops wherever dice must be rolled. Whoever drives it puts the results into ``rolled``
(or lets `roll_row` do so) and steps on. That is how records are written and replayed.
"""

from __future__ import annotations

import numpy as np

from .actions import ACTIONS, DRAW, SKIP
from .cards import MAX_PLAYERS
from .chance import bits_of_decision, bits_of_seats
from .choice import draw_action, write_mask
from .compiled import entry, int64, part, row, rule
from .flow import advance, apply, is_legal, roll_pending, settle, waits_for_dice
from .observe import FEATURES, write_observation
from .resample import resample
from .score import write_rewards, write_sheet
from .state import GAME, NEW, NONE, OVER, RESTARTS

MISFIT = -2
"""What a step answers if an array is too short."""


@rule
def _write_view(game: np.record, index: int, observations: np.ndarray, masks: np.ndarray, movers: np.ndarray) -> None:
    """Write one game's view for the seat that decides, or for the learner if nobody does."""
    if len(observations) > 0:
        viewer = int64(game.mover if game.mover >= 0 else game.learner)
        write_observation(game, viewer, observations[index])
    if len(masks) > 0:
        write_mask(game, masks[index])
    movers[index] = game.mover


@part
def _first_refused(states: np.ndarray, start: int, stop: int, actions: np.ndarray) -> int:
    """Return the first game in which a seat is asked and may not do what is given, or -1."""
    for index in range(start, stop):
        game = row(states, index)
        action = int64(actions[index])
        if action != DRAW and action != SKIP and game.mover >= 0 and not is_legal(game, action):
            return index
    return NONE


@entry
def check_rows(states: np.ndarray, start: int, stop: int, actions: np.ndarray) -> int:
    """Return the first of the games ``start`` to ``stop - 1`` whose action is illegal, or -1."""
    return _first_refused(states, start, stop, actions)


@part
def _fit(
    states: np.ndarray,
    start: int,
    stop: int,
    observations: np.ndarray,
    masks: np.ndarray,
    movers: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    finals: np.ndarray,
    actions: np.ndarray,
) -> bool:
    """Return whether nothing would be read or written behind the end of an array."""
    shortest = min(len(states), len(actions), len(movers), len(rewards), len(dones))
    return (
        start >= 0
        and stop <= shortest
        and rewards.shape[1] == MAX_PLAYERS
        and (len(observations) == 0 or (stop <= len(observations) and observations.shape[1] == FEATURES))
        and (len(masks) == 0 or (stop <= len(masks) and masks.shape[1] == ACTIONS))
        and (len(finals) == 0 or (stop <= len(finals) and finals.shape[1] == FEATURES))
    )


@entry
def step_rows(
    memory: np.ndarray,
    start: int,
    stop: int,
    observations: np.ndarray,
    masks: np.ndarray,
    movers: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    finals: np.ndarray,
    actions: np.ndarray,
) -> int:
    """Play one action in each of the games ``start`` to ``stop - 1`` and all that follows from it.

    ``memory`` is the games as bytes, ``states.view(np.uint8)``: Python passes plain types faster than records.
    Where nobody is asked the action is ignored: a new game is dealt, a paused one settles its dice, one that is over
    stays as it is. A game whose action is `SKIP` is not touched. The arrays are those of `Arrays`. Returns -1, or the
    first game whose action is illegal, or `MISFIT` if an array is too short; then no game has changed.
    """
    states = memory.view(GAME)
    if not _fit(states, start, stop, observations, masks, movers, rewards, dones, finals, actions):
        return MISFIT
    refused = _first_refused(states, start, stop, actions)
    if refused >= 0:
        return refused
    for index in range(start, stop):
        if actions[index] == SKIP:
            continue
        game = row(states, index)
        dones[index] = False
        rewards[index] = 0
        if game.mover >= 0:
            apply(game, draw_action(game) if actions[index] == DRAW else int64(actions[index]))
        elif waits_for_dice(game):
            settle(game)
        while game.phase != OVER:
            advance(game, game.pauses != 0)
            if (game.phase == OVER or game.dense) and not dones[index]:
                write_rewards(game, rewards[index])
                dones[index] = game.phase == OVER
            if game.phase != OVER or game.restarts != RESTARTS:
                break
            if len(finals) > 0:
                write_observation(game, int64(game.learner), finals[index])
            game.episode += 1
            game.phase = NEW
        _write_view(game, index, observations, masks, movers)
    return NONE


@entry
def view_rows(
    states: np.ndarray, rows: np.ndarray, viewers: np.ndarray, observations: np.ndarray, masks: np.ndarray
) -> None:
    """Write what the given seats may know of the games listed in ``rows``, into the arrays' first ``len(rows)`` rows.

    The mask is all False for a seat that is not asked.
    """
    for place in range(len(rows)):
        game = row(states, int64(rows[place]))
        viewer = int64(viewers[place])
        write_observation(game, viewer, observations[place])
        if viewer == game.mover:
            write_mask(game, masks[place])
        else:
            masks[place] = False


@entry
def draw_row(states: np.ndarray, index: int) -> int:
    """Draw one of the legal actions of the seat that is asked, each equally likely, from the game's own generator."""
    return draw_action(row(states, index))


@entry
def decision_bits(states: np.ndarray, rows: np.ndarray, bits: np.ndarray) -> None:
    """Write 64 random bits for the next decision of each of the games listed; see `chance.bits_of_decision`."""
    for place in range(len(rows)):
        bits[place] = bits_of_decision(row(states, int64(rows[place])))


@entry
def seat_bits(states: np.ndarray, rows: np.ndarray, bits: np.ndarray) -> None:
    """Write bits for choosing who sits where in the games listed, [rows, any]; see `chance.bits_of_seats`."""
    for place in range(len(rows)):
        for number in range(bits.shape[1]):
            bits[place, number] = bits_of_seats(row(states, int64(rows[place])), number)


@entry
def roll_row(states: np.ndarray, index: int) -> int:
    """Roll the dice that a paused game waits for, from its own generator; return how many there are."""
    return roll_pending(row(states, index))


@entry
def resample_rows(states: np.ndarray, start: int, stop: int, viewers: np.ndarray, bits: np.ndarray) -> None:
    """Re-deal in the games ``start`` to ``stop - 1`` all that their viewer cannot know, each from its own 64 bits."""
    for index in range(start, stop):
        resample(row(states, index), int64(viewers[index]), bits[index])


@entry
def sheet_rows(states: np.ndarray, start: int, stop: int, sheets: np.ndarray) -> None:
    """Write the score sheets of all seats as if the games ended now. ``sheets`` is int16 [N, MAX_PLAYERS, lines]."""
    for index in range(start, stop):
        game = row(states, index)
        sheets[index] = 0
        for seat in range(int64(game.players)):
            write_sheet(game, seat, sheets[index, seat])
