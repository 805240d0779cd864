"""`Game`: one game, for people and programs."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import CryptError, IllegalActionError, counted, quoted
from .notation.actions import ACTION_TEXTS, parse_action
from .notation.events import Act, Event, Tiebreak, roll_event
from .rules.actions import ACTIONS, DRAW, EFFORTS
from .rules.batch import Arrays, draw_row, roll_row, step_rows, view_rows, wait_for_dice
from .rules.cards import CARD_FORM, CARD_TEXTS, MAX_PLAYERS, check_deck, parse_card
from .rules.compiled import prepare
from .rules.observe import FEATURES
from .rules.state import GAME, NEW, NONE, OVER, STAYS
from .table import RANDOM, Table, game_index, is_whole, player_count, player_seat, seed_bits, sides_text

_NO_ACTION = np.full(1, DRAW, np.int64)
_ROW = np.zeros(1, np.int64)
_UNSEEN = np.empty((0, FEATURES), np.int8)
"""Scratch space for observations that are not read."""

if TYPE_CHECKING:  # loaded where needed
    from .notation.outcome import Outcome, Sheet
    from .notation.position import State
    from .notation.view import View

    _Content: TypeAlias = tuple[State, tuple[Event, ...], tuple[tuple[State, int], ...], bool]


class Game:
    """One game of Crypt, for people and programs.

    It calls the engine directly, not through a `Batch` of one. A batch plays on to the next decision; a game stops at
    every roll, so that dice become events and can be given. It is also cheap to copy, as searches do often: it is just
    one record, while a batch also has arrays, threads and a lock.

    >>> from crypt_env import Game
    >>> game = Game(players=2, collectors="AABBAB", leader=0, seed=7)
    >>> game.to_move
    0
    >>> game.play("place 0 2x3").play("done").to_move
    1
    """

    def __init__(
        self,
        players: int = 2,
        collectors: str = RANDOM,
        leader: int | str = RANDOM,
        seed: int | None = None,
        deck: Sequence[str] | None = None,
        index: int = 0,
    ) -> None:
        """Deal a game and go on to its first decision.

        Args:
            players: 1 (the Only Child against the Ghost) to 4.
            collectors: six letters such as "AABBAB", "A" or "B" for all, or "random".
            leader: the first Leader's seat, or "random"; in a solo game always 0.
            seed: determines all randomness; a random 64-bit number if not given.
            deck: all cards in draw order, as texts such as "T4"; shuffled from the seed if not given.
            index: which game of a `Batch` with this seed it is.
        """
        players = player_count(players)
        states = np.zeros(1, GAME)
        Table(players, collectors, leader).write(states)
        state = states[0]
        state["seed"] = secrets.randbits(64) if seed is None else seed_bits(seed)
        state["index"] = game_index("index", index)
        state["restarts"] = STAYS
        state["pauses"] = 1
        state["phase"] = NEW
        state["mover"] = NONE
        if deck is not None:
            cards = _cards(deck, players)
            state["deck"] = cards + [NONE] * (len(state["deck"]) - len(cards))
            state["deck_given"] = 1
        self._take_over(states)
        self._step(_NO_ACTION)
        self._run()
        self.is_from_deal = True

    def _take_over(self, states: State) -> None:
        """Start from a state with an empty history."""
        self._states = states
        mover, rewards, done = np.empty(1, np.int8), np.empty((1, MAX_PLAYERS), np.float32), np.empty(1, np.bool_)
        self._arrays = Arrays(_UNSEEN, np.zeros((1, ACTIONS), np.bool_), mover, rewards, done, _UNSEEN)
        self._is_mask_written = False
        self._events: list[Event] = []
        self._history: list[tuple[State, int]] = []
        self.is_from_deal = False
        """Whether the game was played from the deal, so that it has a record."""
        prepare(step_rows, states.view(np.uint8), 0, 1, *self._arrays, _NO_ACTION)

    @classmethod
    def from_text(cls, text: str) -> Game:
        """Return the game that a position describes; its history begins there.

        Raises:
            PositionError: the text is not a position, or the position is unreachable.
        """
        from .notation.plausible import parse_position

        game = cls.__new__(cls)
        game._take_over(parse_position(text))
        return game

    @classmethod
    def from_state(cls, states: State) -> Game:
        """Return the game in a row of `Batch.states`, given as an array of that one row; its history begins there.

        Raises:
            CryptError: it is not a single game that waits for a decision or is over.
        """
        if not isinstance(states, np.ndarray) or states.dtype != GAME or states.shape != (1,):
            found = f"{states.dtype.name} with shape {states.shape}" if hasattr(states, "dtype") else quoted(states)
            raise CryptError(f"one row of Batch.states is needed, not {found}")
        if int(states[0]["mover"]) < 0 and int(states[0]["phase"]) != OVER:
            raise CryptError("this game has not been dealt, or waits for dice; no seat can decide in it")
        from .states import check_states

        check_states(states)
        game = cls.__new__(cls)
        game._take_over(states.copy())
        game._states["restarts"] = STAYS
        game._states["pauses"] = 1
        game._states["dense"] = 0
        game._states["paid"] = 0
        return game

    # -- driving the engine -------------------------------------------------------------------------------------------

    def _step(self, action: NDArray[np.int64]) -> None:
        """Have the engine play an action, or resolve the rolled dice, up to the next stop."""
        if step_rows(self._states.view(np.uint8), 0, 1, *self._arrays, action) >= 0:
            from .notation.position import refusal

            raise refusal(self._states, int(action[0]))
        self._is_mask_written = True

    def _run(self, dice: Iterator[Sequence[int]] | None = None) -> None:
        """Roll and resolve dice until a seat decides or the game is over. ``dice`` yields the results of each roll."""
        while self._waits_for_dice:
            count = int(roll_row(self._states, 0))
            if dice is not None:
                self._put_dice(count, next(dice, ()))
            self._events.append(roll_event(self._states[0], count))
            self._step(_NO_ACTION)

    @property
    def _waits_for_dice(self) -> bool:
        """Return whether dice must be rolled before the game can continue."""
        return bool(wait_for_dice(self._states[0]["phase"]))

    def _put_dice(self, count: int, results: Sequence[int]) -> None:
        """Use given results for the roll that the game waits for."""
        is_list = isinstance(results, (list, tuple))
        if not is_list or len(results) != count or not all(is_whole(die) and 1 <= die <= EFFORTS for die in results):
            shown = list(results) if is_list else results
            raise CryptError(
                f"given dice {quoted(shown)} do not fit: {count} results from 1 to {EFFORTS} are needed here"
            )
        self._states[0]["rolled"][:count] = results

    # -- the table ----------------------------------------------------------------------------------------------------

    @property
    def players(self) -> int:
        """Number of players; 1 is a solo game against the Ghost."""
        return int(self._states[0]["players"])

    @property
    def collectors(self) -> str:
        """Sides of the Collectors: Idol, Jewelry, Manuscript, Pottery, Remains, Tapestry."""
        return sides_text(self._states[0])

    @property
    def seed(self) -> int:
        """The seed of the game."""
        return int(self._states[0]["seed"])

    @property
    def round(self) -> int:
        """The round, from 1 on."""
        return int(self._states[0]["round_number"]) + 1

    @property
    def leader(self) -> int:
        """The Leader of this round; in a solo game 1 is the Ghost."""
        return int(self._states[0]["leader"])

    @property
    def first_leader(self) -> int:
        """The Leader of the first round."""
        return (self.leader - self.round + 1) % int(self._states[0]["seats"])

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return int(self._states[0]["phase"]) == OVER

    @property
    def to_move(self) -> int | None:
        """The seat that decides; None when the game is over."""
        mover = int(self._states[0]["mover"])
        return None if mover < 0 else mover

    @property
    def events(self) -> tuple[Event, ...]:
        """All decisions and dice since the deal or the position that this game started from."""
        return tuple(self._events)

    @property
    def deck(self) -> tuple[str, ...]:
        """All cards in draw order. No seat knows this."""
        return tuple(CARD_TEXTS[card] for card in self._states[0]["deck"][: self._states[0]["deck_size"]])

    @property
    def state(self) -> State:
        """The game's record (`rules.state.GAME`), as an array of one row. A copy: changing it changes nothing here."""
        return self._states.copy()

    # -- playing ------------------------------------------------------------------------------------------------------

    def legal(self) -> tuple[str, ...]:
        """Return the legal actions of the seat to move, as texts; empty when the game is over."""
        return tuple([ACTION_TEXTS[action] for action in self.legal_actions()])

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat to move, as indices."""
        return np.flatnonzero(self._mask()).tolist()

    def _mask(self) -> NDArray[np.bool_]:
        """Return the mask of the seat to move, as the last step wrote it, or computed if none did. [1, ACTIONS]"""
        if not (self._is_mask_written or self.is_over):
            self._look(self._mover(), self._arrays.masks)
            self._is_mask_written = True
        return self._arrays.masks

    def play(self, action: str | int) -> Game:
        """Play an action, given as text or index, up to the next decision. Returns the game itself.

        Raises:
            IllegalActionError: the action is not legal; the game is unchanged.
        """
        return self._play(action, None)

    def play_with_dice(self, action: str | int, dice: Iterable[Sequence[int]]) -> Game:
        """Play an action with given results for the rolls that follow, in order; see `notation.record`."""
        if not isinstance(dice, Iterable):
            raise CryptError(f"given dice {quoted(dice)} do not fit: a list with the results of each roll is needed")
        return self._play(action, dice)

    def _play(self, action: str | int, dice: Iterable[Sequence[int]] | None) -> Game:
        index = self._index_of(action)
        before = (self._states.copy(), len(self._events))
        legal = self.legal()
        mover = self._mover()
        try:
            self._step(np.array([index], np.int64))
            self._events.append(Act(mover, ACTION_TEXTS[index], legal))
            self._run(None if dice is None else iter(dice))
        except BaseException:
            self._go_back(before)
            raise
        self._history.append(before)
        return self

    def _go_back(self, before: tuple[State, int]) -> None:
        """Return to an earlier point in the game."""
        states, events = before
        self._states = states.copy()  # copies of the game share their history
        del self._events[events:]
        self._is_mask_written = False

    def _index_of(self, action: str | int) -> int:
        """Return the index of an action; DRAW is not allowed."""
        if self.is_over:
            raise IllegalActionError(f"the game is over ({self.outcome()}); {quoted(action)} cannot be played")
        if isinstance(action, str):
            try:
                return parse_action(action)
            except ValueError as error:
                raise self._no_action(str(error)) from None
        if not is_whole(action) or action == DRAW:
            raise self._no_action(f"not an action: {quoted(action)}; expected a text such as 'done' or an index")
        if not 0 <= action < ACTIONS:
            from .notation.position import refusal

            raise refusal(self._states, int(action))
        return int(action)

    def _no_action(self, reason: str) -> IllegalActionError:
        """Return the error for something that is not an action at all."""
        from .notation.position import describe_legal

        return IllegalActionError(f"{reason}; {describe_legal(self._states)}", self.text())

    def random_action(self) -> str:
        """Draw a legal action uniformly from the game's own generator, as a `Batch` does."""
        if self.is_over:
            raise CryptError("the game is over; there is no action to draw")
        return ACTION_TEXTS[draw_row(self._states, 0)]

    def _mover(self) -> int:
        """Return the seat that decides; -1 when the game is over."""
        return int(self._states[0]["mover"])

    def undo(self) -> Game:
        """Take back the last decision and all dice that followed. Returns the game itself.

        Raises:
            CryptError: there was no decision since the start of the game or position.
        """
        if not self._history:
            raise CryptError("nothing to undo: no decision was made since the game began")
        self._go_back(self._history.pop())
        return self

    # -- what a seat knows --------------------------------------------------------------------------------------------

    def _look(self, seat: int, masks: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return the observation of a seat, and write its mask. ``masks`` is [1, ACTIONS]."""
        observations: NDArray[np.int8] = np.zeros((1, FEATURES), np.int8)
        view_rows(self._states, _ROW, np.array([player_seat(seat, self.players)], np.int8), observations, masks)
        seen: NDArray[np.int8] = observations[0]
        return seen

    def observation(self, seat: int) -> NDArray[np.int8]:
        """Return all that a seat may know, as one vector; see `rules.observe`. [FEATURES]"""
        return self._look(seat, np.zeros((1, ACTIONS), np.bool_))

    def mask(self, seat: int) -> NDArray[np.bool_]:
        """Return the mask of a seat; all False if it is not the one to move. [ACTIONS]"""
        is_asked = player_seat(seat, self.players) == self._mover()
        return self._mask()[0].copy() if is_asked else np.zeros(ACTIONS, np.bool_)

    def view(self, seat: int) -> View:
        """Return all that a seat may know, by name and in words."""
        from .notation.view import View

        return View(self.observation(seat))

    # -- the end ------------------------------------------------------------------------------------------------------

    def sheets(self) -> tuple[Sheet, ...]:
        """Return every player's score sheet, as if the game ended now. No seat knows all of this before the end."""
        from .notation.outcome import sheets_of

        return sheets_of(self._states)

    def outcome(self) -> Outcome | None:
        """Return who won, and why; None while the game goes on."""
        from .notation.outcome import outcome_of

        if not self.is_over:
            return None
        return outcome_of(self._states[0], tuple(event for event in self._events if isinstance(event, Tiebreak)))

    # -- copies -------------------------------------------------------------------------------------------------------

    def copy(self) -> Game:
        """Return an independent game that continues identically, dice included."""
        game = Game.__new__(Game)
        game.__setstate__(self.__getstate__())
        return game

    def resample(self, seat: int, seed: int | None = None) -> Game:
        """Return a determinized copy, with all that a seat cannot know re-dealt: searches must not see the future.

        Hidden values are shuffled within their types, the deck's order and all future dice are new; what the seat
        can know stays. Every deal consistent with the seat's knowledge is equally likely. The copy has no history.
        """
        from .rules.resample import resample_rows

        if self.is_over:
            raise CryptError("the game is over; there is nothing left to deal again")
        states = self._states.copy()
        bits = np.array([secrets.randbits(64) if seed is None else seed_bits(seed)], np.uint64)
        resample_rows(states, 0, 1, np.array([player_seat(seat, self.players)], np.int8), bits)
        game = Game.__new__(Game)
        game._take_over(states)
        return game

    def __copy__(self) -> Game:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Game:
        return self.copy()

    def __getstate__(self) -> _Content:
        return self._states.copy(), tuple(self._events), tuple(self._history), self.is_from_deal

    def __setstate__(self, content: _Content) -> None:
        states, events, history, is_from_deal = content
        self._take_over(states)
        self._events, self._history, self.is_from_deal = list(events), list(history), is_from_deal

    def __eq__(self, other: object) -> bool:
        """Return whether two games are in the same state and will continue identically."""
        return isinstance(other, Game) and self.text() == other.text()

    def __hash__(self) -> int:
        """Return a hash of the position. Games are mutable: do not play on one that is in a set."""
        return hash(self.text())

    # -- texts --------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the position as one line of text, which `from_text` reads. It reveals all that is hidden."""
        from .notation.position import format_position

        return format_position(self._states)

    def __repr__(self) -> str:
        """Return a short description, which reveals nothing hidden; `text` does."""
        where = "over" if self.is_over else f"round {self.round}, seat {self.to_move} to move"
        return f"<Game: {counted(self.players, 'player')}, Collectors {self.collectors}, {where}>"

    def __str__(self) -> str:
        from .drawing import draw_text, scene_of_game

        return draw_text(scene_of_game(self))

    def _repr_svg_(self) -> str:
        """Return the public board as a picture for a notebook."""
        from .drawing import draw_svg, scene_of_game

        return draw_svg(scene_of_game(self))


def _cards(deck: Sequence[str], players: int) -> list[int]:
    """Return the cards of a deck given as texts; it must match the number of players."""
    if isinstance(deck, (str, bytes)) or not isinstance(deck, Iterable) or getattr(deck, "ndim", 1) == 0:
        raise CryptError(f"deck={quoted(deck)} is not possible; a list of cards such as 'T4' is needed")
    cards = list(deck)
    for text in cards:
        if not isinstance(text, str):
            raise CryptError(f"not a card: {quoted(text)}; expected {CARD_FORM}")
    try:
        numbers = [parse_card(text) for text in cards]
        check_deck(numbers, players)
    except ValueError as error:
        raise CryptError(str(error)) from None
    return numbers
