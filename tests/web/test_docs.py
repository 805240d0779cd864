"""The page about playing: its pictures are there, and its commands have the options that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.processes import crypt
from crypt_env.web.packed import FOLDER

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "play.md").read_text(encoding="utf-8")


def test_every_picture_is_shown():
    pages = (page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    shown = {name for page in pages for name in re.findall(r"\]\((pictures/[\w-]+\.png)\)", page)}
    assert {f"pictures/{file.name}" for file in (DOCS / "pictures").glob("*.png")} == shown


@pytest.mark.parametrize("command", ["play", "watch", "replay"])
def test_options_that_are_named_exist(command):
    options = {
        option for line in re.findall(rf"crypt {command}[^`\n]*", PAGE) for option in re.findall(r"--[\w-]+", line)
    }
    help_text = crypt(command, "--help").stdout
    assert all(option in help_text for option in options)


def test_all_opponents_of_the_page_are_described():
    labels = re.findall(r'name: "\w+",\s+label: "([\w ]+)"', (FOLDER / "opponents.js").read_text(encoding="utf-8"))
    described = re.findall(r"^\| ([A-Z][\w ]+?) +\| `", PAGE, re.MULTILINE)
    assert len(labels) > 5
    assert described == labels
