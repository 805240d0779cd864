"""Train a network with several workers: ``python -m training.distributed CONFIG [workers=8] [name=value ...]``.

The same training as that of ``training.train``, shared by processes of one machine or of a Ray cluster: each plays its
part of the games and learns from its part of every minibatch, and gradients are summed over all of them. Settings,
checkpoints, curves, evaluations and networks are the same, and so is the folder: a run that one of the two programs has
begun can be continued by the other, with any number of workers.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from crypt_env.experiment.checkpoint import progress_in, resumed_settings
from crypt_env.experiment.command import add_run_options, run_program
from crypt_env.experiment.folder import check_folder, clear_halves, clear_run
from crypt_env.experiment.lock import locked
from crypt_env.experiment.log import check_log
from crypt_env.experiment.ray_training import check_workers, train_on_ray
from crypt_env.experiment.run import Run
from crypt_env.experiment.settings import Settings, describe_settings, load_settings, read_changes, settings_from
from crypt_env.experiment.stopping import PROGRAM, Stop, end_program
from crypt_env.ppo.exchange import PRECISIONS
from crypt_env.table import positive

from .train import check_length, conclude, learn

MOST_WORKERS = 1024


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit code."""
    return run_program("distributed", partial(work, parse(arguments)))


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.distributed",
        description="Train a network in self-play with several workers: on the Ray cluster at RAY_ADDRESS if that is "
        "set, otherwise in processes of this machine.",
        epilog="settings, of which workers means processes here (default 2):\n" + describe_settings(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", help="settings, such as configs/duel.yaml")
    parser.add_argument("changes", nargs="*", default=[], metavar="name=value", help="changes one setting")
    parser.add_argument("--out", type=Path, help="folder of the run (default runs/NAME)")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1, help="of each worker (default 1)")
    parser.add_argument(
        "--gradients",
        choices=PRECISIONS,
        default="fp32",
        help="how they are sent; bf16 takes half the bytes (default fp32)",
    )
    add_run_options(parser)
    return parser.parse_intermixed_args(arguments)


def work(options: argparse.Namespace) -> Run:
    """Train as a command line says, draw the curves, and compare the best network with others."""
    settings, folder, workers = asked(options)
    run = train(settings, folder, workers, options.resume, options.overwrite, options.gradients)
    if not run.stop.is_asked:
        conclude(run, settings, folder)
    return run


def asked(options: argparse.Namespace) -> tuple[Settings, Path, int]:
    """Return the settings, the folder and the number of workers that a command line asks for."""
    changed = read_changes(options.changes)
    workers = positive("workers", changed.pop("workers", 2), MOST_WORKERS)
    changes = [change for change in options.changes if change.partition("=")[0].strip() != "workers"]
    changes.append(f"workers={options.threads}")
    settings = load_settings(options.config, changes, options.allow_code)
    folder = options.out or Path("runs") / settings.name
    if options.resume:
        settings = resumed_settings(folder, read_changes(changes), options.allow_code)
    return settings, folder, workers


def train(
    settings: Settings,
    folder: Path,
    workers: int,
    is_resumed: bool = False,
    is_overwritten: bool = False,
    gradients: str = "fp32",
) -> Run:
    """Train with several workers, and return what came out.

    Args:
        settings: what to train, and how; of all workers together, but for ``workers``, the threads of each.
        folder: where everything is written to, on this machine.
        workers: processes.
        is_resumed: continue from the checkpoint in the folder.
        is_overwritten: replace the run that is in the folder.
        gradients: how they are sent, "fp32" or "bf16".

    Raises:
        CryptError: the settings cannot be met, the folder holds a run and neither was said, or is in use.
    """
    settings = settings_from(dict(settings))
    check_workers(settings, workers)
    check_folder(folder, is_resumed, is_overwritten)
    check_log(settings)
    run = Run(settings, folder)
    with locked(folder), Stop() as run.stop:
        check_folder(folder, is_resumed, is_overwritten)  # now that no other can change it
        if is_overwritten:
            clear_run(folder)
        if is_resumed:
            check_length(settings.decisions, *progress_in(folder))
        clear_halves(folder)
        PROGRAM.remark = " before the first rollout was played, so there is nothing new to keep"
        outcome = train_on_ray(run, learn, workers, gradients)
    run.best, run.stop_reason, run.num_timesteps = outcome["best"], outcome["reason"], outcome["decisions"]
    return run


if __name__ == "__main__":
    end_program(main())
