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
from importlib.util import find_spec
from pathlib import Path

import torch
from stable_baselines3.common.logger import Logger, make_output_format

from crypt_env import CryptError
from crypt_env.agents.network import NetworkAgent, load_network
from crypt_env.arena import as_text, round_robin
from crypt_env.files import replace_file

from .checkpoint import NAME, load_checkpoint, restore, save_checkpoint
from .plots import draw_curves
from .ppo import SelfPlayPPO
from .report import WandbWriter
from .run import Run, StopTraining, clear_run, write_facts
from .settings import Settings, describe_settings, load_settings
from .setup import make_games, make_model, start_model

INTERRUPTED = 130
"""The exit code after Ctrl-C before there is anything to keep, or after all is kept."""


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.train",
        description="Train a network in self-play.",
        epilog="settings:\n" + describe_settings(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("config", help="settings, such as configs/solo.yaml")
    parser.add_argument("changes", nargs="*", metavar="name=value", help="changes one setting")
    parser.add_argument("--out", type=Path, help="folder of the run (default runs/NAME)")
    add_folder_options(parser)
    return parser.parse_intermixed_args(arguments)


def add_folder_options(parser: argparse.ArgumentParser) -> None:
    """Add what may be done about a run that is in the folder already."""
    options = parser.add_mutually_exclusive_group()
    options.add_argument("--resume", action="store_true", help="go on from the checkpoint in the folder")
    options.add_argument("--anew", action="store_true", help="begin anew and lose the run that is in the folder")


def train(settings: Settings, folder: Path, is_resumed: bool = False, is_anew: bool = False) -> Run:
    """Train as the settings say, into a folder; return the finished run.

    Args:
        settings: what to train, and how.
        folder: where everything is written to.
        is_resumed: go on from the checkpoint in the folder.
        is_anew: begin anew although there is a run in the folder, and lose that.

    Raises:
        CryptError: the settings cannot be met, or the folder holds a run and neither was said.
    """
    if (folder / NAME).exists() and not (is_resumed or is_anew):
        raise CryptError(
            f"{str(folder)!r} holds a run; say --resume to go on, --anew to lose it, or name another --out"
        )
    torch.set_num_threads(1)  # the workers are the threads
    torch.set_float32_matmul_precision("medium")
    venv = make_games(settings)
    model = make_model(settings, venv)
    run = Run(settings, folder)
    if is_anew:
        clear_run(folder)
    if is_resumed:
        content = load_checkpoint(folder)
        restore(content, settings, model, venv)
        run = Run(settings, folder, content["seconds"], content["rows"])
    else:
        start_model(settings, model)
    model.set_logger(open_log(settings, folder, model.num_timesteps))
    write_facts(settings, folder)

    def stop(*_: object) -> None:
        run.stop_reason = "stopped by Ctrl-C; go on with --resume"

    before = signal.signal(signal.SIGINT, stop)
    try:
        with suppress(StopTraining):
            left = settings.decisions - model.num_timesteps
            model.learn(left, callback=run, reset_num_timesteps=not is_resumed)
        if not run.rows or run.rows[-1]["decisions"] != model.num_timesteps:
            run.evaluate_now()
        save_checkpoint(folder, run)
        save_model(folder, model)
        model.logger.dump(model.num_timesteps)
    finally:
        signal.signal(signal.SIGINT, before)
        model.logger.close()
    return run


def save_model(folder: Path, model: SelfPlayPPO) -> None:
    """Write the model for Stable-Baselines3; one from before stays until the new one is whole."""
    buffer = io.BytesIO()
    model.save(buffer)
    replace_file(folder / "model.zip", buffer.getvalue())


def open_log(settings: Settings, folder: Path, done: int) -> Logger:
    """Return where a run logs to; what it logged before it was resumed stays."""
    if settings.tensorboard and find_spec("tensorboard") is None:
        raise CryptError("tensorboard=true needs TensorBoard; install it, or say tensorboard=false")
    kinds = ["csv", "tensorboard"] if settings.tensorboard else ["csv"]
    suffix = f"-{done}" if done else ""
    writers = [make_output_format(kind, str(folder / "log"), suffix) for kind in kinds]
    if settings.wandb:
        writers.append(WandbWriter(settings, folder))
    return Logger(str(folder / "log"), writers)


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit code."""
    options = parse(arguments)
    run = None
    try:
        settings = load_settings(options.config, options.changes)
        folder = options.out or Path("runs") / settings.name
        run = train(settings, folder, options.resume, options.anew)
        if run.stop_reason:
            print(run.stop_reason)
        draw(folder)
        compare(settings, folder)
    except (CryptError, OSError) as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return tell_interruption("train", run)
    print(f"best score {run.best:.4g}; the networks, the curves and the checkpoint are in {folder}")
    return 0


def tell_interruption(program: str, run: Run | None) -> int:
    """Say what Ctrl-C has left, where it did not come during the training; return the exit code."""
    left = "before the training had begun" if run is None else f"after the training, which is in {run.folder}"
    print(f"{program}: stopped by Ctrl-C {left}", file=sys.stderr)
    return INTERRUPTED


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
    sys.exit(main())
