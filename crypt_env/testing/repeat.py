"""Checks of repeatability: the same seed, the same copy, the same game."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable, Iterator

import numpy as np

from crypt_env.errors import counted

from .compare import Env, Seen, difference, freeze, snapshot
from .findings import Finding
from .trial import Moment, Trial, Walk, described, seeded_globals, traces_differ

EPISODES = 3


def seeds(trial: Trial) -> Iterator[Finding]:
    """Demand that one seed and the same actions give the same games, also after `reset()` without a seed.

    Two environments are seeded once and play three episodes; then the first is seeded again. Most tests stop after the
    first game, and so miss environments whose later games cannot be repeated.
    """
    for game in range(trial.subject.games):
        env, twin = trial.subject.new_env(), trial.subject.new_env()
        first, second = trial.episodes(game, EPISODES, env), trial.episodes(game, EPISODES, twin)
        for episode, (one, other) in enumerate(zip(first, second, strict=True)):
            if found := traces_differ(one, other):
                how = f"reset(seed={trial.subject.seed + game})" if episode == 0 else "reset()"
                text = f"episode {episode + 1}, after {how}, differs in two environments seeded alike: {found[1]}"
                yield trial.finding(text, game=game, step=found[0])
                break
        else:
            again = trial.trace(env, game, 0, seed=trial.subject.seed + game)
            if found := traces_differ(first[0], again):
                text = f"seeded again after {EPISODES} episodes, the first one comes out differently: {found[1]}"
                yield trial.finding(text, game=game, step=found[0])


def global_random(trial: Trial) -> Iterator[Finding]:
    """Demand that neither `random` nor `np.random` is used: their global state does not change and has no influence.

    Training code, other environments and data loaders share these generators. An environment that draws from them
    changes their results, and cannot repeat its own.
    """
    for game in range(trial.subject.games):
        with seeded_globals(game):
            yield from _touches(trial, game)
        one, again, other = (
            trial.trace(trial.subject.new_env(), game, seed=trial.subject.seed + game, noise=noise)
            for noise in (1, 1, 2)
        )
        if one == again and (found := traces_differ(one, other)):
            text = f"one seed plays differently when random and np.random are seeded differently: {found[1]}"
            yield trial.finding(text, game=game, step=found[0])


def _touches(trial: Trial, game: int) -> Iterator[Finding]:
    """Yield the first call of one game that changed a global generator."""
    before = _global_states()
    env = trial.subject.new_env()
    if used := _used_since(before):
        yield trial.finding(f"make_env() used the global generator of {used}", game=game)
        return
    env.reset(seed=trial.subject.seed + game)
    if used := _used_since(before):
        yield trial.finding(f"reset() used the global generator of {used}", game=game, step=0)
        return
    last: Moment | None = None
    for moment in trial.walk(env, game):
        snapshot(env)
        if used := _used_since(before):
            yield trial.finding(f"this step, or observe after it, used the global generator of {used}", last)
            return
        last = moment


def _global_states() -> Seen:
    return {"random": random.getstate(), "np.random": freeze(np.random.get_state())}  # noqa: NPY002


def _used_since(before: Seen) -> str:
    """Return which global generators have another state now."""
    now = _global_states()
    return " and ".join(name for name in before if now[name] != before[name])


def deep_copy(trial: Trial) -> Iterator[Finding]:
    """Demand that a `copy.deepcopy` in mid-game continues as the original does, dice included, and leaves it alone.

    Searches play on copies. A copy with fresh dice plans for another game; one that shares its generator or its arrays
    with the original changes the real game during the search.
    """
    yield from _copying(trial, copy.deepcopy, "copy.deepcopy")


def pickling(trial: Trial) -> Iterator[Finding]:
    """Demand that `pickle` in mid-game restores the same position, which continues as the original does.

    Environments are pickled for other processes and for checkpoints.
    """
    yield from _copying(trial, lambda env: pickle.loads(pickle.dumps(env)), "pickle")


def _copying(trial: Trial, duplicate: Callable[[Env], Env], name: str) -> Iterator[Finding]:
    """Yield where copies diverge from the original, or change it."""
    for walk in trial.walks():
        record: list[Seen] = []
        copies: list[tuple[Moment, Env]] = []
        for moment in walk:
            record.append(snapshot(walk.env))
            # At steps 0, 1, 2, 4, 8, ...: a copy costs a whole game.
            if moment.alive and moment.step & (moment.step - 1) == 0:
                try:
                    twin, stray = duplicate(walk.env), duplicate(walk.env)
                except Exception as error:
                    yield trial.finding(f"{name} raised {described(error)}", moment, action=None)
                    return
                if fault := _stray_fault(trial, walk, moment, stray, record[-1]):
                    yield trial.finding(f"{name}: {fault}", moment, action=None)
                    return
                copies.append((moment, twin))
        if walk.error is None:
            record.append(snapshot(walk.env))
        for moment, twin in copies:
            if fault := _twin_fault(twin, walk.actions[moment.step :], record[moment.step + 1 :]):
                yield trial.finding(f"{name}: {fault}", moment, action=None)


def _stray_fault(trial: Trial, walk: Walk, moment: Moment, stray: Env, seen: Seen) -> str | None:
    """Return what is wrong with a copy, or with the original after the copy has been played to its end."""
    try:
        found = difference(seen, snapshot(stray))
    except Exception as error:
        return f"the copy cannot be looked at: {described(error)}"
    if found:
        return f"the copy is in another position: {found}"
    for _ in Trial(trial.subject, trial.check).walk(stray, moment.game, moment.step, 1):
        pass
    found = difference(seen, snapshot(walk.env))
    return f"playing on the copy changed the original: {found}" if found else None


def _twin_fault(twin: Env, actions: list[int | None], record: list[Seen]) -> str | None:
    """Return how a copy differs from the original when it is played like it."""
    for number, (action, seen) in enumerate(zip(actions, record, strict=False), start=1):
        try:
            twin.step(action)
            found = difference(seen, snapshot(twin))
        except Exception as error:
            found = described(error)
        if found:
            return f"{counted(number, 'step')} later the copy differs from the original: {found}"
    return None
