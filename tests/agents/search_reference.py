"""References for searches: flat Monte Carlo and full enumeration, written with the engine alone."""

from __future__ import annotations

from itertools import product

import numpy as np

from agents.trials import random_bits
from crypt_env import DRAW, Batch, new_arrays
from crypt_env.rules.batch import roll_row, step_rows, view_rows
from crypt_env.rules.observe import LAYOUT
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import IN_CRYPT, OVER, STAYS

ROUNDS = {1: 8, 2: 8, 3: 9, 4: 8}
MARGIN_WEIGHT, MARGIN_SCALE = 0.5, 10.0
_ALONE = new_arrays(1)
_UNSEEN = next(part.start for part in LAYOUT if part.name == "unseen")


def look(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return observations and masks of the seats to move."""
    arrays = new_arrays(len(states))
    view_rows(states, np.arange(len(states)), states["mover"].copy(), arrays.observations, arrays.masks)
    return arrays.observations, arrays.masks


def play(states: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Play an action in each game, in place."""
    arrays = _ALONE if len(states) == 1 else new_arrays(len(states))
    assert step_rows(states.view(np.uint8), 0, len(states), *arrays, actions) == -1
    return states


def middle(players: int, count: int, steps: int, seed: int) -> np.ndarray:
    """Return positions after a number of decisions of random play."""
    batch = Batch(2 * count, players, restarts=False, seed=seed)
    batch.reset()
    for _ in range(steps):
        batch.step_random()
    return batch.states[batch.states["mover"] >= 0][:count].copy()


def last_round(players: int, count: int, seed: int) -> np.ndarray:
    """Return decisions of the last round in random play."""
    batch = Batch(count, players, restarts=False, seed=seed)
    batch.reset()
    found = []
    while (batch.states["phase"] != OVER).any():
        states = batch.states
        found.append(states[(states["round_number"] == ROUNDS[players] - 1) & (states["mover"] >= 0)].copy())
        batch.step_random()
    return np.concatenate(found)


# -- flat Monte Carlo -------------------------------------------------------------------------------------------------


def payoffs(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the value of finished games to seats, as playout searches compute it."""
    players, rows = int(states[0]["players"]), np.arange(len(states))
    scores = states["scores"][:, :players].astype(float)
    own = scores[rows, seats]
    if players == 1:
        return own
    won = states["winners"][:, None] >> np.arange(players) & 1
    scores[rows, seats] = -1000
    margin = own - scores.max(axis=1)
    return (won / won.sum(axis=1, keepdims=True))[rows, seats] + MARGIN_WEIGHT * margin / (abs(margin) + MARGIN_SCALE)


def playout_payoffs(game: np.ndarray, playouts: int, seed: int, redeals: bool = True) -> np.ndarray:
    """Play every legal action of a decision on the same deals, then at random: [candidates, playouts].

    Without re-dealing it sees the true cards, and only the dice are random.
    """
    candidates = np.flatnonzero(look(game)[1][0])
    states = np.repeat(game, playouts)
    states["restarts"], states["pauses"] = STAYS, 0
    bits = random_bits(playouts, seed)
    if redeals:
        resample_rows(states, 0, playouts, states["mover"].copy(), bits)
    else:
        states["chance"], states["choice"] = bits, bits[::-1]
    states = np.tile(states, len(candidates))
    play(states, np.repeat(candidates, playouts))
    while (states["phase"] != OVER).any():
        play(states, np.full(len(states), DRAW))
    return payoffs(states, np.full(len(states), int(game[0]["mover"]))).reshape(len(candidates), playouts)


# -- enumeration, solo ------------------------------------------------------------------------------------------------


class TooMany(Exception):
    """There are more continuations than a test has time for."""


class Enumeration:
    """The exact mean coins over all continuations of a decision of a solo game, for each legal action."""

    def __init__(self, game: np.ndarray, most_steps: int = 4000) -> None:
        """Go through all hidden values, dice and later decisions; a later decision is made at random."""
        self._steps = most_steps
        self.has_later_decisions = False
        self.actions = np.flatnonzero(look(game)[1][0])
        weights, worlds = self._worlds(game)
        tables = [[self._mean(self._after(world, action)) for action in self.actions] for world in worlds]
        self.coins = np.average(tables, axis=0, weights=weights)

    def _worlds(self, game: np.ndarray) -> tuple[list[float], list[np.ndarray]]:
        """Return the possible values of the face-down card of the Crypt, as games with weights."""
        game = game.copy()
        game["pauses"], game["restarts"] = 1, STAYS
        state = game[0]
        slots = [slot for slot in range(3) if state["card"][slot] >= 0 and state["down"][slot] >= 0]
        if not slots or state["down_seen"][state["down"][slots[0]]] & 1:
            return [1.0], [game]
        slot, kind = slots[0], int(state["card"][slots[0]]) // 4
        left = look(game)[0][0, _UNSEEN + 4 * kind : _UNSEEN + 4 * kind + 4]
        worlds = []
        for value in np.flatnonzero(left):
            world = game.copy()
            world[0]["card"][slot] = world[0]["down_card"][state["down"][slot]] = 4 * kind + value
            worlds.append(world)
        return left[left > 0].astype(float).tolist(), worlds

    def _after(self, game: np.ndarray, action: int) -> np.ndarray:
        """Return the game after an action, or after the dice that lie on the table."""
        self._steps -= 1
        if self._steps < 0:
            raise TooMany
        return play(game.copy(), np.array([action]))

    def _mean(self, game: np.ndarray) -> float:
        """Return the mean coins at the end."""
        if game[0]["phase"] == OVER:
            return float(game[0]["scores"][0])
        if game[0]["mover"] >= 0:
            self.has_later_decisions = True
            return float(
                np.mean([self._mean(self._after(game, action)) for action in np.flatnonzero(look(game)[1][0])])
            )
        count = int(roll_row(game, 0))
        results = []
        for rolled in product(range(1, 7), repeat=count):
            game[0]["rolled"][:count] = rolled
            results.append(self._mean(self._after(game, DRAW)))
        return float(np.mean(results))


def enumerated(count: int, has_later_decisions: bool, least_gap: float = 0.0) -> list[tuple[np.ndarray, Enumeration]]:
    """Return late solo positions with few continuations, with or without later decisions, and a clearly best action."""
    found: list[tuple[np.ndarray, Enumeration]] = []
    states = last_round(1, 256, seed=3)
    choices = look(states)[1].sum(axis=1)
    for place in np.flatnonzero((states["ready"][:, 0] == 1) & (choices > 3) & (choices < 14)):
        try:
            ways = Enumeration(states[place : place + 1])
        except TooMany:
            continue
        best = np.sort(ways.coins)
        if ways.has_later_decisions == has_later_decisions and best[-1] - best[-2] >= least_gap:
            found.append((states[place : place + 1], ways))
        if len(found) == count:
            break
    return found


_CARDS = next(part.start for part in LAYOUT if part.name == "cards")
_COINS = np.tile(np.arange(1, 5), 6)


class CoinsAhead:
    """Values a position by the coins that lie before the seat and before the next one."""

    def __init__(self, sign: float = 1.0) -> None:
        self.sign = sign
        self.seen: list[tuple[np.ndarray, np.ndarray]] = []

    def evaluate(self, observations, masks):
        self.seen.append((observations.copy(), masks.copy()))
        own, other = (observations[:, _CARDS + 24 * place : _CARDS + 24 * (place + 1)] @ _COINS for place in (0, 1))
        return np.ones(masks.shape), self.sign * np.tanh((own - other) / 10.0)


def extreme_deals() -> tuple[np.ndarray, np.ndarray]:
    """Return a decision of the last round twice: the face-down card, which the seat has not seen, is worth 1 and 4."""
    for game in np.split(states := last_round(2, 64, seed=5), len(states)):
        state = game[0]
        down = int(state["downs"]) - 1
        if state["turn"] or state["ready"][state["mover"]] < 2 or state["down_place"][down] != IN_CRYPT:
            continue
        deals = dealt_otherwise(np.repeat(game, 64), 1)
        values = deals["down_card"][:, down] % 4 + 1
        if not state["down_seen"][down] and 1 in values and 4 in values:
            return deals[[values.argmin()]], deals[[values.argmax()]]
    raise AssertionError("no such position")


def dealt_otherwise(games: np.ndarray, seed: int) -> np.ndarray:
    """Return games that look the same to the seat to move, with everything that it cannot know re-dealt."""
    others = games.copy()
    resample_rows(others, 0, len(others), others["mover"].copy(), random_bits(len(others), seed))
    return others
