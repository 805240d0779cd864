"""Replays in one file: they show the game of their record, and for one seat only what it saw."""

from __future__ import annotations

import itertools
import json

import pytest

from crypt_env import Game, RecordError, random_game, replay, to_record
from crypt_env.agents import make_agent
from crypt_env.web.replays import judgement, replay_html
from crypt_env.web.walk import frames_of
from web.browser import needs_browser, visit
from web.disguise import cut, disguised

LARGEST = 1_500_000
NETWORKS = {1: "net:solo", 2: "net:duel", 3: "net:trio", 4: "net:quartet"}


def record_of(players: int, seed: int, collectors: str = "random") -> dict:
    """Return the record of a random game."""
    return to_record(random_game(players, collectors, seed))


@pytest.fixture
def replayed(chromium, tmp_path):
    """Return a function that opens a replay."""
    opened = []

    def open_replay(record, **options):
        file = tmp_path / f"{len(opened)}.html"
        file.write_text(replay_html(record, **options))
        assert file.stat().st_size < LARGEST
        visiting = visit(chromium, file.as_uri())
        opened.append(visiting)
        visitor = visiting.__enter__()
        visitor.page.locator(".wall").wait_for()
        return visitor

    yield open_replay
    for visiting in opened:
        visiting.__exit__(None, None, None)


def moments(visitor) -> list[str]:
    """Step through a replay; return what each moment shows."""
    page = visitor.page
    page.keyboard.press("Home")
    shown = [visitor.table()]
    while page.locator("[data-control=Forward]").is_enabled():
        page.keyboard.press("ArrowRight")
        shown.append(visitor.table())
    return shown


# -- in the browser ---------------------------------------------------------------------------------------------------


@needs_browser
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 51))], ids=lambda seed: f"seed{seed}"
)
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_end_is_that_of_the_record(replayed, players, seed):
    record = record_of(players, seed)
    visitor = replayed(record)
    visitor.page.keyboard.press("End")
    assert visitor.totals() == record["scores"]


@needs_browser
def test_forward_back_and_from_decision_to_decision(replayed):
    record = record_of(2, 5)
    page = replayed(record, agent="net:duel").page
    first = page.locator(".table").inner_text()
    for _ in range(3):
        page.keyboard.press("]")
    shown = page.locator(".told code").first.inner_text()
    acts = [event for event in record["events"] if event[0] == "act"]
    assert shown == acts[3][2]
    assert page.locator(".advice-panel li").count() >= 2
    page.locator("summary").click()
    game = replay(record, decisions=3)
    assert page.locator(".legal code").all_inner_texts() == list(game.legal())
    page.keyboard.press("Home")
    assert page.locator(".table").inner_text() == first
    page.get_by_label("Speed").select_option("350")
    page.keyboard.press(" ")
    page.get_by_label("Pause").wait_for()
    page.keyboard.press(" ")
    page.get_by_label("Play on").wait_for()


@needs_browser
def test_one_die_that_succeeds_comes_back(replayed):
    record = record_of(2, 5)
    page = replayed(record).page
    page.keyboard.press("End")
    rolls = [(effort, results) for kind, *_, effort, results in record["events"] if kind == "roll"]
    single = [results for effort, results in rolls if len(results) == 1 and results[0] >= effort]
    several = [results for effort, results in rolls if len(results) > 1 and min(results) >= effort]
    told = page.locator(".log").inner_text()
    assert single
    assert told.count(": it comes back.") == len(single)
    assert told.count(": all come back.") == len(several)


@needs_browser
@pytest.mark.parametrize("players", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_one_seat_sees_the_same_in_its_own_file(replayed, players):
    """The file that holds one seat's view, and that view of the whole record."""
    record = record_of(players, 8, "AABBAB")
    whole = replayed(record)
    whole.page.get_by_label("Point of view").select_option("0")
    assert moments(whole) == moments(replayed(record, seat=0))


@needs_browser
def test_an_agent_is_compared_with_what_was_played(replayed):
    visitor = replayed(record_of(3, 2), agent="greedy")
    page = visitor.page
    for _ in range(40):
        page.keyboard.press("]")
        if page.locator(".differs").count():
            break
    assert "differently" in page.locator(".differs").inner_text()


@needs_browser
def test_one_viewpoint_shows_nothing_else(replayed):
    """Two games that differ only in what a seat cannot know give it the same page."""
    record = cut(record_of(3, 11, "AAAAAA"), 12)
    pages = []
    for each in (record, next(disguised(record, 1))):
        visitor = replayed(each, agent="greedy")
        visitor.page.get_by_label("Point of view").select_option("1")
        pages.append(moments(visitor))
    assert pages[0] == pages[1]


# -- what is in the file ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_file_for_one_seat_holds_no_secret(players):
    """The files of games that the seat cannot tell apart are equal, byte for byte."""
    record = cut(record_of(players, 4), 12 * players)
    for seat in range(players):
        mine = replay_html(record, seat, "greedy")
        others = list(itertools.islice(disguised(record, seat), 6))
        assert others
        for other in others:
            assert other != record
            assert replay_html(other, seat, "greedy") == mine


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_file_is_small(players):
    record = record_of(players, 6)
    assert len(replay_html(record, agent=NETWORKS[players])) < LARGEST
    assert len(replay_html(record, 0, NETWORKS[players])) < LARGEST


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_frames_end_as_the_record_does(players):
    for seed in range(10):
        record = record_of(players, seed)
        frames = list(frames_of(record))
        last = Game.from_state(frames[-1].states)
        assert list(last.outcome().scores) == record["scores"]
        events = [frame.event for frame in frames if frame.event is not None]
        assert json.loads(json.dumps(events)) == record["events"]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_opinion_of_a_network(players):
    game = Game(players, "AAAAAA", seed=2)
    judged = judgement(make_agent(NETWORKS[players]), game)
    best = max(judged["probabilities"], key=lambda each: each[1])[0]
    assert game.legal()[game.legal_actions().index(best)] == make_agent(NETWORKS[players]).choose(game)
    assert abs(sum(chance for _, chance in judged["probabilities"]) - 1) < 0.01
    if players == 1:
        assert 30 < judged["coins"] < 80
    else:
        assert 0 < judged["chance"] < 1


def test_a_wrong_seat_and_a_wrong_record_are_refused():
    record = record_of(2, 1)
    with pytest.raises(RecordError, match="seat 2 is not possible"):
        replay_html(record, 2)
    with pytest.raises(RecordError, match="scores"):
        replay_html({**record, "scores": [0, 0]})
