"""`crypt_v0`: what every agent sees at any time, the global state, infos, rendering and copies."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from crypt_env import Game, crypt_v0, parse_action
from crypt_env.rules.state import GAME

COUNTS = (1, 2, 3, 4)
MAKERS: list[Callable[..., AECEnv]] = [
    crypt_v0.env,
    crypt_v0.raw_env,
    lambda *args, **kwargs: BaseWrapper(crypt_v0.env(*args, **kwargs)),
]


def choose(env: AECEnv, rng: np.random.Generator) -> int:
    """Return a random legal action."""
    return int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


@pytest.mark.parametrize("players", COUNTS)
def test_every_agent_sees_what_it_may_know_at_any_time(players: int) -> None:
    """`observe` gives each agent its own observation, in its space, and a mask only to the one that is asked; what it
    returned does not change later, and changing it changes nothing."""
    rng = np.random.default_rng(players)
    env, game = crypt_v0.env(players=players), Game(players, seed=6)
    env.reset(seed=6)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    while True:
        asked = 0
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert (seen["observation"] == game.observation(seat)).all()
            assert (seen["action_mask"] == game.mask(seat)).all()
            asked += seen["action_mask"].any()
            kept += [(array, array.copy()) for array in seen.values()]
            for array in env.observe(agent).values():
                array[:] = 99
        assert asked == (not game.is_over)
        if game.is_over:
            break
        action = choose(env, rng)
        env.step(action)
        game.play(action)
    for agent in env.possible_agents:
        env.step(None)
        assert not env.observe(agent)["action_mask"].any()
    assert all((array == before).all() for array, before in kept)


@pytest.mark.parametrize("players", COUNTS)
def test_last_is_what_observe_and_the_dictionaries_say(players: int) -> None:
    """`last` returns together what can also be queried separately."""
    env = crypt_v0.env(players=players, reward="coins", dense=True)
    env.reset(seed=6)
    rng = np.random.default_rng(0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        for name, array in env.observe(agent).items():
            assert (observation[name] == array).all()
        assert reward == env._cumulative_rewards[agent]
        assert (termination, truncation) == (env.terminations[agent], env.truncations[agent])
        assert info is env.infos[agent]
        assert env.last(observe=False)[0] is None
        env.step(None if termination else choose(env, rng))


@pytest.mark.parametrize("players", COUNTS)
def test_state_is_the_record_from_seats_to_down_seen(players: int) -> None:
    """The state is the concatenation of those fields, without generators, and does not change later."""
    names = list(GAME.names or ())
    names = names[names.index("seats") : names.index("down_seen") + 1]
    env = crypt_v0.env(players=players)
    env.reset(seed=2)
    rng = np.random.default_rng(0)
    kept = []
    while True:
        record = env.unwrapped._batch.states[0]
        fields = [np.atleast_1d(record[name]).ravel() for name in names]
        state = env.state()
        assert state.dtype == np.int8
        assert env.state_space.contains(state)
        assert (state == np.concatenate(fields)).all()
        kept.append((state, state.copy()))
        if env.terminations[env.agent_selection]:
            break
        env.step(choose(env, rng))
    assert all((state == before).all() for state, before in kept)
    assert len({state.tobytes() for state, _ in kept}) == len(kept)


def test_what_is_legal_and_what_was_played_is_told_in_words() -> None:
    """The texts of the agent that is asked, and the last action; infos are empty for all, from the first to the last
    step."""
    env, game = crypt_v0.env(players=3), Game(3, seed=1)
    env.reset(seed=1)
    last = ""
    while not game.is_over:
        assert env.infos == {agent: {} for agent in env.possible_agents}
        assert env.legal() == game.legal()
        assert env.last_action == last
        action = game.random_action()
        last = f"{env.agent_selection}: {action}"
        env.step(parse_action(action))
        game.play(action)
    assert env.infos == {agent: {} for agent in env.possible_agents}
    assert (env.legal(), env.last_action) == ((), last)


@pytest.mark.parametrize("players", COUNTS)
def test_ansi_is_the_board(players: int) -> None:
    """`render` returns the board with the public cards, at every step up to the end, and changes nothing."""
    env, game = crypt_v0.env(players=players, render_mode="ansi"), Game(players, seed=3)
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    while not game.is_over:
        before = env.state()
        assert env.render() == str(game)
        assert (env.state() == before).all()
        action = choose(env, rng)
        env.step(action)
        game.play(action)
    assert env.render() == str(game)


def test_human_prints_after_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    """The board is printed at the deal, after every step and when asked for; without a mode, nothing is."""
    env, text = crypt_v0.env(render_mode="human"), crypt_v0.env(render_mode="ansi")
    for each in (env, text):
        each.reset(seed=3)
    assert capsys.readouterr().out == f"{text.render()}\n\n"
    for each in (env, text):
        each.step(0)
    assert env.render() is None
    assert capsys.readouterr().out == f"{text.render()}\n\n" * 2
    silent = crypt_v0.env()
    silent.reset()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert silent.render() is None
    assert capsys.readouterr().out == ""


# -- copies -----------------------------------------------------------------------------------------------------------


def play_on(env: AECEnv) -> list[Any]:
    """Play to the end of this game and of the next, drawing from the action spaces; return all that happened."""
    seen: list[Any] = []
    for episode in range(2):
        if episode:
            env.reset()
        for agent in env.agent_iter():
            observation, reward, termination, _, _ = env.last()
            action = None if termination else int(env.action_space(agent).sample(observation["action_mask"]))
            seen += [agent, observation["observation"].tolist(), reward, env.legal(), env.last_action, action]
            env.step(action)
            seen += [env.state().tolist(), dict(env.rewards)]
    return seen


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", COUNTS)
def test_copies_continue_to_the_same_end(players: int, make: Callable[..., AECEnv]) -> None:
    """Copies made in the middle of a game, between games, and before the first reset are independent of the original
    and of each other, and play on just as it does."""
    env = make(players=players, reward="coins", dense=True)
    for decisions in (0, 5, 11):
        env.reset(seed=decisions)
        for place, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(place)
        for _ in range(decisions):
            observation, *_ = env.last()
            env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
        shallow = copy.copy(env) if type(env) is not BaseWrapper else copy.deepcopy(env)
        twins = [shallow, copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(copy.deepcopy(env))]
        expected = play_on(env)
        for twin in twins:
            assert type(twin) is type(env)
            assert play_on(twin) == expected


def test_pickle_continues_in_another_process() -> None:
    """A game pickled in the middle ends the same way in another process."""
    env = crypt_v0.env(players=3)
    env.reset(seed=8)
    for _ in range(9):
        env.step(choose(env, np.random.default_rng(0)))
    code = (
        "import pickle, sys\n"
        "env = pickle.load(sys.stdin.buffer)\n"
        "while not env.terminations[env.agent_selection]:\n"
        "    env.step(env.last()[0]['action_mask'].argmax())\n"
        "sys.stdout.buffer.write(env.state().tobytes())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(env), capture_output=True, check=True)
    while not env.terminations[env.agent_selection]:
        env.step(env.last()[0]["action_mask"].argmax())
    assert done.stdout == env.state().tobytes()


def test_copy_before_the_first_reset() -> None:
    """A copy of an environment without a game has none either."""
    for env in (crypt_v0.env(), crypt_v0.raw_env()):
        for twin in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            with pytest.raises((AssertionError, ValueError), match="reset"):
                twin.step(0)
            for each in (env, twin):
                each.reset(seed=4)
            assert (env.state() == twin.state()).all()


def test_copy_after_an_illegal_action_is_as_dead() -> None:
    """What the wrapper decided is copied too."""
    env = crypt_v0.env(players=3)
    env.reset(seed=4)
    env.step(108)
    twin = copy.copy(env)
    for each in (env, twin):
        paid = []
        for _ in each.agent_iter():
            paid.append(each.last()[1])
            each.step(None)
        assert sorted(paid) == [-1, 0, 0]
