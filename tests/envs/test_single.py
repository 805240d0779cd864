"""`SeatEnv`: the checkers of the ecosystem, and all kinds of errors."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics

import crypt_env
from crypt_env import ACTIONS, FEATURES, CryptError, Game, IllegalActionError
from crypt_env.drawing import draw_svg, scenes_of_states
from crypt_env.drawing.themes import THEMES
from crypt_env.envs import single
from crypt_env.envs.single import SeatEnv
from crypt_env.rules.batch import view_rows
from crypt_env.rules.state import NONE, OVER
from envs.seating import (
    ALONE_AND_TOGETHER,
    COUNTS,
    IDS,
    WRONG,
    WRONG_RESETS,
    BitsAgent,
    an_illegal_action,
    pick,
    single_games,
)

NO_NUMBERS = [1.0, np.float32(3), None, "done", [1], np.array([1]), np.array([1, 2])]
NO_ACTIONS = [-1, -2, ACTIONS, 10**9, -(10**9), 2**40, -(2**40)]


def everything(env: SeatEnv) -> bytes:
    """Return the whole state of an environment, except its agents."""
    games = env._games
    arrays = (games.batch.states, games.learners, games._cast.owners, *games._now, env._mask)
    return b"".join(array.tobytes() for array in arrays) + pickle.dumps(env.np_random)


def dealt(decisions: int = 0, **arguments: Any) -> tuple[SeatEnv, np.ndarray]:
    """Return an environment after some decisions, and the last observation."""
    env = SeatEnv(**{"opponents": pick, **arguments})
    observation, _ = env.reset(seed=3)
    for _ in range(decisions):
        observation, *_ = env.step(pick(observation[None], env.action_masks()[None])[0])
    return env, observation


def play(env: SeatEnv, observation: np.ndarray) -> float:
    """Play to the end; return what was paid."""
    total, is_over = 0.0, False
    while not is_over:
        observation, reward, is_over, _, _ = env.step(pick(observation[None], env.action_masks()[None])[0])
        total += reward
    return total


def make(players: int, **arguments: Any) -> gymnasium.Env:
    """Make an environment by its id."""
    return gymnasium.make(IDS[players], **({"players": players} if players > 2 else {}), **arguments)


# -- checkers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["win", "coins"])
@pytest.mark.parametrize("players", COUNTS)
def test_gymnasium_finds_nothing(players: int, reward: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Gymnasium's checker passes without a warning, for both ids and every number of players, rendering included."""
    check_env(make(players, reward=reward, dense=reward == "coins").unwrapped)
    check_env(make(players, render_mode="ansi").unwrapped)
    assert "Crypt" in capsys.readouterr().out  # the checker renders in every mode


@pytest.mark.parametrize("players", COUNTS)
def test_stable_baselines_finds_nothing(players: int) -> None:
    """Its checker passes without a warning, and sb3-contrib finds the masks, also through Gymnasium's wrappers."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
    from stable_baselines3.common.env_checker import check_env as check_for_baselines

    env = make(players, render_mode="ansi")
    check_for_baselines(env.unwrapped, skip_render_check=False)
    assert is_masking_supported(env)
    _, info = env.reset(seed=1)
    assert (get_action_masks(env) == info["action_mask"]).all()


@pytest.mark.parametrize("players", COUNTS)
def test_ids_make_the_environment(players: int) -> None:
    """With Gymnasium's own wrappers around it, through which whole games can be played; the ids are registered once."""
    env = make(players, opponents=pick)
    assert isinstance(env.unwrapped, SeatEnv)
    observation, _ = env.reset(seed=3)
    assert play(env.unwrapped, observation) == play(*dealt(players=players))
    assert env.unwrapped._games.batch.states["players"][0] == players
    importlib.reload(crypt_env)


def test_documentation_runs() -> None:
    """The loop in the documentation of the module plays a game."""
    assert doctest.testmod(single, raise_on_error=True).attempted > 0


@pytest.mark.parametrize("players", COUNTS)
def test_all_that_is_returned_is_in_its_space(players: int) -> None:
    """Observations are in their space; infos are as documented; sampling with the mask gives legal actions."""
    env = SeatEnv(players, render_mode="ansi")
    observation, info = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(200):
        assert env.observation_space.contains(observation)
        assert (observation.shape, observation.dtype) == ((FEATURES,), np.int8)
        assert set(info) == {"action_mask", "seat"}
        assert (info["action_mask"].shape, info["action_mask"].dtype) == ((ACTIONS,), np.int8)
        assert env.action_masks().dtype == bool
        assert 0 <= info["seat"] < players
        action = env.action_space.sample(info["action_mask"])
        assert env.action_masks()[action]
        observation, reward, is_over, is_cut, info = env.step(action)
        assert (type(reward), type(is_over), is_cut) == (float, bool, False)
        if is_over:
            assert set(info) == {"action_mask", "seat", "scores"}
            assert tuple(info["scores"]) == Game.from_state(env._games.batch.states).outcome().scores
            assert not info["action_mask"].any()
            assert env.observation_space.contains(observation)
            observation, info = env.reset()


def test_arrays_are_the_callers() -> None:
    """Nothing that was returned is overwritten later, and writing to it changes nothing."""
    env, twin = (SeatEnv(3, pick) for _ in range(2))
    kept = []
    (observation, info), (other, _) = env.reset(seed=1), twin.reset(seed=1)
    for _ in range(60):
        assert (observation == other).all()
        action = pick(other[None], twin.action_masks()[None])[0]
        kept.append((observation, observation.copy(), info["action_mask"], info["action_mask"].copy()))
        env.action_masks()[:] = False
        observation, _, is_over, _, info = env.step(action)
        other, *_ = twin.step(action)
        if is_over:
            (observation, info), (other, _) = env.reset(), twin.reset()
    assert all((one == two).all() and (mask == copied).all() for one, two, mask, copied in kept)
    observation[:] = 100
    info["action_mask"][:] = 1
    assert play(env, other) == play(twin, other)


def test_episode_statistics_of_gymnasium_are_right() -> None:
    """Returns and lengths of whole games."""
    env = RecordEpisodeStatistics(make(3, opponents=pick, reward="coins"))
    turns = single_games(SeatEnv(3, pick, reward="coins"), 7, 3)
    for number, episode in enumerate(turns):
        env.reset(seed=7 if number == 0 else None)
        for turn in episode:
            *_, info = env.step(turn.action)
        assert info["episode"]["r"] == sum(turn.reward for turn in episode)
        assert info["episode"]["l"] == len(episode)


# -- illegal actions --------------------------------------------------------------------------------------------------


def seen_as_over(env: SeatEnv) -> np.ndarray:
    """Return what the learner would see if the game were over as it is."""
    states = env._games.batch.states.copy()
    states["mover"], states["phase"] = NONE, OVER
    observations, masks = np.zeros((1, FEATURES), np.int8), np.zeros((1, ACTIONS), bool)
    view_rows(states, np.zeros(1, np.int64), env._games.learners, observations, masks)
    return observations[0]


@pytest.mark.parametrize(
    "action", [*NO_ACTIONS, None], ids=lambda action: "illegal" if action is None else repr(action)
)
@pytest.mark.parametrize("players", ALONE_AND_TOGETHER)
def test_illegal_action_ends_the_game(players: int, action: int | None) -> None:
    """-1 and no more; the position is shown as it was, but over; the reason is given; the next game is unaffected."""
    for decisions in (0, 4):
        env, before = dealt(decisions, players=players, reward="coins")
        given = an_illegal_action(env.action_masks()) if action is None else action
        expected = seen_as_over(env)
        observation, reward, is_over, is_cut, info = env.step(given)
        assert (reward, is_over, is_cut) == (-1.0, True, False)
        assert (observation == expected).all()
        assert 0 < (observation != before).sum() < 40
        assert "illegal action" in info["illegal"]
        assert "legal: " in info["illegal"]
        assert action is None or f"{action}, which is not an action (0 to {ACTIONS - 1})" in info["illegal"]
        assert not info["action_mask"].any()
        assert not env.action_masks().any()
        with pytest.raises(CryptError, match=r"no seat is to decide: the game is over; call reset\(\)"):
            env.step(0)
        other, _ = dealt(decisions, players=players, reward="coins")
        assert (env.reset()[0] == other.reset()[0]).all()


@pytest.mark.parametrize("players", ALONE_AND_TOGETHER)
def test_a_game_that_an_illegal_action_ended_shows_no_result(players: int) -> None:
    """It has no winner, no title and no tie-break."""
    env, _ = dealt(4, players=players, render_mode="ansi")
    env.step(an_illegal_action(env.action_masks()))
    text = env.render()
    assert "the game is over: broken off by an illegal action\n" in text
    assert "*" not in text
    picture = draw_svg(scenes_of_states(env._games.batch.states)[0])
    assert "Broken off by an illegal action" in picture
    assert THEMES[False]["panel_mover"] not in picture  # the background of winners and of an earned title


@pytest.mark.parametrize(
    "action", [*NO_ACTIONS, None], ids=lambda action: "illegal" if action is None else repr(action)
)
@pytest.mark.parametrize("players", ALONE_AND_TOGETHER)
def test_illegal_action_raises_and_changes_nothing(players: int, action: int | None) -> None:
    """With ``illegal="raise"``; then the game continues as if nothing had happened."""
    env, observation = dealt(6, players=players, illegal="raise", seat=0)
    given = an_illegal_action(env.action_masks()) if action is None else action
    before = everything(env)
    given_text = "illegal action '" if action is None else f"illegal action {action}, which is not an action"
    with pytest.raises(IllegalActionError, match=rf"{given_text}.* for seat 0; legal: .*"):
        env.step(given)
    assert everything(env) == before
    assert play(env, observation) == play(*dealt(6, players=players, seat=0))


@pytest.mark.parametrize("illegal", ["end", "raise"])
@pytest.mark.parametrize("action", NO_NUMBERS, ids=repr)
def test_what_is_not_a_whole_number_is_refused(action: Any, illegal: str) -> None:
    """Nothing is rounded; nothing changes."""
    env, observation = dealt(2, illegal=illegal)
    before = everything(env)
    with pytest.raises(CryptError, match=rf"not an action: .*; actions are numbered 0 to {ACTIONS - 1}") as error:
        env.step(action)
    assert repr(action) in str(error.value)
    assert everything(env) == before
    assert play(env, observation) == play(*dealt(2))


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int32, np.int64, np.array])
def test_every_kind_of_integer_is_an_action(kind: Any) -> None:
    """Actions come from networks, spaces and people."""
    env, observation = dealt(seat=0, leader=0)
    twin, _ = dealt(seat=0, leader=0)
    action = int(pick(observation[None], env.action_masks()[None])[0])
    assert (env.step(kind(action))[0] == twin.step(action)[0]).all()


# -- the wrong time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", COUNTS)
def test_step_at_the_wrong_time(players: int) -> None:
    """Before the first deal and after the end no action can be played; a reset repairs it."""
    env = SeatEnv(players, pick, render_mode="ansi")
    for action in (0, 10**9, None):
        with pytest.raises(CryptError, match=r"no seat is to decide: no game was dealt yet; call reset\(\)"):
            env.step(action)
    with pytest.raises(CryptError, match="nothing to render: no game was dealt yet"):
        env.render()
    play(env, env.reset(seed=1)[0])
    before = everything(env)
    for action in (0, 10**9, None):
        with pytest.raises(CryptError, match=r"no seat is to decide: the game is over; call reset\(\)"):
            env.step(action)
    assert everything(env) == before
    play(env, env.reset()[0])


# -- wrong arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"), WRONG, ids=lambda value: repr(value) if isinstance(value, dict) else ""
)
def test_wrong_arguments(arguments: dict[str, Any], sentence: str) -> None:
    """One sentence says what was given and what is allowed."""
    with pytest.raises(CryptError, match=sentence) as error:
        SeatEnv(**arguments)
    assert "\n" not in str(error.value)


def test_unknown_argument() -> None:
    """Python itself refuses it, also through Gymnasium."""
    with pytest.raises(TypeError, match="player_count"):
        SeatEnv(player_count=2)
    with pytest.raises(TypeError, match="player_count"):
        make(2, player_count=2)


@pytest.mark.parametrize(("arguments", "sentence"), WRONG_RESETS)
def test_refused_reset_changes_nothing(arguments: dict[str, Any], sentence: str) -> None:
    """The current game continues; one that was never dealt still has to be."""
    env = SeatEnv(opponents=pick, collectors="B")
    with pytest.raises(CryptError, match=sentence):
        env.reset(**arguments)
    with pytest.raises(CryptError, match="no game was dealt yet"):
        env.step(0)
    env, observation = dealt(4, collectors="B")
    before = everything(env)
    with pytest.raises(CryptError, match=sentence):
        env.reset(**arguments)
    assert everything(env) == before
    assert play(env, observation) == play(*dealt(4, collectors="B"))


# -- the table, pictures and copies -----------------------------------------------------------------------------------


def test_options_choose_the_table_from_then_on() -> None:
    """As the arguments of the same names do from the start."""
    env = SeatEnv(4, pick, collectors="A", leader=0, render_mode="ansi")
    env.reset(seed=1)
    assert "Collectors AAAAAA" in env.render()
    env.reset(options={"collectors": "ABABAB", "leader": 2})
    for _ in range(2):
        assert "Collectors ABABAB" in env.render()
        assert "Leader: seat 2" in env.render()
        env.reset()
    chosen = SeatEnv(4, pick, collectors="ABABAB", leader=2)
    assert (env.reset(seed=9)[0] == chosen.reset(seed=9)[0]).all()


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    """ "ansi" returns the board, "human" prints it at every reset and step, None warns."""
    env = SeatEnv(render_mode="ansi", seat=0, leader=0)
    env.reset(seed=1)
    assert env.render() == str(Game.from_state(env._games.batch.states))
    assert capsys.readouterr().out == ""
    human = SeatEnv(render_mode="human", seat=0, leader=0)
    human.reset(seed=1)
    assert capsys.readouterr().out == env.render() + "\n\n"
    human.step(108 if human.action_masks()[108] else int(human.action_masks().argmax()))
    assert capsys.readouterr().out.count("Crypt") == 1
    assert human.render() is None
    with pytest.warns(UserWarning, match="render.. shows nothing"):
        assert SeatEnv().render() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("players", COUNTS)
def test_copies_in_mid_game_continue_identically(players: int, copied: Any) -> None:
    """And independently: through the rest of the game, and into the next ones."""
    env, observation = dealt(5, players=players, opponents={BitsAgent(): 1, "random": 1})
    twin = copied(env)
    assert (twin.action_masks() == env.action_masks()).all()
    before = everything(twin)
    paid = play(env, observation)
    assert everything(twin) == before
    assert play(twin, observation) == paid
    for _ in range(3):
        first, second = env.reset()[0], twin.reset()[0]
        assert (first == second).all()
        assert play(env, first) == play(twin, second)
    assert everything(env) == everything(twin)


def test_package_registers_its_ids() -> None:
    """Importing it is enough."""
    assert {"crypt_env/OnlyChild-v0", "crypt_env/Crypt-v0"} <= set(gymnasium.registry)
    assert set(crypt_env.ENVIRONMENTS) <= set(gymnasium.registry)


@pytest.mark.parametrize("action", [2**70, -(2**70)])
def test_a_number_of_any_size_is_an_illegal_action(action: int) -> None:
    """Also one that does not fit an array: it ends the game like any other."""
    env, _ = dealt(players=2)
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated) == (-1.0, True)
    assert str(action) in info["illegal"]
