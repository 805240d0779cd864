"""Crypt for Gymnasium: many games at once, as a `VectorEnv` over the engine's own batch.

>>> import gymnasium, crypt_env
>>> envs = gymnasium.make_vec("crypt_env/OnlyChild-v0", num_envs=1024)
>>> observations, infos = envs.reset(seed=7)
>>> actions = envs.action_space.sample(tuple(infos["action_mask"]))
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)

Everything is as in `single`, for N games: arguments, payment (docs/rewards.md), what an illegal action does. Game
``i`` is game ``i`` of the seed and plays as `single.SeatEnv` with ``index=i``.

**Restarts** are those of Gymnasium's `AutoresetMode`, chosen by ``autoreset_mode``:

- ``"SameStep"``: the step in which a game ends deals its next episode, and returns its first observation and mask.
  The final observation of the old episode is ``infos["final_obs"][i]``, its infos are in ``infos["final_info"]``.
- ``"NextStep"``: the step in which a game ends returns its last observation, an empty mask and the infos of the end.
  The next one ignores the action given for it, pays 0 and returns the first observation of the next episode.
- ``"Disabled"``: a finished game stays finished, and steps are refused until ``reset(options={"reset_mask": over})``
  has dealt the next episode of all finished games.

The default is "SameStep", unlike in Gymnasium's own vector environments: every step of every game is then a decision,
so rollouts need no filtering; `sb3.SeatVecEnv` does the same. Wrappers that transform observations, or convert them to
another array library, need one of the other modes: they cannot transform "final_obs". RLlib's vector runner needs
"NextStep" (docs/rllib.md), and is refused "SameStep", which it would silently misread.

**Infos** hold the arrays "action_mask" (int8 [N, ACTIONS]) and "seat" ([N]), and of games that ended "scores" (the
coins of all seats, [N, players]) or "illegal" (why the learner's action was refused). In the mode "SameStep" these two
are in "final_info", with the old game's "seat". A name with a leading underscore says for which games, as everywhere in
Gymnasium. `action_masks` returns the masks as bool. All arrays belong to the caller: no later step writes to them or
reads them.

**Seeds.** ``reset(seed=s)`` deals in row ``i`` game ``i`` of seed ``s``. A list has a seed for each row, which plays
game ``i`` of it; None means the next episode.
"""

from __future__ import annotations

import copy
import secrets
import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from crypt_env.agents.opponents import Opponents
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.actions import ACTIONS
from crypt_env.table import RANDOM, Table, seed_bits

from .renderer import RENDER_MODES, Renderer
from .seats import ENDS, SeatBatch, Seen
from .single import check_only_child
from .spaces import ActionSpace, observations

Observations = NDArray[np.int8]
_RESET_MASK = "reset_mask"
_RLLIB = "ray.rllib.env.single_agent_env_runner"


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    """Return the mode, given itself or by name."""
    modes = {known.value: known for known in AutoresetMode}
    if isinstance(mode, AutoresetMode):
        return mode
    if not isinstance(mode, str) or mode not in modes:
        raise CryptError(f"autoreset_mode={quoted(mode)} is not known; allowed are {', '.join(map(repr, modes))}")
    return modes[mode]


def _is_for_rllib() -> bool:
    """Return whether the vector runner of RLlib is making this environment.

    Only its frame on the stack can tell: `gymnasium.make_vec`, which it calls, passes nothing on about the caller.
    """
    frame = sys._getframe() if _RLLIB in sys.modules else None
    while frame is not None:
        if frame.f_globals.get("__name__") == _RLLIB:
            return True
        frame = frame.f_back
    return False


class SeatVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """N games, each seen from the learner's seat."""

    metadata: dict[str, Any] = {
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

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
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        """Prepare the games; `reset` deals them.

        The arguments are those of `single.SeatEnv`, but ``players`` may also be one number for each game, and ``index``
        is the number of the first game. `render` returns the boards as texts in the mode "ansi", as pictures of a
        megabyte each in "rgb_array", which needs Pillow; in "human" every step shows the first board.
        ``autoreset_mode`` says when the next episode of a game is dealt: "SameStep", "NextStep" or "Disabled".
        """
        super().__init__()
        self._mode = _autoreset_mode(autoreset_mode)
        if self._mode == AutoresetMode.SAME_STEP and _is_for_rllib():
            raise CryptError(
                "RLlib's vector runner treats the step after the end of a game as its reset and would mix up games "
                "that restart in the same step; autoreset_mode='NextStep' in env_config is needed"
            )
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        table = Table(players, collectors, leader, reward, dense)
        restarts = self._mode == AutoresetMode.SAME_STEP
        self._games = SeatBatch(num_envs, table, opponents, seat, illegal, restarts, index)
        self.num_envs = num_envs = len(self._games)
        self.single_observation_space = observations()
        self.single_action_space = ActionSpace(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._masks = np.zeros((num_envs, ACTIONS), np.bool_)
        self._all = np.ones(num_envs, np.bool_)
        self._over = ~self._all
        self._seats = int(self._games.batch.states["players"].max())
        self._is_dealt = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal all games or some, and go on to the learners' first decisions.

        Args:
            seed: deal the first games of a seed, or of a seed for each game; without one, the next episode of each.
            options: "collectors" and "leader" change the arguments of these names, from this deal on; with
                "reset_mask", bool [N], all of this applies only to these games, and the others stay as they are.

        Raises:
            CryptError: the seed or an option is not possible; then nothing has changed.
        """
        if not isinstance(options, Mapping):
            self._games.changes(options)  # None is allowed, anything else is refused
        options = dict(options or {})
        chosen = self._chosen(options.pop(_RESET_MASK, None))
        seeds = self._seeds(seed)
        changes = self._games.changes(options, chosen)
        super().reset(seed=seeds[0] if isinstance(seed, (int, np.integer)) else None)
        self._games.apply(changes)
        if len(set(seeds)) == 1 and seeds[0] is not None and len(chosen) == self.num_envs:
            seen = self._games.reset(seeds[0])
        else:
            seen = self._games.next_games(chosen, [seeds[game] for game in chosen])
        self._is_dealt = True
        self._over[chosen] = False
        return seen.observations, self._infos(seen)

    def _chosen(self, mask: Any) -> NDArray[np.int64]:
        """Return the games that a mask selects for a reset; all without one."""
        if mask is None:
            return np.arange(self.num_envs)
        chosen = np.asarray(mask) if hasattr(mask, "__array__") else mask
        if not isinstance(chosen, np.ndarray) or chosen.dtype != np.bool_ or chosen.shape != (self.num_envs,):
            raise CryptError(
                f"options['reset_mask'] is {quoted(mask)}; a bool array with shape ({self.num_envs},) is needed"
            )
        if not chosen.any():
            raise CryptError("options['reset_mask'] chooses no game; at least one is needed")
        if not self._is_dealt:
            raise CryptError("options['reset_mask'] was given, but no game was dealt yet; reset all games first")
        return np.flatnonzero(chosen)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        """Return a seed for each game; None for the next episode, except in games that were never dealt."""
        if seed is None:
            return [None if self._is_dealt else secrets.randbits(64)] * self.num_envs
        is_array = isinstance(seed, np.ndarray) and seed.ndim > 0
        if not is_array and not isinstance(seed, (list, tuple)):
            return [seed_bits(cast(int, seed))] * self.num_envs
        seed = cast(Sequence[int | None], seed)
        if len(seed) != self.num_envs:
            raise CryptError(f"seed has {len(seed)} entries for {self.num_envs} games; give one seed, or one for each")
        fresh = None if self._is_dealt else secrets.randbits(64)
        return [fresh if entry is None else seed_bits(entry) for entry in seed]

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play an action of each learner, up to their next decisions.

        Returns:
            The learners' observations and rewards, which games ended, no truncations, and the infos.

        Raises:
            CryptError: there is not one whole number for each game, or no game was dealt yet, or one is over and
                not restarted.
            IllegalActionError: an action is not legal, and ``illegal`` is "raise"; then nothing has changed.
        """
        if not self._is_dealt:
            raise CryptError("no seat is to decide: no game was dealt yet; call reset()")
        if self._mode == AutoresetMode.SAME_STEP:
            seats = self._games.learners.astype(np.int64)
            seen = self._games.step(actions)
            infos = self._infos(seen)
            if len(seen.ended):
                infos |= self._finals(seen, seats)
            return seen.observations, seen.rewards.astype(np.float64), seen.dones, ~self._all, infos
        over = np.flatnonzero(self._over)
        if len(over) and self._mode == AutoresetMode.DISABLED:
            raise CryptError(
                f"game {over[0]} is over; call reset(options={{'reset_mask': ...}}) for games that are over"
            )
        seen = self._games.step(actions, over)
        self._over = seen.dones.copy()
        infos = self._infos(seen) | self._ends(seen)
        return seen.observations, seen.rewards.astype(np.float64), seen.dones, ~self._all, infos

    def _infos(self, seen: Seen) -> dict[str, Any]:
        """Keep a copy of the masks, show the board in human mode, and return the infos of a step."""
        self._masks[:] = seen.masks
        if self.render_mode == "human":
            self.render()
        return {
            "action_mask": seen.masks.view(np.int8),
            "_action_mask": self._all.copy(),
            "seat": self._games.learners.astype(np.int64),
            "_seat": self._all.copy(),
        }

    def _ends(self, seen: Seen) -> dict[str, Any]:
        """Return the infos of games that ended: their scores, or why an action was refused."""
        infos: dict[str, Any] = {}
        played = seen.dones.copy()
        if seen.refusals:
            illegal = list(seen.refusals)
            played[illegal] = False
            texts = infos["illegal"] = np.empty(self.num_envs, object)  # None for all
            texts[illegal] = list(seen.refusals.values())
            infos["_illegal"] = seen.dones & ~played
        if len(seen.ended) > len(seen.refusals):
            scores = infos["scores"] = np.zeros((self.num_envs, self._seats), np.int16)
            scores[seen.ended] = seen.scores[:, : self._seats]
            infos["_scores"] = played
        return infos

    def _finals(self, seen: Seen, seats: NDArray[np.int64]) -> dict[str, Any]:
        """Return the final observations and infos of games that ended and restarted, with the learners' old seats."""
        finals = np.empty(self.num_envs, object)  # None for all
        finals[seen.ended] = np.fromiter(seen.finals, object, len(seen.ended))
        info = {"seat": seats * seen.dones, "_seat": seen.dones.copy()}
        return {
            "final_obs": finals,
            "_final_obs": seen.dones.copy(),
            "final_info": info | self._ends(seen),
            "_final_info": seen.dones.copy(),
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learners' masks. [N, ACTIONS]"""
        return self._masks.copy()

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the learners' opponents from now on."""
        self._games.set_opponents(opponents)

    def render(self) -> tuple[Any, ...] | None:
        """Return all boards as texts or as pixels, or show the first; see ``render_mode``.

        Raises:
            CryptError: there are no games, or Pillow is missing.
        """
        if not self._renderer.has_mode():
            return None
        return self._renderer.boards(self._games.batch.states, self._is_dealt) or None

    def __copy__(self) -> SeatVectorEnv:
        return copy.deepcopy(self)


class OnlyChildVectorEnv(SeatVectorEnv):
    """N games of the Only Child against the Ghost: `SeatVectorEnv` with one player."""

    def __init__(self, num_envs: int = 1, players: int | Sequence[int] = 1, **arguments: Any) -> None:
        """Prepare the games; arguments are those of `SeatVectorEnv`."""
        super().__init__(num_envs, check_only_child(players), **arguments)
