"""Every example runs and prints what it says: in the README, on all pages and in all docstrings."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import crypt_env
from docs.pages import PAGES, ROOT

EXTRAS = {
    "crypt_env.ppo": "sb3_contrib",
    "crypt_env.envs.sb3": "sb3_contrib",
    "crypt_env.envs.openspiel": "pyspiel",
    "openspiel.md": "pyspiel",
    "crypt_env.envs.rllib": "ray.rllib",
    "rllib.md": "ray.rllib",
}
"""What must be installed for the examples of a module or a page."""


def with_examples() -> list[str]:
    """Return the modules of the package that show an example."""
    folder = Path(crypt_env.__file__).parent
    found = pkgutil.walk_packages([str(folder)], "crypt_env.", onerror=lambda name: None)
    names = ["crypt_env", *(module.name for module in found)]
    return [name for name in names if ">>> " in source_of(folder.parent, name)]


def source_of(root: Path, module: str) -> str:
    """Return the source of a module, without importing it."""
    path = root.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(encoding="utf-8")


def need(name: str) -> None:
    """Skip a test whose examples need something that is not installed."""
    for start, library in EXTRAS.items():
        if name.startswith(start):
            pytest.importorskip(library)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")], ids=lambda page: page.name
)
def test_examples_of_pages(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(page.name)
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("name", with_examples())
def test_examples_of_docstrings(name: str) -> None:
    need(name)
    result = doctest.testmod(import_module(name))
    assert result.failed == 0
