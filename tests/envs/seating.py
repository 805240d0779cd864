"""Deterministic players, and the games of a seed as each of the interfaces returns them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from crypt_env import FEATURES, Batch, Game, crypt_v0
from crypt_env.agents import Agent
from crypt_env.envs.seats import SeatBatch
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from crypt_env.table import Table as Described
from property.owed import owed
from property.play import nth_legal

COUNTS = (1, 2, 3, 4)
ALONE_AND_TOGETHER = (1, 3)
"""Numbers of players where no more is proved by all of them: without other seats, and with some."""
BATCHES = ("SeatBatch", "SeatVectorEnv", "SeatVecEnv")
IDS = {1: "crypt_env/OnlyChild-v0", 2: "crypt_env/Crypt-v0", 3: "crypt_env/Crypt-v0", 4: "crypt_env/Crypt-v0"}

_WEIGHTS = np.random.default_rng(7).integers(1, 2**31, FEATURES)


def digest(observations: np.ndarray) -> np.ndarray:
    """Return a number for each observation."""
    sums = observations.astype(np.int64) @ _WEIGHTS
    return (sums ^ (sums >> 13)) % 1000003


def pick(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Choose any legal action from what is seen alone: the same in the same position, wherever it occurs."""
    return nth_legal(masks, digest(observations))


def other_pick(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Choose by a different rule."""
    return nth_legal(masks, digest(observations) // 7)


class BitsAgent(Agent):
    """Chooses by the random bits that it is given, and by nothing else."""

    name = "bits"

    def act(self, decisions):
        return nth_legal(decisions.masks, (decisions.bits >> np.uint64(40)).astype(np.int64))


def an_illegal_action(mask: np.ndarray) -> int:
    """Return an action that exists and that the mask forbids."""
    return int(np.flatnonzero(np.asarray(mask) == 0)[0])


def seat_batch(
    games: int,
    players: Any = 2,
    opponents: Any = "random",
    seat: Any = "random",
    illegal: str = "end",
    restarts: bool = True,
    first_index: int = 0,
    **table: Any,
) -> SeatBatch:
    """Return a `SeatBatch` of a table that is described here."""
    return SeatBatch(games, Described(players, **table), opponents, seat, illegal, restarts, first_index)


# -- many games at once -----------------------------------------------------------------------------------------------


class TimeStep(NamedTuple):
    """What an interface returns about N games."""

    observations: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    finals: dict[int, np.ndarray]


class Table:
    """N games through one of the interfaces for many games, behind one common interface."""

    def __init__(self, interface: str, games: int, players: Any, index: int = 0, **arguments: Any) -> None:
        if interface == "SeatBatch":
            self.env: Any = seat_batch(games, players, first_index=index, **arguments)
        elif interface == "SeatVectorEnv":
            self.env = SeatVectorEnv(games, players, index=index, **arguments)
        else:
            pytest.importorskip("sb3_contrib")
            from crypt_env.envs.sb3 import SeatVecEnv

            self.env = SeatVecEnv(games, players, index=index, **arguments)
        self.interface = interface
        self.seats = self.env if interface == "SeatBatch" else self.env._games

    @property
    def states(self) -> np.ndarray:
        """The games themselves."""
        return self.seats.batch.states

    def reset(self, seed: int | None = None) -> TimeStep:
        """Deal the games of a seed, or the next ones."""
        games = len(self.seats)
        nothing = (np.zeros(games), np.zeros(games, bool), {})
        if self.interface == "SeatBatch":
            seen = self.env.next_games() if seed is None else self.env.reset(seed)
            return TimeStep(seen.observations, seen.masks, self.seats.learners.copy(), *nothing)
        if self.interface == "SeatVectorEnv":
            observations, infos = self.env.reset(seed=seed)
            return TimeStep(observations, infos["action_mask"].astype(bool), infos["seat"], *nothing)
        if seed is not None:
            self.env.seed(seed)
        observations = self.env.reset()
        return TimeStep(observations, self.env.action_masks(), self.seats.learners.copy(), *nothing)

    def step(self, actions: Any) -> TimeStep:
        """Play the learners' actions."""
        if self.interface == "SeatBatch":
            seen = self.env.step(actions)
            finals = dict(zip(seen.ended.tolist(), seen.finals, strict=True))
            return TimeStep(
                seen.observations, seen.masks, self.seats.learners.copy(), seen.rewards.copy(), seen.dones, finals
            )
        if self.interface == "SeatVectorEnv":
            observations, rewards, dones, truncations, infos = self.env.step(actions)
            assert not truncations.any()
            finals = {int(game): infos["final_obs"][game] for game in np.flatnonzero(dones)}
            return TimeStep(observations, infos["action_mask"].astype(bool), infos["seat"], rewards, dones, finals)
        observations, rewards, dones, infos = self.env.step(actions)
        finals = {int(game): infos[game]["terminal_observation"] for game in np.flatnonzero(dones)}
        return TimeStep(observations, self.env.action_masks(), self.seats.learners.copy(), rewards, dones, finals)


# -- games, decision by decision --------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """A decision of the learner and its result."""

    seat: int
    observation: bytes
    mask: bytes
    action: int
    reward: float
    is_over: bool
    final: bytes


Episode = list[Turn]


def _mask_bytes(mask: np.ndarray) -> bytes:
    return mask.astype(np.int8).tobytes()


def row_games(table: Table, seed: int, episodes: int, player: Callable[..., Any] = pick) -> list[list[Episode]]:
    """Play all games of a table through their restarts; return the first episodes of each."""
    timestep = table.reset(seed)
    played: list[list[Episode]] = [[[]] for _ in timestep.seats]
    while min(map(len, played)) <= episodes:
        before, actions = timestep, player(timestep.observations, timestep.masks)
        kept = [part.copy() for part in before[:3]]
        timestep = table.step(actions)
        assert all((part == copy).all() for part, copy in zip(before[:3], kept, strict=True)), "written over"
        for game, own in enumerate(played):
            is_over = bool(timestep.dones[game])
            own[-1].append(
                Turn(
                    int(before.seats[game]),
                    before.observations[game].tobytes(),
                    _mask_bytes(before.masks[game]),
                    int(actions[game]),
                    float(timestep.rewards[game]),
                    is_over,
                    timestep.finals[game].tobytes() if is_over else b"",
                )
            )
            if is_over:
                own.append([])
    return [own[:episodes] for own in played]


def single_games(env: SeatEnv, seed: int, episodes: int, player: Callable[..., Any] = pick) -> list[Episode]:
    """Play the episodes of an environment of one game."""
    played: list[Episode] = []
    for number in range(episodes):
        observation, info = env.reset(seed=seed if number == 0 else None)
        played.append([])
        is_over = False
        while not is_over:
            before, mask, seat = observation, info["action_mask"], info["seat"]
            assert (env.action_masks() == mask).all()
            action = int(player(before[None], mask[None] == 1)[0])
            observation, reward, is_over, is_cut, info = env.step(action)
            assert not is_cut
            final = observation.tobytes() if is_over else b""
            played[-1].append(Turn(seat, before.tobytes(), _mask_bytes(mask), action, reward, is_over, final))
    return played


def table_games(players: int, seed: int, episodes: int, **arguments: Any) -> list[list[Episode]]:
    """Play the episodes of the AEC environment; return each as it looks from every seat."""
    env = crypt_v0.raw_env(players, **arguments)
    played = []
    for number in range(episodes):
        env.reset(seed=seed if number == 0 else None)
        seats: list[Episode] = [[] for _ in range(players)]
        pending: dict[int, tuple[bytes, bytes, int]] = {}
        for agent in env.agent_iter():
            seen, reward, is_over, _, _ = env.last()
            seat = env.possible_agents.index(agent)
            if seat in pending:
                final = seen["observation"].tobytes() if is_over else b""
                seats[seat].append(Turn(seat, *pending.pop(seat), float(reward), is_over, final))
            else:
                assert reward == 0, "paid before its first decision"
            action = None
            if not is_over:
                action = int(pick(seen["observation"][None], seen["action_mask"][None] == 1)[0])
                pending[seat] = (seen["observation"].tobytes(), _mask_bytes(seen["action_mask"]), action)
            env.step(action)
        played.append(seats)
    return played


# -- what is owed -----------------------------------------------------------------------------------------------------


def payoff(state: np.ndarray, reward: str) -> list[float]:
    """Return what each seat is owed for a game that is over, by its outcome alone."""
    outcome = Game.from_state(state).outcome()
    winners = sum(1 << seat for seat in outcome.winners)
    return owed(len(outcome.scores), reward, list(outcome.scores), winners)


@cache
def _ends(players: int, games: int, seed: int, episodes: int, is_one_game: bool) -> np.ndarray:
    """Play with `pick` in all seats, without learners or restarts, to the ends of all games. [E, N]"""
    batch = Batch(games, players, seed=seed, restarts=False)
    batch.reset()
    if is_one_game:
        batch.states["index"] = 0
    batch.states["episode"] = (np.arange(games) * is_one_game - 1).astype(np.uint32)
    ends = []
    for _ in range(episodes):
        arrays = batch.restart(np.arange(games))
        while (arrays.movers >= 0).any():
            arrays = batch.step(pick(arrays.observations, arrays.masks))
        ends.append(batch.states.copy())
    return np.array(ends)


def payoffs(players: int, games: int, seed: int, episodes: int, reward: str = "win") -> np.ndarray:
    """Return what the first episodes of a seed's games owe to every seat if `pick` plays all seats. [E, N, seats]"""
    ends = _ends(players, games, seed, episodes, False)
    return np.array([[payoff(own[row : row + 1], reward) for row in range(games)] for own in ends])


def payoffs_of_one_game(players: int, seed: int, episodes: int, reward: str = "win") -> np.ndarray:
    """Return the same for many episodes of game 0. [E, seats]"""
    (ends,) = _ends(players, episodes, seed, 1, True)
    return np.array([payoff(ends[row : row + 1], reward) for row in range(episodes)])


# -- what is refused --------------------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"players": 0}, r"players=0 is not possible; allowed are 1 \(against the Ghost\), 2, 3 and 4"),
    ({"players": 5}, "players=5 is not possible"),
    ({"players": "2"}, "players='2' is not possible"),
    ({"players": None}, "players=None is not possible"),
    ({"opponents": "missing"}, "agent 'missing' is not known; known are .*random"),
    ({"opponents": "missing", "players": 1}, "agent 'missing' is not known; known are .*random"),
    ({"opponents": 3}, "3 is not an agent; allowed are a name"),
    ({"opponents": None}, "None is not an agent; allowed are a name"),
    ({"opponents": ["random"], "players": 3}, "1 opponent given for 3 players; one agent for each"),
    ({"opponents": ["random"] * 3, "players": 3}, "3 opponents given for 3 players; one agent for each"),
    ({"opponents": []}, "0 opponents given for 2 players; one agent for each"),
    ({"opponents": ["random"], "players": 1}, "1 opponent given for 1 player; one agent for each"),
    ({"opponents": {}}, r"opponents with weights \[\] cannot be drawn"),
    ({"opponents": {"random": -1}}, r"weights \[-1\] cannot be drawn; weights are numbers, none negative"),
    ({"opponents": {"random": 0, "greedy": 0}}, r"weights \[0, 0\] cannot be drawn; .* not all of them 0"),
    ({"opponents": {"random": float("nan")}}, r"weights \[nan\] cannot be drawn"),
    ({"opponents": {"random": float("inf")}}, r"weights \[inf\] cannot be drawn"),
    ({"opponents": {"random": "much"}}, r"weights \['much'\] cannot be drawn"),
    ({"opponents": {"missing": 1}}, "agent 'missing' is not known"),
    ({"seat": 2}, "seat=2 is not possible with 2 players; allowed are the seats 0 to 1 and 'random'"),
    ({"seat": 1, "players": 1}, "seat=1 is not possible with 1 player; allowed are seat 0 and 'random'"),
    ({"seat": -1}, "seat=-1 is not possible"),
    ({"seat": "first"}, "seat='first' is not possible"),
    ({"seat": None}, "seat=None is not possible"),
    ({"collectors": "ABC"}, "collectors='ABC' is not a table"),
    ({"leader": 2}, "leader=2 is not possible with 2 players"),
    ({"reward": "fame"}, "reward='fame' is not known; allowed are 'win', 'margin', 'coins'"),
    ({"dense": "no"}, "dense='no' is not possible; allowed are True and False"),
    ({"illegal": "ignore"}, "illegal='ignore' is not known; allowed are 'end' and 'raise'"),
    ({"index": -1}, "index=-1 is not possible"),
    ({"index": 1.0}, "index=1.0 is not possible"),
    ({"render_mode": "svg"}, "render_mode='svg' is not known; allowed are .*None"),
]
"""Arguments of every interface, and what the error says of them."""

WRONG_RESETS: list[tuple[dict[str, Any], str]] = [
    ({"seed": -1}, "seed=-1 is not possible; allowed are integers from 0"),
    ({"seed": 2**64}, "is not possible; allowed are integers from 0"),
    ({"seed": 1.5}, "seed=1.5 is not possible"),
    ({"options": {"collector": "A"}}, "option 'collector' is not known; allowed are 'collectors' and 'leader'"),
    ({"options": {"leader": 7}}, "leader=7 is not possible"),
    ({"options": {"collectors": "A", "leader": 7}}, "leader=7 is not possible"),
    ({"seed": -1, "options": {"collectors": "A"}}, "seed=-1 is not possible"),
    ({"seed": 1, "options": {"collectors": "Z"}}, "collectors='Z' is not a table"),
]
"""Arguments of a reset, and what the error says of them."""
