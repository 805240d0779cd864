"""The README: its numbers are those of the result files, its programs run, its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import crypt_env
from crypt_env import ACTIONS, FEATURES
from crypt_env.cli.main import COMMANDS
from docs.pages import ROOT
from tools import measured

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
WITHOUT_BLOCKS = re.sub(r"<!-- measured: .*?<!-- end -->", "", TEXT, flags=re.DOTALL)


def test_numbers_are_those_of_the_result_files() -> None:
    assert measured.filled(TEXT) == TEXT, "the README is out of date; run: python -m tools.measured"


def test_every_block_has_its_place() -> None:
    assert sorted(re.findall(r"<!-- measured: (.*) -->", TEXT)) == sorted(measured.BLOCKS)
    assert TEXT.count("<!-- end -->") == len(measured.BLOCKS)


def test_a_changed_number_is_noticed() -> None:
    block = re.search(r"<!-- measured: strength -->\n(.*?)<!-- end -->", TEXT, re.DOTALL)
    assert block is not None
    number = re.findall(r"\d+\.\d", block[1])[0]
    assert measured.filled(TEXT.replace(number, "99.9")) == TEXT


def test_sizes_are_those_of_the_code() -> None:
    assert set(re.findall(r"(\d+) actions", WITHOUT_BLOCKS)) == {str(ACTIONS)}
    assert re.findall(r"in (\d+) numbers", WITHOUT_BLOCKS) == [str(FEATURES)]


def test_measured_numbers_stand_in_blocks_alone() -> None:
    """No percentages, speeds or decimals outside, apart from programs and the version."""
    prose = re.sub(r"```.*?```", "", WITHOUT_BLOCKS, flags=re.DOTALL)
    assert not re.findall(r"\d%|\d\s?k/s|\d,\d{3}|\d+\.\d+(?!\d* or newer)", prose)


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= 250


def test_commands_exist() -> None:
    named = re.findall(r"^crypt (\w+)", TEXT, re.MULTILINE)
    assert len(named) >= 4
    assert set(named) <= set(COMMANDS)


def test_the_training_learns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program under "Train" runs as it stands, here for fewer decisions."""
    pytest.importorskip("sb3_contrib")
    program = re.findall(r"^```python\n((?!>>>).*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert len(program) == 1
    short = program[0].replace("2_000_000", "20_000").replace("games=1000", "games=64")
    assert short.count("20_000") == short.count("games=64") == 1
    monkeypatch.chdir(tmp_path)
    exec(compile(short, "README.md", "exec"), {})
    assert "% of the wins against greedy" in capsys.readouterr().out
    assert (tmp_path / "mine.safetensors").is_file()


def test_the_citation_is_that_of_the_citation_file() -> None:
    file = ROOT / "CITATION.cff"
    if not file.is_file():
        pytest.skip("away from the sources")
    cited = dict(re.findall(r"^  (\w+) += \{+(.*?)\}+,$", TEXT, re.MULTILINE))
    known = dict(re.findall(r'^ *-? ?(\w+): "(.*)"$', file.read_text(encoding="utf-8"), re.MULTILINE))
    assert cited["title"] == known["title"]
    assert cited["author"] == known["name"]
    assert cited["version"] == crypt_env.__version__
