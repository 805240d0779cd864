"""Games to try a property on, and how two games are compared."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from crypt_env import DRAW, Arrays, Batch, Game, new_arrays
from crypt_env.rules.actions import DONE, FLIP, PEEK
from crypt_env.rules.batch import step_rows, view_rows
from crypt_env.rules.cards import card_text, deck_of
from crypt_env.rules.state import AFTER_CLAIM, ANSWER, BEFORE_CLAIM, CLAIM, COLLECT, GAME
from rules.payments import PENDING

COUNTS = (1, 2, 3, 4)
FACE_UP = {1: 2, 2: 2, 3: 3, 4: 4}
SLOTS = {1: 3, 2: 3, 3: 4, 4: 6}
DECISIONS = {BEFORE_CLAIM: "before", CLAIM: "claim", AFTER_CLAIM: "after", COLLECT: "collect", ANSWER: "answer"}
PAYING = ("MP", "MP", "MP", "IR", "IP", "MR")
"""Types of which one pays for rewards and the other for more of them; a take may be answered where both are M and P."""

SCRATCH = ("rolled", "paid")
"""Fields that say nothing about the game between two decisions, unless rewards are dense."""
WISHES = ("table_rule", "leader_rule", "reward_rule", "dense", "restarts", "pauses", "deck_given", "learner")
"""What the caller asked for; not part of a position."""


def eager(rng: random.Random, legal: Sequence[int]) -> int:
    """Choose an action: often a rare one, and cards of many types with few dice, so that Collectors come into play."""
    rare = [action for action in legal if action >= PEEK]
    if rare and rng.random() < 0.6:
        return rng.choice(rare)
    small = [action for action in legal if action < DONE and action % 18 < 3]
    if small and rng.random() < 0.6:
        return rng.choice(small)
    return rng.choice(list(legal))


def is_asked_to_flip(game: Game) -> bool:
    """Return whether a seat has chosen an action and is asked which card it flips for it."""
    return bool(game.state["chosen"][0] >= 0)


def spender(rng: random.Random, game: Game) -> int:
    """Choose an action: often one for which a flip is asked or a reward, else a face-down card."""
    legal = game.legal_actions()
    rare = [action for action in legal if action >= PEEK]
    asking = [action for action in rare if action >= FLIP or is_asked_to_flip(game.copy().play(action))]
    if asking and rng.random() < 0.7:
        return rng.choice(asking)
    if rare and rng.random() < 0.3:
        return rng.choice(rare)
    down = [action for action in legal if FACE_UP[game.players] * 18 <= action < DONE and action % 18 < 4]
    return rng.choice(down) if down and rng.random() < 0.8 else eager(rng, [a for a in legal if a <= PEEK] or legal)


def rich_game(players: int, seed: int) -> Game:
    """Return a new game in which flips are asked and takes answered: tables A?BBA?, and hidden cards that pay."""
    rng = random.Random(f"{players} {seed}")
    kinds = rng.choice(PAYING)
    deck = [card_text(card) for card in deck_of(players)]
    rng.shuffle(deck)
    deck.sort(key=lambda card: card[0] in kinds and rng.random() < 0.9)
    slots, up = SLOTS[players], FACE_UP[players]
    count = len(deck) // slots * (slots - up)
    shown, hidden = deck[:-count], deck[-count:]
    rng.shuffle(shown)
    rng.shuffle(hidden)
    dealt = [(shown if place % slots < up else hidden).pop() for place in range(len(deck))]
    return Game(players, f"A{rng.choice('AB')}BBA{rng.choice('AB')}", seed=seed, deck=dealt)


def rich_positions(players: int, seed: int) -> Iterator[Game]:
    """Play a game in which flips are asked and takes answered; yield it at every decision and at its end."""
    rng = random.Random(seed)
    game = rich_game(players, seed)
    while not game.is_over:
        yield game
        game.play(spender(rng, game))
    yield game


def positions(players: int, seed: int, is_eager: bool = True, collectors: str = "random") -> Iterator[Game]:
    """Play a game and yield it at every decision and at its end; on random tables every other seed is a rich game."""
    if seed % 2 and collectors == "random":
        yield from rich_positions(players, seed)
        return
    rng = random.Random(seed)
    game = Game(players, collectors, seed=seed)
    while not game.is_over:
        yield game
        legal = game.legal_actions()
        game.play(eager(rng, legal) if is_eager else rng.choice(legal))
    yield game


@cache
def sample(players: int, count: int = 100) -> tuple[Game, ...]:
    """Return positions spread over several games. They must not be played on."""
    games = [game.copy() for seed in range(6) for game in positions(players, 100 + seed)]
    return tuple(games[:: max(1, len(games) // count)])


@cache
def asked_games(players: int) -> tuple[Game, ...]:
    """Return a game for each kind of question which card is flipped, and one in which a take may be answered."""
    if players == 1:
        return ()
    return (*(make(players) for make in PENDING.values()), PENDING["peek as an answer"](players).undo())


def fields_that_differ(one: np.ndarray, other: np.ndarray, ignored: Sequence[str] = ()) -> list[str]:
    """Return the names of the fields in which two arrays of games differ."""
    return [name for name in GAME.names if name not in ignored and (one[name] != other[name]).any()]


def raw(states: np.ndarray) -> bytes:
    """Return the bytes of all fields; those between the fields do not count."""
    return b"".join(states[name].tobytes() for name in GAME.names)


def look(states: np.ndarray, seats: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return what a seat of each game may know and do: observations and masks."""
    arrays = new_arrays(len(states))
    viewers = np.array(seats, np.int8)
    view_rows(states, np.arange(len(states)), viewers, arrays.observations, arrays.masks)
    return arrays.observations, arrays.masks


def step(states: np.ndarray, action: int = DRAW) -> Arrays:
    """Play one action in all games; it must be legal everywhere."""
    arrays = new_arrays(len(states))
    refused = step_rows(states.view(np.uint8), 0, len(states), *arrays, np.full(len(states), action, np.int64))
    assert refused == -1
    return arrays


def play_on(states: np.ndarray) -> None:
    """Play games to the end with actions that they draw themselves."""
    states["pauses"] = 0
    while (states["mover"] >= 0).any():
        step(states)


def nth_legal(masks: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Choose a legal action for each game by a number; DRAW if there is none."""
    counts = masks.sum(axis=1)
    wanted = numbers % np.maximum(counts, 1)
    actions = (masks.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)
    return np.where(counts > 0, actions, DRAW).astype(np.int64)


def scattered(step_number: int, indices: np.ndarray) -> np.ndarray:
    """Return a number for each game and step without any generator."""
    return (step_number * 2654435761 + indices.astype(np.int64) * 40503 + 12345) % 1000003


def content(states: np.ndarray, arrays: Arrays, row: int) -> bytes:
    """Return the whole state of one game of a batch."""
    return b"".join(array[row : row + 1].tobytes() for array in (states, *arrays))


def fingerprint(steps: int = 40, seed: int = 11) -> str:
    """Return a digest of games of every player count, and of all that was written while they were played."""
    digest = hashlib.sha256()
    for dense, reward in ((False, "win"), (True, "margin")):
        batch = Batch(8, [1, 2, 3, 4] * 2, seed=seed, reward=reward, dense=dense)
        arrays = batch.reset()
        for number in range(steps):
            if number % 2:
                arrays = batch.step_random()
            else:
                arrays = batch.step(nth_legal(arrays.masks, scattered(number, batch.states["index"])))
            for row in range(len(batch)):
                digest.update(content(batch.states, arrays, row))
    return digest.hexdigest()


def run_elsewhere(code: str, **variables: str) -> str:
    """Run code in a new process with these environment variables; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **variables}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def deviation(counts: list[int], expected: float) -> float:
    """Return by how many standard deviations a chi-square statistic is off, by the Wilson-Hilferty approximation."""
    freedom = len(counts) - 1
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5
