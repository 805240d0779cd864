"""Chapter 2.II: placing dice, pushing others off, recovering, the Lights Out turn."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import Game
from crypt_env.errors import IllegalActionError
from crypt_env.rules.actions import EFFORTS
from crypt_env.rules.claim import WAYS
from rules.paragraphs import proves
from rules.scenes import deal, field, others, part, places, play, play_all, scene, slots_open

CRYPT = "T4 I2 R1"
EVERY_WAY = {f"{count}x{effort}" for count in (1, 2, 3) for effort in range(1, 7)}


def on(game: Game, slot: int) -> set[str]:
    """Return the legal ways to place on a slot."""
    return {text[2:] for text in places(game) if int(text[0]) == slot}


@proves("2.II.same-effort", "2.II.unoccupied", "7.place", "7.done-after")
def test_any_number_of_dice_of_any_one_effort_may_claim_an_unoccupied_card() -> None:
    """2.II: one to three dice, all of one value from 1 to 6."""
    game = deal(2, "A", CRYPT)
    assert [on(game, slot) for slot in (0, 1, 2)] == [EVERY_WAY] * 3
    assert others(game) == {"recover"}


@proves("2.II.same-effort")
def test_no_more_dice_are_placed_than_are_ready() -> None:
    """2.II: available dice are those on the Player card."""
    game = scene(2, "A", CRYPT, exhausted=(1,))
    assert on(game, 0) == {f"{count}x{effort}" for count in (1, 2) for effort in range(1, 7)}


@proves("2.II.any-cards", "7.increasing", "7.place", "7.done-auto")
def test_a_claim_spreads_dice_over_several_cards() -> None:
    """2.II: the rulebook's placement of Servants: several cards in one turn, each with its own effort."""
    game = deal(3, "A", "T4 I2 R1 M1")
    play_all(game, "place 0 1x5", "place 1 1x2", "place 3 1x1")
    assert (game.to_move, field(game, "crypt"), field(game, "dice")) == (1, "0:1x5,0:1x2,.,0:1x1", "0/0,3/0,3/0")


@proves("2.II.same-effort", "2.II.any-cards")
def test_several_dice_of_one_effort_on_one_card() -> None:
    """2.II: the rulebook's placement of Servants: two dice on the same card show the same value."""
    game = play_all(deal(2, "A", CRYPT), "place 1 2x3", "done")
    assert field(game, "crypt") == ".,0:2x3,."
    assert field(game, "dice") == "1/0,3/0"


@proves("7.increasing", "7.done-after", "2.II.no-own")
def test_slots_are_used_in_increasing_order() -> None:
    """7: after a placement only slots to its right are open, and the Claim can be ended."""
    game = play_all(deal(4, "A", "T4 I2 R1 M1 P1 P2"), "place 2 1x3")
    assert slots_open(game) == {3, 4, 5}
    assert others(game) == {"done"}
    play_all(game, "place 4 1x1")
    assert slots_open(game) == {5}


@proves("2.II.one-thing", "7.recover", "7.done-after")
def test_a_turn_is_either_a_claim_or_a_recovery() -> None:
    """2.II: no recovery after the first die, no end of a Claim before it, and recovering ends the turn."""
    game = scene(2, "A", CRYPT, exhausted=(1,))
    assert others(game) == {"recover"}
    play(game, "place 0 1x1")
    assert others(game) == {"done"}
    with pytest.raises(IllegalActionError):
        game.play("recover")
    game = play(scene(2, "A", CRYPT, exhausted=(1,)), "recover")
    assert game.to_move == 1


@proves("2.II.strictly", "2.II.total")
def test_a_push_needs_a_strictly_higher_total() -> None:
    """2.II: against two dice of 3 a total of 6 is not enough, 7 is."""
    game = scene(2, "A", CRYPT, turn=1, table="0:2x3,.,.")
    assert on(game, 0) == {"2x4", "2x5", "2x6", "3x3", "3x4", "3x5", "3x6"}
    assert on(game, 1) == EVERY_WAY


@proves("2.II.strictly", "2.II.total")
def test_nothing_pushes_the_highest_total() -> None:
    """2.II: 18 stays; 17 does not exist, 15 is pushed by 18 alone."""
    game = scene(3, "A", "T4 I2 R1 M1", turn=2, table="0:3x6,1:3x5,.,.")
    assert on(game, 0) == set()
    assert on(game, 1) == {"3x6"}


@proves("2.II.push-at-once")
def test_pushed_dice_return_at_once() -> None:
    """2.II: to the owner's Player card, ready, not exhausted."""
    game = play(scene(3, "A", "T4 I2 R1 M1", turn=1, table="0:2x3,.,.,0:1x1"), "place 0 2x4")
    assert (field(game, "crypt"), field(game, "dice")) == ("1:2x4,.,.,0:1x1", "2/0,1/0,3/0")


@proves("2.II.push-at-once", "2.II.second-turn")
def test_the_leader_of_two_uses_pushed_dice_on_its_second_turn() -> None:
    """2.II: they are available again, for the very card they were pushed from."""
    game = play_all(deal(2, "A", CRYPT), "place 0 2x3", "place 2 1x1", "place 0 3x4")
    assert (game.to_move, field(game, "dice")) == (0, "2/0,0/0")
    assert places(game) == {f"1 {way}" for way in EVERY_WAY if way[0] != "3"}
    play(game, "place 1 2x6", (3, 3, 3), (6, 6))
    assert field(game, "public") == "I2,T4"


@proves("2.II.push-at-once", "2.II.strictly", "2.II.second-turn")
def test_the_leader_of_two_pushes_back_with_pushed_dice() -> None:
    """2.II: also against the one who pushed them."""
    game = play_all(deal(2, "A", CRYPT), "place 0 3x1", "place 0 1x4", "done")
    assert field(game, "dice") == "3/0,2/0"
    assert on(game, 0) == EVERY_WAY - {"1x1", "1x2", "1x3", "1x4", "2x1", "2x2", "3x1"}
    play(game, "place 0 1x5", (5,))
    assert (field(game, "public"), field(game, "dice")) == ("T4,-", "3/0,3/0")


@proves("2.II.strictly", "2.II.push-at-once")
def test_one_claim_pushes_several_opponents() -> None:
    """2.II: a card can be taken from any opponent, several in one turn."""
    game = scene(4, "A", "T4 I2 R1 M1 P1 P2", turn=3, table="0:1x2,1:2x1,2:1x6,.,.,.")
    assert on(game, 0) == EVERY_WAY - {"1x1", "1x2", "2x1"}
    game = scene(4, "A", "T4 I2 R1 M1 P1 P2", turn=2, table="0:1x2,1:2x1,.,.,.,.")
    play_all(game, "place 0 1x3", "place 1 1x3", "done")
    assert field(game, "dice") == "3/0,3/0,1/0,3/0"


@proves("2.II.no-own", "R4")
def test_own_dice_are_not_added_to_or_replaced() -> None:
    """2.II, R4: on its second turn the Leader of two finds its own card closed."""
    game = scene(2, "A", CRYPT, turn=2, table="0:1x1,1:1x1,.")
    assert slots_open(game) == {1, 2}


@proves("2.II.lights-out-one", "7.done-lights-out")
def test_only_one_card_is_claimed_on_lights_out() -> None:
    """2.II, 7: after one placement the turn ends by itself, though dice and cards are left."""
    game = scene(3, "A", "T4 I2 R1 M1", turn=2)
    assert slots_open(game) == {0, 1, 2, 3}
    play(game, "place 0 1x1")
    assert (game.round, game.to_move, field(game, "public")) == (2, 1, "-,-,T4")


@proves("2.II.lights-out-one", "2.II.second-turn")
def test_the_second_turn_of_two_is_lights_out() -> None:
    """2.II: one card on top of what the first turn claimed."""
    game = play_all(deal(2, "A", CRYPT), "place 0 1x1", "done", "recover")
    assert (game.to_move, part(game, 0, "lights_out")) == (0, [1])
    play(game, "place 1 2x1")
    assert (game.round, field(game, "public")) == (2, "I2T4,-")


@proves("2.II.lights-out-one", "2.II.same-effort")
def test_several_dice_may_go_on_the_one_card() -> None:
    """2.II: Lights Out limits cards, not dice."""
    game = scene(4, "A", "T4 I2 R1 M1 P1 P2", turn=3, table="0:2x6,.,.,.,.,.")
    assert on(game, 0) == {"3x5", "3x6"}
    assert on(game, 5) == EVERY_WAY


@proves("2.II.recover-all")
@pytest.mark.parametrize("tired", [1, 2])
def test_recover_takes_all_exhausted_dice_back(tired: int) -> None:
    """2.II: all of them, and only the own ones."""
    game = scene(3, "A", "T4 I2 R1 M1", turn=1, exhausted=(2, tired))
    play(game, "recover")
    assert (game.to_move, field(game, "dice")) == (2, "1/2,3/0,3/0")


@proves("2.II.recover-always", "R5")
def test_recover_is_a_pass_when_nothing_is_exhausted() -> None:
    """2.II, R5: always allowed."""
    game = deal(2, "A", CRYPT)
    assert "recover" in game.legal()
    play(game, "recover")
    assert (game.to_move, field(game, "dice"), field(game, "crypt")) == (1, "3/0,3/0", ".,.,.")


@proves("2.II.recover-always", "R5", "2.II.second-turn")
def test_the_leader_of_two_may_recover_on_either_turn() -> None:
    """2.II: Claim first, recover on the second turn."""
    game = scene(2, "A", CRYPT, exhausted=(1, 0))
    play_all(game, "place 0 2x1", "recover")
    assert game.round == 2, "with no die ready the second turn is a forced recovery"
    assert field(game, "dice") == "3/0,3/0"
    game = scene(2, "A", CRYPT, turn=2, table="0:1x1,.,.", exhausted=(1, 0))
    play(game, "recover")
    assert field(game, "dice") == "3/0,3/0"


@proves("2.II.order")
def test_the_turn_order_is_clockwise_from_the_leader() -> None:
    """2.II: seat + 1."""
    game = scene(4, "A", "T4 I2 R1 M1 P1 P2", leader=2)
    seats = []
    for _ in range(4):
        seats.append(game.to_move)
        play(game, "recover")
    assert seats == [2, 3, 0, 1]
    assert (game.round, game.leader, game.to_move) == (2, 3, 3)


@proves("7.done-auto")
def test_the_quick_check_for_any_placement_agrees_with_the_table_of_all() -> None:
    """7: a turn ends by itself where no placement is left, that is, where all ready dice as sixes are not enough."""
    ready, total, _ = np.indices(WAYS.shape)
    assert (WAYS.any(axis=2) == (total < ready * EFFORTS)[:, :, 0]).all()
