"""The README and the generated pages say what the code does."""

import re
from pathlib import Path

import pytest

import crypt_env
from crypt_env.rules.state import GAME
from docs.pages import load_generator

ROOT = Path(__file__).resolve().parents[2]


def test_readme_names_the_size_of_a_record() -> None:
    """The size of a game in the README is that of the record."""
    sizes = re.findall(r"one record of (\d+) bytes", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sizes == [str(GAME.itemsize)]


def test_the_page_of_public_names_has_all_of_them() -> None:
    """The first table of docs/api.md names what `crypt_env.__all__` does, each once."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    table = page.split("## `crypt_env`")[1].split("##")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(crypt_env.__all__)


def test_readme_commands_exist() -> None:
    """Every `make` target that the README names is in the Makefile."""
    targets = set(re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert targets
    assert targets <= rules


@pytest.mark.parametrize("name", ["observation.md", "actions.md", "position.md"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    """The tables in docs/ are those of the code."""
    page = load_generator().PAGES[name]()
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page


def test_no_generated_page_is_missing() -> None:
    """Every generated page exists."""
    pages = load_generator().PAGES
    assert {path.name for path in (ROOT / "docs").glob("*.md")} >= set(pages)
