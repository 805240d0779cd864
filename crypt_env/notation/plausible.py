"""Whether play can reach a position. Each reason why it cannot is one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypt_env.errors import PositionError
from crypt_env.rules.actions import FLIP
from crypt_env.rules.batch import new_arrays, step_rows
from crypt_env.rules.cards import (
    CARD_TEXTS,
    IDOL,
    KIND_NAMES,
    KINDS,
    MANUSCRIPT,
    POTTERY,
    REMAINS,
    VALUES,
    check_deck,
)
from crypt_env.rules.flips import PUBLIC
from crypt_env.rules.state import (
    AFTER_CLAIM,
    ANSWER,
    BEFORE_CLAIM,
    CLAIM,
    COLLECT,
    IN_CRYPT,
    NONE,
    OVER,
    REVEALED,
    SIDE_A,
    SIDE_B,
)
from crypt_env.states import first_fault

from .outcome import sheets_of
from .position import State, format_position, read_fields

_FLIPPING_SIDES = {
    int(IDOL): (SIDE_A, SIDE_B),
    int(MANUSCRIPT): (SIDE_B,),
    int(POTTERY): (SIDE_B,),
    int(REMAINS): (SIDE_A,),
}


def parse_position(text: str) -> State:
    """Return the game that a text describes.

    Raises:
        PositionError: the text is not a position, or play cannot reach it.
    """
    try:
        states = read_fields(text)
        state = states[0]
        check_deck(state["deck"][: state["deck_size"]].tolist(), int(state["players"]))
        if fault := first_fault(states):
            raise ValueError(fault[1])
    except PositionError:
        raise
    except (ValueError, IndexError) as error:
        raise PositionError(f"impossible position: {error}") from error
    for reason in _reasons(state):
        raise PositionError(f"impossible position: {reason}")
    if state["phase"] == OVER:
        state["scores"][: state["players"]] = [sheet.total for sheet in sheets_of(states)]
    if state["chosen"] >= 0:
        _check_payment(states)
    return states


def _reasons(state: np.void) -> Iterator[str]:
    """Yield every reason why play cannot reach a position that the engine can continue."""
    if state["players"] == 1 and state["leader_rule"] != 0:
        yield "in a solo game the player leads the odd rounds and the Ghost the even ones"
    yield from _crypt_reasons(state)
    if state["sides"][MANUSCRIPT] == SIDE_A:
        yield from _down_reasons(state)
    for seat in range(state["players"]):
        yield from _flip_reasons(state, seat)
        yield from _idol_reasons(state, seat)
    if bool((state["idol_bonus"] == 5).any()) != (state["idol_round"] >= 0):
        yield "Idol B was first reached in a round that does not fit the seats with its 5 coins"
    taker = int(state["taker"])
    if taker >= 0 and state["held"][taker][POTTERY] - state["unflipped"][taker][POTTERY] < 2:
        yield f"seat {taker} takes a card without two flipped Pottery of side B"
    if state["chosen"] < 0 <= state["first_flip"]:
        yield "the first of two flipped cards is given, but not what they pay for"
    yield from _end_reasons(state)


def _crypt_reasons(state: np.void) -> Iterator[str]:
    phase = int(state["phase"])
    for slot in range(state["slots"]):
        holder, has_card = int(state["holder"][slot]), state["card"][slot] >= 0
        if holder >= 0 and phase == OVER:
            yield f"dice on slot {slot} although the game is over"
        if phase == COLLECT and holder >= 0 and (holder >= state["players"] or state["effort"][slot] == 1):
            yield f"failed dice on slot {slot}, which were never rolled"
        if not has_card and phase in (BEFORE_CLAIM, ANSWER, CLAIM, AFTER_CLAIM) and state["down"][slot] < 0:
            yield f"no card in slot {slot}; only a face-down card can leave the Crypt before it is collected"


def _down_reasons(state: np.void) -> Iterator[str]:
    """Yield which face-down cards were seen by others than their owners, at a table without peeks."""
    for down in range(state["downs"]):
        place = int(state["down_place"][down])
        owner = 1 << place if place < IN_CRYPT else 0
        if place != REVEALED and state["down_seen"][down] != owner:
            name = f"face-down card {down + 1} ({CARD_TEXTS[state['down_card'][down]]})"
            yield f"{name} was seen by others than its owner, which takes a Manuscript of side B"


def _flip_reasons(state: np.void, seat: int) -> Iterator[str]:
    """Yield which types a seat has flipped that are never flipped at this table."""
    for kind in range(KINDS):
        is_flipped = state["held"][seat][kind] > state["unflipped"][seat][kind]
        if is_flipped and state["sides"][kind] not in _FLIPPING_SIDES.get(kind, ()):
            yield f"seat {seat} has flipped {KIND_NAMES[kind]}, which on this table is never flipped"


def _idol_reasons(state: np.void, seat: int) -> Iterator[str]:
    held, coins = int(state["held"][seat][IDOL]), int(state["idol_bonus"][seat])
    if state["sides"][IDOL] == SIDE_A:
        if coins:
            yield f"seat {seat} has coins from Idol B, which is not on this table"
        return
    if coins and held < 2:
        yield f"seat {seat} has coins from Idol B without two Idols"
    if held >= 2 and not coins and state["phase"] not in (BEFORE_CLAIM, ANSWER):
        yield f"seat {seat} holds {held} Idols but has no coins from Idol B, which come by themselves"
    flipped = held - int(state["unflipped"][seat][IDOL])
    if flipped != (2 if coins == 5 else 0):
        yield f"seat {seat} has flipped {flipped} Idols; the first to hold two flip two, others none"


def _end_reasons(state: np.void) -> Iterator[str]:
    if state["phase"] == OVER:
        if state["drawn"] < state["deck_size"]:
            yield "the game is over although there are cards in the deck"
        if state["winners"] == 0:
            yield "a game that is over needs winners"
    elif state["winners"]:
        yield "winners before the game is over"


def _check_payment(states: State) -> None:
    """Raise PositionError unless the seat, after its choice, has to say which card it flips."""
    state = states[0]
    before = states.copy()
    before["chosen"] = before["first_flip"] = NONE
    played = _after(before, int(state["chosen"]))
    first = int(state["first_flip"])
    if first != played[0]["first_flip"] and 0 <= first < PUBLIC and played[0]["chosen"] >= 0:
        played = _after(played, FLIP + int(state["down_card"][first]) % VALUES)
    played["decisions"] = state["decisions"]
    if (played != states).any():
        raise PositionError(
            f"impossible position: seat {state['mover']} is not asked here which card it flips: "
            f"{format_position(states)}"
        )


def _after(states: State, action: int) -> State:
    """Return the game after an action, up to the next stop; unchanged if the action is not legal."""
    played = states.copy()
    step_rows(played.view(np.uint8), 0, 1, *new_arrays(1), np.array([action], np.int64))
    return played
