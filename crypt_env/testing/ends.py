"""Checks of the edges of a game: its end, steps without a game, and a new game at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .compare import Env, bookkeeping, difference
from .findings import Finding
from .trial import Frame, SkipCheck, Trial, described, traces_differ

INTERRUPTIONS = (0, 1, 3, 8)
_RESETS: tuple[dict[str, Any], ...] = ({}, {"options": {}}, {"seed": 1})


def ending(trial: Trial) -> Iterator[Finding]:
    """Demand that agents leave the game by their own dead step, one at a time, until none is left.

    A dead step tells an agent its last reward. An agent that disappears without one is never told; one that stays keeps
    `agent_iter` going forever.
    """
    finished = 0
    for walk in trial.walks():
        here, dead, stepped = set(walk.env.agents), set[Any](), None
        for moment in walk:
            for text, agent in _departures(walk.env, here, dead, stepped):
                yield trial.finding(text, moment, agent=agent, action=None)
            here, dead = set(walk.env.agents), _dead(walk.env)
            stepped = None if moment.alive else moment.agent
        if walk.error is not None and walk.last is not None and not walk.last.alive:
            yield trial.finding(f"step(None) of an agent whose game is over raised {described(walk.error)}", walk.last)
        if walk.is_finished:
            finished += 1
            for text, agent in _departures(walk.env, here, dead, stepped):
                yield trial.finding(text, walk.last, agent=agent, action=None)
    if not finished:
        raise SkipCheck(f"no game came to its end ({trial.note})")


def _dead(env: Env) -> set[Any]:
    """Return the agents whose game is over and who have not left."""
    return {agent for agent in env.agents if env.terminations[agent] or env.truncations[agent]}


def _departures(env: Env, here: set[Any], dead: set[Any], stepped: Any) -> Iterator[tuple[str, Any]]:
    """Yield who left, stayed or came back without a dead step, or in spite of one."""
    now = set(env.agents)
    for agent in sorted(here - now - {stepped}, key=str):
        yield "left agents without a dead step, and so was never told its last reward", agent
    if stepped in now:
        yield "is still in agents after its dead step", stepped
    for agent in sorted((dead & now) - _dead(env), key=str):
        yield "its game was over and goes on again", agent


def stray_steps(trial: Trial) -> Iterator[Finding]:
    """Demand that a step before the first reset or after the end raises an error or does nothing.

    Loops take one step too many. This must not deal cards, pay agents, bring them back or use up the seed: later games
    are the same as without it.
    """
    subject = trial.subject
    for game in range(subject.games):
        env = subject.new_env()
        first = trial.trace(env, game, 0, seed=subject.seed + game)
        early = subject.new_env()
        _try_steps(early, _actions_of(first))
        if subject.repeats and (differs := traces_differ(first, trial.episodes(game, 1, early)[0])):
            yield trial.finding(f"a step before reset changed the game that follows: {differs[1]}", game=game)
        if env.agents:
            continue
        before = bookkeeping(env)
        _try_steps(env, _actions_of(first))
        if found := difference(before, bookkeeping(env)):
            yield trial.finding(f"a step after the end changed something: {found}", game=game)
        elif subject.repeats_unseeded:
            second = trial.trace(env, game, 1, seed=None)
            if differs := traces_differ(trial.episodes(game, 2)[1], second):
                yield trial.finding(f"a step after the end changed the game that follows: {differs[1]}", game=game)


def _actions_of(frames: list[Frame]) -> list[int | None]:
    """Return what to try without a game: None, and what was legal at the start."""
    return [None, *(frame.action for frame in frames[:1] if frame.action is not None)]


def _try_steps(env: Env, actions: list[int | None]) -> None:
    for action in actions:
        with suppress(Exception):
            env.step(action)


def reset(trial: Trial) -> Iterator[Finding]:
    """Demand that `reset` starts a clean game at any time, also from the middle of one, with and without options.

    Vectorized training and users who press ctrl-C leave games unfinished; nothing of them may remain.
    """
    subject = trial.subject
    for game in range(subject.games):
        clean = trial.trace(subject.new_env(), game, 0, seed=subject.seed + game) if subject.repeats else None
        for steps in INTERRUPTIONS:
            env = trial.start(game)
            played = sum(1 for _ in zip(range(steps + 1), trial.walk(env, game, 1), strict=False)) - 1
            for arguments in _RESETS:
                env.reset(**arguments)
                for fault in _leftovers(env):
                    yield trial.finding(f"after reset({_spelled(arguments)}), {fault}", game=game, step=played)
            if clean is None:
                continue
            if found := traces_differ(clean, trial.trace(env, game, 0, seed=subject.seed + game)):
                text = f"a game that was left unfinished changes the next one: {found[1]}"
                yield trial.finding(text, game=game, step=played)


def _leftovers(env: Env) -> Iterator[str]:
    """Yield what a new game must not have."""
    if not env.agents:
        yield "there are no agents"
    for name in ("terminations", "truncations", "rewards", "_cumulative_rewards"):
        entries = {agent: value for agent, value in getattr(env, name, {}).items() if value}
        if entries:
            yield f"{name} is {entries}"


def _spelled(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())
