"""Long searches are cut into short calls of compiled code, and decide as they would in one; Ctrl-C ends them."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from agents.search_reference import look, middle
from agents.trials import random_bits
from cli.processes import environment
from crypt_env import CryptError
from crypt_env.agents import NetworkSearch, make_agent, thinking
from crypt_env.agents.base import Decisions

WHOLE = 10**9
"""Playouts in one call: all of them."""


def decided(agent: str, games: np.ndarray, at_once: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.setattr(thinking, "AT_ONCE", at_once)
    return make_agent(agent).act(Decisions(*look(games), random_bits(len(games), 7), games)).tolist()


@pytest.mark.parametrize("agent", ["search:5:random", "search:30:random", "ismcts:90:random", "search:8", "ismcts:50"])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_slices_of_any_length_decide_the_same(agent, players, monkeypatch):
    games = np.concatenate([middle(players, 4, steps, seed=3) for steps in (1, 5, 9)])
    whole = decided(agent, games, WHOLE, monkeypatch)
    for at_once in (1, 37, 700, 4096):
        assert decided(agent, games, at_once, monkeypatch) == whole


LONG = {"search:300": 10, "search:4000:random": 20, "ismcts:100000:random": 8, "search:60": 50, "ismcts:60": 4000}
"""Agents, and the number of decisions for which they think about ten seconds."""


@pytest.mark.parametrize("agent", LONG)
def test_no_call_of_compiled_code_is_long(agent, monkeypatch):
    seconds = []
    made, think_rows = make_agent(agent), thinking.think_rows

    def timed(*arguments):
        start = time.thread_time()
        think_rows(*arguments)
        seconds.append(time.thread_time() - start)
        if sum(seconds) > 1.5:
            raise KeyboardInterrupt

    monkeypatch.setattr(thinking, "think_rows", timed)
    games = np.repeat(middle(4, 1, 1, seed=1), LONG[agent])
    with pytest.raises(KeyboardInterrupt):
        made.act(Decisions(*look(games), random_bits(len(games), 1), games))
    assert max(seconds) < 0.4


ENDLESS = """
import numpy as np
from crypt_env import Game
from crypt_env.agents import make_agent
agent, game = make_agent("{agent}"), Game(4, seed=1)
make_agent("{short}").choose(game)
print("ready", flush=True)
agent.choose(game)
"""


@pytest.mark.parametrize(("agent", "short"), [("search:9000000", "search:1"), ("ismcts:9000000", "ismcts:1")])
def test_an_interruption_ends_a_search_at_once(agent, short):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    pipes["preexec_fn"] = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-c", ENDLESS.format(agent=agent, short=short)]
    with subprocess.Popen(command, **pipes, env=environment()) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - start < 5
    assert errors.endswith("KeyboardInterrupt\n")


# -- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amount", ["65535", "9999999", "0", "1e3", "-1", "9" * 5000, ""])
def test_a_tree_that_does_not_fit_into_memory_is_refused_by_its_name(amount):
    sentence = r"agent 'puct:.* is not possible; .* from 1 to 65534, and the name of a network"
    with pytest.raises(CryptError, match=sentence) as error:
        make_agent(f"puct:{amount}:net:duel")
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("simulations", [65535, 10**30])
def test_a_tree_that_does_not_fit_into_memory_is_refused_before_it_is_made(simulations):
    sentence = rf"simulations={simulations} are not possible; allowed are 1 to 65534, .* MiB"
    with pytest.raises(CryptError, match=sentence):
        NetworkSearch(None, simulations)
    NetworkSearch(None, 65534)


def test_the_largest_trees_fit_into_the_pool():
    most = thinking.new_workspace(1, 1).nodes.itemsize * (1 << 22)
    assert most < 2**28
