"""Take the pictures of the page that the docs show; it needs Chromium and Playwright.

python -m tools.page_pictures
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from crypt_env import Game, to_record
from crypt_env.agents import make_agent
from crypt_env.files import write_bytes
from crypt_env.notation.actions import parse_action
from crypt_env.web.replays import replay_html
from crypt_env.web.server import PageServer

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SEATS = ("tuned", "net:quartet", "tuned", "greedy")
LEVELS = "you.net.tuned.greedy"
SEED = 15
DESKTOP, PHONE = (1280, 860), (390, 844)
SETTLED = 1500
"""Milliseconds after which nothing moves any more."""


def middle() -> Game:
    """Return a game of four in its middle, seat 0 to claim and with much to choose from."""
    game, agents = Game(4, "ABABAB", leader=1, seed=SEED), [make_agent(name) for name in SEATS]
    while game.to_move is not None and not (game.round >= 5 and game.to_move == 0 and len(game.legal()) > 30):
        game.play(agents[game.to_move].choose(game))
    return game


def link(game: Game) -> str:
    """Return what stands after the # of a link to a game."""
    record = to_record(game)
    actions = [parse_action(event[2]) for event in record["events"] if event[0] == "act"]
    return (
        f"#seed={SEED}&players=4&table={record['collectors']}&leader={record['leader']}&seats={LEVELS}"
        f"&actions={'.'.join(np.base_repr(action, 36).lower() for action in actions)}"
    )


def take(browser: Any, name: str, address: str, size: tuple[int, int], scheme: str, *, is_replay: bool = False) -> None:
    """Open the page, choose a card or go to a decision of another opinion, and write what is seen to a file."""
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme).new_page()
    page.goto(address)
    if is_replay:
        page.locator(".wall").wait_for()
        while not page.locator(".differs").count():
            page.keyboard.press("]")
    else:
        page.locator(".niche.open").nth(1).click()
    page.wait_for_timeout(SETTLED)
    write_bytes(PICTURES / f"{name}.png", page.screenshot())
    page.close()


def finished() -> Game:
    """Return a whole game of two networks."""
    game, agent = Game(2, "AABBAB", leader=0, seed=SEED), make_agent("net:duel:draw")
    while not game.is_over:
        game.play(agent.choose(game))
    return game


def main() -> None:
    """Write all pictures."""
    from playwright.sync_api import sync_playwright

    with PageServer() as server, sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        game = server.address + link(middle())
        take(browser, "play", game, DESKTOP, "dark")
        take(browser, "play-phone", game, PHONE, "light")
        file = Path(folder) / "replay.html"
        file.write_text(replay_html(to_record(finished()), agent="net:duel"), encoding="utf-8")
        take(browser, "replay", file.as_uri(), DESKTOP, "light", is_replay=True)
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
