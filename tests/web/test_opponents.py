"""The turns of opponents: they can be paused, looked back from, and asked again after a failure."""

from __future__ import annotations

import pytest

from web.browser import needs_browser

pytestmark = needs_browser

NETWORKS = "**/networks/*"
ANSWERED = 500
"""Milliseconds in which a network has answered."""


@pytest.fixture
def release(visitor):
    """Keep the networks from arriving, so that opponents think until this is called."""
    held = []
    visitor.page.route(NETWORKS, lambda route: held.append(route))

    def release_all():
        for route in held:
            route.continue_()
        visitor.page.unroute(NETWORKS)

    return release_all


def play_on(page) -> None:
    page.get_by_label("Play on").click()


def play_on_below_the_crypt(page) -> None:
    page.locator(".middle").get_by_text("Play on").click()


def press_space(page) -> None:
    page.locator("h1").click()  # so that it is no button that is pressed
    page.keyboard.press(" ")


@pytest.mark.parametrize("go_on", [play_on, play_on_below_the_crypt, press_space])
def test_a_turn_is_paused(visitor, address, release, go_on):
    """What the opponent answers meanwhile does not count; it plays when the game goes on."""
    page = visitor.page
    page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=1&seats=you.net")
    page.get_by_text("Network is thinking…").wait_for()
    page.get_by_label("Pause").click()
    page.get_by_text("The game is paused.").wait_for()
    assert page.get_by_text("is thinking…").count() == 0
    release()
    page.wait_for_timeout(ANSWERED)
    assert visitor.saved()["events"] == []
    go_on(page)
    visitor.wait()
    assert visitor.saved()["events"]


def press_end(page) -> None:
    page.keyboard.press("End")


def last_moment(page) -> None:
    page.get_by_label("Last moment").click()


def slide(page) -> None:
    page.get_by_label("Moment", exact=True).press("End")


@pytest.mark.parametrize("come_back", [press_end, last_moment, slide])
def test_looking_back_while_an_opponent_thinks(visitor, address, release, come_back):
    page = visitor.page
    page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=0&seats=you.net")
    visitor.wait()
    page.keyboard.press("r")
    page.get_by_text("Network is thinking…").wait_for()
    page.keyboard.press("Home")
    page.get_by_text("Back to the game").wait_for()
    release()
    page.wait_for_timeout(ANSWERED)
    come_back(page)
    page.get_by_text("The game is paused.").wait_for()
    play_on(page)
    visitor.wait()


def test_going_forward_from_the_latest_moment_stops_nothing(visitor, address, release):
    page = visitor.page
    page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=1&seats=you.net")
    page.get_by_text("Network is thinking…").wait_for()
    for key in ("ArrowRight", "End", "]"):
        page.keyboard.press(key)
    page.get_by_text("Network is thinking…").wait_for()
    release()
    visitor.wait()


def test_opponents_among_themselves_are_paused(visitor, release):
    page = visitor.page
    visitor.start(2, "net", "net")
    page.get_by_label("Pause").click()
    page.get_by_text("The game is paused.").wait_for()
    release()
    page.wait_for_timeout(ANSWERED)
    play_on(page)
    page.locator(".sheet").wait_for()


def try_again(page) -> None:
    page.get_by_text("Try again").click()


@pytest.mark.parametrize("go_on", [try_again, play_on, press_space])
def test_an_opponent_that_failed_is_asked_again(visitor, address, go_on):
    page = visitor.page
    page.route(NETWORKS, lambda route: route.abort())
    page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=1&seats=you.net")
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert alert.inner_text() == "Network cannot play: Failed to fetch"
    assert page.get_by_text("is thinking…").count() == 0
    try_again(page)
    alert.wait_for()
    page.unroute(NETWORKS)
    go_on(page)
    visitor.wait()
    assert alert.count() == 0
    assert all("ERR_FAILED" in line for line in visitor.strange)
    visitor.strange.clear()
