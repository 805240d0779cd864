"""What can be seen of an environment, kept for comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv

Env: TypeAlias = AECEnv[Any, Any, Any]
MakeEnv: TypeAlias = Callable[[], Env]
Seen: TypeAlias = dict[str, Any]

_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})


class FrozenArray(NamedTuple):
    """The content of an array at one time."""

    dtype: str
    shape: tuple[int, ...]
    content: bytes

    def __repr__(self) -> str:
        return f"an array of {self.dtype} with shape {self.shape}"

    def values(self) -> NDArray[Any]:
        """Return the array again, flat and read-only."""
        return np.frombuffer(self.content, dtype=np.dtype(self.dtype))


def freeze(value: Any) -> Any:
    """Return a copy that later changes do not reach and that `==` compares, dtype included.

    Objects that are neither numbers, texts nor containers of these count as equal if they are of one type.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in _PLAIN:
        return value if value == value else "nan"
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return freeze(value.tolist())
        return FrozenArray(value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, Mapping):
        return {key: freeze(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(freeze(entry) for entry in value)
    return value if isinstance(value, str | bytes | int | float) else f"an object of type {type(value).__qualname__}"


def bookkeeping(env: Env) -> Seen:
    """Return what an environment tells without being asked to observe."""
    names = ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations")
    return {name: freeze(getattr(env, name, None)) for name in names}


def snapshot(env: Env) -> Seen:
    """Return everything that can be seen: the bookkeeping, and the observation and mask of every agent."""
    if env.agents:
        # So that an environment that remembers who looked last is in one state here, after any observations.
        env.observe(env.agent_selection)
    seen = bookkeeping(env)
    for agent in list(env.agents):
        seen[f"observation of {agent}"] = freeze(env.observe(agent))
        seen[f"mask of {agent} in infos"] = freeze(info_of(env, agent).get("action_mask"))
    return seen


def difference(old: Any, new: Any, path: str = "") -> str | None:
    """Say where two frozen values first differ, or return None."""
    if old == new:
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{path}[{key!r}]" if path else str(key)
            if found := difference(old.get(key, "missing"), new.get(key, "missing"), place):
                return found
    if isinstance(old, FrozenArray) and isinstance(new, FrozenArray) and old[:2] == new[:2]:
        first, second = old.values(), new.values()
        index = int(np.argmax(first != second))
        at = ", ".join(str(int(number)) for number in np.unravel_index(index, old.shape))
        return f"{path}[{at}] is {first[index]}, then {second[index]}"
    if type(old) is tuple and type(new) is tuple and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return next(found for index, (one, two) in pairs if (found := difference(one, two, f"{path}[{index}]")))
    return f"{path} is {old!r}, then {new!r}"


def info_of(env: Env, agent: Any) -> Mapping[str, Any]:
    """Return the info of an agent; empty if there is none."""
    info = env.infos.get(agent)
    return info if isinstance(info, Mapping) else {}


def raw_mask(env: Env, agent: Any, observation: Any) -> Any:
    """Return the mask as the environment gives it, in the observation or in the info; None if there is none."""
    if isinstance(observation, Mapping) and "action_mask" in observation:
        return observation["action_mask"]
    return info_of(env, agent).get("action_mask")


def mask_of(env: Env, agent: Any) -> NDArray[Any] | None:
    """Return a copy of the mask of an agent, [actions]; None if there is none."""
    mask = raw_mask(env, agent, env.observe(agent))
    return None if mask is None else np.array(mask)


def actions_of(env: Env, agent: Any) -> range:
    """Return all actions of an agent, allowed or not."""
    space = env.action_space(agent)
    if not isinstance(space, Discrete):
        raise TypeError(f"the action space of {agent} is {space}; the checks need a Discrete one")
    return range(int(space.start), int(space.start) + int(space.n))


def allowed_by(mask: NDArray[Any] | None, actions: range) -> list[int]:
    """Return the actions that a mask allows; without a mask these are all."""
    if mask is None:
        return list(actions)
    return [actions[index] for index in np.flatnonzero(mask) if index < len(actions)]
