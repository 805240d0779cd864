"""Chapter 2 and 3: the answers of the others to a take, a peek before the card leaves the Crypt. [R3] [R10]"""

from __future__ import annotations

import pytest

from crypt_env import Game
from crypt_env.errors import IllegalActionError
from rules.paragraphs import proves
from rules.payments import TABLE, asked
from rules.scenes import field, known, others, part, play, play_all, scene, unflipped, unknown, watchers

SIX = "T4 J2 T1 J1 J3 J4"
FOUR = "T4 J2 T1 J3"
THREE = "T4 J2 J3"
PLAYERS = {3: 2, 4: 3, 6: 4}
"""How many play with a Crypt of this many cards."""


def takes(*public: str, crypt: str = SIX, **fields: str) -> Game:
    """Return a game before the Claim in which the Leader may take."""
    return scene(PLAYERS[len(crypt.split())], TABLE, crypt, phase="before", public=public, **fields)


def answerers(game: Game) -> list[int]:
    """Decline until no answer is asked any more; return who was asked."""
    seats = []
    while field(game, "phase") == "answer":
        assert game.legal() == ("done", "peek")
        seats.append(game.to_move)
        play(game, "done")
    return seats


# -- who is asked -----------------------------------------------------------------------------------------------------


@proves("3.peek-answer", "2.before.answer", "7.decline", "R10")
@pytest.mark.parametrize(("crypt", "slot"), [(THREE, 2), (FOUR, 3), (SIX, 4), (SIX, 5)])
def test_every_other_seat_with_a_manuscript_is_asked_peek_or_done(crypt: str, slot: int) -> None:
    """R10: in answer to a take the others may look before the card is gone."""
    game = play(takes("P1 P2", *["M2", "M3", "M1"][: len(crypt.split()) - 2], crypt=crypt), f"take {slot}")
    assert (field(game, "phase"), field(game, "taking")) == ("answer", f"{slot}:0")
    assert answerers(game) == list(range(1, PLAYERS[len(crypt.split())]))
    assert (field(game, "phase"), game.to_move, field(game, "taking")) == ("claim", 0, None)


@proves("3.peek-answer-order", "7.windows", "R10")
@pytest.mark.parametrize(("leader", "turn", "seats"), [(2, 1, [2, 0, 1]), (0, 3, [0, 1, 2]), (1, 2, [1, 2, 0])])
def test_the_answers_go_in_turn_order_from_the_leader(leader: int, turn: int, seats: list[int]) -> None:
    """R10: not from the taker, which is seat 3 here, wherever it sits in the turn order."""
    game = scene(
        4, TABLE, SIX, phase="before", leader=leader, turn=turn, public=("M1", "M2", "M3", "P1 P2"), round_number=3
    )
    assert game.to_move == 3
    assert answerers(play(game, "take 4")) == seats


@proves("3.peek-answer", "3.peek-before")
def test_the_taker_does_not_answer_itself() -> None:
    """R10: every other seat; its own peek comes along with the take."""
    game = takes("P1 P2 M2", "M1")
    assert "peek" in game.legal()
    assert answerers(play(game, "take 4")) == [1]
    assert answerers(play(takes("P1 P2 M2", "", "", ""), "take 4")) == []


@proves("3.peek-answer", "3.pay-once")
def test_who_has_no_unflipped_manuscript_does_not_answer() -> None:
    """R10: a flipped one pays no more, and other cards do not."""
    game = takes("P1 P2", "M2", "I1 R2", "M1", flipped="-,M1,-,-")
    assert answerers(play(game, "take 5")) == [3]


@proves("3.peek-answer", "3.manuscript-A")
def test_no_seat_answers_where_manuscripts_are_on_side_a() -> None:
    """3: the reward belongs to side B."""
    game = scene(4, "AAABAA", SIX, phase="before", public=("P1 P2", "M2 M3"))
    assert field(play(game, "take 4"), "phase") == "claim"


@proves("3.peek-answer-knows", "3.peek-answer", "R10")
@pytest.mark.parametrize(("slot", "seats"), [(4, [2, 3]), (5, [1, 3])])
def test_who_knows_the_card_that_is_taken_is_not_asked(slot: int, seats: list[int]) -> None:
    """R10: even if it does not know the other face-down card; seat 1 knows slot 4, seat 2 knows slot 5."""
    game = takes("P1 P2", "M1", "M2", "M3", downs="c+1,c+2")
    assert answerers(play(game, f"take {slot}")) == seats


@proves("3.peek-answer", "3.known")
def test_who_could_work_the_card_out_is_asked() -> None:
    """3: known means seen; with all other values of its type in sight the last one is certain, but not known."""
    game = takes("P1 P2 T1", "M1 T2 T3", crypt="I4 R2 T4")
    assert answerers(play(game, "take 2")) == [1]


@proves("3.peek-answer-last", "3.peek-not-last", "R10")
@pytest.mark.parametrize("last", [False, True])
def test_the_answers_are_asked_in_every_round(last: bool) -> None:
    """R10: also in the last one, in which there is no window after the Claim."""
    game = play(takes("P1 P2", "M1", crypt=FOUR, last=last), "take 3")
    assert (game.to_move, game.legal()) == (1, ("done", "peek"))


@proves("3.peek-answer", "7.solo-windows", "3.solo")
def test_the_ghost_answers_nothing() -> None:
    """5, 7: a solo game goes on with the Claim at once."""
    game = scene(1, TABLE, "T4 J2 J3", phase="before", round_number=3, public=("P1 P2 M1",))
    play(game, "take 1")
    assert (field(game, "phase"), field(game, "crypt")) == ("claim", ".,-,.")


# -- when -------------------------------------------------------------------------------------------------------------


@proves("2.before.answer", "2.before.two", "3.peek-answer", "R3")
def test_the_answer_comes_after_the_pottery_and_before_the_card() -> None:
    """2: the two Pottery are flipped, the card still lies in the Crypt, and its taker has not seen it."""
    game = play(takes("P1 P2 P3", "M1"), "take 4")
    assert (field(game, "flipped"), field(game, "crypt")) == ("P2,-,-,-", ".,.,.,.,.,.")
    assert (unflipped(game, 0), known(game, 0, 0)) == ("P", "P1 P2 P3")
    assert [part(game, seat, "slot_value")[4] for seat in range(4)] == [0] * 4
    play(game, "done")
    assert (field(game, "crypt"), known(game, 0, 0)) == (".,.,.,.,-,.", "J3 P1 P2 P3")


@proves("3.peek-answer", "3.peek-all", "6.private", "6.who-knows")
def test_an_answer_shows_all_face_down_cards_also_the_one_that_is_taken() -> None:
    """R10: and everybody sees who knows it in the taker's collection."""
    game = play_all(takes("P1 P2", "M1", "M2"), "take 5", "peek", "done")
    assert field(game, "flipped") == "P2,M1,-,-"
    assert [known(game, seat, 0) for seat in range(4)] == ["J4 P1 P2", "J4 P1 P2", "P1 P2", "P1 P2"]
    assert [unknown(game, seat, 0) for seat in range(4)] == ["", "", "J", "J"]
    assert [part(game, seat, "slot_value")[4] for seat in range(4)] == [0, 3, 0, 0]
    down = game.round * 2 - 1
    assert watchers(game, 3, part(game, 3, "hidden_seen_by")[down]) == {0, 1}
    assert watchers(game, 3, part(game, 3, "slot_seen_by")[4]) == {1}


@proves("3.peek-answer", "3.peek-open")
def test_one_answer_does_not_replace_another() -> None:
    """R10: each seat is asked, no matter what those before it did, and sees for itself."""
    game = play(takes("P1 P2", "M1", "M2", "M3", crypt=SIX), "take 4")
    seen = []
    for text in ("peek", "done", "peek"):
        seen.append(game.to_move)
        play(game, text)
    assert seen == [1, 2, 3]
    assert [known(game, seat, 0) for seat in range(4)] == ["J3 P1 P2", "J3 P1 P2", "P1 P2", "J3 P1 P2"]


@proves("3.peek-answer", "7.windows", "3.peek-new")
def test_who_has_answered_with_a_peek_is_not_asked_again() -> None:
    """7: a second Manuscript would show nothing new."""
    game = play_all(takes("P1 P2", "M1 M2", "M3"), "take 4", "peek")
    assert game.to_move == 2
    assert answerers(game) == [2]


@proves("8.done-final", "7.decline", "3.peek-answer")
def test_who_has_declined_to_answer_is_not_asked_again_for_this_take() -> None:
    """7, 8: each is asked once, also if another seat peeks after it."""
    game = play_all(takes("P1 P2", "M1", "M2"), "take 4", "done", "peek")
    assert (field(game, "phase"), game.to_move, field(game, "flipped")) == ("claim", 0, "P2,-,M1,-")


@proves("7.flip-only", "3.peek-answer")
def test_nothing_but_peek_and_done_answers_a_take() -> None:
    """7: no take of one's own and no placement in between."""
    game = play(takes("P1 P2", "M1 P3 P4"), "take 4")
    for text in ("take 4", "take 5", "recover", "revive", "place 0 1x1", "flip 1"):
        with pytest.raises(IllegalActionError, match="illegal action"):
            game.play(text)


# -- and then ---------------------------------------------------------------------------------------------------------


@proves("2.before.again", "2.before.answer", "7.windows", "R3")
def test_the_taker_may_take_again_after_the_answers() -> None:
    """2: its window goes on; the second take may be answered again by those who do not know that card."""
    game = play(takes("P1 P2 P3 P4", "M1 M2", "M3"), "take 4")
    play_all(game, "peek", "done")
    assert (field(game, "phase"), game.to_move, game.legal()) == ("before", 0, ("done", "take 5"))
    play(game, "take 5")
    assert answerers(game) == [2], "seat 1 has seen both cards, seat 2 has declined the first time only"
    assert known(game, 0, 0) == "J3 J4 P1 P2 P3 P4"


@proves("2.before.order", "2.before.again", "7.windows")
def test_the_window_continues_with_the_seats_after_the_taker() -> None:
    """2: with seat 1 as Leader and seat 2 taking, seat 3 is next, and seats that have had their window are not."""
    public = ("P1 P2 M1", "P1 P2 M1", "P3 P4 M2", "P3 P4 M2")
    game = scene(4, TABLE, SIX, phase="before", leader=1, public=public, round_number=4)
    play_all(game, "done", "take 4")
    assert answerers(game) == [1, 3, 0]
    assert (field(game, "phase"), game.to_move) == ("before", 3)
    assert others(game) == {"done", "peek", "take 5"}


@proves("2.before.again", "7.windows", "2.before.gap-place")
def test_after_the_answers_to_the_last_take_the_claim_begins() -> None:
    """2: with one face-down card nothing is left to take, so no other seat is asked."""
    game = play_all(takes("P1 P2 P3 P4", "M1 P2 P3", crypt=FOUR), "take 3", "done")
    assert (field(game, "phase"), game.to_move, field(game, "crypt")) == ("claim", 0, ".,.,.,-")


@proves("3.idol-B-when", "R8", "3.peek-answer")
def test_idol_b_is_checked_after_the_answers_and_the_window() -> None:
    """3, R8: the Idol that is taken counts once the window before the Claim is over."""
    game = scene(3, "BABBAA", "T4 J2 T1 I3", phase="before", public=("I1 P1 P2 P3 P4", "M2"))
    play(game, "take 3")
    assert (field(game, "phase"), field(game, "idols")) == ("answer", None)
    play(game, "done")
    assert (field(game, "phase"), field(game, "idols"), field(game, "flipped")) == ("claim", "3:5,0,0", "I2P2,-,-")


@proves("3.idol-B-when", "3.flip-idol-B", "2.before.again")
def test_idol_b_is_not_checked_between_two_takes() -> None:
    """3: the window before the Claim ends when no seat can take any more; then the check flips two of three Idols."""
    game = scene(4, "BABBAA", "T4 J2 T1 J1 I3 I4", phase="before", public=("P1 P2 P3 P4", "I1"), hidden="I1:0")
    play(game, "take 5")
    assert (field(game, "phase"), field(game, "idols"), field(game, "public")) == ("before", None, "P1P2P3P4,I1,-,-")
    play(game, "take 4")
    assert (field(game, "phase"), field(game, "idols")) == ("claim", "3:5,0,0,0")
    assert field(game, "downs").split(",")[0] == "f+0"
    assert field(game, "downs").split(",")[-2:] == ["f+0", "0+0"]


# -- a flip within an answer -------------------------------------------------------------------------------------------


@proves("3.flip-asked", "3.flip-before-effect", "3.peek-answer", "R9")
def test_the_manuscript_that_pays_for_an_answer_is_chosen_too() -> None:
    """R9: by the seat that answers, before its look; then the next seat is asked."""
    game = takes("P1 P2", "", "M1", hidden="M3:1 M2:1")
    play_all(game, "take 4", "peek")
    assert (game.to_move, asked(game), field(game, "phase")) == (1, "2 3", "answer")
    assert (part(game, 1, "slot_value")[4], field(game, "crypt")) == (0, ".,.,.,.,.,.")
    play(game, "flip 2")
    assert (part(game, 1, "slot_value")[4], field(game, "flipped")) == (3, "P2,M1,-,-")
    assert (game.to_move, game.legal(), field(game, "public")) == (2, ("done", "peek"), "P1P2,M2,M1,-")


@proves("6.flip-private", "3.peek-answer")
def test_the_taker_does_not_see_that_an_answer_is_being_paid_for() -> None:
    """6: until then it may still be a done."""
    game = takes("P1 P2", hidden="M3:1 M2:1")
    play(game, "take 4")
    before = [game.observation(seat) for seat in range(4)]
    play(game, "peek")
    assert [(game.observation(seat) == before[seat]).all() for seat in range(4)] == [True, False, True, True]


@proves("3.peek-answer", "6.table", "6.flip-private")
def test_everybody_sees_who_takes_which_card_and_who_may_answer() -> None:
    """6: the flipped Pottery and the take are public."""
    game = play(takes("P1 P2", "M1"), "take 5")
    for seat in range(4):
        assert part(game, seat, "phase") == [0, 0, 0, 0, 1]
        assert part(game, seat, "taker").index(1) == (0 - seat) % 4
        assert part(game, seat, "mover").index(1) == (1 - seat) % 4
        assert part(game, seat, "taking") == [0, 0, 0, 0, 0, 1]
    play(game, "done")
    for seat in range(4):
        assert (sum(part(game, seat, "taker")), sum(part(game, seat, "taking"))) == (0, 0)


# -- no other peeks or revivals in another seat's turn ----------------------------------------------------------------


@proves("8.peek-others", "8.revive-others", "3.peek-turn", "3.revive-turn")
def test_no_peek_or_revival_in_the_turn_of_another_seat() -> None:
    """8: seat 1 could do both, but is asked in its own Claim turn only."""
    game = scene(3, TABLE, FOUR, public=("", "M1 M2 R1 R2"), exhausted=(0, 1))
    assert (game.to_move, game.mask(1).any()) == (0, False)
    play(game, "place 0 1x1")
    assert (game.to_move, others(game), game.mask(1).any()) == (0, {"done"}, False)
    play(game, "done")
    assert (game.to_move, others(game)) == (1, {"recover", "peek", "revive"})
    play(game, "place 1 1x1")
    play(game, "done")
    assert (game.to_move, game.mask(1).any()) == (2, False)
