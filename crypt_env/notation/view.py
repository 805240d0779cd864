"""Observations by names and in words; `rules.observe` writes them, and has the table of their parts, `LAYOUT`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, counted, quoted
from crypt_env.rules.cards import CARD_TEXTS, FACE_DOWN, FACE_UP, KIND_NAMES, ROUNDS
from crypt_env.rules.observe import FEATURES, LAYOUT, PAYMENTS
from crypt_env.table import is_whole, player_count

_PARTS = {part.name: part for part in LAYOUT}
_HIGHEST = np.array([part.high for part in LAYOUT for _ in range(part.size)], np.int8)
_PLURALS = ("Idols", "Jewelry", "Manuscripts", "Pottery", "Remains", "Tapestries")
_PHASES = ("window before the Claim", "Claim", "window after the Claim", "Collect", "answer to a take")
_ONLY_AMONG_OTHERS = {"slot_seen_by", "hidden_seen_by", "taker", "taking", "paying", "paying_effort", "first_flip"}
"""Parts that are all 0 in a solo game: no other seat sees cards, answers a take or learns from a flip."""


def layout_table() -> str:
    """Return the layout as a table in Markdown."""
    lines = ["| part | from | to | shape | values | meaning |", "|---|---|---|---|---|---|"]
    for part in LAYOUT:
        shape = " x ".join(map(str, part.shape))
        lines.append(f"| `{part.name}` | {part.start} | {part.stop - 1} | {shape} | 0-{part.high} | {part.meaning} |")
    return "\n".join(lines)


class View:
    """One observation, by names: ``view["ready"]`` is a view of the vector with the part's shape."""

    def __init__(self, vector: NDArray[np.int8]) -> None:
        """Look at a vector.

        Raises:
            CryptError: it is not one observation.
        """
        self.vector = _checked(vector)

    def __getitem__(self, name: str) -> NDArray[np.int8]:
        if not isinstance(name, str) or name not in _PARTS:
            raise KeyError(f"no part {quoted(name)}; parts are {', '.join(_PARTS)}")
        part = _PARTS[name]
        return self.vector[part.start : part.stop].reshape(part.shape)

    def keys(self) -> tuple[str, ...]:
        """Return the names of all parts."""
        return tuple(_PARTS)

    def __repr__(self) -> str:
        """Return a short description."""
        return f"<View: {_table_line(self)}>"

    def __str__(self) -> str:
        return describe(self.vector)

    def _repr_svg_(self) -> str:
        """Return the table as the observer knows it, as a picture for a notebook."""
        from crypt_env.drawing import draw_svg, scene_of_view

        return draw_svg(scene_of_view(self))


def _checked(vector: object) -> NDArray[np.int8]:
    """Return a vector if it has the type and the shape of an observation."""
    if not isinstance(vector, np.ndarray) or vector.dtype.kind not in "iu":
        found = f"an array of {vector.dtype}" if isinstance(vector, np.ndarray) else quoted(vector)
        raise CryptError(f"an observation is an array of whole numbers, int8, not {found}")
    if vector.shape != (FEATURES,):
        raise CryptError(f"an observation has the shape ({FEATURES},), not {vector.shape}")
    return vector


def _check_values(vector: NDArray[np.int8]) -> None:
    """Raise an error that names the first number in a vector that is out of range."""
    wrong = np.flatnonzero((vector < 0) | (vector > _HIGHEST))
    if len(wrong):
        column = int(wrong[0])
        name = next(part.name for part in LAYOUT if column < part.stop)
        raise CryptError(
            f"not an observation: column {column} ({name}) is {vector[column]}; allowed are 0 to {_HIGHEST[column]}"
        )


def describe(vector: NDArray[np.int8]) -> str:
    """Return all of an observation in words, one line for each thing on the table.

    Raises:
        CryptError: it is not one observation.
    """
    view = View(np.asarray(vector))
    _check_values(view.vector)
    lines = [_table_line(view), _turn_line(view)]
    players = _players(view)
    lines += [_slot_line(view, slot) for slot in range(FACE_UP[players] + FACE_DOWN[players])]
    lines += [_seat_line(view, seat) for seat in range(max(2, players))]
    lines += [_hidden_line(view, down) for down in np.flatnonzero(view["hidden_type"]).tolist()]
    lines += [_deck_line(view), "not seen: " + _cards(view["unseen"])]
    return "\n".join(lines)


def _players(view: View) -> int:
    return int(view["players"].argmax()) + 1


def _name(view: View, seat: int) -> str:
    """Return what the observer calls a seat."""
    if seat == 0:
        return "you"
    return "the Ghost" if _players(view) == 1 else f"seat +{seat}"


def _seat_named(view: View, bits: NDArray[np.int8]) -> str:
    """Return the seat that a one-hot part names."""
    return _name(view, int(bits.argmax())) if bits.any() else "no one"


def _whose(name: str) -> str:
    """Return the possessive of what the observer calls a seat."""
    return "your" if name == "you" else f"{name}'s"


def _dice(number: int, kind: str = "") -> str:
    """Return a number of dice, of a kind such as "failed "."""
    return f"{number} {kind}{'die' if number == 1 else 'dice'}"


def _cards(counts: NDArray[np.int8]) -> str:
    return " ".join(text for text, count in zip(CARD_TEXTS, counts, strict=True) for _ in range(count)) or "none"


def _types(counts: NDArray[np.int8]) -> str:
    names = zip(KIND_NAMES, _PLURALS, counts.tolist(), strict=True)
    return ", ".join(f"{count} {one if count == 1 else many}" for one, many, count in names if count) or "none"


def _watchers(view: View, bits: NDArray[np.int8]) -> str:
    """Return which of the others have seen a card."""
    seats = [_name(view, seat + 1) for seat in np.flatnonzero(bits).tolist()]
    return f", seen by {' and '.join(seats)}" if seats else ""


def _table_line(view: View) -> str:
    sides = "".join("AB"[side] for side in view["sides"])
    return (
        f"{counted(_players(view), 'player')}, Collectors {sides}, "
        f"{counted(int(view['rounds_left'][0]), 'more round')}, Leader: {_seat_named(view, view['leader'])}"
    )


def _turn_line(view: View) -> str:
    if not view["phase"].any():
        return "the game is over"
    words = [f"{_PHASES[int(view['phase'].argmax())]}: {_seat_named(view, view['mover'])} to decide"]
    if view["taker"].any():
        taker = "you take" if view["taker"][0] else f"{_seat_named(view, view['taker'])} takes"
        words.append(f"{taker} the card in slot {int(view['taking'].argmax())}")
    if view["paying"].any():
        words.append(_payment(view))
    if view["lights_out"][0]:
        words.append("Lights Out")
    if view["slots_passed"][0]:
        last = int(view["slots_passed"][0]) - 1
        words.append(f"slots 0 to {last} are closed" if last else "slot 0 is closed")
    if view["idol_now"][0]:
        words.append("Idol B first reached in this round")
    if view["ghost_pushed"][0]:
        words.append(f"{_dice(int(view['ghost_pushed'][0]), 'Ghost ')} pushed off")
    return ", ".join(words)


def _payment(view: View) -> str:
    """Describe what the observer has chosen and now flips cards for."""
    chosen = PAYMENTS[int(view["paying"].argmax())]
    if chosen == "take":
        chosen += f" {int(view['taking'].argmax())}"
    if chosen == "reroll":
        chosen += f" {view['paying_effort'][0]}"
    already = f", besides one of value {view['first_flip'][0]}" if view["first_flip"][0] else ""
    return f"which card to flip for '{chosen}'{already}"


def _slot_line(view: View, slot: int) -> str:
    kinds = view["slot_type"][slot]
    if not kinds.any():
        card = "no card"
    else:
        value = int(view["slot_value"][slot])
        card = f"{KIND_NAMES[int(kinds.argmax())]} {value or 'of unknown value'}"
        if view["slot_face_down"][slot]:
            card += " (face-down" + _watchers(view, view["slot_seen_by"][slot]) + ")"
    dice = int(view["slot_dice"][slot])
    if dice:
        holder = _seat_named(view, view["slot_holder"][slot])
        kind = "failed " if view["phase"][3] else ""
        card += f"; {_whose(holder)} {_dice(dice, kind)} of effort {view['slot_effort'][slot]}"
    return f"slot {slot}: {card}"


def _seat_line(view: View, seat: int) -> str:
    words = [f"{_name(view, seat)}: {_dice(int(view['ready'][seat]))} ready, {view['exhausted'][seat]} exhausted"]
    words.append(f"known cards: {_cards(view['cards'][seat])}")
    if view["unknown"][seat].any():
        words.append(f"unknown: {_types(view['unknown'][seat])}")
    words.append(f"unflipped: {_types(view['unflipped'][seat])}")
    if view["idol_bonus"][seat]:
        words.append(f"{counted(int(view['idol_bonus'][seat]), 'coin')} from Idol B")
    return "; ".join(words)


def _hidden_line(view: View, down: int) -> str:
    """Describe one card that was drawn face-down, left the Crypt and is not public."""
    value = int(view["hidden_value"][down])
    kind = KIND_NAMES[int(view["hidden_type"][down]) - 1]
    where = (
        "discarded" if view["hidden_discarded"][down] else f"held by {_seat_named(view, view['hidden_owner'][down])}"
    )
    watchers = _watchers(view, view["hidden_seen_by"][down])
    return f"hidden card {down + 1}: {kind} {value or 'of unknown value'}, {where}{watchers}"


def _deck_line(view: View) -> str:
    top = view["deck_top"]
    if not top.any():
        return "the deck is empty"
    return f"deck: {_types(view['deck_types'])}; top card: {KIND_NAMES[int(top.argmax())]}"


def used_columns(players: Sequence[int]) -> NDArray[np.int64]:
    """Return the columns of the vector that vary at tables with these numbers of players.

    The others belong to seats, slots and hidden cards that such tables do not have. A network without them plays the
    same and learns faster.
    """
    players = [player_count(count) for count in players]
    if not players:
        raise CryptError("used_columns needs at least one number of players")
    without = {"players"} if len(set(players)) == 1 else set()
    without |= {"ghost_pushed"} if 1 not in players else set()
    without |= _ONLY_AMONG_OTHERS if set(players) == {1} else set()
    sizes = _sizes(max(players))
    columns = []
    for part in LAYOUT:
        if part.name not in without:
            places = np.arange(part.start, part.stop).reshape(part.shape)
            columns.append(places[tuple(slice(size) for size in sizes.get(part.name, ()))].ravel())
    return np.concatenate(columns)


def thermometer(columns: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return columns and limits, one pair for each bit that shows whether the number in a column is above a limit.

    A number from 0 to 3 becomes three bits, as the mercury of a thermometer passes its marks: above 0, 1 and 2.
    A network needs no hidden units then to find out where a number begins to matter.
    """
    for column in columns:
        if not is_whole(column) or not 0 <= column < FEATURES:
            raise CryptError(f"there is no column {quoted(column)}; allowed are 0 to {FEATURES - 1}")
    pairs = [(column, limit) for column in columns for limit in range(int(_HIGHEST[column]))]
    return [column for column, _ in pairs], [limit for _, limit in pairs]


def _sizes(players: int) -> dict[str, tuple[int, ...]]:
    """Return how much of the axes of each part is used at tables with at most this many players; absent is all."""
    seats = max(2, players)
    slots = int(FACE_UP[players] + FACE_DOWN[players])
    downs = int(ROUNDS[players] * FACE_DOWN[players])
    by_slot = ("taking", "slot_type", "slot_value", "slot_face_down", "slot_dice", "slot_effort")
    by_seat = ("taker", "mover", "leader", "ready", "exhausted")
    by_player = ("idol_bonus", "unflipped", "cards", "unknown")
    by_down = ("hidden_discarded", "hidden_type", "hidden_value")
    return {
        **dict.fromkeys(by_slot, (slots,)),
        **dict.fromkeys(by_seat, (seats,)),
        **dict.fromkeys(by_player, (players,)),
        **dict.fromkeys(by_down, (downs,)),
        "slot_seen_by": (slots, seats - 1),
        "slot_holder": (slots, seats),
        "hidden_owner": (downs, seats),
        "hidden_seen_by": (downs, seats - 1),
    }
