"""Every moment of a recorded game, including dice on the table, as the page steps through it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.game import Game
from crypt_env.notation.actions import parse_action
from crypt_env.notation.record import Record, dice_of
from crypt_env.rules.actions import DICE, DRAW, EFFORTS
from crypt_env.rules.batch import new_arrays, roll_row, step_rows, wait_for_dice
from crypt_env.rules.state import AFTER_CLAIM, CLAIM, COLLECT_ROLL, GHOST_ROLL, NONE, OVER

ROLLING, PLACED = "rolling", "placed"
_STILL_CLAIMING = (CLAIM, AFTER_CLAIM, GHOST_ROLL)


class Frame(NamedTuple):
    """A moment of a game; the page has the same in ``session.js``."""

    states: NDArray[np.void]
    """The game, as an array of one row."""
    event: list[object] | None
    """What led here, as in the record."""
    look: str = ""
    """`ROLLING`: the event has dice that are not settled yet. `PLACED`: it has dice that the state does not have, as
    the round ends with them."""

    @property
    def asked(self) -> int | None:
        """The seat that decides."""
        mover = int(self.states["mover"][0])
        return mover if mover >= 0 and not self.look else None

    @property
    def secret_of(self) -> int | None:
        """The seat that is asked which card it flips, which no other seat may know."""
        return self.asked if int(self.states["chosen"][0]) >= 0 else None


def frames_of(record: Record) -> Iterator[Frame]:
    """Yield the moments of a record that agrees with the rules."""
    game = Game(record["players"], record["collectors"], record["leader"], record["seed"] or 0, record["deck"])
    states = game.state
    events = iter(record["events"])
    yield Frame(states.copy(), None)
    for event in events:
        before = states.copy()
        _step(states, parse_action(event[2]))
        waits = wait_for_dice(states["phase"][0])
        if event[2].startswith("place") and not _is_claiming(before, states):
            yield Frame(before, event[:3], PLACED)
            if not waits:
                yield Frame(states.copy(), None)
        else:
            yield Frame(states.copy(), event[:3])
        while wait_for_dice(states["phase"][0]):
            roll = next(events)
            dice = dice_of(roll)
            roll_row(states, 0)
            states["rolled"][0, : len(dice)] = dice
            yield Frame(states.copy(), roll, ROLLING)
            ghost, number = _after_ghost(states), int(states["round_number"][0])
            _step(states, DRAW)
            is_next = int(states["phase"][0]) == OVER or int(states["round_number"][0]) != number
            if ghost is not None and is_next:
                yield Frame(ghost, None)
            if is_next or not wait_for_dice(states["phase"][0]):
                yield Frame(states.copy(), None)


def _step(states: NDArray[np.void], action: int) -> None:
    """Let the engine play an action, or settle dice."""
    step_rows(states.view(np.uint8), 0, 1, *new_arrays(1), np.array([action], np.int64))


def _after_ghost(states: NDArray[np.void]) -> NDArray[np.void] | None:
    """Return the game with the dice of the Ghost on their cards, if it is the Ghost that rolls.

    The engine continues at once when they are placed, and the round may end with them: an additional card, which the
    Ghost cannot take and whose dice must be rolled, makes a copy of the game stop before that. The page does the same.
    """
    if int(states["phase"][0]) != GHOST_ROLL:
        return None
    copy = states.copy()
    slot = int(states["slots"][0])
    _put(copy, slot + 1, slot, card=0, down=NONE, holder=0, dice=DICE, effort=EFFORTS)
    _step(copy, DRAW)
    _put(copy, slot, slot, card=NONE, down=NONE, holder=NONE, dice=0, effort=0)
    return copy if int(copy["phase"][0]) == COLLECT_ROLL else None


def _put(states: NDArray[np.void], slots: int, slot: int, **values: int) -> None:
    """Set the number of slots, and the fields of one of them."""
    states["slots"] = slots
    for field, value in values.items():
        states[field][0, slot] = value


def _is_claiming(before: NDArray[np.void], states: NDArray[np.void]) -> bool:
    """Return whether dice that were placed are still on the table."""
    same_round = int(states["round_number"][0]) == int(before["round_number"][0])
    return same_round and int(states["phase"][0]) in _STILL_CLAIMING
