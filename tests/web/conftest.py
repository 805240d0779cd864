"""Shared by the tests of the page: one browser and one server."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from crypt_env.web.server import PageServer
from web.browser import CHROMIUM, Visitor, visit


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    """The browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where the page is."""
    with PageServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


@pytest.fixture
def visitor(chromium, address) -> Iterator[Visitor]:
    """A visitor who has just opened the page."""
    with visit(chromium, address, address) as visitor:
        yield visitor
