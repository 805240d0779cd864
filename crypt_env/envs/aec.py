"""Crypt for PettingZoo: the AEC environment ``crypt_v0``.

>>> from crypt_env import crypt_v0
>>> env = crypt_v0.env(players=3)
>>> env.reset(seed=7)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     is_over = termination or truncation
...     env.step(None if is_over else env.action_space(agent).sample(observation["action_mask"]))

**Agents** are ``player_0`` to ``player_3``, one for each player, by seat. One decides at a time, often several times in
a row. The Ghost of a solo game is not an agent.

**Observations** are ``{"observation": int8 [FEATURES], "action_mask": int8 [ACTIONS]}``: all that the agent may know
(`crypt_env.notation.view`) and which of the actions (`crypt_env.rules.actions`) it may take. The mask is all zeros for
agents that do not decide, and for all at the end. `observe` works for every agent at any time; the arrays belong to the
caller and do not change later.

**Seeds.** ``reset(seed=s)`` deals game 0 of seed ``s``, and every ``reset()`` after it the next episode of that seed:
the games that row 0 of ``Batch(..., seed=s)`` plays through its automatic restarts. Without any seed, games are random.

**Rewards** are "win" (the winner gets 1, the losers share -1), "margin" (coins minus those of the best other seat) or
"coins"; docs/rewards.md defines them exactly. Every agent is paid in the step that decides something, even if another
took it: by default when the game ends, with ``dense`` as soon as coins are certain. In dense games the rewards of
other agents reveal hidden values. `last` returns what the agent was paid since its own last step. All agents terminate
together, and each then takes one more step, ``step(None)``; before it, `last` returns what the agent was paid at the
end. So the rewards that an agent gets through `agent_iter` and `last` are complete for winners and losers alike.

**Infos** are empty dictionaries, for all agents at all times: libraries make arrays of them. Readable texts are
separate: ``env.legal()`` returns the legal actions as texts, ``env.last_action`` says what was done last and by whom.
An action paid for with cards of the player's choice shows only once it is paid for, and ``flip`` actions never show:
the others cannot know that the player was asked.

**Shipped agents** play through `raw_env.ask`: ``env.step(env.ask("greedy"))`` plays what greedy would.

**Errors.** `raw_env` raises a `CryptError` and is then unchanged: for a step before `reset` or after the end, and, as
an `IllegalActionError`, for an illegal action. `env` adds PettingZoo's wrappers:

| step of `env` | result |
|---|---|
| an illegal action | a logged warning; all agents terminate and are truncated, this one gets -1, the others nothing |
| not an action (127, -1, "done", None) | AssertionError; nothing changes |
| before `reset` | AssertionError |
| with an action by an agent whose game is over | ValueError; nothing changes |
| after all agents took their last step | a logged warning; nothing changes |

**Copies** made by `copy.copy`, `copy.deepcopy` or pickle are independent and continue identically, dice included.
A search must not see the future: use `Game.resample` for that.
"""

from __future__ import annotations

import copy
import secrets
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv

from crypt_env.agents.registry import AnyAgent
from crypt_env.batch import Batch
from crypt_env.errors import CryptError, IllegalActionError, quoted
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.notation.position import describe_legal, format_position
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import GAME
from crypt_env.table import RANDOM, Table, player_count, seed_bits, table_changes

from .guarded import Action, Advisers, Guarded, Observation
from .renderer import RENDER_MODES, Renderer
from .spaces import ActionSpace, observation_with_mask

__all__ = ["env", "raw_env"]

_FIELDS: Any = GAME.fields
_STATE = slice(_FIELDS["seats"][1], _FIELDS["down_seen"][1] + _FIELDS["down_seen"][0].itemsize)
"""The bytes of the record that hold the table: all cards, dice and seats, without generators and bookkeeping."""

_ROW = np.zeros(1, np.int64)

_PLAYED = tuple(tuple(f"player_{seat}: {text}" for text in ACTION_TEXTS) for seat in range(MAX_PLAYERS))
_VIEWS = frozenset({"_action", "_states", "_vector", "_mask", "_mover", "_done", "_chosen", "_paid"})


def env(
    players: int = 2,
    collectors: str = RANDOM,
    leader: int | str = RANDOM,
    reward: str = "win",
    dense: bool = False,
    render_mode: str | None = None,
) -> Guarded:
    """Return `raw_env`, with these arguments, in PettingZoo's usual wrappers."""
    return Guarded(raw_env(players, collectors, leader, reward, dense, render_mode))


class raw_env(AECEnv[str, Observation, Action]):  # noqa: N801 (PettingZoo's name for it)
    """One game of Crypt, turn by turn. It holds no rules: it shows row 0 of a `Batch` of one game."""

    _skip_agent_selection: Any
    metadata: dict[str, Any] = {
        "name": "crypt_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        players: int = 2,
        collectors: str = RANDOM,
        leader: int | str = RANDOM,
        reward: str = "win",
        dense: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Prepare the game; `reset` deals it.

        Args:
            players: 1 (the Only Child against the Ghost) to 4.
            collectors: six letters such as "AABBAB", "A" or "B" for all, or "random" (drawn for each episode).
            leader: the first Leader's seat, or "random". A solo game is always led by the player.
            reward: "win", "margin" or "coins"; a solo game always pays coins.
            dense: pay as soon as coins are certain instead of at the end; the sum is the same.
            render_mode: "ansi" (`render` returns the board as text), "rgb_array" (as a picture, uint8 [480, 640, 3];
                needs Pillow), "human" (the board is shown after every step, see `drawing.show`) or None.

        Raises:
            CryptError: an argument is not possible.
        """
        super().__init__()  # type: ignore[no-untyped-call]
        players = player_count(players)
        self._table = Table(players, collectors, leader, reward, dense)
        self._batch = Batch.at(self._table, 1, restarts=False)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        names = self.possible_agents
        self.action_spaces: dict[str, spaces.Space[Any]] = {name: ActionSpace(ACTIONS) for name in names}
        self.observation_spaces: dict[str, spaces.Space[Any]] = {name: observation_with_mask() for name in names}
        self.state_space = spaces.Box(-1, 127, (_STATE.stop - _STATE.start,), np.int8)
        self._is_dense = self._table.dense
        self._is_dealt = False
        self._advisers = Advisers()
        self._look_at_batch()

    def _look_at_batch(self) -> None:
        """Cache views of the batch's arrays: creating new ones would take longer than a step.

        There is room for few more: with over 30 attributes Python looks all of them up more slowly.
        """
        self._action = np.zeros(1, np.int64)
        arrays, self._states = self._batch.arrays, self._batch.states
        self._vector = arrays.observations[0]
        self._mask = arrays.masks[0].view(np.int8)
        self._mover, self._done = arrays.movers, arrays.dones
        self._chosen = self._states["chosen"]
        self._paid = arrays.rewards[0, : len(self.possible_agents)]

    # -- playing ------------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game and go on to its first decision.

        Args:
            seed: deal the first game of this seed; without one, the next game of the last seed.
            options: "collectors" and "leader" change the arguments of these names, from this game on.

        Raises:
            CryptError: the seed or an option is not possible; then nothing has changed.
        """
        rules = table_changes(options, len(self.possible_agents))
        bits = secrets.randbits(64) if seed is None else seed_bits(seed)
        for name, number in rules.items():
            self._states[name] = number
        if seed is None and self._is_dealt:
            self._batch.restart(_ROW)
        else:
            self._batch.reset(bits)
        self._is_dealt = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._advisers.forget()
        self._skip_agent_selection = None
        self._last = ""
        self._ask()

    def step(self, action: Action) -> None:
        """Play an action of the deciding agent, up to the next decision.

        Args:
            action: an index; None, and only None, for the last step of an agent whose game is over.

        Raises:
            IllegalActionError: the action is not legal; nothing has changed.
            CryptError: there is no game to play in.
        """
        try:
            agent = self.agent_selection
            is_over = self.terminations[agent]
        except (AttributeError, KeyError):
            raise CryptError(f"no agent can step: {self._idle_reason()}; call reset()") from None
        if is_over:
            self._was_dead_step(action)
            return
        number = self._index_of(action)
        chosen = self._chosen.item()
        self._action[0] = number
        self._batch.step(self._action)
        self._advisers.decided(self._states)
        self._cumulative_rewards[agent] = 0.0
        if self._is_dense or self._done.item():
            self._pay()
        if self._chosen.item() < 0:  # everything is paid for, so the action is public
            self._last = _PLAYED[self.possible_agents.index(agent)][number if chosen < 0 else chosen]
        self._ask()

    def _idle_reason(self) -> str:
        """Return why no agent can step."""
        return "the game is over" if self._is_dealt else "no game was dealt yet"

    def _index_of(self, action: Action) -> int:
        """Return the index of an action; the engine then checks whether it is legal."""
        try:
            number = -1 if isinstance(action, (bool, np.bool_)) else index(action)  # type: ignore[arg-type]
        except TypeError:
            number = -1
        if not 0 <= number < ACTIONS:
            states = self._states
            message = f"not an action: {quoted(action)}; actions are numbered 0 to {ACTIONS - 1}"
            raise IllegalActionError(f"{message}; {describe_legal(states)}", format_position(states))
        return number

    def _pay(self) -> None:
        """Distribute the rewards of the last step."""
        for agent, amount in zip(self.agents, self._paid.tolist(), strict=True):
            self.rewards[agent] = amount
            self._cumulative_rewards[agent] += amount

    def _ask(self) -> None:
        """Select the agent that decides next, or end the game for all agents."""
        mover = self._mover.item()
        if mover >= 0:
            self._asked = self.agent_selection = self.agents[mover]
        else:
            self._asked = ""
            self.agent_selection = self.agents[0]
            self.terminations = dict.fromkeys(self.agents, True)
        if self.render_mode == "human":
            self.render()

    # -- looking ------------------------------------------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation and mask, at any time of the game, in new arrays.

        Raises:
            CryptError: there is no such agent, or no game.
        """
        if not self._is_dealt:
            raise CryptError("nothing to observe: no game was dealt yet; call reset()")
        if isinstance(agent, str) and agent == self._asked:
            is_over = self.terminations.get(agent, True)  # also if a wrapper ended the game
            mask = np.zeros(ACTIONS, np.int8) if is_over else self._mask.copy()
            return {"observation": self._vector.copy(), "action_mask": mask}
        return self._observe_waiting(agent)

    def _observe_waiting(self, agent: str) -> Observation:
        """Return the observation of an agent that does not decide."""
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise CryptError(f"there is no agent {quoted(agent)}; agents are {', '.join(self.possible_agents)}")
        vectors, masks = np.zeros((1, FEATURES), np.int8), np.zeros((1, ACTIONS), np.bool_)
        seats = np.array([self.possible_agents.index(agent)], np.int8)
        self._batch.view(_ROW, seats, vectors, masks)
        return {"observation": vectors[0], "action_mask": np.zeros(ACTIONS, np.int8)}

    def legal(self) -> tuple[str, ...]:
        """Return the legal actions of the agent to step next, as texts; empty when the game is over.

        Raises:
            CryptError: there is no game.
        """
        if not self._is_dealt:
            raise CryptError("nothing is legal: no game was dealt yet; call reset()")
        if not self._is_on:
            return ()
        return tuple(text for text, bit in zip(ACTION_TEXTS, self._mask.tobytes(), strict=True) if bit)

    @property
    def last_action(self) -> str:
        """The last action and its agent, as in "player_0: place 0 2x3"; empty before the first or if all is secret.

        Raises:
            CryptError: there is no game.
        """
        if not self._is_dealt:
            raise CryptError("nothing was done: no game was dealt yet; call reset()")
        return self._last

    @property
    def _is_on(self) -> bool:
        """Whether an agent is to decide; a wrapper may have ended the game."""
        return bool(self._asked) and not self.terminations.get(self._asked, True)

    def ask(self, agent: AnyAgent) -> int:
        """Return the action that an agent would play for the deciding seat, for `step`. Asking changes nothing.

        The agent sees only what the seat may know; a search gets determinized games, with the rest re-dealt. Its
        randomness comes from the seed of the game, and its memory is kept for each seat until the next reset.

        Args:
            agent: a name such as "greedy", "net:duel" or "search:200", an `agents.Agent`, or a function of
                observations and masks.

        Raises:
            CryptError: there is no such agent or no game to decide in, or the answer is not an action.
            IllegalActionError: the answer is not legal.
        """
        if not (self._is_dealt and self._is_on):
            raise CryptError(f"no seat is to decide: {self._idle_reason()}; call reset()")
        return self._advisers.ask(agent, self._states, self._vector, self._mask)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations; the same for all."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions; the same for all."""
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.int8]:
        """Return the whole table, including hidden information, for centralized critics.

        The fields of `rules.state.GAME` from ``seats`` to ``down_seen``, concatenated; without generators.

        Raises:
            CryptError: there is no game.
        """
        if not self._is_dealt:
            raise CryptError("there is no state: no game was dealt yet; call reset()")
        return self._states.view(np.int8)[_STATE].copy()

    def render(self) -> Any:
        """Return the board as text or as pixels, or show it; see ``render_mode``. It shows only what is public.

        Raises:
            CryptError: there is no game, or Pillow is missing.
        """
        return self._renderer.board(self._states, self._is_dealt)

    def close(self) -> None:
        """Do nothing: there is nothing to release, and the environment stays usable."""

    # -- copies -------------------------------------------------------------------------------------------------------

    def __copy__(self) -> raw_env:
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        content = {name: value for name, value in self.__dict__.items() if name not in _VIEWS}
        return content | {"_batch": self._batch.states.copy()}

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update(content)
        self._batch = Batch.at(self._table, 1, restarts=False)
        self._batch.states[:] = content["_batch"]
        self._look_at_batch()
        if self._is_dealt:
            arrays, movers = self._batch.arrays, self._batch.states["mover"]
            arrays.movers[:] = movers
            self._batch.view(_ROW, np.maximum(movers, 0), arrays.observations, arrays.masks)
