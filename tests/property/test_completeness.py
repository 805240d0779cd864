"""Contract "Observations": everything that a seat may know by RULES.md section 6, part by part."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from crypt_env import Game, action_text
from property.play import COUNTS, eager, rich_game, spender
from property.tracker import ANSWER, SHAPES, Driver, Policy, Table, expected

GAMES = {1: 24, 2: 14, 3: 10, 4: 8}
RICH_GAMES = {1: 2, 2: 30, 3: 20, 4: 12}


def judge_against(game: Game) -> object:
    """Return what compares every seat's observation and mask with the referee's table."""

    def judge(table: Table, mover: int | None, legal: list[str]) -> None:
        assert game.to_move == mover
        for seat in range(game.players):
            view = game.view(seat)
            assert set(view.keys()) == set(SHAPES), "the tracker must know every part"
            for name, part in expected(table, seat, mover).items():
                assert (view[name] == part).all(), f"{name} of seat {seat}; by the rules {part.tolist()}; {game.text()}"
            texts = {action_text(int(action)) for action in np.flatnonzero(game.mask(seat))}
            assert texts == (set(legal) if seat == mover else set())

    return judge


def often_rare(rng: random.Random, game: Game) -> int:
    """Choose an action, often a rare one."""
    return eager(rng, game.legal_actions())


def follow(game: Game, seed: int, policy: Policy = often_rare) -> Counter[str]:
    """Play a game with the referee at its side; return how often each verb was played in each phase."""
    judge = judge_against(game)
    driver = Driver(game, random.Random(seed), policy, judge)
    table = Table(game, driver)
    scores, winners = table.play()
    judge(table, None, [])
    outcome = game.outcome()
    assert outcome is not None
    assert (list(outcome.scores), list(outcome.winners)) == (scores, winners)
    return driver.verbs


def by_verb(verbs: Counter[str]) -> Counter[str]:
    """Return how often each verb was played in any phase."""
    total: Counter[str] = Counter()
    for words, count in verbs.items():
        total[words.split()[1]] += count
    return total


@pytest.mark.parametrize("players", COUNTS)
def test_observation_is_all_that_a_seat_may_know(players: int) -> None:
    """At every step, for every seat, every part is what the referee's cards say by who has seen them."""
    verbs: Counter[str] = Counter()
    for seed in range(GAMES[players]):
        verbs += follow(Game(players, seed=seed), seed)
    for verb in ("place", "done", "recover", "peek", "revive", "take", "reroll"):
        assert by_verb(verbs)[verb] >= 2, f"{verb} came up too rarely: {verbs}"


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("collectors", ["BABBAA", "AABBAA", "BBBBBB"])
def test_observation_on_tables_where_cards_are_seen_and_taken(players: int, collectors: str) -> None:
    """The same where Manuscript B and Pottery B meet: peeked cards that are taken, flipped and discarded."""
    verbs: Counter[str] = Counter()
    for seed in range(3):
        verbs += follow(Game(players, collectors, seed=50 + seed), 50 + seed)
    assert by_verb(verbs)["peek"] > 0
    assert by_verb(verbs)["take"] > 0


@pytest.mark.parametrize("players", COUNTS)
def test_observation_while_flips_are_asked_and_takes_answered(players: int) -> None:
    """The same in games with many of both: the owner sees what it pays for, the others what they saw before."""
    verbs: Counter[str] = Counter()
    for seed in range(RICH_GAMES[players]):
        verbs += follow(rich_game(players, seed), seed, spender)
    if players > 1:
        assert by_verb(verbs)["flip"] >= 8, verbs
        assert verbs[f"{ANSWER} peek"] >= 2, verbs
        assert verbs[f"{ANSWER} done"] >= 1, verbs


def idols_at_two_times(is_now: bool) -> Game:
    """Return a game in which seat 0 has had its two Idols since this round's window, or since the round before.

    In one game the third round shows R2 and the fourth hides I2, in the other it is the other way round; seat 0 takes
    the hidden card, and flips it at once: for Idol B, or with the other Remains to revive a die. Seat 1 claims two
    Idols in the fourth round.
    """
    third, fourth = ("R2", "I2") if is_now else ("I2", "R2")
    first = f"I1 P1 J1 R1 P2 J2 {third} T1 J3 I3 I4 {fourth}".split()
    rest = [kind + value for kind in "IJMPRT" for value in "1234" if kind + value not in first]
    game = Game(2, "BAABAA", leader=0, seed=1, deck=first + rest)
    script = (
        "place 0 1x1,place 1 1x1,done,recover,recover",
        "recover,place 0 1x1,place 1 1x1,done,recover",
        "done,place 0 1x6,done,recover",
    )
    for action in ",".join(script).split(","):
        game.play(action)
    game.play_with_dice("recover", [[1]])
    for action in ("take 2", "place 0 1x1", "place 1 1x1", "revive"):
        game.play(action)
    return game


def test_two_idols_at_two_times_are_real_games() -> None:
    """The same actions end with the same cards and dice, but one seat 1 earns 5 coins from Idol B, the other 2. [R8]"""
    now, before = idols_at_two_times(True), idols_at_two_times(False)
    assert (now.to_move, before.to_move) == (0, 0)
    assert now.legal() == before.legal()
    for game, coins in ((now, 5), (before, 2)):
        for action in ("recover", "recover"):
            game.play(action)
        assert game.round == 5
        assert game.state["idol_bonus"][0, :2].tolist() == [5, coins]


@pytest.mark.parametrize("seat", [0, 1])
def test_seat_knows_whether_idol_b_was_first_reached_in_this_round(seat: int) -> None:
    """That is public and worth 3 coins: a second player who gets there in the same round scores 5, else 2. [R8]"""
    now, before = idols_at_two_times(True), idols_at_two_times(False)
    assert (now.observation(seat) != before.observation(seat)).any()
