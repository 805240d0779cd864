"""Golden playthroughs, compared line by line.

After a wanted change: ``python tests/golden/regenerate.py``, and review the diff.
"""

import re
from itertools import zip_longest

import pytest

from crypt_env import Game, random_game, to_record
from golden.playthrough import FOLDER, GAMES, compact, file_of, playthrough
from referee.check import check_record

CONTEXT = 4


def first_difference(expected, found):
    """Return the first difference of two texts with the lines before it, or None."""
    for number, (old, new) in enumerate(zip_longest(expected, found), 1):
        if old != new:
            before = "\n".join(f"       {line}" for line in expected[max(0, number - 1 - CONTEXT) : number - 1])
            return f"line {number}\n{before}\n  kept {old}\n   new {new}"
    return None


@pytest.mark.parametrize(("players", "collectors"), GAMES)
def test_playthrough(players, collectors):
    path = file_of(players, collectors)
    kept = path.read_text(encoding="utf-8").splitlines()
    difference = first_difference(kept, playthrough(players, collectors, GAMES[players, collectors]))
    assert difference is None, f"{path.name}, {difference}"


def test_no_playthrough_is_missing_and_none_is_left_over():
    wanted = {file_of(players, collectors).name for players, collectors in GAMES}
    assert {path.name for path in FOLDER.iterdir()} == wanted


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_both_sides_of_every_collector_are_seen(players):
    tables = [collectors for count, collectors in GAMES if count == players]
    assert all({table[kind] for table in tables} == {"A", "B"} for kind in range(6))


LINES = r"""
  seat \d: place \d \dx\d
  seat \d: done
  seat \d: recover
  seat \d: peek
  seat \d: revive
  seat \d: take \d
  seat \d: reroll \d
  seat \d: flip \d
  seat \d rolls [1-6 ]+ against \d on slot \d
  seat \d re-rolls \d against \d
  the Ghost rolls [1-6] [1-6] [1-6]
  the Ghost rolls [1-6]$
  tie-break: seat \d rolls
outcome: .*The Fool
outcome: .*The Petty
outcome: .*The Affluent
outcome: .*most coins
outcome: .*tie-break
before the Claim: seat
Claim, Lights Out: seat
after the Claim: seat
Collect: seat
seat \d takes the card in slot \d: seat \d to decide
  deck  \d+ cards, Idol on top
\* seat \d +\d
    answer to a take: you to decide, seat \+\d takes the card in slot \d
    .*you to decide.*, which card to flip for '(peek|reroll \d|take \d)'
    slot \d: no card
    slot \d: .*failed dice of
    slot \d: .*seen by seat \+
    hidden card .*held by .*seen by seat \+
    hidden card .*discarded.*seen by seat \+
    seat \+.*coins from Idol B
""".strip("\n").splitlines()


@pytest.mark.parametrize("line", LINES)
def test_everything_that_can_happen_happens_somewhere(line):
    texts = [file_of(players, collectors).read_text(encoding="utf-8") for players, collectors in GAMES]
    assert any(re.search(f"^{line}", text, re.MULTILINE) for text in texts)


@pytest.mark.parametrize(("players", "collectors"), GAMES)
def test_the_referee_finds_nothing_wrong_with_a_playthrough(players, collectors):
    assert (
        check_record(to_record(random_game(players, collectors, GAMES[players, collectors]), with_legal=True)) is None
    )


def test_the_first_difference_is_shown_with_its_lines():
    assert first_difference(["a", "b"], ["a", "b"]) is None
    assert first_difference(["a", "b", "c"], ["a", "x", "c"]) == "line 2\n       a\n  kept b\n   new x"
    assert first_difference(["a"], ["a", "b"]) == "line 2\n       a\n  kept None\n   new b"


def test_compact_actions_say_the_same_as_the_list():
    game = Game(4, "ABABAB", seed=245)
    while not game.is_over:
        legal, listed = game.legal(), []
        for words in compact(legal).split("; "):
            if not words.startswith("place"):
                listed.append(words)
                continue
            _, slot, *groups = words.split()
            for count, efforts in (group.split("x") for group in groups):
                for run in efforts.split(","):
                    first, _, last = run.partition("-")
                    listed += [f"place {slot} {count}x{effort}" for effort in range(int(first), int(last or first) + 1)]
        assert tuple(listed) == legal
        game.play(game.random_action())
