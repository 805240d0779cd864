"""The page of trainers has the numbers of the committed results, and names every example that it measures."""

import importlib.util
import json

from docs.pages import ROOT

SPEC = importlib.util.spec_from_file_location("trainers", ROOT / "benchmarks" / "trainers.py")
trainers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(trainers)


def test_the_table_is_that_of_the_results() -> None:
    results = json.loads(trainers.RESULT.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
    assert set(results) == set(trainers.EXAMPLES)
    assert trainers.table(results) in page
    assert all((ROOT / "examples" / name).is_file() and f"`{name}`" in page for name in results)


def test_every_trainer_learned_in_less_than_two_minutes() -> None:
    for found in json.loads(trainers.RESULT.read_text(encoding="utf-8")).values():
        assert found["processor_seconds"] < 120
        before, after = (float((found[key] or "50").rstrip("%")) for key in ("before", "after"))
        assert after > before + 5


def test_the_page_of_datasets_has_the_same_number() -> None:
    found = json.loads(trainers.RESULT.read_text(encoding="utf-8"))["behavior_cloning.py"]
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    assert f"On {found['budget']:,} games its clone wins {found['after']} against `greedy`" in page
