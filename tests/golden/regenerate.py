"""Regenerates all playthroughs and counted trees: ``python tests/golden/regenerate.py``.

Review the diff before you commit it.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from golden import trees
from golden.playthrough import FOLDER, GAMES, file_of, playthrough


def main() -> int:
    """Write all files and remove those of no game."""
    FOLDER.mkdir(exist_ok=True)
    wanted = {file_of(players, collectors): seed for (players, collectors), seed in GAMES.items()}
    for path in sorted(set(FOLDER.iterdir()) - set(wanted)):
        path.unlink()
        print(f"removed {path.name}")
    for (players, collectors), seed in GAMES.items():
        text = "\n".join(playthrough(players, collectors, seed)) + "\n"
        path = file_of(players, collectors)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.name}")
    if trees.rewrite():
        print(f"wrote {trees.FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
