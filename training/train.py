"""Train a network: ``python -m training.train CONFIG [name=value ...] [--out FOLDER] [--resume]``.

The folder of a run holds the settings and versions (run.json), the evaluations (curves.csv and curves.png), the best
and the last network (best.safetensors, last.safetensors), the model for Stable-Baselines3 (model.zip), and a
checkpoint, from which ``--resume`` continues as if the run had never stopped. Ctrl-C stops it cleanly.
"""

from __future__ import annotations

import argparse
import io
from contextlib import suppress
from functools import partial
from pathlib import Path

from crypt_env import CryptError
from crypt_env.agents import AnyAgent
from crypt_env.agents.network import NetworkAgent, load_network
from crypt_env.arena import EVALUATION_SEED, as_text, round_robin
from crypt_env.errors import shortened
from crypt_env.experiment.checkpoint import load_checkpoint, restore, resumed_settings, save_checkpoint
from crypt_env.experiment.command import add_run_options, run_program
from crypt_env.experiment.curves import draw_curves
from crypt_env.experiment.exploiters import Exploiters
from crypt_env.experiment.folder import check_folder, clear_halves, clear_run
from crypt_env.experiment.history import changes_between, described, new_session, write_facts
from crypt_env.experiment.lock import locked
from crypt_env.experiment.log import check_log, open_log
from crypt_env.experiment.process import tune_process
from crypt_env.experiment.run import Run, StopTraining
from crypt_env.experiment.settings import Settings, describe_settings, load_settings, read_changes, settings_from
from crypt_env.experiment.setup import make_games, make_model, start_model
from crypt_env.experiment.stopping import PROGRAM, Stop, end_program
from crypt_env.files import replace_file
from crypt_env.ppo.base import SelfPlayPPO


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit code."""
    return run_program("train", partial(work, parse(arguments)))


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


def work(options: argparse.Namespace) -> Run:
    """Train by the command line, draw the curves, and compare the best network with others."""
    settings, folder = asked(options)
    run = train(settings, folder, options.resume, options.overwrite)
    if not run.stop.is_asked:
        conclude(run, settings, folder)
    return run


def conclude(run: Run, settings: Settings, folder: Path) -> None:
    """Draw the curves of a finished training, compare its best network with others, and say where everything is."""
    PROGRAM.remark = f" after the training, which is in {folder}"
    if run.stop_reason:
        print(run.stop_reason)
    draw(folder)
    compare(settings, folder)
    print(f"best score {run.best:.4g}; the networks, the curves and the checkpoint are in {folder}")


def asked(options: argparse.Namespace) -> tuple[Settings, Path]:
    """Return the settings and the folder of a command line."""
    settings = load_settings(options.config, options.changes, options.allow_code)
    folder = options.out or Path("runs") / settings.name
    if not options.resume:
        return settings, folder
    resumed = resumed_settings(folder, read_changes(options.changes), options.allow_code)
    others = changes_between(resumed, settings)
    if others:
        print(f"{options.config} has {described(others)}, which is ignored; name=value changes a run", flush=True)
    return resumed, folder


def train(settings: Settings, folder: Path, is_resumed: bool = False, is_overwritten: bool = False) -> Run:
    """Train by the settings, into a folder; return the run, finished or stopped.

    After the first rollout Ctrl-C, SIGTERM and SIGHUP stop it between two rollouts, with a checkpoint, and set
    ``run.stop``; before that they have their usual effect.

    Args:
        settings: what to train, and how.
        folder: where everything is written to.
        is_resumed: continue from the checkpoint in the folder.
        is_overwritten: replace the run that is in the folder.

    Raises:
        CryptError: the settings are not possible, or the folder is in use, or holds a run and neither was given.
    """
    settings = settings_from(dict(settings))
    check_folder(folder, is_resumed, is_overwritten)
    check_log(settings)
    tune_process()
    model = make_model(settings, make_games(settings))
    if not is_resumed:
        start_model(settings, model)
    with locked(folder), Stop() as stop:
        check_folder(folder, is_resumed, is_overwritten)  # now that no other can change it
        if is_overwritten:
            clear_run(folder)
        run = Run(settings, folder)
        run.stop = stop
        if is_resumed:
            resume(run, model)
        else:
            run.sessions = [new_session(0, {})]
        clear_halves(folder)
        write_facts(settings, folder, run.sessions)
        PROGRAM.remark = " before the first rollout was played, so there is nothing new to keep"
        learn(run, model, is_resumed)
    return run


def resume(run: Run, model: SelfPlayPPO) -> None:
    """Restore a run, its model and its games, and print which settings have changed."""
    settings, folder = run.settings, run.folder
    before = restore(load_checkpoint(folder), run, model)
    check_length(settings.decisions, before.decisions, model.num_timesteps)
    changes = changes_between(before, settings)
    run.sessions.append(new_session(model.num_timesteps, changes))
    said = f"; changed: {described(changes)}" if changes else ", with the settings that it had"
    print(f"{folder} continues after {model.num_timesteps} decisions{said}", flush=True)


def check_length(wanted: int, before: int, played: int) -> None:
    """Raise an error if a run shall play fewer decisions in all than it has played.

    A run that has ended may continue, to be evaluated: it has some decisions more than it was to play before, because
    rollouts are always complete.
    """
    if wanted < played and wanted != before:
        raise CryptError(f"decisions={wanted} is not possible; this run has played {played} already")


def learn(run: Run, model: SelfPlayPPO, is_resumed: bool) -> None:
    """Train, and write all results."""
    folder, settings = run.folder, run.settings
    exploiters = [Exploiters(run, learn)] if settings.exploiters else []
    model.set_logger(open_log(settings, folder, model.num_timesteps))
    try:
        with suppress(StopTraining):
            left = settings.decisions - model.num_timesteps
            model.learn(left, callback=[run, *exploiters], reset_num_timesteps=not is_resumed)
        run.progress.end()
        save_checkpoint(folder, run)  # before the evaluation, which may take long
        run.evaluate_once()
        save_checkpoint(folder, run)
        run.save_last()
        save_model(folder, model)
        model.logger.dump(model.num_timesteps)
    finally:
        run.progress.end()
        model.logger.close()


def save_model(folder: Path, model: SelfPlayPPO) -> None:
    """Write the model for Stable-Baselines3; the previous one stays until the new one is complete."""
    buffer = io.BytesIO()
    model.save(buffer)
    replace_file(folder / "model.zip", buffer.getvalue())


def draw(folder: Path) -> None:
    """Draw the curves of a run into its folder, or say why not."""
    try:
        draw_curves([folder], folder / "curves.png")
    except ValueError as error:  # one of ours, or of matplotlib; the training is done all the same
        print(f"there is no curves.png: {shortened(str(error))}")


def compare(settings: Settings, folder: Path) -> None:
    """Print how the finished network compares with others, for each number of players."""
    if not settings.compare:
        return
    trained = NetworkAgent(load_network(folder / "best"))
    trained.name = f"{settings.name} (trained here)"
    for players in settings.players:
        agents: list[AnyAgent] = [*settings.compare, trained]
        print()
        print(as_text(round_robin(agents, players, settings.evaluate_games, "even", EVALUATION_SEED)))


if __name__ == "__main__":
    end_program(main())
