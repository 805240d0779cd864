"""The benchmarks can be run: each is a separate script outside the package."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "benchmarks").glob("*.py"))


COUNTED = ("--decisions", "--games", "--minutes", "--repeats", "--rollouts", "--rounds", "--seconds", "--jobs")


@pytest.fixture(params=SCRIPTS, ids=lambda path: path.stem)
def script(request, monkeypatch):
    """A benchmark: its module, and a function that runs it with arguments, of which none lets it begin."""
    path = request.param
    if "training" in path.read_text(encoding="utf-8"):
        pytest.importorskip("sb3_contrib")
    monkeypatch.syspath_prepend(path.parent)
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)

    def ended(*arguments):
        monkeypatch.setattr(sys, "argv", [path.name, *arguments])
        with pytest.raises(SystemExit) as end:
            module.main()
        return end.value.code

    return module, ended


def test_a_benchmark_says_how_it_is_run(script, capsys):
    """It can be imported, and its help names the options of its docstring."""
    module, ended = script
    assert ended("--help") == 0
    shown = capsys.readouterr().out
    (usage,) = (line for line in module.__doc__.splitlines() if f"python benchmarks/{module.__name__}.py" in line)
    for option in (word.strip("[]") for word in usage.split() if word.startswith("[--")):
        assert option in shown


def test_a_wrong_number_is_refused_before_anything_is_measured(script, capsys):
    _, ended = script
    ended("--help")
    known = capsys.readouterr().out.split()
    for option in set(COUNTED).intersection(known):
        assert ended(option, "0") == 2
        assert "'0' is not possible" in capsys.readouterr().err
    if "--json" in known:
        assert ended("--json", "/") == 2
        assert "cannot be written" in capsys.readouterr().err
