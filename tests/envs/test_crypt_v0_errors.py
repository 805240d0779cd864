"""`crypt_v0`: what happens to illegal actions, to steps at the wrong time and to wrong arguments."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from crypt_env import ACTIONS, CryptError, IllegalActionError, crypt_v0
from crypt_env.rules.actions import DONE

NO_ACTIONS = [ACTIONS, -1, -ACTIONS, 2**40, None, "done", 1.0, np.float32(3), np.array([1, 2]), [1]]


def everything(env: AECEnv) -> bytes:
    """Return the whole state of an environment, as bytes."""
    return pickle.dumps(copy.deepcopy(env.unwrapped.__getstate__()))


def illegal(env: AECEnv) -> int:
    """Return an illegal action."""
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])


def play(env: AECEnv, rng: np.random.Generator, decisions: int = 2**30) -> None:
    """Play at random, at most some decisions, up to the last steps."""
    while decisions > 0 and not env.terminations[env.agent_selection]:
        observation, *_ = env.last()
        env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
        decisions -= 1


# -- illegal actions --------------------------------------------------------------------------------------------------


def test_raw_env_refuses_an_illegal_action_and_is_unchanged() -> None:
    """The error names the action, the seat and what is legal."""
    env = crypt_v0.raw_env(players=3, leader=0)
    env.reset(seed=2)
    before = everything(env)
    with pytest.raises(IllegalActionError, match=r"illegal action 'done' for seat 0; legal: place 0 1x1-6 "):
        env.step(108)
    assert everything(env) == before
    play(env, np.random.default_rng(0))


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_raw_env_refuses_what_is_not_an_action(action: Any) -> None:
    """Nothing is rounded, counted from the end or sampled by the engine."""
    env = crypt_v0.raw_env()
    env.reset(seed=2)
    before = everything(env)
    with pytest.raises(IllegalActionError, match=rf"not an action: .*numbered 0 to {ACTIONS - 1}; legal: "):
        env.step(action)
    assert everything(env) == before


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_env_refuses_what_is_not_in_the_action_space(action: Any) -> None:
    """`AssertOutOfBoundsWrapper` raises, and nothing changes."""
    env = crypt_v0.env()
    env.reset(seed=2)
    before = everything(env)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    assert everything(env) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.uint8, np.int64, np.array])
def test_every_kind_of_integer_is_an_action(kind: Any) -> None:
    """Actions come from networks, spaces and people."""
    for env in (crypt_v0.env(), crypt_v0.raw_env()):
        env.reset(seed=2)
        env.step(kind(3))
        assert env.last_action.endswith(": place 0 1x4")


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_env_ends_the_game_after_an_illegal_action(players: int) -> None:
    """-1 for the agent that played it, nothing for the others; all end and are truncated; masks are empty; a reset
    deals the next game."""
    env, twin = crypt_v0.env(players=players), crypt_v0.env(players=players)
    for each in (env, twin):
        each.reset(seed=4)
        play(each, np.random.default_rng(0), 7)
    guilty = env.agent_selection
    env.step(illegal(env))
    assert set(env.terminations.values()) == set(env.truncations.values()) == {True}
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
        assert env.legal() == ()
        assert (env.observe(agent)["observation"] == twin.observe(agent)["observation"]).all()
    paid = {}
    for agent in env.agent_iter():
        paid[agent] = env.last()[1]
        env.step(None)
    assert paid == {agent: -1.0 * (agent == guilty) for agent in env.possible_agents}
    for each in (env, twin):
        each.reset()
    assert (env.state() == twin.state()).all()
    play(env, np.random.default_rng(0))


def outcome(env: AECEnv, action: Any) -> tuple[Any, ...]:
    """Step, and return everything observable about the environment after it."""
    error = None
    try:
        env.step(action)
    except (AssertionError, ValueError) as found:
        error = type(found)
    seen: list[Any] = [error, env.agents, env.agent_selection, env.rewards, env.terminations, env.truncations]
    if env.agents:
        observation, *rest = env.last()
        seen += [rest, {name: array.tolist() for name, array in observation.items()}, env.last_action, env.legal()]
    return tuple(copy.deepcopy(seen))


def test_wrapped_env_is_as_with_pettingzoo_wrappers() -> None:
    """In games with all kinds of wrong steps, `env` does what PettingZoo's own three wrappers do around `raw_env`."""
    rng = np.random.default_rng(6)
    for number in range(60):
        players = 1 + number % 4
        ours = crypt_v0.env(players=players, reward="coins", dense=True)
        stack = TerminateIllegalWrapper(
            crypt_v0.raw_env(players=players, reward="coins", dense=True), illegal_reward=-1
        )
        theirs = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(stack))
        for env in (ours, theirs):
            env.reset(seed=number)
        for _ in range(80):
            action: Any = None
            if ours.agents and not ours.terminations[ours.agent_selection]:
                mask = ours.observe(ours.agent_selection)["action_mask"]
                action = rng.choice(np.flatnonzero(mask))
            if rng.random() < 0.03:
                action = rng.choice([None, ACTIONS, -1, 0, 60, DONE, ACTIONS - 1])
            assert outcome(ours, action) == outcome(theirs, action)


# -- the wrong time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 4])
def test_an_action_after_the_end(players: int) -> None:
    """When the game is over, agents can only take their last step; after all did, `raw_env` refuses, `env` ignores."""
    for env in (crypt_v0.env(players=players), crypt_v0.raw_env(players=players)):
        env.reset(seed=1)
        play(env, np.random.default_rng(2))
        before = everything(env)
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(108)
        assert everything(env) == before
        for _ in range(players):
            env.step(None)
        before = everything(env)
        EnvLogger.flush()
        if env is env.unwrapped:
            with pytest.raises(CryptError, match=r"no agent can step: the game is over; call reset\(\)"):
                env.step(None)
        else:
            env.step(0)
            assert "after all agents are terminated" in EnvLogger.mqueue[-1]
        assert everything(env) == before
        assert list(env.agent_iter()) == []


def test_before_the_first_reset() -> None:
    """`raw_env` and `env` both say, in their own way, that there is no game yet; spaces already exist."""
    raw, env = crypt_v0.raw_env(render_mode="ansi"), crypt_v0.env(render_mode="ansi")
    for call in (lambda: raw.step(0), lambda: raw.observe("player_0"), raw.state, raw.render):
        with pytest.raises(CryptError, match=r"no game was dealt yet; call reset\(\)"):
            call()
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.render, env.agent_iter):
        with pytest.raises(AssertionError, match="reset"):
            call()
    for name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
        with pytest.raises(AttributeError, match="before reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="before reset"):
        env.last()
    assert env.observation_space("player_1").contains(env.observation_space("player_1").sample())
    env.close()
    env.reset()


# -- wrong arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"players": 0}, "players=0 is not possible"),
        ({"players": 5}, "players=5 is not possible"),
        ({"players": "2"}, "players='2' is not possible"),
        ({"players": [2]}, r"players=\[2\] is not possible"),
        ({"players": None}, "players=None is not possible"),
        ({"collectors": "ABC"}, "collectors='ABC' is not a table"),
        ({"leader": 2}, "leader=2 is not possible with 2 players"),
        ({"players": 1, "leader": 1}, "leader=1 is not possible with 1 player"),
        ({"leader": None}, "leader=None is not possible"),
        ({"reward": "fame"}, "reward='fame' is not known"),
        ({"dense": "no"}, "dense='no' is not possible"),
        ({"render_mode": "svg"}, "render_mode='svg' is not known; allowed are 'ansi', 'rgb_array', 'human', None"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], sentence: str) -> None:
    """One sentence says what was given and what is allowed."""
    for make in (crypt_v0.env, crypt_v0.raw_env):
        with pytest.raises(CryptError, match=sentence) as error:
            make(**arguments)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"seed": -1}, "seed=-1 is not possible"),
        ({"seed": 2**64}, "is not possible; allowed are integers from 0"),
        ({"seed": 1.5}, "seed=1.5 is not possible"),
        ({"seed": "1"}, "seed='1' is not possible"),
        ({"options": {"collector": "A"}}, "option 'collector' is not known; allowed are 'collectors' and 'leader'"),
        ({"options": {"leader": 7}}, "leader=7 is not possible"),
        ({"options": {"collectors": "A", "leader": 7}}, "leader=7 is not possible"),
        ({"seed": -1, "options": {"collectors": "A"}}, "seed=-1 is not possible"),
    ],
)
def test_a_refused_reset_changes_nothing(arguments: dict[str, Any], sentence: str) -> None:
    """The current game continues; an environment that was never reset still says so."""
    for env in (crypt_v0.env(collectors="B"), crypt_v0.raw_env(collectors="B")):
        with pytest.raises(CryptError, match=sentence):
            env.reset(**arguments)
        with pytest.raises((AssertionError, CryptError), match="reset"):
            env.step(0)
        env.reset(seed=3)
        before = everything(env)
        with pytest.raises(CryptError, match=sentence):
            env.reset(**arguments)
        assert everything(env) == before
        env.reset()
        play(env, np.random.default_rng(0))


def test_options_choose_the_table_from_then_on() -> None:
    """The options "collectors" and "leader" change the table, also of a solo game; "options" is PettingZoo's own and
    means nothing."""
    env = crypt_v0.env(players=4, collectors="A", leader=0, render_mode="ansi")
    env.reset(seed=1, options={"options": 1})
    assert "Collectors AAAAAA" in env.render()
    env.reset(options={"collectors": "ABABAB", "leader": 2})
    for _ in range(2):
        assert "Collectors ABABAB" in env.render()
        assert "Leader: seat 2" in env.render()
        env.reset()
    chosen = crypt_v0.env(players=4, collectors="ABABAB", leader=2)
    for each in (env, chosen):
        each.reset(seed=9)
    assert (env.state() == chosen.state()).all()
    solo = crypt_v0.env(players=1)
    for leader in (0, "random"):
        solo.reset(seed=1, options={"leader": leader})
        play(solo, np.random.default_rng(0))


def test_unknown_agents() -> None:
    """The error for an unknown agent names the existing ones."""
    env = crypt_v0.raw_env()
    env.reset()
    for agent in ("player_2", "Ghost", 0):
        with pytest.raises(CryptError, match=r"there is no agent .* agents are player_0, player_1"):
            env.observe(agent)
