"""The league: who plays which seat, how often, and that the actions of agents are not learned from."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import ACTIONS, Batch, CryptError
from crypt_env.agents import Agent, Decisions, make_agent
from crypt_env.agents.cast import NO_AGENT
from crypt_env.ppo.export import agent_of
from crypt_env.ppo.league import EXPLOITER, MOST_AGENTS, SNAPSHOT, League
from crypt_env.ppo.rollout import Rollout
from ppo.small import GAMES, STEPS, collect, first_legal, small_env, small_league, small_model, weights

MANY = np.arange(8000)


def seated(league: League, players: int | list[int] = 3, seed: int = 5) -> League:
    """Return a league that has assigned the seats of many games."""
    batch = Batch(len(MANY), players, seed=seed)
    batch.reset()
    league.sit_down(batch)
    league.seat(MANY)
    return league


def named(text: str) -> Agent:
    """Return an agent of a name."""
    agent = make_agent(first_legal)
    agent.name = text
    return agent


def within(count: int, games: int, chance: float) -> bool:
    """Return whether a count is within five standard deviations of its expectation."""
    return abs(count - games * chance) <= 5 * np.sqrt(games * chance * (1 - chance))


# -- who plays --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_share_of_the_games_has_one_learner_and_one_agent(players: int, share: float) -> None:
    """The learner has each seat equally often; the agent has all the others."""
    owners = seated(small_league(share), players).owners
    is_agents = owners[:, :players] != NO_AGENT
    assert (owners[:, players:] == NO_AGENT).all()
    is_league = is_agents.any(axis=1)
    assert within(is_league.sum(), len(MANY), share)
    assert (is_agents.sum(axis=1)[is_league] == players - 1).all()
    assert all(len(set(row) - {NO_AGENT}) == 1 for row in owners[is_league].tolist())
    seats = np.bincount((~is_agents[is_league]).argmax(axis=1), minlength=players)
    assert all(within(count, int(is_league.sum()), 1 / players) for count in seats)


def test_a_solo_game_is_the_learners_alone() -> None:
    """There is no seat for another agent."""
    assert (seated(small_league(1.0), 1).owners == NO_AGENT).all()


def test_who_plays_follows_from_the_seed() -> None:
    """The same games have the same players, others have others."""
    one, same, other = (seated(small_league(0.5), seed=seed).owners for seed in (5, 5, 6))
    assert (one == same).all()
    assert (one != other).any()


def test_strong_opponents_play_more_often() -> None:
    """By the learner's share of losses to the power; none is drawn so rarely that it is forgotten."""
    agents = [named("easy"), named("even"), named("hard")]
    for power, expected in ((0.0, [1, 1, 1]), (1.0, [0.1, 0.5, 0.9]), (2.0, [0.01, 0.25, 0.81])):
        league = League(agents, 1.0, power)
        league.sit_down(Batch(len(MANY), 2, seed=1))
        league.games[:], league.wins[:] = 80, np.array([80, 40, 0])
        league._batch.reset()
        league.seat(MANY)
        counts = np.bincount(league.owners.max(axis=1), minlength=3)
        assert all(within(count, len(MANY), 1 / 3) for count in counts)  # until the next rollout begins
        league.refresh()
        league.seat(MANY)
        chances = np.array(expected) / np.sum(expected)
        np.testing.assert_allclose(league.weights(), chances)
        counts = np.bincount(league.owners.max(axis=1), minlength=3)
        assert all(within(count, len(MANY), chance) for count, chance in zip(counts, chances, strict=True))


def test_results_are_counted() -> None:
    """Those of games with an agent, by what the learner's seat was paid at the end."""
    league = seated(small_league(0.5), 2)
    against, learners = league._opponents.copy(), league._learners.copy()
    rewards = np.zeros((len(MANY), 4), np.float32)
    rewards[:, 0], rewards[:, 1] = 1, -1
    rewards[:100] = 0
    ended = MANY[:4000]
    league.follow(rewards[:4000], np.ones(4000, np.bool_))
    for number in range(2):
        mine = ended[against[ended] == number]
        assert league.games[number] == len(mine) > 0
        assert league.wins[number] == (learners[mine[mine >= 100]] == 0).sum()
    assert (league._opponents[4000:] == against[4000:]).all()


# -- snapshots --------------------------------------------------------------------------------------------------------


def test_the_easiest_snapshot_gives_way() -> None:
    """Agents that were there from the start are never dropped."""
    league = seated(League([named("greedy")], 1.0))
    for number in range(3):
        league.add(named(f"{SNAPSHOT} {number}"), 3)
    league.games[:] = 100
    league.wins[:] = 100, 50, 80, 20
    league.add(named(f"{SNAPSHOT} 3"), 3)
    assert league.names == ["greedy", f"{SNAPSHOT} 0", f"{SNAPSHOT} 3", f"{SNAPSHOT} 2"]
    assert league._cast.agents[2] is league.agents[2]
    assert league.games.tolist() == [100, 100, 0, 100]
    assert league.wins.tolist() == [100, 50, 0, 20]


def test_the_easiest_exploiter_gives_way() -> None:
    """Snapshots and exploiters are counted apart."""
    league = seated(League([named("greedy")], 1.0))
    for name in (f"{EXPLOITER} 1", f"{SNAPSHOT} 1", f"{EXPLOITER} 2"):
        league.add(named(name), 2)
    league.games[:] = 100
    league.wins[:] = 100, 40, 90, 60
    league.add(named(f"{EXPLOITER} 3"), 2)
    assert league.names == ["greedy", f"{EXPLOITER} 1", f"{SNAPSHOT} 1", f"{EXPLOITER} 3"]
    league.add(named(f"{SNAPSHOT} 2"), 2)
    assert league.names[-1] == f"{SNAPSHOT} 2"


def test_an_agent_that_needs_the_past_is_refused() -> None:
    """Checkpoints do not hold what was decided before."""
    with pytest.raises(CryptError, match="cannot play in a league: it weighs what was decided before in each game"):
        League([make_agent("lbr:1:reach:net:duel")], 0.5)


def test_old_results_fade() -> None:
    """If the league forgets, so that agents are drawn by how they do now."""
    for memory, expected in ((1.0, [100.0, 30.0]), (0.5, [50.0, 15.0])):
        league = seated(League([named("greedy")], 1.0, memory=memory))
        league.count(np.array([[100.0], [30.0]]))
        league.fade()
        assert league.results()[:, 0].tolist() == expected


def test_snapshots_and_exploiters_keep_their_places() -> None:
    """A league that goes on from a checkpoint has all agents in the same order."""
    env = small_env(league=small_league(0.7))
    model = small_model(env)
    for name in (f"{EXPLOITER} 1", f"{SNAPSHOT} 1", f"{EXPLOITER} 2"):
        env.league.add(agent_of(model.policy, [2], name, draws=True), 3)
    collect(model)
    other = small_env(league=small_league(0.7)).league
    other.load_state_dict(env.league.state_dict())
    assert other.names == env.league.names
    assert other.owners.tolist() == env.league.owners.tolist()
    assert other.weights().tolist() == env.league.weights().tolist()


def test_a_league_has_room_for_as_many_agents_as_a_checkpoint() -> None:
    """Which holds the owners of seats in one byte each."""
    assert seated(small_league(0.7)).state_dict()["owners"].dtype == np.int8
    league = seated(League([named("greedy")] * MOST_AGENTS, 1.0))
    with pytest.raises(CryptError, match="101 agents are too many for a league; at most 100 are allowed"):
        league.add(named(SNAPSHOT))
    with pytest.raises(CryptError, match="101 agents are too many"):
        League([named("greedy")] * (MOST_AGENTS + 1), 1.0)


def test_the_first_agent_may_come_late() -> None:
    """Until then all games are the learner's."""
    league = seated(League([], 1.0))
    assert (league.owners == NO_AGENT).all()
    league.add(named(SNAPSHOT), 8)
    league.refresh()
    league.seat(MANY)
    assert ((league.owners == 0).sum(axis=1) == 2).all()


class Counting(Agent):
    """Counts its decisions in each game."""

    name = "counting"
    memory_size = 1

    def act(self, decisions: Decisions) -> np.ndarray:
        assert decisions.memory is not None
        decisions.memory[:] += 1
        return decisions.masks.argmax(axis=1)


def test_what_agents_keep_is_part_of_a_checkpoint() -> None:
    """They go on with it."""
    model = small_model(small_env(3, league=League([Counting()], 1.0)))
    collect(model)
    state = model.env.league.state_dict()
    assert state["memory 0"].max() > 2
    other = small_env(3, league=League([Counting()], 1.0))
    other.league.load_state_dict(state)
    restored = other.league.state_dict()
    assert restored.keys() == state.keys()
    for name in state:
        np.testing.assert_array_equal(restored[name], state[name])


# -- learning ---------------------------------------------------------------------------------------------------------


def agents_rows(rollout: Rollout) -> np.ndarray:
    """Return which decisions were made by agents, recognized by their actions."""
    return rollout.actions == rollout.masks[:-1].argmax(axis=2)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("players", [2, 4])
def test_decisions_of_agents_are_theirs_and_are_not_learned_from(players: int, workers: int) -> None:
    """In each episode all of a seat's decisions are the agent's or all are the learner's."""
    model = small_model(small_env(players, league=small_league(1.0, (first_legal,))), workers=workers)
    open_games: list[dict[int, bool]] = [{} for _ in range(GAMES)]
    for _ in range(6):
        rollout = collect(model)
        assert agents_rows(rollout)[~rollout.is_learner].all()
        assert not agents_rows(rollout)[rollout.is_learner].all()
        assert rollout.is_learner.reshape(-1)[model._rows].all()
        assert 0.4 / players < len(model._rows) / rollout.is_learner.size < 1.6 / players
        for step in range(STEPS):
            for game in range(GAMES):
                seat, is_learner = int(rollout.movers[step, game]), bool(rollout.is_learner[step, game])
                assert open_games[game].setdefault(seat, is_learner) == is_learner
                assert sum(open_games[game].values()) <= 1
                if rollout.dones[step, game]:
                    open_games[game] = {}
        model.train()


def test_other_agents_are_answered_with_the_learners_network_left_out() -> None:
    """The same deals without a league are played differently, and the learner's weights differ."""
    alone, among = small_model(small_env()), small_model(small_env(league=small_league(1.0)))
    assert (weights(alone.learn(GAMES * STEPS)) != weights(among.learn(GAMES * STEPS))).any()
    assert among._rollout.actions.max() < ACTIONS


@pytest.mark.parametrize("reward", ["coins", "margin"])
def test_who_wins_is_counted_alike_however_games_are_paid(reward: str) -> None:
    """Bit by bit or at the end, with one thread or two: the sum tells who has won."""
    counts = []
    for is_dense, workers in ((False, 1), (True, 1), (True, 2)):
        league = small_league(0.7, ("random", first_legal))
        env = small_env(3, games=60, reward=reward, dense=is_dense, league=league)
        model = small_model(env, workers=workers)
        for _ in range(20):
            collect(model)  # nothing is learned in between, so that all play the same games
        counts.append((league.games.tolist(), league.wins.tolist()))
    assert counts[0] == counts[1] == counts[2]
    games, wins = counts[0]
    assert 0 < wins[0] < games[0]


def test_what_a_game_has_paid_so_far_is_part_of_a_checkpoint() -> None:
    """A resumed run counts the same wins."""
    env = small_env(3, reward="margin", dense=True, league=small_league(0.7))
    collect(small_model(env))
    paid = env.league.state_dict()["paid"]
    assert (paid != 0).any()
    other = small_league(0.7)
    small_env(3, reward="margin", dense=True, league=other).league.load_state_dict(env.league.state_dict())
    np.testing.assert_array_equal(other.state_dict()["paid"], paid)
