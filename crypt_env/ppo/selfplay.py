"""Many games in which one network plays all seats, for trainers: as arrays, and as a `VecEnv` on top of them.

A step is one decision of the seat that is asked in each game. In some games a `League` may give seats to other agents,
which make the decisions there; trainers do not learn from these.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from crypt_env import ACTIONS, Arrays, Batch, CryptError, new_arrays
from crypt_env.agents.cast import NO_AGENT
from crypt_env.envs.spaces import ActionSpace, observations
from crypt_env.errors import quoted
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.observe import LAYOUT_VERSION
from crypt_env.rules.state import ANSWER, GAME
from crypt_env.states import check_states
from crypt_env.table import flag, seed_bits

from .checks import check_like
from .league import League

Reward = Callable[[NDArray[np.float32], NDArray[np.int8]], NDArray[np.float32]]
"""A custom reward: from the coins of all seats at the end of some games, float32 [n, 4], and their numbers of players,
int8 [n], to what each seat is paid, [n, 4]. It must be a pure function: two threads may call it at once."""

_GIVEN = (
    *("seed", "index", "players", "table_rule", "leader_rule", "reward_rule", "dense", "restarts", "pauses"),
    *("deck_given", "learner"),
)
"""Fields of a game's record that follow from how the games were made."""


class SelfPlayVecEnv(VecEnv):
    """N games in which every decision is the learner's, in every seat, except for seats of the league's agents.

    For Stable-Baselines3 a step returns the next mover's observation and the immediate reward of the last mover. That
    is not enough to learn from: losers are paid on another seat's move. Trainers for self-play also read
    `step_movers`, `step_rewards`, `step_dones` and `step_is_learner`.
    """

    def __init__(
        self,
        num_envs: int,
        players: int | Sequence[int] = 2,
        collectors: str = "random",
        reward: str | Reward = "win",
        dense: bool = False,
        league: League | None = None,
        seed: int = 0,
        first_index: int = 0,
    ) -> None:
        """Prepare the games; the arguments are those of `Batch`, but for these.

        Args:
            num_envs: number of games.
            players: 1 to 4, or a number for each game.
            collectors: "A", "B", "random", or six letters.
            reward: "win", "margin" or "coins", or a function of your own, see `Reward`.
            dense: pay what has become certain at once; a reward of your own is paid at the end.
            league: who plays some of the seats instead of the learner.
            seed: of the games.
            first_index: number of the first game, where several workers play parts of the same games.

        Raises:
            CryptError: an argument is not possible.
        """
        self.own_reward = reward if callable(reward) else None
        if self.own_reward is not None and dense:
            raise CryptError("dense=True is not possible with a reward of your own, which is paid at the end")
        rule = reward if isinstance(reward, str) or not callable(reward) else "coins"
        self.batch = Batch(
            num_envs, players, collectors, reward=rule, dense=flag("dense", dense), seed=seed, first_index=first_index
        )
        self.league = league
        if league is not None:
            league.sit_down(self.batch)
        self.arrays: Arrays = new_arrays(num_envs)
        self.render_mode = None
        self._actions: Any = None
        self._rows = np.arange(num_envs)
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        super().__init__(num_envs, observations(), ActionSpace(ACTIONS))

    # -- for trainers -------------------------------------------------------------------------------------------------

    def is_learner(self, movers: NDArray[np.int8], games: slice = slice(None)) -> NDArray[np.bool_]:
        """Return whether the learner plays the seats that are asked in some games."""
        if self.league is None:
            return np.ones(len(movers), np.bool_)
        owners = self.league.owners[games]
        return np.asarray(owners[np.arange(len(movers)), movers] == NO_AGENT)

    def pay(self, rewards: NDArray[np.float32], dones: NDArray[np.bool_], start: int = 0) -> None:
        """Replace the coins that the engine has paid by the custom reward, if there is one.

        Args:
            rewards: what each seat of the games from ``start`` on was paid in a step, [games, seats].
            dones: which of them ended.
            start: the number of the first game.

        Raises:
            CryptError: the function has not returned such a reward.
        """
        ended = np.flatnonzero(dones)
        if self.own_reward is None or not len(ended):
            return
        paid = np.asarray(self.own_reward(rewards[ended], self.batch.states["players"][start + ended]), np.float32)
        if paid.shape != (len(ended), MAX_PLAYERS) or not np.isfinite(paid).all():
            raise CryptError(
                f"a reward must be {len(ended)} x {MAX_PLAYERS} finite numbers, one for each seat, and this one is "
                f"{quoted(paid)}"
            )
        rewards[ended] = paid

    def count_episodes(self, rewards: NDArray[np.float32], dones: NDArray[np.bool_]) -> list[dict[str, Any]]:
        """Return the infos of the games that ended in a step: what seat 0 was paid, and how many decisions it took."""
        self._returns += rewards[:, 0]
        self._lengths += 1
        ended = np.flatnonzero(dones)
        infos = [{"episode": {"r": self._returns[game], "l": int(self._lengths[game]), "t": 0.0}} for game in ended]
        self._returns[ended] = 0
        self._lengths[ended] = 0
        return infos

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return all that changes: the games, and the league if there is one."""
        return {
            "layout": record_layout(),
            "states": self.batch.states.view(np.uint8).copy(),
            "returns": self._returns.copy(),
            "lengths": self._lengths.copy(),
            "league": None if self.league is None else self.league.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over the state of other games that were made with the same arguments.

        Raises:
            ValueError: the state is not possible; see `SelfPlayPPO.load_state_dict`.
        """
        if state["layout"] != record_layout():
            raise ValueError(
                "its version of the game has other records or observations; only that version can continue it"
            )
        if (state["league"] is None) != (self.league is None):
            raise ValueError("one has a league, the other none")
        states = self.batch.states
        states["seed"] = self.batch.seed
        for name, array in (("states", states.view(np.uint8)), ("returns", self._returns), ("lengths", self._lengths)):
            check_like(name, state[name], array)
        check_games(state["states"].view(states.dtype), states)
        states.view(np.uint8)[:] = state["states"]
        self._returns[:], self._lengths[:] = state["returns"], state["lengths"]
        self.arrays = new_arrays(self.num_envs)
        self.arrays.movers[:] = states["mover"]
        self.batch.view(self._rows, self.arrays.movers, self.arrays.observations, self.arrays.masks)
        if self.league is not None:
            self.league.load_state_dict(state["league"])

    # -- for Stable-Baselines3 ----------------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Have the next `reset` deal the games of a seed."""
        if seed is not None:
            self.batch.seed = seed_bits(seed)
        self._seeds = [self.batch.seed] * self.num_envs
        return self._seeds

    def reset(self) -> NDArray[np.int8]:
        """Deal all games from the start."""
        self.arrays = self.batch.reset(into=new_arrays(self.num_envs))
        if self.league is not None:
            self.league.seat(self._rows)
        self._returns[:] = 0
        self._lengths[:] = 0
        self._reset_seeds()
        return self.arrays.observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions; `step_wait` plays them."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play an action in each game; where an agent of the league is asked, its own instead."""
        before = self.arrays
        self.step_movers = before.movers
        self.step_is_learner = self.is_learner(before.movers)
        actions = np.array(self._actions, np.int64)
        if self.league is not None:
            self.league.answer(before, np.flatnonzero(~self.step_is_learner), actions)
        self.arrays = after = self.batch.step(actions, new_arrays(self.num_envs))
        self.step_rewards, self.step_dones = after.rewards, after.dones
        if self.league is not None:
            self.league.follow(after.rewards, after.dones)
        self.pay(after.rewards, after.dones)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = self.count_episodes(after.rewards, after.dones)
        for game, info in zip(np.flatnonzero(after.dones).tolist(), ended, strict=True):
            infos[game] = info
        return after.observations, after.rewards[self._rows, before.movers], after.dones, infos

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the masks of all games; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"SelfPlayVecEnv has no method {method_name!r} for each game")
        masks = list(self.arrays.masks)
        return [masks[game] for game in self._get_indices(indices)]

    def action_masks(self) -> NDArray[np.bool_]:
        """Return what the seats that are asked may do. [N, ACTIONS]"""
        return self.arrays.masks

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this object for each game."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of this object."""
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def check_games(states: NDArray[np.void], wanted: NDArray[np.void]) -> None:
    """Raise ValueError unless the engine can continue games.

    Args:
        states: the games of a saved state; in each of them a seat decides.
        wanted: games that were made with the same arguments, before they were dealt.
    """
    for name in _GIVEN:
        if (states[name] != wanted[name]).any():
            raise ValueError(f"{name} of its games is different")
    check_states(states)
    if (states["phase"] > ANSWER).any():
        raise ValueError("in some of its games there is nothing to decide")


def record_layout() -> str:
    """Return a text that identifies the version of the game's record and of the observation."""
    return f"{LAYOUT_VERSION}-{hashlib.sha256(str(GAME.descr).encode()).hexdigest()[:16]}"
