"""Games on the page, played by clicks and keys in a real browser."""

from __future__ import annotations

import json
import re

import pytest

from cli.processes import crypt
from crypt_env import random_game, replay, to_record
from crypt_env.agents.network_names import shipped_networks
from crypt_env.web.packed import game_page
from web.browser import needs_browser, visit
from web.disguise import cut, disguised
from web.links import link_to

pytestmark = needs_browser

QUICK = [
    (1,),
    (2, "you", "random"),
    (2, "you", "puct"),
    (3, "you", "net", "puct"),
    (4, "you", "greedy", "net", "tuned"),
    (4, "you", "you", "you", "you"),
]
LONG = [
    (2, "you", "ghost"),
    (2, "you", "greedy"),
    (2, "you", "tuned"),
    (2, "generalist", "you"),
    (2, "you", "net"),
    (3, "you", "random", "ghost"),
    (3, "greedy", "you", "tuned"),
    (3, "generalist", "you", "you"),
    (4, "random", "ghost", "you", "generalist"),
    (4, "puct", "you", "you", "random"),
]
SEATS = [*QUICK, *(pytest.param(seats, marks=pytest.mark.slow) for seats in LONG)]
"""Every opponent at tables for two, three and four."""


@pytest.mark.parametrize("seats", SEATS, ids=lambda seats: "-".join(map(str, seats)))
def test_a_whole_game(visitor, seats):
    """It ends with a score sheet, and its record agrees with the rules."""
    visitor.start(*seats)
    visitor.play(seed=len(seats) + 7)
    record = visitor.saved()
    game = replay(record)
    assert game.is_over
    assert game.players == seats[0]
    assert visitor.totals() == list(game.outcome().scores)


def test_by_mouse_and_with_an_explanation(visitor, address):
    """A card that cannot be claimed says why."""
    page = visitor.page
    page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=0&seats=you.greedy")
    visitor.wait()
    page.locator(".niche.open").first.click()
    page.locator("[data-count='1']").click()
    page.locator("[data-effort='5']").click()
    assert "Total 5" in page.locator(".choices").inner_text()
    page.locator(".confirm").click()
    page.locator("[data-slot='0'] .ledge .die").wait_for()
    page.locator("[data-slot='0']").click()
    assert "You hold this card already" in page.locator(".reason").inner_text()


def test_by_keys(visitor):
    visitor.start(1)
    visitor.wait()
    page = visitor.page
    for key in ("1", "ArrowRight", "4", "ArrowUp", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    page.locator("[data-slot='0'] .ledge .die").first.wait_for()
    assert "2 dice of effort 4" in page.locator("[data-slot='0']").get_attribute("aria-label")
    page.keyboard.press("u")
    assert "no dice" in page.locator("[data-slot='0']").get_attribute("aria-label")
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    assert "coins at the end" in page.locator(".advice-panel").inner_text()


def test_a_key_chooses_the_card_to_flip(visitor, address):
    """Also the 4, although a table for two has three cards to choose from."""
    visitor.page.goto(address + link_to("flip 4"))
    visitor.page.locator("[data-action='flip 4']").wait_for()
    visitor.page.keyboard.press("4")
    visitor.page.locator("[data-action='flip 4']").wait_for(state="detached")
    assert ["act", 0, "flip 4"] in visitor.saved()["events"]


def test_after_the_first_dice_nothing_is_recovered(visitor, address):
    page = visitor.page
    page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=0&seats=you.greedy")
    visitor.wait()
    question = page.locator(".prompt p")
    assert question.inner_text() == "Claim cards with your dice, or recover."
    page.locator(".niche.open").first.click()
    page.locator(".confirm").click()
    page.locator("[data-action=done]").wait_for()
    assert question.inner_text() == "Claim more cards, or end the claim."


def test_a_reroll_is_named_by_its_effort(visitor, address):
    """The die that failed shows less."""
    page = visitor.page
    page.goto(address + link_to("reroll 4"))
    button = page.locator("[data-action='reroll 4']")
    button.wait_for()
    assert "Re-roll a die of effort 4" in button.inner_text()
    page.keyboard.press("h")
    assert "re-roll a die of effort 4" in page.locator(".advice-panel").inner_text()
    button.click()
    button.wait_for(state="detached")
    assert "You re-roll a failed die of effort 4." in page.locator(".log").inner_text()


def test_a_reload_goes_on(visitor):
    visitor.start(3, "you", "greedy", "tuned")
    visitor.play(most=3)
    visitor.wait()
    before = visitor.saved()
    visitor.page.reload()
    visitor.wait()
    assert visitor.saved() == before
    visitor.play()
    assert replay(visitor.saved()).is_over


def test_back_and_forward(visitor):
    visitor.start(2, "you", "greedy")
    visitor.play(most=3)
    visitor.wait()
    page = visitor.page
    now = visitor.table()
    page.keyboard.press("Home")
    assert page.locator(".choices:not([hidden])").count() == 0
    assert "Round 1" in page.locator(".log .now").inner_text()
    page.get_by_label("Forward").click()
    page.get_by_label("Back", exact=True).click()
    page.get_by_text("Back to the game").click()
    visitor.wait()
    assert drawn(visitor.table()) == drawn(now)


def drawn(html: str) -> str:
    """Return what is drawn without signs of what has just appeared."""
    return re.sub(r' class="niche[^"]*"', "", html)


def test_undo_gives_the_same_dice(visitor):
    visitor.start(1)
    visitor.play(seed=3, most=4)
    visitor.wait()
    record = visitor.saved()
    visitor.page.get_by_role("button", name="Undo").click()
    visitor.wait()
    assert len(visitor.saved()["events"]) < len(record["events"])
    assert record["events"][: len(visitor.saved()["events"])] == visitor.saved()["events"]


def test_after_the_end_it_is_seen_through_any_eyes_and_can_be_taken_back(visitor):
    visitor.start(2, "you", "greedy")
    visitor.play()
    page = visitor.page
    for eyes in ("open", "table", "1", "0", "open"):
        page.get_by_label("Point of view").select_option(eyes)
        assert page.locator(".sheet").count() == 1
    assert "?" not in "".join(page.locator(".chips").all_inner_texts())
    page.get_by_role("button", name="Undo").click()
    visitor.wait()
    assert page.locator(".curtain").count() == 0
    assert page.locator(".choices:not([hidden])").count() == 1


def test_a_link_opens_the_game(visitor, chromium, address):
    visitor.start(2, "you", "net")
    visitor.play(most=2)
    visitor.wait()
    visitor.page.get_by_role("button", name="Share").click()
    link = visitor.page.locator("dialog input").input_value()
    visitor.page.get_by_role("button", name="Close").click()
    with visit(chromium, link, address) as other:
        other.wait()
        theirs, ours = other.saved(), visitor.saved()
    assert theirs == ours


def test_a_game_from_a_link_goes_on_after_a_reload(visitor, address):
    visitor.page.goto(f"{address}#seed=5&players=2&table=AAAAAA&leader=0&seats=you.greedy")
    visitor.wait()
    visitor.play(most=3)
    visitor.wait()
    record = visitor.saved()
    visitor.page.reload()
    visitor.wait()
    assert visitor.saved() == record


def test_a_record_is_opened(visitor, tmp_path):
    visitor.start(4, "you", "greedy", "tuned", "random")
    visitor.play()
    record, totals = visitor.saved(), visitor.totals()
    file = tmp_path / "game.jsonl"
    file.write_text(json.dumps(record) + "\n")
    assert crypt("replay", file).stdout == "1 record, 0 differences\n"
    page = visitor.page
    page.get_by_role("button", name="New game").first.click()
    page.get_by_text("More").click()
    page.get_by_label("A record").set_input_files(file)
    page.get_by_label("Point of view").wait_for()
    page.keyboard.press("End")
    assert visitor.totals() == totals


@pytest.mark.parametrize("content", ["nonsense", '{"format": "crypt-record/1"}', ""])
def test_a_file_that_is_not_a_record_is_refused(visitor, tmp_path, content):
    file = tmp_path / "game.jsonl"
    file.write_text(content)
    visitor.page.get_by_text("More").click()
    visitor.page.get_by_label("A record").set_input_files(file)
    assert "cannot be opened" in visitor.page.get_by_role("alert").inner_text()


def test_a_strange_link_is_explained(visitor, address):
    visitor.page.goto(f"{address}#seed=1&players=2&table=AAAAAA&leader=0&actions=zz")
    assert "cannot be opened" in visitor.page.get_by_role("alert").inner_text()


def test_a_hand_over_shows_no_cards(visitor, address):
    visitor.page.goto(f"{address}#seed=3&players=2&table=AAAAAA&leader=0&seats=you.you")
    visitor.wait()
    curtains = visitor.play(most=18)
    assert len(curtains) > 5
    for html in curtains:
        assert not re.search(r'class="(chip|niche|card)', html)
        assert not re.search(r"face-down \w+ \d", html)


def shown_to_people(chromium, address, record: dict) -> list[str]:
    """Go on with a game among people; return the document behind the curtain, and that of the seat that decides."""
    names = [{"name": f"Player {letter}", "level": None} for letter in "ABCD"[: record["players"]]]
    setup = {"players": record["players"], "table": record["collectors"], "leader": record["leader"]}
    setup |= {"seed": str(record["seed"]), "deck": record["deck"]}
    kept = {"setup": setup, "players": names, "record": json.dumps(record, separators=(",", ":"))}
    with visit(chromium, address, address) as visitor:
        visitor.page.evaluate("kept => localStorage.setItem('crypt-game', JSON.stringify(kept))", kept)
        visitor.page.evaluate("history.replaceState(null, '')")
        visitor.page.reload()
        visitor.page.locator(".curtain").wait_for()
        shown = [visitor.page.locator("html").evaluate("html => html.outerHTML")]
        visitor.page.locator(".curtain button").click()
        visitor.page.locator(".niche").first.wait_for()
        return [*shown, visitor.page.locator("html").evaluate("html => html.outerHTML")]


@pytest.mark.parametrize(("players", "events"), [(2, 30), (3, 45), pytest.param(4, 60, marks=pytest.mark.slow)])
def test_people_see_only_what_their_seat_may_know(chromium, address, players, events):
    """Games that a seat cannot tell apart are the same document: to all behind the curtain, and to the seat itself."""
    record = cut(to_record(random_game(players, "AABBAB", seed=6)), events)
    mover = replay(record).to_move
    curtain, turn = shown_to_people(chromium, address, record)
    for seat in range(players):
        other = next(disguised(record, seat))
        their_curtain, their_turn = shown_to_people(chromium, address, other)
        assert their_curtain == curtain
        assert seat != mover or their_turn == turn


def test_light_and_dark(chromium, address):
    """As the system prefers, until the visitor chooses; and the choice is kept."""
    with visit(chromium, address, address, color_scheme="dark") as visitor:
        page = visitor.page
        page.locator(":root[data-theme=dark]").wait_for()
        page.get_by_label("Light or dark").click()
        page.locator(":root[data-theme=light]").wait_for()
        page.reload()
        page.locator(":root[data-theme=light]").wait_for()


def test_opponents_among_themselves(visitor):
    visitor.start(2, "greedy", "tuned")
    visitor.page.locator(".sheet").wait_for()
    assert replay(visitor.saved()).is_over


def test_from_a_file_without_any_network(chromium, tmp_path):
    file = tmp_path / "crypt.html"
    file.write_text(game_page(shipped_networks()))
    with visit(chromium, file.as_uri()) as visitor:
        visitor.page.context.set_offline(True)
        visitor.start(2, "you", "puct")
        visitor.play(most=3)
        visitor.wait()
        record = visitor.saved()
        visitor.page.reload()
        visitor.wait()
        assert visitor.saved() == record
        replay(record)


@pytest.mark.parametrize("size", [(360, 740), (390, 844), (1280, 800)], ids=str)
def test_nothing_sticks_out(chromium, address, size):
    with visit(chromium, address, address, viewport={"width": size[0], "height": size[1]}) as visitor:
        visitor.start(4, "you", "greedy", "tuned", "ghost")
        visitor.play(most=3)
        visitor.wait()
        wide = visitor.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size[0]
