"""What `crypt_v0` stands on: texts of legal actions, and PettingZoo's three wrappers in one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from .rules.actions import ACTION_TEXTS, ACTIONS

Observation = dict[str, NDArray[np.int8]]
Action = int | None
"""An index, or None for the last step of an agent whose game is over."""

ILLEGAL_REWARD = -1.0


class Texts(Sequence[str]):
    """The texts of the actions that a mask allows.

    Equal to the tuple of these texts, and as constant as one; the mask is only decoded when somebody reads it.
    """

    __slots__ = ("_bits",)

    def __init__(self, bits: bytes) -> None:
        """Keep a mask, one byte for each action."""
        self._bits = bits

    def _texts(self) -> tuple[str, ...]:
        """Return the texts."""
        return tuple(text for text, bit in zip(ACTION_TEXTS, self._bits, strict=True) if bit)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        """Return one text, or some."""
        return self._texts()[place]

    def __len__(self) -> int:
        """Return the number of actions that are allowed."""
        return self._bits.count(1)

    def __eq__(self, other: object) -> bool:
        """Return whether the other is the same, or a tuple of the same texts."""
        if isinstance(other, Texts):
            return self._bits == other._bits
        return self._texts() == other

    def __hash__(self) -> int:
        """Return the hash of the tuple."""
        return hash(self._texts())

    def __repr__(self) -> str:
        """Return the texts as a tuple."""
        return repr(self._texts())


NO_TEXTS = Texts(bytes(ACTIONS))


class Guarded(
    OrderEnforcingWrapper[str, Observation, Action],
    AssertOutOfBoundsWrapper[str, Observation, Action],
    TerminateIllegalWrapper[str, Observation, Action],
):
    """PettingZoo's three usual wrappers as one object.

    It is each of them, and what happens in an unusual case is their code: see `crypt_v0`. Only the usual case, a legal
    action, goes straight to the game: a stack of three objects, each looking every attribute up in the next, would
    cost several times more than the game itself.
    """

    def __init__(self, env: AECEnv[str, Observation, Action]) -> None:
        """Wrap an environment that refuses what is wrong with a `CryptError` and then is unchanged."""
        TerminateIllegalWrapper.__init__(self, env, ILLEGAL_REWARD)
        self._has_reset = False
        self._has_updated = False

    # Before the first reset the environment has none of these; `OrderEnforcingWrapper.__getattr__` then says so.
    agents: Any = property(attrgetter("env.agents"))
    agent_selection: Any = property(attrgetter("env.agent_selection"))
    rewards: Any = property(attrgetter("env.rewards"))
    terminations: Any = property(attrgetter("env.terminations"))
    truncations: Any = property(attrgetter("env.truncations"))
    infos: Any = property(attrgetter("env.infos"))
    _cumulative_rewards: Any = property(attrgetter("env._cumulative_rewards"))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next game; a refused reset changes nothing."""
        self.env.reset(seed, options)
        self._has_reset = True
        self._has_updated = True
        self._terminated = False

    def step(self, action: Action) -> None:
        """Play an action; whatever the game refuses is left to the wrappers."""
        try:
            self.env.step(action)
            self._has_updated = True
            return
        except ValueError:  # a CryptError, or PettingZoo's own about an agent whose game is over
            self._prev_obs = None  # the wrapper then looks at the mask itself, not at one it may have seen before
        super().step(action)
        if self._terminated:
            self.env.infos = {agent: info | {"legal": NO_TEXTS} for agent, info in self.infos.items()}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return what the agent to step next sees, what it was paid since its last step, and whether it is done."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def __str__(self) -> str:
        """Return the name of the environment."""
        return str(self.env)

    def __copy__(self) -> Guarded:
        """Return an independent copy: two wrappers around one game would disturb each other."""
        return copy.deepcopy(self)
