"""Crypt for Stable-Baselines3: many games at once, as a `VecEnv` over the engine's own batch.

>>> from sb3_contrib import MaskablePPO
>>> from crypt_env.envs.sb3 import SeatVecEnv
>>> venv = SeatVecEnv(256, players=2, opponents={"random": 1, "greedy": 3})
>>> model = MaskablePPO("MlpPolicy", venv, n_steps=64, batch_size=2048, seed=1).learn(100_000)

Everything is as in `single`, for N games: arguments, observations, payment (docs/rewards.md), what an illegal action
does. Game ``i`` is game ``i`` of the seed. A step in which a game ends deals its next episode; ``infos[i]`` then holds
"terminal_observation", "scores" (the coins of all seats) or "illegal" (why the learner's action was refused), and
"episode" with the return "r" and the length "l" in decisions of the learner, from which Stable-Baselines3 logs
``rollout/ep_rew_mean`` and ``ep_len_mean``: a `VecMonitor` is not needed.

Masks come from ``env_method("action_masks")``, as sb3-contrib asks for them, or as one array from `action_masks`. Use
`MaskableEvalCallback` and the ``evaluate_policy`` of sb3-contrib: those of Stable-Baselines3 ignore masks, and most of
their actions are illegal.

`PolicyAgent` turns a trained model into an opponent.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium
import numpy as np
from numpy.typing import NDArray

from crypt_env.agents.base import Actions, Agent, Decisions, draw
from crypt_env.agents.opponents import Opponents
from crypt_env.errors import CryptError, counted, install_hint, quoted, shortened
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.observe import FEATURES
from crypt_env.table import RANDOM, Table, seed_bits

from .renderer import Renderer
from .seats import ENDS, SeatBatch, Seen
from .spaces import ActionSpace, observations

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn, tile_images
except ImportError as error:
    raise ImportError(f"crypt_env.envs.sb3 needs torch and sb3-contrib; {install_hint('train')}") from error

_MASKS = "action_masks"
_ROWS = ("_rows", "_last_rows", "_last_masks")


class _FirstMask(np.ndarray):
    """The first mask, which answers `numpy.stack` of all masks with the array that they are rows of.

    sb3-contrib stacks the masks of all games at every step. For a thousand games that takes longer than playing.
    """

    whole: NDArray[np.bool_]
    rows: list[NDArray[np.bool_]] | None = None
    """None in arrays derived from this row, such as slices."""

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        """Return the array for a stack of all rows in order; otherwise act as usual."""
        if function is np.stack and len(arguments) == 1 and not options and arguments[0] is self.rows:
            return self.whole.copy()
        return super().__array_function__(function, types, arguments, options)


def _rows(masks: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Return the masks of all games as a list of read-only rows."""
    shown = masks.view()
    shown.flags.writeable = False
    rows = list(shown)
    first = rows[0].view(_FirstMask)
    first.whole, first.rows, rows[0] = masks, rows, first
    return rows


class SeatVecEnv(VecEnv):
    """N games, each seen from the learner's seat.

    The observations of every step are new arrays, so a learner may keep them. Masks alternate between two buffers.
    """

    def __init__(
        self,
        num_envs: int,
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

        The arguments are those of `single.SeatEnv`, but ``players`` may also be one number for each game, and ``index``
        is the number of the first game. `render` returns the boards as texts in the mode "ansi", as one picture in
        "rgb_array", which needs Pillow, and shows the first board in "human".
        """
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        table = Table(players, collectors, leader, reward, dense)
        self._games = SeatBatch(num_envs, table, opponents, seat, illegal, first_index=index)
        self.num_envs = num_envs = len(self._games)
        self._make_mask_buffers()
        self._actions: Any = None
        self._seed: int | None = None
        self._is_dealt = False
        self._returns = np.zeros(num_envs, np.float64)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.time()
        # One empty dictionary for each game, reused at every step: new ones would take a fifth of the step's time.
        self._empty: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        super().__init__(num_envs, observations(), ActionSpace(ACTIONS))
        cast(dict[str, Any], self.metadata)["render_fps"] = 2

    # -- playing ------------------------------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Have the next `reset` deal the games of a seed; of a random one if not given."""
        self._seed = int(np.random.default_rng().integers(2**63)) if seed is None else seed_bits(seed)
        self._seeds = [self._seed] * self.num_envs
        return self._seeds

    def reset(self) -> NDArray[np.int8]:
        """Deal the games of a seed given since the last reset; otherwise the next episode of all games."""
        for changes in [self._games.changes(options, game) for game, options in enumerate(self._options) if options]:
            self._games.apply(changes)
        if self._seed is None and not self._is_dealt:
            self.seed()
        seen = self._games.next_games() if self._seed is None else self._games.reset(self._seed)
        self._seed = None
        self._is_dealt = True
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        self._keep_masks(seen)
        return seen.observations

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Have the next `reset` change tables or first Leaders: "collectors" and "leader", for all games or for each.

        Raises:
            CryptError: an option is not possible, or their number does not match the games; nothing has changed.
        """
        if not (options is None or isinstance(options, (dict, list, tuple))):
            raise CryptError(f"options={quoted(options)} is not possible; a dictionary or a list of them is needed")
        choices = [options or {}] * self.num_envs if options is None or isinstance(options, dict) else list(options)
        if len(choices) != self.num_envs:
            given = counted(len(choices), "option")
            raise CryptError(f"{given} given for {counted(self.num_envs, 'game')}; give one, or one for each")
        for game, chosen in enumerate(choices):
            self._games.changes(chosen, game)
        super().set_options(choices)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions; `step_wait` plays them."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play an action of each learner and all that follows, up to their next decisions.

        Raises:
            CryptError: there is not one whole number for each game, or no game was dealt yet.
            IllegalActionError: an action is not legal, and ``illegal`` is "raise"; then nothing has changed.
        """
        if not self._is_dealt:
            raise CryptError("no seat is to decide: no game was dealt yet; call reset()")
        seen = self._games.step(self._actions)
        self._keep_masks(seen)
        self._returns += seen.rewards
        self._lengths += 1
        infos = self._empty.copy()
        if len(seen.ended):
            self._add_ends(seen, infos)
        self._returns[seen.dones] = 0
        self._lengths[seen.dones] = 0
        return seen.observations, seen.rewards, seen.dones, infos

    def _add_ends(self, seen: Seen, infos: list[dict[str, Any]]) -> None:
        passed = round(time.time() - self._start, 6)
        returns, lengths = self._returns[seen.ended].tolist(), self._lengths[seen.ended].tolist()
        counts = self._games.players[seen.ended].tolist()
        for place, game in enumerate(seen.ended.tolist()):
            infos[game] = {
                "terminal_observation": seen.finals[place],
                "TimeLimit.truncated": False,
                "episode": {"r": returns[place], "l": lengths[place], "t": passed},
                "scores": seen.scores[place, : counts[place]],
            }
        for game, why in seen.refusals.items():
            del infos[game]["scores"]
            infos[game]["illegal"] = why

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learners' masks, as one new array. [N, ACTIONS]"""
        return self._masks.copy()

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the learners' opponents from now on, for instance with newer networks."""
        self._games.set_opponents(opponents)

    # -- the interface of VecEnv --------------------------------------------------------------------------------------

    def _make_mask_buffers(self) -> None:
        self._masks, self._last_masks = (np.zeros((self.num_envs, ACTIONS), np.bool_) for _ in range(2))
        self._rows, self._last_rows = _rows(self._masks), _rows(self._last_masks)

    def _keep_masks(self, seen: Seen) -> None:
        """Copy the masks of a step to the next buffer."""
        self._masks, self._last_masks = self._last_masks, self._masks
        self._rows, self._last_rows = self._last_rows, self._rows
        self._masks[:] = seen.masks

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _ROWS}

    def __setstate__(self, content: dict[str, Any]) -> None:
        vars(self).update(content)
        self._make_mask_buffers()
        self._masks[:] = content["_masks"]

    def __copy__(self) -> SeatVecEnv:
        return copy.deepcopy(self)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return a result for each game; the rows of `action_masks` are read-only and overwritten two steps later.

        Any other method is called once, and its result is that of all games.
        """
        if method_name == _MASKS:
            rows = self._rows
            return rows if indices is None else [np.asarray(rows[game]) for game in self._get_indices(indices)]
        answer = getattr(self, method_name)(*method_args, **method_kwargs)
        return [answer for _ in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this object for each game."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of this object; it is the same for all games."""
        if indices is not None:
            raise CryptError(f"{attr_name!r} is the same for all games; it cannot be set for some alone")
        setattr(self, attr_name, value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return whether games are wrapped: they count as wrapped in a `Monitor`, whose job is done here."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8]]:
        """Return the boards of all games as pictures, uint8 [480, 640, 3]."""
        return list(self._renderer.boards(self._games.batch.states, self._is_dealt, "rgb_array"))

    def render(self, mode: str | None = None) -> Any:
        """Return the boards as texts or as one picture, or show the first; see ``render_mode``.

        Raises:
            CryptError: there are no games, or Pillow is missing.
        """
        if not self._renderer.has_mode(mode or self.render_mode or "human"):
            return None
        if self.render_mode == "rgb_array":
            return tile_images(self.get_images())
        return self._renderer.boards(self._games.batch.states, self._is_dealt) or None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class PolicyAgent(Agent):
    """A trained model of sb3-contrib as an agent, for instance as an opponent in further training."""

    def __init__(self, model: MaskablePPO | str | Path, deterministic: bool = False) -> None:
        """Take a model, or load it.

        Args:
            model: the model, or the zip file of a saved one.
            deterministic: always play the likeliest action; otherwise sample from the policy.

        Raises:
            CryptError: there is no such file, it does not hold a model, or the model is for other observations or
                actions.
        """
        if not isinstance(model, MaskablePPO):
            path = Path(model)
            if not path.is_file():
                raise CryptError(f"there is no model {str(path)!r}; the zip file of a saved MaskablePPO is needed")
            try:
                model = MaskablePPO.load(path, device="cpu")
            except Exception as error:  # loading a pickle can raise anything
                reason = shortened(f"{type(error).__name__}: {error}", 200)
                raise CryptError(f"model {str(path)!r} cannot be read: {reason}") from error
        if model.observation_space.shape != (FEATURES,) or getattr(model.action_space, "n", None) != ACTIONS:
            raise CryptError(
                f"this model is for observations {model.observation_space} and actions {model.action_space}; "
                f"{FEATURES} numbers and {ACTIONS} actions are needed"
            )
        self.name = "sb3"
        self._policy = model.policy
        self._deterministic = deterministic

    def act(self, decisions: Decisions) -> Actions:
        """Choose by the policy; a sampled action depends only on the bits of the decision."""
        self._policy.set_training_mode(False)
        with torch.no_grad():
            vectors = torch.as_tensor(decisions.observations, device=self._policy.device)
            distribution = self._policy.get_distribution(vectors, action_masks=decisions.masks).distribution
            probabilities = distribution.probs.double().cpu().numpy()  # type: ignore[union-attr]
        probabilities *= decisions.masks
        if self._deterministic:
            return np.asarray(probabilities.argmax(axis=1))
        return draw(probabilities, decisions.bits)
