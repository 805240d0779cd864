"""Refusals of the interfaces: no partial effect, judged by the game itself, equal errors; and independent copies."""

from __future__ import annotations

import copy
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

from crypt_env import ACTIONS, Batch, CryptError, Game, IllegalActionError, crypt_v0, parse_action
from crypt_env.agents import FunctionAgent
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from envs.seating import BATCHES, Table, an_illegal_action, pick, seat_batch

GAMES = 6
NO_ACTIONS: list[Any] = [True, False, np.True_, np.array(True)]


def make(interface: str, **arguments: Any) -> Table:
    """Return games through one of the interfaces."""
    return Table(interface, GAMES, 2, **{"opponents": pick, **arguments})


# -- the game itself judges -------------------------------------------------------------------------------------------


def handed_out(table: Table, timestep: Any) -> list[np.ndarray]:
    """Return all masks and observations that an interface has returned and that can be written to."""
    arrays = [timestep.observations, timestep.masks]
    if table.interface == "SeatVecEnv":
        return [*arrays, table.env.action_masks()]
    return arrays


@pytest.mark.parametrize("value", [False, True])
@pytest.mark.parametrize("interface", BATCHES)
def test_what_is_written_into_masks_changes_no_judgement(interface: str, value: bool) -> None:
    """An illegal action ends its game and no other; legal ones are played; with every mask overwritten."""
    table, twin = make(interface), make(interface)
    timestep, other = table.reset(4), twin.reset(4)
    for step in range(40):
        actions = pick(other.observations, other.masks)
        if step % 5 == 4:
            actions[2] = an_illegal_action(other.masks[2])
        for array in handed_out(table, timestep):
            array[...] = value
        timestep, other = table.step(actions), twin.step(actions)
        for one, two in zip(timestep[:5], other[:5], strict=True):
            assert (one == two).all()
        if step % 5 == 4:
            assert timestep.rewards[2] == -1
            assert timestep.dones.sum() < GAMES


def test_what_is_written_into_infos_of_vectors_changes_no_judgement() -> None:
    """The mask in the infos is the learner's copy, and so is what `action_masks` returns."""
    envs, twin = SeatVectorEnv(GAMES, 2, pick), SeatVectorEnv(GAMES, 2, pick)
    (observations, infos), _ = twin.reset(seed=1), envs.reset(seed=1)
    for _ in range(20):
        masks = infos["action_mask"] == 1
        actions = pick(observations, masks)
        actions[0] = an_illegal_action(masks[0])
        values = envs.step(actions)
        observations, rewards, ends, _, infos = twin.step(actions)
        assert (values[1] == rewards).all()
        assert (values[2] == ends).all()
        assert (envs.action_masks() == twin.action_masks()).all()
        values[4]["action_mask"][:] = 1
        envs.action_masks()[:] = True


@pytest.mark.parametrize("make_env", [crypt_v0.env, crypt_v0.raw_env])
def test_what_is_written_into_observations_of_a_table_changes_no_judgement(make_env: Any) -> None:
    """Masks, observations and the state are the caller's."""
    env, twin = make_env(2), make_env(2)
    for each in (env, twin):
        each.reset(seed=1)
    for _ in range(12):
        agent = twin.agent_selection
        mask = twin.observe(agent)["action_mask"].copy()
        for seen in (env.observe(agent), env.last()[0]):
            seen["action_mask"][:] = 1 - seen["action_mask"]
            seen["observation"][:] = 1
        env.state()[:] = 1
        legal = np.flatnonzero(mask)
        action = int(legal[len(legal) // 2])
        for each in (env, twin):
            each.step(action)
        assert (env.state() == twin.state()).all()
    wrong = an_illegal_action(twin.observe(twin.agent_selection)["action_mask"])
    env.observe(env.agent_selection)["action_mask"][:] = 1
    if make_env is crypt_v0.raw_env:
        with pytest.raises(IllegalActionError):
            env.step(wrong)
    else:
        env.step(wrong)
        assert all(env.truncations.values())


def test_what_is_written_into_the_masks_of_one_game_changes_no_judgement() -> None:
    """The mask of the infos, that of `action_masks`, and the observation."""
    env = SeatEnv(2, pick, illegal="raise")
    observation, info = env.reset(seed=1)
    legal = env.action_masks()
    observation[:] = 1
    info["action_mask"][:] = 1
    env.action_masks()[:] = True
    with pytest.raises(IllegalActionError):
        env.step(an_illegal_action(legal))
    env.step(int(np.flatnonzero(legal)[0]))


# -- refusals without partial effects ---------------------------------------------------------------------------------


def test_options_of_which_one_is_bad_change_no_game() -> None:
    """Stable-Baselines3's options for each game: none takes effect, neither now nor at the next reset."""
    pytest.importorskip("sb3_contrib")
    from crypt_env.envs.sb3 import SeatVecEnv

    venv, twin = (SeatVecEnv(GAMES, 2, pick, collectors="B") for _ in range(2))
    for each in (venv, twin):
        each.seed(1)
        each.reset()
    options: list[Any] = [{"collectors": "A"}] * (GAMES - 1)
    for wrong, sentence in [
        ([*options, {"collectors": "Z"}], "collectors='Z' is not a table"),
        ([*options, {"leader": 2}], "leader=2 is not possible with 2 players"),
        ([*options, {"table": 1}], "option 'table' is not known"),
        (options, "5 options given for 6 games; give one, or one for each"),
        ({"leader": 9}, "leader=9 is not possible"),
        (3, "options=3 is not possible; a dictionary or a list of them is needed"),
    ]:
        with pytest.raises(CryptError, match=sentence):
            venv.set_options(wrong)
        assert (venv.reset() == twin.reset()).all()
        assert venv._games.batch.states.tobytes() == twin._games.batch.states.tobytes()
    venv.set_options(options + [{}])
    venv.reset()
    assert venv._games.batch.states["sides"].any(axis=1).tolist() == [False] * (GAMES - 1) + [True]
    venv.set_options({"collectors": "A"})
    venv.reset()
    assert not venv._games.batch.states["sides"].any()


@pytest.mark.parametrize("players", [2, 0, [1, 2], [[1], [1, 2]], [], True, 1.5, "1", None], ids=repr)
def test_the_only_child_is_alone(players: Any) -> None:
    """Both ways to make it refuse another number of players, in one sentence."""
    for make_env in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(CryptError, match=r"players=.* is not possible for the Only Child, .* allowed is 1"):
            make_env("crypt_env/OnlyChild-v0", players=players)
    assert gymnasium.make("crypt_env/OnlyChild-v0", players=1).unwrapped._games.players.tolist() == [1]
    assert gymnasium.make_vec("crypt_env/OnlyChild-v0", 2, players=[1, 1]).unwrapped._games.players.tolist() == [1, 1]


@pytest.mark.parametrize("dense", [2, 0, 1, "yes", None], ids=repr)
def test_dense_is_true_or_false(dense: Any) -> None:
    """Nothing else, in any interface."""
    for make_env in (
        lambda: crypt_v0.raw_env(dense=dense),
        lambda: SeatEnv(dense=dense),
        lambda: SeatVectorEnv(2, dense=dense),
        lambda: seat_batch(2, dense=dense),
        lambda: Batch(2, dense=dense),
    ):
        with pytest.raises(CryptError, match=r"dense=.* is not possible; allowed are True and False"):
            make_env()


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_truth_values_are_not_actions(action: Any) -> None:
    """In no interface, although Python treats them as numbers; nothing changes."""
    raw, env, alone, game = crypt_v0.raw_env(), crypt_v0.env(), SeatEnv(), Game(seed=1)
    for each in (raw, env, alone):
        each.reset(seed=1)
    with pytest.raises(IllegalActionError, match="not an action: "):
        raw.step(action)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    with pytest.raises(CryptError, match="not an action: "):
        alone.step(action)
    with pytest.raises(IllegalActionError, match="not an action: "):
        game.play(action)
    for interface in BATCHES:
        table = make(interface)
        table.reset(1)
        with pytest.raises(CryptError, match="actions are an array of bool"):
            table.step(np.full(GAMES, action, bool))
    assert not env.action_space("player_0").contains(action)
    assert not any(env.terminations.values())


@pytest.mark.parametrize("interface", BATCHES)
def test_an_illegal_move_of_an_opponent_is_named(interface: str) -> None:
    """The message names the game, the agent, the action, the seat and what is legal; and nothing that is hidden."""
    cheat = FunctionAgent(lambda observations, masks: np.array([an_illegal_action(mask) for mask in masks]), "cheat")
    table = make(interface, opponents=cheat, seat=0, leader=1)
    sentence = r"^game 0: opponent 'cheat' gave an illegal action 'place \d \dx\d' for seat 1; legal: [^;]*$"
    with pytest.raises(IllegalActionError, match=sentence) as error:
        table.reset(1)
    assert error.value.position is not None


def test_some_games_alone_cannot_be_dealt_after_an_opponent_failed() -> None:
    """The others are in the middle of a step; a full reset repairs it."""
    envs = SeatVectorEnv(3, 2, pick, seat=0, leader=0, autoreset_mode="Disabled")
    envs.reset(seed=1)
    envs.set_opponents(lambda observations, masks: np.full(len(masks), ACTIONS))
    envs.step(np.full(3, parse_action("place 0 1x1")))
    with pytest.raises(IllegalActionError, match=r"game 0: opponent '<lambda>' gave an illegal action"):
        envs.step(np.full(3, parse_action("done")))
    envs.set_opponents(pick)
    with pytest.raises(
        CryptError, match="an opponent failed in the middle of the last step; reset all games, not some"
    ):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    observations, infos = envs.reset()
    envs.step(pick(observations, infos["action_mask"] == 1))


# -- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("interface", [*BATCHES, "SeatEnv", "crypt_v0.env", "crypt_v0.raw_env", "Batch"])
def test_copies_share_no_game(interface: str, copied: Any) -> None:
    """What is played in one is not played in the other."""
    if interface in BATCHES:
        table = make(interface)
        table.reset(1)
        twin = copied(table.env)
        states = (twin if interface == "SeatBatch" else twin._games).batch.states
        before = states.tobytes()
        timestep = table.reset()
        table.step(pick(timestep.observations, timestep.masks))
        assert states.tobytes() == before != table.states.tobytes()
        return
    env: Any = {"SeatEnv": SeatEnv, "crypt_v0.env": crypt_v0.env, "crypt_v0.raw_env": crypt_v0.raw_env}.get(
        interface, lambda: Batch(1)
    )()
    env.reset(seed=1)
    twin = copied(env)
    before = _states(twin).tobytes()
    env.reset(seed=2)
    assert _states(twin).tobytes() == before != _states(env).tobytes()


def _states(env: Any) -> np.ndarray:
    """Return the game in an environment."""
    if isinstance(env, Batch):
        return env.states
    return env._games.batch.states if isinstance(env, SeatEnv) else env.unwrapped._batch.states


# -- by id ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["crypt_env/OnlyChild-v0", "crypt_env/Crypt-v0"])
def test_stable_baselines_makes_and_trains_games_by_id(name: str) -> None:
    """It requests pictures by itself, which must not fail for users who want none."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    venv = make_vec_env(name, n_envs=2, seed=1)
    assert venv.reset().shape[0] == 2
    assert venv.render_mode == "rgb_array"
    model = MaskablePPO("MlpPolicy", name, n_steps=16, batch_size=16, n_epochs=1, seed=1).learn(32)
    assert model.num_timesteps == 32


def test_without_sb3_one_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    monkeypatch.delitem(sys.modules, "crypt_env.envs.sb3", raising=False)
    with pytest.raises(ImportError, match=r"^crypt_env.envs.sb3 needs .* sb3-contrib; run pip install '\.\[train\]'"):
        import crypt_env.envs.sb3  # noqa: F401
