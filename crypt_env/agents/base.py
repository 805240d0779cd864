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
from crypt_env.rules.batch import Arrays, decision_bits, new_arrays, view_rows
from crypt_env.rules.compiled import prepare, rule
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.resample import resample_rows

from .past import Past, PastLog

if TYPE_CHECKING:
    from crypt_env.game import Game

Actions = NDArray[np.int64]
_INT64 = np.dtype(np.int64)
Choose = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]
"""A function that serves as an agent: observations [n, FEATURES] and masks [n, ACTIONS] in, actions [n] out."""


class Decisions(NamedTuple):
    """Decisions that wait to be made, each in another game: all that an agent sees. It must not keep the arrays."""

    observations: NDArray[np.int8]
    """[n, FEATURES]: what the deciding seat may know."""
    masks: NDArray[np.bool_]
    """[n, ACTIONS]: its legal actions, at least two."""
    bits: NDArray[np.uint64]
    """[n]: 64 random bits for each, from the seed of the game. An agent with no other randomness plays the same in any
    batch, and again after the same seed."""
    games: NDArray[np.void] | None = None
    """[n], `rules.state.GAME`: for an agent that `needs_games`, determinized games to search in: all that the seat
    cannot know was re-dealt, so they hold no secrets."""
    memory: NDArray[np.float32] | None = None
    """[n, memory_size]: the agent's memory of each game and seat, updated in place; zeros at first."""
    past: Past | None = None
    """For an agent that `needs_past`, what was decided before in these games; None where it is not kept."""


class Agent(ABC):
    """Plays any seat of any table. One agent may play many games, and several seats of one game, at the same time."""

    name: str = "agent"
    """Its name in tables and messages: the text that `make_agent` made it from, if any."""
    needs_games: bool = False
    """Whether it needs `Decisions.games`."""
    needs_past: bool = False
    """Whether it uses `Decisions.past`, and so needs games, too."""
    memory_size: int = 0
    """Size of the memory that it keeps from one decision of a seat to the next."""

    @abstractmethod
    def act(self, decisions: Decisions) -> Actions:
        """Return an action for each decision; `crypt_env.DRAW` has the game draw a legal one."""

    def choose(self, game: Game) -> str:
        """Return the text of the action that the agent plays in a game, for the seat that is to move.

        An agent with a memory starts with an empty one; in a `OneGame` it keeps it.

        Raises:
            CryptError: the game is over, or the agent does not answer with one whole number.
            IllegalActionError: the agent's action is not legal.
        """
        arrays, row = view_game(game), np.zeros(1, np.int64)
        memory = np.zeros((1, self.memory_size), np.float32)
        action = int(ask(self, game.state, row, arrays.observations, arrays.masks, memory)[0])
        return action_text(self, game, arrays.masks[0], action)

    def __repr__(self) -> str:
        """Return the agent's name."""
        return f"<agent {self.name}>"


class FunctionAgent(Agent):
    """A function of observations and masks, as an agent."""

    def __init__(self, function: Choose, name: str | None = None) -> None:
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
    log: PastLog | None = None,
) -> Actions:
    """Ask an agent for its decisions in the games listed in ``rows``, and check that the answers are actions.

    The arrays from the observations on have a row for each of the games listed. ``log`` is what was kept of the games.

    Raises:
        CryptError: the answer is not one whole number for each decision.
        IllegalActionError: an answer cannot be an action: it is below `DRAW`, or too large for a signed
            integer. Other illegal actions are refused when they are played.
    """
    bits = np.empty(len(rows), np.uint64)
    decision_bits(states, rows, bits)
    games = _determinized(states[rows], bits) if agent.needs_games else None
    past = log.before(rows, games) if log is not None and agent.needs_past and games is not None else None
    actions = agent.act(Decisions(observations, masks, bits, games, memory if agent.memory_size else None, past))
    if not isinstance(actions, np.ndarray) or actions.shape != (len(rows),) or actions.dtype.kind not in "iu":
        raise CryptError(
            f"agent {agent.name!r} answered {_shape(actions)} to {len(rows)} decisions; "
            "a one-dimensional array with one whole number for each is needed"
        )
    if (actions < DRAW).any():
        raise IllegalActionError(f"agent {agent.name!r} answered {actions.min()}, which is not an action")
    if actions.dtype == _INT64:
        return actions
    if actions.dtype.kind == "u" and (actions >= ACTIONS).any():  # 2**64 - 1 would become -1
        raise IllegalActionError(f"agent {agent.name!r} answered {actions.max()}, which is not an action")
    return actions.astype(_INT64)


def view_game(game: Game) -> Arrays:
    """Return what the seat to move in a game may know, and its legal actions.

    Raises:
        CryptError: the game is over.
    """
    if game.is_over:
        raise CryptError(f"the game is over ({game.outcome()}); there is no action to choose")
    states, arrays = game.state, new_arrays(1)
    view_rows(states, np.zeros(1, np.int64), states["mover"], arrays.observations, arrays.masks)
    arrays.movers[:] = states["mover"]
    return arrays


def action_text(agent: Agent, game: Game, mask: NDArray[np.bool_], action: int) -> str:
    """Return the text of an agent's answer in a game; the game draws if it is `DRAW`, without any change.

    Raises:
        IllegalActionError: it is not legal.
    """
    from crypt_env.notation.position import describe_refusal

    if action == DRAW:
        return game.copy().random_action()
    if action >= ACTIONS or not mask[action]:
        raise IllegalActionError(f"agent {agent.name!r}: {describe_refusal(game.state[0], action)}")
    return ACTION_TEXTS[action]


# -- compiled agents --------------------------------------------------------------------------------------------------


@rule
def fits(observations: np.ndarray, masks: np.ndarray, bits: np.ndarray, actions: np.ndarray) -> bool:
    """Return whether no read would go past the end of an array: compiled code does not check."""
    return (
        len(observations) == len(masks) == len(bits) == len(actions)
        and observations.shape[1] == FEATURES
        and masks.shape[1] == ACTIONS
    )


class CompiledAgent(Agent):
    """Plays by a compiled entry, which chooses each action independently."""

    rows: Callable[..., bool]
    """The entry: from observations, masks, bits and the memory, if there is one, to actions, int64 [n], which it
    writes. It returns whether the arrays have the required sizes."""

    def __init__(self) -> None:
        one = Decisions(np.zeros((1, FEATURES), np.int8), np.zeros((1, ACTIONS), np.bool_), np.zeros(1, np.uint64))
        prepare(self.rows, *one[:3], *self._memory(one), np.zeros(1, np.int64))

    def act(self, decisions: Decisions) -> Actions:
        """Return an action for each decision. Masks may also be int8, as in PettingZoo.

        Raises:
            CryptError: the decisions or the memory have the wrong type or shape.
        """
        memory = self._memory(decisions)
        try:
            actions = np.empty(len(decisions.masks), np.int64)
            if self.rows(decisions.observations, decisions.masks, decisions.bits, *memory, actions):
                return actions
        except (TypeError, IndexError, AttributeError):  # the entry is compiled for exactly one type of each array
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
        plain = [plain_array("memory", array, np.float32, count, self.memory_size) for array in memory]
        actions = np.empty(len(masks), np.int64)
        self.rows(*arrays, *plain, actions)
        for array, changed in zip(memory, plain, strict=True):
            array[...] = changed
        return actions

    def _memory(self, decisions: Decisions) -> list[NDArray[np.float32]]:
        """Return the memory that an agent with one is given, an empty one if it was given none."""
        if not self.memory_size:
            return []
        given = decisions.memory
        return [np.zeros((len(decisions.masks), self.memory_size), np.float32) if given is None else given]


def plain_array(name: str, array: Any, dtype: Any, count: int | None, *widths: int) -> NDArray[Any]:
    """Return one of the arrays of `Decisions` as compiled code needs it: writable, contiguous, in row order.

    Raises:
        CryptError: it has another type or shape, or ``count``, the number of decisions, is unknown.
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


def draw(weights: NDArray[np.float64], bits: NDArray[np.uint64]) -> Actions:
    """Sample an action for each decision by weights, [n, ACTIONS], which need not sum to 1, from its 64 bits."""
    limits = weights.cumsum(axis=1)
    return np.asarray((limits <= _marks(limits, bits)[:, None]).sum(axis=1))


def nearly_drawn(weights: NDArray[np.float64], bits: NDArray[np.uint64], actions: Actions, slack: float) -> Any:
    """Return whether `draw` might return these actions if sums of probabilities differed by the slack. [n]"""
    limits, rows = weights.cumsum(axis=1), np.arange(len(actions))
    marks, chances, reach = _marks(limits, bits), weights[rows, actions], slack * limits[:, -1]
    above = limits[rows, actions]
    return (chances > 0) & (above - chances - reach <= marks) & (marks <= above + reach)


def _marks(limits: NDArray[np.float64], bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return where draws fall among cumulative weights: below the last, so that no action of weight 0 is drawn."""
    return np.asarray((bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 * limits[:, -1])


def choose_legal(
    logits: NDArray[np.float32],
    masks: NDArray[np.bool_],
    states: NDArray[np.void],
    rows: NDArray[np.int64],
    draws: bool,
) -> Actions:
    """Return the likeliest legal action in each of the games listed, or one sampled by its bits if ``draws``.

    Logits and masks, [n, ACTIONS], have a row for each game listed.
    """
    legal = np.where(masks, logits, -np.inf)
    if not draws:
        return np.asarray(legal.argmax(axis=1))
    bits = np.empty(len(rows), np.uint64)
    decision_bits(states, rows, bits)
    return draw(np.exp(legal - legal.max(axis=1, keepdims=True)).astype(np.float64), bits)


def _determinized(games: NDArray[np.void], bits: NDArray[np.uint64]) -> NDArray[np.void]:
    """Re-deal in place all that the seat to move cannot know, erase the seeds, and return the games."""
    resample_rows(games, 0, len(games), games["mover"].copy(), bits)
    for name in ("seed", "index", "episode", "pauses", "restarts", "dense", "paid"):
        games[name] = 0
    return games


def _shape(answer: object) -> str:
    if isinstance(answer, np.ndarray):
        return f"an array of {_type_name(answer.dtype)} with shape {answer.shape}"
    return type(answer).__name__


def _type_name(dtype: np.dtype[Any]) -> str:
    """Return the name of the numbers in an array; a structured type is just "records"."""
    return str(dtype) if dtype.names is None else "records"
