"""Games in which a flip is asked or a take may be answered: their texts, their words and their boards."""

import random

import pytest

from crypt_env import Game, PositionError
from rules.payments import PENDING, asked


def answered(players=3):
    """Return a game in which seat 1 may answer a take by seat 0."""
    return PENDING["peek as an answer"](players).undo()


# -- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", PENDING)
def test_texts_lead_back_to_the_position(name, players):
    game = PENDING[name](players)
    again = Game.from_text(game.text())
    assert (again, again.text(), again.legal()) == (game, game.text(), game.legal())
    magic, *fields = game.text().split()
    random.Random(name).shuffle(fields)
    assert Game.from_text(" ".join([magic, *fields])) == game
    while asked(game):
        action = game.legal()[-1]
        assert game.play(action) == again.play(action)


def test_fields_say_what_is_pending():
    words = {name: PENDING[name](3).text().split() for name in PENDING}
    assert "paying=reroll4" in words["reroll"]
    assert "paying=peek" in words["peek"]
    assert {"paying=take3", "phase=before"} <= set(words["take, first"])
    assert {"paying=take3", "first=1"} <= set(words["take, second after a chosen one"])
    assert {"paying=take3", "first=p"} <= set(words["take, second after a public one"])
    assert {"paying=revive", "first=2"} <= set(words["revive, second after a known one"])
    assert {"paying=peek", "phase=answer", "taking=3:0", "turn=1"} <= set(words["peek as an answer"])
    assert {"phase=answer", "taking=3:0"} <= set(answered().text().split())


NOT_ASKED = "is not asked here which card it flips"
IMPOSSIBLE = [
    ("take, first", "paying=take3", "first=0", "the first card to flip does not pay"),
    ("take, first", "paying=take3", "paying=take3 first=p", NOT_ASKED),
    ("take, first", "paying=take3", "paying=take3 first=3", "the first card to flip does not pay"),
    ("take, first", "paying=take3", "paying=take3 first=9", "the first card to flip does not pay"),
    ("take, first", "paying=take3", "paying=take3 first=15", "the first card to flip does not pay"),
    ("take, first", "paying=take3", "paying=take2", "the chosen action is not one that is paid for here"),
    ("take, first", "paying=take3", "paying=take5", "the chosen action is not one that is paid for here"),
    ("take, first", "paying=take3", "paying=revive", "the chosen action is not one that is paid for here"),
    ("take, first", "paying=take3", "paying=peek", "there are too few cards to flip for the chosen action"),
    ("take, first", "downs=0+0,0+0,0+0", "downs=0+0,0+0,x", "is not asked here"),
    ("take, first", "downs=0+0,0+0,0+0", "downs=0+012,0+012,0+0", NOT_ASKED),
    ("take, second after a public one", "first=p", "first=0", NOT_ASKED),
    ("take, second after a public one", "first=p", "", NOT_ASKED),
    ("take, second after a chosen one", "first=1 ", "first=3 ", "the first card to flip does not pay"),
    ("revive, second after a known one", "first=2", "first=0", NOT_ASKED),
    ("revive, second after a known one", "first=2", "", NOT_ASKED),
    ("reroll", "paying=reroll4", "paying=reroll4 first=0", "the first card to flip does not pay"),
    ("reroll", "paying=reroll4", "paying=reroll5", "its seat has nothing to decide here"),
    ("peek", "paying=peek", "paying=peek first=0", "the first card to flip does not pay"),
    ("peek", "downs=0+0,0+0", "downs=0+012,0+0", NOT_ASKED),
    ("peek", "turn=0", "turn=1", "there are too few cards to flip for the chosen action"),
    ("peek", "downs=0+0,0+0,c", "downs=0+0,0+0,c+0", "its seat has nothing to decide here"),
    ("peek as an answer", "taking=3:0", "", "a card is being taken exactly while others may answer"),
    ("peek as an answer", "phase=answer", "phase=before", "a card is being taken exactly while others may answer"),
    ("peek as an answer", "taking=3:0", "taking=0:0", "the card that is taken is not face-down in a slot"),
    ("peek as an answer", "taking=3:0", "taking=5:0", "the card that is taken is not face-down in a slot"),
    ("peek as an answer", "taking=3:0", "taking=3:3", "the seat that takes a card has no player"),
    ("peek as an answer", "taking=3:0", "taking=3:2", "seat 2 takes a card without two flipped Pottery of side B"),
    ("peek as an answer", "flipped=P2", "flipped=P1", "seat 0 takes a card without two flipped Pottery of side B"),
    ("peek as an answer", "collectors=AABBAA", "collectors=AABAAA", "which on this table is never flipped"),
    ("peek as an answer", "crypt=.,.,.,.", "crypt=.,.,.,-", "a face-down card is said to be in the Crypt"),
    ("peek as an answer", "crypt=.,.,.,.", "crypt=1:1x1,.,.,.", "dice"),
    ("peek as an answer", "turn=1", "turn=0", "there are too few cards to flip for the chosen action"),
    ("peek as an answer", "turn=1", "turn=2", "there are too few cards to flip for the chosen action"),
    ("peek as an answer", "0+0,c", "0+0,c+1", "its seat has nothing to decide here"),
    ("peek as an answer", "turn=1", "turn=1 placed=0", "or not in a Claim turn"),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "words"), IMPOSSIBLE, ids=[f"{case[0]}: {case[2]}" for case in IMPOSSIBLE]
)
def test_impossible_positions_are_refused_with_one_sentence(name, old, new, words):
    text = PENDING[name](3).text()
    assert old in text
    with pytest.raises(PositionError) as caught:
        Game.from_text(text.replace(old, new))
    assert str(caught.value).startswith("impossible position: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# -- words ------------------------------------------------------------------------------------------------------------


def test_the_owner_reads_what_it_pays_for_and_the_others_do_not():
    game = PENDING["take, second after a chosen one"](3)
    assert "which card to flip for 'take 3', besides one of value 2" in str(game.view(0))
    assert "which card to flip for 'reroll 4'" in str(PENDING["reroll"](3).view(0))
    assert "which card to flip for 'revive'" in str(PENDING["revive, first"](3).view(0))
    for name in PENDING:
        game = PENDING[name](4)
        for seat in range(4):
            assert ("which card to flip" in str(game.view(seat))) == (seat == game.to_move)


def test_a_take_that_may_be_answered_is_read_by_all():
    game = answered()
    assert "answer to a take: seat +1 to decide, you take the card in slot 3" in str(game.view(0))
    assert "answer to a take: you to decide, seat +2 takes the card in slot 3" in str(game.view(1))
    assert "answer to a take: seat +2 to decide, seat +1 takes the card in slot 3" in str(game.view(2))


# -- boards -----------------------------------------------------------------------------------------------------------


def test_the_board_says_who_takes_what():
    assert "seat 0 takes the card in slot 3: seat 1 to decide" in str(answered())
    assert str(PENDING["peek as an answer"](3)) == str(answered())


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", PENDING)
def test_the_board_shows_nothing_of_what_was_chosen(name, players):
    game = PENDING[name](players)
    board = str(game)
    while asked(game):
        game.undo()
    assert str(game) == board
