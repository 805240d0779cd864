"""``python -m crypt_env``, which is ``crypt``."""

from __future__ import annotations

import sys
from pathlib import Path

from .cli.main import main

_HOME = str(Path(__file__).parents[1])


def _forget_current_folder() -> None:
    """Take from the search path what `-m` has put first: the current folder may be a stranger's.

    It stays if the package itself was found there.
    """
    if not sys.flags.isolated and not getattr(sys.flags, "safe_path", False) and sys.path[0] != _HOME:
        del sys.path[0]


if __name__ == "__main__":
    _forget_current_folder()
    raise SystemExit(main())
