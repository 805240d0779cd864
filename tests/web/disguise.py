"""Games that a seat cannot tell apart: records that differ only in cards which it has not seen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from crypt_env import RecordError, replay


def cut(record: dict, events: int) -> dict:
    """Return the beginning of a record, up to a decision."""
    kept = record["events"][:events]
    while record["events"][len(kept)][0] != "act":
        kept = record["events"][: len(kept) + 1]
    return {**record, "events": kept, "scores": None, "winners": None}


def disguised(record: dict, seat: int) -> Iterator[dict]:
    """Yield records of games that a seat cannot tell from this one."""
    states = replay(record).state[0]
    deck = record["deck"]
    known = positions_known(record, seat, states)
    for first, second in itertools.combinations([place for place in range(len(deck)) if place not in known], 2):
        if deck[first][0] == deck[second][0] and deck[first] != deck[second]:
            other = list(deck)
            other[first], other[second] = other[second], other[first]
            changed = {**record, "deck": other}
            try:
                replay(changed)
            except RecordError:  # an answer or a flip of another seat depends on it
                continue
            yield changed


def positions_known(record: dict, seat: int, states: np.void) -> set[int]:
    """Return the places in the deck whose values a seat has seen."""
    up, down = {1: (2, 1), 2: (2, 1), 3: (3, 1), 4: (4, 2)}[record["players"]]
    drawn, known, number = int(states["drawn"]), set(), 0
    for place in range(drawn):
        if place % (up + down) < up:
            known.add(place)
            continue
        is_open = int(states["down_place"][number]) == 6
        if is_open or int(states["down_seen"][number]) >> seat & 1:
            known.add(place)
        number += 1
    return known
