"""Every example runs as a user would run it, warnings being errors, and prints something."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
SHORT = {
    "agilerl_ppo.py": ["40960"],
    "behavior_cloning.py": ["600"],
    "maskable_ppo.py": ["65536"],
    "openspiel_deep_cfr.py": ["8"],
    "openspiel_mccfr.py": ["200"],
    "pettingzoo_masking.py": ["10240"],
    "ppo_from_scratch.py": ["163840"],
    "rllib_selfplay.py": ["20000"],
    "self_play.py": ["20000"],
    "tianshou_ppo.py": ["20480"],
    "torchrl_ppo.py": ["40960"],
}
"""Arguments that shorten examples that would train for a minute."""
LEARNS = {
    "agilerl_ppo.py": (r"([\d.]+) after", 30.0),
    "behavior_cloning.py": (r"([\d.]+)% of the wins against greedy", 70.0),
    "maskable_ppo.py": (r"([\d.]+) after", 32.0),
    "pettingzoo_masking.py": (r"([\d.]+)% after", 75.0),
    "ppo_from_scratch.py": (r"wins ([\d.]+)%", 75.0),
    "tianshou_ppo.py": (r"([\d.]+) after", 31.0),
    "torchrl_ppo.py": (r"([\d.]+) after", 36.0),
}
"""What examples that learn print last, and the least that they must reach when shortened.

Random play brings 28 coins in the Only Child, and half of the wins against random."""
NOISY = {
    "agilerl_ppo.py": ["-W", "ignore::DeprecationWarning"],
    "torchrl_ppo.py": ["-W", "ignore::DeprecationWarning"],
}
"""Libraries that warn of themselves."""


def test_there_are_examples() -> None:
    """The folder of examples is where the tests look for it, and every entry above is for an existing example."""
    assert len(EXAMPLES) >= 6
    assert {*SHORT, *LEARNS} <= {path.name for path in EXAMPLES}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(path: Path, tmp_path: Path) -> None:
    """The example ends without an error or a warning."""
    for library in ("agilerl", "torch", "pyspiel", "ray", "tianshou", "torchrl"):
        imports = re.search(rf"^\s*(import|from) {library}\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        if imports and find_spec(library) is None:
            pytest.skip(f"{library} is not installed" if library != "agilerl" else "agilerl needs versions of its own")
    command = [sys.executable, "-W", "error", *NOISY.get(path.name, []), str(path), *SHORT.get(path.name, [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    if path.name in LEARNS:
        pattern, least = LEARNS[path.name]
        assert float(re.findall(pattern, done.stdout)[-1]) >= least, done.stdout


@pytest.mark.parametrize(
    ("name", "library", "printed"),
    [
        ("openspiel_mccfr.py", "pyspiel", r"^3 iterations: \d"),
        ("ppo_from_scratch.py", "torch", r"8,192 decisions: wins \d"),
    ],
)
def test_few_iterations_are_enough_to_print_something(name: str, library: str, printed: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    path = EXAMPLES[0].with_name(name)
    done = subprocess.run([sys.executable, str(path), "3"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(printed, done.stdout, re.MULTILINE)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_is_short(path: Path) -> None:
    """An example fits on one screen, more or less."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 85
