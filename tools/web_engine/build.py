"""Builds the two files, see `__main__`: `python -m tools.web_engine.build FOLDER`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from crypt_env.files import replace_file

from .entries import ENTRIES
from .facts import all_facts
from .linking import link
from .module import build_object


def build(folder: Path) -> None:
    """Write the module and its facts to a folder."""
    module = link(build_object(ENTRIES), [entry.name for entry in ENTRIES])
    replace_file(folder / "engine.wasm", module)
    replace_file(folder / "engine.json", _as_text(all_facts()).encode())


def _as_text(facts: dict[str, object]) -> str:
    """Return facts as JSON with one line for each, so that a change can be read."""
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    build(Path(sys.argv[1]))
