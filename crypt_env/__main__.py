"""``crypt`` and ``python -m crypt_env``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    Modules with agents are looked for in the current folder too, behind everything else, unless Python was told not to
    (``-P``): the script ``crypt`` would look in its own folder alone.
    """
    here = str(Path.cwd())
    if not getattr(sys.flags, "safe_path", False) and not {"", here} & set(sys.path):
        sys.path.append(here)
    try:
        from .cli.main import main as run

        return run(arguments)
    except KeyboardInterrupt:  # while the program was still being loaded
        print("crypt: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
