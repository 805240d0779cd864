"""Whether a position can come up. Each reason why it cannot is one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypt_env.errors import PositionError
from crypt_env.rules.actions import DICE, DRAW, FLIP
from crypt_env.rules.arrays import new_arrays
from crypt_env.rules.batch import sheet_rows, step_rows
from crypt_env.rules.cards import (
    CARD_TEXTS,
    FACE_UP,
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
from crypt_env.rules.score import SHEET_LINES
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
from crypt_env.table import leader_rule

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
        PositionError: the text is no position, or one that cannot come up.
    """
    try:
        states = read_fields(text)
        state = states[0]
        _check_table(state)
    except PositionError:
        raise
    except (ValueError, IndexError) as error:
        raise PositionError(f"impossible position: {error}") from error
    for reason in _reasons(state):
        raise PositionError(f"impossible position: {reason}")
    if state["phase"] == OVER:
        sheets = np.zeros((1, len(state["scores"]), len(SHEET_LINES)), np.int16)
        sheet_rows(states, 0, 1, sheets)
        state["scores"] = sheets[0].sum(axis=1)
    if state["chosen"] < 0:
        _check_asked(states)
    else:
        _check_payment(states)
    return states


def _check_table(state: np.void) -> None:
    """Check what the rest of the position is built on: the deck, the round and the Leader."""
    players, seats = int(state["players"]), int(state["seats"])
    check_deck([int(card) for card in state["deck"][: state["deck_size"]]], players)
    rounds = state["deck_size"] // state["slots"]
    if state["round_number"] >= rounds:
        raise PositionError(f"impossible position: round {state['round_number'] + 1} of a game with {rounds} rounds")
    if state["leader"] >= seats:
        raise PositionError(f"impossible position: Leader on seat {state['leader']} of {seats} seats")
    if players == 1 and state["leader_rule"] != 0:
        raise PositionError(
            "impossible position: in a solo game the player leads the odd rounds and the Ghost the even ones"
        )
    leader_rule(int(state["leader_rule"]), seats)


def _reasons(state: np.void) -> Iterator[str]:
    """Yield every reason why a position on a proper table cannot come up."""
    yield from _dice_reasons(state)
    yield from _crypt_reasons(state)
    yield from _down_reasons(state)
    yield from _collection_reasons(state)
    yield from _take_reasons(state)
    if state["chosen"] < 0 <= state["first_flip"]:
        yield "a first of two cards that are flipped, but nothing that they pay for"
    yield from _end_reasons(state)


def _dice_reasons(state: np.void) -> Iterator[str]:
    """Yield what is wrong with the dice."""
    failed = state["phase"] == COLLECT  # then the dice on the slots are some of the exhausted ones
    for seat in range(state["seats"]):
        placed = int(state["dice"][state["holder"] == seat].sum())
        ready, exhausted = int(state["ready"][seat]), int(state["exhausted"][seat])
        if ready + exhausted + (0 if failed else placed) != DICE or (failed and placed > exhausted):
            yield f"seat {seat} has {ready} ready, {exhausted} exhausted and {placed} placed dice; everybody has {DICE}"
        if seat >= state["players"] and exhausted:
            yield "the Ghost's dice are never exhausted"
    if state["ghost_pushed"] and (state["players"] > 1 or state["ghost_pushed"] > state["ready"][1]):
        yield f"{state['ghost_pushed']} Ghost dice pushed off, which is more than the Ghost has off the cards"


def _crypt_reasons(state: np.void) -> Iterator[str]:
    """Yield what is wrong with the slots."""
    players, phase = int(state["players"]), int(state["phase"])
    for slot in range(state["slots"]):
        holder, has_card = int(state["holder"][slot]), state["card"][slot] >= 0
        if holder >= state["seats"]:
            yield f"slot {slot} is held by seat {holder}, but there are {state['seats']} seats"
        if holder >= 0 and phase in (BEFORE_CLAIM, ANSWER, OVER):
            yield f"dice on slot {slot} although nobody places dice in this phase"
        if phase in (CLAIM, AFTER_CLAIM) and holder >= 0 and not has_card:
            yield f"dice on slot {slot}, where there is no card"
        if phase == CLAIM and holder >= 0 and not _has_had_turn(state, holder):
            yield f"dice of seat {holder} on slot {slot}, but its turn has not come yet"
        if phase == COLLECT and holder >= 0 and (holder >= players or state["effort"][slot] == 1):
            yield f"failed dice on slot {slot}, which were never rolled"
        if not has_card and phase in (BEFORE_CLAIM, ANSWER, CLAIM, AFTER_CLAIM) and state["down"][slot] < 0:
            yield f"no card in slot {slot}; only a face-down card can leave the Crypt before it is collected"
    if phase != CLAIM and state["last_slot"] >= 0:
        yield "dice are placed only in the claim phase"
    if phase == CLAIM and state["last_slot"] >= 0 and state["holder"][state["last_slot"]] != state["mover"]:
        yield f"the dice placed last, on slot {state['last_slot']}, are not those of seat {state['mover']}"


def _has_had_turn(state: np.void, seat: int) -> bool:
    """Return whether a seat can have placed dice by this point of the Claim."""
    first_turn = (seat - int(state["leader"])) % int(state["seats"])
    turn = int(state["turn"])
    return first_turn < turn or (first_turn == turn and int(state["last_slot"]) >= 0)


def _down_reasons(state: np.void) -> Iterator[str]:
    """Yield what is wrong with the cards that were drawn face-down."""
    in_slot = [int(down) for card, down in zip(state["card"], state["down"], strict=True) if card >= 0 and down >= 0]
    for down in range(state["downs"]):
        place, seen = int(state["down_place"][down]), int(state["down_seen"][down])
        name = f"face-down card {down + 1} ({CARD_TEXTS[state['down_card'][down]]})"
        if (place == IN_CRYPT) != (down in in_slot):
            yield f"{name} is {'not ' * (place == IN_CRYPT)}in the Crypt of this round"
        if seen >> state["players"]:
            yield f"{name} was seen by a seat that is no player's"
        if place < IN_CRYPT and (place >= state["players"] or not seen >> place & 1):
            yield f"{name} is held by seat {place}, which is no player or has not seen it"
        if place == REVEALED and not state["public"][:, state["down_card"][down]].any():
            yield f"{name} was flipped but is in no collection"
        owner = 1 << place if place < IN_CRYPT else 0
        if state["sides"][MANUSCRIPT] == SIDE_A and place != REVEALED and seen != owner:
            yield f"{name} was seen by others than its owner, which takes a Manuscript of side B"


def _shown(state: np.void) -> np.ndarray:
    """Return how many copies of each card could lie in collections with a public value."""
    collected = state["drawn"] if state["phase"] in (COLLECT, OVER) else state["drawn"] - state["slots"]
    shown = np.zeros(KINDS * VALUES, np.int64)
    for position in range(collected):
        if position % state["slots"] < FACE_UP[state["players"]]:
            shown[state["deck"][position]] += 1
    for down in range(state["downs"]):
        shown[state["down_card"][down]] += state["down_place"][down] == REVEALED
    return shown


def _collection_reasons(state: np.void) -> Iterator[str]:
    """Yield what is wrong with the collections."""
    shown, public = _shown(state), state["public"].sum(axis=0)
    for card in np.flatnonzero(public > shown):
        yield f"{CARD_TEXTS[card]} lies face-up {public[card]} times in collections, but was shown {shown[card]} times"
    for seat in range(state["players"]):
        for kind in range(KINDS):
            flipped = int(state["held"][seat][kind]) - int(state["unflipped"][seat][kind])
            known = int(state["public"][seat][kind * VALUES : (kind + 1) * VALUES].sum())
            if flipped > known:
                yield f"seat {seat} has flipped {flipped} {KIND_NAMES[kind]} but shows {known}"
            if flipped and state["sides"][kind] not in _FLIPPING_SIDES.get(kind, ()):
                yield f"seat {seat} has flipped {KIND_NAMES[kind]}, which on this table is never flipped"
        yield from _idol_reasons(state, seat)
    has_first = bool((state["idol_bonus"] == 5).any())
    if has_first != (state["idol_round"] >= 0) or state["idol_round"] > state["round_number"]:
        yield "Idol B was first reached in a round that does not fit those who have its 5 coins"


def _idol_reasons(state: np.void, seat: int) -> Iterator[str]:
    """Yield what is wrong with a seat's Idols and their coins."""
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
        yield f"seat {seat} has flipped {flipped} Idols; those who are first to hold two flip two, others none"


def _take_reasons(state: np.void) -> Iterator[str]:
    """Yield what is wrong with a take that waits for answers."""
    taker, slot = int(state["taker"]), int(state["taking"])
    if (state["phase"] == ANSWER) != (taker >= 0):
        yield "a card is being taken exactly while others may answer"
    if taker < 0:
        return
    if taker >= state["players"] or slot >= state["slots"] or state["card"][slot] < 0 or state["down"][slot] < 0:
        yield f"seat {taker} takes the card in slot {slot}, which is no player or no face-down card"
    elif state["sides"][POTTERY] == SIDE_A or state["held"][taker][POTTERY] - state["unflipped"][taker][POTTERY] < 2:
        yield f"seat {taker} takes a card without two flipped Pottery of side B"


def _end_reasons(state: np.void) -> Iterator[str]:
    """Yield what is wrong with the end of the game."""
    if state["phase"] == OVER:
        if state["drawn"] < state["deck_size"]:
            yield "the game is over although there are cards in the deck"
        if state["winners"] == 0 or state["winners"] >> state["players"]:
            yield "a game that is over needs winners that are players"
    elif state["winners"]:
        yield "winners before the game is over"


def _check_asked(states: State) -> None:
    """Raise PositionError unless the engine, going on from here, stops at once at the same place."""
    state = states[0]
    copy = states.copy()
    copy["mover"] = NONE
    step_rows(copy.view(np.uint8), 0, 1, *new_arrays(1), np.full(1, DRAW, np.int64))
    copy["rolled"] = state["rolled"]
    if (copy != states).any():
        raise PositionError(
            f"impossible position: seat {state['mover']} is not asked here, because it has at most one legal action or "
            f"something happens first: {format_position(states)}"
        )


def _check_payment(states: State) -> None:
    """Raise PositionError unless its seat, having chosen what it has chosen, is asked which card it flips."""
    state = states[0]
    before = states.copy()
    before["chosen"] = before["first_flip"] = NONE
    _check_asked(before)
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
    """Return the game after an action, up to the next stop; the same if the action is not legal."""
    played = states.copy()
    step_rows(played.view(np.uint8), 0, 1, *new_arrays(1), np.array([action], np.int64))
    return played
