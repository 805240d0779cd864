"""How a check plays: environments, games of random legal actions, and records of what was observed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from crypt_env.errors import CryptError, counted, quoted
from crypt_env.table import flag, game_index, positive

from .compare import Env, MakeEnv, Seen, actions_of, allowed_by, difference, mask_of, snapshot
from .findings import Finding

Hidden: TypeAlias = Callable[[Env, Any], Env | None]
Illegal: TypeAlias = Literal["any", "raise", "end", "ignore", "unchecked"]


class SkipCheck(Exception):
    """A check cannot be made here; the message says why."""


@dataclass(frozen=True)
class Moment:
    """The moment before a step.

    Attributes:
        game: the number of the game.
        step: how many steps this game has seen.
        agent: the agent selected.
        alive: whether it is neither terminated nor truncated.
        mask: a copy of its mask, [actions]; None if there is none.
        action: what it is going to do; None if dead, or if its mask is empty.
    """

    game: int
    step: int
    agent: Any
    alive: bool
    mask: NDArray[Any] | None
    action: int | None


class Frame(NamedTuple):
    """What was seen before a step, and the action that followed; the last frame has none."""

    seen: Seen
    action: int | None


@dataclass
class Subject:
    """The environment under test and the settings; what several checks need to know is found out once."""

    make_env: MakeEnv
    games: int
    seed: int
    hidden: Hidden | None
    illegal: Illegal
    zero_sum: bool
    max_steps: int
    tries: int
    deep_copy: Callable[[Trial], Iterator[Finding]]
    """The check of copies."""
    made: list[Env] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not callable(self.make_env):
            raise CryptError(
                f"make_env={quoted(self.make_env)} is not possible; a function without arguments is needed"
            )
        if self.hidden is not None and not callable(self.hidden):
            raise CryptError(
                f"hidden={quoted(self.hidden)} is not possible; a function of two arguments is needed, or None"
            )
        if self.illegal not in get_args(Illegal):
            raise CryptError(f"illegal is {quoted(self.illegal)}, not one of {', '.join(get_args(Illegal))}")
        for name in ("games", "max_steps", "tries"):
            positive(name, getattr(self, name))
        game_index("seed", self.seed, self.games)  # numpy's global generator takes no larger seeds
        flag("zero_sum", self.zero_sum)

    def name(self) -> str:
        """Return the environment's own name."""
        with seeded_globals(self.seed):
            env = self.new_env()
        metadata = getattr(env, "metadata", None) or {}
        return str(metadata.get("name", type(env).__name__))

    def new_env(self) -> Env:
        """Return a new environment, which `close` closes."""
        self.made.append(self.make_env())
        return self.made[-1]

    def close(self) -> None:
        """Close what was made since the last time."""
        while self.made:
            with suppress(Exception):
                self.made.pop().close()

    @cached_property
    def repeats(self) -> bool:
        """Whether two environments with the same seed play the same game."""
        return self._holds(lambda trial: trial.episodes(0, 1) == trial.episodes(0, 1))

    @cached_property
    def repeats_unseeded(self) -> bool:
        """Whether they also play the same game after a reset without a seed."""
        return self._holds(lambda trial: trial.episodes(0, 2) == trial.episodes(0, 2))

    @cached_property
    def copies(self) -> bool:
        """Whether deep copies can stand in for the environment."""
        return self._holds(lambda trial: next(self.deep_copy(trial), None) is None)

    def _holds(self, question: Callable[[Trial], bool]) -> bool:
        try:
            return question(Trial(self, "preparation"))
        except Exception:  # a check of its own reports this
            return False


class Walk:
    """One game of random legal actions on an environment that has been reset: iterate over its moments.

    The step follows when the next moment is requested. The game stops at its end, at `max_steps`, at an empty mask or
    at an error in `step`; the last two have checks of their own, all others just see less.

    Attributes:
        env: the environment.
        game: the number of the game.
        actions: the actions so far, None for dead steps.
        error: the error that `step` raised.
        last: the last moment.
    """

    def __init__(self, trial: Trial, env: Env, game: int, choices: np.random.Generator) -> None:
        self.env = env
        self.game = game
        self.actions: list[int | None] = []
        self.error: Exception | None = None
        self.last: Moment | None = None
        self._trial = trial
        self._choices = choices

    def __iter__(self) -> Iterator[Moment]:
        self._trial.games += 1
        while self.env.agents:
            if len(self.actions) == self._trial.subject.max_steps:
                self._stop(f"cut after {counted(len(self.actions), 'step')}")
                return
            moment = self.last = self._trial.at = self._look()
            yield moment
            if moment.alive and moment.action is None:
                self._stop(f"stopped by an empty mask at step {moment.step}")
                return
            try:
                self.env.step(moment.action)
            except Exception as error:
                self.error = error
                self._stop(f"stopped by {described(error)} at step {moment.step}")
                return
            self.actions.append(moment.action)
            self._trial.steps += 1

    @property
    def is_finished(self) -> bool:
        """Whether the game came to its end, dead steps included."""
        return self.error is None and not self.env.agents

    def _look(self) -> Moment:
        agent = self.env.agent_selection
        alive = not (self.env.terminations[agent] or self.env.truncations[agent])
        mask = mask_of(self.env, agent)
        allowed = allowed_by(mask, actions_of(self.env, agent)) if alive else []
        action = allowed[self._choices.integers(len(allowed))] if allowed else None
        return Moment(self.game, len(self.actions), agent, alive, mask, action)

    def _stop(self, reason: str) -> None:
        self._trial.stops.append(f"game {self.game} {reason}")


@dataclass
class Trial:
    """One check of one environment: makes games and findings, and counts what was examined."""

    subject: Subject
    check: str
    games: int = 0
    steps: int = 0
    at: Moment | None = None
    stops: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def start(self, game: int) -> Env:
        """Return a new environment, reset with the seed of a game."""
        env = self.subject.new_env()
        env.reset(seed=self.subject.seed + game)
        return env

    def walk(self, env: Env, game: int, *salt: int) -> Walk:
        """Return a game to iterate over; the choices depend on the game and the salt."""
        return Walk(self, env, game, np.random.default_rng([self.subject.seed, game, *salt]))

    def walks(self) -> Iterator[Walk]:
        """Yield every game of this check, each on a new environment."""
        for game in range(self.subject.games):
            yield self.walk(self.start(game), game)

    def trace(
        self, env: Env, game: int, *salt: int, seed: int | None, see: Callable[[Env], Seen] = snapshot, noise: int = 0
    ) -> list[Frame]:
        """Reset, play one game and return what was seen at every step.

        The global generators start from `noise`, so that only `global_random` blames an environment that uses them.
        """
        with seeded_globals(noise):
            env.reset(seed=seed)
            walk = self.walk(env, game, *salt)
            frames = [Frame(see(env), moment.action) for moment in walk]
            return [*frames, Frame(see(env), None)] if walk.is_finished else frames

    def episodes(self, game: int, count: int, env: Env | None = None) -> list[list[Frame]]:
        """Return the traces of the first episodes of an environment that is seeded once, with the seed of a game."""
        env = env or self.subject.new_env()
        seeds = [self.subject.seed + game, *[None] * (count - 1)]
        return [self.trace(env, game, episode, seed=seed) for episode, seed in enumerate(seeds)]

    def finding(self, message: str, at: Moment | None = None, **where: Any) -> Finding:
        """Return a finding at a moment; keywords replace its agent, action and so on."""
        places = {} if at is None else {"game": at.game, "step": at.step, "agent": at.agent, "action": at.action}
        return Finding(self.check, message, **{**places, **where})

    @property
    def note(self) -> str:
        """How much was examined, and what stood in the way."""
        games = counted(self.games, "game") + (f" ({len(self.stops)} unfinished)" if self.stops else "")
        return "; ".join([f"{games}, {counted(self.steps, 'step')}", *self.remarks, *self.stops[:1]])


def described(error: BaseException) -> str:
    """Return an error as one short line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def traces_differ(old: list[Frame], new: list[Frame]) -> tuple[int, str] | None:
    """Return the step at which two games first differ, and how; None if they are the same."""
    for step, (first, second) in enumerate(zip(old, new, strict=False)):
        if found := difference(first.seen, second.seen):
            return step, found
        if first.action != second.action:
            return step, f"action {first.action}, then {second.action}"
    if len(old) != len(new):
        return min(len(old), len(new)), f"one game has {len(old)} moments, the other {len(new)}"
    return None


@contextmanager
def seeded_globals(seed: int) -> Iterator[None]:
    """Seed the global generators of Python and numpy; restore their states at the end."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002


@contextmanager
def quiet() -> Iterator[None]:
    """Silence PettingZoo's warnings: illegal actions are tried on purpose."""
    logger, kept = EnvLogger.get_logger(), len(EnvLogger.mqueue)
    was_disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was_disabled
        del EnvLogger.mqueue[kept:]
