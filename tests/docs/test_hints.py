"""What messages, examples and pages tell people to install can be installed: nothing of this name is published yet."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    ROOT / "README.md",
    *(path for name in ("crypt_env", "training", "examples", "docs") for path in (ROOT / name).rglob("*")),
]
TEXTS = [path for path in FILES if path.suffix in (".py", ".md")]


def hints(text: str) -> list[str]:
    """Return what follows "pip install" in a text."""
    return re.findall(r"pip install (?:-\S+ )*['\"]?([^\s'\"`);]+)", text)


def test_hints_are_found() -> None:
    """In every form in which they are written."""
    text = (
        """pip install . and `pip install -e '.[train]'`; "pip install 'crypt-env[train]'" (pip install matplotlib)"""
    )
    assert hints(text) == [".", ".[train]", "crypt-env[train]", "matplotlib"]
    assert len(TEXTS) > 15


def test_hints_can_be_followed() -> None:
    """Sources are installed from their folder, with extras that exist."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.optional-dependencies]")[1]
    extras = re.findall(r"^([a-z]+) = \[$", project.split("\n[")[0], re.MULTILINE)
    assert "train" in extras
    texts = [(path, path.read_text(encoding="utf-8")) for path in TEXTS]
    found = [(path, hint) for path, text in texts for hint in hints(text) if hint != ".[{extra}]"]
    assert not [(path, hint) for path, hint in found if re.match(r"crypt[-_]env", hint)]
    named = [(path, extra) for path, hint in found for extra in re.findall(r"\[([^]]*)\]", hint)]
    named += [(path, extra) for path, text in texts for extra in re.findall(r"install_hint\(['\"]([^'\"]+)", text)]
    assert not [(path, extra) for path, extra in named if not set(extra.split(",")) <= set(extras)]
