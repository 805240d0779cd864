"""How soon one can play in the browser, how soon opponents answer there, and how large the files are.

    python benchmarks/page_speed.py [--repeats 5] [--games 3] [--records 200] [--json FILE]

The first move: from opening an address to the moment when a card can be claimed, in a browser that has stored nothing,
of the page from its server and of the page in one file. Answers: of every opponent in whole games among its kind, as
the page asks it, the way to its Worker included. Sizes: of replays of games between random players, with a network's
opinion, and of what `web` and `drawing` add to a wheel. Times are those of a clock, so a busy machine makes
them longer.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import tempfile
import threading
import time
import zlib
from pathlib import Path
from typing import Any

from crypt_env import random_game, to_record
from crypt_env.agents.network_names import shipped_networks
from crypt_env.console.arguments import count, new_file
from crypt_env.files import write_json
from crypt_env.web.packed import FOLDER, game_page
from crypt_env.web.replays import replay_html
from crypt_env.web.server import PageServer

NETWORKS = ("net:solo", "net:duel", "net:trio", "net:quartet")
GAME = "#seed={seed}&players=2&table=AAAAAA&leader=0&seats=you.net"
LEVELS = ("random", "ghost", "greedy", "tuned", "generalist", "net", "puct")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
MILLI = 1000

ANSWERS = """async ({ level, players, games }) => {
  const { Engine } = await import("./engine.js");
  const { Opponents } = await import("./opponents.js");
  const { Session } = await import("./session.js");
  const { bytesOf, jsonOf } = await import("./resources.js");
  const wasm = await bytesOf("engine.wasm");
  const engine = await Engine.load(wasm, await jsonOf("engine.json"));
  const opponents = new Opponents(engine, wasm);
  const times = [];
  for (let seed = 0; seed <= games; seed++) {
    const session = new Session(engine, { players, table: "random", leader: "random", seed: String(seed) });
    while (!session.game.isOver) {
      const start = performance.now();
      const action = await opponents.choose(session, level);
      if (seed) times.push((performance.now() - start) / 1000);  // the first game only loads and warms up
      session.act(action);
    }
  }
  return times;
}"""


def first_moves(browser: Any, address: str, repeats: int) -> dict[str, float]:
    """Return the seconds until a card can be claimed, each time with a browser that has stored nothing."""
    found = []
    for repeat in range(repeats + 1):
        context = browser.new_context()
        page = context.new_page()
        start = time.perf_counter()
        page.goto(address + GAME.format(seed=repeat))
        page.locator(".niche.open").first.wait_for()
        found.append(time.perf_counter() - start)
        context.close()
    return {"median": statistics.median(found[1:]), "longest": max(found[1:])}  # the first one starts the browser


def answers(browser: Any, address: str, games: int) -> dict[str, dict[str, dict[str, float]]]:
    """Return the seconds that opponents take for a decision, by level and number of players."""
    page = browser.new_context().new_page()
    page.goto(address)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for level in LEVELS:
        for players in (2, 3, 4):
            times = page.evaluate(ANSWERS, {"level": level, "players": players, "games": games})
            found.setdefault(level, {})[str(players)] = {
                "decisions": len(times),
                "median": statistics.median(times),
                "95%": statistics.quantiles(times, n=20)[-1],
                "longest": max(times),
            }
    return found


def replay_sizes(records: int) -> dict[str, int]:
    """Return the sizes of replays, in bytes."""
    sizes = []
    for number in range(records):
        players = 1 + number % 4
        record = to_record(random_game(players, seed=number))
        sizes.append(len(replay_html(record, agent=NETWORKS[players - 1]).encode()))
    return {"records": records, "smallest": min(sizes), "largest": max(sizes)}


def package_sizes() -> dict[str, int]:
    """Return what the packages `web` and `drawing` add to a wheel: their files, compressed one by one."""
    folders = (FOLDER, FOLDER.parent / "drawing")
    files = {folder.name: [path for path in folder.rglob("*") if path.suffix not in ("", ".pyc")] for folder in folders}
    return {name: sum(len(zlib.compress(path.read_bytes())) for path in paths) for name, paths in files.items()}


def in_browser(repeats: int, games: int) -> dict[str, Any]:
    """Return what is measured in a browser."""
    from playwright.sync_api import sync_playwright

    executable = next(filter(None, map(shutil.which, CHROMIUM)), None)
    with PageServer() as server, sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        file = Path(folder) / "crypt.html"
        file.write_text(game_page(shipped_networks()), encoding="utf-8")
        found = {
            "browser": f"Chromium {browser.version}",
            "first move": {
                "server": first_moves(browser, server.address, repeats),
                "file": first_moves(browser, file.as_uri(), repeats),
            },
            "answers": answers(browser, server.address, games),
        }
        browser.close()
        server.shutdown()
    return found


def table(results: dict[str, Any]) -> str:
    """Return all results as a text."""
    lines = [f"load of the machine {results['load'][0]:.1f} before, {results['load'][1]:.1f} after"]
    for where, found in results["first move"].items():
        lines.append(f"first move, from a {where}: median {found['median']:.2f} s, longest {found['longest']:.2f} s")
    for level, counts in results["answers"].items():
        for players, found in counts.items():
            numbers = ", ".join(f"{name} {found[name] * MILLI:.1f} ms" for name in ("median", "95%", "longest"))
            lines.append(f"{level}, {players} players: {numbers} ({found['decisions']} decisions)")
    replays, sizes = results["replays"], results["wheel"]
    lines.append(f"{replays['records']} replays: {replays['smallest']:,} to {replays['largest']:,} bytes")
    lines.append("in the wheel: " + ", ".join(f"{name} {size:,} bytes" for name, size in sizes.items()))
    return "\n".join(lines)


def main() -> None:
    """Measure, print and write everything to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=count, default=5, help="how often the page is opened")
    parser.add_argument("--games", type=count, default=3, help="with each opponent, for each number of players")
    parser.add_argument("--records", type=count, default=200, help="of which replays are written")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all measurements")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    found = in_browser(options.repeats, options.games)
    facts = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    sizes = {"replays": replay_sizes(options.records), "wheel": package_sizes()}
    results = {**facts, "load": [before, os.getloadavg()[0]], **found, **sizes}
    print(table(results))
    if options.json is not None:
        write_json(options.json, results)


if __name__ == "__main__":
    main()
