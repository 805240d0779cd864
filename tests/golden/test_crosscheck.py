"""The engine and the referee check each other's random games."""

import pytest

from crypt_env import random_game, to_record
from golden import crosscheck
from referee.check import check_record
from referee.play import random_record

QUICK, LONG = 152, 2000


def test_engine_and_referee_agree_on_random_games():
    tally = crosscheck.crosscheck(range(QUICK), seed=2)
    assert not tally.differences, "\n".join(tally.differences)
    assert (tally.engine, tally.referee) == (QUICK, QUICK)
    assert tally.decisions > 20 * QUICK


def test_engine_and_referee_agree_on_games_in_which_flips_are_asked_and_takes_answered():
    tally = crosscheck.crosscheck(range(QUICK), seed=5, eager=True)
    assert not tally.differences, "\n".join(tally.differences)
    for paid in ("peek", "take", "revive", "reroll"):
        assert tally.counts["flip to pay for", paid] > 0, paid
    assert tally.counts["answer to a take", "peek"] > 5
    assert tally.counts["answer to a take", "done"] > 5


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_engine_and_referee_agree_on_many_random_games(part):
    tally = crosscheck.crosscheck(range(part * LONG // 2, (part + 1) * LONG // 2), seed=3)
    assert not tally.differences, "\n".join(tally.differences)
    assert (tally.engine, tally.referee) == (LONG // 2, LONG // 2)


def test_a_run_meets_every_number_of_players_and_both_sides_of_every_collector():
    for players in (1, 2, 3, 4):
        games = [random_game(players, seed=2, index=n) for n in range(QUICK) if crosscheck.players_of(n) == players]
        assert {game.players for game in games} == {players}
        assert all({game.collectors[kind] for game in games} == {"A", "B"} for kind in range(6))


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_games_without_legal_lists_pass_too(players):
    assert check_record(to_record(random_game(players, seed=4))) is None


def test_a_difference_is_counted_and_fails_the_command(monkeypatch, capsys):
    def wrong_record(players, collectors, seed, **options):
        record = random_record(players, collectors, seed, **options)
        record["scores"][0] += 1
        return record

    monkeypatch.setattr(crosscheck, "random_record", wrong_record)
    assert crosscheck.main(["--games", "4"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("4 games of the engine, 4 games of the referee")
    assert lines[-1].endswith("4 differences")
    assert all(line.startswith("referee, seed 0, game ") and "scores: " in line for line in lines[:4])


def test_the_command_ends_with_the_count(capsys):
    assert crosscheck.main(["--games", "8", "--seed", "5"]) == 0
    *counts, line = capsys.readouterr().out.splitlines()
    assert counts[2].startswith("Claim turn: place ")
    assert line.startswith("8 games of the engine, 8 games of the referee, ")
    assert line.endswith(", 0 differences")
