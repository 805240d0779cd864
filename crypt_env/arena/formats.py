"""A report as text, Markdown and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from .designs import EVEN
from .statistics import Estimate

if TYPE_CHECKING:
    from .report import Report


_SPECIAL = re.compile(r"([\\`*_\[\]<>&#~])")
_NUMBERS = re.compile(r"[-+0-9., %>]*(\[[-+0-9., ]*\]%?|\[unknown\])?")


class Table(NamedTuple):
    """A table whose first column is text."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def as_text(report: Report) -> str:
    """Return a report as aligned text."""
    parts = [summary(report)]
    for table in _tables(report):
        lines = [table.header, *table.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        parts.append("\n".join([table.title, *(_aligned(line, widths) for line in lines)]))
    return "\n\n".join(parts)


def as_markdown(report: Report) -> str:
    """Return a report as a paragraph and tables in Markdown."""
    parts = [plain(summary(report))]
    parts += [titled_table(*table) for table in _tables(report)]
    return "\n\n".join(parts) + "\n"


def as_html(report: Report) -> str:
    """Return a report as a paragraph and tables in HTML."""
    from crypt_env.drawing.tables import html_table

    return f"<p>{escape(summary(report))}</p>" + "".join(html_table(*table) for table in _tables(report))


def titled_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, its title above it; all columns but the first are numbers.

    Texts are shown literally: names may come from strangers. `markdown_table` leaves Markdown in cells as it is.
    """
    lines = [[*map(_literal, row)] for row in rows]
    return f"**{plain(title)}**\n\n{markdown_table([*map(_literal, header)], lines, right=len(header) - 1)}"


def plain(text: str) -> str:
    """Return a text from outside so that Markdown shows it literally."""
    return _SPECIAL.sub(r"\\\1", text)


def _literal(cell: str) -> str:
    """Return a cell so that Markdown shows it literally; the brackets of intervals need nothing."""
    return cell if _NUMBERS.fullmatch(cell) else plain(cell)


def markdown_table(header: Sequence[object], rows: Iterable[Iterable[object]], right: int = 0) -> str:
    """Return a table in Markdown, whose last ``right`` columns are right-aligned."""
    rule = "|---" * (len(header) - right) + "|---:" * right + "|"
    return "\n".join([markdown_line(header), rule, *map(markdown_line, rows)])


def markdown_line(cells: Iterable[object]) -> str:
    """Return a line of a table in Markdown; a ``|`` in a cell does not end it, and the first cell may be empty."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells).lstrip() + " |"


def summary(report: Report) -> str:
    """Return a short description of what was played."""
    tables = {name: f"an orthogonal set of {count} tables equally often" for name, count in EVEN.items()}
    tables |= {"random": "a random table each", "even": "all 64 tables equally often"}
    seatings = "" if report.players == 1 else f", each in {report.players} seatings"
    who = "Solo" if report.players == 1 else f"{report.players} players"
    line = "agent" if report.players == 1 else "line-up"
    return (
        f"{who}, {report.games} games for each {line} ({report.deals} deals{seatings}), "
        f"{tables.get(report.collectors, f'table {report.collectors}')}, seed {report.seed}. "
        f"In brackets: {report.confidence:.0%} confidence intervals."
    )


# -- the tables -------------------------------------------------------------------------------------------------------


def _tables(report: Report) -> list[Table]:
    solo = _solo_tables(report) if report.solos or report.differences else []
    tables = [_ratings(report), _pairings(report), _mixtures(report), *solo, _costs(report)]
    return [table for table in tables if table.rows]


def _ratings(report: Report) -> Table:
    rows = [(row.agent, estimate_cell(row.elo, ".0f")) for row in report.ratings]
    return Table("Ratings (Elo scale)", ("agent", "rating"), rows)


def _pairings(report: Report) -> Table:
    others = report.players - 1
    fair = "" if others == 1 else f"; equal agents: {1 / report.players:.1%}"
    rows = [
        (
            row.agent,
            row.opponent if others == 1 else f"{others} x {row.opponent}",
            percentage_cell(row.share),
            estimate_cell(row.margin, "+.2f"),
        )
        for row in report.pairings
    ]
    return Table(
        f"Pairs: the agent's share of the wins, and coins ahead of {_others(others)}{fair}",
        ("agent", "against", "wins", "coins ahead"),
        rows,
    )


def _mixtures(report: Report) -> Table:
    rows = [
        (row.agent, str(row.games), percentage_cell(row.share), estimate_cell(row.margin, "+.2f"))
        for row in report.mixtures
    ]
    return Table(
        f"Tables with different agents in all seats: the agent's share of the wins, and coins ahead of "
        f"{_others(report.players - 1)}; equal agents: {1 / report.players:.1%}",
        ("agent", "games", "wins", "coins ahead"),
        rows,
    )


def _others(count: int) -> str:
    """Return whom an agent's coins are compared with."""
    return "the other seat" if count == 1 else "the mean of the other seats"


def _solo_tables(report: Report) -> list[Table]:
    coins, titles, histogram = [], [], []
    percents = list(report.solos[0].quantiles) if report.solos else []
    names = list(report.solos[0].titles) if report.solos else []
    steps = sorted({int(step) for row in report.solos for step in row.histogram})
    for row in report.solos:
        quantiles = [f"{row.quantiles[percent]:.0f}" for percent in percents]
        coins.append((row.agent, estimate_cell(row.coins, ".2f"), f"{row.deviation:.2f}", *quantiles))
        titles.append((row.agent, *(percentage_cell(row.titles[name]) for name in names)))
        histogram.append((row.agent, *(str(row.histogram.get(str(step), 0)) for step in steps)))
    differences = [(row.agent, row.other, estimate_cell(row.coins, "+.2f")) for row in report.differences]
    return [
        Table("Coins", ("agent", "mean", "deviation", *(f"{percent}%" for percent in percents)), coins),
        Table("Titles", ("agent", *names), titles),
        Table("Games by coins", ("agent", *(f"{step}-{step + 4}" for step in steps)), histogram),
        Table("Differences on the same deals", ("agent", "against", "coins ahead"), differences),
    ]


def _costs(report: Report) -> Table:
    rows = [(row.agent, str(row.decisions), f"{row.microseconds:.2f}") for row in report.costs]
    return Table(
        "Cost (measured, so not the same in every run)",
        ("agent", "decisions", "processor time for one, microseconds"),
        rows,
    )


# -- cells ------------------------------------------------------------------------------------------------------------


def estimate_cell(estimate: Estimate, form: str) -> str:
    """Return an estimate with its interval."""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{form}} [unknown]"
    return f"{estimate.value:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"


def percentage_cell(estimate: Estimate) -> str:
    """Return a share with its interval, in per cent."""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.1%} [unknown]"
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]%"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of a table for a terminal: text left-aligned, numbers right-aligned."""
    first = f"{cells[0]:<{widths[0]}}"
    return "  ".join([first, *(f"{cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True))]).rstrip()
