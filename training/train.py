"""Train a network: ``python -m training.train CONFIG [name=value ...] [--out FOLDER] [--resume]``.

The folder of a run holds the settings and versions (run.json), the evaluations (curves.csv and curves.png), the best
and the last network (best.safetensors, last.safetensors), the model for Stable-Baselines3
(model.zip), and a checkpoint, from which ``--resume`` goes on as if the run had never stopped. Ctrl-C stops it cleanly.
"""

from __future__ import annotations

import argparse
import io
import signal
import sys
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import torch
from stable_baselines3.common.logger import Logger, make_output_format

from crypt_env import CryptError
from crypt_env.agents.network import NetworkAgent, load_network
from crypt_env.arena import as_text, round_robin
from crypt_env.experiment.history import changes_between, described, new_session, write_facts
from crypt_env.experiment.lock import locked
from crypt_env.experiment.report import WandbWriter
from crypt_env.experiment.run import Run, StopTraining, clear_halves, clear_run
from crypt_env.experiment.settings import Settings, describe_settings, load_settings, read_changes, settings_from
from crypt_env.experiment.setup import make_games, make_model, start_model
from crypt_env.experiment.stopping import PROGRAM, Stop, end_program, exit_code, name_of
from crypt_env.files import replace_file
from crypt_env.ppo.base import SelfPlayPPO
from crypt_env.ppo.checkpoint import NAME, find_checkpoint, load_checkpoint, restore, resumed_settings, save_checkpoint
from crypt_env.ppo.fast import FastMaskablePPO
from crypt_env.ppo.reference import SeatMaskablePPO
from crypt_env.ppo.selfplay import SelfPlayVecEnv

from .plots import draw_curves


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.train",
        description="Train a network in self-play.",
        epilog="settings:\n" + describe_settings(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", help="settings, such as configs/solo.yaml")
    parser.add_argument("changes", nargs="*", default=[], metavar="name=value", help="changes one setting")
    parser.add_argument("--out", type=Path, help="folder of the run (default runs/NAME)")
    add_run_options(parser)
    return parser.parse_intermixed_args(arguments)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add what may be done about a run that is in the folder already, and what settings may do."""
    options = parser.add_mutually_exclusive_group()
    options.add_argument(
        "--resume", action="store_true", help="go on from the checkpoint in the folder, with the settings of that run"
    )
    options.add_argument("--anew", action="store_true", help="lose the run that is in the folder")
    parser.add_argument(
        "--allow-code",
        action="store_true",
        help="let files name agents that run code, of modules and sb3 zips; for files of your own",
    )


def train(settings: Settings, folder: Path, is_resumed: bool = False, is_anew: bool = False) -> Run:
    """Train as the settings say, into a folder; return the run, finished or stopped.

    Ctrl-C and SIGTERM stop it between two rollouts, with a checkpoint, once the first of them has been played; until
    then they do what they do elsewhere. ``run.stop`` tells whether that was so.

    Args:
        settings: what to train, and how.
        folder: where everything is written to.
        is_resumed: go on from the checkpoint in the folder.
        is_anew: lose the run that is in the folder.

    Raises:
        CryptError: the settings cannot be met, the folder holds a run and neither was said, or is in use.
    """
    settings = settings_from(asdict(settings))
    _check_folder(folder, is_resumed, is_anew)
    _check_log(settings)
    torch.set_num_threads(1)  # the workers are the threads
    torch.set_float32_matmul_precision("medium")
    venv = make_games(settings)
    model = make_model(settings, venv)
    if not is_resumed:
        start_model(settings, model)
    with locked(folder), Stop() as stop:
        _check_folder(folder, is_resumed, is_anew)  # now that no other can change it
        if is_anew:
            clear_run(folder)
        run = _resumed(settings, folder, model, venv) if is_resumed else Run(settings, folder)
        run.stop = stop
        clear_halves(folder)
        if not is_resumed:
            run.sessions = [new_session(0, {})]
        write_facts(settings, folder, run.sessions)
        _learn(run, model, is_resumed)
    return run


def _check_folder(folder: Path, is_resumed: bool, is_anew: bool) -> None:
    """Raise an error if a folder holds a run that nobody has said anything about, or none to go on from."""
    has_run = find_checkpoint(folder) is not None
    if has_run and not (is_resumed or is_anew):
        raise CryptError(
            f"{str(folder)!r} holds a run; say --resume to go on, --anew to lose it, or name another --out"
        )
    if is_resumed and not has_run:
        raise CryptError(f"there is no checkpoint in {str(folder)!r}; a run that was stopped has a file {NAME}")


def _resumed(settings: Settings, folder: Path, model: FastMaskablePPO | SeatMaskablePPO, venv: SelfPlayVecEnv) -> Run:
    """Return the run in a folder, its model and games where they were, and say what was changed about it."""
    content = load_checkpoint(folder)
    before = restore(content, settings, model, venv)
    if settings.decisions < model.num_timesteps:
        raise CryptError(
            f"decisions={settings.decisions} is not possible; this run has played {model.num_timesteps} already"
        )
    run = Run(settings, folder, content)
    changes = changes_between(before, settings)
    run.sessions.append(new_session(model.num_timesteps, changes))
    said = f"; changed: {described(changes)}" if changes else ", with the settings that it had"
    print(f"{folder} goes on after {model.num_timesteps} decisions{said}", flush=True)
    return run


def _learn(run: Run, model: FastMaskablePPO | SeatMaskablePPO, is_resumed: bool) -> None:
    """Train, and write all that comes out."""
    folder, settings = run.folder, run.settings
    PROGRAM.remark = " before the first rollout was played, so there is nothing new to keep"
    model.set_logger(open_log(settings, folder, model.num_timesteps))
    try:
        with suppress(StopTraining):
            left = settings.decisions - model.num_timesteps
            model.learn(left, callback=run, reset_num_timesteps=not is_resumed)
        save_checkpoint(folder, run)  # before the evaluation, which may take long
        run.evaluate_once()
        save_checkpoint(folder, run)
        run.save_last()
        save_model(folder, model)
        model.logger.dump(model.num_timesteps)
    finally:
        model.logger.close()


def save_model(folder: Path, model: SelfPlayPPO) -> None:
    """Write the model for Stable-Baselines3; one from before stays until the new one is whole."""
    buffer = io.BytesIO()
    model.save(buffer)
    replace_file(folder / "model.zip", buffer.getvalue())


def _check_log(settings: Settings) -> None:
    """Raise an error if a log is wanted that cannot be written."""
    if settings.tensorboard and find_spec("tensorboard") is None:
        raise CryptError("tensorboard=true needs TensorBoard; install it, or say tensorboard=false")


def open_log(settings: Settings, folder: Path, done: int) -> Logger:
    """Return where a run logs to; what it logged before it was resumed stays."""
    kinds = ["csv", "tensorboard"] if settings.tensorboard else ["csv"]
    suffix = f"-{done}" if done else ""
    writers = [make_output_format(kind, str(folder / "log"), suffix) for kind in kinds]
    if settings.wandb:
        writers.append(WandbWriter(settings, folder))
    return Logger(str(folder / "log"), writers)


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit code."""
    PROGRAM.remark = " before the training had begun"
    options = parse(arguments)
    try:
        settings, folder = _asked(options)
        run = train(settings, folder, options.resume, options.anew)
        if run.stop.is_asked:
            return tell_stop("train", run)
        PROGRAM.remark = f" after the training, which is in {folder}"
        if run.stop_reason:
            print(run.stop_reason)
        draw(folder)
        compare(settings, folder)
    except (CryptError, OSError) as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"train: there is not enough memory; {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return tell_interruption("train")
    print(f"best score {run.best:.4g}; the networks, the curves and the checkpoint are in {folder}")
    return 0


def _asked(options: argparse.Namespace) -> tuple[Settings, Path]:
    """Return the settings and the folder that a command line asks for."""
    settings = load_settings(options.config, options.changes, options.allow_code)
    folder = options.out or Path("runs") / settings.name
    if not options.resume:
        return settings, folder
    resumed = resumed_settings(folder, read_changes(options.changes), options.allow_code)
    others = changes_between(resumed, settings)
    if others:
        print(f"{options.config} has {described(others)}, which does not count; name=value changes a run", flush=True)
    return resumed, folder


def tell_stop(program: str, run: Run) -> int:
    """Say that a signal has stopped a run, which is kept; return the exit code."""
    start = "\r" if sys.stderr.isatty() else ""
    text = f"stopped by {name_of(run.stop.number)} after {run.num_timesteps} decisions; --resume goes on from there"
    print(f"{start}{program}: {text}", file=sys.stderr)
    return exit_code(run.stop.number)


def tell_interruption(program: str) -> int:
    """Say what Ctrl-C has left where it did not stop a run that is kept; return the exit code."""
    print(f"{program}: stopped by Ctrl-C{PROGRAM.remark}", file=sys.stderr)
    return exit_code(signal.SIGINT)


def draw(folder: Path) -> None:
    """Draw the curves of a run into its folder, or say why not."""
    try:
        draw_curves([folder], folder / "curves.png")
    except CryptError as error:
        print(f"there is no curves.png: {error}")


def compare(settings: Settings, folder: Path) -> None:
    """Print how the finished network plays beside others, at tables of each number of players."""
    if not settings.compare:
        return
    trained = NetworkAgent(load_network(folder / "best"))
    trained.name = f"{settings.name} (trained here)"
    for players in settings.players:
        print()
        print(as_text(round_robin([*settings.compare, trained], players, settings.evaluate_games, "even", seed=1)))


if __name__ == "__main__":
    end_program(main())
