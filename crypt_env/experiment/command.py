"""What training programs have in common: options of their command lines, and how they end."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable

from crypt_env.errors import CryptError, shortened

from .run import Run
from .stopping import PROGRAM, exit_code, name_of

_TORCH_MEMORY = "can't allocate memory"
"""In the text of the RuntimeError that torch raises where NumPy raises a MemoryError."""
_ALLOCATOR = "DefaultCPUAllocator: "
"""What is before that, after a place in torch's sources."""


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options about a run that is already in the folder, and about what settings may do."""
    options = parser.add_mutually_exclusive_group()
    options.add_argument(
        "--resume",
        action="store_true",
        help="continue from the checkpoint in the folder, with the settings of that run",
    )
    options.add_argument("--overwrite", action="store_true", help="replace the run that is in the folder")
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="let files name agents that run code, of modules and sb3 zips; for files of your own",
    )


RESUMES = "--resume continues from there"


def run_program(name: str, work: Callable[[], Run | None], after: str = RESUMES) -> int:
    """Run a training program; return the exit code, after one sentence about any error.

    Args:
        name: of the program.
        work: trains and does what follows, unless a signal stops the run; returns None if all was finished before.
        after: what a person can do after a signal has stopped the run.
    """
    PROGRAM.remark = " before the training had begun"
    try:
        run = work()
    except (CryptError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and _TORCH_MEMORY not in str(error):
            raise
        print(f"{name}: there is not enough memory; {shortened(str(error).rpartition(_ALLOCATOR)[2])}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: stopped by Ctrl-C{PROGRAM.remark}", file=sys.stderr)
        return exit_code(signal.SIGINT)
    if run is None or not run.stop.is_asked:
        return 0
    text = f"stopped by {name_of(run.stop.number)} after {run.num_timesteps} decisions; {after}"
    print(f"{name}: {text}", file=sys.stderr)
    return exit_code(run.stop.number)
