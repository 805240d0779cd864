"""RLlib's runner over the native batch: its episodes are the engine's games, their advantages each seat's own."""

from __future__ import annotations

import copy
import itertools
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="RLlib is not installed")
pytest.importorskip("torch", reason="torch is not installed")

import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.connectors.learner import AddOneTsToEpisodesAndTruncate, GeneralAdvantageEstimation
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode

from crypt_env import Batch, CryptError
from crypt_env.envs.rllib import MaskedModule, MaskedVectorEnv, SelfPlayRunner, export_network, ppo_config
from crypt_env.envs.rllib.learner import seat_advantages

SMALL = {"widths": [8], "seed": 5}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Let torch use one thread, as in a runner's own process: networks this small get slower by more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def runner_of(config: PPOConfig, games: int = 64, worker: int = 1, **changes: Any) -> SelfPlayRunner:
    """Return a runner in this process."""
    config = config.env_runners(num_envs_per_env_runner=games, num_env_runners=2, **changes)
    return SelfPlayRunner(config=config, worker_index=worker)


def whole(parts: list[SingleAgentEpisode]) -> dict[tuple[int, int, int], list[SingleAgentEpisode]]:
    """Return the parts of each episode in their order, by game, number and seat."""
    found = defaultdict(list)
    for part in parts:
        found[tuple(part.custom_data[name] for name in ("game", "episode", "seat"))].append(part)
    return found


def column(parts: list[SingleAgentEpisode], name: str) -> np.ndarray:
    """Return actions, rewards, observations or masks of an episode's decisions."""
    if name in ("observations", "action_mask"):
        return np.concatenate([part.get_observations(slice(0, len(part)))[name] for part in parts])
    return np.concatenate([getattr(part, f"get_{name}")() for part in parts])


# -- episodes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "reward", "dense"),
    [(1, "coins", True), (2, "margin", True), (3, "win", False), ([4, 2, 1], "coins", True)],
)
def test_rewards_and_decisions_are_the_engines(players: Any, reward: str, dense: bool) -> None:
    """A thousand episodes and more: all that was seen, done and paid, in samples that end anywhere in a game."""
    games, steps = 48, ((1, 7, 64, 100, 70, 50) if players == 1 else (1, 7, 64, 40))
    runner = runner_of(ppo_config(players, reward, dense, **SMALL), games, worker=2)
    # The last sample closes what was open before it.
    found = whole([part for count in (*steps, 60) for part in runner.sample(num_timesteps=count * games)])
    decisions = {where: decisions_of(parts) for where, parts in found.items()}
    counts = players if isinstance(players, int) else [players[game % len(players)] for game in range(games)]
    batch = Batch(games, counts, reward=reward, dense=dense, seed=5, first_index=games)
    paid: dict[tuple[int, int, int], float] = defaultdict(float)
    ended = []
    now = batch.reset()
    for _ in range(sum(steps)):
        numbers = batch.states["episode"].tolist()
        actions = np.zeros(games, np.int64)
        for game in range(games):
            seen, mask, actions[game] = next(decisions[games + game, numbers[game], int(now.movers[game])])
            assert (seen == now.observations[game]).all()
            assert (mask == now.masks[game]).all()
        now = batch.step(actions)
        for game, seats in enumerate(batch.states["players"].tolist()):
            places = [(games + game, numbers[game], seat) for seat in range(seats)]
            for place, reward_now in zip(places, now.rewards[game].tolist(), strict=False):
                paid[place] += reward_now
            ended += places * bool(now.dones[game])
    assert len(ended) > (1000 if players == 1 else 300)
    for place in ended:
        assert found[place][-1].is_terminated
        assert column(found[place], "rewards").sum() == pytest.approx(paid[place], abs=1e-4)
        assert next(decisions[place], None) is None


def decisions_of(parts: list[SingleAgentEpisode]) -> Any:
    """Return what was seen and done in an episode."""
    names = ("observations", "action_mask", "actions")
    return zip(*(column(parts, name) for name in names), strict=True)


def test_parts_of_an_episode_follow_each_other() -> None:
    """Each begins with what the one before ended with, and knows how many decisions came before."""
    runner = runner_of(ppo_config(3, dense=True, reward="margin", **SMALL))
    found = whole([part for _ in range(6) for part in runner.sample(num_timesteps=64 * 20)])
    several = 0
    for parts in found.values():
        assert len({part.id_ for part in parts}) == 1
        for before, after in itertools.pairwise(parts):
            several += 1
            assert not before.is_terminated
            assert after.t_started == before.t
            for name in ("observations", "action_mask"):
                assert (before.get_observations(-1)[name] == after.get_observations(0)[name]).all()
    assert several > 100


def test_whole_episodes_prefer_no_game() -> None:
    """All are whole, and each game number has played about as many."""
    runner = runner_of(ppo_config(2, **SMALL), games=10)
    episodes = runner.sample(num_episodes=45, explore=False)
    assert len(episodes) == 46  # two for each game
    assert all(episode.is_terminated and episode.t_started == 0 for episode in episodes)
    games = np.bincount([episode.custom_data["game"] for episode in episodes])
    assert games.tolist() == [6, 6, 6, 4, 4, 4, 4, 4, 4, 4]
    metrics = runner.get_metrics()
    assert metrics["num_episodes"].peek() == 46
    assert metrics["episode_return_mean"].peek() == pytest.approx(0)
    assert metrics["episode_return_max"].peek() == 1
    assert metrics["episode_len_mean"].peek() == pytest.approx(np.mean([len(episode) for episode in episodes]))
    assert metrics["episode_duration_sec_mean"].peek() > 0


def test_a_sample_is_the_configured_number_of_decisions() -> None:
    """As RLlib counts them; some of them are handed out by the next sample."""
    config = ppo_config(4, **SMALL).training(train_batch_size_per_learner=1280, minibatch_size=64)
    runner = runner_of(config, games=32)
    handed_out = sum(map(len, runner.sample()))
    assert runner.get_metrics()["num_env_steps_sampled"].peek() == 640  # 1280 for two runners
    assert 640 - 4 * 32 <= handed_out <= 640


def test_a_runner_that_continues_plays_other_games() -> None:
    """The same seed gives the same games; a runner that was restarted knows how many decisions were played."""
    first, again, restarted, other = (runner_of(ppo_config(1, **SMALL), worker=w) for w in (1, 1, 1, 2))
    for runner in (again, restarted, other):
        runner.set_state({"rl_module": first.module.get_state()})
    restarted.set_state({"num_env_steps_sampled_lifetime": 12345})
    samples = [runner.sample(num_timesteps=640) for runner in (first, again, restarted, other)]
    seen = [np.concatenate([column([part], "observations") for part in parts]) for parts in samples]
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0][:50], seen[2][:50])
    assert not np.array_equal(seen[0][:50], seen[3][:50])


def test_ways_to_play() -> None:
    """Random play has equal log-probabilities; the best action is the likeliest one."""
    runner = runner_of(ppo_config(2, **SMALL))
    for part in runner.sample(num_timesteps=640, random_actions=True):
        counts = part.get_observations(slice(0, len(part)))["action_mask"].sum(axis=1)
        assert np.allclose(part.get_extra_model_outputs(Columns.ACTION_LOGP), -np.log(counts), atol=1e-4)
    for part in runner.sample(num_timesteps=640, explore=False, force_reset=True):
        logits = logits_of(runner.module, part)
        assert (part.get_actions() == logits.argmax(axis=1)).all()
    with pytest.raises(CryptError, match="num_timesteps and num_episodes are both given"):
        runner.sample(num_timesteps=1, num_episodes=1)


def tensors_of(part: SingleAgentEpisode) -> dict[str, Any]:
    """Return the decisions of a part as a batch for a module."""
    seen = part.get_observations(slice(0, len(part)))
    return {Columns.OBS: {name: torch.from_numpy(np.array(array)) for name, array in seen.items()}}


def logits_of(module: MaskedModule, part: SingleAgentEpisode) -> np.ndarray:
    """Return the logits of a part's decisions."""
    return module.forward_inference(tensors_of(part))[Columns.ACTION_DIST_INPUTS].numpy()


# -- learning ---------------------------------------------------------------------------------------------------------


def test_advantages_are_those_of_a_loop() -> None:
    """Of three episodes, of which one is over."""
    rng = np.random.default_rng(3)
    lengths = np.array([1, 5, 3])
    rewards, values = rng.normal(size=(2, 9)).astype(np.float32)
    later = np.array([0.7, 0.0, -0.4], np.float32)
    wanted, start = [], 0
    for length, last in zip(lengths, later, strict=True):
        advantage, following = 0.0, float(last)
        for row in range(start + length - 1, start - 1, -1):
            advantage = rewards[row] + 0.9 * following - values[row] + 0.9 * 0.8 * advantage
            following = float(values[row])
            wanted.append((row, advantage))
        start += length
    found = seat_advantages(rewards, values, later, lengths, 0.9, 0.8)
    assert np.allclose(found, [advantage for _, advantage in sorted(wanted)], atol=1e-6)


@pytest.mark.parametrize("keeps_logits", [False, True])
def test_the_pipeline_makes_the_batch_of_rllibs_own(keeps_logits: bool) -> None:
    """The same decisions, advantages and targets as by the default pieces, which need a masked row for each part."""
    config = ppo_config(3, "margin", dense=True, gamma=0.9, gae_lambda=0.8, **SMALL).training(use_kl_loss=keeps_logits)
    runner = runner_of(config)
    parts = [part for _ in range(2) for part in runner.sample(num_timesteps=64 * 30)]
    modules = multi(runner.module)
    spaces = runner.env.single_observation_space, runner.env.single_action_space
    ours = config.build_learner_connector(*spaces)(rl_module=modules, batch={}, episodes=copy.deepcopy(parts))
    plain = config.copy(copy_frozen=False).learners(
        learner_connector=None, add_default_connectors_to_learner_pipeline=True
    )
    pipeline = plain.build_learner_connector(*spaces)
    pipeline.prepend(AddOneTsToEpisodesAndTruncate())
    pipeline.append(GeneralAdvantageEstimation(gamma=0.9, lambda_=0.8))
    theirs = pipeline(rl_module=modules, batch={}, episodes=copy.deepcopy(parts), shared_data={})
    found, wanted = ours["default_policy"], theirs["default_policy"]
    is_real = wanted[Columns.LOSS_MASK]
    for name in (Columns.ACTIONS, Columns.ACTION_LOGP, "value_targets"):
        assert torch.allclose(found[name], wanted[name][is_real], atol=1e-5), name
    for name in ("observations", "action_mask"):
        assert (found[Columns.OBS][name] == wanted[Columns.OBS][name][is_real]).all()
    # Theirs are standardised together with the masked rows: only up to a scale and a shift are they the same.
    slope = np.corrcoef(found["advantages"].numpy(), wanted["advantages"][is_real].numpy())[0, 1]
    assert slope > 0.99999
    assert found["advantages"].mean().item() == pytest.approx(0, abs=1e-5)
    assert found["advantages"].std().item() == pytest.approx(1, abs=1e-3)
    assert found[Columns.ACTION_DIST_INPUTS].shape[1] == (127 if keeps_logits else 1)


def multi(module: MaskedModule) -> MultiRLModule:
    """Return the one module under its usual name."""
    found = MultiRLModule()
    found.add_module("default_policy", module)
    return found


def test_illegal_actions_have_no_probability_and_no_gradient() -> None:
    """Also right after what an untrained module prefers is forbidden."""
    runner = runner_of(ppo_config(2, thermometers=True, **SMALL))
    (part, *_) = runner.sample(num_timesteps=640)
    batch = tensors_of(part)
    spec = runner.config.get_rl_module_spec(spaces=runner.get_spaces(), inference_only=False)
    module = spec.build()
    outputs = module.forward_train(batch)
    logits = outputs[Columns.ACTION_DIST_INPUTS]
    probabilities = torch.softmax(logits, 1)
    is_legal = batch[Columns.OBS]["action_mask"] > 0
    assert (probabilities[~is_legal] == 0).all()
    assert torch.allclose(probabilities.sum(1), torch.ones(len(logits)))
    distribution = module.get_train_action_dist_cls().from_logits(logits)
    (distribution.entropy().sum() + distribution.kl(distribution).sum()).backward()
    assert all(torch.isfinite(weights.grad).all() for weights in module.policy.parameters())
    assert torch.equal(
        module.compute_values(batch), module.compute_values(batch, embeddings=outputs[Columns.EMBEDDINGS])
    )


# -- one seat against agents, by RLlib's own runner -------------------------------------------------------------------

# Every runner of RLlib's registers its environment by the same name.
registers_again = pytest.mark.filterwarnings("ignore:.*rllib-single-agent-env-v0 already in registry:UserWarning")


def vector_runner(env: Any, **arguments: Any) -> SingleAgentEnvRunner:
    """Return RLlib's own runner, with an environment that it makes by its vector entry point."""
    config = ppo_config(arguments.get("players", 1), **SMALL).environment(
        env, env_config=arguments, observation_space=None, action_space=None
    )
    config = config.env_runners(
        env_runner_cls=SingleAgentEnvRunner, num_envs_per_env_runner=8, gym_env_vectorize_mode="vector_entry_point"
    )
    return SingleAgentEnvRunner(config=config, worker_index=1)


@registers_again
@pytest.mark.parametrize("mode", [{}, {"autoreset_mode": "SameStep"}])
@pytest.mark.parametrize("env", ["crypt_env/OnlyChild-v0", "crypt_env/Crypt-v0", MaskedVectorEnv.create])
def test_restarts_in_the_same_step_are_refused(env: Any, mode: dict[str, str]) -> None:
    """RLlib's runner would take the first decision of each game for a reset."""
    if env == MaskedVectorEnv.create and not mode:
        assert vector_runner(env).num_envs == 8
        return
    with pytest.raises(CryptError, match=r"RLlib's vector runner .* autoreset_mode='NextStep' in env_config is needed"):
        vector_runner(env, **mode)


@registers_again
@pytest.mark.parametrize("players", [1, 3])
def test_rewards_of_one_seat_are_the_engines(players: int) -> None:
    """In RLlib's own runner: what an episode is paid is what its seat has earned."""
    runner = vector_runner(MaskedVectorEnv.create, players=players, reward="coins", illegal="raise")
    parts = [part for _ in range(4) for part in runner.sample(num_timesteps=300)]
    sums: dict[str, float] = defaultdict(float)
    scores = {}
    for part in parts:
        sums[part.id_] += part.get_return()
        if part.is_terminated:
            last = part.get_infos(-1)
            scores[part.id_] = last["scores"][last["seat"]]
    assert len(scores) > 20
    assert {name: sums[name] for name in scores} == scores


@registers_again
def test_the_pipeline_takes_episodes_of_rllibs_own_runner() -> None:
    """Whose parts hold observations of earlier parts, too."""
    runner = vector_runner(MaskedVectorEnv.create)
    parts = [part for _ in range(2) for part in runner.sample(num_timesteps=160)]
    connector = runner.config.build_learner_connector(*[None] * 2)
    batch = connector(rl_module=multi(runner.module), batch={}, episodes=parts)["default_policy"]
    assert len(batch["advantages"]) == sum(map(len, parts)) == len(batch[Columns.OBS]["observations"])


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 5}, r"players=5 is not possible; allowed are 1 \(against the Ghost\), 2, 3 and 4"),
        ({"players": []}, "players is empty; at least one number is needed"),
        ({"reward": "fame"}, "reward='fame' is not known"),
        ({"widths": []}, "widths is empty; at least one number is needed"),
        ({"widths": [0]}, "widths=0 is not possible; allowed are whole numbers from 1 up"),
        ({"seed": 2**31}, "seed=2147483648 is not possible; RLlib takes integers from 0 to"),
        ({"reward_scale": 0}, "reward_scale=0 is not possible; allowed are numbers above 0"),
        ({"learning_rate": "fast"}, "learning_rate='fast' is not possible; allowed are numbers above 0"),
        ({"decisions": 0}, "decisions=0 is not possible"),
        ({"gamma": "x"}, "gamma='x' is not possible; a number from 0 to 1 is needed"),
        ({"gamma": 2}, "gamma=2 is not possible; a number from 0 to 1 is needed"),
        ({"gae_lambda": 5}, "gae_lambda=5 is not possible; a number from 0 to 1 is needed"),
        ({"entropy": -1}, "entropy=-1 is not possible; a number from 0 on is needed"),
        ({"entropy": "x"}, "entropy='x' is not possible; a number from 0 on is needed"),
        ({"entropy": 10**400}, "entropy=.* is not possible; a number from 0 on is needed"),
        ({"widths": 256}, "widths=256 is not possible; a list of whole numbers is needed"),
        ({"widths": "256"}, "widths='256' is not possible; a list of whole numbers is needed"),
        ({"widths": ["x"]}, "widths='x' is not possible; allowed are whole numbers from 1 up"),
        ({"thermometers": "no"}, "thermometers='no' is not possible; allowed are True and False"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CryptError, match=message):
        ppo_config(**arguments)


def test_a_wrong_entry_of_env_config_is_named() -> None:
    config = ppo_config(2).environment(env_config={"players": 2, "seats": 3})
    with pytest.raises(
        CryptError, match="env_config has 'seats'; allowed are players, collectors, leader, reward, dense"
    ):
        runner_of(config)


def test_other_games_are_refused() -> None:
    config = ppo_config(2).environment("crypt_env/OnlyChild-v0")
    with pytest.raises(CryptError, match="env='crypt_env/OnlyChild-v0' is not possible for SelfPlayRunner"):
        runner_of(config)


def test_other_modules_are_not_exported(tmp_path: Any) -> None:
    class Other(MaskedModule):
        """A network of one's own."""

    runner = runner_of(
        ppo_config(2, **SMALL).rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=Other, model_config=ppo_config(2, **SMALL).rl_module_spec.model_config
            )
        )
    )
    with pytest.raises(CryptError, match="a Other cannot be exported"):
        export_network(tmp_path / "other", runner.module)


def test_without_rllib_one_sentence_says_what_is_missing() -> None:
    program = "import sys; sys.modules['ray'] = None; import crypt_env.envs.rllib"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "crypt_env.envs.rllib needs RLlib and torch; run pip install '.[ray,train]'" in done.stderr.splitlines()[-1]
