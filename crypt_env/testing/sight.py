"""Checks of what agents see: the declared spaces, no side effects of looking, and nothing that is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from gymnasium import spaces as gym_spaces

from .compare import Env, Seen, actions_of, bookkeeping, difference, freeze, info_of, raw_mask, snapshot
from .findings import Finding
from .trial import Moment, SkipCheck, Trial, traces_differ


def spaces(trial: Trial) -> Iterator[Finding]:
    """Demand that every observation and mask is in its space, for all agents at all times, dtype included.

    Training code allocates buffers by the declared space: what does not fit is cut off, cast or crashes. A mask is a
    flat int8 array of zeros and ones, one for each action, as `Discrete.sample(mask)` takes it.
    """
    for walk in trial.walks():
        declared: dict[Any, tuple[Any, Any]] = {}
        for moment in walk:
            for agent in list(walk.env.agents):
                pair = (walk.env.observation_space(agent), walk.env.action_space(agent))
                if fault := _change(declared.setdefault(agent, pair), pair):
                    yield trial.finding(fault, moment, agent=agent, action=None)
                observation = walk.env.observe(agent)
                if fault := _misfit(pair[0], observation, "the observation"):
                    yield trial.finding(fault, moment, agent=agent, action=None)
                mask = raw_mask(walk.env, agent, observation)
                if fault := _mask_misfit(mask, len(actions_of(walk.env, agent))):
                    yield trial.finding(fault, moment, agent=agent, action=None)


def _change(old: tuple[Any, Any], new: tuple[Any, Any]) -> str | None:
    """Return how the spaces of an agent have changed."""
    if old != new:
        return "its spaces change during the game"
    if any(one is not other for one, other in zip(old, new, strict=True)):
        return "every call makes new spaces, so seeding them has no effect"
    return None


def _misfit(space: Any, value: Any, name: str) -> str | None:
    if isinstance(space, gym_spaces.Dict):
        if not isinstance(value, dict) or set(value) != set(space.keys()):
            keys = sorted(value) if isinstance(value, dict) else type(value).__name__
            return f"{name} is {keys}, its space has {sorted(space.keys())}"
        faults = (_misfit(space[key], value[key], f"{name}[{key!r}]") for key in space)
        return next((fault for fault in faults if fault), None)
    if isinstance(space, gym_spaces.Tuple) and isinstance(value, tuple) and len(value) == len(space):
        faults = (_misfit(part, entry, f"{name}[{index}]") for index, (part, entry) in enumerate(zip(space, value)))  # noqa: B905
        return next((fault for fault in faults if fault), None)
    if isinstance(space, gym_spaces.Box | gym_spaces.MultiBinary | gym_spaces.MultiDiscrete):
        return _array_misfit(space, value, name)
    return None if space.contains(value) else f"{name} is {value!r}, not in {space}"


def _array_misfit(space: Any, value: Any, name: str) -> str | None:
    if not isinstance(value, np.ndarray):
        return f"{name} is of type {type(value).__name__}, its space has arrays"
    if value.dtype != space.dtype or value.shape != space.shape:
        return f"{name} is {value.dtype} {value.shape}, its space is {space.dtype} {space.shape}"
    if space.contains(value):
        return None
    if isinstance(space, gym_spaces.Box):
        outside = np.argwhere(~((value >= space.low) & (value <= space.high)))
        index = tuple(int(number) for number in outside[0])
        limits = f"{space.low[index]} to {space.high[index]}"
        return f"{name} has {value[index]} at {list(index)}, its space goes from {limits}"
    return f"{name} is {value!r}, not in {space}"


def _mask_misfit(mask: Any, count: int) -> str | None:
    """Return what is wrong with the form of a mask."""
    if mask is None:
        return None
    if not isinstance(mask, np.ndarray) or mask.shape != (count,) or mask.dtype != np.int8:
        form = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else f"of type {type(mask).__name__}"
        return f"the mask is {form}, not int8 ({count},)"
    odd = mask[(mask != 0) & (mask != 1)]
    return f"the mask has a {odd[0]} among its zeros and ones" if odd.size else None


def pure_observe(trial: Trial) -> Iterator[Finding]:
    """Demand that `observe` only looks: repeated, in any order, it returns the same as `last`; the game stays the same.

    Wrappers, loggers and drawings observe at any time. If looking changes something, the game depends on who watches.
    """
    for walk in trial.walks():
        for moment in walk:
            yield from _glances(trial, walk.env, moment)
    for game in range(trial.subject.games):
        calm, again, watched = (
            trial.trace(trial.subject.new_env(), game, seed=trial.subject.seed + game, see=see)
            for see in (_last_only, _last_only, _last_and_all)
        )
        if calm == again and (found := traces_differ(calm, watched)):
            text = f"the game is different when every agent is observed at every step: {found[1]}"
            yield trial.finding(text, game=game, step=found[0])


def _glances(trial: Trial, env: Env, moment: Moment) -> Iterator[Finding]:
    """Yield the differences between two rounds of observing at one moment."""
    books, present = bookkeeping(env), list(env.agents)
    first = {agent: freeze(env.observe(agent)) for agent in present}
    second = {agent: freeze(env.observe(agent)) for agent in reversed(present)}
    for agent in present:
        if found := difference(first[agent], second[agent], "the observation"):
            yield trial.finding(f"observed twice: {found}", moment, agent=agent, action=None)
    if found := difference(books, bookkeeping(env)):
        yield trial.finding(f"observe changed something: {found}", moment, agent=None, action=None)
    if found := difference(first.get(moment.agent), freeze(env.last()[0]), "the observation"):
        yield trial.finding(f"last() and observe tell the mover different things: {found}", moment, action=None)


def _last_only(env: Env) -> Seen:
    """Return what the selected agent is told, without looking at anything else."""
    return {"last()": freeze(env.last()[:4])} if env.agents else {}


def _last_and_all(env: Env) -> Seen:
    """Return what the selected agent is told, and then observe all agents, forwards and backwards."""
    seen = _last_only(env)
    present = list(env.agents)
    for agent in present + present[::-1]:
        env.observe(agent)
    return seen


def aliasing(trial: Trial) -> Iterator[Finding]:
    """Demand that observations never change: no later step or look writes into them.

    Replay buffers keep references. An environment that returns its own working array fills them with the last position.
    """
    for walk in trial.walks():
        kept: list[tuple[Moment, Any, Any, Any]] = []
        fresh = 0
        for moment in walk:
            if found := _overwritten(trial, kept[fresh:]):
                yield found
                break
            fresh = len(kept)
            for agent in list(walk.env.agents):
                mask = info_of(walk.env, agent).get("action_mask")
                value = {"the observation": walk.env.observe(agent), "the mask in infos": mask}
                kept.append((moment, agent, value, freeze(value)))
        else:
            walk.env.reset()
            if found := _overwritten(trial, kept):
                yield found


def _overwritten(trial: Trial, kept: list[tuple[Moment, Any, Any, Any]]) -> Finding | None:
    """Return the first of the observations kept that has changed since."""
    for moment, agent, value, frozen in kept:
        if found := difference(frozen, freeze(value)):
            return trial.finding(f"{found}, without being observed again", moment, agent=agent, action=None)
    return None


def leaks(trial: Trial) -> Iterator[Finding]:
    """Demand that an agent sees the same in two positions that differ only in what it cannot know.

    `hidden(env, agent)` makes the second position: a copy with other cards in other hands, another order of the deck
    and another generator. Observation, mask and info of the agent must not tell the two apart.
    """
    hidden = trial.subject.hidden
    if hidden is None:
        raise SkipCheck("needs hidden=, a function that changes what an agent cannot know")
    compared, varied = 0, 0
    for walk in trial.walks():
        for moment in walk:
            for agent in list(walk.env.agents):
                seen = snapshot(walk.env)
                other = hidden(walk.env, agent)
                if other is None:
                    continue
                if other is walk.env or difference(seen, snapshot(walk.env)):
                    yield trial.finding("hidden() changed the environment that it was given", moment, agent=agent)
                    return
                compared += 1
                varied += snapshot(other) != seen
                if found := difference(_view(walk.env, agent), _view(other, agent)):
                    text = f"sees a difference in what it cannot know: {found}"
                    yield trial.finding(text, moment, agent=agent, action=None)
    if not compared:
        raise SkipCheck("hidden() returned no environment at any step")
    trial.remarks.append(f"{compared} pairs, others saw a difference in {varied}")


def _view(env: Env, agent: Any) -> Seen:
    """Return all that one agent is told in a position."""
    return {"the observation": freeze(env.observe(agent)), "the info": freeze(dict(info_of(env, agent)))}
