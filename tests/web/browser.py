"""A real browser for the tests of the page: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HAS_DRIVER = importlib.util.find_spec("playwright") is not None

_MISSING = (
    "no browser; get it as in: apt-get install chromium"
    if CHROMIUM is None
    else "no driver of the browser; get it with: pip install playwright"
)
needs_browser = pytest.mark.skipif(CHROMIUM is None or not HAS_DRIVER, reason=_MISSING)

WISHES = "localStorage.getItem('crypt-preferences') ?? localStorage.setItem('crypt-preferences', '{\"speed\":\"0\"}')"

PLAY = """async ({ seed, most }) => {
  let state = seed;
  const below = (count) => (state = (state * 48271) % 2147483647) % count;
  const one = (selector) => { const all = document.querySelectorAll(selector); return all[below(all.length)]; };
  const sleep = (pause) => new Promise((resolve) => setTimeout(resolve, pause));
  const seen = [];
  for (let decisions = 0; decisions < most; ) {
    const stop = performance.now() + 20000;
    while (!document.querySelector(".sheet, .choices:not([hidden]), .curtain, [role=alert]")) {
      if (performance.now() > stop) throw new Error("no seat is asked any more");
      await sleep(3);
    }
    if (document.querySelector(".sheet, [role=alert]")) break;
    if (document.querySelector(".curtain")) {
      seen.push(document.body.outerHTML);
      document.querySelector(".curtain button").click();
      continue;
    }
    if (document.querySelector(".niche.open") && below(4)) {
      one(".niche.open").click();
      one(".count button:not(:disabled)").click();
      one(".effort button:not(:disabled)").click();
      document.querySelector(".confirm").click();
    } else if (document.querySelector(".choices .action")) one(".choices .action").click();
    decisions += 1;
    await sleep(0);
  }
  return seen;
}"""
"""Plays a number of decisions by clicks; returns what the document was behind each curtain."""


class Visitor:
    """A visitor of the page, who records everything that it should not do."""

    def __init__(self, page, home: str) -> None:
        self.page = page
        self.home = home
        self.strange: list[str] = []
        page.on("console", lambda message: self.strange.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.strange.append(str(error)))
        page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith((self.home, "blob:", "data:", "file:")):
            self.strange.append(url)

    def start(self, players: int, *seats: str) -> None:
        """Begin a game from the start screen."""
        self.page.locator(f"[data-control=players-{players}]").click()
        for seat, level in enumerate(seats):
            self.page.locator(f"[data-control=seat-{seat}]").select_option(level)
        self.page.get_by_text("Enter the crypt").click()

    def play(self, seed: int = 1, most: int = 1000) -> list[str]:
        """Play decisions by clicks, to the end if there are enough of them."""
        return self.page.evaluate(PLAY, {"seed": seed, "most": most})

    def wait(self) -> None:
        """Wait until something is to be decided, or the game is over."""
        self.page.locator(".sheet, .choices:not([hidden]), .curtain").first.wait_for()

    def saved(self) -> dict:
        """Return the record that the button saves."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name="Save", exact=True).click()
        return json.loads(download.value.path().read_text())

    def totals(self) -> list[int]:
        """Return the totals on the score sheet."""
        return [int(cell) for cell in self.page.locator(".sheet tfoot td").all_inner_texts()]

    def table(self) -> str:
        """Return everything that is drawn and written about the table."""
        return self.page.locator(".table").inner_html() + self.page.locator("aside").inner_html()


@contextmanager
def visit(chromium, url: str, home: str = "file:", **options) -> Iterator[Visitor]:
    """Open an address in a fresh context; no error may occur there."""
    context = chromium.new_context(**options)
    context.add_init_script(WISHES)
    visitor = Visitor(context.new_page(), home)
    visitor.page.goto(url)
    yield visitor
    assert visitor.strange == []
    context.close()
