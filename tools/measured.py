"""Fill the numbers of the README from the committed result files; with ``--check`` only compare.

python -m tools.measured

A block of the page is what stands between ``<!-- measured: NAME -->`` and ``<!-- end -->``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from crypt_env import ACTIONS, FEATURES
from crypt_env.arena.formats import markdown_table
from crypt_env.files import write_text

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results"
GOALS = (45, 50)
"""Coins that the table of trainings asks for."""
LADDER = ("random", "ghost", "greedy", "tuned", "search:20", "net:generalist")
SPECIALISTS = ("net:solo", "net:duel", "net:trio", "net:quartet")
WAYS = {
    "batch": "thousands of games in one call",
    "single": "one game, one call for each decision",
    "AEC": "PettingZoo's loop over `agent_iter`",
}
"""How the speed of a project is measured, by what its games are named after in the results."""
TRAINERS = {
    "fast, 2 workers": "`FastMaskablePPO`, two threads",
    "stock, native SeatVecEnv": "sb3-contrib's MaskablePPO on `SeatVecEnv`",
    "stock, 8 ordinary envs": "sb3-contrib's MaskablePPO on eight ordinary environments",
}
FAIR = (
    "An observation holds all that a seat may know and nothing else. Every seat gets its reward, no matter which one "
    "moved last. A copy for a search cannot see the future. Tests compare pairs of games in every interface. "
    "[Environments](docs/environments.md)"
)


def read(name: str) -> Any:
    """Return the content of a result file."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def count(number: float) -> str:
    """Return a number with three significant digits.

    >>> count(3_912_345), count(68_327), count(512)
    ('3,910,000', '68,300', '512')
    """
    return f"{float(f'{number:.3g}'):,.0f}"


def duration(seconds: float) -> str:
    """Return a time in words.

    >>> duration(48.2), duration(139), duration(842)
    ('48 s', '2 min 20 s', '14 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 600:
        minutes, rest = divmod(round(seconds / 10) * 10, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{seconds / 60:.0f} min"


def table(*rows: Iterable[str], right: int = 0) -> str:
    """Return rows as Markdown; the first is the head, and the last ``right`` columns are numbers."""
    head, *others = [list(row) for row in rows]
    return markdown_table(head, others, right)


# -- the sentences at the top -----------------------------------------------------------------------------------------


def highlights() -> str:
    """Return what is special about the project, as a list."""
    sentences = {
        "Fast.": fast(),
        "Quick to learn.": learns(),
        "Strong.": strong(),
        "Correct.": correct(),
        "Nothing leaks, everyone is paid.": FAIR,
    }
    return "\n".join(f"- **{name}** {text}" for name, text in sentences.items())


def fast() -> str:
    """Say how many decisions a second the engine plays, beside the fastest game of all peers."""
    report = read("peers")
    own, others = dict.fromkeys(WAYS, 0.0), dict.fromkeys(WAYS, 0.0)
    for (way, project), games in speeds(report).items():
        rates = own if project == "Crypt" else others
        rates[way] = max(rates[way], *games.values())
    batch, single, loop = (count(own[way]) for way in WAYS)
    peers = [count(others[way]) for way in WAYS]
    return (
        f"One core plays {batch} decisions a second in a batch, observations and masks included, {single} one game at "
        f"a time, and {loop} in PettingZoo's loop. The fastest games of other projects reach {peers[0]}, {peers[1]} "
        f"and {peers[2]}. [Speed](#speed)"
    )


def learns() -> str:
    """Say what a few minutes of training reach, and how long others take for the same."""
    duel, report = read("ablations-duel"), read("time-to-strength")
    seeds, goal = duel["runs"][:2], GOALS[-1]
    own, *others = (seconds_to(goal, rows) for rows in report["results"].values())
    best = min(others)
    rest = f"the next best one needs {duration(best)}" if best < math.inf else "no other reached them"
    return (
        f"After {duel['minutes']:.0f} minutes of training on one core a network wins {span(seeds, 'greedy')} of its "
        f"games against `greedy` and {span(seeds, 'tuned')} against `tuned` (two seeds). In the solo game our "
        f"trainer reaches {goal} coins after {duration(own)} on two cores; {rest}. "
        "[How fast it learns](#how-fast-it-learns)"
    )


def span(runs: list[dict[str, float]], opponent: str) -> str:
    """Return the lowest and the highest share of the wins.

    >>> span([{"tuned": 0.566}, {"tuned": 0.527}], "tuned")
    '53 to 57%'
    """
    shares = [run[opponent] for run in runs]
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{high}%" if low == high else f"{low} to {high}%"


def strong() -> str:
    """Say how strong the shipped networks are."""
    duel = read("ladder-2")
    games = {(row["agent"], row["opponent"]): row["share"]["value"] for row in duel["pairings"]}
    return (
        f"`net:solo` makes {coins('net:solo'):.1f} coins, random play {coins('random'):.1f}. `net:duel` wins "
        f"{1 - games['greedy', 'net:duel']:.0%} against `greedy` and {1 - games['search:20', 'net:duel']:.0%} against "
        "`search:20`, a search with playouts; it needs numpy alone. [Strength](#strength)"
    )


def correct() -> str:
    """Say how the rules are checked."""
    paragraphs = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").count("<a id=")
    with gzip.open(ROOT / "tests" / "golden" / "records" / "sample.jsonl.gz") as lines:
        sample = sum(1 for _ in lines)
    checked, agrees = read("crosscheck"), "checks recorded games"
    if not checked["differences"]:
        agrees = f"agrees in {checked['decisions']:,} decisions of {checked['games']:,} games"
    return (
        f"Each of the {paragraphs} paragraphs of [the rules](docs/rules.md) has a test that names it. A second "
        f"implementation, written from that page alone, {agrees}. {sample} games that another program recorded replay "
        "without a difference. [How the rules are checked](docs/engine.md#how-the-rules-are-checked)"
    )


# -- the tables -------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Return the two commands, with how long they took in a fresh clone."""
    took = {name: f" ({duration(seconds)} in a fresh clone)" for name, seconds in read("clone")["seconds"].items()}
    lines = (
        f"make train     # installs into .venv, then trains a network for the solo game{took.get('make train', '')}",
        f"make test      # lint, strict types, all tests, the tests of the wheel{took.get('make test', '')}",
    )
    return "\n".join(["```", *lines, "```"])


def coins(agent: str) -> float:
    """Return the mean coins of an agent that plays alone."""
    found = {row["agent"]: row["coins"]["value"] for row in read("ladder-1")["solos"]}
    return float(found[agent])


def strength() -> str:
    """Return the ladder, in short."""
    reports = [read(f"ladder-{players}") for players in (2, 3, 4)]
    ratings = [{row["agent"]: row["elo"]["value"] for row in report["ratings"]} for report in reports]
    rows = [[f"`{agent}`", f"{coins(agent):.1f}", *(f"{found[agent]:.0f}" for found in ratings)] for agent in LADDER]
    special = [f"{found[agent]:.0f}" for found, agent in zip(ratings, SPECIALISTS[1:], strict=True)]
    rows.append([", ".join(f"`{agent}`" for agent in SPECIALISTS), f"{coins(SPECIALISTS[0]):.1f}", *special])
    return table(("agent", "solo: coins", "2 players: Elo", "3 players: Elo", "4 players: Elo"), *rows, right=4)


def trainings() -> str:
    """Return how long trainers need until they play well."""
    report = read("time-to-strength")
    rows = [[name, *(time_to(goal, found) for goal in GOALS)] for name, found in report["results"].items()]
    dates = sorted({about["date"] for about in report["measured"].values()})
    head = (f"solo game, {report['cores']} cores: time until it makes", *(f"{goal} coins" for goal in GOALS))
    return (
        f"{table(head, *rows, right=2)}\n\nTuned means with our trainer's settings; RLlib uses them as well. "
        f"`python benchmarks/time_to_strength.py`, {' to '.join(dates[:1] + dates[1:][-1:])}."
    )


def time_to(goal: int, rows: list[dict[str, float]]) -> str:
    """Return after how much training an evaluation first had a mean of this many coins."""
    seconds = seconds_to(goal, rows)
    return duration(seconds) if seconds < math.inf else f"not in {duration(rows[-1]['seconds'])}"


def seconds_to(goal: int, rows: list[dict[str, float]]) -> float:
    """Return the same in seconds; infinity if it was never reached."""
    return next((row["seconds"] for row in rows if row["coins"] >= goal), math.inf)


def training_speed() -> str:
    """Return how many decisions a second trainers learn from."""
    results = read("training-speed")["results"]
    rows = []
    for key, name in TRAINERS.items():
        rows.append([name, *(count(found[key]["decisions a second"]) for found in results.values())])
    head = ("decisions a second, learning included", *(f"2 x {width}" for width in results))
    return table(head, *rows, right=len(results))


def speeds(report: dict[str, Any]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the decisions a second of each game, by the way of playing and the project."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for project, games in report["decisions a second"].items():
        for name, rate in games.items():
            prefix, _, game = name.rpartition(", ")
            way = prefix if prefix in WAYS else "single"
            is_part = way == "single" and prefix and not prefix.startswith("one game")
            label = f"{project} {prefix}" if is_part else project
            found.setdefault((way, label), {})[game.replace("_", " ").replace("-", " ")] = rate
    return found


def speed() -> str:
    """Return the speed beside other projects."""
    report = read("peers")
    rows = []
    for way, title in WAYS.items():
        rows.append([f"**{title}**", "", ""])
        rows += [[*of_project(report, label, games)] for (kind, label), games in speeds(report).items() if kind == way]
    text = table(("decisions a second on one core", "slowest game", "fastest game"), *rows, right=2)
    return (
        f"{text}\n\nAll play at random, legally, and make the observation of each decision, which in Crypt is "
        f"{FEATURES} numbers and a mask of {ACTIONS}. The games differ, so this compares interfaces rather than rules. "
        f"`python benchmarks/peers.py`, {report['date']}; {sizes(report)}."
    )


def of_project(report: dict[str, Any], label: str, games: dict[str, float]) -> tuple[str, str, str]:
    """Return a project with its version, and its slowest and fastest game; the slowest only if there are several."""
    project = next(name for name in report["projects"] if f"{label} ".startswith(f"{name} "))
    version = next(iter(report["projects"][project]["versions"].values()), "")
    ordered = sorted(games, key=lambda name: games[name])
    slow, quick = (f"{count(games[name])} ({name})" for name in (ordered[0], ordered[-1]))
    return f"{label} {version}".strip(), slow if len(games) > 1 else "", quick


def sizes(report: dict[str, Any]) -> str:
    """Return what the projects take on disk with all that they need."""
    parts = [f"{project} {facts['megabytes']:,.0f}" for project, facts in report["projects"].items()]
    return f"megabytes installed, with dependencies: {', '.join(parts)}"


BLOCKS: dict[str, Callable[[], str]] = {
    "highlights": highlights,
    "commands": commands,
    "strength": strength,
    "time to strength": trainings,
    "training speed": training_speed,
    "speed": speed,
}


def filled(text: str) -> str:
    """Return a page with all its blocks as the result files have them."""

    def block(found: re.Match[str]) -> str:
        return f"<!-- measured: {found[1]} -->\n{BLOCKS[found[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- measured: ([\w ]+) -->\n.*?<!-- end -->", block, text, flags=re.DOTALL)


def main() -> int:
    """Write the page, or say that it is out of date."""
    parser = argparse.ArgumentParser(description="Fill the numbers of the README from the committed result files.")
    parser.add_argument("--check", action="store_true", help="only say whether the page is out of date")
    text = PAGE.read_text(encoding="utf-8")
    if not parser.parse_args().check:
        write_text(PAGE, filled(text))
    elif filled(text) != text:
        print(f"{PAGE.name} is out of date; run: python -m tools.measured")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
