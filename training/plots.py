"""Learning curves: ``python -m training.plots FOLDER [FOLDER ...] [--out curves.png] [--minutes]``.

Each folder is that of a run. Runs whose settings differ only in name and seed are drawn as one line, their mean, with a
band from the worst to the best of them; the band of a single run is the interval of its evaluations.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from crypt_env import CryptError
from crypt_env.experiment.curves import draw_curves
from crypt_env.experiment.stopping import end_program
from crypt_env.files import check_writable


def main(arguments: list[str] | None = None) -> int:
    """Draw; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.plots", description="Draw learning curves.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="of a run, such as runs/solo")
    parser.add_argument("--out", type=Path, default=Path("curves.png"), help="the picture (default curves.png)")
    parser.add_argument("--minutes", action="store_true", help="draw over time instead of decisions")
    options = parser.parse_args(arguments)
    try:
        check_writable(options.out)
        draw_curves(options.folders, options.out, "seconds" if options.minutes else "decisions")
    except (CryptError, OSError) as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    print(f"written: {options.out}")
    return 0


if __name__ == "__main__":
    end_program(main())
