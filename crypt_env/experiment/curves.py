"""Learning curves: read from runs, and drawn.

Runs whose settings differ only in name and seed are drawn as one line, their mean, with a band from the worst to the
best of them; the band of a single run is the interval of its evaluations.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.files import write_bytes

Curve = dict[str, NDArray[np.float64]]
"""The columns of a run's curves, by name."""

_NOT_SETTINGS = ("name", "seed", "wandb", "tensorboard", "workers")


def read_curves(folder: Path) -> Curve:
    """Read the evaluations of a run.

    Raises:
        CryptError: there are none.
    """
    path = folder / "curves.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        columns = {name: np.array([float(row[name] or "nan") for row in rows]) for name in rows[0]}
    except OSError as error:
        raise CryptError(f"{str(path)!r} cannot be read: {error.strerror}; the folder of a run has it") from None
    except (ValueError, TypeError, IndexError, csv.Error):
        raise CryptError(f"{str(path)!r} is not a table of evaluations") from None
    if not {"decisions", "seconds"} <= columns.keys():
        raise CryptError(f"{str(path)!r} is not a table of evaluations: a column of decisions or seconds is missing")
    return columns


def measures(curve: Curve) -> list[str]:
    """Return the measures that have values with an interval: "coins", or an opponent's name for the share of wins."""
    names = [name for name in curve if f"{name} low" in curve and f"{name} high" in curve]
    return [name for name in names if np.isfinite(curve[name]).any()]


def group_runs(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """Group the folders of runs by their settings; return the groups by a name for each."""
    groups: dict[str, list[Path]] = {}
    for folder in folders:
        try:
            settings = json.loads((folder / "run.json").read_text(encoding="utf-8"))["settings"]
            key = json.dumps({name: value for name, value in settings.items() if name not in _NOT_SETTINGS})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            key = str(folder)
        groups.setdefault(key, []).append(folder)
    named: dict[str, list[Path]] = {}
    for number, found in enumerate(groups.values()):
        whole = found[0].resolve()  # of "." too, which has no name
        name = whole.name.lstrip("_") or str(whole)  # matplotlib leaves out labels with _ at the start
        label = name + (f" and {len(found) - 1} more" if len(found) > 1 else "")
        named[label if label not in named else f"{label} ({number})"] = found
    return named


def band(curves: Sequence[Curve], measure: str, over: str) -> tuple[NDArray[np.float64], ...]:
    """Return positions, means, and the lower and upper edge of the band around them.

    Several runs are compared within the range that all have reached, at the positions of the run with most of them.
    """
    curves = [curve for curve in curves if measure in curve and np.isfinite(curve[measure]).any()]
    if len(curves) == 1:
        (curve,) = curves
        return curve[over], curve[measure], curve[f"{measure} low"], curve[f"{measure} high"]
    first, last = max(curve[over][0] for curve in curves), min(curve[over][-1] for curve in curves)
    inside = [curve[over][(curve[over] >= first) & (curve[over] <= last)] for curve in curves]
    places = max(inside, key=len)
    values = np.array([np.interp(places, curve[over], curve[measure]) for curve in curves])
    return places, values.mean(axis=0), values.min(axis=0), values.max(axis=0)


def draw_curves(folders: Sequence[Path], out: Path, over: str = "decisions") -> None:
    """Draw the curves of runs, a panel for each measure, into a PNG file.

    Args:
        folders: of the runs.
        out: the file.
        over: "decisions" or "seconds", the horizontal axis.

    Raises:
        CryptError: a folder holds no curves, or matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.ticker import PercentFormatter
    except ImportError:
        raise CryptError("curves cannot be drawn without matplotlib; run pip install matplotlib") from None
    groups = {label: [read_curves(folder) for folder in found] for label, found in group_runs(folders).items()}
    shown = list(dict.fromkeys(name for curves in groups.values() for curve in curves for name in measures(curve)))
    if not shown:
        raise CryptError("there is nothing to draw: the runs have no evaluations")
    figure = Figure(figsize=(6 * len(shown), 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, measure in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown, strict=True):
        _draw_panel(axes, groups, measure, over)
        if measure != "coins":
            axes.yaxis.set_major_formatter(PercentFormatter(xmax=1.0))  # with as many digits as the ticks need
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=110)
    write_bytes(out, picture.getvalue())


def _draw_panel(axes: Any, groups: dict[str, list[Curve]], measure: str, over: str) -> None:
    unit, text = (1e6, "million decisions") if over == "decisions" else (60.0, "minutes")
    for label, curves in groups.items():
        if any(measure in curve for curve in curves):
            places, means, low, high = band(curves, measure, over)
            (line,) = axes.plot(places / unit, means, marker=".", label=label)
            axes.fill_between(places / unit, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    is_coins = measure == "coins"
    axes.set_title("alone against the Ghost" if is_coins else f"against {measure}", parse_math=False)
    axes.set_ylabel("coins" if is_coins else "share of wins")
    axes.set_xlabel(text)
    axes.grid(alpha=0.3)
    for text in axes.legend().get_texts():
        text.set_parse_math(False)  # a folder's name may have dollar signs
