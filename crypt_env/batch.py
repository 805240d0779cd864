"""`Batch`: N games that are stepped together."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import CryptError, counted, quoted
from .notation.position import refusal
from .rules.actions import ACTIONS, DRAW, SKIP
from .rules.batch import BUSY, Arrays, check_rows, new_arrays, step_rows, view_rows
from .rules.compiled import prepare
from .rules.observe import FEATURES
from .rules.state import GAME, NEW, NONE, RESTARTS, STAYS
from .table import RANDOM, Table, as_array, flag, game_index, positive, seed_bits

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


def _check_array(name: str, given: object, right: NDArray[Any], may_be_empty: bool) -> None:
    """Raise an error unless a given array has the type, the layout and at least the size of the required one."""
    if not isinstance(given, np.ndarray) or isinstance(given, np.ma.MaskedArray):  # numba ignores masks
        raise CryptError(
            f"{name} is {type(given).__name__}; an array of {right.dtype} with shape {right.shape} is needed"
        )
    is_long = len(given.shape) > 0 and (len(given) >= len(right) or (may_be_empty and len(given) == 0))
    is_shaped = is_long and given.shape[1:] == right.shape[1:]
    if given.dtype != right.dtype or not is_shaped or not given.flags.c_contiguous or not given.flags.writeable:
        kind = "" if given.flags.c_contiguous and given.flags.writeable else ", not contiguous or not writable"
        raise CryptError(
            f"{name} is an array of {given.dtype} with shape {given.shape}{kind}; "
            f"{right.dtype} with shape {right.shape}, C-contiguous and writable, is needed"
        )


def _check_numbers(name: str, given: object, dtype: type[np.integer[Any]], limit: NDArray[Any] | int) -> None:
    """Raise an error unless these are integers of a type, at least 0 and below a limit."""
    if not isinstance(given, np.ndarray) or given.dtype != dtype or given.ndim != 1:
        found = (
            f"an array of {given.dtype} with shape {given.shape}" if isinstance(given, np.ndarray) else quoted(given)
        )
        raise CryptError(f"{name} is {found}; a one-dimensional array of {dtype.__name__} is needed")
    wrong = given[(given < 0) | (given >= limit)]
    if len(wrong):
        raise CryptError(f"{name} holds {wrong[0]}; allowed are numbers from 0 to {np.max(limit) - 1}")


SHOWN = 4
"""How many games a notebook shows of a batch."""

_INT64, _INT8, _BOOL = np.dtype(np.int64), np.dtype(np.int8), np.dtype(np.bool_)
_NOT_COPIED = ("_pool", "_pool_process", "_lock", "_memory", "_step_own")
_MOST_GAMES = 2**32
"""Games are numbered with 32 bits."""
_BUSY_ERROR = "another thread is stepping this batch; a batch serves one thread at a time, give each its own"


class Batch:
    """N games that are stepped together. A step overwrites what the last one returned.

    To keep results beyond the next step, copy them, or have steps write into your own arrays, given as ``into``.

    >>> batch = Batch(1024, players=2, seed=7)
    >>> kept = batch.reset().observations.copy()  # without `copy` the next step writes over it
    >>> rollout = [new_arrays(len(batch)) for _ in range(16)]
    >>> for arrays in rollout:
    ...     _ = batch.step_random(into=arrays)  # each step in its own arrays

    Game ``i`` plays the same, given the same actions, as game ``i`` of any other batch with the same seed, for any
    size of the batch and also after automatic restarts.

    A batch serves one thread at a time; a step that begins while another is running is refused.
    """

    def __init__(
        self,
        games: int,
        players: int | Sequence[int] = 2,
        collectors: str = RANDOM,
        leader: int | str = RANDOM,
        seed: int = 0,
        reward: str = "win",
        dense: bool = False,
        restarts: bool = True,
        threads: int = 1,
        first_index: int = 0,
    ) -> None:
        """Prepare the games; `reset` deals them.

        Args:
            games: how many.
            players: 1 to 4, for all games or for each.
            collectors: six letters such as "AABBAB", "A" or "B" for all, or "random" (drawn for each episode).
            leader: the first Leader's seat, or "random". A solo game is always led by the player.
            seed: any integer from 0 to 2**64 - 1.
            reward: "win", "margin" or "coins"; a solo game always pays coins.
            dense: pay as soon as coins are certain instead of at the end; the sum is the same.
            restarts: deal the next game as soon as one is over; otherwise it stays as it is.
            threads: how many threads share the games; worthwhile from about a thousand games.
            first_index: number of the first game, for splitting one batch into several.
        """
        self._prepare(Table(players, collectors, leader, reward, dense), games, seed, restarts, threads, first_index)

    @classmethod
    def at(cls, table: Table, games: int, restarts: bool = True, first_index: int = 0, seed: int = 0) -> Batch:
        """Return a batch of games at a given `Table`; the other arguments are the constructor's."""
        batch = cls.__new__(cls)
        batch._prepare(table, games, seed, restarts, 1, first_index)
        return batch

    def _prepare(self, table: Table, games: int, seed: int, restarts: bool, threads: int, first_index: int) -> None:
        games = positive("games", games, _MOST_GAMES)
        self._states = states = np.zeros(games, GAME)
        table.write(states)
        states["restarts"] = RESTARTS if flag("restarts", restarts) else STAYS
        states["index"] = game_index("first_index", first_index, games) + np.arange(games)
        states["mover"] = NONE
        states["phase"] = NEW
        self.seed = seed_bits(seed)
        self._arrays = new_arrays(games)
        self._drawn = np.full(games, DRAW, np.int64)
        self._threads = min(positive("threads", threads), games)
        self._bounds = np.linspace(0, games, self._threads + 1).astype(int).tolist()
        self._get_ready()

    def _get_ready(self) -> None:
        """Initialize what is not part of a copy."""
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = NONE
        self._lock = threading.Lock()
        self._is_dealt = False
        self._states["busy"] = 0
        self._memory = self._states.view(np.uint8)
        prepare(step_rows, self._memory, 0, len(self), *self._arrays, self._drawn)
        self._step_own: Callable[[NDArray[np.int64]], int] = self._first_step

    def _first_step(self, actions: NDArray[np.int64]) -> int:
        """Step the games for the first time."""
        self._check_dealt()
        return self._step_own(actions)

    def _check_dealt(self) -> None:
        """Raise an error if a game was never dealt. Checked once: a dealt game stays dealt."""
        if self._is_dealt:
            return
        if (self._states["phase"] == NEW).any():
            raise CryptError("no games were dealt yet; call reset() first")
        self._go()

    def _go(self) -> None:
        """Call the engine directly from now on."""
        self._is_dealt = True
        # The fastest call in Python: it matters for a batch of one.
        self._step_own = partial(step_rows, self._memory, 0, len(self), *self._arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _NOT_COPIED}

    def __setstate__(self, content: dict[str, Any]) -> None:
        vars(self).update(content)
        self._get_ready()

    def __copy__(self) -> Batch:
        return copy.deepcopy(self)

    @property
    def states(self) -> NDArray[np.void]:
        """The games themselves: [N], `rules.state.GAME`. Copying a game is copying a row; assign to rows of it.

        Rows of batches and games are always valid. Rows from elsewhere, such as a file, must pass
        `crypt_env.check_states` first: the engine trusts these records, and an invalid one may crash it.
        """
        return self._states

    @property
    def arrays(self) -> Arrays:
        """Where a step writes by default."""
        return self._arrays

    def __len__(self) -> int:
        return len(self._states)

    def __repr__(self) -> str:
        """Return a short description."""
        counts = " or ".join(map(str, np.unique(self.states["players"])))
        return f"<Batch: {counted(len(self), 'game')} of {counts} player{'s' * (counts != '1')}>"

    def _repr_svg_(self) -> str | None:
        """Return the boards of the first games as a picture for a notebook; None before the first deal."""
        from .drawing import draw_grid, scenes_of_states

        shown = self.states[:SHOWN]
        return None if (shown["seats"] == 0).any() else draw_grid(scenes_of_states(shown))

    def reset(self, seed: int | None = None, into: Arrays | None = None) -> Arrays:
        """Deal all games from the start; with a seed, those of that seed, otherwise the same ones again."""
        seed = self.seed if seed is None else seed_bits(seed)
        self._check_ready(into)
        self.seed = seed
        self.states["seed"] = seed
        self.states["episode"] = 0
        self.states["mover"] = NONE
        self.states["phase"] = NEW
        self._go()
        return self.step(self._drawn, into)

    def restart(self, rows: NDArray[np.int64], into: Arrays | None = None) -> Arrays:
        """Deal the next episode of the games listed, and write their views; the other games stay as they are."""
        rows = as_array("rows", rows)
        rows = rows if rows.size else np.zeros(0, np.int64)
        _check_numbers("rows", rows.astype(np.int64) if rows.dtype.kind in "iu" else rows, np.int64, len(self))
        self._check_dealt()
        self._check_ready(into)
        actions = np.full(len(self), SKIP, np.int64)
        actions[rows] = DRAW
        self.states["episode"][rows] += 1
        self.states["mover"][rows] = NONE
        self.states["phase"][rows] = NEW
        return self.step(actions, into)

    def step(self, actions: NDArray[np.int64], into: Arrays | None = None) -> Arrays:
        """Play one action in each game, up to its next decision. Overwrites what the last step returned.

        Without ``into`` a batch writes every step into the same arrays, its own, and returns those.

        Args:
            actions: int64 [N]; `DRAW` (-1) plays a uniformly random legal action, `SKIP` (-2) leaves the game as it is.
                Any other action for a game that is over is ignored.
            into: C-contiguous arrays to write to, by default the batch's own. Observations, masks and finals of length
                0 are not written.

        Raises:
            IllegalActionError: an action is not legal; no game has changed.
        """
        own = into is None and self._threads == 1
        into = self._arrays if into is None else into
        try:
            refused = self._step_own(actions) if own else self._step_into(actions, into)
        except Exception:  # compiled code has its own errors for unsupported arrays
            self._check_arrays(actions, into)
            raise
        if refused != NONE:
            raise self._refusal(refused, actions, into)
        return into

    def step_random(self, into: Arrays | None = None) -> Arrays:
        """Play a uniformly random legal action in each game, drawn by the game's own generator."""
        return self.step(self._drawn, into)

    def view(
        self,
        rows: NDArray[np.int64],
        viewers: NDArray[np.int8],
        observations: NDArray[np.int8],
        masks: NDArray[np.bool_],
    ) -> None:
        """Write what the given seats may know of the games listed; a seat that does not decide has an empty mask.

        Args:
            rows: int64 [n], the games' places in the batch.
            viewers: int8 [n], seats of players.
            observations: [n, FEATURES] or longer.
            masks: [n, ACTIONS] or longer.

        Raises:
            CryptError: an array is malformed, or there is no such game or seat; nothing was written.
        """
        try:
            is_typed = rows.dtype is _INT64 and viewers.dtype is _INT8
            if is_typed and observations.dtype is _INT8 and masks.dtype is _BOOL:
                view_rows(self._states, rows, viewers, observations, masks)
                return
        except Exception:  # the check below finds the reason
            pass
        self._check_view(rows, viewers, observations, masks)
        view_rows(self._states, rows, viewers, observations, masks)

    def _check_view(self, rows: Any, viewers: Any, observations: Any, masks: Any) -> None:
        """Raise an error that names the first malformed argument of a view."""
        _check_numbers("rows", rows, np.int64, len(self))
        if isinstance(viewers, np.ndarray) and viewers.shape != rows.shape:
            raise CryptError(f"viewers have the shape {viewers.shape}; one seat for each of {len(rows)} is needed")
        _check_numbers("viewers", viewers, np.int8, self._states["players"][rows])
        _check_array("observations", observations, np.empty((len(rows), FEATURES), np.int8), may_be_empty=False)
        _check_array("masks", masks, np.empty((len(rows), ACTIONS), np.bool_), may_be_empty=False)

    def _check_ready(self, into: Arrays | None) -> None:
        """Raise an error if a step is not possible now."""
        if into is not None:
            self._check_arrays(self._drawn, into)
        if self._states["busy"][0] or self._lock.locked():
            raise CryptError(_BUSY_ERROR)

    def _refusal(self, refused: int, actions: NDArray[np.int64], into: Arrays) -> CryptError:
        """Return the error for the answer of a step."""
        self._check_arrays(actions, into)
        if refused == BUSY:
            return CryptError(_BUSY_ERROR)
        return refusal(self._states[refused : refused + 1], int(actions[refused]), f"game {refused}: ")

    def _check_arrays(self, actions: NDArray[np.int64], into: Arrays) -> None:
        """Raise an error that names the first array that a step cannot write to."""
        _check_array("actions", actions, self._drawn, may_be_empty=False)
        if not isinstance(into, Arrays):
            raise CryptError(f"into is {type(into).__name__}; a step writes into crypt_env.Arrays")
        for name in Arrays._fields:
            may_be_empty = name in ("observations", "masks", "finals")
            _check_array(name, getattr(into, name), getattr(self._arrays, name), may_be_empty)

    def _step_into(self, actions: NDArray[np.int64], into: Arrays) -> int:
        """Step the games, split among the threads if there are several and all actions are legal."""
        self._check_dealt()
        if self._threads == 1:
            return step_rows(self._memory, 0, len(self), *into, actions)
        self._check_arrays(actions, into)
        pool = self._threads_of_this_process()
        if not self._lock.acquire(blocking=False):
            return BUSY
        try:
            refused = check_rows(self.states, 0, len(self.states), actions)
            if refused >= 0:
                return refused
            shares = [
                pool.submit(step_rows, self._memory, start, stop, *into, actions)
                for start, stop in zip(self._bounds[:-1], self._bounds[1:], strict=True)
            ]
            return min(share.result() for share in shares)
        finally:
            self._lock.release()

    def _threads_of_this_process(self) -> ThreadPoolExecutor:
        """Return the threads; a forked process starts its own."""
        if self._pool is None or self._pool_process != os.getpid():
            from concurrent.futures import ThreadPoolExecutor

            self._pool, self._pool_process = ThreadPoolExecutor(self._threads), os.getpid()
            self._lock = threading.Lock()
        return self._pool
