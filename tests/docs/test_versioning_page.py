"""The page on versions names the ids, layouts and formats of the code."""

from __future__ import annotations

import re

import pytest

import crypt_env
from crypt_env import ACTIONS
from crypt_env.agents import network_file
from crypt_env.arena import report, store
from crypt_env.benchmark import PROTOCOL, results
from crypt_env.benchmark import VERSION as BENCHMARK
from crypt_env.notation import record
from crypt_env.rules.observe import LAYOUT_VERSION
from docs.pages import ROOT

TEXT = (ROOT / "docs" / "versioning.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (.*?) \| (.*?) \|", TEXT, re.MULTILINE))


def test_the_table_has_the_numbers_of_the_code() -> None:
    assert re.findall(r"`(.*?)`", ROWS["environment ids"]) == [*sorted(crypt_env.ENVIRONMENTS), "crypt_v0"]
    assert ROWS["observation layout"] == f"`{LAYOUT_VERSION}`"
    assert ROWS["actions"] == f"`{ACTIONS}`"
    assert ROWS["records"] == f"`{record.FORMAT}`"
    assert ROWS["positions"] == f"`{crypt_env.Game(2, seed=1).text().split()[0]}`"
    assert ROWS["networks"] == f"`{network_file.FORMAT}`"
    assert ROWS["arena reports"] == f"`{report.FORMAT}`"
    assert ROWS["unfinished tournaments"] == f"`{store.FORMAT}`"
    assert ROWS["the benchmark"] == f"{PROTOCOL}, version `{BENCHMARK}`"
    assert ROWS["results of the benchmark"] == f"`{results.FORMAT}`"


def test_the_format_of_checkpoints_is_that_of_the_code() -> None:
    pytest.importorskip("torch")
    from crypt_env.experiment import checkpoint_file

    assert ROWS["checkpoints of runs"] == f"`{checkpoint_file.FORMAT}`"


def test_the_oldest_python_is_that_of_the_project() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.findall(r'requires-python = ">=(.*)"', project) == re.findall(r"- Python (3\.\d+) and newer", TEXT)
