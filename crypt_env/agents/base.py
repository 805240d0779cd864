"""What an agent is: many decisions in, one action for each out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError, IllegalActionError
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.rules.actions import ACTIONS, DRAW
from crypt_env.rules.arrays import new_arrays
from crypt_env.rules.batch import decision_bits, view_rows
from crypt_env.rules.compiled import rule
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.resample import resample_rows

if TYPE_CHECKING:
    from crypt_env.game import Game

Actions = NDArray[np.int64]
_INT64 = np.dtype(np.int64)
Choose = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]
"""A function that serves as an agent: observations [n, FEATURES] and masks [n, ACTIONS] in, actions [n] out."""


class Decisions(NamedTuple):
    """Decisions that wait to be made, each in another game: all that an agent is told. The arrays are lent to it."""

    observations: NDArray[np.int8]
    """[n, FEATURES]: what the seat that decides may know."""
    masks: NDArray[np.bool_]
    """[n, ACTIONS]: what it may do, at least two actions."""
    bits: NDArray[np.uint64]
    """[n]: 64 random bits for each, from the seed of the game. An agent that uses no other chance plays the same in any
    batch, and anew after the same seed."""
    games: NDArray[np.void] | None = None
    """[n], `rules.state.GAME`: for an agent that `imagines`, the games to search in. All that the seat cannot know was
    dealt anew in them, so there is no secret to read."""
    memory: NDArray[np.float32] | None = None
    """[n, memory_size]: what the agent keeps of each game and seat, to be changed in place; zeros at first."""


class Agent(ABC):
    """Plays any seat of any table. One agent may play many games, and several seats of one game, at the same time."""

    name: str = "agent"
    """What tables and messages call it; the text that `make_agent` makes it from, if there is one."""
    imagines: bool = False
    """Whether it wants `Decisions.games`."""
    memory_size: int = 0
    """How many numbers it keeps from one decision of a seat to the next."""

    @abstractmethod
    def act(self, decisions: Decisions) -> Actions:
        """Return an action for each decision; `crypt_env.DRAW` for a legal one drawn by the game."""

    def choose(self, game: Game) -> str:
        """Return the text of the action that the agent plays in a game, for the seat that is to move.

        An agent with a memory starts with an empty one.

        Raises:
            CryptError: the game is over, or the agent does not answer with one whole number.
            IllegalActionError: the agent's action is not legal.
        """
        from crypt_env.game import Game
        from crypt_env.notation.position import describe_refusal

        if game.is_over:
            raise CryptError(f"the game is over ({game.outcome()}); there is nothing to choose")
        states = game.state
        arrays, row = new_arrays(1), np.zeros(1, np.int64)
        view_rows(states, row, states["mover"], arrays.observations, arrays.masks)
        memory = np.zeros((1, self.memory_size), np.float32)
        action = int(ask(self, states, row, arrays.observations, arrays.masks, memory)[0])
        if action == DRAW:
            return Game.from_state(states).random_action()
        if action >= ACTIONS or not arrays.masks[0, action]:
            raise IllegalActionError(f"agent {self.name!r}: {describe_refusal(states[0], action)}")
        return ACTION_TEXTS[action]

    def __repr__(self) -> str:
        """Return the agent's name."""
        return f"<agent {self.name}>"


class FunctionAgent(Agent):
    """A function of observations and masks, as an agent."""

    def __init__(self, function: Choose, name: str | None = None) -> None:
        """Wrap a function."""
        self._function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def act(self, decisions: Decisions) -> Actions:
        """Ask the function."""
        return np.asarray(self._function(decisions.observations, decisions.masks))


def ask(
    agent: Agent,
    states: NDArray[np.void],
    rows: NDArray[np.int64],
    observations: NDArray[np.int8],
    masks: NDArray[np.bool_],
    memory: NDArray[np.float32] | None = None,
) -> Actions:
    """Ask an agent for the decisions of the games listed in ``rows``, and check that what it answers are actions.

    The arrays from the observations on have a row for each of the games listed.

    Raises:
        CryptError: the answer is not one whole number for each decision.
        IllegalActionError: one of these would not be taken for an action at all: it is below `DRAW`, or larger than a
            signed number can be. Others that are not legal are refused where they are played.
    """
    bits = np.empty(len(rows), np.uint64)
    decision_bits(states, rows, bits)
    games = _imagined(states[rows], bits) if agent.imagines else None
    actions = agent.act(Decisions(observations, masks, bits, games, memory if agent.memory_size else None))
    if not isinstance(actions, np.ndarray) or actions.shape != (len(rows),) or actions.dtype.kind not in "iu":
        raise CryptError(
            f"agent {agent.name!r} answered {_shape(actions)} to {len(rows)} decisions; "
            "a one-dimensional array with one whole number for each is needed"
        )
    if (actions < DRAW).any():
        raise IllegalActionError(f"agent {agent.name!r} answered {actions.min()}, which is no action")
    if actions.dtype == _INT64:
        return actions
    if actions.dtype.kind == "u" and (actions >= ACTIONS).any():  # 2**64 - 1 would become -1
        raise IllegalActionError(f"agent {agent.name!r} answered {actions.max()}, which is no action")
    return actions.astype(_INT64)


# -- what compiled agents are told ------------------------------------------------------------------------------------


@rule
def fits(observations: np.ndarray, masks: np.ndarray, bits: np.ndarray, actions: np.ndarray) -> bool:
    """Return whether nothing would be read behind the end of an array: compiled code does not look."""
    return (
        len(observations) == len(masks) == len(bits) == len(actions)
        and observations.shape[1] == FEATURES
        and masks.shape[1] == ACTIONS
    )


def answer_rows(
    rows: Callable[..., bool], decisions: Decisions, memory: NDArray[np.float32] | None = None, size: int = 0
) -> Actions:
    """Return what a compiled entry answers; it takes observations, masks, bits, a memory if there is one, and actions.

    Args:
        rows: the entry. It returns whether the arrays have the sizes that it needs.
        decisions: what the agent was told. Masks may be int8 too, as PettingZoo has them.
        memory: the agent's, changed in place.
        size: how many numbers it has for each decision.

    Raises:
        CryptError: the decisions or the memory are not what an agent is told.
    """
    kept = () if memory is None else (memory,)
    try:
        actions = np.empty(len(decisions.masks), np.int64)
        if rows(decisions.observations, decisions.masks, decisions.bits, *kept, actions):
            return actions
    except (TypeError, IndexError, AttributeError):  # the entry is compiled for one type of each array alone
        pass
    masks = decisions.masks
    if getattr(masks, "dtype", None) == np.int8:
        masks = masks != 0
    count = len(masks) if isinstance(masks, np.ndarray) and masks.ndim == 2 else None
    arrays = [
        plain_array("observations", decisions.observations, np.int8, count, FEATURES),
        plain_array("masks", masks, np.bool_, count, ACTIONS),
        plain_array("bits", decisions.bits, np.uint64, count),
    ]
    actions = np.empty(len(arrays[1]), np.int64)
    if memory is None:
        rows(*arrays, actions)
    else:
        remembered = plain_array("memory", memory, np.float32, count, size)
        rows(*arrays, remembered, actions)
        memory[...] = remembered
    return actions


def plain_array(name: str, array: Any, dtype: Any, count: int | None, *widths: int) -> NDArray[Any]:
    """Return one of the arrays of `Decisions` as compiled code takes it: writable, without gaps, each row in its place.

    Raises:
        CryptError: it has another type or size, or ``count``, which is that of the decisions, is not known.
    """
    is_array = isinstance(array, np.ndarray) and (array.dtype is dtype or array.dtype == dtype)
    if not is_array or array.shape != (count, *widths):
        wanted = ", ".join(map(str, ["n" if count is None else count, *widths]))
        raise CryptError(
            f"Decisions.{name} is {_shape(array)}; an array of {_type_name(np.dtype(dtype))} "
            f"with a row for each decision, shape [{wanted}], is needed"
        )
    return array if array.flags.carray else np.require(array, requirements=("C", "A", "W"))


# -- answers ----------------------------------------------------------------------------------------------------------


def draw(chances: NDArray[np.float64], bits: NDArray[np.uint64]) -> Actions:
    """Draw an action for each decision with given chances, [n, ACTIONS], which need not sum to 1, from its 64 bits."""
    limits = chances.cumsum(axis=1)
    # Below the last limit even if rounded up, so that the chance of whatever is drawn is not 0.
    marks = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 * limits[:, -1]
    return np.asarray((limits <= marks[:, None]).sum(axis=1))


def _imagined(games: NDArray[np.void], bits: NDArray[np.uint64]) -> NDArray[np.void]:
    """Deal anew in copies of games all that the seat to move cannot know; leave no seed in them. Returns them."""
    resample_rows(games, 0, len(games), games["mover"].copy(), bits)
    for name in ("seed", "index", "episode", "pauses", "restarts", "dense", "paid"):
        games[name] = 0
    return games


def _shape(answer: object) -> str:
    """Describe an answer that is not as it should be."""
    if isinstance(answer, np.ndarray):
        return f"an array of {_type_name(answer.dtype)} with shape {answer.shape}"
    return type(answer).__name__


def _type_name(dtype: np.dtype[Any]) -> str:
    """Return the name of the numbers in an array; that of a game's record would fill a page."""
    return str(dtype) if dtype.names is None else "records"
