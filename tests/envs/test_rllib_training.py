"""A training by RLlib on a local cluster: killed runners, checkpoints, and what the exported network plays."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed")
pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("psutil", reason="psutil is not installed")

import psutil
import ray
import torch
from ray.rllib.algorithms.ppo import PPO
from ray.rllib.core.columns import Columns

from crypt_env.agents import make_agent
from crypt_env.agents.network import load_network
from crypt_env.arena import play_match
from crypt_env.envs.rllib import export_network, ppo_config
from web.node import as_hex, needs_node, run
from web.positions import answers, look, positions

pytestmark = pytest.mark.slow

RUNNERS, BATCH = 2, 640
WAIT = 120
"""Seconds in which a killed runner must be back."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """Start Ray in processes of its own, and leave none of them behind."""
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    options = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    # Ray would run the actors at low priority: on a busy machine they would hardly run at all.
    ray.init(address="local", num_cpus=RUNNERS, _system_config={"worker_niceness": 0}, **options)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    started = [process for process in psutil.Process().children(recursive=True) if process.pid not in before]
    ray.shutdown()
    _, alive = psutil.wait_procs(started, timeout=30)
    assert not alive


@pytest.fixture(scope="module")
def algorithm(cluster: None) -> Iterator[PPO]:
    """Return a small training of the duel with two runners, after one iteration."""
    config = ppo_config(2, widths=[16, 8], thermometers=True, reward_scale=0.5, decisions=100_000, seed=3)
    # The restored training, with as many runners, must find room beside this one.
    config = config.env_runners(num_env_runners=RUNNERS, num_envs_per_env_runner=16, num_cpus_per_env_runner=0.25)
    config = config.training(train_batch_size_per_learner=BATCH, minibatch_size=128)
    found = config.build_algo()
    found.train()
    yield found
    found.stop()


def played(result: dict[str, Any]) -> int:
    """Return how many decisions were played until then."""
    return int(result["env_runners"]["num_env_steps_sampled_lifetime"])


def weights(algorithm: PPO) -> dict[str, np.ndarray]:
    """Return the weights that learn."""
    state = algorithm.learner_group.get_state(components="learner/rl_module")
    found: dict[str, np.ndarray] = state["learner"]["rl_module"]["default_policy"]
    return found


def same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> bool:
    """Return whether weights are equal."""
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


def test_it_learns_from_what_the_runners_play(algorithm: PPO) -> None:
    """Each iteration has the decisions asked for, changes the weights, and the runners get them."""
    before = weights(algorithm)
    result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled"] == BATCH
    assert not same(before, weights(algorithm))
    assert np.isfinite(result["learners"]["default_policy"]["total_loss"])
    states = algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.get_state(components="rl_module")["rl_module"], local_env_runner=False
    )
    assert len(states) == RUNNERS
    assert all(same(state, weights(algorithm)) for state in states)


def test_a_killed_runner_is_replaced(algorithm: PPO) -> None:
    """The training goes on without it, and with it as soon as it is back; it plays other games than at first."""
    group = algorithm.env_runner_group
    done = played(algorithm.train())
    victim, _ = pids = group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
    os.kill(victim, signal.SIGKILL)
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        result = algorithm.train()
        if group.num_remote_worker_restarts() and group.num_healthy_remote_workers() == RUNNERS:
            break
    now = group.foreach_env_runner(lambda runner: (os.getpid(), runner.env.batch.seed), local_env_runner=False)
    assert victim not in dict(now)
    assert len(now) == RUNNERS
    assert len({*pids, *dict(now)}) == RUNNERS + 1
    assert played(result) > done
    result = algorithm.train()
    assert result["env_runners"]["num_env_steps_sampled"] >= BATCH


def test_a_checkpoint_continues(algorithm: PPO, tmp_path: Path) -> None:
    """With the same weights and number of decisions; the learning rate falls on from where it was."""
    algorithm.save_to_path(tmp_path)
    saved = weights(algorithm)
    done = played(algorithm.train())
    restored = PPO.from_checkpoint(tmp_path)
    assert same(weights(restored), saved)
    result = restored.train()
    restored.stop()
    assert played(result) == done
    assert not same(weights(restored), saved)
    assert 0 < result["learners"]["default_policy"]["default_optimizer_learning_rate"] < 1e-3 * (1 - BATCH / 100_000)


@needs_node
def test_the_exported_network_plays_the_same_actions(algorithm: PPO, tmp_path: Path) -> None:
    """In RLlib, in the arena and in the browser."""
    path = tmp_path / "exported.safetensors"
    export_network(path, algorithm, name="exported")
    states = positions(2, 200)
    observations, masks = look(states)
    seen = {"observations": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks)}
    module = algorithm.get_module()
    logits = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
    wanted = logits.argmax(dim=1).tolist()
    assert answers(make_agent(f"net:{path}"), states).tolist() == wanted
    (answered,) = run("networks.mjs", positions={str(path): as_hex(states)})["evaluated"].values()
    assert [each["likeliest"] for each in answered] == wanted
    network = load_network(path)
    assert np.abs(network.probabilities(observations, masks) - torch.softmax(logits, 1).numpy()).max() < 1e-5
    with torch.no_grad():
        values = module.compute_values({Columns.OBS: seen}).numpy()
    assert np.abs(network.evaluate(observations)[1] - values).max() < 1e-5
    assert network.facts["name"] == "exported"
    assert network.facts["reward"] == {"kind": "win", "dense": False, "scale": 0.5}
    assert 0 <= play_match(f"net:{path}", "random", 2, 64, "even", 1).share.value <= 1
