"""`SeatBatch`: N games, in each of which a learner has one seat and agents play the others."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crypt_env.agents.cast import Cast
from crypt_env.agents.opponents import Opponents, Opposition
from crypt_env.batch import Batch
from crypt_env.envs import ILLEGAL_REWARD
from crypt_env.errors import CryptError, IllegalActionError, quoted
from crypt_env.notation.position import describe_refusal, refusal
from crypt_env.rules.actions import ACTIONS, DRAW, SKIP
from crypt_env.rules.batch import Arrays, check_rows, new_arrays, seat_bits
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import NEW, NONE, OVER
from crypt_env.table import RANDOM, Table, as_array, seat_rule, table_changes

ENDS, RAISES = "end", "raise"

Changes: TypeAlias = list[tuple[NDArray[np.int64], dict[str, int]]]
"""Games, and the record fields to change in them."""

_Ends: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int16]]
"""Games that ended, their learners' final observations, and the coins of all seats."""

_ALL = slice(None)
_NO_FINALS = np.empty((0, FEATURES), np.int8)


class Seen(NamedTuple):
    """The result of a step for the learners, for N games. No later step writes to these arrays or reads them."""

    observations: NDArray[np.int8]
    """[N, FEATURES]: the learner's observation at its next decision."""
    masks: NDArray[np.bool_]
    """[N, ACTIONS]: its mask; all False in a game that is over and not restarted."""
    rewards: NDArray[np.float32]
    """[N]: the reward of its seat since its last decision."""
    dones: NDArray[np.bool_]
    """[N]: whether the game ended. If games restart, the next one is already dealt."""
    ended: NDArray[np.int64]
    """[k]: the games that ended, in any order."""
    finals: NDArray[np.int8]
    """[k, FEATURES]: their learners' final observations."""
    scores: NDArray[np.int16]
    """[k, MAX_PLAYERS]: the coins of all seats; 0 in games that an illegal action ended."""
    refusals: Mapping[int, str]
    """Why learners' actions were refused, by game; this ended those games."""


class SeatBatch:
    """N games, each seen from the learner's seat: it is asked, agents answer for the other seats, it is asked again.

    Game ``i`` of a seed plays the same, given the same actions of the learner, in a batch of any size, if the agents
    use no randomness but the bits that they are given.
    """

    def __init__(
        self,
        games: int,
        table: Table,
        opponents: Opponents = RANDOM,
        seat: int | str = RANDOM,
        illegal: str = ENDS,
        restarts: bool = True,
        first_index: int = 0,
    ) -> None:
        """Prepare the games at a table; `reset` deals them.

        ``opponents``, ``seat`` and ``illegal`` are as in `single.SeatEnv`. With ``restarts``, the step in which a game
        ends deals its next episode. ``first_index`` is the number of the first game.
        """
        if not isinstance(illegal, str) or illegal not in (ENDS, RAISES):
            raise CryptError(f"illegal={quoted(illegal)} is not known; allowed are 'end' and 'raise'")
        self._restarts = restarts
        self.batch = Batch.at(table, games, restarts=False, first_index=first_index)
        games = len(self.batch)
        self.players = self.batch.states["players"].copy()
        """[N]: how many players there are in each game."""
        self._players_as_bits = self.players.astype(np.uint64)
        self._is_dense = table.dense
        self._has_opponents = bool(self.players.max() > 1)
        self._seat = seat_rule(seat, int(self.players.min()))
        self._ends_illegal = illegal == ENDS
        self.learners = np.zeros(games, np.int8)
        """[N]: the learner's seat in each game."""
        self._rows = np.arange(games)
        self._places = self._rows * MAX_PLAYERS
        self._others = np.full(games, SKIP, np.int64)
        self._now = new_arrays(games)._replace(finals=_NO_FINALS)
        self._is_dealt = False
        self._is_broken_off = False
        self.set_opponents(opponents)

    def __len__(self) -> int:
        return len(self.batch)

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the learners' opponents from now on, including in games that have begun."""
        opposition = Opposition(opponents, int(self.players.max()))
        self._cast = Cast(len(self), opposition.agents)
        self._opposition = opposition
        self._seatings = None if isinstance(opponents, Mapping) else self._all_seatings()
        self._seat_opponents(self._rows, self._bits(self._rows, 1 + MAX_PLAYERS))

    # -- seats --------------------------------------------------------------------------------------------------------

    def _all_seatings(self) -> NDArray[np.int16]:
        """Return the player of each seat if nothing is random. [players - 1, learner, seats]"""
        seats = np.arange(MAX_PLAYERS, dtype=np.int8)
        bits = np.zeros((MAX_PLAYERS, MAX_PLAYERS), np.uint64)
        return np.array([self._opposition.seated(seats, np.full_like(seats, 1 + seat), bits) for seat in seats])

    def _take_seats(self, games: NDArray[np.int64]) -> None:
        """Seat the learners and their opponents in games that were just dealt or are about to be."""
        bits = self._bits(games, 1 + MAX_PLAYERS if self._seatings is None else 1)
        if self._seat < 0:
            self.learners[games] = bits[:, 0] % self._players_as_bits[games]
        else:
            self.learners[games] = self._seat
        self.batch.states["learner"][games] = self.learners[games]
        self._seat_opponents(games, bits)
        self._cast.forget(games)

    def _seat_opponents(self, games: NDArray[np.int64], bits: NDArray[np.uint64]) -> None:
        """Seat the opponents in some games."""
        players, learners = self.players[games], self.learners[games]
        if self._seatings is None:
            self._cast.owners[games] = self._opposition.seated(learners, players, bits[:, 1:])
        else:
            self._cast.owners[games] = self._seatings[players - 1, learners]

    def _bits(self, games: NDArray[np.int64], count: int) -> NDArray[np.uint64]:
        """Return random numbers for each game, derived from its seed, index and episode. [n, count]"""
        bits = np.empty((len(games), count), np.uint64)
        seat_bits(self.batch.states, games, bits)
        return bits

    def _new_arrays(self) -> Arrays:
        """Return arrays for a step: new ones for observations and masks, so that no step overwrites kept ones."""
        old = self._now
        return old._replace(observations=np.empty_like(old.observations), masks=np.empty_like(old.masks))

    def _renew(self, games: NDArray[np.int64], seeds: Sequence[int | None] | None = None) -> None:
        """Assign all seats for the next episode of the games listed, or for the first one of a seed where given.

        The next step of the batch deals them.
        """
        states = self.batch.states
        states["episode"][games] += 1
        if seeds is not None:
            for game, seed in zip(games.tolist(), seeds, strict=True):
                if seed is not None:
                    states["seed"][game], states["episode"][game] = seed, 0
        states["mover"][games] = NONE
        states["phase"][games] = NEW
        if self._has_opponents:
            self._take_seats(games)

    # -- playing ------------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> Seen:
        """Deal the games of a seed, or the same ones again, up to the learners' first decisions."""
        self._now = self.batch.reset(seed, self._new_arrays())
        self._is_dealt = True
        self._take_seats(self._rows)
        return self._begin(self._rows[:0])

    def next_games(self, games: NDArray[np.int64] | None = None, seeds: Sequence[int | None] | None = None) -> Seen:
        """Deal the next episode of some games, by default all, up to the learners' first decisions.

        Args:
            games: which.
            seeds: for each of them, None or a seed whose first episode is dealt instead.

        Raises:
            CryptError: an opponent failed in the last step, so all games must be reset.
        """
        games = self._rows if games is None else games
        if self._is_broken_off and len(games) < len(self):
            raise CryptError("an opponent failed in the middle of the last step; reset all games, not some")
        self._now = self._new_arrays()
        if not self._is_dealt:
            self.batch.reset(None, self._now)
            self._is_dealt = True
        if len(games) < len(self):
            self.batch.view(self._rows, self.learners, self._now.observations, self._now.masks)
        self._renew(games, seeds)
        return self._begin(games)

    def changes(self, options: Mapping[str, Any] | None, games: int | slice | NDArray[np.int64] = _ALL) -> Changes:
        """Return the changes by the options of a reset in some games, without applying them.

        Raises:
            CryptError: an option is not possible in one of them.
        """
        rows = np.atleast_1d(self._rows[games])
        counts = self.players[rows]
        return [(rows[counts == count], table_changes(options, int(count))) for count in np.unique(counts)]

    def apply(self, changes: Changes) -> None:
        """Apply changes, effective from the next deal of each game."""
        for rows, fields in changes:
            for name, number in fields.items():
                self.batch.states[name][rows] = number

    def _begin(self, renewed: NDArray[np.int64]) -> Seen:
        """Deal the pending games, up to the learners' first decisions."""
        return self._finish(np.zeros(len(self), np.float32), np.zeros(len(self), np.bool_), renewed, {})

    def step(self, actions: NDArray[np.int64], again: NDArray[np.int64] | None = None) -> Seen:
        """Play the learners' actions and all that follows, up to their next decisions.

        Args:
            actions: whole numbers, [N]. Ignored where a game is over.
            again: finished games whose next episodes are dealt in this step.

        Raises:
            CryptError: there is not one whole number for each game; nothing has changed.
            IllegalActionError: an action is not legal and ``illegal`` is "raise"; nothing has changed. Or an
                opponent's action is not legal; then all games must be reset.
        """
        given = self._checked(actions)
        if self._is_broken_off:  # opponents' decisions are pending, so the actions would be theirs
            raise CryptError("an opponent failed in the middle of the last step; call reset()")
        # Learners must not use a batch's codes below 0: as unsigned numbers, they are too large to be actions.
        actions = np.minimum(given.astype(np.int64).view(np.uint64), ACTIONS).view(np.int64)
        into = self._new_arrays()
        refusals: dict[int, str] = {}
        if self._has_opponents and self._cast.keeps_past:  # only what is legal, and will be played, may be noted
            refusals = self._refuse(actions, given)
            self._cast.keep(self.batch.states, self._asked(), actions)
        try:
            self.batch.step(actions, into)
        except IllegalActionError:
            refusals = self._refuse(actions, given)
            self.batch.step(actions, into)
        self._now = into
        rewards = (
            into.rewards.reshape(-1)[self._places + self.learners] if self._has_opponents else into.rewards[:, 0].copy()
        )
        dones = into.dones.copy()
        if refusals:
            illegal = list(refusals)
            rewards[illegal], dones[illegal] = ILLEGAL_REWARD, True
        again = self._rows[:0] if again is None else again
        if len(again):
            self._renew(again)
        return self._finish(rewards, dones, again, refusals)

    def _checked(self, actions: Any) -> NDArray[Any]:
        """Return the learners' actions as an array."""
        given = as_array("actions", actions)
        if given.shape != (len(self),) or given.dtype.kind not in "iu":
            raise CryptError(
                f"actions are an array of {given.dtype} with shape {given.shape}; "
                f"one whole number for each of {len(self)} games is needed, shape ({len(self)},)"
            )
        return given

    def _refuse(self, actions: NDArray[np.int64], given: NDArray[Any]) -> dict[int, str]:
        """End the games whose actions are illegal; return the reason for each. The engine decides, not a mask.

        Raises:
            IllegalActionError: ``illegal`` is "raise"; nothing has changed.
        """
        states, refusals, start = self.batch.states, dict[int, str](), 0
        while (game := check_rows(states, start, len(self), actions)) >= 0:
            if not self._ends_illegal:
                raise refusal(states[game : game + 1], int(given[game]), f"game {game}: ") from None
            refusals[game] = describe_refusal(states[game], int(given[game]))
            start = game + 1
        illegal = list(refusals)
        states["mover"][illegal] = NONE
        states["phase"][illegal] = OVER
        return refusals

    def _finish(
        self,
        rewards: NDArray[np.float32],
        dones: NDArray[np.bool_],
        renewed: NDArray[np.int64],
        refusals: Mapping[int, str],
    ) -> Seen:
        """Have the opponents play, and deal pending games, until learners decide in all unfinished games.

        Args:
            rewards: the learners' rewards so far in this step; added to.
            dones: which games ended so far; added to.
            renewed: games to be dealt.
            refusals: why learners' actions were refused.
        """
        now, ends = self._now, list[_Ends]()
        ended, waiting = dones.nonzero()[0], self._waiting()
        self._is_broken_off = True
        while True:
            if len(ended):
                ends.append((ended, now.observations.take(ended, axis=0), self.batch.states["scores"][ended]))
                if self._restarts:
                    self._renew(ended)
                    renewed = np.concatenate([renewed, ended]) if len(renewed) else ended
            if len(waiting) == len(renewed) == 0:
                break
            self._play_others(waiting, renewed)
            if not self._has_opponents:  # only deals were pending
                break
            played = np.concatenate([waiting, renewed]) if len(renewed) else waiting
            ended = played[now.dones[played]]
            paid = played if self._is_dense else ended
            rewards[paid] += now.rewards[paid, self.learners[paid]]
            dones[ended] = True
            waiting, renewed = self._waiting(), self._rows[:0]
        self._is_broken_off = False
        return Seen(now.observations, now.masks, rewards, dones, *_joined(ends), refusals)

    def _asked(self) -> NDArray[np.int64]:
        """Return the games in which the learner decides."""
        return np.flatnonzero(self.batch.states["mover"] == self.learners)

    def _waiting(self) -> NDArray[np.int64]:
        """Return the games in which an opponent decides."""
        if not self._has_opponents:
            return self._rows[:0]
        movers = self._now.movers
        return np.flatnonzero((movers != self.learners) & (movers != NONE))

    def _play_others(self, waiting: NDArray[np.int64], renewed: NDArray[np.int64]) -> None:
        """Play an opponent's decision in each game that waits for one, and deal pending games."""
        actions = self._others
        actions[renewed] = DRAW
        try:
            if len(waiting):
                self._cast.answer(self.batch.states, self._now, waiting, actions)
            self.batch.step(actions, self._now)
        except IllegalActionError:
            game = check_rows(self.batch.states, 0, len(self), actions)
            if game < 0:  # the agent's answer was malformed, not illegal
                raise
            states = self.batch.states[game : game + 1]
            name = self._cast.agents[self._cast.owners[game, states["mover"][0]]].name
            raise refusal(states, int(actions[game]), f"game {game}: opponent {name!r} gave an ") from None
        finally:
            actions[waiting] = actions[renewed] = SKIP

    def __copy__(self) -> SeatBatch:
        return copy.deepcopy(self)


def _joined(ends: list[_Ends]) -> _Ends:
    """Return all games that ended in a step as one."""
    if len(ends) == 1:
        return ends[0]
    if not ends:
        return np.empty(0, np.int64), _NO_FINALS, np.empty((0, MAX_PLAYERS), np.int16)
    ended, finals, scores = zip(*ends, strict=True)
    return np.concatenate(ended), np.concatenate(finals), np.concatenate(scores)
