"""The referee's flips and answers [R3], [R9], [R10], on tables set by hand and in its own games."""

import json
from collections import Counter

import pytest

from referee.__main__ import MOMENTS, main, summary
from referee.check import check_record
from referee.pieces import Card
from referee.play import random_record
from referee.table import Game, full_deck

FLIPS = [("flip to pay for", reward) for reward in ("reroll", "peek", "take", "revive")]
ANSWERS = [("answer to a take", choice) for choice in ("peek", "done")]
PLAYS = ["play", "--players", "all", "--games", "2", "--seed", "8", "--no-legal"]


class Script:
    """A Source that answers from a list, and records what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def choose(self, seat, legal):
        self.asked.append((seat, legal))
        return self.answers.pop(0)


def table(script, players=3):
    """A game in which every reward can be paid for, after the first reveal."""
    game = Game(players, "AABBAA", 0, full_deck(players), script)
    game.reveal()
    return game


def give(game, seat, kind, *cards):
    """Give a player cards, each a value and the other seats that know it; None stands for a public one."""
    given = [
        Card(kind, value, index, public=seen is None, known_by={seat, *(seen or ())})
        for index, (value, seen) in enumerate(cards)
    ]
    game.players[seat].cards += given
    return given


def flipped(cards):
    return [place for place, card in enumerate(cards) if card.flipped]


@pytest.mark.parametrize(
    ("cards", "order"),
    [
        (((1, ()), (2, ()), (3, ())), [0, 1, 2]),
        (((1, ()), (2, {1}), (3, None)), [2, 1, 0]),
        (((1, {2}), (2, {1}), (3, {1, 2})), [2, 0, 1]),
        (((1, {1, 2}), (2, None), (3, None)), [1, 2, 0]),
    ],
)
def test_r9_flip_order(cards, order):
    game = table(Script())
    given = give(game, 0, "M", *cards)
    assert [given.index(card) for card in game.flip_order(0, "M")] == order


@pytest.mark.parametrize(
    "cards",
    [((1, ()), (2, None)), ((1, ()), (2, {1, 2})), ((2, ()), (2, {1})), ((3, ()),)],
    ids=["public", "seen by all", "one value", "the only one"],
)
def test_r9_flips_that_make_no_difference_are_not_asked(cards):
    game = table(Script())
    given = give(game, 0, "M", *cards)
    first = game.flip_order(0, "M")[0]
    game.pay(0, "peek")
    assert [card for card in given if card.flipped] == [first]


def test_r9_a_card_that_only_some_know_is_flipped_when_its_value_is_named():
    script = Script("flip 3")
    game = table(script)
    given = give(game, 1, "I", (3, ()), (1, {0}), (3, {2}), (1, ()))
    game.pay(1, "reroll")
    assert script.asked == [(1, ["flip 1", "flip 3"])]
    assert flipped(given) == [2]
    assert game.counts == {("flip to pay for", "reroll"): 1}


def test_r9_two_cards_are_flipped_one_after_the_other():
    script = Script("flip 4", "flip 2")
    game = table(script)
    given = give(game, 0, "R", (2, ()), (4, ()), (1, ()))
    game.pay(0, "revive")
    assert script.asked == [(0, ["flip 1", "flip 2", "flip 4"]), (0, ["flip 1", "flip 2"])]
    assert flipped(given) == [0, 1]


def test_r9_a_public_card_is_flipped_unasked_and_the_other_one_asked():
    script = Script("flip 1")
    game = table(script)
    given = give(game, 0, "P", (2, ()), (4, None), (1, ()))
    game.pay(0, "take")
    assert script.asked == [(0, ["flip 1", "flip 2"])]
    assert flipped(given) == [1, 2]


@pytest.mark.parametrize("players", [1, 2])
def test_r9_solo_nothing_is_asked(players):
    script = Script("flip 1")
    game = table(script, players)
    given = give(game, 0, "M", (2, ()), (1, ()))
    game.pay(0, "peek")
    assert flipped(given) == ([0] if players == 1 else [1])
    assert len(script.asked) == players - 1


def test_r10_the_others_answer_a_take_before_the_card_leaves():
    script = Script("take 3", "flip 4", "done", "peek", "flip 3")
    game = table(script)
    game.leader = 1
    card = game.crypt[3].card
    pottery = give(game, 2, "P", (4, ()), (3, None), (2, ()))
    manuscripts = give(game, 0, "M", (3, ()), (1, {2}))
    kept = give(game, 1, "M", (2, ()))
    game.before_claim()
    assert script.asked == [
        (2, ["take 3", "done"]),
        (2, ["flip 2", "flip 4"]),
        (1, ["peek", "done"]),
        (0, ["peek", "done"]),
        (0, ["flip 1", "flip 3"]),
    ]
    assert [flipped(cards) for cards in (pottery, manuscripts, kept)] == [[0, 1], [0], []]
    assert card.known_by == {0, 2}
    assert card in game.players[2].cards


@pytest.mark.parametrize("reason", ["knows the card", "none unflipped", "side A", "its own take"])
def test_r10_who_cannot_learn_the_card_is_not_asked_for_an_answer(reason):
    game = table(Script())
    give(game, 0, "P", (1, None), (2, None))
    (manuscript,) = give(game, 0 if reason == "its own take" else 1, "M", (3, ()))
    if reason == "knows the card":
        game.crypt[3].card.known_by.add(1)
    manuscript.flipped = reason == "none unflipped"
    game.sides["M"] = "A" if reason == "side A" else "B"
    game.take(0, 3)
    assert game.players[0].cards[-1] is game.crypt[3].card


def test_all_new_decisions_come_up_in_eager_games_and_pass_the_check():
    counts = Counter()
    for seed in range(60):
        for players in (3, 4):
            assert check_record(random_record(players, "A?BBA?", seed, True, True, "??"), counts) is None
    assert all(counts[name] > 0 for name in FLIPS + ANSWERS), counts
    assert set(counts) <= {(moment, choice) for moment, choices in MOMENTS.items() for choice in choices}


def test_a_game_may_be_cut_short_before_any_decision_but_not_before_dice():
    record = random_record(4, "A?BBA?", 6, True, True, "IP") | {"scores": None, "winners": None}
    verbs = {event[2].split()[0] for event in record["events"] if event[0] == "act"}
    assert verbs >= {"take", "reroll", "flip"}
    for end, event in enumerate(record["events"]):
        reason = check_record(record | {"events": record["events"][:end]})
        assert (reason is None) == (event[0] == "act"), (end, reason)


@pytest.mark.parametrize("verb", ["flip", "peek"])
def test_a_decision_left_out_is_a_difference(verb):
    record = random_record(4, "A?BBA?", 6, True, True, "IP")
    places = [n for n, event in enumerate(record["events"]) if event[0] == "act" and event[2].startswith(verb)]
    assert places
    for place in places:
        events = record["events"][:place] + record["events"][place + 1 :]
        assert f"events[{place}" in check_record(record | {"events": events})


@pytest.mark.parametrize(
    ("collectors", "hidden"), [("A?BBA?", "MP"), ("random", ""), ("BBBBBB", "R?"), ("??????", "????")]
)
def test_tables_and_decks_are_chosen(collectors, hidden):
    for players in (1, 2, 3, 4):
        record = random_record(players, collectors, 3, hidden=hidden)
        assert sorted(record["deck"]) == full_deck(players)
        pattern = "??????" if collectors == "random" else collectors
        assert all(wanted in ("?", side) for wanted, side in zip(pattern, record["collectors"], strict=True))


def test_hidden_types_lie_mostly_face_down():
    decks = [random_record(3, "random", seed, hidden="MP")["deck"] for seed in range(10)]
    down = [card[0] for deck in decks for card in deck[3::4]]
    assert sum(kind in "MP" for kind in down) > 0.8 * len(down)


def test_the_command_plays_and_checks_and_counts(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["referee", *PLAYS, "--policy", "eager", "--hidden", "I?"])
    assert main() == 0
    text = capsys.readouterr().out
    assert [json.loads(line)["players"] for line in text.splitlines()] == [1, 1, 2, 2, 3, 3, 4, 4]
    file = tmp_path / "games.jsonl"
    file.write_text(text)
    counts = Counter()
    assert all(check_record(json.loads(line), counts) is None for line in text.splitlines())
    monkeypatch.setattr("sys.argv", ["referee", "check", str(file)])
    assert main() == 0
    assert capsys.readouterr().out.splitlines() == [*summary(counts), "8 records, 0 differences"]
