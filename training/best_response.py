"""Train against one agent alone: ``python -m training.best_response TARGET [name=value ...] [--config FILE]``.

In every game a new network has one seat and the target, which never learns, all others. How far the network's share of
the wins comes above an even one is how much the target can be exploited at least: a better learner may find more. The
target is an agent's name, or the folder of a run, which means its best network. The result is written to result.json.

``--all`` measures a network in every way known here, without training too, see `training.exploitability`.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from crypt_env import CryptError
from crypt_env.arena import Pairing
from crypt_env.console.arguments import refuse_given
from crypt_env.experiment.checkpoint import resumed_settings
from crypt_env.experiment.command import RESUMES, add_run_options, run_program
from crypt_env.experiment.run import Run
from crypt_env.experiment.settings import Settings, load_settings, read_changes, settings_from
from crypt_env.experiment.stopping import PROGRAM, end_program
from crypt_env.files import plain_name, write_json
from crypt_env.table import positive

from .exploitability import FOR_ALL, add_options, against, measure, measure_all, share_text
from .train import draw, train

CONFIG = Path(__file__).resolve().parents[1] / "configs" / "league.yaml"
"""The settings if none are named."""


def main(arguments: list[str] | None = None) -> int:
    """Train and measure; return the exit code."""
    options = parse(arguments)
    after = "--overwrite measures again from the start" if options.all else RESUMES
    return run_program("best_response", partial(work, options), after)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.best_response", description="Train a network against one agent that never learns."
    )
    parser.add_argument("target", help="an agent's name such as greedy, or the folder of a run, with a slash")
    parser.add_argument("changes", nargs="*", default=[], metavar="name=value", help="changes one setting")
    parser.add_argument("--config", default=CONFIG, help="settings (default configs/league.yaml of the sources)")
    parser.add_argument("--games", type=int, default=10_000, help="of the last measurement (default 10000)")
    parser.add_argument("--out", type=Path, help="folder of the run (default runs/against-TARGET)")
    add_options(parser)
    add_run_options(parser)
    return parser.parse_intermixed_args(arguments)


def work(options: argparse.Namespace) -> Run | None:
    """Train as a command line says, and measure what came out; or with --all fill a table of all measurements."""
    positive("games", options.games)
    kind = "exploitability" if options.all else "against"
    folder = options.out or Path("runs") / f"{kind}-{plain_name(options.target)}"
    if options.all:
        return measure_all(options, folder)
    refuse_given(options, FOR_ALL, "is for the table of all measurements; add --all")
    settings = asked(options, folder)
    run = train(settings, folder, options.resume, options.overwrite)
    if run.stop.is_asked:
        return run
    PROGRAM.remark = f" after the training, which is in {folder}"
    draw(folder)
    pairings = measure(settings, folder, options.games, options.ray)
    write_result(folder / "result.json", options.target, settings, pairings, run.num_timesteps)
    if run.stop_reason:
        print(run.stop_reason)
    for players, pairing in zip(settings.players, pairings, strict=True):
        print(sentence(players, pairing))
    print(f"everything is in {folder}")
    return run


def settings_against(target: str, settings: Settings) -> Settings:
    """Return settings by which all games are played against a target and evaluations too.

    Raises:
        CryptError: there is no such agent, or a game has no opponent.
    """
    if 1 in settings.players:
        raise CryptError(f"players={settings.players} is not possible; a solo game has no opponent")
    return settings_from({**dict(settings), **against(target)})


def asked(options: argparse.Namespace, folder: Path) -> Settings:
    """Return the settings that a command line asks for; of a run that goes on, those that it had."""
    if not options.resume:
        return settings_against(options.target, load_settings(options.config, options.changes, options.allow_code))
    changed = {**read_changes(options.changes), **against(options.target)}
    return resumed_settings(folder, changed, options.allow_code)


def write_result(path: Path, target: str, settings: Settings, pairings: list[Pairing], decisions: int) -> None:
    """Write what was found out."""
    results: list[dict[str, Any]] = [
        {
            "players": players,
            "games": pairing.games,
            "share": pairing.share._asdict(),
            "even share": 1 / players,
            "margin": pairing.margin._asdict(),
        }
        for players, pairing in zip(settings.players, pairings, strict=True)
    ]
    content = {"target": target, "decisions": decisions, "seed": settings.seed, "results": results}
    write_json(path, content)


def sentence(players: int, pairing: Pairing) -> str:
    """Say what a result means."""
    share = pairing.share
    gain = (share.low or 0) - 1 / players
    verdict = f"it can be exploited by {gain:.1%} at least" if gain > 0 else "nothing better than even play was found"
    return f"{players} players: the best response wins {share_text(share)}, {1 / players:.1%} is even; {verdict}"


if __name__ == "__main__":
    end_program(main())
