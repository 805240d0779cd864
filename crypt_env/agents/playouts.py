"""The parts of a simulation: a determinization for the seat to move, a playout policy, a payoff at the end."""

from __future__ import annotations

import numpy as np

from crypt_env.rules.chance import following, mix
from crypt_env.rules.choice import draw_action, write_mask
from crypt_env.rules.compiled import int64, part, row, rule
from crypt_env.rules.observe import write_observation
from crypt_env.rules.resample import resample
from crypt_env.rules.score import count_winners, is_winner

from .tuned import tuned_action

# Playout policies.
UNIFORM, TUNED = int64(0), int64(1)
POLICIES = {"random": UNIFORM, "tuned": TUNED}

MARGIN_WEIGHT = 0.5
"""The most that the margin can add to a win, which is worth 1, or subtract from it."""
MARGIN_SCALE = 10.0
"""The margin in coins that adds half of `MARGIN_WEIGHT`."""

# Rows of the table: a determinized game, and the copy of it that is played.
DEALT, PLAYED = int64(0), int64(1)
TABLE_ROWS = 2

_DEAL_STREAM = np.uint64(0xA0761D6478BD642F)


@part
def policy_action(game: np.record, policy: int, observation: np.ndarray, mask: np.ndarray) -> int:
    """Return the playout policy's action for the seat to move.

    The tuned policy sees only what that seat may know. ``observation`` and ``mask`` are overwritten.
    """
    if policy == UNIFORM:
        return draw_action(game)
    write_observation(game, int64(game.mover), observation)
    write_mask(game, mask)
    game.choice = following(game.choice)
    return int64(tuned_action(observation, mask, mix(game.choice)))


@rule
def payoff(game: np.record, seat: int) -> float:
    """Return what the end of a game is worth to a seat, for playouts.

    Solo: the coins. Else the share of the win plus the margin over the best other seat, squashed into plus or minus
    `MARGIN_WEIGHT`: it still ranks actions where all playouts are won, or all lost.
    """
    own = int64(game.scores[seat])
    if game.players == 1:
        return float(own)
    best = int64(-1000)
    for other in range(int64(game.players)):
        if other != seat:
            best = max(best, int64(game.scores[other]))
    margin = own - best
    share = 1.0 / count_winners(game) if is_winner(game, seat) else 0.0
    return share + MARGIN_WEIGHT * margin / (abs(margin) + MARGIN_SCALE)


@part
def redeal(table: np.ndarray, game: np.record, bits: np.uint64, number: int) -> None:
    """Put a determinized copy of a game on the table: deal ``number`` of these bits.

    It pays only at its end.
    """
    table[DEALT] = game
    dealt = row(table, DEALT)
    dealt.dense = 0
    dealt.paid[:] = 0
    resample(dealt, int64(dealt.mover), mix(mix(bits ^ _DEAL_STREAM) ^ np.uint64(number)))


@rule
def write_payoffs(game: np.record, payoffs: np.ndarray) -> None:
    """Write what the end of a game is worth to each seat. ``payoffs`` is [MAX_PLAYERS]."""
    for seat in range(int64(game.players)):
        payoffs[seat] = payoff(game, seat)
