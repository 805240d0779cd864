"""Leaves out plans that are hardly ever the best, so that the guess can be asked about many rounds.

The guess may be anything, so it may also look at fewer plans than there are. The player keeps all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crypt_env.rules.actions import DICE
from crypt_env.rules.compiled import entry

from .moves import Floats, Ints, Lists, Moves

ROUNDS = 3000
"""Random rounds; a plan that is best in none of them is left out."""
MOST_GAIN, MOST_WORTH = 9.0, 3.0
"""The most that a card and that another ready die are worth in them."""

Bools = NDArray[np.bool_]


def sifted(moves: Moves) -> Moves:
    """Return the plans that are best in some random round, and what follows from them."""
    rng = np.random.default_rng(0)
    gains = rng.uniform(0, MOST_GAIN, (ROUNDS, 3))
    worth = np.cumsum(rng.uniform(0, MOST_WORTH, (ROUNDS, DICE + 1)), axis=1)
    lead, follow = np.zeros(len(moves.lead_plans.items), np.bool_), np.zeros(len(moves.follow_plans.items), np.bool_)
    _mark(moves, gains, worth, lead, follow)
    return _kept(moves, lead, follow)


@entry
def _mark(moves: Moves, gains: Floats, worth: Floats, lead: Bools, follow: Bools) -> None:
    """Mark the plans that are best in some of these rounds."""
    ends, choices = np.empty(len(moves.slots)), np.empty(len(moves.revived))
    firsts, seconds = np.empty(len(moves.lead.starts) - 1), np.empty(len(moves.follow.starts) - 1)
    for sample in range(len(gains)):
        for end in range(len(ends)):
            ends[end] = 0.0
            for slot in range(3):
                ends[end] += gains[sample, slot] * (moves.slots[end] >> slot & 1)
            for dice in range(DICE + 1):
                ends[end] += moves.returns[end, dice] * worth[sample, dice]
        for choice in range(len(choices)):
            choices[choice] = ends[moves.choices.items[moves.choices.starts[choice]]]
            for place in range(moves.choices.starts[choice], moves.choices.starts[choice + 1]):
                choices[choice] = max(choices[choice], ends[moves.choices.items[place]])
        for lists, items, means in ((moves.lead, choices, firsts), (moves.follow, ends, seconds)):
            for lottery in range(len(means)):
                means[lottery] = 0.0
                for place in range(lists.starts[lottery], lists.starts[lottery + 1]):
                    means[lottery] += lists.weights[place] * items[lists.items[place]]
        for plans, means, marks in ((moves.lead_plans, firsts, lead), (moves.follow_plans, seconds, follow)):
            for number in range(len(plans.starts) - 1):
                best = plans.starts[number]
                for place in range(plans.starts[number], plans.starts[number + 1]):
                    if means[plans.items[place]] > means[plans.items[best]]:
                        best = place
                marks[best] = True


def _kept(moves: Moves, lead: Bools, follow: Bools) -> Moves:
    """Return the marked plans, and what follows from them, numbered again."""
    lead_plans, firsts = _some_items(moves.lead_plans, lead)
    follow_plans, seconds = _some_items(moves.follow_plans, follow)
    chosen = np.unique(_some_lists(moves.lead, firsts).items)
    while len(more := np.setdiff1d(moves.revived[chosen], np.append(chosen, -1))):
        chosen = np.union1d(chosen, more)
    first_lists, second_lists = _some_lists(moves.lead, firsts), _some_lists(moves.follow, seconds)
    choices = _some_lists(moves.choices, chosen)
    ends = np.unique(np.concatenate([[0], choices.items, second_lists.items]))
    revived = moves.revived[chosen]
    return Moves(
        moves.slots[ends],
        moves.ready[ends],
        moves.returns[ends],
        _some_lists(moves.failures, ends),
        choices._replace(items=np.searchsorted(ends, choices.items)),
        np.where(revived < 0, -1, np.searchsorted(chosen, revived)),
        first_lists._replace(items=np.searchsorted(chosen, first_lists.items)),
        lead_plans._replace(items=np.searchsorted(firsts, lead_plans.items)),
        second_lists._replace(items=np.searchsorted(ends, second_lists.items)),
        follow_plans._replace(items=np.searchsorted(seconds, follow_plans.items)),
        moves.rolls,
    )


def _some_items(lists: Lists, marks: Bools) -> tuple[Lists, Ints]:
    """Return lists of the marked items alone, and which items are left."""
    counts = np.concatenate([[0], np.cumsum(marks)])
    found = Lists(counts[lists.starts], lists.items[marks], lists.weights[marks])
    return found, np.unique(found.items)


def _some_lists(lists: Lists, numbers: Ints) -> Lists:
    """Return some of the lists."""
    places = [np.arange(lists.starts[number], lists.starts[number + 1]) for number in numbers]
    every = np.concatenate(places)
    return Lists(np.cumsum([0, *map(len, places)]), lists.items[every], lists.weights[every])
