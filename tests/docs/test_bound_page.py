"""The bound of the coins alone in docs/studies.md is the one in the committed results."""

from docs.pages import ROOT, benchmark


def test_the_bound_is_that_computed() -> None:
    """Its table, what is left, and the command that computes it."""
    perfect_alone, found = benchmark("perfect_alone")
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    assert perfect_alone.table(found) in page
    assert f"{perfect_alone.left(found)} coins" in page
    assert f"The bound comes from {found['scenarios']} deals" in page
    assert "{1:.2f} coins, and {0:.2f} without charges".format(*found["spread"]) in page
    options = f"--scenarios {found['scenarios']} --fit {found['fit']} --json benchmarks/results/perfect-alone.json"
    assert f"python benchmarks/perfect_alone.py {options}\n" in page


def test_no_player_is_above_the_bound() -> None:
    _, found = benchmark("perfect_alone")
    assert found["bound"][0] < found["free"][0]
    assert all(coins[0] < found["bound"][2] for coins in found["players"].values())
