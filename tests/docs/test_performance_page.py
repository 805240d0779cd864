"""The page on performance has the numbers of the committed results."""

from docs.pages import ROOT, benchmark


def test_the_first_start_is_that_measured() -> None:
    """The tables of starts, sizes and memory, of exactly what the benchmark measures."""
    cold_start, found = benchmark("cold_start")
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert set(found["starts"]) == set(cold_start.STARTS)
    assert set(found["memory"]) == set(cold_start.MEMORY)
    assert cold_start.start_table(found) in page
    assert cold_start.size_table(found) in page
