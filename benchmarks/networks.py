"""How the networks that come with the package play: against other agents, and against players that know them.

    python benchmarks/networks.py [--networks duel trio quartet generalist] [--games 8192] [--response-games 512]

In each match the first agent has one seat and the second one all others; all are on the same deals at all 64 tables.
``old`` is the network of that name in the panel of Crypt-64, the one that came with the package before. Results go to
``benchmarks/results/networks.json``; matches that are in it already are not played again, as long as the files of the
networks are the same.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

from crypt_env.arena import EVALUATION_SEED, play_match
from crypt_env.arena.formats import markdown_line, markdown_table
from crypt_env.benchmark.frozen import NETWORKS
from crypt_env.console.arguments import count
from shared.networks import MATCH_HEADER, add_row, files_of, kept_rows, match_cells

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "networks.json"
PLAYERS = {"duel": 2, "trio": 3, "quartet": 4}
"""The specialists."""
CHOICES = (*PLAYERS, "generalist")
OTHERS = ("old", "greedy", "tuned", "net:generalist")
"""Opponents of each network; of the generalist, the specialist for that number of players instead of the first and the
last."""
SEARCHES = {"duel": ("search:100",), "trio": (), "quartet": ()}
"""Searches, which are slow: they play fewer deals."""
RESPONSES = (("lbr:64:{net}", "{net}"), ("lbr:64:{net}:draw", "{net}:draw"), ("lbr:64:old", "old"))
"""Players that know a network, and how it plays against them: its likeliest actions, or drawing."""
DRAWN = ("{net}:draw", "old")


class Match(NamedTuple):
    """The first agent in one seat, the second one in all others."""

    agent: str
    opponent: str
    players: int
    games: int


def matches_of(name: str, games: int, few: int) -> list[Match]:
    """Return the matches of a network."""
    if name == "generalist":
        return [
            Match("net:generalist", other, players, games)
            for specialist, players in PLAYERS.items()
            for other in (f"net:{specialist}", *OTHERS[1:-1])
        ]
    net, players = f"net:{name}", PLAYERS[name]
    listed = [
        *(Match(net, other, players, games) for other in OTHERS),
        Match(DRAWN[0].format(net=net), DRAWN[1], players, games),
    ]
    if not few:
        return listed
    listed += [Match(net, other, players, few) for other in SEARCHES[name]]
    return listed + [Match(agent.format(net=net), other.format(net=net), players, few) for agent, other in RESPONSES]


def measured(name: str, match: Match) -> dict[str, Any]:
    """Play a match; return who played, and the share of the wins of the first agent with its interval."""
    agent, opponent = (text.replace("old", f"net:{NETWORKS / name}") for text in (match.agent, match.opponent))
    pairing = play_match(agent, opponent, match.players, games=match.games, seed=EVALUATION_SEED, collectors="even")
    share = [round(number or 0, 4) for number in pairing.share]
    return {
        **match._asdict(),
        "games": pairing.games,
        "share": share,
        "files": files_of(f"net:{name}", match.agent, match.opponent),
    }


def main() -> None:
    """Play all matches that are missing, and print all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=CHOICES, default=list(CHOICES))
    parser.add_argument("--games", type=count, default=8192, help="of matches between networks and quick agents")
    parser.add_argument("--response-games", type=int, default=512, help="of matches with searches, 0 for none")
    options = parser.parse_args()
    for name in options.networks:
        for match in matches_of(name, options.games, options.response_games):
            if match[:3] not in [(row["agent"], row["opponent"], row["players"]) for row in kept_rows(RESULTS)]:
                row = measured(name, match)
                print(markdown_line(match_cells(row)), flush=True)
                add_row(RESULTS, row)
    print("\n" + markdown_table(MATCH_HEADER, map(match_cells, kept_rows(RESULTS))))


if __name__ == "__main__":
    main()
