"""Chapter 2.III: recovery when pushed out, rolls for exhaustion, who gets the cards."""

from __future__ import annotations

import pytest

from crypt_env.notation.events import Act, Roll
from rules.paragraphs import proves
from rules.scenes import deal, field, known, part, play, play_all, scene, unflipped, unknown, unseen

CRYPT = "T4 I2 R1"
FOUR = "T4 I2 R1 M1"


@proves("2.III.exhaust")
@pytest.mark.parametrize(
    ("effort", "result", "dice"), [(4, 3, "2/1"), (4, 4, "3/0"), (4, 6, "3/0"), (2, 1, "2/1"), (6, 5, "2/1")]
)
def test_a_die_that_rolls_below_its_effort_is_exhausted(effort: int, result: int, dice: str) -> None:
    """2.III.3: below, not equal."""
    game = play(scene(2, "A", CRYPT, turn=2), f"place 0 1x{effort}", (result,))
    assert field(game, "dice") == f"{dice},3/0"


@proves("2.III.exhaust", "2.III.every-die")
def test_each_die_on_a_card_is_rolled_for_itself() -> None:
    """2.III.3: the rulebook's example: of two dice with effort 3 one rolls less and is exhausted."""
    game = play(scene(2, "A", CRYPT, turn=2), "place 0 2x3", (2, 5))
    assert field(game, "dice") == "2/1,3/0"
    assert game.events[-1] == Roll(0, 0, 3, (2, 5))


@proves("2.III.effort-one")
def test_effort_one_is_never_rolled() -> None:
    """2.III.3: no roll, and all dice return."""
    game = scene(3, "A", FOUR, turn=2, table="0:2x1,1:1x1,.,.")
    play(game, "place 2 3x1")
    assert [type(event) for event in game.events] == [Act]
    assert field(game, "dice") == "3/0,3/0,3/0"
    assert field(game, "public") == "T4,I2,R1"


@proves("2.III.every-die", "6.dice")
def test_the_claimed_cards_are_rolled_for_from_left_to_right() -> None:
    """2.III.3, 6: one open roll for each card with effort above 1, no matter who holds it."""
    game = scene(4, "A", "T4 I2 R1 M1 P1 P2", turn=3, table="2:1x2,0:2x6,.,1:1x1,2:1x5,.")
    play(game, "place 5 3x4", (1,), (6, 5), (5,), (4, 3, 4))
    assert game.events[1:] == (
        Roll(2, 0, 2, (1,)),
        Roll(0, 1, 6, (6, 5)),
        Roll(2, 4, 5, (5,)),
        Roll(3, 5, 4, (4, 3, 4)),
    )
    assert field(game, "dice") == "2/1,3/0,2/1,2/1"


@proves("2.III.claimed")
def test_claimed_cards_are_collected_though_every_die_fails() -> None:
    """2.III.4: regardless of the dice."""
    game = play(scene(2, "A", CRYPT, turn=2, table=".,1:2x6,."), "place 0 3x6", (1, 1, 1), (5, 5))
    assert (field(game, "public"), field(game, "dice")) == ("T4,I2", "0/3,1/2")


@proves("2.III.exhaust", "2.II.recover-all")
def test_exhausted_dice_stay_exhausted_in_the_next_round() -> None:
    """2.III.3, 2.II: until their owner recovers."""
    game = play(scene(2, "A", CRYPT, turn=2), "place 0 1x6", (1,))
    assert (game.round, game.to_move, field(game, "dice")) == (2, 1, "2/1,3/0")
    play_all(game, "recover", "recover")
    assert field(game, "dice") == "3/0,3/0"


@proves("2.III.unclaimed", "6.values")
def test_unclaimed_cards_are_discarded() -> None:
    """2.III.2: no player has them; those that lay face-up are known to be gone, the face-down one is not."""
    game = play(scene(2, "A", "T4 I2 J3", turn=2), "place 0 1x1")
    assert (field(game, "public"), field(game, "downs")) == ("T4,-", "x,c")
    for seat in (0, 1):
        assert unknown(game, seat, 0) == unknown(game, seat, 1) == ""
        assert "I2" not in unseen(game, seat).split()
        assert "J3" in unseen(game, seat).split()


@proves("2.III.owner-alone", "6.private", "R2")
def test_a_face_down_card_is_seen_by_its_new_owner_alone() -> None:
    """2.III.4: the others learn only who has it."""
    game = play(scene(3, "A", FOUR, turn=2), "place 3 1x1")
    assert field(game, "downs") == "2+2,c"
    assert [known(game, seat, 2) for seat in (0, 1, 2)] == ["", "", "M1"]
    assert [unknown(game, seat, 2) for seat in (0, 1, 2)] == ["M", "M", ""]
    assert ["M1" in unseen(game, seat).split() for seat in (0, 1, 2)] == [True, True, False]


@proves("2.III.owner-alone", "3.known")
def test_a_claim_alone_shows_no_value() -> None:
    """2.III.4: a face-down card is looked at when it is collected, not when it is claimed."""
    game = play_all(deal(2, "A", CRYPT), "place 2 1x1", "recover")
    assert (game.to_move, field(game, "crypt")) == (0, ".,.,0:1x1")
    assert part(game, 0, "slot_value")[2] == 0
    assert "R1" in unseen(game, 0).split()


@proves("2.III.pushed-out", "R6", "2.II.push-at-once")
def test_a_player_pushed_off_all_cards_recovers() -> None:
    """2.III.1, R6: by itself, at Collect and not before."""
    game = scene(3, "A", FOUR, exhausted=(1, 0, 0))
    play_all(game, "place 0 1x2", "done", "place 0 1x3", "done")
    assert field(game, "dice") == "2/1,2/0,3/0"
    play(game, "recover", (3,))
    assert field(game, "dice") == "3/0,3/0,3/0"


@proves("2.III.pushed-not-all", "R6")
def test_a_player_with_one_die_left_on_a_card_does_not_recover() -> None:
    """2.III.1: all placed dice must have been pushed off."""
    game = scene(3, "A", FOUR, exhausted=(1, 0, 0))
    play_all(game, "place 0 1x2", "place 1 1x1", "place 0 1x3", "done")
    play(game, "recover", (3,))
    assert field(game, "dice") == "2/1,3/0,3/0"


@proves("2.III.pushed-not-all", "2.III.exhaust", "R6")
def test_dice_that_fail_now_are_not_recovered() -> None:
    """2.III: recovery comes before the rolls."""
    game = scene(3, "A", FOUR, turn=2, table="1:1x6,.,.,.")
    play(game, "place 1 1x6", (1,), (1,))
    assert field(game, "dice") == "3/0,2/1,2/1"


@proves("2.III.pushed-out", "R6")
def test_two_players_pushed_out_both_recover() -> None:
    """2.III.1: each player for itself."""
    game = scene(4, "A", "T4 I2 R1 M1 P1 P2", turn=2, table="0:1x1,1:2x1,.,.,.,.", exhausted=(2, 1, 0, 1))
    play_all(game, "place 0 1x2", "place 1 1x3", "done")
    assert field(game, "dice") == "1/2,2/1,1/0,2/1"
    play(game, "place 2 1x1", (2,), (3,))
    assert field(game, "dice") == "3/0,3/0,3/0,2/1"


@proves("3.unflipped", "3.pay-once")
def test_a_collected_card_lies_unflipped_also_one_that_was_face_up() -> None:
    """3: it can pay for a reward, although everybody knows its value."""
    game = play(scene(3, "A", FOUR, turn=1), "place 0 1x1")
    play(play(game, "place 3 1x1"), "recover")
    assert unflipped(game, 1) == "MT"
    assert known(game, 0, 1) == "T4"


@proves("2.IV.left")
def test_no_dice_and_no_cards_stay_in_the_crypt() -> None:
    """2.III, 2.IV: the next round begins with its own cards and empty slots."""
    game = scene(3, "A", FOUR, turn=2, table="0:1x1,1:2x1,.,.", then="P1 P2 P3 J1")
    play(game, "place 2 1x1")
    assert (field(game, "crypt"), game.leader, game.to_move) == (".,.,.,.", 1, 1)
    assert part(game, 0, "slot_value")[:4] == [1, 2, 3, 0]
