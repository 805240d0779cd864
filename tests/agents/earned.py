"""What a solo game has paid for certain, computed from an observation alone: a check on the engine."""

import numpy as np

from crypt_env.rules.cards import CARDS, JEWELRY, KINDS, MANUSCRIPT, POTTERY, REMAINS, TAPESTRY, VALUES
from crypt_env.rules.observe import LAYOUT

_PARTS = {part.name: part for part in LAYOUT}
_POTTERY_A = np.array([0, 0, 2, 4, 8, 8, 8, 8, 8])


def earned_coins(observations):
    """Return the coins that observers of solo games are certain to have, 0 for other games. [n]

    It is what a dense solo game has paid so far.
    """
    sides = _part(observations, "sides")
    cards = _part(observations, "cards")[:, :CARDS].reshape(-1, KINDS, VALUES)
    held = cards.sum(axis=2)
    values = np.arange(1, VALUES + 1)
    coins = (cards * values).sum(axis=2)
    highest = (values * (cards > 0)).max(axis=2)
    is_a = sides == 0
    earned = coins.sum(axis=1) + _part(observations, "idol_bonus")[:, 0]
    jewelry = np.where(is_a[:, JEWELRY], highest[:, JEWELRY] * (held[:, JEWELRY] >= 2), held[:, JEWELRY])
    manuscript = (VALUES * held[:, MANUSCRIPT] - coins[:, MANUSCRIPT]) * (held[:, MANUSCRIPT] >= 2)
    tapestry = np.where(is_a[:, TAPESTRY], 5 * (held[:, TAPESTRY] >= 1), 7 * (held[:, TAPESTRY] >= 3))
    earned = earned + jewelry + tapestry + manuscript * is_a[:, MANUSCRIPT]
    earned = earned + _POTTERY_A[held[:, POTTERY]] * is_a[:, POTTERY]
    earned = earned + 10 * ((held[:, REMAINS] >= 4) & ~is_a[:, REMAINS])
    return np.asarray(earned * _part(observations, "players")[:, 0])


def _part(observations, name):
    """Return a part of observations as wide integers."""
    part = _PARTS[name]
    return observations[:, part.start : part.stop].astype(np.int64)
