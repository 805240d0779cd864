"""The benchmarks can be run: each is a separate script outside the package."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_says_how_it_is_run(path, monkeypatch, capsys):
    """It can be imported, and its help names the options of its docstring."""
    if "training" in path.read_text(encoding="utf-8"):
        pytest.importorskip("sb3_contrib")
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 0
    shown = capsys.readouterr().out
    (usage,) = (line for line in module.__doc__.splitlines() if f"python benchmarks/{path.name}" in line)
    for option in (word.strip("[]") for word in usage.split() if word.startswith("[--")):
        assert option in shown
