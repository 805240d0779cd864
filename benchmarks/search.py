"""How much search adds to a network of two players, at equal time a decision; and why.

    python benchmarks/search.py matches|values [--network duel] [--games 256] [--long-games 128] [--long]
                                               [--positions 200] [--futures 384]

``matches`` plays searches on top of the network against the network, against each other and against other players; all
on the same deals, even tables, one core. Budgets are numbers of playouts or simulations that take about 10, 100 or,
with ``--long``, 1000 milliseconds of processor time a decision, so that a busy machine changes nothing; what each took
is in the results. Matches that are in the file already are not played again, as long as the files of the networks are
the same.

``values`` compares, at positions of games that the network plays against itself, what playouts say about its 8
likeliest actions with what its value says some decisions later.

Results go to ``benchmarks/results/search-matches.json`` and ``search-values.json``; each command prints its tables.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypt_env import SKIP, Batch
from crypt_env.agents import load_network
from crypt_env.agents.base import draw
from crypt_env.agents.lookahead import Lookahead
from crypt_env.agents.policy import CANDIDATES, Policy, futures
from crypt_env.arena.formats import markdown_line, markdown_table
from crypt_env.arena.schedule import make_match_plan
from crypt_env.arena.tournament import play
from crypt_env.console.arguments import count
from crypt_env.errors import CryptError
from crypt_env.files import write_json
from crypt_env.rules.batch import views
from shared.networks import MATCH_HEADER, add_row, files_of, kept_rows, match_cells

RESULTS = Path(__file__).parent / "results"
SEED = 2_200_000_000
DEPTHS = (1, 2, 4, 8)
Floats = NDArray[np.float64]

SHORT = [
    ("{net}", "net:generalist", 4),
    ("{net}", "search:60", 1),
    ("gumbel:256:{net}", "{net}", 1),
    ("gumbel:256:{net}", "net:generalist", 1),
    ("gumbel:256:{net}", "search:60", 1),
    ("gumbel:90:end:{net}", "{net}", 1),
    ("gumbel:90:end:{net}", "net:generalist", 1),
    ("gumbel:512:depth2:{net}", "{net}", 1),
    ("gumbel:512:depth2:{net}", "net:generalist", 1),
    ("gumbel:130:depth8:{net}", "{net}", 1),
    ("gumbel:130:depth8:{net}", "net:generalist", 1),
    ("gumbel:256:{net}:draw", "{net}", 1),
    ("gumbel:256:{net}:draw", "net:generalist", 1),
    ("puct:150:{net}", "{net}", 1),
    ("puct:800:{net}", "{net}", 1),
]
"""About 10 ms a decision: agent, opponent, and how many times the games. In batches `puct:150` takes only 2."""
MIDDLE = [
    ("gumbel:2600:{net}", "{net}"),
    ("gumbel:2600:{net}", "net:generalist"),
    ("gumbel:256:{net}", "search:600"),
    ("gumbel:2600:{net}", "search:600"),
    ("gumbel:1300:depth8:{net}", "{net}"),
    ("gumbel:900:end:{net}", "{net}"),
    ("gumbel:900:end:{net}", "net:generalist"),
]
"""About 100 ms; the one with 256 playouts shows what the tenth of the time is enough for."""
LONG = [
    ("gumbel:26000:{net}", "{net}"),
    ("gumbel:26000:{net}", "search:6000"),
    ("gumbel:26000:{net}", "net:generalist"),
]
"""About a second."""
MORE_PLAYERS = [("gumbel:128:net:trio", "net:trio", 3, 192), ("gumbel:128:net:quartet", "net:quartet", 4, 256)]
"""Agent in one seat, opponent in all others, players, games."""


# -- matches ----------------------------------------------------------------------------------------------------------


def match(agent: str, opponent: str, games: int, players: int) -> dict[str, Any]:
    """Play a match; return the share of wins, the margin, and what a decision cost both."""
    plan = make_match_plan([agent, opponent], players, games, "even", SEED)
    report = play(plan, [agent, opponent], chunk=64).report()
    pairing = report.pairings[0]
    row: dict[str, Any] = {"agent": agent, "opponent": opponent, "players": players, "games": pairing.games}
    row["share"] = [round(number or 0, 4) for number in pairing.share]
    row["margin"] = [round(number or 0, 3) for number in pairing.margin]
    row["milliseconds"] = [round(cost.microseconds / 1000, 2) for cost in report.costs]
    row["files"] = files_of(agent, opponent)
    return row


def matches(network: str, listed: list[tuple[str, str, int, int]], file: Path) -> None:
    """Play what the file does not hold yet, and print all of it."""
    rows = kept_rows(file)
    for agent, opponent, games, players in listed:
        pair = [text.format(net=f"net:{network}") for text in (agent, opponent)]
        if not any([row["agent"], row["opponent"]] == pair for row in rows):
            row = match(pair[0], pair[1], games, players)
            print(markdown_line(cells(row)), flush=True)
            rows = add_row(file, row)
    print("\n" + markdown_table((*MATCH_HEADER, "ms a decision, both"), map(cells, rows)))


def cells(row: dict[str, Any]) -> tuple[object, ...]:
    """Return the cells of a match in a table, what decisions took included."""
    own, other = row["milliseconds"]
    return (*match_cells(row), f"{own:.2g}, {other:.2g}")


# -- values -----------------------------------------------------------------------------------------------------------


def positions(policy: Policy, count: int) -> NDArray[np.void]:
    """Return decisions of games that the policy, sampling its actions, plays against itself: at most one of a game."""
    batch, wanted = Batch(count, 2, seed=SEED, restarts=False), np.random.default_rng(SEED).integers(0, 24, count)
    arrays, bits, kept, turn = batch.reset(), np.random.default_rng(1), [], 0
    while (live := np.flatnonzero(arrays.movers >= 0)).size:
        kept.append(batch.states[live[wanted[live] == turn]].copy())
        probabilities = policy.probabilities(arrays.observations[live], arrays.masks[live])
        actions = np.full(count, SKIP, np.int64)
        actions[live] = draw(probabilities, bits.integers(0, 2**64, len(live), np.uint64))
        arrays, turn = batch.step(actions), turn + 1
    return np.concatenate(kept)


def estimates(name: str, states: NDArray[np.void], count: int) -> tuple[Floats, Floats]:
    """Return what the candidates are expected to pay: [depths, n, candidates, futures], the last depth is the end.

    And the network's value at the positions. [n]
    """
    network, found = load_network(name), np.full((len(DEPTHS) + 1, len(states), CANDIDATES, count), np.nan)
    observations, masks = views(states)
    order, legal = Policy(network, False).likeliest(observations, masks, CANDIDATES)
    bits = np.random.default_rng(2).integers(0, 2**64, len(states), np.uint64)
    for level, depth in enumerate((*DEPTHS, None)):
        lookahead = Lookahead(network, depth)
        for row in range(len(states)):
            dealt = np.tile(futures(states[row : row + 1], bits[row : row + 1], count), legal[row])
            lookahead.prepare(dealt)
            paid = lookahead.play(dealt, np.repeat(order[row, : legal[row]], count))
            found[level, row, : legal[row]] = paid.reshape(-1, count)
    return found, network.evaluate(observations)[1].astype(np.float64)


def differences(found: Floats) -> list[dict[str, Any]]:
    """Compare differences between actions, by depth, with those that playouts to the end find in other futures."""
    half, is_tried = found.shape[3] // 2, ~np.isnan(found[-1, :, 1:, 0])
    apart = found[:, :, 1:] - found[:, :, :1]
    one, other = apart[..., :half].mean(axis=3), apart[-1, ..., half:].mean(axis=2)[is_tried]
    true = np.cov(one[-1][is_tried], other)[0, 1]  # the variance of what the two halves share
    rows = []
    for level, depth in enumerate((*DEPTHS, "end")):
        mean, noise = one[level][is_tried], float((apart[level].std(axis=2)[is_tried] ** 2).mean())
        own, shared = mean.var() - noise / half, np.cov(mean, other)[0, 1]
        rows.append(
            {
                "depth": depth,
                "correlation": round(float(shared / np.sqrt(max(own, 1e-9) * true)), 3),
                "bias": round(float(np.sqrt(max(0.0, own + true - 2 * shared))), 3),
                "noise": round(noise**0.5, 3),
            }
        )
    return [{"spread": round(float(true**0.5), 3)}, *rows]


def values(name: str, count: int, many: int, file: Path) -> None:
    """Measure a network's value against playouts, and print it."""
    network = load_network(name)
    states = positions(Policy(network, True), count)
    found, at_root = estimates(name, states, many)
    means = found[-1, :, 0].mean(axis=1)
    result: dict[str, Any] = {
        "network": name,
        "positions": len(states),
        "futures": many,
        "value": {
            "correlation": round(float(np.corrcoef(at_root, means)[0, 1]), 3),
            "bias": round(float((at_root - means).mean()), 3),
            "error": round(float(np.sqrt(((at_root - means) ** 2).mean())), 3),
        },
        "differences": differences(found),
    }
    write_json(file, result)
    print(json.dumps(result, indent=1))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["matches", "values"])
    parser.add_argument("--network", default="duel", help="a name, or a path such as runs/mine/best (default duel)")
    parser.add_argument("--games", type=count, default=256, help="of a match at 10 ms")
    parser.add_argument("--long-games", type=count, default=128, help="of a match at 100 ms")
    parser.add_argument("--long", action="store_true", help="also at one second")
    parser.add_argument("--positions", type=count, default=200)
    parser.add_argument("--futures", type=count, default=384)
    options = parser.parse_args()
    try:
        load_network(options.network)
    except CryptError as error:
        parser.error(str(error))
    if options.what == "values":
        values(options.network, options.positions, options.futures, RESULTS / "search-values.json")
        return
    listed = [(agent, opponent, times * options.games, 2) for agent, opponent, times in SHORT]
    listed += [(*pair, options.long_games, 2) for pair in MIDDLE]
    listed += [(*pair, options.long_games // 4, 2) for pair in LONG if options.long]
    listed += [(agent, opponent, games, players) for agent, opponent, players, games in MORE_PLAYERS]
    matches(options.network, listed, RESULTS / "search-matches.json")


if __name__ == "__main__":
    main()
