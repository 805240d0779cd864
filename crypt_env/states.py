"""Validation of game records that come from elsewhere, such as a file or a network connection.

The engine trusts its records: an invalid one may crash it. Those of batches and games are always valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import CryptError, quoted
from .rules.actions import DICE, EFFORTS, FLIP, PEEK, REROLL, REVIVE, TAKE
from .rules.batch import new_arrays, step_rows, view_rows
from .rules.cards import (
    CARDS,
    COPIES,
    DECK_SIZES,
    FACE_DOWN,
    FACE_UP,
    IDOL,
    KINDS,
    MANUSCRIPT,
    MAX_DECK,
    MAX_FACE_DOWN,
    MAX_PLAYERS,
    MAX_SLOTS,
    POTTERY,
    REMAINS,
    ROUNDS,
    VALUES,
)
from .rules.deal import TABLES
from .rules.flips import PUBLIC
from .rules.ghost import laid_order
from .rules.state import (
    AFTER_CLAIM,
    ANSWER,
    BEFORE_CLAIM,
    CLAIM,
    COLLECT,
    GAME,
    IN_CRYPT,
    MOST_DECISIONS,
    NEW,
    NONE,
    OVER,
    REVEALED,
    REWARD_NAMES,
    SIDE_B,
)

States = NDArray[np.void]
"""Games: an array of `rules.state.GAME`. [N]"""
Bools = NDArray[np.bool_]
Fault = tuple[Any, str]
"""Which games have a fault, bool [N], and its description."""

_COINS = 999
"""More than any player can be paid."""

_ANY = ("chance", "choice", "seed", "index", "episode")
"""Fields in which every number is valid."""

_RANGES = {
    "decisions": (0, MOST_DECISIONS),
    "scores": (0, _COINS),
    "paid": (-_COINS, _COINS),
    "players": (1, MAX_PLAYERS),
    "table_rule": (NONE, TABLES - 1),
    "leader_rule": (NONE, MAX_PLAYERS - 1),
    "reward_rule": (0, len(REWARD_NAMES) - 1),
    "dense": (0, 1),
    "restarts": (0, 1),
    "pauses": (0, 1),
    "deck_given": (0, 1),
    "learner": (0, MAX_PLAYERS - 1),
    "seats": (0, MAX_PLAYERS),
    "slots": (0, MAX_SLOTS),
    "deck_size": (0, MAX_DECK),
    "drawn": (0, MAX_DECK),
    "round_number": (0, int(ROUNDS.max()) - 1),
    "leader": (0, MAX_PLAYERS - 1),
    "sides": (0, 1),
    "deck": (NONE, CARDS - 1),
    "deck_kinds": (0, int(COPIES.max()) * VALUES),
    "unseen": (0, int(COPIES.max())),
    "phase": (BEFORE_CLAIM, NEW),
    "turn": (0, MAX_SLOTS),
    "mover": (NONE, MAX_PLAYERS - 1),
    "last_slot": (NONE, MAX_SLOTS - 1),
    "chosen": (NONE, FLIP - 1),
    "first_flip": (NONE, int(PUBLIC)),
    "taker": (NONE, MAX_PLAYERS - 1),
    "taking": (NONE, MAX_SLOTS - 1),
    "card": (NONE, CARDS - 1),
    "down": (NONE, MAX_FACE_DOWN - 1),
    "holder": (NONE, MAX_PLAYERS - 1),
    "dice": (0, DICE),
    "effort": (0, EFFORTS),
    "ready": (0, DICE),
    "exhausted": (0, DICE),
    "ghost_pushed": (0, DICE),
    "idol_round": (NONE, int(ROUNDS.max()) - 1),
    "idol_bonus": (0, 5),
    "held": (0, int(COPIES.max()) * VALUES),
    "unflipped": (0, int(COPIES.max()) * VALUES),
    "public": (0, int(COPIES.max())),
    "downs": (0, MAX_FACE_DOWN),
    "down_card": (NONE, CARDS - 1),
    "down_place": (NONE, REVEALED),
    "down_seen": (0, 2**MAX_PLAYERS - 1),
    "rolled": (0, EFFORTS),
    "winners": (0, 2**MAX_PLAYERS - 1),
    "busy": (0, 0),
}
"""The minimum and maximum of a field at any table."""


def check_states(states: States) -> None:
    """Raise an error unless all records are games that the engine can continue.

    A valid game was not dealt yet, waits for a decision, or is over. Cards, dice and the turn are checked, but not
    whether play can reach such a position; `Game.from_text` checks that for texts.

    Raises:
        CryptError: a record is invalid; the message says why.
    """
    if not isinstance(states, np.ndarray) or states.dtype != GAME or states.ndim != 1:
        found = f"{states.dtype} with shape {states.shape}" if isinstance(states, np.ndarray) else quoted(states)
        raise CryptError(f"games are an array of crypt_env.rules.state.GAME with one dimension, not {found}")
    if fault := first_fault(states):
        raise CryptError(f"game {fault[0]}: {fault[1]}")


def first_fault(states: States) -> tuple[int, str] | None:
    """Return the first invalid game that is found, and what is wrong with it."""
    for name, (least, most) in _RANGES.items():
        wrong = (states[name] < least) | (states[name] > most)
        if wrong.any():
            row = int(np.flatnonzero(wrong.reshape(len(states), -1).any(axis=1))[0])
            value = states[name][row][wrong[row]] if wrong.ndim > 1 else states[name][row]
            return row, f"{name} is {np.ravel(value)[0]}; allowed are numbers from {least} to {most}"
    for is_wrong, reason in _faults(states):
        if is_wrong.any():
            return int(np.argmax(is_wrong)), reason
    return None


def _faults(states: States) -> Iterator[Fault]:
    """Yield which games have a fault, and the fault; each check assumes that the earlier ones passed."""
    is_dealt = states["phase"] != NEW
    yield from _table_faults(states, is_dealt)
    found = np.zeros(len(states), np.bool_)
    for is_wrong, reason in _faults_of_dealt(states[is_dealt]):
        found[is_dealt] = is_wrong
        yield found, reason


def _faults_of_dealt(games: States) -> Iterator[Fault]:
    """Yield the faults of dealt games, at tables without faults."""
    yield from _deck_faults(games)
    yield from _down_faults(games)
    yield from _crypt_faults(games)
    yield from _collection_faults(games)
    yield from _dice_faults(games)
    yield from _turn_faults(games)
    yield from _payment_faults(games)
    nothing = "its seat has nothing to decide here: it has at most one legal action, or something happens first"
    yield _is_asked_wrongly(games), nothing


def _table_faults(states: States, is_dealt: Bools) -> Iterator[Fault]:
    """Yield the faults of the table's settings and of the sizes that follow from them."""
    players = states["players"].astype(np.int64)
    phase, mover = states["phase"], states["mover"]
    seats, rounds = np.maximum(players, 2), states["round_number"].astype(np.int64) + 1
    waits = ((phase > ANSWER) & (phase < OVER)) | (phase > NEW)
    yield waits, "it waits for dice; a seat must decide in it, or it must be over"
    yield (mover >= 0) != (phase <= ANSWER), "a seat is asked where none decides, or none where one does"
    yield is_dealt & (rounds > ROUNDS[players]), "it has no such round"
    yield states["leader_rule"] >= seats, "its first Leader has no seat at this table"
    yield states["learner"] >= players, "its learner is not a player"
    slots = (FACE_UP + FACE_DOWN)[players]
    right = {
        "seats": seats,
        "slots": slots,
        "deck_size": DECK_SIZES[players],
        "drawn": rounds * slots,
        "downs": rounds * FACE_DOWN[players],
    }
    for name, numbers in right.items():
        yield is_dealt & (states[name] != numbers), f"{name} does not fit the number of players and the round"
    is_used = is_dealt | (states["deck_given"] == 1)
    wrong = np.zeros(len(states), np.bool_)
    wrong[is_used] = (_count(states["deck"], 0, DECK_SIZES[players])[is_used] != COPIES[players][is_used]).any(axis=1)
    yield wrong, "its deck does not hold the cards of this number of players"


def _count(cards: NDArray[np.int8], start: NDArray[Any] | int, stop: NDArray[Any]) -> NDArray[np.int64]:
    """Return how often each card is in the deck from ``start`` to before ``stop``. [N, CARDS]"""
    places = np.arange(cards.shape[1])
    return _per_card(cards, (places >= np.reshape(start, (-1, 1))) & (places < np.reshape(stop, (-1, 1))))


def _by_kind(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up numbers of cards by type. [..., CARDS] to [..., KINDS]"""
    return np.asarray(cards.reshape(*cards.shape[:-1], KINDS, VALUES).sum(axis=-1))


def _deck_faults(games: States) -> Iterator[Fault]:
    """Yield the faults of the deck and of its public part."""
    left = _count(games["deck"], games["drawn"].astype(np.int64), games["deck_size"].astype(np.int64))
    yield (games["deck_kinds"] != _by_kind(left)).any(axis=1), "deck_kinds does not count the deck"
    places = np.arange(MAX_FACE_DOWN)
    is_drawn = places < games["downs"][:, None]
    is_revealed = is_drawn & (games["down_place"] == REVEALED)
    hidden, revealed = (_per_card(games["down_card"], which) for which in (is_drawn & ~is_revealed, is_revealed))
    yield (games["unseen"] != left + hidden).any(axis=1), "unseen does not count the cards that are not public"
    drawn_up = COPIES[games["players"]] - left - hidden - revealed
    in_crypt = _per_card(games["card"], games["down"] < 0)
    shown = games["public"].astype(np.int64).sum(axis=1)
    yield (
        (shown > drawn_up - in_crypt + revealed).any(axis=1),
        "more copies of a card are public in collections than were shown",
    )
    yield (shown < revealed).any(axis=1), "a flipped card is in no collection"


def _per_card(cards: NDArray[np.int8], which: Bools) -> NDArray[np.int64]:
    """Return how often each card is among those chosen. [N, CARDS]"""
    return np.stack([(which & (cards == card)).sum(axis=1) for card in range(CARDS)], axis=1)


def _crypt_faults(games: States) -> Iterator[Fault]:
    """Yield the faults of the Crypt: its cards must be those of this round, in order, or have been taken."""
    rows = np.arange(len(games))[:, None]
    players, slots = (games[name].astype(np.int64)[:, None] for name in ("players", "slots"))
    places = np.arange(MAX_SLOTS)
    is_slot, is_down = places < slots, places >= FACE_UP[players]
    drawn = np.clip(games["drawn"].astype(np.int64)[:, None] - slots + places, 0, MAX_DECK - 1)
    cards = games["deck"][rows, drawn]
    order = np.where((players == 1) & is_slot, laid_order(cards, is_down, slots), places)
    right = np.where(is_down, games["downs"].astype(np.int64)[:, None] - slots + places, NONE)[rows, order]
    card, down = games["card"], games["down"]
    is_beyond = (card != NONE) | (down != NONE) | (games["holder"] != NONE)
    yield (is_beyond & ~is_slot).any(axis=1), "a slot that the table does not have is in use"
    differs = (card != NONE) & (card != cards[rows, order]) | (down != right)
    yield (is_slot & differs).any(axis=1), "a card in the Crypt is not the one that was dealt there"
    is_in_crypt = np.zeros((len(games), MAX_FACE_DOWN), np.bool_)
    numbers = np.where((card >= 0) & (down >= 0), down, MAX_FACE_DOWN)
    for slot in range(MAX_SLOTS):
        is_in_crypt |= numbers[:, slot : slot + 1] == np.arange(MAX_FACE_DOWN)
    is_there = games["down_place"] == IN_CRYPT
    yield (
        (is_there != is_in_crypt).any(axis=1),
        "a face-down card is said to be in the Crypt but is in no slot, or the other way round",
    )


def _down_faults(games: States) -> Iterator[Fault]:
    rows, players = np.arange(len(games))[:, None], games["players"].astype(np.int64)
    places = np.arange(MAX_FACE_DOWN)
    is_drawn = places < games["downs"][:, None]
    up, down = FACE_UP[players][:, None].astype(np.int64), FACE_DOWN[players][:, None].astype(np.int64)
    drawn_at = np.minimum(places // down * (up + down) + up + places % down, MAX_DECK - 1)
    right = np.where(is_drawn, games["deck"][rows, drawn_at], NONE)
    yield (games["down_card"] != right).any(axis=1), "down_card is not what the deck has there"
    place = games["down_place"]
    is_right = (place >= 0) & ((place < players[:, None]) | (place >= IN_CRYPT))
    yield (
        (np.where(is_drawn, is_right, place == NONE) == 0).any(axis=1),
        "a face-down card is in a place that the table does not have",
    )
    seen = np.where(is_drawn, games["down_seen"] >> players[:, None], games["down_seen"])
    yield (seen != 0).any(axis=1), "a face-down card was seen by a seat without a player"
    is_owned = is_drawn & (place < IN_CRYPT)
    is_known = games["down_seen"] >> np.clip(place, 0, MAX_PLAYERS - 1) & 1 == 1
    yield (is_owned & ~is_known).any(axis=1), "a card is hidden in the collection of a seat that has not seen it"


def _collection_faults(games: States) -> Iterator[Fault]:
    hidden = np.zeros((len(games), MAX_PLAYERS, KINDS), np.int64)
    is_drawn = np.arange(MAX_FACE_DOWN) < games["downs"][:, None]
    kinds = games["down_card"] // VALUES
    for seat in range(MAX_PLAYERS):
        is_own = is_drawn & (games["down_place"] == seat)
        for kind in range(KINDS):
            hidden[:, seat, kind] = (is_own & (kinds == kind)).sum(axis=1)
    held, unflipped = games["held"], games["unflipped"]
    yield (held != _by_kind(games["public"].astype(np.int64)) + hidden).any(axis=(1, 2)), "held miscounts collections"
    yield ((unflipped > held) | (unflipped < hidden)).any(axis=(1, 2)), "unflipped does not fit the cards that are held"
    is_unpaid = (games["sides"][:, IDOL] == SIDE_B)[:, None] & (games["idol_bonus"] == 0)
    yield (is_unpaid & (unflipped < held)[:, :, IDOL]).any(axis=1), "Idols are flipped that Idol B has not paid for"
    yield games["winners"] >> games["players"] != 0, "a seat without a player wins"
    yield games["idol_round"] > games["round_number"], "Idol B was first reached in a round that has not come yet"


def _dice_faults(games: States) -> Iterator[Fault]:
    dice, holder, seats, phase = games["dice"], games["holder"], games["seats"], games["phase"]
    yield (holder >= seats[:, None]).any(axis=1), "dice belong to a seat that the table does not have"
    is_taken = holder >= 0
    yield (
        ((is_taken != (dice > 0)) | (is_taken != (games["effort"] > 0))).any(axis=1),
        "dice on a slot belong to no seat",
    )
    is_open = (phase == BEFORE_CLAIM) | (phase == ANSWER)
    is_gone = (games["card"] < 0) & ((phase == CLAIM) | (phase == AFTER_CLAIM))[:, None]
    yield (is_taken & (is_open[:, None] | is_gone)).any(axis=1), "dice are where no seat can have placed them"
    for seat in range(MAX_PLAYERS):
        placed = (dice * (holder == seat)).sum(axis=1)
        own = games["ready"][:, seat].astype(np.int64) + games["exhausted"][:, seat]
        right = np.where(seat < seats, DICE, 0)
        is_failed = ((phase == COLLECT) | (phase == OVER)) & (own == right) & (placed <= games["exhausted"][:, seat])
        yield (
            ~is_failed & ((phase == COLLECT) | (own + placed != right)),
            f"seat {seat} does not have {DICE} dice, or has dice at a table without this seat",
        )
    is_alone = games["players"] == 1
    yield is_alone & (games["exhausted"][:, 1] > 0), "the Ghost's dice are never exhausted"
    yield (
        games["ghost_pushed"] > np.where(is_alone, games["ready"][:, 1], 0),
        "more Ghost dice are pushed off than the Ghost has off the cards",
    )


def _turn_faults(games: States) -> Iterator[Fault]:
    """Yield the faults of the turn, and of a take that awaits an answer."""
    phase, turn, seats = games["phase"], games["turn"].astype(np.int64), games["seats"].astype(np.int64)
    is_asked = games["mover"] >= 0
    yield games["leader"] >= seats, "the Leader has no seat at this table"
    turns = np.where((phase == CLAIM) & (seats == 2), 3, seats)
    yield is_asked & (turn >= turns), "the phase has no such turn"
    yield (
        is_asked & (games["mover"] != (games["leader"] + turn) % seats),
        "the seat that is asked is not the one whose turn it is",
    )
    yield games["mover"] >= games["players"], "the seat that is asked has no player"
    last = games["last_slot"]
    yield (
        (last >= games["slots"]) | ((last >= 0) & is_asked & (phase != CLAIM)),
        "dice were last placed on a slot that does not exist, or not in a Claim turn",
    )
    yield (phase == CLAIM) & _is_placed_too_soon(games), "dice belong to a seat that cannot have placed them yet"
    taker, taking = games["taker"], games["taking"]
    yield is_asked & ((phase == ANSWER) != (taker >= 0)), "a card is being taken exactly while others may answer"
    yield taker >= games["players"], "the seat that takes a card has no player"
    yield (phase == ANSWER) & ~_is_face_down(games, taking), "the card that is taken is not face-down in a slot"


def _is_placed_too_soon(games: States) -> Bools:
    """Return whether a seat has dice placed before its Claim turn, or the last slot has another seat's dice."""
    holder, last = games["holder"].astype(np.int64), games["last_slot"].astype(np.int64)[:, None]
    leader, seats, turn = (games[name].astype(np.int64)[:, None] for name in ("leader", "seats", "turn"))
    first_turn = (holder - leader) % seats
    is_to_come = (first_turn > turn) | (first_turn == turn) & (np.arange(MAX_SLOTS) > last)
    placed_last = np.take_along_axis(holder, np.maximum(last, 0), axis=1)
    is_others = (last >= 0) & (placed_last != games["mover"][:, None])
    found: Bools = ((holder >= 0) & is_to_come).any(axis=1) | is_others[:, 0]
    return found


def _is_face_down(games: States, slots: NDArray[np.integer]) -> Bools:
    """Return whether a slot of each game holds a face-down card; -1 means none."""
    rows, places = np.arange(len(games)), np.clip(slots, 0, MAX_SLOTS - 1).astype(np.int64)
    is_there = (slots >= 0) & (slots < MAX_SLOTS)
    found: Bools = is_there & (games["card"][rows, places] >= 0) & (games["down"][rows, places] >= 0)
    return found


def _payment_faults(games: States) -> Iterator[Fault]:
    """Yield the faults of an action that was chosen but not yet paid for."""
    chosen, first, phase = games["chosen"].astype(np.int64), games["first_flip"], games["phase"]
    rows, mover = np.arange(len(games)), np.maximum(games["mover"], 0).astype(np.int64)
    is_asked = games["mover"] >= 0
    is_take = (chosen >= TAKE) & (chosen < REROLL) & (phase == BEFORE_CLAIM) & _is_face_down(games, chosen - TAKE)
    possible = (
        (chosen == PEEK) & (phase != COLLECT),
        (chosen == REVIVE) & (phase == CLAIM),
        is_take,
        (chosen >= REROLL) & (phase == COLLECT),
    )
    kind = np.select(possible, (MANUSCRIPT, REMAINS, POTTERY, IDOL), NONE)
    price = np.select(possible, (1, 2, 2, 1), 0)
    yield is_asked & (chosen >= 0) & (kind < 0), "the chosen action is not one that is paid for here"
    is_short = games["unflipped"][rows, mover, kind] < price
    yield is_asked & (chosen >= 0) & is_short, "there are too few cards to flip for the chosen action"
    down = np.clip(first, 0, MAX_FACE_DOWN - 1).astype(np.int64)
    is_own = (games["down_place"][rows, down] == mover) & (games["down_card"][rows, down] // VALUES == kind)
    is_wrong = (first != PUBLIC) & ~is_own | (chosen < 0) | (price < 2)
    yield is_asked & (first >= 0) & is_wrong, "the first card to flip does not pay for the chosen action"


def _is_asked_wrongly(games: States) -> Bools:
    """Return whether a seat is asked where the engine would not ask it. Everything else was checked before."""
    asked = np.flatnonzero(games["mover"] >= 0)
    given = games[asked]
    given["chosen"], given["first_flip"], given["dense"] = NONE, NONE, 0
    again = given.copy()
    again["mover"], again["pauses"] = NONE, 1
    arrays = new_arrays(len(again))
    step_rows(again.view(np.uint8), 0, len(again), *arrays, np.zeros(len(again), np.int64))
    again["pauses"] = given["pauses"]
    chosen = games["chosen"][asked].astype(np.int64)
    may_choose = (chosen < 0) | arrays.masks[np.arange(len(again)), np.maximum(chosen, 0)]
    masks = np.zeros_like(arrays.masks)
    view_rows(games, asked, games["mover"][asked], arrays.observations, masks)
    found = np.zeros(len(games), np.bool_)
    found[asked] = (again != given) | ~may_choose | ~masks.any(axis=1)
    return found
