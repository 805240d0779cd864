"""What a seat sees of a game in OpenSpiel's terms: strings, tensors and structs.

- The *observation* is the vector of `crypt_env.rules.observe`: all that a seat may know at this moment.
- The *information state* is the observation and all that the seat has seen and done since the game began, in order.
  Of an action that is paid for with flipped cards the others see the action when it is paid for, and the cards; they
  cannot see whether the seat was asked which ones to flip.
- The *public* part is what all seats know, the *private* one the values that only a seat itself knows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from crypt_env.errors import CryptError, quoted
from crypt_env.notation.actions import ACTION_TEXTS, decode_action
from crypt_env.notation.view import View, describe
from crypt_env.rules.actions import DICE
from crypt_env.rules.batch import views
from crypt_env.rules.cards import CARD_TEXTS, CARDS, KIND_LETTERS, KIND_NAMES, MAX_FACE_DOWN, VALUES
from crypt_env.rules.observe import FEATURES

from .fields import (
    ACT,
    CARD,
    CARD_DOWN,
    COLLECT,
    FLIPPED,
    GHOST,
    LEADER,
    REROLL,
    SIDE,
    TOP,
    Entry,
    known_downs,
)
from .odds import ghost_dice
from .point import Point

HISTORY_COLUMNS = 5
"""Numbers for each thing that a seat has seen: its kind, 1 + the seat whose action it is, and three about it."""
_VERBS = ("place", "done", "recover", "peek", "revive", "take", "reroll", "flip")
_FIRST_VERB = FLIPPED + 1
"""Actions have a kind for each verb, after the kinds of entries."""


def visible(point: Point, seats: int) -> list[Entry]:
    """Return what some seats, given as bits, have seen, each entry with what they saw as ``what``."""
    seen = []
    for entry in point.log:
        if entry.kind != ACT or (entry.seat >= 0 and seats >> entry.seat & 1):
            seen.append(entry)
        elif entry.shown >= 0:
            seen.append(_as_shown(entry))
    return seen


@lru_cache(maxsize=1 << 14)
def _as_shown(entry: Entry) -> Entry:
    """Return an action as the others see it."""
    return entry._replace(what=entry.shown)


def entry_text(entry: Entry) -> str:
    """Return in words what was seen."""
    kind, what = entry.kind, entry.what
    if kind == ACT:
        return f"{entry.seat}: {ACTION_TEXTS[what]}"
    if kind == FLIPPED:
        return f"flipped {down_text(*divmod(what, CARDS))}"
    if kind == CARD:
        return CARD_TEXTS[what]
    if kind == CARD_DOWN:
        return f"{KIND_LETTERS[what]}?"
    if kind == GHOST:
        return f"Ghost {' '.join(map(str, ghost_dice(entry.shown)[what]))}"
    return outcome_text(kind, what)


@lru_cache(maxsize=1 << 14)
def _entry_bytes(entry: Entry) -> bytes:
    """Return `entry_numbers` as bytes."""
    return bytes(entry_numbers(entry))


def entry_numbers(entry: Entry) -> tuple[int, ...]:
    """Return what was seen as small numbers, [HISTORY_COLUMNS]; different entries have different ones."""
    kind, seat, what = entry.kind, entry.seat + 1, entry.what
    if kind == ACT:
        action = decode_action(what)
        return _FIRST_VERB + _VERBS.index(action.verb), seat, action.slot + 1, action.dice, action.effort + action.value
    if kind in (CARD, FLIPPED):
        down, card = divmod(what, CARDS)
        return kind, seat, down, card // VALUES + 1, card % VALUES + 1
    if kind == GHOST:
        return (kind, seat, *ghost_dice(entry.shown)[what], *(0,) * (DICE - entry.shown))
    return kind, seat, what + 1, 0, 0


def outcome_text(kind: int, outcome: int) -> str:
    """Return an outcome of chance in words."""
    if kind == SIDE:
        return f"side {'AB'[outcome]}"
    if kind == LEADER:
        return f"Leader {outcome}"
    if kind == TOP:
        return f"top {KIND_NAMES[outcome]}"
    if kind in (COLLECT, REROLL):
        return f"{outcome} failed"
    return CARD_TEXTS[outcome] if kind < COLLECT else f"tie-break won by {outcome}"


def down_text(down: int, card: int) -> str:
    """Return a card that was drawn face-down, with its number."""
    return f"#{down} {CARD_TEXTS[card]}"


def history_text(point: Point, seats: int) -> str:
    """Return what some seats, given as bits, have seen, in words."""
    return "; ".join(map(entry_text, visible(point, seats)))


def known_text(point: Point, seats: int) -> str:
    """Return the hidden cards that any of some seats knows, in words."""
    return " ".join(down_text(down, card) for down, card in known_downs(point.data, seats))


def observation(point: Point, seat: int) -> NDArray[np.int8]:
    """Return all that a seat may know at a point. [FEATURES]"""
    vector: NDArray[np.int8] = views(point.row, np.array([seat], np.int8))[0][0]
    return vector


def _public(point: Point) -> NDArray[np.int8]:
    """Return what all seats know: the view of seat 0 without its hidden cards, and which of them it has seen.

    [FEATURES + MAX_FACE_DOWN]
    """
    row = point.row
    seen = row["down_seen"][0]
    first = (seen & 1).astype(np.int8)
    if int(row["mover"][0]) == 0:
        row["chosen"], row["first_flip"] = -1, -1
    everybody = (1 << point.players) - 1
    row["down_seen"][0] = np.where(seen == everybody, seen, seen & ~1)
    vectors, _ = views(row, np.zeros(1, np.int8))
    return np.concatenate((vectors[0], first))


def _private(point: Point, seats: range) -> NDArray[np.int8]:
    """Return the values of hidden cards that each of some seats knows, 0 for others. [seats, MAX_FACE_DOWN]"""
    values = np.zeros((len(seats), MAX_FACE_DOWN), np.int8)
    for place, seat in enumerate(seats):
        for down, card in known_downs(point.data, 1 << seat):
            values[place, down] = card % VALUES + 1
    return values


class CryptObserver:
    """Writes what seats see, in the form that OpenSpiel asks for; see `open_spiel.python.observation`."""

    def __init__(self, kind: Any, players: int, rows: int) -> None:
        """Make an observer.

        Args:
            kind: OpenSpiel's `IIGObservationType`.
            players: how many there are.
            rows: how many things a seat can see in a game at most.
        """
        self._players = players
        self._is_public = bool(kind.public_info)
        self._recalls = bool(kind.perfect_recall)
        self._is_single = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._is_all = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        shapes: dict[str, tuple[int, ...]] = {"player": (players,)} if self._is_single else {}
        if self._is_public:
            shapes["observation" if self._is_single else "public"] = (FEATURES + MAX_FACE_DOWN * (not self._is_single),)
        if self._is_all or (self._is_single and not self._is_public):
            shapes["private"] = (players if self._is_all else 1, MAX_FACE_DOWN)
        if self._is_public and self._recalls:
            shapes["history"] = (rows, HISTORY_COLUMNS)
        sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        start = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[start : start + sizes[name]].reshape(shape)
            start += sizes[name]

    def _seats(self, player: int) -> int:
        """Return whose private knowledge is shown, as bits."""
        return 1 << player if self._is_single else (1 << self._players) - 1 if self._is_all else 0

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player sees of a state into `tensor`, which `dict` shows in parts."""
        point: Point = state.point
        self.tensor.fill(0)
        if "player" in self.dict:
            self.dict["player"][player] = 1
        if "observation" in self.dict and point.is_dealt:
            self.dict["observation"][:] = observation(point, player)
        if "public" in self.dict and point.is_dealt:
            self.dict["public"][:] = _public(point)
        if "private" in self.dict:
            self.dict["private"][:] = _private(
                point, range(self._players) if self._is_all else range(player, player + 1)
            )
        if "history" in self.dict:
            seen = visible(point, self._seats(player))
            rows = np.frombuffer(b"".join(map(_entry_bytes, seen)), np.uint8).reshape(-1, HISTORY_COLUMNS)
            self.dict["history"][: len(rows)] = rows

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player sees of a state, in words."""
        point: Point = state.point
        seats = self._seats(player)
        words = [f"seat {player}"] if self._is_single else []
        if self._is_public:
            words.append(history_text(point, seats) if self._recalls else self._described(point, player))
        if seats and (self._recalls or not (self._is_public and self._is_single)):
            words.append(f"knows {known_text(point, seats) or 'no hidden card'}")
        return "\n".join(words)

    def _described(self, point: Point, player: int) -> str:
        """Return what a player knows at this moment, or what all know, in words."""
        if not point.is_dealt:
            return "nothing is dealt"
        return describe(observation(point, player) if self._is_single else _public(point)[:FEATURES])


def observation_struct(point: Point, seat: int) -> dict[str, Any]:
    """Return all that a seat may know at a point, by names."""
    if not point.is_dealt:
        return {"seat": seat, "text": "nothing is dealt"}
    view = View(observation(point, seat))
    return {"seat": seat, "text": str(view), **{name: view[name].tolist() for name in view.keys()}}  # noqa: SIM118


def checked_action_struct(struct: Any) -> int:
    """Return the action that a struct such as ``{"action": "done"}`` names.

    Raises:
        CryptError: it names none.
    """
    text = struct.get("action") if isinstance(struct, dict) else None
    if text not in ACTION_TEXTS:
        raise CryptError(f"{quoted(struct)} is no action; {{'action': TEXT}} with a text such as 'done' is needed")
    return ACTION_TEXTS.index(text)
