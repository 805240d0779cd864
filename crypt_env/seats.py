"""`SeatBatch`: N games, in each of which a learner has one seat and agents play the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .agents.cast import Cast
from .agents.opponents import Opponents, Opposition
from .batch import Batch
from .errors import CryptError, IllegalActionError
from .options import RANDOM, seat_rule, table_changes
from .position import describe_refusal
from .rules.actions import ACTIONS, SKIP
from .rules.arrays import Arrays, new_arrays
from .rules.batch import seat_bits
from .rules.cards import MAX_PLAYERS
from .rules.state import NEW, NONE, OVER

ENDS, RAISES = "end", "raise"

ILLEGAL_REWARD = -1.0
"""What a learner gets for an illegal action where that ends the game."""


_ALL = slice(None)


class Seen(NamedTuple):
    """What learners get from a step, for N games. The arrays are theirs, all but the last."""

    observations: NDArray[np.int8]
    """[N, FEATURES]: what the learner may know when it decides next."""
    masks: NDArray[np.bool_]
    """[N, ACTIONS]: what it may do; nothing in a game that is over and stays so."""
    rewards: NDArray[np.float32]
    """[N]: what its seat was paid since its last decision."""
    dones: NDArray[np.bool_]
    """[N]: whether the game ended. If games restart, the next one is dealt already."""
    finals: NDArray[np.int8]
    """[N, FEATURES]: of the games that ended, what the learner knew at the end. Other rows mean nothing. The next step
    writes to the same array."""


class SeatBatch:
    """N games, each seen from the learner's seat: it is asked, agents answer for the other seats, it is asked again.

    Game ``i`` of a seed plays the same, given the same actions of the learner, in a batch of any size, if the agents
    use no chance but the bits that they are given.
    """

    def __init__(
        self,
        games: int,
        players: int | Sequence[int] = 2,
        opponents: Opponents = RANDOM,
        seat: int | str = RANDOM,
        illegal: str = ENDS,
        **arguments: Any,
    ) -> None:
        """Prepare the games; `reset` deals them.

        Args:
            games: how many.
            players: 1 to 4, for all games or for each.
            opponents: one agent for all other seats; a list with one for each, clockwise from the learner; or a
                dictionary of agents and weights, with which each other seat of each game draws its own. Agents are
                names, `agents.Agent` objects, or functions of observations and masks.
            seat: the learner's, or "random" (anew for each episode). In a solo game it is 0.
            illegal: what an illegal action does: "end" ends the game and pays `ILLEGAL_REWARD`, "raise" raises an
                error and changes nothing.
            **arguments: those of `Batch`.

        Raises:
            CryptError: an argument is not possible.
        """
        if illegal not in (ENDS, RAISES):
            raise CryptError(f"illegal={illegal!r} is not known; allowed are 'end' and 'raise'")
        if not isinstance(dense := arguments.get("dense", False), (bool, np.bool_)):
            raise CryptError(f"dense={dense!r} is not possible; allowed are True and False")
        self.batch = Batch(games, players, **arguments)
        self._players = self.batch.states["players"].copy()
        self._has_opponents = bool(self._players.max() > 1)
        self._seat = seat_rule(seat, self._players)
        self._ends_illegal = illegal == ENDS
        self._restarts = bool(self.batch.states["restarts"][0])
        self.learners = np.zeros(games, np.int8)
        """[N]: the learner's seat in each game."""
        self._rows = np.arange(games)
        self._now = new_arrays(games)
        self._is_broken_off = False
        self.set_opponents(opponents)

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.batch)

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others play against the learners from now on, also in games that have begun."""
        opposition = Opposition(opponents, int(self._players.max()))
        self._cast = Cast(len(self), opposition.agents)
        self._opposition = opposition
        bits = self._bits(self._rows)[:, 1:]
        self._cast.owners[:] = self._opposition.seated(self.learners, self._players, bits)

    # -- seats --------------------------------------------------------------------------------------------------------

    def _take_seats(self, games: NDArray[np.int64]) -> None:
        """Seat the learners and their opponents in games that were just dealt."""
        bits = self._bits(games)
        players = self._players[games]
        learners = (bits[:, 0] % players.astype(np.uint64)).astype(np.int8) if self._seat < 0 else self._seat
        self.learners[games] = learners
        self.batch.states["learner"][games] = learners
        self._cast.owners[games] = self._opposition.seated(self.learners[games], players, bits[:, 1:])
        self._cast.forget(games)

    def _bits(self, games: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return random numbers for each game, which follow from its seed, index and episode. [n, 1 + MAX_PLAYERS]"""
        bits = np.empty((len(games), 1 + MAX_PLAYERS), np.uint64)
        seat_bits(self.batch.states, games, bits)
        return bits

    def _new_arrays(self) -> Arrays:
        """Return arrays for a step: new ones for observations and masks, so that no step writes over what is kept."""
        old = self._now
        return old._replace(observations=np.empty_like(old.observations), masks=np.empty_like(old.masks))

    # -- playing ------------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None) -> Seen:
        """Deal the games of a seed, or the same ones again, up to the learners' first decisions."""
        self._now = self.batch.reset(seed, self._new_arrays())
        return self._begin(self._rows)

    def next_games(self, games: NDArray[np.int64] | None = None) -> Seen:
        """Deal the next episode of some games, all if not given, up to the learners' first decisions."""
        games = self._rows if games is None else games
        into = self._new_arrays()
        into.observations[:], into.masks[:] = self._now.observations, self._now.masks  # of the games that go on
        self._now = self.batch.restart(games, into)
        return self._begin(games)

    def change(self, options: Mapping[str, Any] | None, games: int | slice = _ALL) -> None:
        """Change tables or first Leaders of some games, from their next deal on; ``options`` are those of a reset."""
        for name, number in table_changes(options, int(self._players.min())).items():
            self.batch.states[name][games] = number

    def _begin(self, games: NDArray[np.int64]) -> Seen:
        """Seat everybody in games that were just dealt, and go on to the learners' first decisions."""
        self._take_seats(games)
        return self._finish(np.zeros(len(self), np.float32), np.zeros(len(self), np.bool_))

    def step(self, actions: NDArray[np.int64]) -> Seen:
        """Play the learners' actions and all that follows, up to their next decisions.

        Args:
            actions: whole numbers, [N]. Ignored where a game is over.

        Raises:
            CryptError: there is not one whole number for each game; nothing has changed.
            IllegalActionError: an action is not legal and that is to raise an error; nothing has changed. Or an
                opponent's is not legal; then the games must be dealt anew.
        """
        given = self._checked(actions)
        if self._is_broken_off:  # the learners' actions would be played by others
            raise CryptError("an opponent failed in the middle of the last step; call reset()")
        actions = given.astype(np.int64)
        if actions.min() < 0:  # what a batch understands by these is no learner's business; too large ones it refuses
            actions[actions < 0] = ACTIONS
        into = self._new_arrays()
        illegal = None
        try:
            self.batch.step(actions, into)
        except IllegalActionError:
            illegal = self._illegal(actions)
            if not self._ends_illegal:
                refusal = describe_refusal(self.batch.states[illegal[0]], int(given[illegal[0]]))
                raise IllegalActionError(f"game {illegal[0]}: {refusal}") from None
            self._play_but(illegal, actions, into)
        self._now = into
        rewards = into.rewards.reshape(-1)[self._rows * MAX_PLAYERS + self.learners]
        dones = into.dones.copy()
        if illegal is not None:
            rewards[illegal], dones[illegal] = ILLEGAL_REWARD, True
        if self._restarts and self._has_opponents and dones.any():
            self._take_seats(np.flatnonzero(dones))
        return self._finish(rewards, dones)

    def _checked(self, actions: Any) -> NDArray[Any]:
        """Return the learners' actions as an array."""
        given = np.asarray(actions)
        if given.shape != (len(self),) or given.dtype.kind not in "iu":
            raise CryptError(
                f"actions are an array of {given.dtype} with shape {given.shape}; "
                f"one whole number for each of {len(self)} games is needed, shape ({len(self)},)"
            )
        return given

    def _illegal(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the games in which an action is not legal."""
        is_legal = self._now.masks[self._rows, np.minimum(actions, ACTIONS - 1)] & (actions < ACTIONS)
        return np.flatnonzero(~is_legal & (self.batch.states["mover"] != NONE))

    def _play_but(self, illegal: NDArray[np.int64], actions: NDArray[np.int64], into: Arrays) -> None:
        """Play the actions, but end the games listed, in which they are illegal."""
        states = self.batch.states
        states["mover"][illegal] = NONE
        states["phase"][illegal] = OVER
        finals, masks = into.finals[illegal], into.masks[illegal]
        self.batch.view(illegal, self.learners[illegal], finals, masks)
        if self._restarts:
            states["phase"][illegal] = NEW
            states["episode"][illegal] += 1
        self.batch.step(actions, into)
        into.finals[illegal] = finals

    def _finish(self, rewards: NDArray[np.float32], dones: NDArray[np.bool_]) -> Seen:
        """Let the opponents play until learners are to decide in all games that are not over."""
        if self._has_opponents:
            self._let_others_play(rewards, dones)
        return Seen(self._now.observations, self._now.masks, rewards, dones, self._now.finals)

    def _let_others_play(self, rewards: NDArray[np.float32], dones: NDArray[np.bool_]) -> None:
        """Play the opponents' decisions up to the next ones of the learners."""
        now, learners = self._now, self.learners
        self._is_broken_off = True
        actions = np.full(len(self), SKIP, np.int64)
        waiting = np.flatnonzero((now.movers != learners) & (now.movers != NONE))
        while len(waiting):
            self._cast.answer(self.batch.states, now, waiting, actions)
            self.batch.step(actions, now)
            actions[waiting] = SKIP
            rewards[waiting] += now.rewards[waiting, learners[waiting]]
            ended = waiting[now.dones[waiting]]
            dones[ended] = True
            if self._restarts and len(ended):
                self._take_seats(ended)
            movers = now.movers[waiting]
            waiting = waiting[(movers != learners[waiting]) & (movers != NONE)]
        self._is_broken_off = False
