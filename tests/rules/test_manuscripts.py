"""Chapter 3, Manuscript B: when a peek is legal, what it shows and what the others see of it. [R10]"""

from __future__ import annotations

import pytest

from crypt_env.errors import IllegalActionError
from crypt_env.notation.events import Act
from rules.paragraphs import proves
from rules.scenes import (
    field,
    known,
    others,
    part,
    play,
    play_all,
    scene,
    unflipped,
    unseen,
    watchers,
)

PEEK = "AABAAA"
THREE = "T4 I2 R1"
FOUR = "T4 I2 R1 J3"
SIX = "T4 I2 R1 P1 J3 J4"


# -- on the own Claim turn --------------------------------------------------------------------------------------------


@proves("3.manuscript-B", "3.peek-turn", "3.peek-open", "6.private", "7.asked")
def test_a_peek_shows_the_face_down_card_to_the_peeker_alone() -> None:
    """3: the Manuscript is flipped, and the turn goes on."""
    game = scene(3, PEEK, FOUR, public=("M2 M3",))
    assert others(game) == {"recover", "peek"}
    play(game, "peek")
    assert (game.to_move, others(game), unflipped(game, 0)) == (0, {"recover"}, "M")
    assert [part(game, seat, "slot_value")[3] for seat in (0, 1, 2)] == [3, 0, 0]
    assert [unseen(game, seat).split().count("J3") for seat in (0, 1)] == [1, 2]
    assert field(game, "flipped") == "M1,-,-"


@proves("3.peek-all")
def test_a_peek_shows_all_face_down_cards() -> None:
    """3: with four players both of them for one Manuscript."""
    game = play(scene(4, PEEK, SIX, public=("M2",)), "peek")
    assert part(game, 0, "slot_value") == [4, 2, 1, 1, 3, 4]
    assert part(game, 1, "slot_value") == [4, 2, 1, 1, 0, 0]


@proves("3.peek-open", "6.who-knows")
def test_all_seats_see_that_a_seat_peeked() -> None:
    """3, 6: and so who knows the card."""
    game = play(scene(3, PEEK, FOUR, public=("", "M2"), leader=1), "peek")
    assert isinstance(game.events[-1], Act)
    assert (game.events[-1].seat, game.events[-1].text) == (1, "peek")
    for seat in (0, 2):
        assert watchers(game, seat, part(game, seat, "slot_seen_by")[3]) == {1}
        assert part(game, seat, "slot_value")[3] == 0
    assert watchers(game, 1, part(game, 1, "slot_seen_by")[3]) == set()


@proves("3.peek-turn", "7.increasing")
def test_a_peek_comes_before_the_first_die() -> None:
    """3, R10: not after a placement."""
    game = play(scene(3, PEEK, FOUR, public=("M2",)), "place 0 1x1")
    assert others(game) == {"done"}
    with pytest.raises(IllegalActionError):
        game.play("peek")


@proves("3.peek-new")
def test_a_peek_that_shows_nothing_new_is_not_legal() -> None:
    """3: the card was seen already, or no face-down card is left in the Crypt."""
    assert others(scene(3, PEEK, FOUR, public=("M2 M3",), downs="c+0")) == {"recover"}
    gap = scene(3, "AABBAA", FOUR, public=("M2 M3 P1 P2", ""), flipped="P2,-,-", table=".,.,.,-", downs="1+1")
    assert others(gap) == {"recover"}


@proves("3.peek-new", "3.peek-all")
def test_a_peek_is_legal_while_one_of_two_cards_is_unknown() -> None:
    """3: it would show a value not yet known."""
    game = scene(4, PEEK, SIX, public=("M2", "M1"), downs="c+01,c+1")
    assert others(game) == {"recover", "peek"}
    play(game, "recover")
    assert others(game) == {"recover"}


@proves("3.pay-once", "3.manuscript-B")
def test_a_flipped_manuscript_shows_nothing_more() -> None:
    """3: only unflipped cards pay."""
    game = scene(3, PEEK, FOUR, public=("M2",), flipped="M1,-,-")
    assert others(game) == {"recover"}


@proves("3.manuscript-A", "3.manuscript-B")
def test_side_a_allows_no_peek() -> None:
    """3: Manuscript A only scores."""
    assert others(scene(3, "A", FOUR, public=("M2 M3",))) == {"recover"}


@proves("3.peek-own-claim", "3.known", "R10")
def test_the_leader_of_two_may_look_at_its_own_claim() -> None:
    """3: on its second turn, the value is not known before it is collected."""
    game = scene(2, PEEK, THREE, turn=2, table=".,.,0:1x1", public=("M2 M3",))
    assert others(game) == {"recover", "peek"}
    play(game, "peek")
    assert part(game, 0, "slot_value")[2] == 1


@proves("3.peek-own-claim", "3.peek-new")
def test_a_look_at_the_own_claim_makes_it_known() -> None:
    """3: a second Manuscript would show nothing new, neither on this turn nor in the window after it."""
    game = scene(2, PEEK, THREE, turn=2, table=".,.,0:1x1", public=("M2 M3",))
    play(game, "peek")
    assert others(game) == {"recover"}
    play(game, "recover")
    assert (game.round, field(game, "flipped")) == (3, "M1,-")


@proves("3.peek-own-claim", "5.odd")
def test_the_only_child_may_look_at_its_own_claim_once() -> None:
    """3, 5: on its second turn of an odd round."""
    game = scene(1, PEEK, "T4 I3 R1", round_number=3, turn=2, table="1:1x1,0:1x1,.", public=("M2 M3",))
    assert others(game) == {"recover", "peek"}
    play(game, "peek")
    assert (part(game, 0, "slot_value")[:3], others(game)) == ([4, 3, 1], {"recover"})
    game = scene(1, PEEK, "T4 I2 R1", round_number=3, turn=2, table="1:1x1,0:1x1,.", public=("M2 M3",))
    play(game, "peek")
    assert (part(game, 0, "slot_value")[:3], others(game)) == ([4, 1, 2], {"recover"})


# -- after the Claim --------------------------------------------------------------------------------------------------


@proves("3.peek-after", "7.windows", "7.decline", "R10")
def test_the_window_after_the_claim_goes_in_turn_order() -> None:
    """3, R10: who still has a Manuscript for an unknown card is asked, each until it declines."""
    game = scene(4, PEEK, SIX, leader=2, turn=3, public=("M2 M3", "", "M4", "M1"))
    play(game, "recover")
    asked = []
    while field(game, "phase") == "after":
        asked.append((game.to_move, game.legal()))
        play(game, "done")
    assert asked == [(seat, ("done", "peek")) for seat in (2, 3, 0)]


@proves("3.peek-after", "7.windows")
def test_two_players_are_asked_once_each_after_the_claim() -> None:
    """7: the second turn of the Leader does not come back as a second question."""
    game = scene(2, PEEK, THREE, leader=1, turn=2, public=("M2", "M3"))
    play(game, "recover")
    assert (field(game, "phase"), game.to_move) == ("after", 1)
    play(game, "done")
    assert (field(game, "phase"), game.to_move) == ("after", 0)
    play(game, "done")
    assert (field(game, "phase"), game.round) == ("claim", 3)


@proves("3.peek-after", "3.peek-new")
def test_a_peek_after_the_claim_ends_that_players_window() -> None:
    """3: nothing is unknown then, so a second Manuscript is not asked about."""
    game = scene(3, PEEK, FOUR, turn=2, public=("M2 M3", "M1"))
    play_all(game, "recover", "peek")
    assert (field(game, "phase"), game.to_move, field(game, "flipped")) == ("after", 1, "M1,-,-")
    play(game, "done")
    assert (game.round, field(game, "phase")) == (3, "claim")


@proves("3.peek-after", "6.pool", "6.private", "6.discards-known", "6.seen-discards")
def test_a_peeker_knows_a_card_that_is_discarded() -> None:
    """6: the others keep it among the unseen values."""
    game = scene(3, PEEK, "T4 I2 R1 J1", turn=2, public=("M2",))
    play_all(game, "recover", "peek")
    assert (game.round, field(game, "downs")) == (3, "x,x+0,c")
    assert ["J1" in unseen(game, seat).split() for seat in (0, 1, 2)] == [False, True, True]


@proves("3.peek-after-own", "3.known", "R10")
def test_the_own_claim_does_not_open_the_window_after_the_claim() -> None:
    """3, R10: it will be seen anyway; another's claim is no obstacle."""
    shown = ("M2", "M3", "")
    game = scene(3, PEEK, FOUR, turn=2, table=".,.,.,0:1x1", public=shown)
    play(game, "recover")
    assert (field(game, "phase"), game.to_move) == ("after", 1)
    play(game, "peek")
    assert field(game, "downs") == "x,0+01,c"


@proves("3.peek-after-own", "3.peek-all")
def test_one_of_two_cards_being_the_own_claim_leaves_the_window_open() -> None:
    """3: the other card is unknown and not its own claim; the peek shows both."""
    game = scene(4, PEEK, SIX, turn=3, table=".,.,.,.,0:1x1,.", public=("M2",))
    play(game, "recover")
    assert (field(game, "phase"), game.to_move) == ("after", 0)
    play(game, "peek")
    assert [known(game, seat, 0) for seat in (0, 1)] == ["J3 M2", "M2"]
    assert [unseen(game, seat).split().count("J4") for seat in (0, 1)] == [1, 2], "J4 was discarded, but not unseen"


@proves("3.peek-after-own", "3.peek-new")
def test_a_seen_card_and_the_own_claim_do_not_open_the_window() -> None:
    """3: nothing unknown is left but the own claim."""
    game = scene(4, PEEK, SIX, turn=3, table=".,.,.,.,0:1x1,.", public=("M2",), downs="c,c+0")
    play(game, "recover")
    assert (field(game, "phase"), game.round) == ("claim", 3)


@proves("3.peek-not-last", "2.IV.end")
def test_there_is_no_window_after_the_last_claim() -> None:
    """3, R10: knowing a value is of no use then."""
    game = scene(3, PEEK, FOUR, turn=2, last=True, public=("M2 M3",))
    play(game, "recover")
    assert game.is_over
    assert field(game, "flipped") == "-,-,-"


@proves("3.peek-not-last", "3.peek-turn")
def test_a_peek_on_the_own_turn_is_legal_in_the_last_round() -> None:
    """3: only the window after the Claim is left out."""
    assert others(scene(3, PEEK, FOUR, last=True, public=("M2",))) == {"recover", "peek"}


@proves("7.solo-windows", "3.peek-after")
@pytest.mark.parametrize(("number", "turn", "table"), [(3, 2, ".,.,."), (4, 1, "1:2x1,.,.")])
def test_the_only_child_is_asked_after_the_claim(number: int, turn: int, table: str) -> None:
    """7: with the Ghost skipped, in rounds of either kind."""
    game = scene(1, PEEK, "T4 I3 R1", round_number=number, turn=turn, table=table, public=("M2",))
    play(game, "recover")
    assert (field(game, "phase"), game.to_move, game.legal()) == ("after", 0, ("done", "peek"))


# -- what flipping gives away -----------------------------------------------------------------------------------------


@proves("3.flip-order", "R9", "3.flipped-public", "6.values")
def test_a_hidden_manuscript_becomes_public_when_it_pays() -> None:
    """R9: of two hidden ones the one that the player names."""
    game = scene(2, PEEK, THREE, hidden="M4:0 M1:0")
    play_all(game, "peek", "flip 4")
    assert (field(game, "public"), field(game, "downs")) == ("M4,-", "f+0,0+0,c+0")
    assert (known(game, 1, 0), part(game, 1, "unknown")[1]) == ("M4", [0, 0, 1, 0, 0, 0])
    assert "M4" not in unseen(game, 1).split()
    assert "M1" in unseen(game, 1).split()


@proves("3.flip-order", "R9", "3.flip-one-value")
def test_a_known_manuscript_pays_before_a_hidden_one() -> None:
    """R9: also if it was collected later."""
    game = scene(2, PEEK, THREE, hidden="M4:0 T1:x", public=("M1",))
    play(game, "peek")
    assert (field(game, "public"), field(game, "flipped"), field(game, "downs")) == ("M1,-", "M1,-", "0+0,x,c+0")
    assert (known(game, 1, 0), part(game, 1, "unknown")[1]) == ("M1", [0, 0, 1, 0, 0, 0])


@proves("3.flip-order", "3.flip-known", "R9", "6.values")
def test_a_hidden_card_that_all_have_seen_is_not_public() -> None:
    """R9, 6: public is what lay face-up or was flipped; one that all have seen comes behind it, but before others."""
    game = scene(3, PEEK, FOUR, hidden="M1:0 M4:0+012")
    play(game, "peek")
    assert (field(game, "public"), field(game, "downs")) == ("M4,-,-", "0+0,f+012,c+0")
    game = scene(3, PEEK, FOUR, hidden="M4:0+012", public=("M2",))
    play(game, "peek")
    assert (field(game, "public"), field(game, "flipped")) == ("M2,-,-", "M1,-,-")
