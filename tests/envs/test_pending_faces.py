"""While an agent is asked which card it flips, no interface reveals it to the others; and the caller can play on."""

import numpy as np
import pytest

from crypt_env import Game, crypt_v0, parse_action
from crypt_env.envs.seats import SeatBatch
from crypt_env.rules.actions import FLIP
from crypt_env.table import Table

SEEDS = {2: 682, 3: 2539, 4: 1400}
"""By players, the seeds of games in which flips are asked and a take is answered."""


def seen_by_others(env, agent):
    """Return everything that an environment returns to all agents but one."""
    shown = []
    for other in env.possible_agents:
        if other != agent:
            shown += [env.observe(other)["observation"].tolist(), env.observe(other)["action_mask"].tolist()]
            shown += [env.infos[other], env._cumulative_rewards[other]]
    return [*shown, env.agent_selection, env.last_action, env.render(), dict(env.terminations)]


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("make", [crypt_v0.env, crypt_v0.raw_env])
@pytest.mark.parametrize("players", SEEDS)
def test_a_turn_based_environment_tells_no_other_seat_of_a_flip(players, make, dense):
    """Views, masks, infos, rewards, board and last action stay; then the action is revealed, but not the flip."""
    env = make(players, "AABBAA", reward="margin", dense=dense, render_mode="ansi")
    game = Game(players, "AABBAA", seed=SEEDS[players])
    env.reset(seed=SEEDS[players])
    pending, flips = "", 0
    while not game.is_over:
        agent, action = env.agent_selection, game.random_action()
        before = seen_by_others(env, agent)
        env.step(parse_action(action))
        game.play(action)
        flips += action.startswith("flip")
        chosen = pending or action
        pending = chosen if game.state["chosen"][0] >= 0 else ""
        if pending:
            assert seen_by_others(env, agent) == before
            assert not any(env.rewards.values())
            assert env.legal() == game.legal()
        else:
            assert env.last_action == f"{agent}: {chosen}"
    assert flips == 2


@pytest.mark.parametrize("players", SEEDS)
def test_a_copy_remembers_what_was_chosen(players):
    """Copied in the middle of a flip, an environment ends with the same output as the original."""
    env, game = crypt_v0.env(players, "AABBAA"), Game(players, "AABBAA", seed=SEEDS[players])
    env.reset(seed=SEEDS[players])
    copies = 0
    while not game.is_over:
        action = game.random_action()
        if action.startswith("flip"):
            twin = env.__copy__()
            twin.step(parse_action(action))
            copies += 1
        env.step(parse_action(action))
        game.play(action)
        if action.startswith("flip"):
            assert (twin.last_action, twin.legal()) == (env.last_action, env.legal())
            assert not twin.last_action.endswith(action)
    assert copies == 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_learners_and_opponents_are_asked_too(players):
    """In games with one learner: masks with flips only occur, and the games continue to the end."""
    games = SeatBatch(256, Table(players, "AABBAA"), "random")
    seen = games.reset(3)
    rng = np.random.default_rng(players)
    asked = ended = 0
    for _ in range(150):
        asked += int(seen.masks[:, FLIP:].any(axis=1).sum())
        assert not (seen.masks[:, FLIP:].any(axis=1) & seen.masks[:, :FLIP].any(axis=1)).any()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen.masks])
        seen = games.step(actions)
        ended += int(seen.dones.sum())
    assert asked > 3
    assert ended > 256
