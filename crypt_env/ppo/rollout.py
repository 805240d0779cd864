"""A rollout: T decisions in each of N games, written by the engine directly into the trainer's arrays.

Two threads can each play half of the games: they share only the network, and each game has its own chance, so it does
not matter how the games are split.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from crypt_env import ACTIONS, FEATURES, CryptError
from crypt_env.rules.batch import Arrays, decision_bits, step_rows
from crypt_env.rules.cards import MAX_PLAYERS

from .loss import compiled, draw_actions
from .policy import SharedTrunk
from .selfplay import SelfPlayVecEnv

Forward = Callable[[torch.Tensor], torch.Tensor]
"""Columns of observations in, logits and values out, float32 [n, ACTIONS + 1]."""


class Rollout:
    """The arrays of a rollout, [T, N, ...], and how they are filled: `begin`, `play`, `finish`."""

    def __init__(self, steps: int, venv: SelfPlayVecEnv, trunk: SharedTrunk) -> None:
        """Allocate the arrays; of observations only what the network sees is kept."""
        games = venv.num_envs
        self.venv, self.steps, self.games = venv, steps, games
        self._columns: NDArray[np.int64] = trunk.columns.numpy()
        self._above: NDArray[np.int8] = np.zeros(0, np.int8) if trunk.above is None else trunk.above.numpy()
        self._states = venv.batch.states
        self._memory = self._states.view(np.uint8)
        self._all_games = np.arange(games)
        self._bits = np.empty(games, np.uint64)
        # The engine writes whole observations for two steps in turn; the columns of each are copied to the rollout.
        self._observations = np.zeros((2, games, FEATURES), np.int8)
        self.seen = np.zeros((steps + 1, games, len(self._columns)), np.int8)
        self.masks = np.zeros((steps + 1, games, ACTIONS), np.bool_)
        self.movers = np.zeros((steps + 1, games), np.int8)
        self.values = np.zeros((steps + 1, games), np.float32)
        self.actions = np.zeros((steps, games), np.int64)
        self.log_probs = np.zeros((steps, games), np.float32)
        self.rewards = np.zeros((steps, games, MAX_PLAYERS), np.float32)
        self.dones = np.zeros((steps, games), np.bool_)
        self.is_learner = np.ones((steps, games), np.bool_)
        self.advantages = np.zeros((steps, games), np.float32)
        self.is_closed = np.zeros((steps, games), np.bool_)
        self._no_finals = np.zeros((0, FEATURES), np.int8)

    def begin(self) -> None:
        """Start from the current positions."""
        now = self.venv.arrays
        self._observations[0], self.masks[0], self.movers[0] = now.observations, now.masks, now.movers

    @torch.no_grad()
    def play(self, start: int, stop: int, forward: Forward) -> None:
        """Play all steps of the games ``start`` to ``stop - 1``."""
        games, league = slice(start, stop), self.venv.league
        for step in range(self.steps):
            outputs = self._look(step, games, forward)
            masks, actions = self.masks[step, games], self.actions[step, games]
            log_probs, values = self.log_probs[step, games], self.values[step, games]
            decision_bits(self._states, self._all_games[games], self._bits[games])
            empty = draw_actions(outputs.numpy(), masks, self._bits[games], actions, log_probs, values)
            if empty >= 0:
                raise CryptError(f"game {start + empty} has no legal action, or the network's outputs are not finite")
            if league is not None:
                self._ask_league(step, games)
            refused = step_rows(self._memory, start, stop, *self._arrays_before(step + 1), self.actions[step])
            if refused != -1:
                raise CryptError(f"the engine refused action {self.actions[step, refused]} of game {refused}")
            if league is not None:
                league.follow(self.rewards[step, games], self.dones[step, games], start)
            if self.venv.own_reward is not None:
                self.venv.pay(self.rewards[step, games], self.dones[step, games], start)
        self._look(self.steps, games, forward)

    def _look(self, step: int, games: slice, forward: Forward) -> torch.Tensor:
        """Evaluate the positions of a step; keep the values, and return the outputs."""
        seen = self.seen[step, games]
        copy_columns(self._observations[step % 2, games], self._columns, self._above, seen)
        outputs = forward(torch.from_numpy(seen))
        self.values[step, games] = outputs[:, ACTIONS].numpy()
        return outputs

    def _ask_league(self, step: int, games: slice) -> None:
        """Replace the actions that were sampled for seats of the league by those of its agents."""
        venv = self.venv
        assert venv.league is not None
        self.is_learner[step, games] = venv.is_learner(self.movers[step, games], games)
        others = games.start + np.flatnonzero(~self.is_learner[step, games])
        venv.league.answer(self._arrays_before(step), others, self.actions[step])

    def _arrays_before(self, step: int) -> Arrays:
        """Return the arrays of a position: what the seats that decide in a step may know, and what led there."""
        return Arrays(
            self._observations[step % 2],
            self.masks[step],
            self.movers[step],
            self.rewards[step - 1],
            self.dones[step - 1],
            self._no_finals,
        )

    def finish(self, gamma: float, gae_lambda: float, reward_scale: float) -> NDArray[np.int64]:
        """Compute the advantages; return the rows to learn from, as numbers from 0 to T * N - 1."""
        copies = Arrays._make(array.copy() for array in self._arrays_before(self.steps))
        self.venv.arrays = copies._replace(finals=np.zeros((self.games, FEATURES), np.int8))
        arrays = self.movers, self.rewards, self.dones, self.values
        seat_advantages(*arrays, gamma, gae_lambda, reward_scale, self.advantages, self.is_closed)
        return np.flatnonzero(self.is_closed & self.is_learner)


@compiled
def copy_columns(observations: np.ndarray, columns: np.ndarray, above: np.ndarray, seen: np.ndarray) -> None:
    """Copy columns of observations, or whether each is above its limit.

    Args:
        observations: int8 [n, features].
        columns: int64 [columns].
        above: int8 [columns], the limits, or empty to copy the numbers.
        seen: int8 [n, columns], written.
    """
    for row in range(len(observations)):
        vector, copied = observations[row], seen[row]
        if len(above):
            for place in range(len(columns)):
                copied[place] = vector[columns[place]] > above[place]
        else:
            for place in range(len(columns)):
                copied[place] = vector[columns[place]]


@compiled
def seat_advantages(
    movers: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    values: np.ndarray,
    gamma: float,
    gae_lambda: float,
    reward_scale: float,
    advantages: np.ndarray,
    is_closed: np.ndarray,
) -> None:
    """Compute generalized advantages along each (game, seat).

    A decision is followed by the same seat's next decision, no matter how many others come in between, and is paid
    what the seat is paid until then. The end of a game ends the streams of all its seats. The last decision of a seat
    in a rollout stays open if its game continues, unless the seat decides next: only that seat has a value then.

    Args:
        movers: int8 [T + 1, N], who decides.
        rewards: float32 [T, N, seats], what every seat was paid in the step.
        dones: bool [T, N], whether the game ended in the step.
        values: float32 [T + 1, N], the mover's.
        gamma: discount for each decision of the seat.
        gae_lambda: as usual.
        reward_scale: a factor for rewards.
        advantages: float32 [T, N], written.
        is_closed: bool [T, N], written: False for decisions that are still open.
    """
    steps, games = dones.shape
    seats = rewards.shape[2]
    for game in range(games):
        paid = np.zeros(seats, np.float32)
        later_value = np.zeros(seats, np.float32)
        later_advantage = np.zeros(seats, np.float32)
        is_known = np.zeros(seats, np.bool_)
        after = movers[steps, game]
        is_known[after] = True
        later_value[after] = values[steps, game]
        for step in range(steps - 1, -1, -1):
            if dones[step, game]:
                paid[:], later_value[:], later_advantage[:], is_known[:] = 0, 0, 0, True
            for seat in range(seats):
                paid[seat] += rewards[step, game, seat] * reward_scale
            mover = movers[step, game]
            error = paid[mover] + gamma * later_value[mover] - values[step, game]
            advantage = error + gamma * gae_lambda * later_advantage[mover]
            is_closed[step, game] = is_known[mover]
            advantages[step, game] = advantage if is_known[mover] else 0
            later_advantage[mover] = advantage if is_known[mover] else 0
            later_value[mover] = values[step, game]
            is_known[mover] = True
            paid[mover] = 0
