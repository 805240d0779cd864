"""The parts of `crypt_v0`: agents that are asked for actions, and PettingZoo's three wrappers in one."""

from __future__ import annotations

import copy
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from crypt_env.agents.base import Agent, ask
from crypt_env.agents.registry import AnyAgent, make_agent
from crypt_env.envs import ILLEGAL_REWARD
from crypt_env.notation.position import refusal
from crypt_env.rules.actions import ACTIONS, DRAW
from crypt_env.rules.batch import draw_row

Observation = dict[str, NDArray[np.int8]]
Action = int | None
"""An index, or None for the last step of an agent whose game is over."""

_ROW = np.zeros(1, np.int64)


class Advisers:
    """The agents that are asked for actions in an environment, and their memories.

    An agent has a separate memory for each seat. Its changes are kept only once the decision that it was asked about
    is made, so it may be asked any number of times.
    """

    def __init__(self) -> None:
        self._made: dict[str, Agent] = {}
        self._memories: dict[tuple[AnyAgent, int], NDArray[np.float32]] = {}
        self._pending: dict[tuple[AnyAgent, int], NDArray[np.float32]] = {}
        self._choice: NDArray[np.uint64] | None = None

    def ask(self, given: AnyAgent, states: NDArray[np.void], vector: NDArray[np.int8], mask: NDArray[np.int8]) -> int:
        """Return the action of an agent for the deciding seat of a game, given as one row of states.

        Raises:
            CryptError: there is no such agent, or its answer is not an action.
            IllegalActionError: its answer is not legal.
        """
        agent = self._agent(given)
        seat = int(states["mover"][0])
        memory = self._memory(given, seat, agent.memory_size)
        action = int(ask(agent, states, _ROW, vector[None].copy(), mask[None] == 1, memory)[0])
        if action == DRAW:
            return self._draw(states)
        if action >= ACTIONS or not mask[action]:
            raise refusal(states, action, f"agent {agent.name!r} on seat {seat} answered what it may not play: ")
        return action

    def _memory(self, given: AnyAgent, seat: int, size: int) -> NDArray[np.float32] | None:
        """Return a writable copy of an agent's memory for a seat; None if it has none."""
        if not size:
            return None
        kept = self._memories.get((given, seat))
        self._pending[given, seat] = memory = np.zeros((1, size), np.float32) if kept is None else kept.copy()
        return memory

    def _agent(self, given: AnyAgent) -> Agent:
        """Return an agent; a named one is made once."""
        if not isinstance(given, str):
            return make_agent(given)
        if given not in self._made:
            self._made[given] = make_agent(given)
        return self._made[given]

    def _draw(self, states: NDArray[np.void]) -> int:
        """Draw a legal action as the engine would, and save the generator's new state."""
        drawn = states.copy()
        action = int(draw_row(drawn, 0))
        self._choice = drawn["choice"]
        return action

    def decided(self, states: NDArray[np.void]) -> None:
        """Commit the memory and the generator state of a decision that was made."""
        self._memories.update(self._pending)
        self._pending.clear()
        if self._choice is not None:
            states["choice"] = self._choice
            self._choice = None

    def forget(self) -> None:
        """Clear all memories for a new game."""
        self._memories.clear()
        self._pending.clear()
        self._choice = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Advisers:
        """Return a copy with separate memories for the same agents: callers may hold references to them."""
        twin = Advisers()
        twin._made = dict(self._made)
        twin._memories = {key: memory.copy() for key, memory in self._memories.items()}
        twin._pending = {key: memory.copy() for key, memory in self._pending.items()}
        twin._choice = self._choice
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_made": {}}  # named agents are made again


class Guarded(
    OrderEnforcingWrapper[str, Observation, Action],
    AssertOutOfBoundsWrapper[str, Observation, Action],
    TerminateIllegalWrapper[str, Observation, Action],
):
    """PettingZoo's three usual wrappers as one object.

    It is a subclass of each, and their code handles the unusual cases: see `crypt_v0`. Only the usual case, a legal
    action, goes straight to the game: a stack of three wrappers, each forwarding every attribute, would cost several
    times more than the game itself.
    """

    def __init__(self, env: AECEnv[str, Observation, Action]) -> None:
        """Wrap an environment that refuses errors with a `CryptError` and is then unchanged."""
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
        """Play an action; the wrappers handle what the game refuses."""
        try:
            self.env.step(action)
            self._has_updated = True
            return
        except ValueError:  # a CryptError, or PettingZoo's own about an agent whose game is over
            self._prev_obs = None  # so that the wrapper fetches the current mask
        super().step(action)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return the next agent's observation, its reward since its last step, and whether it is done."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def __str__(self) -> str:
        return str(self.env)

    def __copy__(self) -> Guarded:
        return copy.deepcopy(self)  # two wrappers around one game would interfere
