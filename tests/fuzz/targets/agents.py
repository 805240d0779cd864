"""Agents by name, as files may name them, and files of networks."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from crypt_env import Game
from crypt_env.agents import Agent, Network, agent_names, load_network, make_agent, save_network
from crypt_env.agents.base import draw
from crypt_env.agents.network_names import shipped_networks
from fuzz import samples
from fuzz.mutate import as_text, damaged_bytes, damaged_json, damaged_text, odd_json, odd_value
from fuzz.target import Target, require
from fuzz.tiny import tiny_facts, tiny_weights

# -- names ------------------------------------------------------------------------------------------------------------

_SLOW = ("search", "ismcts", "puct", "gumbel", "lbr", "tbr", "openspiel")
"""The names of these agents set their thinking time."""


def _specs() -> list[str]:
    """Return names of agents, those that files may not name among them; all are made once, which may compile them."""
    specs = ["search:5", "search:2ms", "search:9:greedy", "ismcts:7", "ismcts:1ms", "net:solo", "net:duel:draw"]
    specs += [*agent_names(), "puct:2:net:trio", "sb3:model.zip", "fuzz.tiny:tiny_facts", "os:getcwd"]
    game = Game(players=2, seed=1)
    for name in ("random", "ghost", "greedy", "tuned", "search:1", "ismcts:1", "net:duel", "puct:1:net:duel"):
        make_agent(name).choose(game)
    return specs


def _spec(rng: Random, valid: list[str]) -> Any:
    """Return a damaged name."""
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(valid) if kind < 0.05 else odd_value(rng)
    return damaged_text(rng, rng.choice(valid), [rng.choice(valid)])


def _make(spec: Any) -> Agent:
    """Make an agent that a file has named."""
    return make_agent(spec, allow_code=False)


def _use_agent(agent: Agent) -> None:
    """Let an agent decide, unless its name says that this takes long."""
    require(isinstance(agent, Agent), f"{type(agent).__name__} was made")
    if agent.name.partition(":")[0] not in _SLOW and agent.name.partition(":")[0] in agent_names():
        game = Game(players=2, seed=3)
        require(agent.choose(game) in game.legal(), f"{agent.name!a} has played what is not legal")


# -- networks ---------------------------------------------------------------------------------------------------------


def _networks() -> list[bytes]:
    """Return files of small networks."""
    path = Path("sample.safetensors")
    files = []
    for widths, above in (((4,), None), ((3, 2), [0, 1, 0]), ((), None)):
        save_network(path, tiny_weights(widths), tiny_facts(above))
        files.append(path.read_bytes())
    require(len(shipped_networks()) > 0, "no network comes with the package")
    return files


def _split(data: bytes) -> tuple[Any, bytes]:
    """Return the header of a file and what is behind it."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _joined(rng: Random, header: str, body: bytes) -> bytes:
    """Return a file of a header and what is behind it; sometimes with a wrong header length."""
    content = header.encode("utf-8", "surrogatepass")
    length = len(content) if rng.random() < 0.95 else rng.choice((0, 1, 2**20 + 1, 2**40, 2**64 - 1, len(content) + 1))
    return length.to_bytes(8, "little") + content + body


def _network(rng: Random, valid: list[bytes]) -> bytes:
    """Return a damaged file: its bytes, its header, the facts in it, or its numbers."""
    data, other = rng.choice(valid), rng.choice(valid)
    kind = rng.random()
    if kind < 0.3:
        return damaged_bytes(rng, data, [other])
    header, body = _split(data)
    if kind < 0.5:
        return _joined(rng, as_text(rng, damaged_json(rng, header, [_split(other)[0]])), body)
    if kind < 0.8:
        facts = json.loads(header["__metadata__"]["crypt-network"])
        facts = damaged_json(rng, facts) if rng.random() < 0.95 else odd_json(rng)
        header["__metadata__"]["crypt-network"] = as_text(rng, facts)
        return _joined(rng, json.dumps(header), body)
    numbers = bytearray(body)
    for _ in range(rng.randint(0, 3)):
        number = rng.choice((float("nan"), float("inf"), 3e38, -3e38, 1e20, 0.0, 1e-45))
        struct.pack_into("<f", numbers, rng.randrange(len(numbers) // 4) * 4, number)
    return _joined(rng, json.dumps(header), bytes(numbers))


def _load(data: bytes) -> Network:
    """Load a network from a file."""
    path = Path("./damaged.safetensors")
    path.write_bytes(data)
    return load_network("./damaged")


def _use_network(network: Network) -> None:
    """Let a network decide, and write it again."""
    games = samples.games()[:: len(samples.games()) // 8]
    games = tuple(game for game in games if not game.is_over)
    observations = np.stack([game.observation(game.to_move or 0) for game in games])
    masks = np.stack([game.mask(game.to_move or 0) for game in games])
    logits, values = network.evaluate(observations)
    require(np.isfinite(logits).all() and np.isfinite(values).all(), "it answers what is not a number")
    chances = network.probabilities(observations, masks)
    require((chances[~masks] == 0).all(), "an action that is not legal has a chance")
    require(np.allclose(chances.sum(axis=1), 1, atol=1e-4), "chances do not sum to 1")
    chosen = draw(chances.astype(np.float64), np.arange(len(games), dtype=np.uint64) * np.uint64(2**60))
    require(masks[np.arange(len(games)), chosen].all(), "what is drawn is not legal")
    network._repr_html_()
    save_network("./again", network.weights, network.facts)
    again = load_network("./again")
    require(np.array_equal(again.evaluate(observations)[0], logits), "written and read, it answers something else")


TARGETS = (
    Target("agents", _specs, _spec, _make, _use_agent, quick=600),
    Target("networks", _networks, _network, _load, _use_network, quick=600),
)
