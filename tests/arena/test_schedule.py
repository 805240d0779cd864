"""Who meets whom: the same deals for all, every agent equally often in every seat."""

from collections import Counter

import numpy as np
import pytest

from crypt_env import Batch, CryptError
from crypt_env.arena import Lineup, make_match_plan, make_plan
from crypt_env.arena.designs import orthogonal_tables
from crypt_env.arena.match import deal_batch

NAMES = ("a", "b", "c", "d", "e")


def seat_counts(lineup, deals):
    """Return how often each agent of a line-up sits in each seat. [places, seats]"""
    seatings = lineup.seatings(np.arange(deals))
    return np.array([(seatings == place).sum(axis=(0, 1)) for place in range(len(lineup.agents))])


# -- deals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("collectors", ["random", "even", "AABBAB"])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_deal_k_is_game_k_of_a_batch_in_every_seating_and_line_up(players, collectors):
    plan = make_plan(NAMES[:3], players, 192 * players, collectors, seed=5)
    deals = np.arange(70, 90)
    ours = deal_batch(plan, np.tile(deals, players))
    ours.reset()
    theirs = Batch(len(deals), players, "random" if collectors == "even" else collectors, seed=5, first_index=70)
    theirs.reset()
    for field in ("deck", "leader", *(["sides"] if collectors != "even" else [])):
        expected = np.tile(theirs.states[field], (players,) + (1,) * (theirs.states[field].ndim - 1))
        assert (ours.states[field] == expected).all(), field


def test_deals_differ_from_each_other():
    batch = deal_batch(make_plan(NAMES[:2], games=100), np.arange(50))
    batch.reset()
    assert len({deck.tobytes() for deck in batch.states["deck"]}) == 50


def test_even_tables_are_all_64_equally_often_and_table_k_is_that_of_deal_k():
    plan = make_plan(NAMES[:2], games=150, collectors="even")
    batch = deal_batch(plan, np.arange(plan.deals))
    batch.reset()
    tables = (batch.states["sides"].astype(int) << np.arange(6)).sum(axis=1)
    assert plan.deals == 128
    assert tables.tolist() == [deal % 64 for deal in range(128)]


@pytest.mark.parametrize(("collectors", "count"), [("even-8", 8), ("even-16", 16), ("even-32", 32)])
def test_orthogonal_sets_are_played_in_turn(collectors, count):
    plan = make_plan(NAMES[:2], games=130, collectors=collectors)
    batch = deal_batch(plan, np.arange(plan.deals))
    batch.reset()
    tables = (batch.states["sides"].astype(int) << np.arange(6)).sum(axis=1)
    assert plan.strata == count
    assert tables.tolist() == [orthogonal_tables(count)[deal % count] for deal in range(-(-65 // count) * count)]


@pytest.mark.parametrize(
    ("players", "games", "collectors", "deals"),
    [(1, 7, "random", 7), (2, 7, "random", 4), (3, 7, "A", 3), (4, 8, "B", 2), (4, 9, "B", 3), (3, 1, "even", 64)],
)
def test_games_are_rounded_up_to_whole_deals_and_even_tables(players, games, collectors, deals):
    plan = make_plan(NAMES[:2], players, games, collectors)
    assert plan.deals == deals
    assert plan.games_played == deals * players
    assert plan.total_games == deals * players * len(plan.lineups)


# -- line-ups and seats -----------------------------------------------------------------------------------------------


def test_two_players_meet_once_for_each_pair():
    plan = make_plan(NAMES[:4])
    assert Counter(frozenset(lineup.agents) for lineup in plan.lineups) == {
        frozenset(pair): 1 for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    }


@pytest.mark.parametrize("players", [3, 4])
def test_of_a_pair_at_a_larger_table_each_is_once_the_single_one(players):
    plan = make_plan(NAMES[:3], players)
    assert sorted(lineup.agents for lineup in plan.lineups) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert {lineup.seats for lineup in plan.lineups} == {(1, players - 1)}


def test_mixed_tables_are_all_sets_of_different_agents():
    plan = make_plan(NAMES, players=4, mixed=True)
    mixed = [lineup.agents for lineup in plan.lineups if len(lineup.agents) > 2]
    assert len(mixed) == 5
    assert {len(set(agents)) for agents in mixed} == {4}
    assert len(set(mixed)) == 5


@pytest.mark.parametrize(
    "lineup", [Lineup((0, 1), (1, 1)), Lineup((0, 1), (1, 2)), Lineup((2, 0), (1, 3)), Lineup((0, 1, 2, 3), (1,) * 4)]
)
def test_on_every_deal_each_agent_sits_on_each_seat_equally_often(lineup):
    for deal in (0, 1, 63, 64, 1000):
        seatings = lineup.seatings(np.array([deal]))
        assert len(seatings) == sum(lineup.seats)
        for place, seats in enumerate(lineup.seats):
            assert (seatings == place).sum(axis=(0, 1)).tolist() == [seats] * sum(lineup.seats)


@pytest.mark.parametrize("players", [3, 4])
def test_at_mixed_tables_everybody_plays_after_everybody_equally_often_at_every_table(players):
    lineup = Lineup(tuple(range(players)), (1,) * players)
    orders = 2 if players == 3 else 6
    for table in (0, 1, 37, 63):
        seatings = lineup.seatings(table + 64 * np.arange(orders))
        followers = Counter(
            (int(one), int(other))
            for one, other in zip(seatings.ravel(), np.roll(seatings, -1, axis=2).ravel(), strict=True)
        )
        assert len(followers) == players * (players - 1)
        assert len(set(followers.values())) == 1


def test_a_match_is_one_agent_against_the_other_in_all_other_seats():
    plan = make_match_plan(["x", "y"], players=4, games=40)
    assert plan.lineups == (Lineup((0, 1), (1, 3)),)
    assert seat_counts(plan.lineups[0], plan.deals).tolist() == [[10] * 4, [30] * 4]


# -- invalid arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"agents": ["a"]}, "at least two agents are needed, but only 'a' was given"),
        ({"agents": []}, "at least two agents are needed, but none was given"),
        ({"agents": [], "players": 1}, "an agent is needed, but none was given"),
        ({"agents": ["a", "b", "a"]}, "agent 'a' was given twice"),
        ({"players": 5}, "players=5 is not possible"),
        ({"games": 0}, "games=0 is not possible"),
        ({"games": 2**40}, "games="),
        ({"seed": -1}, "seed=-1 is not possible"),
        (
            {"collectors": "AAC"},
            "collectors='AAC' is not a table; .* or 'even' for all tables equally often; 'even-32'",
        ),
        ({"mixed": True}, "mixed tables with players=2 are not possible"),
        ({"mixed": True, "players": 3}, "mixed tables of 3 players need at least 3 agents; 2 were given"),
    ],
)
def test_a_plan_that_is_not_possible_is_refused(arguments, words):
    with pytest.raises(CryptError, match=words):
        make_plan(**{"agents": ["a", "b"], **arguments})


def test_a_match_of_one_player_is_refused():
    with pytest.raises(CryptError, match="players=1 is not possible in a match"):
        make_match_plan(["a", "b"], players=1)
