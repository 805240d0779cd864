"""A point of a game as OpenSpiel sees it: a decision, a chance node or the end.

The rules are the engine's. This module only stops where chance has to decide, which the engine would settle by itself,
and says what can happen there and how likely it is:

- the side of each Collector and the first Leader, where the table is drawn;
- each card as it is drawn, then the type of the card on top of the deck, which everybody sees;
- each roll: how many dice fail; what the Ghost's dice show, in any order; who wins a tie-break in the end.

Nothing is decided before it happens, so a copy of a point knows no future. A point never changes; what follows from it
is another one. So copies cost nothing, and a search may keep as many as it likes. A chance node with only one possible
outcome is passed at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from crypt_env.errors import CryptError, quoted
from crypt_env.notation.position import State, legal_mask, refusal
from crypt_env.rules.actions import DRAW, FLIP, PEEK
from crypt_env.rules.batch import Arrays, new_arrays, step_rows
from crypt_env.rules.cards import CARD_TEXTS, KINDS, MAX_FACE_DOWN, VALUES, deck_of
from crypt_env.rules.compiled import prepare
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import COLLECT_ROLL, GAME, GHOST_ROLL, NEW, NONE, OVER, REROLL_ROLL, TIEBREAK_ROLL

from .fields import (
    ACT,
    CARD,
    CARD_DOWN,
    CHOSEN,
    COLLECT,
    DECISION,
    DECK,
    DOWN_PLACE,
    DOWN_SEEN,
    DRAWN,
    END,
    FIRST_LEADER,
    GHOST,
    HIDDEN,
    LEADER,
    MOVER,
    NONE_BYTE,
    PAUSES,
    PHASE,
    PLAYERS,
    REROLL,
    ROLLED,
    ROUND_FACE_UP,
    ROUND_SLOTS,
    SIDE,
    SIZES,
    TABLE,
    TIEBREAK,
    TOP,
    Entry,
    Log,
    deck_position,
    flipped,
    hidden_downs,
    is_gone,
    update_downs,
)
from .odds import Outcomes
from .outcomes import OUTCOMES, dice_of, pool

CHANCE_PLAYER, TERMINAL_PLAYER = -1, -4
"""What OpenSpiel calls them."""

_PARTS = 6
"""What is paid is a whole number of sixths."""
_ROLLS = {COLLECT_ROLL: COLLECT, REROLL_ROLL: REROLL, GHOST_ROLL: GHOST, TIEBREAK_ROLL: TIEBREAK}


class _Scratch(threading.local):
    """Arrays that a step writes; each thread has its own."""

    def __init__(self) -> None:
        """Make them, and have the engine ready."""
        arrays = new_arrays(1)
        none = np.zeros((0, FEATURES), np.int8)
        self.arrays = Arrays(none, arrays.masks, arrays.movers, arrays.rewards, arrays.dones, none)
        self.action = np.full(1, DRAW, np.int64)
        prepare(step_rows, np.zeros(GAME.itemsize, np.uint8), 0, 1, *self.arrays, self.action)


_SCRATCH = _Scratch()


class Point:
    """A decision, a chance node or the end. It must not be changed."""

    data: bytearray
    filled: int
    kind: int
    log: Log
    mask: bytes
    outcomes: Outcomes
    place: int
    player: int
    returns: tuple[float, ...]
    __slots__ = ("data", "filled", "kind", "log", "mask", "outcomes", "place", "player", "returns")

    def __init__(self, data: bytearray, kind: int, filled: int, log: Log, place: int = 0) -> None:
        """Make a point.

        Args:
            data: the game's record; at a card, the record before the step that draws it.
            kind: one of the kinds above.
            filled: how many cards of the deck are decided.
            log: what happened.
            place: which Collector or hidden card comes next; at a card, the action whose step draws it.
        """
        self.data, self.kind, self.filled, self.log, self.place = data, kind, filled, log, place
        self.player = CHANCE_PLAYER
        self.mask = b""
        self.returns = ()
        self.outcomes = OUTCOMES[kind](self) if kind > END else ()

    @classmethod
    def of_data(cls, data: bytearray, filled: int, log: Log) -> Point:
        """Return the point of a record in which a seat decides."""
        point = cls(data, DECISION, filled, log)
        point.player, point.mask = data[MOVER], legal_mask(point.row).tobytes()
        return point

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def row(self) -> State:
        """The game's record, as an array of one row. A copy."""
        return np.frombuffer(bytearray(self.data), GAME)  # `copy` of a record copies field by field

    @property
    def row_with_deck(self) -> State:
        """The game's record, in which the cards that are not drawn yet follow in some order that fits what is seen."""
        row = self.row
        drawn = self.data[DECK : DECK + self.filled]
        left = deck_of(self.players)
        for card in drawn:
            left.remove(card)
        top = self.data[DECK + self.filled] // VALUES if left else 0
        left.sort(key=lambda card: card // VALUES != top)
        row["deck"][0, : len(drawn) + len(left)] = [*drawn, *left]
        return row

    @property
    def players(self) -> int:
        """The number of players."""
        return self.data[PLAYERS]

    @property
    def is_dealt(self) -> bool:
        """Whether the first cards are on the table."""
        return self.data[PHASE] != NEW

    def deck_text(self) -> str:
        """Return the cards that are decided, in draw order. No seat knows this."""
        return "".join(CARD_TEXTS[card] for card in self.data[DECK : DECK + self.filled])

    def legal(self) -> list[int]:
        """Return what the seat that decides may do, in ascending order."""
        actions: list[int] = np.frombuffer(self.mask, np.bool_).nonzero()[0].tolist()
        return actions

    # -- going on -----------------------------------------------------------------------------------------------------

    def after(self, action: int) -> Point:
        """Return what follows from an action of the seat that decides, or from an outcome of chance.

        Raises:
            IllegalActionError: the seat may not do that.
            CryptError: chance cannot decide that, or the game is over.
        """
        if self.kind == DECISION:
            return _past_certain(self._after_action(action))
        for outcome, _ in self.outcomes:
            if outcome == action:
                return _past_certain(_AFTER[self.kind](self, outcome))
        if self.kind == END:
            raise CryptError(f"the game is over; {quoted(action)} cannot be played")
        allowed = ", ".join(str(outcome) for outcome, _ in self.outcomes)
        raise CryptError(f"chance cannot decide {quoted(action)} here; allowed are {allowed}")

    def _after_action(self, action: int) -> Point:
        """Return what follows from an action."""
        data, mask, returns = _stepped(self.data, action)
        shown = action
        if action >= PEEK:  # the others learn of it when it is paid for
            shown = NONE if data[CHOSEN] != NONE_BYTE else self.data[CHOSEN] if action >= FLIP else action
        log = (*self.log, Entry(ACT, self.player, action, shown))
        return _landed(self.data, (data, mask, returns), self.filled, log, action)

    def __copy__(self) -> Point:
        """Return the point itself: it never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Point:
        """Return the point itself: it never changes."""
        return self

    def __getstate__(self) -> tuple[Any, ...]:
        """Return all that makes up the point."""
        log = tuple(map(tuple, self.log))
        return (log, *(getattr(self, name) for name in self.__slots__ if name != "log"))

    def __setstate__(self, content: tuple[Any, ...]) -> None:
        """Become the point with this content."""
        self.log = tuple(Entry(*entry) for entry in content[0])
        names = (name for name in self.__slots__ if name != "log")
        for name, value in zip(names, content[1:], strict=True):
            setattr(self, name, value)


# -- the engine -------------------------------------------------------------------------------------------------------


def _stepped(data: bytearray, action: int) -> tuple[bytearray, bytes, tuple[float, ...]]:
    """Return the record, the mask and the rewards after an action, or after `DRAW` where no seat is asked."""
    scratch = _SCRATCH
    after = bytearray(data)
    scratch.action[0] = action
    is_action = action >= 0 or after[MOVER] == NONE_BYTE
    if not is_action or step_rows(np.frombuffer(after, np.uint8), 0, 1, *scratch.arrays, scratch.action) >= 0:
        raise refusal(np.frombuffer(after, GAME), action)
    return after, scratch.arrays.masks.tobytes(), _returns(after) if after[PHASE] == OVER else ()


def _returns(data: bytearray) -> tuple[float, ...]:
    """Return what the step that ended a game paid, in double precision: coins, halves or thirds, which add up."""
    paid = _SCRATCH.arrays.rewards[0, : data[PLAYERS]].tolist()
    return tuple(round(_PARTS * amount) / _PARTS for amount in paid)


def _run(before: bytearray, filled: int, log: Log, action: int) -> Point:
    """Return what follows from an action that is in the log already, or from dice."""
    return _landed(before, _stepped(before, action), filled, log, action)


def _landed(
    before: bytearray, step: tuple[bytearray, bytes, tuple[float, ...]], filled: int, log: Log, action: int
) -> Point:
    """Return where a step ends. If it drew cards that are not decided yet, they are: then it is taken again."""
    after, mask, returns = step
    if after[DRAWN] > filled:
        return Point(before, CARD, filled, log, action)
    places = slice(DOWN_PLACE, DOWN_PLACE + MAX_FACE_DOWN)
    if before[places] != after[places]:
        log += flipped(before, after)
    phase = after[PHASE]
    if phase in _ROLLS:
        return Point(after, _ROLLS[phase], filled, log)
    point = Point(after, END if phase == OVER else DECISION, filled, log)
    point.mask, point.returns = mask, returns
    point.player = TERMINAL_PLAYER if phase == OVER else after[MOVER]
    return point


def _past_certain(point: Point) -> Point:
    """Return the first point at which there is something to decide."""
    while len(point.outcomes) == 1:
        point = _AFTER[point.kind](point, point.outcomes[0][0])
    return point


def first_point(row: State) -> Point:
    """Return the point at which a new game begins; settings of its table that are -1 are drawn."""
    data = bytearray(row.tobytes())
    if int(row["table_rule"][0]) < 0:
        data[TABLE] = 0
        return Point(data, SIDE, 0, ())
    return _past_certain(_with_leader(data, ()))


def _with_leader(data: bytearray, log: Log) -> Point:
    """Return the point at which the first Leader is drawn, or the first card if the Leader is given."""
    return Point(data, LEADER, 0, log) if data[FIRST_LEADER] == NONE_BYTE else Point(data, CARD, 0, log, DRAW)


# -- beginning in the middle ------------------------------------------------------------------------------------------


def point_of(row: State) -> Point:
    """Return the point of a game in which a seat decides, given as an array of one row. All that follows is drawn."""
    data = _data_of(row)
    return Point.of_data(data, data[DRAWN], ())


def deal_hidden(row: State, is_open: bool) -> Point:
    """Return the point at which the values that not all seats know are dealt, in a game in which a seat decides.

    Args:
        row: the game, as an array of one row.
        is_open: whether all seats know the rest of the deck and its order; otherwise chance draws it.
    """
    data = _data_of(row)
    return _past_certain(_dealt(data, SIZES[data[PLAYERS]] if is_open else data[DRAWN], 0))


def _data_of(row: State) -> bytearray:
    """Return the record of a game as bytes. It stops wherever dice must be rolled."""
    data = bytearray(row.tobytes())
    data[PAUSES] = 1
    return data


def resampled(point: Point, seat: int, bits: int) -> Point:
    """Return a point at which all that a seat cannot know is dealt again, from 64 bits.

    Raises:
        CryptError: no seat decides there.
    """
    if point.kind != DECISION:
        raise CryptError("only a point at which a seat decides can be dealt again")
    row = point.row
    if point.filled > point.data[DRAWN]:
        data = _shuffled(point.data, seat, Random(bits))
    else:
        resample_rows(row, 0, 1, np.array([seat], np.int8), np.array([bits], np.uint64))
        data = bytearray(row.tobytes())
    again = Point(data, DECISION, point.filled, point.log)
    again.player, again.mask = point.player, point.mask
    return again


def _shuffled(before: bytearray, seat: int, random: Random) -> bytearray:
    """Return a record in which the hidden cards that a seat does not know are dealt again among themselves."""
    data = bytearray(before)
    unknown = [deck_position(data, down) for down in hidden_downs(data) if not data[DOWN_SEEN + down] >> seat & 1]
    for kind in range(KINDS):
        places = [place for place in unknown if data[DECK + place] // VALUES == kind]
        cards = [data[DECK + place] for place in places]
        random.shuffle(cards)
        for place, card in zip(places, cards, strict=True):
            data[DECK + place] = card
    update_downs(data)
    return data


# -- what chance decides ----------------------------------------------------------------------------------------------


def _after_side(point: Point, side: int) -> Point:
    """Put a Collector on a side."""
    data = bytearray(point.data)
    data[TABLE] |= side << point.place
    log = (*point.log, Entry(SIDE, NONE, side, side))
    return Point(data, SIDE, 0, log, point.place + 1) if point.place + 1 < KINDS else _with_leader(data, log)


def _after_leader(point: Point, leader: int) -> Point:
    """Choose the first Leader."""
    data = bytearray(point.data)
    data[FIRST_LEADER] = leader
    return Point(data, CARD, 0, (*point.log, Entry(LEADER, NONE, leader, leader)), DRAW)


def _after_card(point: Point, card: int) -> Point:
    """Draw a card; after the last one of a round the type of the next is seen."""
    data = bytearray(point.data)
    players = data[PLAYERS]
    slots = ROUND_SLOTS[players]
    data[DECK + point.filled] = card
    is_up = point.filled % slots < ROUND_FACE_UP[players]
    entry = Entry(CARD, NONE, card, card) if is_up else Entry(CARD_DOWN, NONE, card // VALUES, card // VALUES)
    filled, log = point.filled + 1, (*point.log, entry)
    if filled % slots:
        return Point(data, CARD, filled, log, point.place)
    if filled < SIZES[players]:
        return Point(data, TOP, filled, log, point.place)
    return _run(data, filled, log, point.place)


def _after_top(point: Point, kind: int) -> Point:
    """See the type of the card on top of the deck; go on with the step that has drawn."""
    data = bytearray(point.data)
    data[DECK + point.filled] = kind * VALUES
    return _run(data, point.filled, (*point.log, Entry(TOP, NONE, kind, kind)), point.place)


def _after_hidden(point: Point, card: int) -> Point:
    """Deal a hidden card its value: it changes places with that card."""
    data = bytearray(point.data)
    places = pool(point)
    other = next(place for place in places if data[DECK + place] == card)
    data[DECK + places[0]], data[DECK + other] = data[DECK + other], data[DECK + places[0]]
    update_downs(data)
    return _dealt(data, point.filled, point.place + 1)


def _dealt(data: bytearray, filled: int, place: int) -> Point:
    """Deal the next hidden card, or ask the seat that decides. Discards that no seat saw matter to draws alone."""
    hidden = hidden_downs(data)
    is_all_decided = filled == SIZES[data[PLAYERS]]
    if place < len(hidden) and not (is_all_decided and is_gone(data, hidden[place])):
        return Point(data, HIDDEN, filled, (), place)
    return Point.of_data(data, filled, ())


def _after_roll(point: Point, outcome: int) -> Point:
    """Settle a roll."""
    data = bytearray(point.data)
    dice = dice_of(point, outcome)
    data[ROLLED : ROLLED + len(dice)] = bytes(dice)
    return _run(data, point.filled, (*point.log, Entry(point.kind, NONE, outcome, len(dice))), DRAW)


_AFTER: dict[int, Callable[[Point, int], Point]] = {
    SIDE: _after_side,
    LEADER: _after_leader,
    HIDDEN: _after_hidden,
    CARD: _after_card,
    TOP: _after_top,
    COLLECT: _after_roll,
    REROLL: _after_roll,
    GHOST: _after_roll,
    TIEBREAK: _after_roll,
}
