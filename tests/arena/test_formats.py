"""Tables in Markdown, as reports and benchmarks write them."""

from __future__ import annotations

from crypt_env.arena.formats import markdown_line, markdown_table, titled_table


def test_a_table_has_its_cells_and_sides() -> None:
    rows = ((name, coins, f"{coins / 100:.0%}") for name, coins in {"greedy": 31, "": 7}.items())
    assert markdown_table(("agent", "coins", "share"), rows, right=1).splitlines() == [
        "| agent | coins | share |",
        "|---|---|---:|",
        "| greedy | 31 | 31% |",
        "| | 7 | 7% |",
    ]


def test_a_table_may_have_no_lines_and_no_numbers() -> None:
    assert markdown_table(("", "coins"), []) == "| | coins |\n|---|---|"


def test_a_bar_stays_in_its_cell() -> None:
    assert markdown_line(("a|b", "", "||")) == r"| a\|b |  | \|\| |"
    assert markdown_table(("a|b",), [("c|d",)]) == "| a\\|b |\n|---|\n| c\\|d |"


def test_names_from_strangers_are_shown_literally() -> None:
    """Neither HTML nor links; numbers with their intervals stay as they are."""
    rows = [("<img src=x>", "[a](b)", "-1.5 [-2.0, 1.0]"), ("a|b\\", "2 [unknown]", "50.0 [40.0, 60.0]%")]
    assert titled_table("of *x*", ("_agent_", "> 0.5", "10%"), rows).splitlines() == [
        r"**of \*x\***",
        "",
        r"| \_agent\_ | > 0.5 | 10% |",
        "|---|---:|---:|",
        r"| \<img src=x\> | \[a\](b) | -1.5 [-2.0, 1.0] |",
        r"| a\|b\\ | 2 [unknown] | 50.0 [40.0, 60.0]% |",
    ]
    assert markdown_table(("`agent`",), [("**x**",)]).splitlines() == ["| `agent` |", "|---|", "| **x** |"]


def test_all_columns_of_a_titled_table_but_the_first_are_numbers() -> None:
    assert titled_table("Coins", ("agent", "mean", "10%"), [("random", "9.5", "4")]).splitlines() == [
        "**Coins**",
        "",
        "| agent | mean | 10% |",
        "|---|---:|---:|",
        "| random | 9.5 | 4 |",
    ]
