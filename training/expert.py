"""Expert iteration: ``python -m training.expert net:duel [--examples 1000000] [--widths 512 512]``.

A search on top of a network plays games against itself, and a network that starts from the same weights learns what the
search has found: the probabilities of its actions, and what the games paid. The result, last.safetensors, plays without
search, and can be given to this program again. The examples are kept in files, so a second call of an interrupted one
goes on where that was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from crypt_env.agents.network import Network, load_network
from crypt_env.agents.network_names import find_network
from crypt_env.arena import as_text
from crypt_env.arena.cluster import cores
from crypt_env.arena.on_ray import JOBS_HELP
from crypt_env.arena.processes import MOST_JOBS, in_order
from crypt_env.console.progress import Progress
from crypt_env.errors import CryptError, quoted
from crypt_env.experiment.apprentice import Apprentice, Grade, Lesson
from crypt_env.experiment.command import run_program
from crypt_env.experiment.examples import GAMES, Examples, example_player, joined, load_examples, save_examples
from crypt_env.experiment.lock import locked
from crypt_env.experiment.process import tune_process
from crypt_env.experiment.stopping import PROGRAM, end_program
from crypt_env.files import plain_name, write_json
from crypt_env.ppo import export_network
from crypt_env.table import positive

from .evaluate import evaluate
from .exploitability import network_of

FACTS = "expert.json"
"""The file that says what the examples in a folder are of, and what came out."""
PARTS = "examples"
"""The folder of the examples."""
_HELD_BACK = 20
"""One part of so many is not learned from, but judges."""
_MOST_SEEDS = 2**32
_MOST_EXAMPLES = 10**9


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m training.expert", description="Have a network learn what a search on top of a network finds."
    )
    parser.add_argument("network", help="net:NAME or net:PATH, where a path has a slash")
    parser.add_argument("--examples", type=int, default=1_000_000, help="searched decisions (default 1000000)")
    parser.add_argument("--futures", type=int, default=16, help="in which each likely action is played (default 16)")
    parser.add_argument("--widths", type=int, nargs="+", help="of the hidden layers (default those of the network)")
    parser.add_argument("--epochs", type=int, default=Lesson().epochs, help="how often all examples are learned from")
    parser.add_argument("--learning-rate", type=float, default=Lesson().learning_rate, help="at the start")
    parser.add_argument("--seed", type=int, default=1, help="of the games and of the order of the examples")
    parser.add_argument("--jobs", type=int, default=cores(), help=JOBS_HELP)
    parser.add_argument("--games", type=int, default=4096, help="of the comparison with the network (default 4096)")
    parser.add_argument("--out", type=Path, help="folder (default runs/expert-NAME)")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Play, learn and compare; return the exit code."""
    return run_program("expert", partial(work, parse(arguments)))


def work(options: argparse.Namespace) -> None:
    """Do what the command line asks for."""
    check(options)
    PROGRAM.remark = "; the same command continues from here"
    name = network_of(options.network)
    network = load_network(name)
    check_network(options, network)
    folder = options.out or Path("runs") / f"expert-{plain_name(options.network)}"
    tune_process()
    apprentice = Apprentice(network, options.widths or network.widths, lesson(options), options.seed)
    with locked(folder):
        facts = begin(options, name, folder)
        parts = play(options, name, network, folder / PARTS)
        before, after = learn(apprentice, parts)
        training = {"expert": facts}
        export_network(
            folder / "last", apprentice.policy, network.players, **{**kept_facts(network), "training": training}
        )
        facts |= {"before": before._asdict(), "after": after._asdict(), "decisions": sum(len(p.paid) for p in parts)}
        write_json(folder / FACTS, facts)
    print(f"{'':10}divergence  agreement  error of the value")
    for title, grade in (("before", before), ("after", after)):
        print(f"{title:10}{grade.divergence:10.3f}  {grade.agreement:9.1%}  {grade.error:18.3f}")
    for players in network.players:  # with a slash even if the folder is ".", as a path needs one
        print(as_text(evaluate([f"{folder}/last", f"net:{name}"], players, options.games, jobs=options.jobs)))
    print(f"the network is {folder / 'last.safetensors'}")


def check(options: argparse.Namespace) -> None:
    """Refuse numbers that are not possible."""
    limits = {"examples": _MOST_EXAMPLES, "futures": 1024, "epochs": 1000, "jobs": MOST_JOBS, "games": 10**8}
    for name, most in limits.items():
        positive(f"--{name}", getattr(options, name), most)
    for width in options.widths or []:
        positive("--widths", width, 2**14)
    if not 0 < options.learning_rate <= 1:
        raise CryptError(
            f"--learning-rate={options.learning_rate} is not possible; allowed are numbers above 0 up to 1"
        )
    if not 0 <= options.seed < _MOST_SEEDS:
        raise CryptError(
            f"--seed={options.seed} is not possible; allowed are whole numbers from 0 to {_MOST_SEEDS - 1}"
        )


def check_network(options: argparse.Namespace, network: Network) -> None:
    """Refuse a network that draws its actions, and layers that do not hold its weights."""
    if options.network.endswith(":draw"):
        raise CryptError(f"{quoted(options.network)} is not possible: the search does not draw; leave out ':draw'")
    widths = options.widths or network.widths
    if len(widths) != len(network.widths) or any(
        width < own for width, own in zip(widths, network.widths, strict=True)
    ):
        raise CryptError(
            f"--widths={widths} is not possible; {quoted(options.network)} has {network.widths}; "
            "give as many layers, none narrower"
        )


def begin(options: argparse.Namespace, name: str, folder: Path) -> dict[str, Any]:
    """Write down what the examples in a folder are of, unless that is known, and return it.

    Raises:
        CryptError: there are examples of something else.
    """
    digest = hashlib.sha256(find_network(name).read_bytes()).hexdigest()
    facts = {"network": name, "sha256": digest, "futures": options.futures, "seed": options.seed}
    path = folder / FACTS
    if not path.is_file():
        write_json(path, facts)
        return facts
    known = known_facts(path)
    for key, value in facts.items():
        if known.get(key) != value:
            raise CryptError(
                f"{str(folder)!r} holds examples with {key}={quoted(known.get(key))}, not {quoted(value)}; "
                "--out names another folder"
            )
    return facts


def known_facts(path: Path) -> dict[str, Any]:
    """Read what was written down about the examples in a folder.

    Raises:
        CryptError: the file is damaged.
    """
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # not JSON, not text, or nested too deep
        facts = None
    if not isinstance(facts, dict):
        raise CryptError(f"{str(path)!r} is damaged: it is not a JSON object; --out names another folder")
    return facts


def play(options: argparse.Namespace, name: str, network: Network, folder: Path) -> list[Examples]:
    """Return parts with as many examples as asked for; those in the folder are not played again."""
    progress, parts, found = Progress("examples"), list[Examples](), 0
    known = 0
    while found < options.examples and (path := part_path(folder, known)).is_file():
        parts.append(load_examples(path, network))
        found, known = found + int(parts[-1].is_searched.sum()), known + 1
    if found < options.examples:
        progress.update(found, options.examples)
        played = in_order(example_player, (name, options.futures, options.seed), count(known), options.jobs)
        try:
            for number, part in enumerate(played, known):
                save_examples(part_path(folder, number), part)
                parts.append(part)
                found += int(part.is_searched.sum())
                progress.update(min(found, options.examples), options.examples)
                if found >= options.examples:
                    break
        finally:
            played.close()
            progress.end()
    if len(parts) < 2:
        raise CryptError(
            f"--examples={options.examples} is too few; two parts of {GAMES} games are needed, and one has {found}"
        )
    return parts


def part_path(folder: Path, number: int) -> Path:
    """Return where a part of the examples is kept."""
    return folder / f"{number:05}.safetensors"


def learn(apprentice: Apprentice, parts: list[Examples]) -> tuple[Grade, Grade]:
    """Learn from the parts; return how the network does on those held back, before and after."""
    sizes = [len(part.paid) for part in parts]
    held = np.repeat([number % _HELD_BACK == 0 for number in range(len(parts))], sizes)
    examples = joined(parts)
    judged, learned = np.flatnonzero(held), np.flatnonzero(~held)
    before = apprentice.grade(examples, judged)
    progress = Progress("examples learned from")
    total = apprentice.lesson.epochs * len(learned)
    progress.update(0, total)
    for done in apprentice.learn(examples, learned):
        progress.update(done, total)
    progress.end()
    return before, apprentice.grade(examples, judged)


def lesson(options: argparse.Namespace) -> Lesson:
    """Return how the network learns."""
    return Lesson(epochs=options.epochs, learning_rate=options.learning_rate)


def kept_facts(network: Network) -> dict[str, Any]:
    """Return the facts that hold for the new network, too."""
    return {name: network.facts[name] for name in ("name", "reward") if name in network.facts}


if __name__ == "__main__":
    end_program(main())
