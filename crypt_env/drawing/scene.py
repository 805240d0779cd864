"""A table as its viewer sees it: the single description behind text, SVG and pixels.

A scene is built from an observation, so it holds what the viewing seat may know. The public scene is built from the
observation of a seat that has seen no face-down card.

Seats are in the order of the observation: the viewer comes first, then clockwise. All numbers of seats in a scene are
places in this order; in the public scene they are the seats themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.notation.outcome import outcome_of, sheets_of
from crypt_env.rules.batch import views
from crypt_env.rules.cards import FACE_DOWN, FACE_UP, KINDS, MAX_PLAYERS, ROUNDS, VALUES
from crypt_env.rules.observe import LAYOUT, PAYMENTS
from crypt_env.rules.state import GHOST_ROLL, NONE, OVER
from crypt_env.table import player_seat

from .themes import GHOST
from .words import ENDED, ROLLING

if TYPE_CHECKING:
    from crypt_env.game import Game
    from crypt_env.notation.view import View

PHASES = ("before", "claim", "after", "collect", "answer")
"""Phases in which a seat decides: before the Claim, Claim, after it, Collect, answer to a take."""


class Card(NamedTuple):
    """A card in the Crypt or in a collection."""

    kind: int
    value: int
    """0 if unknown to the viewer."""
    is_public: bool
    """Whether all seats know the value."""
    seen_by: tuple[int, ...] = ()
    """Which seats, apart from the owner and the viewer, have seen the value of a card that is not public."""


class Dice(NamedTuple):
    """Equal dice of one seat on a card; in the Collect phase those that failed."""

    seat: int
    number: int
    effort: int


class Slot(NamedTuple):
    """A slot of the Crypt."""

    card: Card | None
    dice: Dice | None
    is_closed: bool
    """Whether the seat that claims has passed it in this turn."""


class Seat(NamedTuple):
    """A player or the Ghost."""

    name: str
    label: str
    """The name in one to three letters."""
    owner: int
    """Index of its colour and dice shape; the Ghost's is `themes.GHOST`."""
    ready: int
    exhausted: int
    collection: tuple[tuple[Card, ...], ...]
    """[KINDS]: the cards of each type, by value, those that are not public last."""
    flipped: tuple[int, ...]
    """[KINDS]: how many of them are flipped. Observations do not say which of the public ones."""
    idol_bonus: int


class Ending(NamedTuple):
    """How the game ended."""

    sheets: tuple[tuple[int, ...], ...]
    """[players, SHEET_LINES]"""
    winners: tuple[int, ...]
    words: str


class Payment(NamedTuple):
    """The viewer's chosen action that cards are now flipped for."""

    action: str
    first_value: int
    """The value of the first of two cards, once decided; 0 for a public one."""


class Scene(NamedTuple):
    """A table as a seat sees it, or the public view."""

    players: int
    is_seat: bool
    """Whether the viewer is a seat, which is then the first one."""
    sides: str
    round: int
    rounds: int
    phase: str
    """One of `PHASES`, `words.ROLLING` or `words.ENDED`."""
    mover: int | None
    leader: int
    lights_out: int
    """The seat with the Lights Out card."""
    is_lights_out: bool
    """Whether this is the Lights Out turn."""
    taker: int | None
    """The seat whose take is answered, ..."""
    taking: int | None
    """... and the slot of the card that it takes."""
    payment: Payment | None
    pushed_ghosts: int
    """Ghost dice that were pushed off and not rolled again."""
    deck: tuple[int, ...]
    """[KINDS]: how many cards of each type are left in the deck."""
    top: int | None
    """The type of its top card."""
    unseen: tuple[int, ...]
    """[CARDS]: copies of each card whose value the viewer has not seen."""
    slots: tuple[Slot, ...]
    seats: tuple[Seat, ...]
    ending: Ending | None

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook."""
        from .draw import draw_svg

        return draw_svg(self)


# -- viewers ---------------------------------------------------------------------------------------------------------


def scene_of_game(game: Game, seat: int | None = None) -> Scene:
    """Return a game as a seat sees it; without a seat, only what is public.

    Raises:
        CryptError: there is no such player.
    """
    return scenes_of_states(game.state, seat)[0]


def scene_of_view(view: View, seat: int | None = None) -> Scene:
    """Return the scene of an observation. Observations have no seat numbers; ``seat`` provides them if given.

    Raises:
        CryptError: it is all zeros, as environments write without a game; or there is no such player.
    """
    parts = _parts(np.asarray(view.vector))
    if 1 not in parts["players"]:
        raise CryptError("nothing to draw: this is not an observation of a game")
    if seat is not None:
        player_seat(seat, parts["players"].index(1) + 1)
    return _scene(parts, _names(parts, True, seat), True)


def scenes_of_states(states: NDArray[np.void], seat: int | None = None) -> list[Scene]:
    """Return games, given as rows of `Batch.states`, as a seat sees them, or the public view.

    Raises:
        CryptError: a game was not dealt yet, or there is no such player.
    """
    if (states["seats"] == 0).any():
        raise CryptError("nothing to draw: no game was dealt yet")
    if seat is not None:
        player_seat(seat, int(states["players"].min()))
    vectors = _vectors(states, seat)
    return [_scene_of_state(states[row : row + 1], vectors[row], seat) for row in range(len(states))]


def _vectors(states: NDArray[np.void], seat: int | None) -> NDArray[np.int8]:
    """Return the observations of a seat; or those of one that has seen and chosen nothing. [N, FEATURES]"""
    if seat is None:
        states = states.copy()
        states["down_seen"] = 0
        states["chosen"] = states["first_flip"] = NONE
    return views(states, np.full(len(states), seat or 0, np.int8))[0]


def _scene_of_state(states: NDArray[np.void], vector: NDArray[np.int8], seat: int | None) -> Scene:
    """Return the scene of a game, given as one row, from an observation of it."""
    parts = _parts(vector)
    state = states[0]
    if seat is None:
        _add_watchers(parts, state)
    scene = _scene(parts, _names(parts, seat is not None, seat), seat is not None)
    phase = int(state["phase"])
    if phase == OVER:
        return scene._replace(ending=_ending(states, seat or 0))
    return scene._replace(phase=ROLLING) if phase >= GHOST_ROLL else scene


def _add_watchers(parts: Parts, state: np.void) -> None:
    """Add who has seen the face-down cards: that is public, but missing from the observation used."""
    seen = state["down_seen"].tolist()
    downs, places = state["down"].tolist(), state["down_place"].tolist()
    seats = range(MAX_PLAYERS)
    parts["slot_seen_by"] = [[down >= 0 and seen[down] >> seat & 1 for seat in seats] for down in downs]
    parts["hidden_seen_by"] = [
        [bits >> seat & 1 and seat != place for seat in seats] for bits, place in zip(seen, places, strict=True)
    ]


# -- from an observation ----------------------------------------------------------------------------------------------

Parts = dict[str, Any]
"""The parts of an observation by name, as lists."""


_PLACES = [(part.name, part.start, part.stop, part.shape) for part in LAYOUT]


def _parts(vector: NDArray[np.int8]) -> Parts:
    """Return the parts of an observation; single numbers as scalars."""
    numbers = vector.tolist()
    return {name: _shaped(numbers[start:stop], shape) for name, start, stop, shape in _PLACES}


def _shaped(numbers: list[int], shape: tuple[int, ...]) -> Any:
    """Return numbers as nested lists of a shape, or a single one as it is."""
    if len(shape) == 2:
        return [numbers[start : start + shape[1]] for start in range(0, len(numbers), shape[1])]
    return numbers[0] if shape == (1,) else numbers


def _only(bits: Sequence[int]) -> int | None:
    """Return the index of the one set bit, if any."""
    return bits.index(1) if 1 in bits else None


def _names(parts: Parts, is_seat: bool, seat: int | None) -> list[tuple[str, str, int]]:
    """Return the name, the label and the owner number of each seat."""
    players = parts["players"].index(1) + 1
    names = []
    for place in range(players):
        if seat is None and is_seat:
            names.append(("you" if place == 0 else f"seat +{place}", "you" if place == 0 else f"+{place}", place))
        else:
            number = ((seat or 0) + place) % players
            names.append((f"seat {number}" + " (you)" * (is_seat and place == 0), str(number), number))
    return names if players > 1 else [*names, ("Ghost", "G", GHOST)]


def _scene(parts: Parts, names: list[tuple[str, str, int]], is_seat: bool) -> Scene:
    """Return the scene of an observation, with names for the seats."""
    players = parts["players"].index(1) + 1
    phase = _only(parts["phase"])
    leader = parts["leader"].index(1)
    taker = _only(parts["taker"])
    return Scene(
        players=players,
        is_seat=is_seat,
        sides="".join("AB"[side] for side in parts["sides"]),
        round=int(ROUNDS[players]) - parts["rounds_left"],
        rounds=int(ROUNDS[players]),
        phase=ENDED if phase is None else PHASES[phase],
        mover=_only(parts["mover"]),
        leader=leader,
        lights_out=leader if len(names) == 2 else (leader - 1) % len(names),
        is_lights_out=bool(parts["lights_out"]),
        taker=taker,
        taking=None if taker is None else _only(parts["taking"]),
        payment=_payment(parts),
        pushed_ghosts=parts["ghost_pushed"],
        deck=tuple(parts["deck_types"]),
        top=_only(parts["deck_top"]),
        unseen=tuple(parts["unseen"]),
        slots=tuple(_slot(parts, slot, is_seat) for slot in range(FACE_UP[players] + FACE_DOWN[players])),
        seats=tuple(_seat(parts, place, name, is_seat) for place, name in enumerate(names)),
        ending=None,
    )


def _payment(parts: Parts) -> Payment | None:
    """Return what the viewer has chosen and now flips cards for."""
    number = _only(parts["paying"])
    if number is None:
        return None
    action = PAYMENTS[number]
    if action == "take":
        action += f" {_only(parts['taking'])}"
    if action == "reroll":
        action += f" {parts['paying_effort']}"
    return Payment(action, parts["first_flip"])


def _watchers(bits: Sequence[int], is_seat: bool) -> tuple[int, ...]:
    """Return the seats that have seen a card, apart from the viewer."""
    return tuple(place + is_seat for place, bit in enumerate(bits) if bit)


def _slot(parts: Parts, slot: int, is_seat: bool) -> Slot:
    kind = _only(parts["slot_type"][slot])
    card = None
    if kind is not None:
        watchers = _watchers(parts["slot_seen_by"][slot], is_seat)
        card = Card(kind, parts["slot_value"][slot], not parts["slot_face_down"][slot], watchers)
    count = parts["slot_dice"][slot]
    dice = Dice(parts["slot_holder"][slot].index(1), count, parts["slot_effort"][slot]) if count else None
    return Slot(card, dice, slot < parts["slots_passed"])


def _seat(parts: Parts, place: int, name: tuple[str, str, int], is_seat: bool) -> Seat:
    collection = _collection(parts, place, is_seat)
    unflipped = parts["unflipped"][place]
    return Seat(
        *name,
        ready=parts["ready"][place],
        exhausted=parts["exhausted"][place],
        collection=collection,
        flipped=tuple(len(cards) - left for cards, left in zip(collection, unflipped, strict=True)),
        idol_bonus=parts["idol_bonus"][place],
    )


def _collection(parts: Parts, place: int, is_seat: bool) -> tuple[tuple[Card, ...], ...]:
    """Return the cards of a seat by type: the public ones, then the hidden ones in the order drawn."""
    hidden: list[list[Card]] = [[] for _ in range(KINDS)]
    public = list(parts["cards"][place])
    for down, owners in enumerate(parts["hidden_owner"]):
        if owners[place]:
            kind, value = parts["hidden_type"][down] - 1, parts["hidden_value"][down]
            watchers = _watchers(parts["hidden_seen_by"][down], is_seat)
            hidden[kind].append(Card(kind, value, False, tuple(seat for seat in watchers if seat != place)))
            if value:
                public[kind * VALUES + value - 1] -= 1
    return tuple(tuple(_public(public, kind) + hidden[kind]) for kind in range(KINDS))


def _public(counts: Sequence[int], kind: int) -> list[Card]:
    """Return the public cards of a type, by value."""
    return [Card(kind, value, True) for value in range(1, VALUES + 1) for _ in range(counts[kind * VALUES + value - 1])]


# -- the end ----------------------------------------------------------------------------------------------------------


def _ending(states: NDArray[np.void], first: int) -> Ending:
    """Return how a game ended, with the seats in order from the first one."""
    sheets, outcome = sheets_of(states), outcome_of(states[0])
    order = [(first + place) % len(sheets) for place in range(len(sheets))]
    winners = tuple(place for place, seat in enumerate(order) if seat in outcome.winners)
    return Ending(tuple(sheets[seat] for seat in order), winners, str(outcome))
