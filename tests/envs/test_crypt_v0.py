"""`crypt_v0`: PettingZoo's own tests, that every seat is paid, and that a seed means the same game as in a `Batch`."""

from __future__ import annotations

import doctest
import importlib
import itertools
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from crypt_env import ACTIONS, DRAW, Batch, View, crypt_v0
from crypt_env.envs import aec
from crypt_env.envs.spaces import ActionSpace
from crypt_env.notation.actions import parse_action
from crypt_env.rules.cards import CARD_TEXTS
from crypt_env.rules.state import REWARD_NAMES
from property.owed import owed

COUNTS = (1, 2, 3, 4)
GAMES = 250
"""Random games for each number of players."""

# Warnings of PettingZoo's tests about every environment with masks that is not on their own lists of names.
remarks = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]


def with_remarks(test: Callable[..., None]) -> Callable[..., None]:
    """Allow the warnings of PettingZoo's tests that do not concern this environment."""
    for mark in remarks:
        test = mark(test)
    return test


def turns(env: AECEnv, rng: np.random.Generator) -> Iterator[tuple[str, dict[str, Any], float, int | None]]:
    """Play one game at random; yield agent, observation, reward and the action that comes next."""
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        is_over = termination or truncation
        action = None if is_over else int(rng.choice(np.flatnonzero(observation["action_mask"])))
        yield agent, observation, reward, action
        env.step(action)


# -- PettingZoo's own tests -------------------------------------------------------------------------------------------


@with_remarks
@pytest.mark.parametrize("make", [crypt_v0.env, crypt_v0.raw_env])
@pytest.mark.parametrize("players", COUNTS)
def test_api(players: int, make: Callable[..., AECEnv]) -> None:
    """The environment is an AEC environment, with all rewards accounted for and all observations in their space."""
    api_test(make(players=players, reward="coins", dense=True), num_cycles=200)
    api_test(make(players=players), num_cycles=200)


@pytest.mark.parametrize("players", COUNTS)
def test_seed(players: int) -> None:
    """Two environments with one seed are the same."""
    seed_test(lambda: crypt_v0.env(players=players))
    seed_test(lambda: crypt_v0.raw_env(players=players))


@pytest.mark.parametrize("players", COUNTS)
def test_render(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Every mode of rendering gives what PettingZoo expects of it."""
    render_test(lambda render_mode: crypt_v0.env(players=players, render_mode=render_mode))
    assert "Crypt" in capsys.readouterr().out


@pytest.mark.parametrize("players", COUNTS)
def test_state_is_in_its_space(players: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The global state and its space fit, also after an illegal action: PettingZoo's test samples without a mask."""
    env = crypt_v0.env(players=players)
    module = importlib.import_module("pettingzoo.test.state_test")
    module.test_state_space(env)
    module.test_state(env, 100)
    capsys.readouterr()


@pytest.mark.parametrize("players", COUNTS)
def test_benchmark_runs(players: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """PettingZoo's benchmark, which resets in the middle of the last steps, runs; here with a clock of our own."""
    module = importlib.import_module("pettingzoo.test.performance_benchmark")
    ticks = itertools.count()
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(ticks) / 40))
    performance_benchmark(crypt_v0.env(players=players))
    assert "turns per second" in capsys.readouterr().out


def test_parts_that_the_ecosystem_looks_at() -> None:
    """The names, spaces, metadata and wrappers are those that PettingZoo's users expect."""
    env = crypt_v0.env(players=3)
    for wrapper in (OrderEnforcingWrapper, AssertOutOfBoundsWrapper, TerminateIllegalWrapper):
        assert isinstance(env, wrapper)
    assert isinstance(env.unwrapped, crypt_v0.raw_env)
    assert str(env) == str(env.unwrapped) == "crypt_v0"
    assert env.metadata["name"] == "crypt_v0"
    assert env.metadata["is_parallelizable"] is False
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.max_num_agents == 3
    assert env.action_space("player_0") == Discrete(ACTIONS)
    env.reset()
    assert env.num_agents == 3
    env.close()
    env.reset()


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    """The package alone does not import PettingZoo."""
    code = "import sys, crypt_env; sys.exit('pettingzoo' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_documentation_runs() -> None:
    """The loop in the documentation of the module plays a game."""
    assert doctest.testmod(aec, raise_on_error=True).attempted > 0


def test_numbers_of_any_size_are_no_actions() -> None:
    """Gymnasium before 1.4 cannot convert the largest of them."""
    space = ActionSpace(ACTIONS)
    assert ACTIONS - 1 in space
    assert not any(number in space for number in (ACTIONS, -1, 2**31, 2**63, -(2**63), 2**64, 10**30))


def test_legal_actions_are_drawn_as_by_gymnasium() -> None:
    """The fast sampling of the action space gives the same as `Discrete`, seed for seed, and refuses the same."""
    rng = np.random.default_rng(5)
    fast, slow = ActionSpace(ACTIONS, seed=9), Discrete(ACTIONS, seed=9)
    for density in np.linspace(0, 1, 200):
        mask = (rng.random(ACTIONS) < density).astype(np.int8)
        drawn, expected = fast.sample(mask), slow.sample(mask)
        assert drawn == expected
        assert type(drawn) is type(expected)
        assert fast.sample() == slow.sample()
    for wrong in (np.full(ACTIONS, 2, np.int8), np.ones(ACTIONS), np.ones(3, np.int8), [1] * ACTIONS):
        with pytest.raises(AssertionError):
            fast.sample(wrong)
    even = np.full(ACTIONS, 1 / ACTIONS)
    assert fast.sample(probability=even) == slow.sample(probability=even)


# -- every seat is paid -----------------------------------------------------------------------------------------------


def due(game: np.void, players: int, reward: str) -> list[float]:
    """Return what each seat is owed at the end of a game."""
    return owed(players, reward, game["scores"][:players].tolist(), int(game["winners"]))


@pytest.mark.parametrize("make", [crypt_v0.env, crypt_v0.raw_env])
@pytest.mark.parametrize("players", COUNTS)
def test_every_agent_is_told_what_it_was_paid(players: int, make: Callable[..., AECEnv]) -> None:
    """Over random games, what an agent collects through `agent_iter` and `last` is its payoff: exactly, for winners
    and losers, no matter which one moved last, dense or not."""
    rng = np.random.default_rng(players)
    kinds = [(reward, dense) for reward in REWARD_NAMES for dense in (False, True)]
    envs = [make(players=players, reward=reward, dense=dense) for reward, dense in kinds]
    losses = 0
    for number in range(GAMES if make is crypt_v0.env else GAMES // 10):
        env, (reward, _) = envs[number % len(envs)], kinds[number % len(envs)]
        env.reset(seed=number)
        collected = dict.fromkeys(env.agents, 0.0)
        for agent, _, paid, _ in turns(env, rng):
            collected[agent] += paid
        assert list(collected.values()) == due(env.unwrapped._batch.states[0], players, reward)
        losses += sum(total < 0 for total in collected.values())
    assert losses > 0 or players == 1


@pytest.mark.parametrize("players", COUNTS)
def test_all_agents_end_together(players: int) -> None:
    """No agent terminates before the others, none is truncated, and each takes one last step, in the order of seats."""
    env = crypt_v0.env(players=players)
    env.reset(seed=3)
    last_steps = []
    for agent, _, _, action in turns(env, np.random.default_rng(0)):
        over = set(env.terminations.values())
        assert over == {action is None}
        assert not any(env.truncations.values())
        last_steps += [agent] * (action is None)
    assert last_steps == env.possible_agents
    assert env.agents == []


# -- one seed, one game -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["win", "coins"])
@pytest.mark.parametrize("players", COUNTS)
def test_seed_means_the_same_as_in_a_batch(players: int, reward: str) -> None:
    """Five episodes are those of row 0 of a batch through its automatic restarts, action by action."""
    rng = np.random.default_rng(8)
    env = crypt_v0.env(players=players, reward=reward, dense=reward == "coins")
    batch = Batch(3, players, seed=11, reward=reward, dense=reward == "coins")
    row = batch.reset()
    actions = np.full(3, DRAW, np.int64)
    for episode in range(5):
        env.reset(seed=11 if episode == 0 else None)
        while not any(env.terminations.values()):
            observation, *_ = env.last()
            assert env.agent_selection == f"player_{row.movers[0]}"
            assert (observation["observation"] == row.observations[0]).all()
            assert (observation["action_mask"] == row.masks[0]).all()
            actions[0] = rng.choice(np.flatnonzero(row.masks[0]))
            env.step(actions[0])
            row = batch.step(actions)
            assert list(env.rewards.values()) == row.rewards[0, :players].tolist()
            assert all(env.terminations.values()) == row.dones[0]


def test_unseeded_games_differ() -> None:
    """Without a seed, two environments deal different games; each goes on to its own next one."""
    decks = set()
    for _ in range(3):
        env = crypt_v0.env()
        for _ in range(2):
            env.reset()
            decks.add(env.state().tobytes())
    assert len(decks) == 6


def test_reset_in_the_middle_continues_to_the_next_episode() -> None:
    """The games after a game do not depend on how far it was played."""
    played, dropped = crypt_v0.env(), crypt_v0.env()
    for env in (played, dropped):
        env.reset(seed=5)
    for _ in turns(played, np.random.default_rng(1)):
        pass
    for env in (played, dropped):
        env.reset()
    assert (played.state() == dropped.state()).all()


def test_an_opening_by_hand() -> None:
    """A Claim phase written by hand: who is asked, what is legal, where the dice go."""
    env = crypt_v0.env(players=2, collectors="A", leader=0)
    env.reset(seed=7)
    everything = {f"place {slot} {dice}x{effort}" for slot in range(3) for dice in (1, 2, 3) for effort in range(1, 7)}
    one_die = {f"place {slot} 1x{effort}" for slot in (1, 2) for effort in range(1, 7)}
    beats_2x3 = {f"place 0 2x{effort}" for effort in (4, 5, 6)} | {f"place 0 3x{effort}" for effort in (3, 4, 5, 6)}
    on_slot_0 = {text for text in everything if text.startswith("place 0")}
    script = [
        ("player_0", everything | {"recover"}, "place 0 2x3"),  # two of three dice on the first card
        ("player_0", one_die | {"done"}, "done"),  # the third could go on a later slot
        ("player_1", everything - on_slot_0 | beats_2x3 | {"recover"}, "place 0 2x4"),  # the dice there must be beaten
        ("player_1", one_die | {"done"}, "place 2 1x2"),  # player_0 has its two dice back
        ("player_0", None, "place 1 1x6"),  # all cards are claimed, and the round is played out
    ]
    for agent, legal, action in script:
        assert env.agent_selection == agent
        if legal is not None:
            assert set(env.legal()) == legal
        env.step(parse_action(action))
    assert env.agent_selection == "player_1"  # one of the two dice on the Idol failed
    assert env.legal() == ("done", "reroll 4")
    view = View(env.observe("player_0")["observation"])
    own, other = ([CARD_TEXTS[card] for card in np.flatnonzero(cards)] for cards in view["cards"][:2])
    assert (own, other) == (["T2"], ["I2"])
    assert view["unknown"][1].tolist() == [0, 0, 0, 0, 1, 0]  # the Remains, which lay face-down
    assert env.rewards == {"player_0": 0, "player_1": 0}
