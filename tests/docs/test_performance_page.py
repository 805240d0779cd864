"""The page on performance has the numbers of the committed results."""

import importlib.util
import json

from docs.pages import ROOT

SPEC = importlib.util.spec_from_file_location("cold_start", ROOT / "benchmarks" / "cold_start.py")
cold_start = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(cold_start)


def test_the_first_start_is_that_measured() -> None:
    """The tables of starts, sizes and memory, of exactly what the benchmark measures."""
    found = json.loads(cold_start.RESULT.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert set(found["starts"]) == set(cold_start.STARTS)
    assert set(found["memory"]) == set(cold_start.MEMORY)
    assert cold_start.start_table(found) in page
    assert cold_start.size_table(found) in page
