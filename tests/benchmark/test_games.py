"""The records of the protocol are those that `Game` writes."""

import json

import numpy as np
import pytest

from crypt_env import replay, to_record
from crypt_env.agents import make_agent
from crypt_env.agents.cast import Cast
from crypt_env.benchmark.games import Games
from crypt_env.benchmark.matches import Block
from crypt_env.benchmark.playing import play_block


def finish(players, deals, agent="random"):
    """Play deals with one agent in all seats."""
    games = Games(players, np.array(deals))
    cast = Cast(len(deals), [agent])
    cast.owners[:] = 0
    while len(rows := games.waiting):
        games.play(rows, games.answers(cast, rows), cast)
    return games


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_records_are_those_of_game(players):
    games = finish(players, range(64))
    kinds = set()
    for number in range(64):
        record = json.loads(games.line(number))
        assert to_record(replay(record)) == record
        kinds |= {event[0] for event in record["events"]}
    assert kinds >= ({"act", "roll", "ghost"} if players == 1 else {"act", "roll"})


def test_all_kinds_of_rolls_come_up():
    kinds = set()
    for players in (2, 3):
        games = finish(players, range(640))
        for number in range(640):
            record = json.loads(games.line(number))
            kinds |= {event[0] for event in record["events"]}
            if {"tiebreak", "reroll"} & {event[0] for event in record["events"]}:
                assert to_record(replay(record)) == record
    assert kinds == {"act", "roll", "reroll", "tiebreak"}


def test_a_deal_plays_the_same_in_any_batch():
    whole, part = finish(2, range(64), "greedy"), finish(2, [40, 3], "greedy")
    assert part.line(0) == whole.line(40)
    assert part.line(1) == whole.line(3)


def test_block_is_the_same_twice_and_values_are_shares():
    block = Block(2, 128, ("greedy",))
    one, other = (play_block(block, make_agent("random")) for _ in range(2))
    assert one.lines == other.lines
    assert (one.values == other.values).all()
    wins = [json.loads(line)["winners"] for line in one.lines]
    seats = block.seats().tolist()
    share = np.mean([(seat in won) / len(won) for seat, won in zip(seats, wins, strict=True)])
    assert one.values.mean() == pytest.approx(share)
