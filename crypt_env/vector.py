"""Crypt for Gymnasium: many games at once, as a `VectorEnv` over the engine's own batch.

>>> import gymnasium, crypt_env
>>> envs = gymnasium.make_vec("crypt_env/OnlyChild-v0", num_envs=1024)
>>> observations, infos = envs.reset(seed=7)
>>> actions = envs.action_space.sample(tuple(infos["action_mask"]))
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)

Everything is as in `gym_env`, for N games: arguments, payment, what an illegal action does. Game ``i`` is game ``i`` of
the seed and plays as `gym_env.SeatEnv` with ``index=i``.

**Restarts.** The mode is ``AutoresetMode.SAME_STEP``: a step in which a game ends deals its next episode. What is
returned for it is the new game's first observation and mask; ``infos["final_obs"][i]`` is what the learner knew at the
end of the old one.

**Infos** hold the arrays "action_mask" (int8 [N, ACTIONS]) and "seat" ([N]), and in steps in which games end
"final_obs"; a name with an underscore before it says for which games, as everywhere in Gymnasium. `action_masks`
returns the masks as bool.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .agents.opponents import Opponents
from .errors import CryptError
from .game import Game
from .gym_env import check_render_mode
from .options import RANDOM, seed_bits
from .rules.actions import ACTIONS
from .seats import ENDS, SeatBatch, Seen
from .spaces import Actions, observations

Observations = NDArray[np.int8]
_RESET_MASK = "reset_mask"


class SeatVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """N games, each seen from the learner's seat."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        players: int | Sequence[int] = 2,
        opponents: Opponents = RANDOM,
        seat: int | str = RANDOM,
        collectors: str = RANDOM,
        leader: int | str = RANDOM,
        reward: str = "win",
        dense: bool = False,
        illegal: str = ENDS,
        index: int = 0,
        render_mode: str | None = None,
    ) -> None:
        """Prepare the games; `reset` deals them.

        Args:
            num_envs: how many games.
            players: 1 to 4, for all games or for each. All that follows up to ``index`` is as in `gym_env.SeatEnv`.
            opponents: who plays the other seats.
            seat: the learner's.
            collectors: sides of the Collectors.
            leader: the first Leader's seat.
            reward: what is paid.
            dense: whether it is paid as soon as it is certain.
            illegal: what an illegal action does.
            index: number of the first game.
            render_mode: "ansi" (`render` returns the boards as texts) or None.

        Raises:
            CryptError: an argument is not possible.
        """
        super().__init__()
        self.render_mode = check_render_mode(render_mode, ("ansi",))
        self._games = SeatBatch(
            num_envs,
            players,
            opponents,
            seat,
            illegal,
            collectors=collectors,
            leader=leader,
            reward=reward,
            dense=dense,
            first_index=index,
        )
        self.num_envs = num_envs
        self.single_observation_space = observations()
        self.single_action_space = Actions(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masks = np.zeros((num_envs, ACTIONS), np.bool_)
        self._all = np.ones(num_envs, np.bool_)
        self._is_dealt = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal all games, and go on to the learners' first decisions.

        Args:
            seed: deal the first games of a seed; without one, the next episode of each.
            options: "collectors" and "leader" change the arguments of these names, from the next deal of each game on;
                with "reset_mask", bool [N], only these games are dealt anew.

        Raises:
            CryptError: the seed or an option is not possible; then nothing has changed.
        """
        options = dict(options or {})
        chosen = self._chosen(options.pop(_RESET_MASK, None), seed)
        bits = None if seed is None else seed_bits(seed)
        self._games.change(options)
        super().reset(seed=None if bits is None else bits)
        if bits is None and self._is_dealt:
            seen = self._games.next_games(chosen)
        else:
            seen = self._games.reset(secrets.randbits(64) if bits is None else bits)
        self._is_dealt = True
        return seen.observations, self._infos(seen)

    def _chosen(self, mask: Any, seed: int | None) -> NDArray[np.int64] | None:
        """Return the games that a mask chooses for a reset; None for all."""
        if mask is None:
            return None
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise CryptError(f"options['reset_mask'] is {mask!r}; a bool array with shape ({self.num_envs},) is needed")
        if not mask.any():
            raise CryptError("options['reset_mask'] chooses no game; at least one is needed")
        if seed is not None or not self._is_dealt:
            raise CryptError("some games alone cannot be dealt from a seed, nor as the first; leave out 'reset_mask'")
        return np.flatnonzero(mask)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play an action of each learner and all that follows, up to their next decisions.

        Returns:
            What the learners may know, what their seats were paid, which games ended, no truncations, and the infos.

        Raises:
            CryptError: there is not one whole number for each game, or no game was dealt yet.
            IllegalActionError: an action is not legal, and ``illegal`` is "raise"; then nothing has changed.
        """
        if not self._is_dealt:
            raise CryptError("nobody is asked: no game was dealt yet; call reset()")
        seen = self._games.step(actions)
        infos = self._infos(seen)
        if seen.dones.any():
            infos["final_obs"] = finals = np.full(self.num_envs, None, object)
            infos["_final_obs"] = seen.dones.copy()
            finals[seen.dones] = np.fromiter(seen.finals[seen.dones], object)
        return seen.observations, seen.rewards.astype(np.float64), seen.dones, ~self._all, infos

    def _infos(self, seen: Seen) -> dict[str, Any]:
        """Keep the masks, and return the infos of a step."""
        self._masks = seen.masks
        return {
            "action_mask": self._masks.view(np.int8),
            "_action_mask": self._all.copy(),
            "seat": self._games.learners.copy(),
            "_seat": self._all.copy(),
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions the learners may take. [N, ACTIONS]"""
        return self._masks

    def set_opponents(self, opponents: Opponents) -> None:
        """Let others play against the learners from now on."""
        self._games.set_opponents(opponents)

    def render(self) -> tuple[str, ...] | None:
        """Return all boards as texts."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing: the environment was made without a render_mode")
            return None
        if not self._is_dealt:
            raise CryptError("nothing to render: no game was dealt yet; call reset()")
        states = self._games.batch.states
        return tuple(str(Game.from_state(states[row : row + 1])) for row in range(self.num_envs))
