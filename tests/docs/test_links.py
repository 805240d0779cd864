"""Links of the pages lead to files that exist, and to headings that stand in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.pages import PAGES, ROOT

pytestmark = pytest.mark.skipif(not (ROOT / "CONTRIBUTING.md").is_file(), reason="away from the sources")

TOP = [ROOT / f"{name}.md" for name in ("CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "SECURITY")]
MADE = {"crypt.html"}
"""What only the built site has."""


def without_code(text: str) -> str:
    """Return a page without its programs."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def links(text: str) -> list[str]:
    """Return where the links and pictures of a page lead, addresses on the web apart."""
    text = without_code(text)
    found = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)
    return [link for link in found if "://" not in link and link not in MADE]


def anchors(path: Path) -> set[str]:
    """Return the names of the headings of a page, as code hosts form them, and of its other anchors."""
    text = path.read_text(encoding="utf-8")
    named = set(re.findall(r'<a id="([^"]+)"', text))
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return named | {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def dead(path: Path, text: str) -> list[str]:
    """Return the links of a page that lead nowhere."""
    wrong = []
    for link in links(text):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("path", [*PAGES, *TOP], ids=lambda path: path.name)
def test_no_link_is_dead(path: Path) -> None:
    assert dead(path, path.read_text(encoding="utf-8")) == []


def test_dead_links_are_found() -> None:
    page = ROOT / "docs" / "faq.md"
    text = "[a](rewards.md) [b](nothing.md) [c](rewards.md#nothing) [d](#questions) [e](#nothing) `[f](code.md)`"
    assert dead(page, text) == ["nothing.md", "rewards.md#nothing", "#nothing"]


def test_every_page_is_reached_from_the_readme_in_two_clicks() -> None:
    """From the README to a page, and from there to any other page of the documentation."""
    near = {ROOT / "README.md"}
    for _ in range(2):
        found = {
            (page.parent / link.partition("#")[0]).resolve()
            for page in near
            for link in links(page.read_text(encoding="utf-8"))
        }
        near |= {page for page in found if page.suffix == ".md"}
    assert {page for page in PAGES if page not in near} <= {ROOT / "docs" / "index.md"}
