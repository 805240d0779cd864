"""Damaged records: a valid one, and tools to break it in one place."""

import copy
import json
from functools import cache

from crypt_env import random_game, to_record

JUNK = (
    None,
    True,
    False,
    0,
    1,
    -1,
    7,
    1.5,
    10**30,
    "",
    "act",
    "done",
    "T4",
    [],
    [[]],
    [None],
    [1, 2, 3],
    {},
    {"a": [1]},
)


FLIPS = {2: 682, 3: 2539, 4: 1400}
"""By players, the seeds of games at the table AABBAA in which flips are asked and a take is answered."""


@cache
def _text_of(players, collectors, seed):
    """Return a random game as a line of JSON."""
    return json.dumps(to_record(random_game(players, collectors, seed=seed), with_legal=True))


def sound(players=2, collectors="AAABBA", seed=3):
    """Return a valid record, a new copy each time."""
    return json.loads(_text_of(players, collectors, seed))


def place_of(record, kind, nth=0):
    """Return the place of the n-th event of a kind."""
    return [place for place, event in enumerate(record["events"]) if event[0] == kind][nth]


def _places(value, path=()):
    """Yield the path to every part of a JSON value."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places(part, (*path, key))


def _mutate(rng, holder, key):
    """Change one part of a JSON value."""
    part = holder[key]
    change = rng.randrange(6)
    if change == 0:
        holder[key] = copy.deepcopy(rng.choice(JUNK))
    elif change == 1:
        del holder[key]
    elif change == 2 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(part))
    elif change == 3 and isinstance(holder, list):
        other = rng.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif isinstance(part, bool | type(None)):
        holder[key] = rng.choice(JUNK)
    elif isinstance(part, int):
        holder[key] = rng.choice((part + 1, part - 1, float(part), bool(part), str(part), [part]))
    elif isinstance(part, str):
        place = rng.randrange(len(part) + 1)
        holder[key] = part[:place] + rng.choice(("", "x", "1", " ", part[place : place + 1] * 2)) + part[place + 1 :]
    elif isinstance(part, list):
        holder[key] = rng.choice((part[:-1], part + part[-1:], part[::-1], [part], {}, str(part)))
    else:
        holder[key] = copy.deepcopy(rng.choice(JUNK))


def damaged(rng, record):
    """Break a record in one to three places; return it."""
    whole = [record]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        paths = list(_places(whole))[1:]
        kind = rng.randrange(
            3
        )  # the header, the events or their content: the lists of actions would dominate otherwise
        paths = [path for path in paths if (len(path) <= 2) == (kind == 0) and (len(path) <= 4 or kind == 2)] or paths
        *above, key = rng.choice(paths)
        holder = whole
        for step in above:
            holder = holder[step]
        _mutate(rng, holder, key)
        if not whole:
            return None
    return whole[0]
