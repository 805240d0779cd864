"""Whole tournaments from Python: the result depends on the plan alone, not on the processes or on how it is split."""

import os
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl

from arena.players import CHEAT, CLUMSY, FIRST, LAST, LONER, MIXER, Mixer, first, first_legal, last_legal, lasting
from crypt_env import CryptError
from crypt_env.agents import FunctionAgent
from crypt_env.arena import Report, play_match, round_robin
from crypt_env.arena.processes import in_order, one_thread

# -- what the result depends on ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "collectors", "mixed"), [(1, "random", False), (2, "even", False), (4, "A", True)])
def test_the_result_does_not_depend_on_the_size_of_the_chunks(players, collectors, mixed):
    agents = ["random", FIRST, MIXER, LAST]
    arguments = {"players": players, "games": 50, "collectors": collectors, "mixed": mixed, "seed": 4}
    whole, *others = (lasting(round_robin(agents, chunk=chunk, **arguments)) for chunk in (1000, 7, None))
    assert others == [whole, whole]


def test_the_result_does_not_depend_on_the_number_of_processes():
    agents = ["random", FIRST, MIXER]
    alone, together = (lasting(round_robin(agents, 3, 90, jobs=jobs, chunk=4)) for jobs in (1, 2))
    assert together == alone


def test_another_seed_is_another_tournament():
    one, same, other = (round_robin([MIXER, FIRST], games=40, seed=seed).pairings for seed in (1, 1, 2))
    assert one == same != other


def test_more_agents_do_not_change_the_result_of_a_pair():
    two, three = round_robin([MIXER, FIRST], games=60), round_robin(["random", MIXER, FIRST], games=60)
    assert two.pairing(MIXER, FIRST) == three.pairing(MIXER, FIRST)


def test_the_order_of_the_agents_does_not_change_the_result_of_a_pair():
    one, other = round_robin([MIXER, FIRST], games=60), round_robin([FIRST, MIXER], games=60)
    assert other.pairing(FIRST, MIXER) == other.pairings[0]
    found, mirrored = one.pairing(FIRST, MIXER), other.pairing(FIRST, MIXER)
    assert found.share == pytest.approx(mirrored.share)
    assert found.margin == pytest.approx(mirrored.margin)


# -- what the result is -----------------------------------------------------------------------------------------------


def test_a_better_agent_has_more_wins_more_coins_and_the_higher_rating():
    report = round_robin([LAST, "random", FIRST], games=400)
    assert [row.agent for row in report.ratings] == [FIRST, "random", LAST]
    assert report.rating("random") == (0, 0, 0)
    assert report.rating(FIRST).low > 0 > report.rating(LAST).high
    assert report.pairing(FIRST, "random").share.low > 0.9
    assert report.pairing(FIRST, "random").margin.low > 0
    assert report.pairing("random", FIRST).share.high < 0.1


def test_without_the_random_agent_the_first_one_has_rating_0():
    report = round_robin([FIRST, LAST], games=40)
    assert report.rating(FIRST) == (0, 0, 0)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_equal_agents_get_their_fair_share_and_no_margin(players):
    twins = [FunctionAgent(first_legal, name) for name in ("one", "two")]
    report = round_robin(twins, players, 10 * players)
    for row in report.pairings:
        assert row.share == pytest.approx((1 / players,) * 3)
        assert row.margin == (0, 0, 0)
    assert report.rating("two") == pytest.approx((0, 0, 0), abs=1e-6)


def test_at_mixed_tables_the_shares_of_all_agents_are_one_win():
    report = round_robin(["random", FIRST, LAST, MIXER], 3, 60, mixed=True)
    # Each of four agents sits at three of the four tables.
    assert sum(row.share.value for row in report.mixtures) == pytest.approx(4 / 3)
    assert sum(row.margin.value for row in report.mixtures) == pytest.approx(0, abs=1e-9)
    assert {row.games for row in report.mixtures} == {180}


def test_solo_results_are_those_of_the_coins():
    report = round_robin(["random", FIRST], players=1, games=300)
    solo = report.solo(FIRST)
    assert solo.games == sum(solo.histogram.values()) == 300
    assert sum(title.value for title in solo.titles.values()) == pytest.approx(1)
    assert list(solo.titles) == ["The Fool", "The Petty", "The Affluent", "The Magnificent"]
    below_30 = sum(games for coins, games in solo.histogram.items() if int(coins) < 30)
    assert solo.titles["The Fool"].value == pytest.approx(below_30 / 300)
    assert solo.quantiles["5"] < solo.quantiles["50"] < solo.quantiles["95"]
    assert solo.coins.low < solo.coins.value < solo.coins.high
    assert (report.pairings, report.ratings) == ((), ())


def test_solo_differences_are_paired_by_deal_and_so_narrower_than_the_means():
    def nearly_first(observations, masks):
        actions = first_legal(observations, masks)
        return np.where(observations.sum(axis=1) % 16 == 0, last_legal(observations, masks), actions)

    report = round_robin([FIRST, nearly_first], players=1, games=300)
    (difference,) = report.differences
    assert difference.coins.value == pytest.approx(
        report.solo(FIRST).coins.value - report.solo("nearly_first").coins.value
    )
    unpaired = sum((row.coins.high - row.coins.low) ** 2 for row in report.solos) ** 0.5
    assert difference.coins.high - difference.coins.low < 0.95 * unpaired


def test_decisions_are_counted_and_timed_for_every_agent():
    report = round_robin(["random", FIRST], games=40)
    assert [row.agent for row in report.costs] == ["random", FIRST]
    assert all(row.decisions > 40 * 8 and row.microseconds > 0 for row in report.costs)


# -- agents of a user -------------------------------------------------------------------------------------------------


def test_objects_and_functions_play_in_this_process():
    report = round_robin([Mixer(), first_legal, "random"], games=20)
    assert report.agents == (MIXER, "first_legal", "random")


def test_a_match_is_the_line_of_the_round_robin():
    match = play_match(first(), "random", players=3, games=90, seed=2)
    assert match == round_robin([FIRST, "random"], players=3, games=90, seed=2).pairing(FIRST, "random")
    assert match.games == 90


def test_objects_do_not_play_in_other_processes():
    with pytest.raises(CryptError, match="jobs=2 is not possible with agents that are objects"):
        round_robin([Mixer(), "random"], games=20, jobs=2)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted as Linux tells them")
def test_processes_share_the_cores_and_multiply_with_one_thread_each():
    before = dict(os.environ)
    round_robin([LONER, "random"], games=20, jobs=2, chunk=5)
    assert dict(os.environ) == before


def test_one_process_multiplies_with_one_thread_too(monkeypatch):
    """Rounding depends on the number of threads, and what a network decides can depend on rounding."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)

    def threads(_=None):
        return {library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"}

    with threadpoolctl.threadpool_limits(3, "blas"):
        assert list(in_order(lambda: threads, (), [0], jobs=1)) == [{1}]
        assert one_thread(threads)(0) == {1}
        assert threads() == {3}
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
        assert one_thread(threads)(0) == {3}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_illegal_answer_ends_the_tournament_with_one_sentence(jobs):
    with pytest.raises(CryptError, match=r"^agent 'arena.players:Cheat'.* illegal action"):
        round_robin([CHEAT, "random"], games=40, jobs=jobs, chunk=5)


def test_a_mistake_in_an_agent_is_shown_with_its_traceback_also_from_another_process():
    with pytest.raises(RuntimeError, match=r"(?s)an agent failed in another process:.*players.py.*clumsy"):
        round_robin([CLUMSY, "random"], games=40, jobs=2, chunk=5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"jobs": 0}, "jobs=0 is not possible"),
        ({"chunk": 0}, "chunk=0 is not possible"),
        ({"agents": ["random", "missing"]}, "agent 'missing' is not known; known are"),
        ({"agents": ["random", 7]}, "7 is not an agent"),
        ({"agents": [first_legal, first_legal]}, "agent 'first_legal' was given twice"),
    ],
)
def test_impossible_tournaments_are_refused(arguments, words):
    with pytest.raises(CryptError, match=words):
        round_robin(**{"agents": ["random", FIRST], "games": 4, **arguments})


# -- reports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "games"), [(1, 30), (2, 2), (3, 30)])
def test_a_report_survives_json(players, games):
    report = round_robin(["random", FIRST, LAST], players, games, mixed=players == 3)
    assert Report.from_json(report.as_json()) == report


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "crypt-arena-report/1"}', '{"format": "crypt-record/1"}'])
def test_json_that_is_not_a_report_is_refused(text):
    with pytest.raises(CryptError, match="this is not a report"):
        Report.from_json(text)


def test_a_report_is_asked_only_for_what_is_in_it():
    report = round_robin(["random", FIRST, LAST], 3, 6)
    assert report.pairing(FIRST, LAST) != report.pairing(LAST, FIRST)
    for question in (
        lambda: report.pairing(FIRST, "missing"),
        lambda: report.rating("missing"),
        lambda: report.solo(FIRST),
    ):
        with pytest.raises(CryptError, match="the report has no such result"):
            question()
