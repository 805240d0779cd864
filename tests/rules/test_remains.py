"""Chapter 3, Remains A: reviving a die on the own turn, and by itself at the end. [R10]"""

from __future__ import annotations

import pytest

from crypt_env.errors import IllegalActionError
from crypt_env.notation.events import Tiebreak
from rules.paragraphs import proves
from rules.scenes import field, known, others, play, play_all, scene, unflipped, unknown

THREE = "T4 I2 J1"
FOUR = "T4 I2 J1 M1"


@proves("3.remains-A", "3.revive-turn", "7.asked")
def test_two_remains_recover_one_die() -> None:
    """3: the two are flipped, one of the exhausted dice returns and the turn goes on."""
    game = scene(3, "A", FOUR, public=("R1 R2 R3",), exhausted=(2,))
    assert others(game) == {"recover", "revive"}
    play(game, "revive")
    assert (game.to_move, field(game, "dice"), field(game, "flipped")) == (0, "2/1,3/0,3/0", "R2,-,-")
    assert others(game) == {"recover"}, "one unflipped Remains is left"


@proves("3.revive-exhausted", "3.remains-A")
def test_dice_that_are_still_ready_are_no_obstacle() -> None:
    """3: it needs an exhausted die, not that none is ready."""
    game = scene(3, "A", FOUR, public=("R1 R2",), exhausted=(1,))
    assert others(game) == {"recover", "revive"}
    play(game, "revive")
    assert field(game, "dice") == "3/0,3/0,3/0"


@proves("3.revive-exhausted")
def test_without_an_exhausted_die_there_is_nothing_to_revive() -> None:
    """3: it needs an exhausted die of the player itself."""
    assert others(scene(3, "A", FOUR, public=("R1 R2",), exhausted=(0, 2))) == {"recover"}


@proves("3.pay-once", "3.remains-A")
@pytest.mark.parametrize(("remains", "flipped"), [("R1", "-,-,-"), ("R1 R2", "R2,-,-"), ("R1 R2 R3", "R2,-,-")])
def test_two_unflipped_remains_are_needed(remains: str, flipped: str) -> None:
    """3: flipped ones pay no more."""
    assert others(scene(3, "A", FOUR, public=(remains,), exhausted=(1,), flipped=flipped)) == {"recover"}


@proves("3.remains-A", "3.revive-turn")
def test_four_remains_revive_two_dice_on_one_turn() -> None:
    """3: as often as it can be paid."""
    game = scene(2, "A", THREE, public=("R1 R2 R3 R4",), exhausted=(3,))
    assert game.legal() == ("recover", "revive"), "no die is ready, so nothing can be placed"
    play_all(game, "revive", "revive")
    assert (field(game, "dice"), field(game, "flipped"), unflipped(game, 0)) == ("2/1,3/0", "R4,-", "")
    play_all(game, "place 0 1x1", "place 1 1x1")
    assert (game.to_move, field(game, "dice")) == (1, "0/1,3/0")


@proves("3.revive-turn", "7.increasing")
def test_a_die_is_revived_before_the_first_placement() -> None:
    """3, R10: not once a die was placed."""
    game = play(scene(3, "A", FOUR, public=("R1 R2",), exhausted=(1,)), "place 0 1x1")
    assert others(game) == {"done"}
    with pytest.raises(IllegalActionError):
        game.play("revive")


@proves("3.revive-turn", "2.II.lights-out-one", "2.II.second-turn")
def test_a_die_is_revived_on_the_lights_out_turn() -> None:
    """3: also there, and the revived die can be placed with the others on one card."""
    game = scene(3, "A", FOUR, turn=2, leader=1, public=("R1 R2",), exhausted=(1,))
    assert others(game) == {"recover", "revive"}
    play_all(game, "revive", "place 0 3x1")
    assert (game.round, field(game, "public")) == (3, "R1R2T4,-,-")
    game = scene(2, "A", THREE, turn=2, table="0:2x1,.,.", public=("R1 R2",), exhausted=(1,))
    assert game.legal() == ("recover", "revive")
    play_all(game, "revive", "place 1 1x1")
    assert (game.round, field(game, "public"), field(game, "dice")) == (3, "I2R1R2T4,-", "3/0,3/0")


@proves("3.remains-B", "3.remains-A")
def test_side_b_revives_nothing() -> None:
    """3: Remains B only scores."""
    assert others(scene(3, "AAAABA", FOUR, public=("R1 R2 R3 R4",), exhausted=(1,))) == {"recover"}


@proves("3.flip-order", "R9", "3.flip-one-value", "3.flipped-public")
def test_reviving_flips_known_remains_first() -> None:
    """R9: the public one and a hidden one that the player names; the other hidden one stays hidden."""
    game = scene(2, "A", THREE, public=("R1",), hidden="R4:0 R2:0", exhausted=(1,))
    play_all(game, "revive", "flip 4")
    assert (field(game, "public"), field(game, "downs")) == ("R1R4,-", "f+0,0+0,c")
    assert (known(game, 1, 0), unknown(game, 1, 0)) == ("R1 R4", "R")


@proves("3.revive-end", "4.score", "R10")
def test_at_the_end_remains_revive_dice_by_themselves() -> None:
    """3: as long as it can be: five Remains revive two of three dice, each worth a coin."""
    game = scene(3, "A", FOUR, turn=2, leader=1, last=True, public=("R1 R2 R2 R3 R3",))
    play(game, "place 0 3x6", (1, 1, 1))
    assert game.is_over
    assert (field(game, "dice"), field(game, "flipped")) == ("2/1,3/0,3/0", "R4,-,-")
    assert game.sheets()[0].dice == 2
    assert game.outcome().scores == (1 + 2 + 2 + 3 + 3 + 4 + 5 + 2, 3, 3)


@proves("3.revive-end")
def test_at_the_end_no_more_dice_are_revived_than_are_exhausted() -> None:
    """3: the Remains that are not needed stay face-down."""
    game = scene(3, "A", FOUR, turn=2, leader=1, last=True, public=("R1 R2 R2 R3",))
    play(game, "place 0 2x6", (1, 6))
    assert (field(game, "dice"), field(game, "flipped")) == ("3/0,3/0,3/0", "R2,-,-")


@proves("3.revive-end")
def test_remains_collected_in_the_last_round_count_at_the_end() -> None:
    """3: after Collect."""
    game = scene(3, "A", "T4 R2 J1 M1", turn=2, leader=1, last=True, public=("R1",))
    play(game, "place 1 1x6", (5,))
    assert (field(game, "dice"), field(game, "flipped")) == ("3/0,3/0,3/0", "R2,-,-")


@proves("3.revive-end", "3.remains-B")
def test_nothing_is_revived_by_itself_before_the_end_or_on_side_b() -> None:
    """3: in an earlier round it is the player's decision."""
    game = play(scene(3, "A", FOUR, turn=2, leader=1, public=("R1 R2 R3",)), "place 0 1x6", (1,))
    assert (field(game, "dice"), field(game, "flipped")) == ("2/1,3/0,3/0", "-,-,-")
    game = play(scene(3, "B", FOUR, turn=2, leader=1, last=True, public=("R1 R2 R3",)), "place 0 1x6", (1,))
    assert (field(game, "dice"), field(game, "flipped")) == ("2/1,3/0,3/0", "-,-,-")


@proves("3.revive-end", "4.tie-roll")
def test_dice_revived_at_the_end_roll_in_the_tie_break() -> None:
    """3, 4: they are unexhausted when the tie is broken."""
    game = scene(2, "A", "J4 I2 J1", turn=2, last=True, public=("R1 R2", "M4 I3"))
    play(game, "place 0 1x6", (1,), (1, 2, 3, 6, 6, 6))
    assert game.events[-1] == Tiebreak(((0, (1, 2, 3)), (1, (6, 6, 6))))
    assert (game.outcome().scores, game.outcome().winners) == ((10, 10), (1,))
