"""What a seat may know, written into one flat vector of small integers.

`LAYOUT` is the one table of the vector: the compiled writer below, `crypt_env.notation.view` and the documentation all
read it. Everything is relative to the observer: seat 0 is itself, 1 the next one clockwise; in a solo game 1 is the
Ghost. Values that the observer does not know are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .actions import PEEK, REROLL, REVIVE, TAKE
from .cards import CARDS, KINDS, MAX_FACE_DOWN, MAX_PLAYERS, MAX_SLOTS, ROUNDS, kind_of, value_of
from .claim import is_lights_out
from .compiled import int64, part, rule
from .state import ANSWER, CLAIM, DISCARDED, REVEALED, has_seen

OTHERS = MAX_PLAYERS - 1
DECISION_PHASES = 5
PAYMENTS = ("take", "peek", "revive", "reroll")
"""Actions that a player pays for with flipped cards, in the order of the part `paying`."""
PAID = len(PAYMENTS)


class Part(NamedTuple):
    """One named part of the observation."""

    name: str
    start: int
    shape: tuple[int, ...]
    high: int
    """Largest value; the smallest is 0."""
    meaning: str

    @property
    def size(self) -> int:
        """Return how many numbers the part has."""
        return int(np.prod(self.shape))

    @property
    def stop(self) -> int:
        """Return the index after the last number."""
        return self.start + self.size


_PARTS: list[tuple[str, tuple[int, ...], int, str]] = [
    ("players", (MAX_PLAYERS,), 1, "one-hot: number of players, 1 to 4"),
    ("sides", (KINDS,), 1, "Collector of each type: 0 side A, 1 side B"),
    ("rounds_left", (1,), 8, "rounds after this one"),
    (
        "phase",
        (DECISION_PHASES,),
        1,
        "one-hot: window before the Claim, Claim, window after it, Collect, answer to a take; all 0 when over",
    ),
    ("mover", (MAX_PLAYERS,), 1, "one-hot: seat that decides; all 0 when over"),
    ("taker", (MAX_PLAYERS,), 1, "one-hot: seat whose take may be answered"),
    (
        "taking",
        (MAX_SLOTS,),
        1,
        "one-hot: slot of the card that it takes, or that the observer has to pay for",
    ),
    ("paying", (PAID,), 1, "one-hot: what the observer has chosen and now flips cards for: take, peek, revive, reroll"),
    ("paying_effort", (1,), 6, "the effort of that reroll"),
    ("first_flip", (1,), 4, "value of the first of two cards that it flips, once decided; 0 for a public one"),
    ("leader", (MAX_PLAYERS,), 1, "one-hot: seat with the Leader card"),
    ("lights_out", (1,), 1, "whether this is the Lights Out turn"),
    ("slots_passed", (1,), 5, "slots up to this one are closed for the rest of the Claim turn; 0 before the first die"),
    ("ghost_pushed", (1,), 3, "Ghost dice pushed off this round that it has not rolled again"),
    ("deck_types", (KINDS,), 8, "cards of each type left in the deck"),
    ("deck_top", (KINDS,), 1, "one-hot: type of the top card; all 0 when the deck is empty"),
    ("unseen", (CARDS,), 2, "copies of each card whose value the observer has not seen: deck, face-down, hidden"),
    ("slot_type", (MAX_SLOTS, KINDS), 1, "one-hot: type of the card; all 0 for a gap"),
    ("slot_value", (MAX_SLOTS,), 4, "its value if the observer knows it"),
    ("slot_face_down", (MAX_SLOTS,), 1, "whether it is face-down"),
    ("slot_seen_by", (MAX_SLOTS, OTHERS), 1, "which other seats have seen the face-down card"),
    ("slot_holder", (MAX_SLOTS, MAX_PLAYERS), 1, "one-hot: whose dice are on it"),
    ("slot_dice", (MAX_SLOTS,), 3, "how many; in the Collect phase those that failed"),
    ("slot_effort", (MAX_SLOTS,), 6, "their effort value"),
    ("ready", (MAX_PLAYERS,), 3, "dice on the Player card"),
    ("exhausted", (MAX_PLAYERS,), 3, "exhausted dice"),
    ("idol_bonus", (MAX_PLAYERS,), 5, "coins from Idol B"),
    (
        "idol_now",
        (1,),
        1,
        "whether Idol B was first reached in this round: who gets there before it ends earns as much",
    ),
    ("unflipped", (MAX_PLAYERS, KINDS), 8, "cards of each type that can still be flipped"),
    ("cards", (MAX_PLAYERS, CARDS), 2, "copies of each card in the collection whose value the observer knows"),
    ("unknown", (MAX_PLAYERS, KINDS), 8, "cards of each type in the collection whose value the observer does not know"),
    (
        "hidden_owner",
        (MAX_FACE_DOWN, MAX_PLAYERS),
        1,
        "one-hot: who holds the n-th card that was drawn face-down, if not flipped",
    ),
    ("hidden_discarded", (MAX_FACE_DOWN,), 1, "whether it was discarded after some seat had seen it"),
    ("hidden_type", (MAX_FACE_DOWN,), 6, "1 + its type"),
    ("hidden_value", (MAX_FACE_DOWN,), 4, "its value if the observer has seen it"),
    ("hidden_seen_by", (MAX_FACE_DOWN, OTHERS), 1, "which other seats have seen it"),
]


def _lay_out() -> tuple[Part, ...]:
    """Return the parts, one after the other."""
    parts: list[Part] = []
    start = 0
    for name, shape, high, meaning in _PARTS:
        parts.append(Part(name, start, shape, high, meaning))
        start = parts[-1].stop
    return tuple(parts)


LAYOUT = _lay_out()
FEATURES = LAYOUT[-1].stop
LAYOUT_VERSION = 1
"""Increases whenever the meaning of a vector changes, so that a stored network can be refused."""

_AT = {part.name: part.start for part in LAYOUT}
_PLAYERS, _SIDES, _ROUNDS_LEFT, _PHASE = _AT["players"], _AT["sides"], _AT["rounds_left"], _AT["phase"]
_MOVER, _LEADER, _LIGHTS_OUT = _AT["mover"], _AT["leader"], _AT["lights_out"]
_TAKER, _TAKING, _PAYING = _AT["taker"], _AT["taking"], _AT["paying"]
_PAYING_EFFORT, _FIRST_FLIP = _AT["paying_effort"], _AT["first_flip"]
_SLOTS_PASSED, _GHOST_PUSHED = _AT["slots_passed"], _AT["ghost_pushed"]
_DECK_TYPES, _DECK_TOP, _UNSEEN = _AT["deck_types"], _AT["deck_top"], _AT["unseen"]
_SLOT_TYPE, _SLOT_VALUE, _SLOT_FACE_DOWN = _AT["slot_type"], _AT["slot_value"], _AT["slot_face_down"]
_SLOT_SEEN_BY, _SLOT_HOLDER = _AT["slot_seen_by"], _AT["slot_holder"]
_SLOT_DICE, _SLOT_EFFORT = _AT["slot_dice"], _AT["slot_effort"]
_READY, _EXHAUSTED, _IDOL_BONUS, _IDOL_NOW = _AT["ready"], _AT["exhausted"], _AT["idol_bonus"], _AT["idol_now"]
_UNFLIPPED, _CARDS, _UNKNOWN = _AT["unflipped"], _AT["cards"], _AT["unknown"]
_HIDDEN_OWNER, _HIDDEN_DISCARDED, _HIDDEN_TYPE = _AT["hidden_owner"], _AT["hidden_discarded"], _AT["hidden_type"]
_HIDDEN_VALUE, _HIDDEN_SEEN_BY = _AT["hidden_value"], _AT["hidden_seen_by"]


@rule
def relative(game: np.record, viewer: int, seat: int) -> int:
    """Return how many seats clockwise from the viewer a seat is."""
    distance = int64(seat) - viewer
    # The mask changes nothing; it tells the compiler that no index made from the result is negative.
    return (distance + int64(game.seats) if distance < 0 else distance) & OTHERS


@rule
def write_observation(game: np.record, viewer: int, out: np.ndarray) -> None:
    """Write all that a seat may know. ``out`` is int8 [FEATURES]."""
    out[:] = 0
    _write_clock(game, viewer, out)
    _write_deck(game, out)
    for slot in range(int64(game.slots)):
        _write_slot(game, viewer, slot, out)
    for place in range(MAX_PLAYERS):
        if place < game.seats:
            seat = viewer + place
            _write_seat(game, seat - int64(game.seats) if seat >= game.seats else seat, place, out)
    for down in range(int64(game.downs)):
        _write_down(game, viewer, down, out)


@part
def _write_clock(game: np.record, viewer: int, out: np.ndarray) -> None:
    """Write the table, the Torch cards and whose turn it is."""
    out[_PLAYERS + (int64(game.players) - 1 & OTHERS)] = 1
    for kind in range(KINDS):
        out[_SIDES + kind] = game.sides[kind]
    out[_ROUNDS_LEFT] = ROUNDS[game.players] - game.round_number - 1
    out[_LEADER + relative(game, viewer, int64(game.leader))] = 1
    if game.mover >= 0:
        out[_PHASE + int64(game.phase)] = 1
        out[_MOVER + relative(game, viewer, int64(game.mover))] = 1
        out[_LIGHTS_OUT] = game.phase == CLAIM and is_lights_out(game)
        out[_SLOTS_PASSED] = game.last_slot + 1
        if game.phase == ANSWER:
            out[_TAKER + relative(game, viewer, int64(game.taker))] = 1
            out[_TAKING + int64(game.taking)] = 1
        if game.chosen >= 0 and viewer == game.mover:
            _write_payment(game, out)
    out[_GHOST_PUSHED] = game.ghost_pushed
    out[_IDOL_NOW] = game.idol_round == game.round_number


@part
def _write_payment(game: np.record, out: np.ndarray) -> None:
    """Write what the deciding seat has chosen and flips cards for. No other seat knows of it yet."""
    action = int64(game.chosen)
    if action == PEEK:
        out[_PAYING + 1] = 1
    elif action == REVIVE:
        out[_PAYING + 2] = 1
    elif action < REROLL:
        out[_PAYING] = 1
        out[_TAKING + action - TAKE] = 1
    else:
        out[_PAYING + 3] = 1
        out[_PAYING_EFFORT] = action - REROLL + 2
    if 0 <= game.first_flip < MAX_FACE_DOWN:
        out[_FIRST_FLIP] = value_of(game.down_card[game.first_flip])


@part
def _write_deck(game: np.record, out: np.ndarray) -> None:
    """Write the deck and the values that are not public."""
    for kind in range(KINDS):
        out[_DECK_TYPES + kind] = game.deck_kinds[kind]
    if game.drawn < game.deck_size:
        out[_DECK_TOP + kind_of(game.deck[game.drawn])] = 1
    for card in range(CARDS):
        out[_UNSEEN + card] = game.unseen[card]


@rule
def _write_seen_by(game: np.record, viewer: int, down: int, is_shown: int, out: np.ndarray, start: int) -> None:
    """Write which of the other seats have seen a face-down card."""
    seen = int64(game.down_seen[down]) * is_shown
    turned = (seen >> viewer) | (seen << (int64(game.seats) - viewer))
    for place in range(1, MAX_PLAYERS):
        out[start + place - 1] = (turned >> place) & int64(place < game.seats)


@part
def _write_slot(game: np.record, viewer: int, slot: int, out: np.ndarray) -> None:
    """Write a slot of the Crypt: its card and the dice on it."""
    card = int64(game.card[slot])
    if card >= 0:
        down = int64(game.down[slot])
        out[_SLOT_TYPE + slot * KINDS + kind_of(card)] = 1
        if down < 0:
            out[_SLOT_VALUE + slot] = value_of(card)
        else:
            out[_SLOT_FACE_DOWN + slot] = 1
            out[_SLOT_VALUE + slot] = value_of(card) * int64(has_seen(game, down, viewer))
            _write_seen_by(game, viewer, down, int64(1), out, _SLOT_SEEN_BY + slot * OTHERS)
    dice = int64(game.dice[slot])
    holder = relative(game, viewer, max(int64(0), int64(game.holder[slot])))
    out[_SLOT_HOLDER + slot * MAX_PLAYERS + holder] = dice > 0
    out[_SLOT_DICE + slot] = dice
    out[_SLOT_EFFORT + slot] = game.effort[slot]


@part
def _write_seat(game: np.record, seat: int, place: int, out: np.ndarray) -> None:
    """Write what is public about a seat to its relative place."""
    out[_READY + place] = game.ready[seat]
    out[_EXHAUSTED + place] = game.exhausted[seat]
    out[_IDOL_BONUS + place] = game.idol_bonus[seat]
    for kind in range(KINDS):
        out[_UNFLIPPED + place * KINDS + kind] = game.unflipped[seat, kind]
    for card in range(CARDS):
        out[_CARDS + place * CARDS + card] = game.public[seat, card]


@part
def _write_down(game: np.record, viewer: int, down: int, out: np.ndarray) -> None:
    """Write what the viewer may know of a card that was drawn face-down.

    What does not apply is written as 0 rather than skipped: who has seen what is random, and a mispredicted branch
    costs more than the writes.
    """
    place = int64(game.down_place[down])
    card = int64(game.down_card[down])
    owner = relative(game, viewer, place & OTHERS)
    is_held = int64(place < MAX_PLAYERS)
    is_remembered = int64(place == DISCARDED) * int64(game.down_seen[down] != 0)
    is_listed = is_held + is_remembered
    is_seen = int64(has_seen(game, down, viewer)) * int64(place != REVEALED)
    is_known = is_seen * is_held
    out[_UNSEEN + card] -= is_seen
    out[_CARDS + owner * CARDS + card] += is_known
    out[_UNKNOWN + owner * KINDS + kind_of(card)] += is_held - is_known
    out[_HIDDEN_OWNER + down * MAX_PLAYERS + owner] = is_held
    out[_HIDDEN_DISCARDED + down] = is_remembered
    out[_HIDDEN_TYPE + down] = (kind_of(card) + 1) * is_listed
    out[_HIDDEN_VALUE + down] = value_of(card) * is_seen * is_listed
    _write_seen_by(game, viewer, down, is_listed, out, _HIDDEN_SEEN_BY + down * OTHERS)
