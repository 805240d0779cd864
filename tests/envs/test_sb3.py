"""`SeatVecEnv` and `PolicyAgent`: with Stable-Baselines3 and sb3-contrib."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from crypt_env import ACTIONS, FEATURES, CryptError, Game
from crypt_env.envs.sb3 import PolicyAgent, SeatVecEnv
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from envs.seating import COUNTS, BitsAgent, Table, pick, row_games

GAMES = 8


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    """Small networks are not faster with more threads."""
    torch.set_num_threads(1)


def learner(venv: VecEnv | gymnasium.Env, seed: int = 1, **arguments: Any) -> MaskablePPO:
    """Return a small model that learns from short rollouts."""
    settings = {"n_steps": 32, "batch_size": 64, "n_epochs": 2, "policy_kwargs": {"net_arch": [16]}, "device": "cpu"}
    return MaskablePPO("MlpPolicy", venv, seed=seed, **{**settings, **arguments})


def weights(model: MaskablePPO) -> np.ndarray:
    """Return all that a model has learned."""
    return np.concatenate([part.detach().numpy().ravel() for part in model.policy.state_dict().values()])


def dealt(players: int = 2, steps: int = 0, games: int = GAMES, seed: int = 3, **arguments: Any) -> SeatVecEnv:
    """Return games after some decisions."""
    venv = SeatVecEnv(games, players, **{"opponents": pick, **arguments})
    venv.seed(seed)
    observations = venv.reset()
    for _ in range(steps):
        observations, *_ = venv.step(pick(observations, venv.action_masks()))
    return venv


# -- masks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", COUNTS)
def test_masks_are_found_and_are_those_of_the_decisions(players: int) -> None:
    """sb3-contrib's own functions get, at every step, the array that `action_masks` returns."""
    venv, other = dealt(players), SeatVectorEnv(GAMES, players, pick)
    _, infos = other.reset(seed=3)
    assert is_masking_supported(venv)
    for _ in range(60):
        masks = get_action_masks(venv)
        assert (masks.shape, masks.dtype, type(masks)) == ((GAMES, ACTIONS), bool, np.ndarray)
        assert (masks == venv.action_masks()).all()
        assert (masks == infos["action_mask"]).all()
        actions = masks.argmax(axis=1)
        venv.step(actions)
        *_, infos = other.step(actions)


@pytest.mark.parametrize("indices", [0, 5, -1, [0], [3, 1], [7, 0, 0], range(8), None])
def test_env_method_returns_the_masks_of_the_games_asked_for(indices: Any) -> None:
    """In the requested order, also through the hook for all of them."""
    venv = dealt(3, 5)
    wanted = list(range(GAMES)) if indices is None else [indices] if isinstance(indices, int) else list(indices)
    rows = venv.env_method("action_masks", indices=indices)
    assert len(rows) == len(wanted)
    assert all((row == venv.action_masks()[game]).all() for row, game in zip(rows, wanted, strict=True))
    assert (np.stack(rows) == venv.action_masks()[wanted]).all()


def test_stacking_anything_but_the_whole_list_is_as_ever() -> None:
    """Parts, other orders, other axes, what was computed from rows: numpy does what it does with any arrays."""
    venv = dealt(2, 5)
    rows, masks = venv.env_method("action_masks"), venv.action_masks()
    stacks = [
        (rows, masks),
        (rows[:3], masks[:3]),
        (rows[::-1], masks[::-1]),
        (list(rows), masks),
        (tuple(rows), masks),
        ([rows[0]] * 2, masks[[0, 0]]),
        ([row[:9] for row in rows], masks[:, :9]),
        ([~row for row in rows], ~masks),
        ([row.copy() for row in rows], masks),
        ([row.astype(int) for row in rows], masks),
    ]
    for given, expected in stacks:
        stacked = np.stack(given)
        assert stacked.shape == expected.shape
        assert (stacked == expected).all()
    assert (np.stack(rows, axis=1) == masks.T).all()
    assert (np.concatenate(rows) == masks.ravel()).all()
    assert rows[0].sum() == masks[0].sum()
    np.stack(rows)[:] = False
    assert (venv.action_masks() == masks).all()


@pytest.mark.parametrize("indices", [None, [0, 1]])
def test_rows_of_masks_cannot_be_written_to(indices: list[int] | None) -> None:
    """They belong to the games; what is made from them can be."""
    venv = dealt(2)
    expected = venv.action_masks()
    for row in venv.env_method("action_masks", indices=indices):
        with pytest.raises(ValueError, match="read-only"):
            row[:] = False
    get_action_masks(venv)[:] = False
    assert (venv.action_masks() == expected).all()


def test_masks_that_were_stacked_or_asked_for_are_never_written_over() -> None:
    """The rows themselves stay as they were for one step: that of the decision they belong to."""
    venv = dealt(2)
    kept = []
    for _ in range(40):
        rows, masks = venv.env_method("action_masks"), venv.action_masks()
        kept.append((np.stack(rows), masks, masks.copy()))
        venv.step(masks.argmax(axis=1))
        assert (np.stack(rows) == masks).all()
        assert all((row == mask).all() for row, mask in zip(rows, masks, strict=True))
    assert all((stack == copied).all() and (mask == copied).all() for stack, mask, copied in kept)


# -- what a step returns ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", COUNTS)
def test_episode_infos_are_those_of_a_monitor(players: int) -> None:
    """Return, length and last observation of every game; all other infos are empty."""
    plain = dealt(players, reward="coins", dense=True)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        watched = VecMonitor(dealt(players, reward="coins", dense=True))
    watched.reset()
    plain.reset()
    ended = 0
    for number in range(150):
        if number == 40:
            plain.reset()  # unfinished games do not count
            watched.reset()
        actions = plain.action_masks().argmax(axis=1)
        *_, dones, infos = plain.step(actions)
        *_, watched_infos = watched.step(actions)
        for info, other, is_over in zip(infos, watched_infos, dones, strict=True):
            assert bool(info) == is_over
            if is_over:
                ended += 1
                assert set(info) == {"terminal_observation", "TimeLimit.truncated", "episode", "scores"}
                assert len(info["scores"]) == players
                assert info["episode"]["r"] in info["scores"]
                assert info["TimeLimit.truncated"] is False
                assert plain.observation_space.contains(info["terminal_observation"])
                assert [info["episode"][name] for name in "rl"] == [other["episode"][name] for name in "rl"]
                assert info["episode"]["t"] >= 0
    assert ended > GAMES


def test_step_returns_what_a_vec_env_returns() -> None:
    """Types and shapes; and nothing that was returned is overwritten."""
    venv = dealt(3)
    kept: list[tuple[Any, Any]] = []
    for _ in range(60):
        observations, rewards, dones, infos = venv.step(venv.action_masks().argmax(axis=1))
        assert (observations.shape, observations.dtype) == ((GAMES, FEATURES), np.int8)
        assert (rewards.shape, rewards.dtype) == ((GAMES,), np.float32)
        assert (dones.shape, dones.dtype) == ((GAMES,), bool)
        assert len(infos) == GAMES
        kept += [(array, array.copy()) for array in (observations, rewards, dones)]
        kept += [(info["terminal_observation"], info["terminal_observation"].copy()) for info in infos if info]
    assert all((array == content).all() for array, content in kept)


def test_seeds_and_options_count_for_the_next_reset() -> None:
    """A seed deals its games, then come their next episodes; options change the table of each game on its own."""
    venv, other = SeatVecEnv(GAMES, 3, pick), SeatVectorEnv(GAMES, 3, pick)
    assert venv.seed(7) == [7] * GAMES
    assert (venv.reset() == other.reset(seed=7)[0]).all()
    assert (venv.reset() == other.reset()[0]).all()
    fresh = {tuple(venv.seed()) for _ in range(3)}
    assert len(fresh) == 3
    venv.set_options([{"collectors": "A"}] * 4 + [{"collectors": "B"}] * 4)
    venv.reset()
    sides = [Game.from_state(venv._games.batch.states[row : row + 1]).collectors for row in range(GAMES)]
    assert sides == ["AAAAAA"] * 4 + ["BBBBBB"] * 4
    with pytest.raises(CryptError, match="leader=5 is not possible with 3 players"):
        venv.set_options({"leader": 5})
    with pytest.raises(CryptError, match="seed=-1 is not possible"):
        venv.seed(-1)


def test_attributes_and_methods_are_those_of_all_games() -> None:
    """As a `VecEnv` is asked for them."""
    venv = dealt(2)
    assert venv.get_attr("num_envs") == [GAMES] * GAMES
    assert venv.get_attr("render_mode", [1, 2]) == [None] * 2
    assert venv.env_method("close", indices=[0, 4]) == [None, None]
    assert venv.has_attr("action_masks")
    assert not venv.has_attr("nothing")
    venv.set_attr("note", 5)
    assert venv.get_attr("note", 3) == [5]
    with pytest.raises(CryptError, match="'note' is the same for all games"):
        venv.set_attr("note", 6, indices=[0])
    assert venv.env_is_wrapped(Monitor) == [True] * GAMES
    assert venv.env_is_wrapped(gymnasium.wrappers.TimeLimit, [0]) == [False]
    venv.close()


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    """ "human" shows the board of the first game, "ansi" returns all; a mode that was not requested warns."""
    venv = SeatVecEnv(2, render_mode="human")
    with pytest.raises(CryptError, match="nothing to render: no game was dealt yet"):
        venv.render()
    venv.reset()
    assert venv.render() is None
    assert capsys.readouterr().out == f"{Game.from_state(venv._games.batch.states[:1])}\n\n"
    with pytest.warns(UserWarning, match="render.. shows nothing: .* without render_mode='human'"):
        assert dealt().render() is None
    with pytest.warns(UserWarning, match="render.. shows nothing: .* without render_mode='rgb_array'"):
        assert venv.render("rgb_array") is None
    with pytest.raises(
        CryptError, match="render_mode='svg' is not known; allowed are 'ansi', 'rgb_array', 'human', None"
    ):
        SeatVecEnv(2, render_mode="svg")
    venv = SeatVecEnv(3, render_mode="ansi")
    venv.reset()
    states = venv._games.batch.states
    assert venv.render("ansi") == tuple(str(Game.from_state(states[row : row + 1])) for row in range(3))


def test_pictures() -> None:
    """All games as one picture, as video recorders request it."""
    pytest.importorskip("PIL")
    venv = SeatVecEnv(3, render_mode="rgb_array")
    with pytest.raises(CryptError, match="nothing to render: no game was dealt yet"):
        venv.render()
    venv.reset()
    images = venv.get_images()
    assert len(images) == 3
    picture = VecNormalize(venv, norm_obs=False).render()
    assert picture.shape == (960, 1280, 3)
    assert picture.dtype == np.uint8
    assert (picture[:480, :640] == images[0]).all()
    assert (picture[480:, :640] == images[2]).all()
    assert venv.metadata["render_fps"] == 2


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda venv: pickle.loads(pickle.dumps(venv))], ids=["copy", "pickle"]
)
def test_copies_in_mid_game_have_masks_of_their_own(copied: Any) -> None:
    """Their rows are their own, and stay so when the first goes on."""
    venv = dealt(3, 5, opponents={BitsAgent(): 1, "random": 1})
    twin = copied(venv)
    masks = venv.action_masks()
    assert (get_action_masks(twin) == masks).all()
    for _ in range(3):
        venv.step(venv.action_masks().argmax(axis=1))
    assert (twin.action_masks() == get_action_masks(twin)).all()
    assert (twin.action_masks() == masks).all()
    for _ in range(3):
        twin.step(get_action_masks(twin).argmax(axis=1))
    assert (get_action_masks(twin) == get_action_masks(venv)).all()
    assert (get_action_masks(twin) != masks).any()


# -- learning ---------------------------------------------------------------------------------------------------------


class Rollouts(BaseCallback):
    """Stores every rollout as the learner has it when it begins to learn, and the ends of games."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[dict[str, np.ndarray]] = []
        self.returns: list[float] = []
        self.lengths: list[int] = []

    def _on_rollout_start(self) -> None:
        if not self.kept:
            self._open = np.zeros((2, self.training_env.num_envs))

    def _on_step(self) -> bool:
        self._open += np.array([self.locals["rewards"], np.ones(len(self.locals["rewards"]))])
        for game in np.flatnonzero(self.locals["dones"]):
            self.returns.append(float(self._open[0, game]))
            self.lengths.append(int(self._open[1, game]))
            self._open[:, game] = 0
        return True

    def _on_rollout_end(self) -> None:
        names = ("observations", "actions", "rewards", "episode_starts", "action_masks")
        self.kept.append({name: getattr(self.model.rollout_buffer, name).copy() for name in names})


@pytest.mark.parametrize("opponents", [pick, BitsAgent(), "random"], ids=["function", "bits", "random"])
@pytest.mark.parametrize("players", COUNTS)
def test_rollouts_hold_the_masks_of_their_own_observations(players: int, opponents: Any) -> None:
    """Every stored observation, mask, reward and beginning is that of an independent replay of the stored actions, and
    every action is legal: nothing that the environment returned was overwritten before it was stored."""
    kept, games = Rollouts(), SeatVectorEnv(GAMES, players, opponents, reward="coins", dense=True)
    learner(SeatVecEnv(GAMES, players, opponents, reward="coins", dense=True), seed=5).learn(4 * 32 * GAMES, kept)
    observations, infos = games.reset(seed=5)
    starts = np.ones(GAMES)
    assert len(kept.kept) == 4
    for rollout in kept.kept:
        masks = rollout["action_masks"].reshape(32, GAMES, ACTIONS)
        for number in range(32):
            actions = rollout["actions"][number].ravel().astype(np.int64)
            assert (rollout["observations"][number] == observations).all()
            assert (masks[number] == infos["action_mask"]).all()
            assert (rollout["episode_starts"][number] == starts).all()
            assert masks[number, range(GAMES), actions].all()
            observations, rewards, starts, _, infos = games.step(actions)
            assert (rollout["rewards"][number] == rewards).all()
    assert len(kept.returns) > GAMES


def test_same_seed_learns_the_same() -> None:
    """Twice the same training gives the same weights, bit by bit; another seed gives others."""
    first, again, other = (weights(learner(SeatVecEnv(GAMES, 3), seed).learn(1024)) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


class Capture(KVWriter):
    """Records what is logged."""

    def __init__(self) -> None:
        self.logged: list[dict[str, Any]] = []

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        self.logged.append(dict(key_values))

    def close(self) -> None:
        pass


def test_episode_statistics_reach_the_logger() -> None:
    """Mean return and length of the last hundred games, without a monitor."""
    capture, kept = Capture(), Rollouts()
    model = learner(SeatVecEnv(GAMES, 2, pick, reward="coins"))
    model.set_logger(Logger(None, [capture]))
    model.learn(8 * 32 * GAMES, kept)
    assert len(capture.logged) == 8
    assert capture.logged[-1]["rollout/ep_rew_mean"] == pytest.approx(np.mean(kept.returns[-100:]))
    assert capture.logged[-1]["rollout/ep_len_mean"] == pytest.approx(np.mean(kept.lengths[-100:]))


def test_model_is_saved_and_continues_with_other_games(tmp_path: Path) -> None:
    """Any number of games, and another number of players: the layout is the same for all."""
    model = learner(SeatVecEnv(GAMES, 1)).learn(512)
    model.save(tmp_path / "model")
    before = weights(model)
    loaded = MaskablePPO.load(tmp_path / "model", env=SeatVecEnv(16, 4, {"random": 1}), device="cpu")
    assert (weights(loaded) == before).all()
    loaded.learn(1024)
    assert loaded.num_timesteps >= 1024
    assert (weights(loaded) != before).any()


def test_single_games_train_as_well() -> None:
    """`SeatEnv` in sb3's own vector of environments."""
    model = learner(DummyVecEnv([lambda index=index: Monitor(SeatEnv(2, index=index)) for index in range(2)]))
    assert model.learn(128).num_timesteps >= 128


def test_mixture_of_all_kinds_of_opponents_trains() -> None:
    """Random, a trained model, and a function; the opponents can be changed between two trainings."""
    past = learner(SeatVecEnv(GAMES, 3)).learn(256)
    venv = SeatVecEnv(GAMES, 3, {"random": 1, PolicyAgent(past): 1, pick: 1})
    model = learner(venv, 2).learn(512)
    venv.set_opponents(PolicyAgent(model, deterministic=True))
    assert model.learn(256, reset_num_timesteps=False).num_timesteps >= 768


def test_evaluation_callback_of_sb3_contrib(tmp_path: Path) -> None:
    """It evaluates without a warning, and keeps the best model."""
    evaluate = MaskableEvalCallback(
        SeatVecEnv(4, 2, illegal="raise"), eval_freq=32, n_eval_episodes=8, best_model_save_path=tmp_path, verbose=0
    )
    learner(SeatVecEnv(GAMES, 2)).learn(512, evaluate)
    assert -1 <= evaluate.best_mean_reward <= 1
    assert evaluate.n_calls == 64
    assert (tmp_path / "best_model.zip").is_file()


@pytest.mark.parametrize("deterministic", [True, False], ids=["likeliest", "drawn"])
@pytest.mark.parametrize("players", COUNTS)
def test_ten_thousand_steps_of_evaluation_are_all_legal(players: int, deterministic: bool) -> None:
    """With sb3-contrib's evaluation, an illegal action would raise; the returns are those of the games."""
    model = learner(SeatVecEnv(GAMES, players)).learn(256)
    count = 0

    def counted(local: dict[str, Any], _: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        assert local["action_masks"][local["i"], local["actions"][local["i"]]]

    venv = SeatVecEnv(128, players, illegal="raise")
    returns: list[float] = []
    while count < 10_000:
        returns += evaluate_policy(model, venv, 128 * 4, deterministic, callback=counted, return_episode_rewards=True)[
            0
        ]
    assert len(returns) % 512 == 0
    assert set(np.sign(returns)) >= ({1.0} if players == 1 else {1.0, -1.0})


# -- models as agents -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model() -> MaskablePPO:
    """A model that was trained a little."""
    return learner(SeatVecEnv(GAMES, 2), policy_kwargs={}).learn(512)


@pytest.mark.parametrize("deterministic", [True, False], ids=["likeliest", "drawn"])
def test_policy_agent_plays_the_same_in_any_batch(model: MaskablePPO, deterministic: bool) -> None:
    """No matter what else is asked at the same time; and the same again."""
    agent = PolicyAgent(model, deterministic)
    many = row_games(Table("SeatBatch", 20, 3, opponents=agent), 4, 2)
    assert row_games(Table("SeatBatch", 20, 3, opponents=agent), 4, 2) == many
    for index in (0, 11):
        assert row_games(Table("SeatBatch", 1, 3, index=index, opponents=agent), 4, 2) == [many[index]]


def test_policy_agent_plays_as_its_model(model: MaskablePPO, tmp_path: Path) -> None:
    """The likeliest action is that which the model predicts; a saved model is the same agent."""
    model.save(tmp_path / "model.zip")

    def predicted(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return model.predict(observations, deterministic=True, action_masks=masks)[0]

    opponents = [predicted, PolicyAgent(model, True), PolicyAgent(tmp_path / "model.zip", True)]
    games = [row_games(Table("SeatBatch", 10, 3, opponents=opponent), 4, 2) for opponent in opponents]
    assert games[0] == games[1] == games[2]


def test_policy_agent_draws_by_the_probabilities_of_its_model(model: MaskablePPO) -> None:
    """In one position, 20,000 times, only legal actions, each with the model's frequency."""
    from crypt_env.agents import Decisions

    venv = dealt(2, 3, games=1)
    observation, mask = venv._games._now.observations, venv.action_masks()
    bits = np.random.default_rng(0).integers(0, 2**64, 20_000, np.uint64)
    drawn = PolicyAgent(model).act(
        Decisions(np.repeat(observation, 20_000, axis=0), np.repeat(mask, 20_000, axis=0), bits)
    )
    distribution = model.policy.get_distribution(torch.as_tensor(observation), action_masks=mask).distribution
    chances = distribution.probs.detach().double().numpy()[0]
    shares = np.bincount(drawn, minlength=ACTIONS) / 20_000
    assert mask[0, drawn].all()
    assert np.abs(shares - chances).max() < 0.015
    assert (shares > 0).sum() > mask.sum() / 2


class Elsewhere(gymnasium.Env[np.ndarray, int]):
    """A different game."""

    observation_space = gymnasium.spaces.Box(0, 1, (3,))
    action_space = gymnasium.spaces.Discrete(2)


def test_policy_agent_refuses_what_is_not_a_model_for_crypt(tmp_path: Path) -> None:
    """A model of another game, a file that is not there."""
    with pytest.raises(
        CryptError, match=f"this model is for .* and actions Discrete.2.; {FEATURES} numbers and {ACTIONS} actions"
    ):
        PolicyAgent(learner(Elsewhere()))
    (tmp_path / "text.zip").write_text("no model")
    with pytest.raises(CryptError, match=r"^model '.*text.zip' cannot be read: ValueError: "):
        PolicyAgent(tmp_path / "text.zip")
    for path in (tmp_path / "nothing.zip", str(tmp_path), tmp_path / "model"):
        with pytest.raises(CryptError, match=r"there is no model '.*'; the zip file of a saved MaskablePPO is needed"):
            PolicyAgent(path)
