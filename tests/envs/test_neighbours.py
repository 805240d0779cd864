"""`crypt_v0` in libraries that convert the output of an environment to arrays: TorchRL and Tianshou.

They are no requirement of the tests. Where they are installed (``pip install torchrl tianshou`` beside the package),
the tests at the end play whole games with them; the others do by hand what the two of them do, so that nothing that
they cannot take comes back unnoticed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from crypt_env import crypt_v0
from crypt_env.rules.cards import MAX_PLAYERS

COUNTS = range(1, MAX_PLAYERS + 1)
MAKERS = [crypt_v0.env, crypt_v0.raw_env]


def scores(env: AECEnv, players: int) -> list[float]:
    """Return what a finished game owes to every agent that is paid in coins."""
    return env.unwrapped._batch.states["scores"][0, :players].astype(float).tolist()


def draw(rng: np.random.Generator, mask: np.ndarray) -> int:
    """Draw a legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", COUNTS)
def test_infos_and_observations_of_all_agents_fill_arrays_made_at_the_start(
    players: int, make: Callable[..., AECEnv]
) -> None:
    """As TorchRL does: arrays for every agent by its space and its first info, into which every step is written."""
    env, rng = make(players, reward="coins"), np.random.default_rng(1)
    for _ in range(2):
        env.reset(seed=int(rng.integers(100)))
        places = {
            agent: {name: np.zeros_like(np.asarray(entry, float)) for name, entry in env.infos[agent].items()}
            for agent in env.possible_agents
        }
        paid = dict.fromkeys(env.possible_agents, 0.0)
        while not all(env.terminations.values()):
            env.step(draw(rng, env.observe(env.agent_selection)["action_mask"]))
            for agent in env.possible_agents:
                seen, info = copy.deepcopy(env.observe(agent)), copy.deepcopy(env.infos[agent])
                assert env.observation_space(agent).contains(seen)
                assert set(info) == set(places[agent])
                for name, entry in info.items():
                    places[agent][name][...] = entry
                paid[agent] += float(np.float32(env.rewards[agent]))
        assert list(paid.values()) == scores(env, players)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", COUNTS)
def test_what_last_says_of_several_tables_is_stacked(players: int, make: Callable[..., AECEnv]) -> None:
    """As Tianshou's collector does: of three tables at once, each at any agent, ends included."""
    envs, rng = [make(players, reward="coins") for _ in range(3)], np.random.default_rng(2)
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    for _ in range(150):
        steps = [env.last(env) for env in envs]
        shapes = {np.stack([entry[0][name] for entry in steps]).dtype for name in steps[0][0]}
        assert shapes == {np.dtype(np.int8)}
        assert len({tuple(entry[4]) for entry in steps}) == 1
        for name in steps[0][4]:
            assert np.stack([entry[4][name] for entry in steps]).dtype != object
        for env, (seen, _, is_over, is_cut, _) in zip(envs, steps, strict=True):
            if is_over or is_cut:
                env.reset()
            else:
                env.step(draw(rng, seen["action_mask"]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", COUNTS)
def test_torchrl_plays_whole_games(players: int, make: Callable[..., AECEnv]) -> None:
    """Its wrapper passes its own checker, and its rollouts end with the coins of all agents paid."""
    pytest.importorskip("torchrl")
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper
    from torchrl.envs.utils import check_env_specs

    env = PettingZooWrapper(make(players, reward="coins"), use_mask=True, seed=3)
    check_env_specs(env)
    for _ in range(3):
        played = env.rollout(2000, break_when_any_done=False, break_when_all_done=True)
        paid = [played["next", group, "reward"].sum().item() for group in env.group_map]
        assert paid == scores(env._env, players)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("players", COUNTS)
def test_tianshou_collects_whole_games(players: int) -> None:
    """Its collector plays as many games as requested, with legal actions only: no agent is paid -1."""
    pytest.importorskip("tianshou")
    from tianshou.algorithm import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    def make() -> Any:
        return PettingZooEnv(crypt_v0.env(players, reward="coins"))

    env = make()
    algorithms = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(players)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=algorithms, env=env)
    collector = Collector(algorithm, DummyVectorEnv([make] * 3), VectorReplayBuffer(5000, 3))
    collector.reset()
    stats = collector.collect(n_episode=9)
    assert stats.n_collected_episodes == 9
    assert (np.asarray(stats.returns) > 0).all()
