"""Crypt for Gymnasium: one seat at a table, as a single-agent environment.

>>> import gymnasium, crypt_env
>>> env = gymnasium.make("crypt_env/OnlyChild-v0", collectors="AABBAB")
>>> env = gymnasium.make("crypt_env/Crypt-v0", players=3, opponents=["random", "random"], seat="random")
>>> observation, info = env.reset(seed=7)
>>> over = False
>>> while not over:
...     action = env.action_space.sample(info["action_mask"])
...     observation, reward, terminated, truncated, info = env.step(action)
...     over = terminated or truncated

The learner acts whenever its seat decides; everything in between, including the opponents' decisions, is part of the
step. So it is rewarded only on its own steps, for everything that its seat was paid since the previous one, including
at the end of a game that another seat's move decides.

**Rewards** are "win", "margin" (against the best other seat) or "coins", see docs/rewards.md for what is paid and when.

**Observations** are int8 [FEATURES]: all that the seat may know (`crypt_env.notation.view`). The mask is not part of
them: `action_masks` returns it as sb3-contrib expects it, and ``info["action_mask"]`` as ``action_space.sample`` does.

**Infos** hold "action_mask", "seat" (the learner's), and at the end "scores", the coins of all seats.

**Seeds.** ``reset(seed=s)`` deals game ``index`` of seed ``s``, every ``reset()`` after it the next episode: the games
that this row of any batch plays through its automatic restarts. Without any seed, games are random.

**Errors.** An illegal action, or a number that is not an action, ends the game with the reward -1, and
``info["illegal"]`` says why; with ``illegal="raise"`` it raises `IllegalActionError` and changes nothing. Anything else
that is not possible, such as a step after the end, raises `CryptError` and changes nothing.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Sequence
from operator import index as as_index
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from crypt_env.agents.opponents import Opponents
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.actions import ACTIONS
from crypt_env.table import RANDOM, Table, is_whole, seed_bits

from .renderer import RENDER_MODES, Renderer
from .seats import ENDS, SeatBatch, Seen
from .spaces import ActionSpace, observations

Observation = NDArray[np.int8]
_NO_ACTION = 2**62


def check_only_child(players: int | Sequence[int]) -> int | Sequence[int]:
    """Return the number of players of the Only Child, or of each game of it; only 1 is possible."""
    counts = np.asarray(players, object).ravel().tolist()
    if not counts or not all(is_whole(count) and count == 1 for count in counts):
        raise CryptError(
            f"players={quoted(players)} is not possible for the Only Child, who plays alone; allowed is 1, and "
            "'crypt_env/Crypt-v0' is for 2, 3 and 4 players"
        )
    return players


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One game, seen from the learner's seat. It holds no rules: it shows a `SeatBatch` of one game."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        players: int = 2,
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
        """Prepare the game; `reset` deals it.

        Args:
            players: 1 (the Only Child against the Ghost) to 4.
            opponents: one agent for all other seats; a list with one for each, clockwise from the learner; or a
                dictionary of agents and weights, from which each seat of each game samples its own. Agents are names
                (`crypt_env.agents`), `Agent` objects, or functions of observations and masks.
            seat: the learner's, or "random" (drawn for each episode).
            collectors: six letters such as "AABBAB", "A" or "B" for all, or "random" (drawn for each episode).
            leader: the first Leader's seat, or "random".
            reward: "win", "margin" or "coins"; a solo game always pays coins.
            dense: pay as soon as coins are certain instead of at the end; the sum is the same.
            illegal: what an illegal action does: "end" the game with the reward -1, or "raise" an error.
            index: which of the games of a seed this is.
            render_mode: "ansi" (`render` returns the board as text), "rgb_array" (as a picture, uint8 [480, 640, 3];
                needs Pillow), "human" (the board is shown after every step, see `drawing.show`) or None.
        """
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode)
        table = Table(players, collectors, leader, reward, dense)
        self._games = SeatBatch(1, table, opponents, seat, illegal, restarts=False, first_index=index)
        self.observation_space: Any = observations()
        self.action_space = ActionSpace(ACTIONS)
        self._mask = np.zeros(ACTIONS, np.bool_)
        self._action = np.zeros(1, np.int64)
        self._is_dealt = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Any]:
        """Deal a game and go on to the learner's first decision.

        Args:
            seed: deal this environment's game of a seed; without one, the next game of the last seed.
            options: "collectors" and "leader" change the arguments of these names, from this game on.

        Returns:
            The learner's observation, and the infos.

        Raises:
            CryptError: the seed or an option is not possible; then nothing has changed.
        """
        bits = None if seed is None else seed_bits(seed)
        self._games.apply(self._games.changes(options))
        super().reset(seed=bits)
        if bits is None and self._is_dealt:
            seen = self._games.next_games()
        else:
            seen = self._games.reset(secrets.randbits(64) if bits is None else bits)
        self._is_dealt = True
        if self.render_mode == "human":
            self.render()
        return seen.observations[0], self._info(seen)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, up to its next decision or the end.

        Returns:
            The learner's observation, its reward, whether the game is over, False, and the infos.

        Raises:
            CryptError: the game is over or was not dealt, or this is not a number.
            IllegalActionError: the action is not legal, and ``illegal`` is "raise".
        """
        if not self._mask.any():
            reason = "the game is over" if self._is_dealt else "no game was dealt yet"
            raise CryptError(f"no seat is to decide: {reason}; call reset()")
        self._action[0] = self._number(action)
        seen = self._games.step(self._action)
        is_over = bool(seen.dones[0])
        info = self._info(seen)
        if seen.refusals:
            info["illegal"] = seen.refusals[0]
            if abs(self._action[0]) == _NO_ACTION:
                info["illegal"] = info["illegal"].replace(str(self._action[0]), quoted(action), 1)  # as it was given
        elif is_over:
            info["scores"] = seen.scores[0, : self._games.batch.states["players"][0]].copy()
        if self.render_mode == "human":
            self.render()
        return seen.observations[0], float(seen.rewards[0]), is_over, False, info

    def _number(self, action: np.int64) -> int:
        """Return the index of an action; one too large for an array is refused too."""
        try:
            number = None if isinstance(action, (bool, np.bool_)) else as_index(action)
        except TypeError:
            number = None
        if number is None:
            raise CryptError(f"not an action: {quoted(action)}; actions are numbered 0 to {ACTIONS - 1}")
        return max(-_NO_ACTION, min(number, _NO_ACTION))

    def _info(self, seen: Seen) -> dict[str, Any]:
        """Keep the mask, and return the infos of a step."""
        self._mask = seen.masks[0]
        return {"action_mask": self._mask.view(np.int8).copy(), "seat": int(self._games.learners[0])}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the learner's mask, for sb3-contrib; all False when the game is over."""
        return self._mask.copy()

    def render(self) -> Any:
        """Return the board as text or as pixels, or show it; see ``render_mode``. It shows only what is public.

        Raises:
            CryptError: there is no game, or Pillow is missing.
        """
        return self._renderer.board(self._games.batch.states, self._is_dealt)

    def __copy__(self) -> SeatEnv:
        return copy.deepcopy(self)


class OnlyChildEnv(SeatEnv):
    """The Only Child against the Ghost: `SeatEnv` with one player."""

    def __init__(self, players: int = 1, **arguments: Any) -> None:
        """Prepare the game; arguments are those of `SeatEnv`."""
        check_only_child(players)
        super().__init__(players, **arguments)
