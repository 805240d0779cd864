"""How fast Crypt is as a game of OpenSpiel, compared with OpenSpiel's own Python games.

    python benchmarks/openspiel_speed.py [--seconds 1] [--repeats 5]

Games are played at random in the loop that users write: chance outcomes are sampled by their probabilities, actions
from the legal ones. The contestants take turns, each is charged its own CPU time, and the median of the repeats counts.
`clone` and `new` are in microseconds; `tensor` is a decision with its information state as a tensor.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from crypt_env.console.arguments import amount, count

GAMES = (
    "crypt(players=1)",
    "crypt(players=2)",
    "crypt(players=3)",
    "crypt(players=4)",
    "python_kuhn_poker",
    "python_liars_poker",
)


def drawn(outcomes: list[tuple[int, float]]) -> int:
    """Draw one of the outcomes of chance."""
    mark = random.random()
    for outcome, chance in outcomes:
        mark -= chance
        if mark < 0:
            return outcome
    return outcomes[-1][0]


def played(game: Any, with_tensor: bool) -> int:
    """Play a game at random; return the number of decisions."""
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(drawn(state.chance_outcomes()))
            continue
        if with_tensor:
            state.information_state_tensor()
        actions = state.legal_actions()
        state.apply_action(actions[int(random.random() * len(actions))])
        decisions += 1
    return decisions


def rate(work: Callable[[], int], seconds: float) -> float:
    """Return the rate of an operation per second of CPU time."""
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        done += work()
    return done / (time.process_time() - start)


def measured(game: Any, seconds: float) -> tuple[float, float, float, float]:
    """Return decisions a second, the same with tensors, and microseconds for a clone and for a new state."""
    middle = game.new_initial_state()
    for _ in range(20):
        if not middle.is_terminal():
            middle.apply_action(middle.legal_actions()[0])

    def clones() -> int:
        for _ in range(100):
            middle.clone()
        return 100

    def starts() -> int:
        for _ in range(100):
            game.new_initial_state()
        return 100

    return (
        rate(lambda: played(game, False), seconds),
        rate(lambda: played(game, True), seconds),
        1e6 / rate(clones, seconds / 4),
        1e6 / rate(starts, seconds / 4),
    )


def main() -> None:
    """Measure all games and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=amount, default=1, help="of each measurement")
    parser.add_argument("--repeats", type=count, default=5, help="of which the median counts")
    asked = parser.parse_args()

    import pyspiel
    from open_spiel.python import games  # noqa: F401, registers the games in Python

    import crypt_env.envs.openspiel  # noqa: F401, registers ours

    loaded = {name: pyspiel.load_game(name) for name in GAMES}
    for game in loaded.values():
        played(game, True)
    runs: dict[str, list[tuple[float, ...]]] = {name: [] for name in GAMES}
    for _ in range(asked.repeats):
        for name, game in loaded.items():
            runs[name].append(measured(game, asked.seconds))
    print(f"{'game':24} {'decisions/s':>12} {'with tensor':>12} {'clone':>8} {'new':>8}")
    for name, rows in runs.items():
        plain, tensor, clone, new = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{name:24} {plain:12,.0f} {tensor:12,.0f} {clone:8.1f} {new:8.1f}")


if __name__ == "__main__":
    main()
