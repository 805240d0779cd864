"""From weights to look-up tables: what the tuned agent knows about the game, apart from its weights.

A decision reads a few numbers from one flat table and adds them up. Everything costly, such as the probability of
completing a set, is precomputed here. `BLOCKS` describes the layout of the table, `WEIGHTS` that of the weights.
Everything is in coins.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import CryptError
from crypt_env.files import shown
from crypt_env.rules.actions import DICE, EFFORTS
from crypt_env.rules.cards import IDOL, JEWELRY, KINDS, MANUSCRIPT, POTTERY, REMAINS, TAPESTRY

from .network_names import SHIPPED

Floats = NDArray[np.float64]

TURNS = 4
STAGES = 3
"""The last round, the one before it, and all earlier ones."""
COUNTS = DICE + 1
TOTALS = DICE * EFFORTS + 1
HELD = 9
LEFT = 9
ROUNDS = 9
SETS = 2 * KINDS + 1
"""Collectors, side A and B of each, and Idol B when another player was first."""
IDOL_GONE = 2 * KINDS
LEADS = 17
"""Coins in Tapestries ahead of the best other player, from -8 to 8."""

WEIGHTS_FILE = SHIPPED / "tuned.json"
"""The weights by number of players and name; ``benchmarks/tune_playouts.py`` writes it."""
WEIGHTS_SHA256 = "135cf463367b91e35be39c7d7f0a7a4e7414597e14c19a25f38ca5827367494e"
"""Of that file. Its numbers become part of machine code, whose caches know by this line when they have changed."""


class Block(NamedTuple):
    """A part of the weights or of the table."""

    start: int
    shape: tuple[int, ...]
    initial: float
    """What a weight is at first."""

    @property
    def stop(self) -> int:
        """Return the index after the last number."""
        return self.start + int(np.prod(self.shape))


def _laid_out(parts: list[tuple[str, tuple[int, ...], float]]) -> dict[str, Block]:
    """Return parts laid out one after the other, by name."""
    blocks: dict[str, Block] = {}
    start = 0
    for name, shape, initial in parts:
        blocks[name] = Block(start, shape, initial)
        start = blocks[name].stop
    return blocks


WEIGHTS = _laid_out(
    [
        ("threat", (TURNS, COUNTS, 2), 0.5),  # log odds of being pushed off with no effort, of low and high cards
        ("slope", (TURNS, COUNTS), 0.25),  # how much each point of effort lowers them
        ("risk", (TURNS, STAGES, COUNTS), 1.5),  # price of an exhausted die, by dice exhausted already
        ("left", (TURNS, STAGES, 2, COUNTS), 0.0),  # worth of dice kept ready, by whether any is exhausted
        ("recover", (TURNS, STAGES, COUNTS), 0.0),  # worth of recovering, by exhausted dice
        ("wait", (TURNS, STAGES, COUNTS), 0.0),  # worth of recovering, by ready dice
        ("push", (TURNS, COUNTS), 0.0),  # price of returning that many dice to an opponent
        ("chance", (SETS,), 0.4),  # to get each card of a type that is still in the deck
        ("bonus", (SETS,), 0.8),  # share of a Collector's coins that is counted
        ("use", (SETS,), 0.1),  # worth of one more card of a type, regardless of its score
        ("later", (SETS,), 0.3),  # the same for the number of rounds left, of eight
        ("deny", (TURNS, 2), 0.1),  # worth of what an opponent would gain, of a free card and of a held one
        ("shield", (1,), 0.6),  # share of the price of exhausted dice while an Idol can re-roll one
        ("take", (2,), 1.0),  # what a face-down card must be worth to be taken; in later rounds
        ("revive", (TURNS, STAGES), 0.5),  # worth of reviving a die instead of continuing
        ("peek", (TURNS + 2, 1), 0.1),  # worth of peeking in a turn and in the windows
        ("reroll", (2,), 0.1),  # flat worth of re-rolling; price of each point of effort
    ]
)
WEIGHT_COUNT = max(block.stop for block in WEIGHTS.values())

BLOCKS = _laid_out(
    [
        ("keep", (TURNS, COUNTS, 2, TOTALS), 0.0),
        ("risk", (TURNS, STAGES, COUNTS), 0.0),
        ("left", (TURNS, STAGES, 2, COUNTS), 0.0),
        ("recover", (TURNS, STAGES, COUNTS, COUNTS), 0.0),
        ("push", (TURNS, COUNTS), 0.0),
        ("gain", (SETS, HELD, LEFT), 0.0),
        ("use", (SETS, ROUNDS), 0.0),
        ("share", (SETS,), 0.0),
        ("lead", (LEFT, LEADS), 0.0),
        ("deny", (TURNS, 2), 0.0),
        ("shield", (1,), 0.0),
        ("take", (ROUNDS,), 0.0),
        ("revive", (TURNS, STAGES), 0.0),
        ("peek", (TURNS + 2,), 0.0),
        ("reroll", (EFFORTS + 1,), 0.0),
    ]
)
TABLE_SIZE = max(block.stop for block in BLOCKS.values())


def first_weights() -> Floats:
    """Return the initial weights of a search: sensible, not tuned."""
    weights = np.zeros(WEIGHT_COUNT)
    for block in WEIGHTS.values():
        weights[block.start : block.stop] = block.initial
    _read(weights, "recover")[:] = (0.0, 1.5, 3.5, 6.0)
    _read(weights, "recover")[:, 0] = (0.0, 1.0, 2.0, 3.0)
    _read(weights, "risk")[:, 0] = 1.0
    return weights


def read_weights() -> dict[int, Floats]:
    """Return the weights of the agent ``tuned`` by number of players.

    Raises:
        CryptError: their file is missing or damaged.
    """
    try:
        text = WEIGHTS_FILE.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CryptError(f"'{shown(WEIGHTS_FILE)}' cannot be read: {error}; install crypt-env again") from error
    if hashlib.sha256(text.encode()).hexdigest() != WEIGHTS_SHA256:
        raise CryptError(f"'{shown(WEIGHTS_FILE)}' is damaged: its SHA-256 is not {WEIGHTS_SHA256}")
    return {int(players): weights_of(named) for players, named in json.loads(text).items()}


def weights_of(named: Mapping[str, Sequence[float]]) -> Floats:
    """Return the weights from lists by name; a missing list, or one of another size, gets its initial values."""
    weights = first_weights()
    for name, block in WEIGHTS.items():
        if len(named.get(name, ())) == block.stop - block.start:
            weights[block.start : block.stop] = named[name]
    return weights


def _read(weights: Floats, name: str) -> Floats:
    """Return a part of the weights."""
    block = WEIGHTS[name]
    return weights[block.start : block.stop].reshape(block.shape)


def table_of(weights: Floats, players: int) -> Floats:
    """Return the table computed from the weights for a number of players."""
    parts = {name: _read(weights, name) for name in WEIGHTS}
    rounds = np.arange(ROUNDS) / 8.0
    efforts = np.arange(EFFORTS + 1)
    made = {
        "keep": _keep(parts["threat"], parts["slope"], players),
        "risk": np.maximum(parts["risk"], 0.0),
        "left": parts["left"],
        "recover": parts["recover"][:, :, None, :] + parts["wait"][:, :, :, None],
        "push": parts["push"],
        "gain": _gains(np.clip(parts["chance"], 0.0, 1.0), parts["bonus"]),
        "use": parts["use"][:, None] + parts["later"][:, None] * rounds,
        "share": parts["bonus"],
        "lead": _leads(float(np.clip(parts["chance"][2 * TAPESTRY], 0.0, 1.0))) * parts["bonus"][2 * TAPESTRY],
        "deny": parts["deny"],
        "shield": np.clip(parts["shield"], 0.0, 1.0),
        "take": parts["take"][0] * np.minimum(rounds * 8.0, 1.0) + parts["take"][1] * rounds,
        "revive": parts["revive"],
        "peek": parts["peek"][:, 0],
        "reroll": parts["reroll"][0] - parts["reroll"][1] * (efforts - 1) / EFFORTS,
    }
    return np.concatenate([np.broadcast_to(made[name], block.shape).ravel() for name, block in BLOCKS.items()])


def _keep(threat: Floats, slope: Floats, players: int) -> Floats:
    """Return the probability of keeping a card, [turn, threatening dice (solo, first turn: slot), is high, effort]."""
    totals = np.arange(TOTALS)
    odds = np.clip(threat[..., None] - np.maximum(slope, 0.0)[:, :, None, None] * totals, -30, 30)
    keep = 1.0 - 1.0 / (1.0 + np.exp(-odds))
    most = EFFORTS * np.arange(COUNTS)[None, :, None, None]
    is_safe = np.broadcast_to(totals >= most, keep.shape).copy()
    if players == 1:
        is_safe[0] = totals >= EFFORTS * DICE
        is_safe[2] = True
    return np.where(is_safe, 1.0, keep)


def _scores() -> Floats:
    """Return the coins for holding some cards of a type, [Collector, cards]; 0 where that is computed elsewhere."""
    cards = np.arange(HELD + LEFT + 1)
    scores = np.zeros((SETS, len(cards)))
    scores[2 * IDOL] = np.sqrt(cards)
    scores[2 * IDOL + 1] = 5.0 * (cards >= 2)
    scores[IDOL_GONE] = 2.0 * (cards >= 2)
    scores[2 * JEWELRY] = 3.0 * (cards >= 2)
    scores[2 * JEWELRY + 1] = cards
    scores[2 * MANUSCRIPT] = 3.0 * (cards >= 2)
    scores[2 * MANUSCRIPT + 1] = np.sqrt(cards)
    scores[2 * POTTERY] = np.array([0, 0, 2, 4, 8])[np.minimum(cards, 4)]
    scores[2 * POTTERY + 1] = 2.0 * (cards // 2)
    scores[2 * REMAINS] = 1.0 * (cards // 2)
    scores[2 * REMAINS + 1] = 10.0 * (cards >= 4)
    scores[2 * TAPESTRY + 1] = 7.0 * (cards >= 3)
    return scores


_SCORES = _scores()


def _odds_of_drawing(chance: float) -> Floats:
    """Return the probability of getting n of the cards left, [left, n], if each comes with the same probability."""
    odds = np.zeros((LEFT, LEFT))
    odds[0, 0] = 1.0
    for left in range(1, LEFT):
        odds[left] = odds[left - 1] * (1.0 - chance)
        odds[left, 1:] += odds[left - 1, :-1] * chance
    return odds


def _gains(probabilities: Floats, shares: Floats) -> Floats:
    """Return by how much one more card raises the expected coins of a set, [Collector, held, left in the deck]."""
    gains = np.zeros((SETS, HELD, LEFT))
    reach = np.arange(HELD)[:, None] + np.arange(LEFT)
    for number in range(SETS):
        steps = np.diff(_SCORES[number])[reach]
        gains[number] = shares[number] * steps @ _odds_of_drawing(float(probabilities[number])).T
    return gains


def _leads(chance: float) -> Floats:
    """Return what a lead in Tapestries is worth on side A, [left in the deck, lead + 8]."""
    leads = np.arange(LEADS) - LEADS // 2
    spread = 0.7 + 3.0 * chance * np.sqrt(np.arange(LEFT))
    return 5.0 / (1.0 + np.exp(-(leads + 0.5)[None, :] / spread[:, None]))
