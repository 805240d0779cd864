"""How the networks that come with the package play: against other agents, and against players that know them.

    python benchmarks/networks.py [--networks duel trio quartet] [--games 8192] [--response-games 512]

In each match the first agent has one seat and the second one all others; all are on the same deals at all 64 tables.
``old`` is the network of that name in the panel of Crypt-64, the one that came with the package before. Results go to
``benchmarks/results/networks.json``; matches that are in it already are not played again, as long as the network's file
is the same.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from crypt_env.arena import play_match
from crypt_env.benchmark.frozen import NETWORKS, file_digest
from crypt_env.files import write_text

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "networks.json"
SEED = 2_100_000_000
PLAYERS = {"duel": 2, "trio": 3, "quartet": 4}
OTHERS = ("old", "greedy", "tuned", "net:generalist")
"""Opponents of each network."""
SEARCHES = {"duel": ("search:100",), "trio": (), "quartet": ()}
"""Those that think for milliseconds, on fewer deals."""
RESPONSES = (("lbr:64:{net}", "{net}"), ("lbr:64:{net}:draw", "{net}:draw"), ("lbr:64:old", "old"))
"""Players that know a network, and how it plays against them: its likeliest actions, or drawing."""
DRAWN = ("{net}:draw", "old")


def matches_of(name: str, games: int, few: int) -> list[tuple[str, str, int]]:
    """Return the matches of a network: agent, opponent, games."""
    net = f"net:{name}"
    listed = [(net, other, games) for other in OTHERS]
    listed += [(net, other, few) for other in SEARCHES[name]]
    listed += [(agent.format(net=net), opponent.format(net=net), few) for agent, opponent in RESPONSES]
    return [*listed, (DRAWN[0].format(net=net), DRAWN[1], games)]


def measured(name: str, agent: str, opponent: str, games: int) -> dict[str, Any]:
    """Play a match; return who played, and the share of the wins of the first agent with its interval."""
    players = PLAYERS[name]
    names = [text.replace("old", f"net:{NETWORKS / name}") for text in (agent, opponent)]
    pairing = play_match(*names, players, games=games, seed=SEED, collectors="even")
    share = [round(number or 0, 4) for number in pairing.share]
    found = {"agent": agent, "opponent": opponent, "players": players, "games": pairing.games, "share": share}
    return {**found, "network": digest_of(name)}


def digest_of(name: str) -> str:
    """Return the SHA-256 of a network's file."""
    return file_digest(ROOT / "crypt_env" / "networks" / f"{name}.safetensors")


def kept_rows() -> list[dict[str, Any]]:
    """Return the results so far of the networks as they are now."""
    rows: list[dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else []
    digests = {digest_of(name) for name in PLAYERS}
    return [row for row in rows if row["network"] in digests]


def line(row: dict[str, Any]) -> str:
    """Return a result as a line of a table."""
    value, low, high = (100 * number for number in row["share"])
    cells = f"`{row['agent']}` | `{row['opponent']}` | {row['players']} | {value:.1f} [{low:.1f}, {high:.1f}] %"
    return f"| {cells} | {row['games']} |"


def main() -> None:
    """Play all matches that are missing, and print all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=PLAYERS, default=list(PLAYERS))
    parser.add_argument("--games", type=int, default=8192, help="of matches between networks and quick agents")
    parser.add_argument("--response-games", type=int, default=512, help="of matches with searches")
    options = parser.parse_args()
    for name in options.networks:
        for agent, opponent, games in matches_of(name, options.games, options.response_games):
            match = agent, opponent, PLAYERS[name]
            if match not in [(row["agent"], row["opponent"], row["players"]) for row in kept_rows()]:
                row = measured(name, agent, opponent, games)
                print(line(row), flush=True)
                rows = [*kept_rows(), row]  # another process may have added some
                write_text(RESULTS, "[\n" + ",\n".join(json.dumps(each) for each in rows) + "\n]\n")
    print("\n| agent | opponents | players | wins | games |\n|---|---|---|---|---|")
    print("\n".join(map(line, kept_rows())))


if __name__ == "__main__":
    main()
