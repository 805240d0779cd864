"""Counted trees: all continuations of a few positions, pinned in ``trees.txt`` and counted twice.

After a wanted change: ``python tests/golden/regenerate.py``, and review the diff.
"""

import re

import pytest

from crypt_env import Game
from golden import trees, walk

KEPT = {kept.name: kept for kept in trees.read()}
WALKED = 4_000
"""The referee plays every path from the start; larger trees take it more than seconds."""
NEVER_WALKED = 120_000


def ends_of(name):
    """Return how many ends a tree has."""
    return int(re.search(r"([\d,]+) ends", KEPT[name].counts)[1].replace(",", ""))


@pytest.mark.parametrize("name", KEPT)
def test_tree(name):
    kept = KEPT[name]
    split = trees.Engine().split(kept.position)
    found = str(trees.whole(split))
    if found != kept.counts:
        lines = [f"kept: {kept.counts}", f"now:  {found}", kept.position]
        for action in {**kept.split, **split}:
            old, new = kept.split.get(action, "not legal"), str(split.get(action, "not legal"))
            lines.append(f"{' ' if old == new else '!'} {action}: {new}" + ("" if old == new else f"; kept: {old}"))
        pytest.fail("\n".join(lines))
    assert {action: str(tree) for action, tree in split.items()} == kept.split


@pytest.mark.parametrize("name", [name for name in KEPT if ends_of(name) <= WALKED])
def test_the_referee_counts_the_same(name):
    assert walk.count(KEPT[name].position) == KEPT[name].counts


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in KEPT if WALKED < ends_of(name) <= NEVER_WALKED])
def test_the_referee_counts_the_same_in_larger_trees(name):
    assert walk.count(KEPT[name].position) == KEPT[name].counts


def test_the_file_is_as_the_command_writes_it():
    names = list(KEPT)
    assert len(names) == len(set(names)) == len(trees.read())
    kept = KEPT["reroll_two_idols_three_dice"]
    assert trees.written(kept) in trees.FILE.read_text(encoding="utf-8")


def test_all_windows_all_numbers_of_players_and_a_repeated_tie_are_among_the_trees():
    games = [Game.from_text(kept.position) for kept in KEPT.values()]
    assert {game.players for game in games} == {1, 2, 3, 4}
    phases = {re.search("phase=([a-z]+)", kept.position)[1] for kept in KEPT.values()}
    assert phases == {"before", "claim", "after", "collect"}
    actions = {action.split()[0] for kept in KEPT.values() for action in kept.split}
    assert actions == {"place", "done", "recover", "peek", "revive", "take", "reroll"}


# Counts by hand.


def test_one_failed_die_and_two_idols():
    """A re-roll or done: the die comes back in 6 - V + 1 of 6 cases, else the second Idol may try again."""
    kept = KEPT["reroll_two_idols_three_dice"]
    again = 6 * (1 + 6)  # after each result of the first die: done, or six results of the second
    assert kept.counts == f"{1 + 6} decisions, {1 + 6} rolls, {6 + 36} outcomes, {1 + again} ends, 3 results"


def test_a_tie_of_two_dice_against_one():
    """Three dice have 216 outcomes; a re-roll against 5 fails in 4 of 6 cases and leaves the tie."""
    kept = KEPT["tie_two_dice_against_one"]
    assert kept.split["done"] == "0 decisions, 1 rolls, 216 outcomes, 216 ends, 3 results"
    outcomes, ends = 216 + 6 + 4 * 216, 216 + 4 * 216 + 2
    assert kept.counts == f"1 decisions, {1 + 1 + 4} rolls, {outcomes:,} outcomes, {ends:,} ends, 4 results"


def test_a_take_that_is_paid_for_by_choice_and_answered():
    """The taker names two of three values, one after the other; the answer is done, or peek for one of two values."""
    kept = KEPT["take_by_choice_with_an_answer"]
    ways = 3 * 2
    assert (
        kept.split["take 3"]
        == f"{1 + 3 + ways + ways} decisions, 0 rolls, 0 outcomes, {ways * (1 + 2)} ends, 1 results"
    )
    assert kept.counts == f"{1 + 16 + 2} decisions, 0 rolls, 0 outcomes, {18 + 3} ends, 2 results"


def test_a_ghost_alone():
    """Take or done, then nothing but the Ghost's three dice."""
    kept = KEPT["before_solo"]
    assert kept.counts == f"1 decisions, 2 rolls, {2 * 216} outcomes, {2 * 216} ends, 2 results"
