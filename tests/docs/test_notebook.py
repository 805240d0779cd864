"""The notebook runs from top to bottom, and every cell shows what it says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "look.ipynb"


def outputs(notebook: Any) -> list[Any]:
    """Return the outputs of all cells."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_it_is_saved_without_outputs() -> None:
    """Pages that hold everything would make it several megabytes, and drawings would become outdated."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert outputs(notebook) == []
    assert all(cell.get("execution_count") is None for cell in notebook.cells)


def test_it_runs() -> None:
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=where).execute()  # raises what a cell raises
    shown = Counter(kind for output in outputs(notebook) for kind in output.get("data", {}))
    assert not [
        output for output in outputs(notebook) if output.output_type == "error" or output.get("name") == "stderr"
    ]
    assert shown["image/svg+xml"] == 6  # games, a view, a batch, a record, a board that is updated
    assert shown["image/png"] == 1
    pages = [
        output.data["text/html"]
        for output in outputs(notebook)
        if "<iframe" in output.get("data", {}).get("text/html", "")
    ]
    assert len(pages) == 2
    assert shown["text/html"] - len(pages) == 4  # an outcome, a score sheet, a report, a network
