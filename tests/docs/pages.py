"""The pages of the documentation, and what makes some of them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def load_script(path: Path) -> ModuleType:
    """Import a script, which is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_generator() -> ModuleType:
    """Import docs/generate.py."""
    return load_script(ROOT / "docs" / "generate.py")


def benchmark(name: str) -> tuple[ModuleType, Any]:
    """Return a benchmark's module and the results that it has written."""
    path = ROOT / "benchmarks" / "results" / f"{name.replace('_', '-')}.json"
    return load_script(ROOT / "benchmarks" / f"{name}.py"), json.loads(path.read_text(encoding="utf-8"))
