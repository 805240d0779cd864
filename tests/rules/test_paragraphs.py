"""Every paragraph of the rules has a test, and every rule test says which paragraphs it proves.

The marks are read from the source, so that it does not matter which tests are run and in which process.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rules.paragraphs import PARAGRAPHS, proves

RULE_TESTS = [path for path in sorted(Path(__file__).parent.glob("test_*.py")) if path != Path(__file__)]


def marks_in(source: str) -> dict[str, set[str]]:
    """Return each test of a module and the ids of its marks."""
    marks = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks[node.name] = {
                argument.value
                for decorator in node.decorator_list
                if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "proves"
                for argument in decorator.args
                if isinstance(argument, ast.Constant)
            }
    return marks


def all_marks() -> dict[str, set[str]]:
    """Return the marks of every rule test."""
    marks = {}
    for path in RULE_TESTS:
        marks |= {f"{path.name}::{test}": ids for test, ids in marks_in(path.read_text(encoding="utf-8")).items()}
    return marks


def without_test(paragraphs: dict[str, str], marks: dict[str, set[str]]) -> list[str]:
    """Return the paragraphs that no test proves."""
    return sorted(set(paragraphs) - set().union(*marks.values()))


def test_every_paragraph_has_a_test() -> None:
    missing = without_test(PARAGRAPHS, all_marks())
    assert not missing, "paragraphs without a test: " + "; ".join(f"{name} ({PARAGRAPHS[name]})" for name in missing)


def test_no_test_names_an_unknown_paragraph() -> None:
    unknown = {test: ids - set(PARAGRAPHS) for test, ids in all_marks().items() if ids - set(PARAGRAPHS)}
    assert not unknown


def test_every_rule_test_names_a_paragraph_and_cites_it() -> None:
    """The mark is for the machine, the docstring for the reader."""
    unmarked = [test for test, ids in all_marks().items() if not ids]
    assert not unmarked
    for path in RULE_TESTS:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path.name}::{node.name} has no docstring"


def test_no_two_tests_of_a_file_share_a_name() -> None:
    """The second one would silently replace the first."""
    for path in RULE_TESTS:
        names = [node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(node, "name")]
        assert len(names) == len(set(names)), path.name


def test_all_rulings_are_listed() -> None:
    assert [name for name in PARAGRAPHS if name[0] == "R"] == [f"R{number}" for number in range(1, 13)]


def test_every_statement_is_said_once() -> None:
    assert len(set(PARAGRAPHS.values())) == len(PARAGRAPHS)


def test_the_search_for_marks_can_fail() -> None:
    source = '@proves("R1", "9.nonsense")\ndef test_a(): ...\n@parametrize("R2")\ndef test_b(): ...\n'
    marks = marks_in(source)
    assert marks == {"test_a": {"R1", "9.nonsense"}, "test_b": set()}
    assert without_test({"R1": "", "R2": ""}, marks) == ["R2"]


def test_a_wrong_mark_is_refused() -> None:
    with pytest.raises(ValueError, match=r"9\.nonsense"):
        proves("R1", "9.nonsense")
    with pytest.raises(ValueError, match="left out"):
        proves()
