"""``crypt warm``: compile everything ahead of use, on all cores.

The compiled code is kept on disk, so that no later process waits for it: for the image of a container, or for a folder
that the machines of a cluster share (``NUMBA_CACHE_DIR``). Only the study of an upper bound, ``benchmark/bound``, is
left out: its few functions are compiled when it is run.
"""

from __future__ import annotations

import argparse
import io
import os
import time
from collections.abc import Callable
from contextlib import closing, redirect_stderr
from importlib.util import find_spec

from crypt_env.arena.processes import in_order
from crypt_env.console.arguments import count
from crypt_env.errors import CryptError
from crypt_env.rules.compiled import CACHE_FOLDER, IS_COMPILED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    parser.add_argument(
        "--jobs", type=count, default=os.cpu_count() or 1, help="processes that compile (default: one for each core)"
    )


def run(options: argparse.Namespace) -> int:
    """Compile the parts in several processes, the longest first."""
    if not IS_COMPILED:
        raise CryptError("NUMBA_DISABLE_JIT is set, so nothing is compiled")
    if CACHE_FOLDER is None:
        raise CryptError("there is no folder for compiled code; set NUMBA_CACHE_DIR to a folder that can be written")
    start = time.perf_counter()
    names = [name for name, part in PARTS.items() if part is not None]
    jobs = min(options.jobs, len(names))
    with closing(in_order(_compiler, (), names, jobs)) as parts:
        for name, seconds in parts:
            print(f"{name:<10}{seconds:6.1f} s", flush=True)
    print(f"compiled in {time.perf_counter() - start:.1f} s, kept in {CACHE_FOLDER}")
    return 0


def _compiler() -> Callable[[str], tuple[str, float]]:
    """Return the function that each process calls."""
    return _timed


def _timed(name: str) -> tuple[str, float]:
    """Compile a part; return its name and the seconds that it took.

    The notes that code is being compiled are dropped: that is what was asked for.
    """
    start = time.perf_counter()
    part = PARTS[name]
    assert part is not None
    try:
        with redirect_stderr(io.StringIO()):
            part()
    except OSError as error:
        raise CryptError(f"the compiled code cannot be kept in {CACHE_FOLDER}: {error.strerror or error}") from error
    return name, time.perf_counter() - start


def _games() -> None:
    """Play, re-deal, score and replay games, one by one and in a batch with opponents."""
    import numpy as np

    from crypt_env import ACTIONS, Game, random_game, replay, to_record
    from crypt_env.envs.vector import SeatVectorEnv

    games = SeatVectorEnv(2, 2, {"random": 1, "ghost": 1})
    _, infos = games.reset(seed=1)
    games.step(games.action_space.sample(tuple(infos["action_mask"])))
    games.step(np.full(2, ACTIONS))  # no action: these games end
    game = Game(players=2, seed=1)
    game.play(game.random_action()).resample(0, 1).view(0)
    replay(to_record(random_game(players=2, seed=1))).sheets()


def _search() -> None:
    """Have all searches ready."""
    from crypt_env.agents.thinking import get_ready

    get_ready()


def _agents() -> None:
    """Make the compiled agents."""
    from crypt_env.agents import make_agent

    for name in ("tuned", "greedy", "ghost", "gumbel:1:net:duel"):
        make_agent(name)


def _training() -> None:
    """Train for a moment, with a teacher and a magnet."""
    from crypt_env.agents.network import load_network
    from crypt_env.ppo import FastMaskablePPO, SelfPlayVecEnv, trunk

    model = FastMaskablePPO(
        "MlpPolicy",
        SelfPlayVecEnv(4, players=2, seed=1),
        n_steps=8,
        batch_size=16,
        n_epochs=1,
        policy_kwargs=trunk([2], [8], thermometers=True),
        seed=1,
        teachers=[load_network("duel")],
        magnet=0.1,
    )
    model.learn(32)


PARTS: dict[str, Callable[[], None] | None] = {
    "games": _games,
    "search": _search,
    "agents": _agents,
    "training": _training if find_spec("sb3_contrib") else None,
}
"""What is compiled, the longest first; training only where it is installed."""
