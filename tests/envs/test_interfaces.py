"""One game through every interface: AEC, one seat, three ways to play many at once; and the rewards of all of them."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import crypt_v0
from crypt_env.envs.single import SeatEnv
from crypt_env.rules.state import REWARD_NAMES
from envs.seating import (
    BATCHES,
    COUNTS,
    BitsAgent,
    Table,
    Turn,
    other_pick,
    payoffs,
    payoffs_of_one_game,
    pick,
    row_games,
    single_games,
    table_games,
)

SEED = 31
EPISODES = 5
PAYMENTS = [(reward, dense) for reward in REWARD_NAMES for dense in (False, True)]
PAID = [(BATCHES[0], *payment) for payment in PAYMENTS] + [(interface, "margin", True) for interface in BATCHES[1:]]
"""All interfaces read their rewards from the same batch: one is tried with each reward, the others with the richest."""


# -- every seat is paid -----------------------------------------------------------------------------------------------


def received(table: Table, episodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Play with `pick`; return the learner's total reward in each episode of each game, and its seat. [E, N]"""
    timestep = table.reset(SEED)
    games = np.arange(len(timestep.seats))
    sums, seats, numbers = np.zeros((episodes, len(games))), np.zeros((episodes, len(games)), int), 0 * games
    while (numbers < episodes).any():
        is_open = numbers < episodes
        before, timestep = timestep, table.step(pick(timestep.observations, timestep.masks))
        sums[numbers[is_open], games[is_open]] += timestep.rewards[is_open]
        seats[numbers[is_open], games[is_open]] = before.seats[is_open]
        numbers += timestep.dones
    return sums, seats


def owed_to(owed: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the learners' part of what is owed to all seats. [E, N]"""
    return np.take_along_axis(owed, seats[:, :, None], axis=2)[:, :, 0]


@pytest.mark.parametrize("interface", BATCHES)
@pytest.mark.parametrize("players", COUNTS)
def test_every_seat_is_paid_exactly_in_a_thousand_games(players: int, interface: str) -> None:
    """Seat by seat, over four episodes of 250 games: winners and losers get their payoff, no more and no less."""
    owed = payoffs(players, 250, SEED, 4)
    for seat in range(players):
        sums, seats = received(Table(interface, 250, players, opponents=pick, seat=seat), 4)
        assert (seats == seat).all()
        assert (sums == owed[:, :, seat]).all()
        assert players == 1 or ((sums > 0).any() and (sums < 0).any())


@pytest.mark.parametrize(("interface", "reward", "dense"), PAID)
@pytest.mark.parametrize("players", COUNTS)
def test_every_reward_is_paid_exactly_to_learners_in_drawn_seats(
    players: int, interface: str, reward: str, dense: bool
) -> None:
    """Margin and coins as well, at the end or as they become certain."""
    owed = payoffs(players, 40, SEED, 3, reward)
    sums, seats = received(Table(interface, 40, players, opponents=pick, reward=reward, dense=dense), 3)
    assert set(seats.flat) == set(range(players))
    assert (sums == owed_to(owed, seats)).all()


def paid_alone(players: int, games: int, reward: str, dense: bool) -> None:
    """Play one game after the other with `SeatEnv`, and compare what was paid with what was owed."""
    owed = payoffs_of_one_game(players, SEED, games, reward)
    env = SeatEnv(players, pick, reward=reward, dense=dense)
    episodes = single_games(env, SEED, games)
    for turns, amounts in zip(episodes, owed, strict=True):
        assert sum(turn.reward for turn in turns) == amounts[turns[0].seat]
    assert {turns[0].seat for turns in episodes} == set(range(players))


@pytest.mark.slow
@pytest.mark.parametrize("players", COUNTS)
def test_single_games_pay_exactly_in_a_thousand_games(players: int) -> None:
    """`SeatEnv` pays its learner, whose seat is drawn again for every game, exactly the payoff of that seat."""
    paid_alone(players, 1000, "win", False)


@pytest.mark.parametrize(("reward", "dense"), PAYMENTS)
@pytest.mark.parametrize("players", COUNTS)
def test_single_games_pay_every_reward_exactly(players: int, reward: str, dense: bool) -> None:
    """`SeatEnv` with every kind of reward."""
    paid_alone(players, 25, reward, dense)


def paid_at_table(players: int, games: int, reward: str, dense: bool) -> None:
    """Play one game after the other with `crypt_v0`, and compare what was paid with what was owed."""
    owed = payoffs_of_one_game(players, SEED, games, reward)
    for seats, amounts in zip(table_games(players, SEED, games, reward=reward, dense=dense), owed, strict=True):
        assert [sum(turn.reward for turn in turns) for turns in seats] == amounts.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("players", COUNTS)
def test_tables_pay_exactly_in_a_thousand_games(players: int) -> None:
    """`crypt_v0` pays every agent exactly its payoff."""
    paid_at_table(players, 1000, "win", False)


@pytest.mark.parametrize(("reward", "dense"), PAYMENTS)
@pytest.mark.parametrize("players", COUNTS)
def test_tables_pay_every_reward_exactly(players: int, reward: str, dense: bool) -> None:
    """`crypt_v0` with every kind of reward."""
    paid_at_table(players, 25, reward, dense)


# -- one seed, one game -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", BATCHES)
@pytest.mark.parametrize("players", COUNTS)
def test_row_of_a_batch_is_the_single_game(players: int, interface: str) -> None:
    """Row i of a batch of 7 and of 64, and of a part that begins at game i, is `SeatEnv(index=i)`: seats, observations,
    masks, rewards, ends and last observations, through four automatic restarts."""
    arguments = {"opponents": pick, "reward": "margin", "dense": True}
    few = row_games(Table(interface, 7, players, **arguments), SEED, EPISODES)
    many = row_games(Table(interface, 64, players, **arguments), SEED, EPISODES)
    part = row_games(Table(interface, 3, players, index=4, **arguments), SEED, EPISODES)
    assert few == many[:7]
    assert part == few[4:]
    for index in (0, 5, 63):
        env = SeatEnv(players, index=index, **arguments)
        assert single_games(env, SEED, EPISODES) == many[index]
    assert len({repr(games) for games in many}) == 64


@pytest.mark.parametrize("players", COUNTS)
def test_single_game_is_the_game_of_the_table(players: int) -> None:
    """From the learner's seat, wherever that is, `SeatEnv` shows the games that `crypt_v0` plays, five in a row."""
    arguments = {"reward": "margin", "dense": True}
    tables = table_games(players, SEED, EPISODES, **arguments)
    for seat in [*range(players), "random"]:
        episodes = single_games(SeatEnv(players, pick, seat, **arguments), SEED, EPISODES)
        for turns, seats in zip(episodes, tables, strict=True):
            assert turns == seats[turns[0].seat]
            assert seat in ("random", turns[0].seat)


@pytest.mark.parametrize("interface", BATCHES)
def test_games_of_all_sizes_in_one_batch_play_as_among_their_like(interface: str) -> None:
    """The number of players of the other games changes nothing."""
    counts = [1 + index * 7 // 3 % 4 for index in range(20)]
    mixed = row_games(Table(interface, 20, counts, opponents=pick), SEED, 2)
    for players in COUNTS:
        alike = row_games(Table(interface, 20, players, opponents=pick), SEED, 2)
        rows = [row for row, count in enumerate(counts) if count == players]
        assert [mixed[row] for row in rows] == [alike[row] for row in rows]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_drawn_opponents_and_their_chance_do_not_depend_on_the_batch(players: int) -> None:
    """With a mixture of agents, one of which plays by its random bits and one by the game's own draw, games are the
    same in every batch and alone."""
    mixture = {BitsAgent(): 1, other_pick: 1, "random": 1}
    few, many = (row_games(Table("SeatBatch", games, players, opponents=mixture), SEED, 4) for games in (7, 64))
    assert few == many[:7]
    for index in (0, 6):
        assert single_games(SeatEnv(players, mixture, index=index), SEED, 4) == few[index]
    assert {turns[0].seat for games in many for turns in games} == set(range(players))


@pytest.mark.parametrize("opponent", ["random", BitsAgent()], ids=str)
def test_chance_of_opponents_differs_from_game_to_game(opponent: object) -> None:
    """Their randomness follows from the seed, the game and the episode: changing one of these changes the game."""
    games = {
        repr([turn.observation for turn in turns])
        for seed in (1, 2)
        for own in row_games(Table("SeatBatch", 6, 2, opponents=opponent, seat=0), seed, 3)
        for turns in own
    }
    assert len(games) == 2 * 6 * 3


def opening(env: SeatEnv, seed: int | None) -> bytes:
    """Deal a game and return what the learner sees first."""
    return env.reset(seed=seed)[0].tobytes()


@pytest.mark.parametrize("players", COUNTS)
def test_reset_without_a_seed_deals_the_next_episode(players: int) -> None:
    """No matter how far a game was played; a seed starts from the beginning again."""
    played, dropped = SeatEnv(players, pick), SeatEnv(players, pick)
    firsts = [turns[0].observation for turns in single_games(played, SEED, 4)]
    assert [opening(dropped, SEED), *(opening(dropped, None) for _ in range(3))] == firsts
    assert len(set(firsts)) == 4
    assert opening(dropped, SEED) == firsts[0]
    assert opening(dropped, SEED + 1) != firsts[0]


@pytest.mark.parametrize("interface", BATCHES)
@pytest.mark.parametrize("players", COUNTS)
def test_reset_of_a_batch_without_a_seed_deals_the_next_episode_of_all_games(players: int, interface: str) -> None:
    """Also of games that are at their second episode already, or in mid-game."""
    table = Table(interface, 9, players, opponents=pick)
    games = row_games(Table(interface, 9, players, opponents=pick), SEED, 8)
    timestep = table.reset(SEED)
    for _ in range(60):
        timestep = table.step(pick(timestep.observations, timestep.masks))
    episodes = table.states["episode"].copy()
    assert len(set(episodes)) > 1
    assert episodes.max() + 1 < 8
    timestep = table.reset()
    for row, episode in enumerate(episodes + 1):
        assert timestep.observations[row].tobytes() == games[row][episode][0].observation
        assert timestep.seats[row] == games[row][episode][0].seat


@pytest.mark.parametrize("interface", BATCHES[1:])
def test_games_that_were_never_seeded_are_fresh_ones(interface: str) -> None:
    """Two environments without a seed deal different games."""
    openings = {Table(interface, 4, 2, opponents=pick).reset().observations.tobytes() for _ in range(3)}
    alone = {SeatEnv().reset()[0].tobytes() for _ in range(6)}
    assert len(openings) == 3
    assert len(alone) > 1


@pytest.mark.parametrize("players", COUNTS)
def test_learners_seat_is_drawn_evenly_and_from_the_seed(players: int) -> None:
    """Each seat in its share of the games, drawn again for each episode, the same after the same seed."""
    table = Table("SeatBatch", 2000, players, opponents=pick)
    first, again = (table.reset(3).seats for _ in range(2))
    following = table.reset().seats
    assert (first == again).all()
    assert (first != following).any() == (players > 1)
    for seats in (first, following):
        share = np.bincount(seats, minlength=players) / 2000
        assert np.abs(share - 1 / players).max() < 0.05


def test_index_of_the_single_game_is_not_that_of_another() -> None:
    """Another index is another game of the same seed; the first is that of the AEC environment."""
    table = crypt_v0.raw_env(2)
    table.reset(seed=SEED)
    first = table.last()[0]["observation"].tobytes()
    leader = int(table.agent_selection[-1])
    openings = [SeatEnv(2, pick, leader, index=index).reset(seed=SEED)[0].tobytes() for index in range(4)]
    assert openings[0] == first
    assert len(set(openings)) == 4


def test_comparison_notices_a_difference_in_every_part_of_a_turn() -> None:
    """The turns compared in this file are equal only if all their parts are."""
    turn = single_games(SeatEnv(2, pick), SEED, 1)[0][0]
    changed = Turn(9, b"", b"", -7, 9.5, True, b"?")
    for name in Turn._fields:
        assert turn._replace(**{name: getattr(changed, name)}) != turn
