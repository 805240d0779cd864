"""What an interface gives to a player is the same in two games that differ only in what its seat cannot know.

Observations, masks, rewards and infos, whole and pickled; texts of errors, of infos and of `repr`; boards in words and
in pixels. The games themselves, `state()` and `IllegalActionError.position` are for the caller.
"""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from crypt_env import ACTIONS, IllegalActionError, crypt_v0
from crypt_env.envs.single import SeatEnv
from crypt_env.envs.vector import SeatVectorEnv
from envs.seating import an_illegal_action, pick
from property.hidden import lookalike
from property.play import COUNTS

SECRET = 987654321987654321
MODES = ["ansi", *(["rgb_array"] if find_spec("PIL") else [])]
WRONG = [None, ACTIONS, -1, 10**30]
"""The actions played; None stands for an action that is illegal here."""


def handed(*returned: Any) -> bytes:
    """Return what a player was handed, as bytes."""
    return pickle.dumps(returned)


def words(env: Any) -> str:
    """Return the `repr` of an environment, without its memory address."""
    return re.sub(r"0x[0-9a-f]+", "", f"{env!r} {env}")


def refused(env: Any, action: Any) -> str:
    """Return everything that the error for an action contains."""
    with pytest.raises((IllegalActionError, ValueError)) as caught:
        env.step(action)
    return f"{caught.value} {caught.value!r} {caught.value.args}"


def wrong_actions(mask: np.ndarray) -> list[int]:
    """Return actions of all kinds that cannot be played."""
    return [an_illegal_action(mask) if action is None else action for action in WRONG]


# -- the table --------------------------------------------------------------------------------------------------------


def table_pairs(players: int, **arguments: Any) -> Iterator[tuple[Any, Any, str]]:
    """Yield positions of a game, each with a lookalike, and the agent that cannot distinguish them."""
    rng = random.Random(players)
    env = crypt_v0.env(players, **arguments)
    env.reset(seed=SECRET)
    while not env.terminations[env.agent_selection]:
        for seat, agent in enumerate(env.possible_agents):
            twin = copy.deepcopy(env)
            content = twin.unwrapped.__getstate__()
            content["_batch"] = lookalike(rng, content["_batch"], seat)
            twin.unwrapped.__setstate__(content)
            yield env, twin, agent
        env.step(env.ask("greedy"))


def seen_at_table(env: Any, agent: str) -> bytes:
    """Return all that an agent is handed in a position."""
    shown = [env.observe(agent), env.infos, env.last_action, words(env), env.render()]
    shown += [env.agent_selection, env.terminations, env.truncations, env.rewards[agent]]
    if env.agent_selection == agent:
        shown += [env.legal(), env.last()]
    return handed(*shown)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", COUNTS)
def test_a_table_hands_out_nothing_that_is_hidden(players: int, mode: str) -> None:
    """At every decision, to every agent; in pixels at some of them."""
    hidden = 0
    for number, (env, twin, agent) in enumerate(table_pairs(players, render_mode=mode)):
        if mode == "ansi" or number % 40 == 0:
            hidden += (env.state() != twin.state()).any()
            assert seen_at_table(env, agent) == seen_at_table(twin, agent)
    assert hidden > 0


@pytest.mark.parametrize("players", COUNTS)
def test_errors_and_ends_at_a_table_tell_nothing_that_is_hidden(players: int) -> None:
    """What is no action and what is illegal: the words of the error, and all that the end of the game then shows."""
    tried = 0
    for number, (env, twin, agent) in enumerate(table_pairs(players, render_mode="ansi")):
        if env.agent_selection != agent or number % 5:
            continue
        for action in wrong_actions(env.observe(agent)["action_mask"]):
            tried += 1
            said, other = (refused(each.unwrapped, action) for each in (env, twin))
            assert said == other
            assert str(SECRET) not in said
        ended = [copy.deepcopy(each) for each in (env, twin)]
        for each in ended:
            each.step(an_illegal_action(each.observe(agent)["action_mask"]))
        assert seen_at_table(ended[0], agent) == seen_at_table(ended[1], agent)
    assert tried > 10


# -- one seat ---------------------------------------------------------------------------------------------------------


def seat_pairs(make_env: Any) -> Iterator[tuple[Any, Any, np.ndarray]]:
    """Yield positions of games seen from a seat, each with a lookalike, and the masks."""
    rng = random.Random(5)
    env = make_env()
    observation, info = env.reset(seed=SECRET)
    for _ in range(40):
        twin = copy.deepcopy(env)
        games = twin._games.batch.states
        for row in range(len(games)):
            games[row : row + 1] = lookalike(rng, games[row : row + 1], int(twin._games.learners[row]))
        masks = np.atleast_2d(info["action_mask"])
        yield env, twin, masks
        if not masks.any(axis=1).all():
            return
        actions = pick(np.atleast_2d(observation), masks == 1)
        observation, _, _, _, info = env.step(actions if isinstance(env, SeatVectorEnv) else actions[0])


@pytest.mark.parametrize("players", COUNTS)
def test_one_seat_is_handed_nothing_that_is_hidden(players: int) -> None:
    """Illegal actions that end the game, with the reason in the infos; errors; words, boards and masks."""
    tried = 0
    for env, twin, masks in seat_pairs(lambda: SeatEnv(players, pick, render_mode="ansi")):
        assert str(SECRET) not in words(env) + env.render()
        assert not masks.any() or handed(words(env), env.render(), env.action_masks()) == handed(
            words(twin), twin.render(), twin.action_masks()
        )
        for action in wrong_actions(masks[0]) if masks.any() else ():
            tried += 1
            ended = [copy.deepcopy(each).step(action) for each in (env, twin)]
            assert handed(*ended[0]) == handed(*ended[1])
            assert ended[0][4]["illegal"].startswith("illegal action ")
            assert refused(_raising(env), action) == refused(_raising(twin), action)
    assert tried > 20


def _raising(env: Any) -> Any:
    """Return a copy that raises errors for illegal actions."""
    other = copy.deepcopy(env)
    other._games._ends_illegal = False
    return other


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("players", COUNTS)
def test_many_seats_are_handed_nothing_that_is_hidden(players: int, mode: str) -> None:
    """The same for vectors: for games that restart at once, what is returned about their ends."""
    tried = 0
    for env, twin, masks in seat_pairs(
        lambda: SeatVectorEnv(3, players, pick, render_mode="ansi", autoreset_mode=mode)
    ):
        if not masks.any(axis=1).all():
            break  # at the end all cards are public
        assert handed(words(env), env.render(), env.action_masks()) == handed(
            words(twin), twin.render(), twin.action_masks()
        )
        for kind in range(2):
            tried += 1
            actions = np.array([wrong_actions(mask)[kind] for mask in masks])
            ended = [copy.deepcopy(each).step(actions) for each in (env, twin)]
            assert handed(_of_the_end(ended[0], mode)) == handed(_of_the_end(ended[1], mode))
            said, other = (refused(_raising(each), actions) for each in (env, twin))
            assert said == other
            assert str(SECRET) not in said
    assert tried > 10


def _of_the_end(returned: Any, mode: str) -> Any:
    """Return what a step tells about games that ended in it, all of them."""
    observations, rewards, ends, cuts, infos = returned
    assert ends.all()
    if mode == "SameStep":
        return rewards, cuts, list(infos["final_obs"]), infos["final_info"]
    return observations, rewards, cuts, infos


@pytest.mark.parametrize("players", COUNTS)
def test_stable_baselines_is_handed_nothing_that_is_hidden(players: int) -> None:
    """Rewards, last observations and infos of games that an illegal action ends."""
    pytest.importorskip("sb3_contrib")
    from crypt_env.envs.sb3 import SeatVecEnv

    rng = random.Random(7)
    venv = SeatVecEnv(3, players, pick)
    venv.seed(SECRET)
    venv.reset()
    for _ in range(12):
        twin, own = copy.deepcopy(venv), copy.deepcopy(venv)
        games = twin._games.batch.states
        for row in range(3):
            games[row : row + 1] = lookalike(rng, games[row : row + 1], int(twin._games.learners[row]))
        returned = []
        for each in (own, twin):
            _, rewards, dones, infos = each.step(np.full(3, ACTIONS))
            assert dones.all()
            for info in infos:
                info["episode"].pop("t")
            returned.append(handed(rewards, infos))
        assert returned[0] == returned[1]
        venv.step(venv.action_masks().argmax(axis=1))
