"""Chapter 2 and 3, Pottery B: the window before the Claim, and the gaps that it leaves. [R3]"""

from __future__ import annotations

import pytest

from crypt_env.errors import IllegalActionError
from rules.paragraphs import proves
from rules.scenes import (
    field,
    known,
    others,
    part,
    play,
    play_all,
    scene,
    slots_open,
    unflipped,
    unknown,
    unseen,
    watchers,
)

POTTERY = "AAABAA"
BOTH = "AABBAA"  # and Manuscript B
SIX = "T4 I2 R1 M1 J3 J4"
FOUR = "T4 I2 R1 J3"


@proves("3.pottery-B", "2.before.two", "7.take", "7.decline", "R3")
def test_two_pottery_take_a_face_down_card() -> None:
    """2, 3: the two are flipped, the card joins the collection and is seen by its new owner alone."""
    game = scene(3, POTTERY, FOUR, phase="before", public=("P1 P2 P3",))
    assert (game.to_move, game.legal()) == (0, ("done", "take 3"))
    play(game, "take 3")
    assert (field(game, "phase"), field(game, "downs"), field(game, "flipped")) == ("claim", "x,0+0", "P2,-,-")
    assert unflipped(game, 0) == "JP"
    assert [known(game, seat, 0) for seat in (0, 1)] == ["J3 P1 P2 P3", "P1 P2 P3"]
    assert [unknown(game, seat, 0) for seat in (0, 1)] == ["", "J"]
    assert [unseen(game, seat).split().count("J3") for seat in (0, 1)] == [1, 2]


@proves("2.before.two", "3.pay-once", "3.pottery-B")
@pytest.mark.parametrize(("pottery", "flipped"), [("P1", "-,-,-"), ("P1 P2", "P1,-,-"), ("P1 P2 P3 P4", "P3,-,-")])
def test_fewer_than_two_unflipped_pottery_take_nothing(pottery: str, flipped: str) -> None:
    """2, 3: flipped Pottery pays no more, so the Claim begins at once."""
    game = scene(3, POTTERY, FOUR, public=(pottery,), flipped=flipped, then="T1 T2 R2 R3", turn=2)
    play(game, "recover")
    assert (field(game, "phase"), game.to_move) == ("claim", 1)


@proves("2.before.two", "3.pottery-A")
def test_pottery_a_takes_nothing() -> None:
    """3: the window belongs to side B."""
    game = play(scene(3, "A", FOUR, public=("P1 P2 P3 P4",), turn=2), "recover")
    assert (field(game, "phase"), game.to_move) == ("claim", 1)


@proves("2.before.two", "R3")
def test_only_face_down_cards_are_taken() -> None:
    """2: of six cards the two face-down ones."""
    game = scene(4, POTTERY, SIX, phase="before", public=("P1 P2",))
    assert game.legal() == ("done", "take 4", "take 5")


@proves("2.before.order", "7.windows", "7.decline")
def test_the_window_goes_in_turn_order_from_the_leader() -> None:
    """2: each player with two unflipped Pottery is asked, the others are not."""
    game = scene(4, POTTERY, SIX, phase="before", leader=2, public=("P1 P2", "P3", "P1 P2", "P3 P4"))
    seats = []
    while field(game, "phase") == "before":
        seats.append(game.to_move)
        play(game, "done")
    assert seats == [2, 3, 0]
    assert (game.to_move, field(game, "crypt")) == (2, ".,.,.,.,.,.")


@proves("2.before.again", "7.windows", "7.take", "R3")
def test_a_player_with_four_pottery_takes_both_cards() -> None:
    """2: again while it can; then no other seat is asked, since no face-down card is left."""
    game = scene(4, POTTERY, SIX, phase="before", public=("P1 P2 P3 P4", "P1 P2"))
    play(game, "take 5")
    assert (game.to_move, game.legal()) == (0, ("done", "take 4"))
    play(game, "take 4")
    assert (field(game, "phase"), game.to_move, field(game, "flipped")) == ("claim", 0, "P4,-,-,-")
    assert known(game, 0, 0) == "J3 J4 P1 P2 P3 P4"


@proves("2.before.again", "2.before.order", "6.who-knows")
def test_two_players_take_one_card_each() -> None:
    """2: the first may decline a second one; no one else sees what was taken."""
    game = scene(4, POTTERY, SIX, phase="before", public=("P1 P2 P3 P4", "P1 P2"))
    play_all(game, "take 4", "done")
    assert (game.to_move, game.legal()) == (1, ("done", "take 5"))
    play(game, "take 5")
    assert field(game, "downs").split(",")[-2:] == ["0+0", "1+1"]
    assert (unknown(game, 0, 1), unknown(game, 1, 0)) == ("J", "J")
    assert (known(game, 0, 0), known(game, 1, 1)) == ("J3 P1 P2 P3 P4", "J4 P1 P2")


@proves("7.decline", "2.before.again", "8.done-final")
def test_who_declines_is_not_asked_again_this_round() -> None:
    """2: each player in turn, once around."""
    game = scene(4, POTTERY, SIX, phase="before", public=("P1 P2", "P1 P2"))
    play_all(game, "done", "take 4")
    assert (field(game, "phase"), field(game, "flipped")) == ("claim", "-,P2,-,-")
    assert others(game) == {"recover"}


@proves("2.before.gap-number", "2.before.gap-place")
def test_a_taken_card_leaves_a_gap_on_which_nothing_is_placed() -> None:
    """2: the slots to its right keep their numbers."""
    game = play(scene(4, POTTERY, SIX, phase="before", public=("P1 P2",)), "take 4")
    assert field(game, "crypt") == ".,.,.,.,-,."
    assert slots_open(game) == {0, 1, 2, 3, 5}
    with pytest.raises(IllegalActionError):
        game.play("place 4 1x1")
    assert part(game, 1, "slot_type")[4] == [0] * 6
    play_all(game, "place 5 1x1", "recover", "recover", "recover")
    assert known(game, 0, 0) == "J3 J4 P1 P2", "slot 5 was still the last card drawn"


@proves("2.before.gap-number", "2.IV.left")
def test_the_next_round_has_no_gap() -> None:
    """2: the gap is for one round."""
    game = scene(2, POTTERY, "T4 I2 R1", phase="before", public=("P1 P2",))
    play_all(game, "take 2", "recover", "recover", "recover")
    assert (field(game, "crypt"), field(game, "phase")) == (".,.,.", "claim")


@proves("2.before.two", "R3")
def test_the_reward_is_not_there_during_the_claim() -> None:
    """3, R3: only before the Claim phase, so not with Pottery collected this round."""
    game = scene(2, POTTERY, "P4 I2 R1", turn=2, public=("P1",))
    assert others(game) == {"recover"}
    play(game, "place 0 1x1")
    assert (game.round, field(game, "phase"), game.to_move) == (3, "before", 0)
    assert others(game) == {"done", "take 2"}


@proves("3.flip-order", "R9", "3.flip-one-value", "3.flipped-public")
def test_known_pottery_is_flipped_before_hidden_one() -> None:
    """R9: with one public and two hidden Pottery the public one is flipped, and then one that the player names."""
    game = scene(3, POTTERY, FOUR, phase="before", public=("P2", "", ""), hidden="P4:0 P1:0")
    before = unseen(game, 1).split()
    play_all(game, "take 3", "flip 4")
    assert (field(game, "public"), field(game, "downs")) == ("P2P4,-,-", "f+0,0+0,0+0")
    assert (known(game, 1, 0), unknown(game, 1, 0)) == ("P2 P4", "JP")
    after = unseen(game, 1).split()
    before.remove("P4")
    assert after == before


@proves("3.flip-order", "R9")
def test_hidden_pottery_is_flipped_in_the_order_in_which_it_was_drawn() -> None:
    """R9: the first two of three that all have seen, not the cheapest."""
    game = scene(3, BOTH, FOUR, phase="before", hidden="P4:0+012 T1:1 P2:0+012 P1:0+012")
    play(game, "take 3")
    assert (field(game, "public"), unflipped(game, 0)) == ("P2P4,-,-", "JP")
    assert (known(game, 1, 0), unknown(game, 1, 0), unknown(game, 2, 1)) == ("P1 P2 P4", "J", "T")


@proves("3.flip-one-value", "R9")
def test_two_known_pottery_give_away_nothing() -> None:
    """R9: hidden ones stay hidden while known ones can pay."""
    game = scene(3, POTTERY, FOUR, phase="before", public=("P2 P3",), hidden="P4:0 P1:0")
    play(game, "take 3")
    assert (field(game, "public"), field(game, "downs")) == ("P2P3,-,-", "0+0,0+0,0+0")
    assert unknown(game, 1, 0) == "JPP"


# -- Manuscript B in this window --------------------------------------------------------------------------------------


@proves("3.peek-before", "R10", "3.peek-all")
def test_a_peek_is_legal_beside_a_take() -> None:
    """3, R10: it shows both face-down cards; the window stays open for the take."""
    game = scene(4, BOTH, SIX, phase="before", public=("P1 P2 M2",))
    assert game.legal() == ("done", "peek", "take 4", "take 5")
    play(game, "peek")
    assert part(game, 0, "slot_value") == [4, 2, 1, 1, 3, 4]
    assert (game.to_move, game.legal()) == (0, ("done", "take 4", "take 5"))
    play(game, "take 5")
    assert known(game, 0, 0) == "J4 M2 P1 P2"
    assert watchers(game, 1, part(game, 1, "slot_seen_by")[4]) == {0}


@proves("3.peek-before", "R10")
def test_a_peek_does_not_open_the_window() -> None:
    """3, R10: a Manuscript alone is not asked about before the Claim."""
    game = scene(4, BOTH, SIX, turn=3, public=("M2 M3 P1", "M4", "", "P2"))
    play_all(game, "recover", "done", "done")
    assert (field(game, "phase"), game.to_move) == ("claim", 1)
    assert others(game) == {"recover", "peek"}


@proves("3.peek-before", "R10", "7.windows")
def test_a_peek_does_not_keep_the_window_open() -> None:
    """3, R10: after the last take a peek would still show the other card, but not in this window."""
    game = play(scene(4, BOTH, SIX, phase="before", public=("P1 P2 P3 M2",)), "take 4")
    assert (field(game, "phase"), game.to_move) == ("claim", 0)
    assert others(game) == {"recover", "peek"}


@proves("3.peek-before", "3.peek-new")
def test_a_second_peek_in_the_window_would_show_nothing_new() -> None:
    """3: legal only if it shows a value not yet known, also after taking the other card."""
    game = scene(4, BOTH, SIX, phase="before", public=("P1 P2 P3 P4 M1 M2",))
    play_all(game, "peek", "take 4")
    assert game.legal() == ("done", "take 5")


@proves("3.peek-before", "6.who-knows", "6.private")
def test_a_peeker_knows_what_another_takes_afterwards() -> None:
    """3, 6: the value stays known in another collection, and all seats see that it is known."""
    game = scene(4, BOTH, SIX, phase="before", public=("P1 P2 M1", "P3 P4"))
    play_all(game, "peek", "done", "take 5")
    assert [known(game, seat, 1) for seat in (0, 1, 2)] == ["J4 P3 P4", "J4 P3 P4", "P3 P4"]
    down = int(game.round * 2 - 1)
    assert part(game, 0, "hidden_value")[down] == 4
    assert part(game, 2, "hidden_value")[down] == 0
    assert watchers(game, 2, part(game, 2, "hidden_seen_by")[down]) == {0, 1}


@proves("7.solo-windows", "2.before.order")
@pytest.mark.parametrize("number", [3, 4])
def test_the_only_child_is_asked_before_the_claim_in_every_round(number: int) -> None:
    """7: the order of the window is the same, with the Ghost skipped."""
    leader = (number - 1) % 2
    game = scene(1, POTTERY, "T4 I3 R1", phase="before", turn=leader, round_number=number, public=("P1 P2",))
    assert (game.leader, game.to_move, game.legal()) == (leader, 0, ("done", "take 2"))


@proves("2.before.gap-ghost", "2.before.gap-number", "5.leftmost")
def test_the_ghost_skips_a_gap() -> None:
    """2: its groups go to the cards to the right of it."""
    game = scene(1, POTTERY, "T2 I1 R4", phase="before", turn=1, round_number=4, public=("P1 P2",))
    assert game.legal() == ("done", "take 0"), "the face-down card counts 2.5 and lies to the left"
    play(game, "take 0", (6, 5, 4))
    assert field(game, "crypt") == "-,1:1x6,1:1x5"
    assert slots_open(game) == {1, 2}
