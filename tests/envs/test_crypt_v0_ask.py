"""`crypt_v0`: agents queried with `ask` answer as they do at any other table."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from crypt_env import ACTIONS, DRAW, SKIP, Batch, CryptError, IllegalActionError, crypt_v0
from crypt_env.agents import Agent, make_agent
from crypt_env.agents.cast import Cast
from envs.seating import COUNTS, BitsAgent, an_illegal_action, pick

NAMES = ["random", "greedy", "ghost", "tuned", "search:4", "net:generalist"]


class Counting(Agent):
    """Counts its decisions for each seat, and chooses by that."""

    name = "counting"
    memory_size = 1

    def act(self, decisions):
        decisions.memory[:, 0] += 1
        counts = decisions.memory[:, 0].astype(np.int64)
        return np.array([np.flatnonzero(mask)[count % mask.sum()] for mask, count in zip(decisions.masks, counts)])  # noqa: B905


class Spy(Agent):
    """Records its input."""

    name = "spy"
    needs_games = True

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def act(self, decisions):
        self.asked.append(copy.deepcopy(decisions))
        return decisions.masks.argmax(axis=1)


def by_the_cast(agent: Any, players: int, seed: int, episodes: int) -> list[bytes]:
    """Play the first episodes of a seed with an agent in all seats; return the games after every decision."""
    batch, cast = Batch(1, players, seed=seed, restarts=False), Cast(1, [agent])
    cast.owners[:] = 0
    arrays = batch.reset()
    row, actions, states = np.zeros(1, np.int64), np.full(1, SKIP, np.int64), []
    for episode in range(episodes):
        if episode:
            arrays = batch.restart(row)
        cast.forget(row)
        while arrays.movers[0] >= 0:
            cast.answer(batch.states, arrays, row, actions)
            batch.step(actions)
            states.append(_told_apart(batch.states))
    return states


def _told_apart(states: np.ndarray) -> bytes:
    """Return a game without the fields that only control restarts."""
    other = states.copy()
    other["restarts"] = 0
    return other.tobytes()


def asked(env: AECEnv, agent: Any, seed: int, episodes: int) -> list[bytes]:
    """Do the same by asking the agent at every decision."""
    states = []
    for episode in range(episodes):
        env.reset(seed=None if episode else seed)
        while not env.terminations[env.agent_selection]:
            env.step(env.ask(agent))
            states.append(_told_apart(env.unwrapped._batch.states))
    return states


@pytest.mark.parametrize(
    "agent", [*NAMES, BitsAgent(), Counting(), pick], ids=lambda agent: getattr(agent, "__name__", str(agent))
)
def test_answers_are_those_of_any_other_table(agent: Any) -> None:
    """Two games in a row, decision by decision, with chance, memory and searches: as a batch plays them with the agent
    in all seats."""
    for players in (1, 2, 4) if agent in ("random", "ghost") else (3,):
        env = crypt_v0.env(players)
        assert asked(env, agent, 5, 2) == by_the_cast(agent, players, 5, 2)


@pytest.mark.parametrize("agent", ["random", "ghost", "search:4", Counting()], ids=str)
def test_to_ask_changes_nothing(agent: Any) -> None:
    """No matter how often an agent is asked, it answers the same, and the game continues the same way."""
    env, once = crypt_v0.env(2), crypt_v0.env(2)
    for each in (env, once):
        each.reset(seed=3)
    for _ in range(12):
        before = env.unwrapped._batch.states.tobytes()
        answers = {env.ask(agent) for _ in range(3)}
        assert answers == {once.ask(agent)}
        assert env.unwrapped._batch.states.tobytes() == before
        for each in (env, once):
            each.step(min(answers))
    assert env.unwrapped._batch.states.tobytes() == once.unwrapped._batch.states.tobytes()


def test_memory_is_of_one_agent_one_seat_and_one_game() -> None:
    """Two agents that count their decisions count their own, seat by seat, from the start of each game."""
    agents = [Counting(), Counting()]
    env = crypt_v0.env(3)
    counts = {}
    for episode in range(2):
        env.reset(seed=9 if episode == 0 else None)
        counts = {(number, seat): 0 for number in range(2) for seat in env.agents}
        for turn in range(20):
            number, seat = turn % 2, env.agent_selection
            counts[number, seat] += 1
            legal = np.flatnonzero(env.observe(seat)["action_mask"])
            action = env.ask(agents[number])
            assert action == legal[counts[number, seat] % len(legal)]
            env.step(action)
    assert min(counts.values()) > 1


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_remember_for_themselves(copied: Any) -> None:
    """A copy in mid-game continues as the game itself, whose memory does not change."""
    env = crypt_v0.env(1)
    env.reset(seed=4)
    for _ in range(7):
        env.step(env.ask("ghost"))
    twin = copied(env)
    first = [env.ask("ghost")]
    for each in (twin, env):
        answers = []
        while not each.terminations["player_0"]:
            answers.append(each.ask("ghost"))
            each.step(answers[-1])
        first = first if each is env else answers
    assert answers == first
    shared = Counting()
    env, other = crypt_v0.env(2), None
    env.reset(seed=4)
    for _ in range(6):
        env.step(env.ask(shared))
    other = copy.deepcopy(env)
    assert other.ask(shared) == env.ask(shared)


def test_searches_get_games_without_secrets() -> None:
    """An agent that needs games receives them without the seed, and with what the seat cannot know re-dealt."""
    spy, env = Spy(), crypt_v0.raw_env(3)
    env.reset(seed=6)
    differing = 0
    while not env.terminations[env.agent_selection]:
        env.step(env.ask(spy))
    for decisions in spy.asked:
        assert not any(decisions.games[name].any() for name in ("seed", "index", "episode"))
        assert decisions.masks.dtype == np.bool_
    env.reset(seed=6)
    while not env.terminations[env.agent_selection]:
        action = env.ask(spy)
        differing += int((spy.asked[-1].games["deck"] != env._batch.states["deck"]).any())
        env.step(action)
    assert differing > 10


def test_wrong_answers_are_named() -> None:
    """The error for an illegal answer names agent, seat and action; for an invalid one, its type; nothing changes."""
    env = crypt_v0.env(2, leader=1)
    env.reset(seed=1)
    before = env.unwrapped._batch.states.tobytes()

    def cheat(observations, masks):
        return np.array([an_illegal_action(masks[0])])

    with pytest.raises(IllegalActionError, match=r"'cheat' on seat 1 answered what it may not play: .*'place 3 1x1'"):
        env.ask(cheat)
    with pytest.raises(IllegalActionError, match=f"on seat 1 answered what it may not play: .*{ACTIONS}, which is no"):
        env.ask(lambda observations, masks: np.array([ACTIONS]))
    with pytest.raises(CryptError, match=r"answered an array of float64 with shape \(1,\) to 1 decisions"):
        env.ask(lambda observations, masks: [0.0])
    with pytest.raises(CryptError, match="agent 'missing' is not known"):
        env.ask("missing")
    assert env.unwrapped._batch.states.tobytes() == before
    drawn = env.ask(lambda observations, masks: np.array([DRAW]))
    assert env.observe("player_1")["action_mask"][drawn] == 1


@pytest.mark.parametrize("players", COUNTS)
def test_asking_without_a_game_is_refused(players: int) -> None:
    """Before the first game and after the end, also after an end by an illegal action."""
    for env in (crypt_v0.env(players), crypt_v0.raw_env(players)):
        for call in (lambda env=env: env.ask("random"), env.legal, lambda env=env: env.last_action):
            with pytest.raises(CryptError, match=r"no game was dealt yet; call reset\(\)"):
                call()
        env.reset(seed=1)
        while not env.terminations[env.agent_selection]:
            env.step(env.ask("greedy"))
        for _ in range(players + 1):
            with pytest.raises(CryptError, match=r"no seat is to decide: the game is over; call reset\(\)"):
                env.ask("random")
            assert env.legal() == ()
            if env.agents:
                env.step(None)
    env = crypt_v0.env(players)
    env.reset(seed=1)
    env.step(an_illegal_action(env.observe(env.agent_selection)["action_mask"]))
    with pytest.raises(CryptError, match="the game is over"):
        env.ask("random")


def test_agents_are_made_once() -> None:
    """A name is looked up at the first query, not at every one."""
    env = crypt_v0.raw_env()
    env.reset(seed=1)
    env.ask("net:duel")
    made = env._advisers._made["net:duel"]
    env.step(env.ask("net:duel"))
    assert env._advisers._made == {"net:duel": made}
    assert make_agent(made) is made
