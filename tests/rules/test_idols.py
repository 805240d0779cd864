"""Chapter 3, Idol: re-rolls on side A, the first to hold two on side B."""

from __future__ import annotations

import pytest

from crypt_env.errors import IllegalActionError
from crypt_env.notation.events import Reroll, Roll
from rules.paragraphs import proves
from rules.scenes import field, known, part, play, play_all, scene, unflipped, unknown

CRYPT = "T4 P2 R1"
FOUR = "T4 P2 R1 M1"
B = "BAAAAA"


# -- side A: re-roll --------------------------------------------------------------------------------------------------


@proves("3.idol-A", "7.reroll", "R7")
def test_an_idol_pays_for_a_reroll_that_succeeds() -> None:
    """3, 2.III.6: the die returns, the Idol is flipped, the window closes with nothing left to re-roll."""
    game = play(scene(2, "A", CRYPT, turn=2, public=("I1 I2",)), "place 0 1x4", (3,))
    assert (game.to_move, game.legal(), field(game, "phase")) == (0, ("done", "reroll 4"), "collect")
    play(game, "reroll 4", (4,))
    assert game.events[-1] == Reroll(0, 4, 4)
    assert (field(game, "dice"), field(game, "flipped"), unflipped(game, 0)) == ("3/0,3/0", "I1,-", "IT")
    assert game.round == 3


@proves("2.III.reroll-again", "2.III.reroll-same-effort", "R7", "7.windows")
def test_a_die_that_fails_again_may_be_rerolled_again() -> None:
    """2.III.6: for another Idol, against the same effort; without one the window closes."""
    game = play(scene(2, "A", CRYPT, turn=2, public=("I1 I2",)), "place 0 1x5", (1,))
    play(game, "reroll 5", (4,))
    assert (game.to_move, game.legal()) == (0, ("done", "reroll 5"))
    play(game, "reroll 5", (4,))
    assert (game.round, field(game, "dice"), field(game, "flipped")) == (3, "2/1,3/0", "I2,-")


@proves("3.idol-A", "2.III.reroll-same-effort", "7.reroll")
def test_the_player_chooses_which_failed_die_to_reroll() -> None:
    """2.III.6: each failed die keeps the effort it was placed with."""
    game = scene(2, "A", CRYPT, turn=2, table="0:1x3,0:1x6,.", public=("I1 I2 I3",))
    play(game, "place 2 1x2", (2,), (5,), (2,))
    assert (field(game, "dice"), game.legal()) == ("1/2,3/0", ("done", "reroll 3", "reroll 6"))
    with pytest.raises(IllegalActionError):
        game.play("reroll 2")
    play(game, "reroll 6", (6,))
    assert game.legal() == ("done", "reroll 3")
    play(game, "reroll 3", (3,))
    assert (field(game, "dice"), game.round) == ("3/0,3/0", 4)


@proves("3.idol-A", "2.III.reroll-again")
def test_one_idol_rerolls_one_die() -> None:
    """3: of three failed dice on a card one is rolled again for each Idol."""
    game = play(scene(2, "A", CRYPT, turn=2, public=("I1 I2",)), "place 0 3x6", (5, 5, 5))
    play(game, "reroll 6", (6,))
    assert field(game, "dice") == "1/2,3/0"
    play(game, "reroll 6", (6,))
    assert field(game, "dice") == "2/1,3/0"


@proves("2.III.reroll-fresh", "R7")
@pytest.mark.parametrize(("crypt", "slot"), [("T4 I2 R1", 1), ("T4 P2 I3", 2)])
def test_an_idol_collected_this_round_pays_at_once(crypt: str, slot: int) -> None:
    """2.III.6, R7: the cards are handed out before the re-rolls, a face-down Idol too."""
    game = play(scene(2, "A", crypt, turn=2), f"place {slot} 1x6", (1,))
    assert game.legal() == ("done", "reroll 6")
    play(game, "reroll 6", (6,))
    assert (field(game, "flipped"), field(game, "public")) == ("I1,-", f"{crypt.split()[slot]},-")


@proves("2.III.reroll-this-round", "R7")
def test_a_die_exhausted_in_an_earlier_round_is_not_rerolled() -> None:
    """2.III.6: only what failed this round."""
    game = play(scene(2, "A", CRYPT, turn=2, public=("I1",), exhausted=(1,)), "place 0 1x4", (4,))
    assert (game.round, field(game, "dice"), field(game, "flipped")) == (3, "2/1,3/0", "-,-")
    game = play(scene(2, "A", CRYPT, turn=2, public=("I1 I2",), exhausted=(1,)), "place 0 1x4", (3,))
    play(game, "reroll 4", (5,))
    assert (game.round, field(game, "dice")) == (3, "2/1,3/0"), "the die of the earlier round stays exhausted"


@proves("2.III.reroll-order", "7.windows")
def test_rerolls_go_in_turn_order_from_the_leader() -> None:
    """2.III.6: with seat 1 as Leader seat 2 comes before seat 0; each is asked until it is done."""
    game = scene(3, "A", FOUR, leader=1, turn=2, table=".,1:1x6,2:1x6,.", public=("I1", "", "I2 I3"))
    play(game, "place 0 1x6", (1,), (1,), (1,))
    assert (game.to_move, game.legal()) == (2, ("done", "reroll 6"))
    play(game, "reroll 6", (2,))
    assert game.to_move == 2
    play(game, "done")
    assert (game.to_move, game.legal()) == (0, ("done", "reroll 6"))
    play(game, "done")
    assert (game.round, field(game, "flipped"), field(game, "dice")) == (3, "-,-,I1", "2/1,2/1,2/1")


@proves("3.idol-A", "7.decline", "3.pay-once")
def test_a_flipped_idol_pays_no_more() -> None:
    """3: only unflipped cards pay for rewards."""
    game = scene(2, "A", CRYPT, turn=2, public=("I1 I2",), flipped="I2,-")
    play(game, "place 0 1x6", (1,))
    assert (game.round, field(game, "dice")) == (3, "2/1,3/0")


@proves("3.idol-A")
def test_idol_b_and_no_idol_give_no_reroll() -> None:
    """3: the window is for side A, and for who holds an Idol."""
    game = play(scene(2, B, CRYPT, turn=2, public=("I1",)), "place 0 1x6", (1,))
    assert game.round == 3
    game = play(scene(2, "A", CRYPT, turn=2, public=("", "I1")), "place 0 1x6", (1,))
    assert game.round == 3


@proves("3.idol-A", "2.IV.end")
def test_a_reroll_is_offered_in_the_last_round_too() -> None:
    """2.III.6: the die that returns is worth its coin."""
    game = play(scene(2, "A", CRYPT, turn=2, last=True, public=("I1",)), "place 0 1x6", (1,))
    play(game, "reroll 6", (6,))
    assert game.is_over
    assert game.sheets()[0].dice == 3


@proves("3.idol-A", "2.III.every-die")
def test_the_dice_of_each_seat_fail_for_that_seat() -> None:
    """2.III.6: a player re-rolls its own dice only."""
    game = scene(2, "A", CRYPT, turn=2, table=".,1:1x5,.", public=("I1", "I2"))
    play(game, "place 0 1x3", (1,), (1,))
    assert game.events[-2:] == (Roll(0, 0, 3, (1,)), Roll(1, 1, 5, (1,)))
    assert (game.to_move, game.legal()) == (0, ("done", "reroll 3"))
    play(game, "done")
    assert (game.to_move, game.legal()) == (1, ("done", "reroll 5"))


# -- side B: first to hold two ----------------------------------------------------------------------------------------


@proves("3.idol-B-first", "3.idol-B-auto", "2.III.idol-check", "3.idol-B-when")
def test_the_first_to_hold_two_idols_flips_them_for_five_coins() -> None:
    """3: automatic, when the cards are handed out; everybody sees the coins."""
    game = play(scene(2, B, "T4 I2 R1", turn=2, public=("I1",)), "place 1 1x1")
    assert (field(game, "flipped"), field(game, "idols"), field(game, "public")) == ("I2,-", "2:5,0", "I1I2,-")
    assert [sheet.idol for sheet in game.sheets()] == [5, 0]
    assert (part(game, 0, "idol_bonus"), part(game, 1, "idol_bonus")) == ([5, 0, 0, 0], [0, 5, 0, 0])
    assert game.round == 3


@proves("3.idol-B-first")
def test_one_idol_earns_nothing() -> None:
    """3: two are needed."""
    game = play(scene(2, B, "T4 I2 R1", turn=2, public=("", "I1")), "place 1 1x1")
    assert (field(game, "flipped"), field(game, "idols")) == ("-,-", None)
    assert [sheet.idol for sheet in game.sheets()] == [0, 0]


@proves("3.idol-B-same", "R8")
def test_two_who_reach_two_idols_in_one_round_have_five_coins_each() -> None:
    """3, R8: both flip."""
    game = scene(3, B, "I3 I2 R1 M1", turn=2, table="0:1x1,.,.,.", public=("I1", "", "I4"))
    play(game, "place 1 1x1")
    assert (field(game, "flipped"), field(game, "idols")) == ("I2,-,I2", "2:5,0,5")


@proves("3.idol-B-later", "3.pay-once")
def test_a_later_holder_has_two_coins_and_flips_nothing() -> None:
    """3: also one round later."""
    game = scene(
        3, B, "I3 I2 R1 M1", turn=2, public=("I1 I2", "", "I3"), flipped="I2,-,-", idols="1:5,0,0", round_number=2
    )
    play(game, "place 0 1x1")
    assert (field(game, "flipped"), field(game, "idols")) == ("I2,-,-", "1:5,0,2")
    assert unflipped(game, 2) == "II"
    assert [sheet.idol for sheet in game.sheets()] == [5, 0, 2]


@proves("3.idol-B-first", "3.idol-B-later")
def test_more_idols_earn_nothing_more() -> None:
    """3: once for each player, whether 5 or 2 coins."""
    shown = ("I1 I2", "", "I3 I3")
    game = scene(3, B, "I4 P2 R1 M1", turn=2, table="0:1x1,.,.,.", public=shown, flipped="I2,-,-", idols="1:5,0,2")
    play(game, "place 1 1x1")
    assert (field(game, "flipped"), field(game, "idols")) == ("I2,-,-", "1:5,0,2")


@proves("3.idol-B-first", "3.idol-B-same")
def test_two_idols_may_come_in_one_round() -> None:
    """3: from none to two; and of three idols two are flipped."""
    game = scene(2, B, "I3 I2 R1", turn=2, table="0:1x1,.,.")
    play(game, "place 1 1x1")
    assert (field(game, "flipped"), field(game, "idols")) == ("I2,-", "1:5,0")
    game = scene(2, B, "I3 I2 R1", turn=2, table="0:1x1,.,.", public=("I4",))
    play(game, "place 1 1x1")
    assert (field(game, "flipped"), unflipped(game, 0)) == ("I2,-", "I")


@proves("3.idol-B-when", "R8", "R3")
def test_two_idols_are_reached_by_taking_before_the_claim() -> None:
    """3, R8: the check comes after the window before the Claim."""
    game = scene(3, "BAABAA", "T4 P2 R1 I3", phase="before", public=("I1 P1 P3", "", ""))
    play(game, "take 3")
    assert (field(game, "phase"), field(game, "idols"), field(game, "flipped")) == ("claim", "2:5,0,0", "I2P2,-,-")
    assert [known(game, seat, 0) for seat in (0, 1, 2)] == ["I1 I3 P1 P3"] * 3


@proves("3.idol-B-same", "3.idol-B-when", "R8")
def test_taking_before_the_claim_and_collecting_after_it_is_the_same_round() -> None:
    """3, R8: a seat that gets there in the same round as the first also has 5 coins; a round later 2."""
    game = scene(3, "BAABAA", "T4 I2 R1 I3", phase="before", public=("I1 P1 P3", "I4", "I2"), then="P2 I3 R2 M2")
    play_all(game, "take 3", "recover", "place 1 1x1", "done", "recover")
    assert (game.round, field(game, "idols"), field(game, "flipped")) == (4, "3:5,5,0", "I2P2,I2,-")
    play_all(game, "recover", "place 1 1x1", "done", "recover")
    assert (game.round, field(game, "idols"), field(game, "flipped")) == (5, "3:5,5,2", "I2P2,I2,-")


@proves("3.idol-B-first", "R9", "3.flip-order", "3.flipped-public")
def test_idol_b_flips_the_known_idol_and_the_first_hidden_one() -> None:
    """3, R9: of one public and two hidden Idols the public one and the one drawn first become face-up."""
    game = scene(2, B, "I4 P2 R1", turn=2, hidden="I3:0", public=("",))
    play(game, "place 0 1x1")
    assert (field(game, "public"), field(game, "downs")) == ("I3I4,-", "f+0,x,c")
    assert (known(game, 1, 0), unknown(game, 1, 0)) == ("I3 I4", "")


@proves("3.idol-B-first", "R9", "3.flip-one-value")
def test_idol_b_keeps_a_third_hidden_idol_hidden() -> None:
    """3, R9: two known Idols are flipped, so the hidden one that came with them stays hidden."""
    game = scene(2, B, "I4 I2 I1", turn=2, table="0:1x1,0:1x1,.")
    play(game, "place 2 1x1")
    assert (field(game, "public"), field(game, "flipped"), field(game, "downs")) == ("I2I4,-", "I2,-", "0+0,c")
    assert (known(game, 1, 0), unknown(game, 1, 0)) == ("I2 I4", "I")


@proves("3.idol-B-first", "3.solo", "R8")
def test_the_only_child_is_always_the_first() -> None:
    """3: solo, the Ghost collects nothing."""
    game = scene(1, B, "I4 P2 R1", last=True, turn=1, table=".,1:1x2,1:2x1", public=("I1",))
    play_all(game, "place 0 1x1", "done")
    assert game.is_over
    assert game.sheets()[0].idol == 5
