"""The page inside a notebook: a frame in another page, which plays and replays like the page itself."""

from __future__ import annotations

import pytest

from crypt_env import CryptError, RecordError, random_game, to_record
from crypt_env.agents import make_agent
from crypt_env.web.frames import Frame, game_frame, replay_frame
from web.browser import needs_browser, visit


@pytest.fixture
def opened(chromium, tmp_path):
    """Return a function that opens a page with a frame in it; it returns what is in the frame."""
    visits = []

    def open_frame(frame: Frame):
        file = tmp_path / f"{len(visits)}.html"
        file.write_text(f'<!doctype html><meta charset="utf-8"><p>Above</p>{frame._repr_html_()}', encoding="utf-8")
        visits.append(visit(chromium, file.as_uri(), home="about:srcdoc"))
        return visits[-1].__enter__().page.frame_locator("iframe")

    yield open_frame
    for each in visits:
        each.__exit__(None, None, None)


@needs_browser
def test_a_replay_in_a_frame(opened):
    record = to_record(random_game(3, seed=8))
    inside = opened(replay_frame(record))
    inside.get_by_label("Last moment").click()
    assert [int(cell) for cell in inside.locator(".sheet tfoot td").all_inner_texts()] == record["scores"]


@needs_browser
def test_a_game_in_a_frame(opened):
    inside = opened(game_frame(["solo"]))
    inside.locator("[data-control=players-1]").click()
    inside.get_by_text("Enter the crypt").click()
    inside.locator(".niche.open").first.click()
    inside.locator(".confirm").click()
    inside.locator(".niche .die").first.wait_for()
    inside.get_by_role("button", name="New game").click()
    inside.get_by_text("Continue the last game").wait_for()


def test_a_frame_holds_one_page():
    frame = Frame('<p title="a">1 & 2</p>', height=333)
    assert "height:333px" in frame._repr_html_()
    assert 'srcdoc="&lt;p title=&quot;a&quot;&gt;1 &amp; 2&lt;/p&gt;"' in frame._repr_html_()


def test_what_cannot_be_shown_is_refused():
    record = to_record(random_game(2, seed=1))
    with pytest.raises(RecordError, match="seat 2"):
        replay_frame(record, seat=2)
    with pytest.raises(CryptError, match="missing"):
        replay_frame(record, agent="missing")
    with pytest.raises(CryptError, match="no network 'nothing'"):
        game_frame(["nothing"])


def test_a_name_alone_and_an_agent_without_a_name_are_refused():
    with pytest.raises(CryptError, match=r"^networks='duel' is not possible; .* a list of names, such as \['duel'\]$"):
        game_frame("duel")
    record = to_record(random_game(2, seed=1))
    for agent in (make_agent("greedy"), lambda observations, masks: masks.argmax(axis=1)):
        with pytest.raises(CryptError, match=r"is not possible; allowed is the name of an agent, such as 'greedy'$"):
            replay_frame(record, agent=agent)
