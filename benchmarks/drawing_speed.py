"""How many boards are drawn per second of CPU time, for each number of players.

    python benchmarks/drawing_speed.py [--width 640] [--height 480] [--frames 300] [--repeats 5] [--json FILE]

Every frame is a different position of games between random players, drawn from the game's state: the observation, the
scene and the pixels. Cards, dice and words are drawn once before, as in any program that draws more than a few frames.
CPU time is measured, so that a busy machine changes little, and the median of the repeats counts. The same positions
are also drawn as SVG and as text.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from crypt_env import Batch
from crypt_env.console.arguments import count, new_file
from crypt_env.drawing import Scene, draw_pixels, draw_svg, draw_text, scenes_of_states
from crypt_env.files import write_json


def positions(players: int, frames: int) -> NDArray[np.void]:
    """Return positions of games between random players, one after the other."""
    batch = Batch(1, players, seed=players)
    batch.reset()
    found = np.zeros(frames, batch.states.dtype)
    for frame in range(frames):
        found[frame] = batch.states[0]
        batch.step_random()
    return found


def frames_a_second(draw: Callable[[Scene], object], states: NDArray[np.void], repeats: int) -> float:
    """Return how many of the positions are drawn per second of CPU time."""
    speeds = []
    for repeat in range(repeats + 1):
        begin = time.process_time()
        for frame in range(len(states)):
            draw(scenes_of_states(states[frame : frame + 1])[0])
        if repeat:
            speeds.append(len(states) / (time.process_time() - begin))
    return statistics.median(speeds)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="How many boards are drawn in a second.")
    parser.add_argument("--width", type=count, default=640, help="of the pictures, in pixels")
    parser.add_argument("--height", type=count, default=480, help="of the pictures, in pixels")
    parser.add_argument("--frames", type=count, default=300, help="positions for each number of players")
    parser.add_argument("--repeats", type=count, default=5, help="the median of this many runs counts")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write all measurements")
    given = parser.parse_args()
    ways: dict[str, Callable[[Scene], object]] = {
        f"pixels {given.width}x{given.height}": lambda scene: draw_pixels(scene, given.width, given.height),
        "SVG": draw_svg,
        "text": draw_text,
    }
    print(f"{'boards a second':<16}" + "".join(f"{way:>18}" for way in ways))
    found = {}
    for players in (1, 2, 3, 4):
        states = positions(players, given.frames)
        speeds = {way: frames_a_second(draw, states, given.repeats) for way, draw in ways.items()}
        print(f"{players} player{'s' * (players > 1):<8}" + "".join(f"{speed:>18,.0f}" for speed in speeds.values()))
        found[str(players)] = {way: round(speed) for way, speed in speeds.items()}
    if given.json is not None:
        facts = {"processor": platform.processor() or platform.machine(), "load": os.getloadavg()[0]}
        write_json(given.json, {**facts, "boards a second": found})


if __name__ == "__main__":
    main()
