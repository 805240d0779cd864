"""Tables for notebooks: HTML that takes its fonts and colours from the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_CELL = "padding:0.15em 0.7em;text-align:{};border:none"
_CAPTION = "text-align:left;white-space:nowrap;padding:0.3em 0.7em"


def html_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table: its title above it, text left-aligned, numbers right-aligned."""
    sides = ["right" if _is_number(column) else "left" for column in zip(*rows, strict=True)] or ["left"] * len(header)
    lines = [_line("th", header, sides), *(_line("td", row, sides) for row in rows)]
    caption = f'<caption style="{_CAPTION}">{escape(title)}</caption>' if title else ""
    head, *body = lines
    return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"


def _is_number(cells: Sequence[str]) -> bool:
    """Return whether all nonempty cells of a column are numbers."""
    return any(cells) and all(cell.lstrip("+-")[:1].isdigit() for cell in cells if cell)


def _line(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    shown = [
        f'<{tag} style="{_CELL.format(side)}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
    ]
    return f"<tr>{''.join(shown)}</tr>"
