"""The entry points of the rules: what Python calls, for any number of games at once.

The engine writes into the caller's arrays and keeps none of its own. It runs without the GIL: two threads can each step
a part of the games.

Rows, seats and sizes that are out of range are an error, not a crash. The games themselves are not checked: those of a
batch or a `Game` are valid; rows from elsewhere go through `crypt_env.states.check_states` first.

A game whose ``pauses`` is set stops wherever dice must be rolled. The caller puts the results into ``rolled``, or has
`roll_row` do so, and steps on. That is how records are written and replayed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .actions import ACTIONS, DRAW, SKIP
from .cards import MAX_PLAYERS
from .chance import bits_of_decision, bits_of_seats
from .choice import draw_action, write_mask
from .compiled import entry, int64, part, row, rule
from .flow import advance, apply, is_legal, roll_pending, settle, waits_for_dice
from .observe import FEATURES, write_observation
from .score import SHEET_LINES, write_rewards, write_sheet
from .state import GAME, GHOST_ROLL, NEW, NONE, OVER, RESTARTS

MISFIT = -2
"""What a step returns if an array is too short."""
BUSY = -3
"""What a step returns if another thread is stepping the same games."""

_NO_GAME = "a game or an array is out of range: games are numbered from 0, and every array needs a row for each"
_NO_SEAT = "a seat is out of range: it must be that of a player, 0 to players - 1"
_NO_DECISION = "no seat decides in this game, so there is no action to draw"
_NO_DICE = "this game does not wait for dice"
_LINES = len(SHEET_LINES)
_GAME_BYTES = GAME.itemsize
_BUSY_AT = GAME.fields["busy"][1]  # type: ignore[index]


class Arrays(NamedTuple):
    """What a step writes, for N games. Observations, masks and finals are not written if their length is 0."""

    observations: NDArray[np.int8]
    """[N, FEATURES]: what the seat that decides next may know; of a game that is over, what its learner may know."""
    masks: NDArray[np.bool_]
    """[N, ACTIONS]: what it may do."""
    movers: NDArray[np.int8]
    """[N]: that seat; -1 if the game is over."""
    rewards: NDArray[np.float32]
    """[N, MAX_PLAYERS]: what every seat was paid in this step."""
    dones: NDArray[np.bool_]
    """[N]: whether the game ended in this step."""
    finals: NDArray[np.int8]
    """[N, FEATURES]: of games that ended and restarted at once, what their learner knew at the end."""


def new_arrays(games: int) -> Arrays:
    """Return arrays for a step of this many games."""
    return Arrays(
        np.zeros((games, FEATURES), np.int8),
        np.zeros((games, ACTIONS), np.bool_),
        np.zeros(games, np.int8),
        np.zeros((games, MAX_PLAYERS), np.float32),
        np.zeros(games, np.bool_),
        np.zeros((games, FEATURES), np.int8),
    )


def arrays_without_finals(games: int) -> Arrays:
    """Return arrays for a step of this many games that do not restart."""
    return new_arrays(games)._replace(finals=np.zeros((0, FEATURES), np.int8))


@rule
def _write_view(game: np.record, index: int, observations: np.ndarray, masks: np.ndarray, movers: np.ndarray) -> None:
    """Write one game's view for the seat that decides, or for the learner if none does."""
    if len(observations) > 0:
        viewer = int64(game.mover if game.mover >= 0 else game.learner)
        write_observation(game, viewer, observations[index])
    if len(masks) > 0:
        write_mask(game, masks[index])
    movers[index] = game.mover


@rule
def check_games(states: np.ndarray, start: int, stop: int, length: int) -> None:
    """Raise an error unless there are games ``start`` to ``stop - 1``, and arrays of this length hold them."""
    if start < 0 or stop > len(states) or stop > length:
        raise ValueError(_NO_GAME)


@rule
def _checked_row(states: np.ndarray, place: int) -> int:
    """Return the number of a game; raise an error if there is none."""
    if place < 0 or place >= len(states):
        raise ValueError(_NO_GAME)
    return place


@rule
def check_seat(game: np.record, seat: int) -> None:
    """Raise an error unless a player sits there."""
    if seat < 0 or seat >= game.players:
        raise ValueError(_NO_SEAT)


@rule
def _check_room(rows: np.ndarray, bits: np.ndarray) -> None:
    """Raise an error unless there is a place for the bits of each of the games listed."""
    if len(bits) < len(rows):
        raise ValueError(_NO_GAME)


@part
def _first_refused(states: np.ndarray, start: int, stop: int, actions: np.ndarray) -> int:
    """Return the first game in which a seat is to decide and its action is illegal, or -1."""
    for index in range(start, stop):
        game = row(states, index)
        action = int64(actions[index])
        if action != DRAW and action != SKIP and game.mover >= 0 and not is_legal(game, action):
            return index
    return NONE


@entry
def check_rows(states: np.ndarray, start: int, stop: int, actions: np.ndarray) -> int:
    """Return the first of the games ``start`` to ``stop - 1`` whose action is illegal, or -1."""
    check_games(states, start, stop, len(actions))
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
    """Return whether nothing would be read or written beyond the end of an array."""
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

    ``memory`` is the games as bytes, ``states.view(np.uint8)``: Python passes plain types faster than records. The
    arrays are those of `Arrays`. `SKIP` leaves a game alone. Where no seat decides, other actions are ignored: a new
    game is dealt, a paused one settles its dice, a finished one stays as it is. Returns -1; or the first game whose
    action is illegal, `MISFIT` if an array is too short, or `BUSY`: then no game has changed.
    """
    states = memory.view(GAME)
    if not _fit(states, start, stop, observations, masks, movers, rewards, dones, finals, actions):
        return MISFIT
    refused = _first_refused(states, start, stop, actions)
    if refused >= 0 or start >= stop:
        return refused
    busy = start * _GAME_BYTES + _BUSY_AT
    if memory[busy] != 0:
        return BUSY
    memory[busy] = 1
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
        while game.phase != OVER:  # as a part of its own, this loop makes all steps a tenth slower
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
    memory[busy] = 0
    return NONE


@part
def _fit_view(rows: np.ndarray, viewers: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> bool:
    """Return whether there is room for the view of each row."""
    return (
        observations.ndim == masks.ndim == 2
        and len(rows) <= min(len(viewers), len(observations), len(masks))
        and observations.shape[1] == FEATURES
        and masks.shape[1] == ACTIONS
    )


@entry
def view_rows(
    states: np.ndarray, rows: np.ndarray, viewers: np.ndarray, observations: np.ndarray, masks: np.ndarray
) -> None:
    """Write what the given seats may know of the games listed in ``rows``, into the arrays' first ``len(rows)`` rows.

    The mask of a seat that does not decide is all False.
    """
    if not _fit_view(rows, viewers, observations, masks):
        raise ValueError(_NO_GAME)
    for place in range(len(rows)):
        check_seat(row(states, _checked_row(states, int64(rows[place]))), int64(viewers[place]))
    for place in range(len(rows)):
        game = row(states, int64(rows[place]))
        viewer = int64(viewers[place])
        write_observation(game, viewer, observations[place])
        if viewer == game.mover:
            write_mask(game, masks[place])
        else:
            masks[place] = False


def views(
    states: NDArray[np.void], viewers: NDArray[np.int8] | None = None
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return what a seat of each game may know, [N, FEATURES], and its mask, [N, ACTIONS]; by default of the movers."""
    observations, masks = np.empty((len(states), FEATURES), np.int8), np.empty((len(states), ACTIONS), np.bool_)
    viewers = states["mover"].copy() if viewers is None else viewers
    view_rows(states, np.arange(len(states)), viewers, observations, masks)
    return observations, masks


@entry
def draw_row(states: np.ndarray, index: int) -> int:
    """Draw a legal action of the seat that decides, each equally likely, from the game's own generator."""
    game = row(states, _checked_row(states, index))
    if game.mover < 0:
        raise ValueError(_NO_DECISION)
    return draw_action(game)


@entry
def decision_bits(states: np.ndarray, rows: np.ndarray, bits: np.ndarray) -> None:
    """Write 64 random bits for the next decision of each of the games listed; see `chance.bits_of_decision`."""
    _check_room(rows, bits)
    for place in range(len(rows)):
        bits[place] = bits_of_decision(row(states, _checked_row(states, int64(rows[place]))))


@entry
def seat_bits(states: np.ndarray, rows: np.ndarray, bits: np.ndarray) -> None:
    """Write bits for choosing who sits where in the games listed, [rows, any]; see `chance.bits_of_seats`."""
    _check_room(rows, bits)
    for place in range(len(rows)):
        game = row(states, _checked_row(states, int64(rows[place])))
        for number in range(bits.shape[1]):
            bits[place, number] = bits_of_seats(game, number)


def wait_for_dice(phases: Any) -> Any:
    """Return whether games wait for dice in a phase, or in each of many, as `flow.waits_for_dice` does."""
    return (phases >= GHOST_ROLL) & (phases < OVER)


@entry
def roll_row(states: np.ndarray, index: int) -> int:
    """Roll the dice that a paused game waits for, from its own generator; return how many there are."""
    game = row(states, _checked_row(states, index))
    if not waits_for_dice(game):
        raise ValueError(_NO_DICE)
    return roll_pending(game)


@entry
def sheet_rows(states: np.ndarray, start: int, stop: int, sheets: np.ndarray) -> None:
    """Write the score sheets of all seats as if the games ended now. ``sheets`` is int16 [N, MAX_PLAYERS, lines]."""
    check_games(states, start, stop, len(sheets))
    if sheets.shape[1] != MAX_PLAYERS or sheets.shape[2] != _LINES:
        raise ValueError(_NO_GAME)
    for index in range(start, stop):
        game = row(states, index)
        sheets[index] = 0
        for seat in range(int64(game.players)):
            write_sheet(game, seat, sheets[index, seat])
