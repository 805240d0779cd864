"""The page of trainers has the numbers of the committed results, and names every example that it measures."""

from docs.pages import ROOT, benchmark

trainers, RESULTS = benchmark("trainers")


def test_the_table_is_that_of_the_results() -> None:
    page = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
    assert set(RESULTS) == set(trainers.EXAMPLES)
    assert trainers.table(RESULTS) in page
    assert all((ROOT / "examples" / name).is_file() and f"`{name}`" in page for name in RESULTS)


def test_every_trainer_learned_in_less_than_a_minute() -> None:
    for found in RESULTS.values():
        assert found["processor_seconds"] < 60
        before, after = (float((found[key] or "50").rstrip("%")) for key in ("before", "after"))
        assert after > before + 5


def test_the_page_of_datasets_has_the_same_number() -> None:
    found = RESULTS["behavior_cloning.py"]
    page = (ROOT / "docs" / "datasets.md").read_text(encoding="utf-8")
    assert f"After {found['budget']:,} games its clone wins {found['after']} against `greedy`" in page
