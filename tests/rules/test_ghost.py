"""Chapter 5: the Only Child against the Ghost."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from crypt_env import DRAW, Game, new_arrays
from crypt_env.notation.events import Act, GhostRoll, Roll
from crypt_env.rules.batch import step_rows
from crypt_env.rules.cards import CARDS
from crypt_env.rules.ghost import laid_order
from crypt_env.rules.state import GAME, NEW, NONE
from rules.paragraphs import proves
from rules.scenes import deal, field, known, others, part, play, play_all, scene, slots_open, unseen

CRYPT = "T4 I3 R1"  # lies as T4, I3, the face-down R1
PEEK = "AABAAA"
"""Manuscript B: with one in hand the game stops after the last turn of the Claim, so that the dice can be seen."""


def first_turn() -> Game:
    """Return an odd round before the Ghost's turn; a Manuscript makes sure that the player is asked after it."""
    return scene(1, PEEK, CRYPT, round_number=3, public=("M2",))


def second_turn(table: str, **fields: object) -> Game:
    """Return an even round in which the player moves between the Ghost's two turns and a window follows them."""
    return scene(1, PEEK, CRYPT, round_number=4, turn=1, table=table, public=("M2",), **fields)


# -- the Crypt --------------------------------------------------------------------------------------------------------


@proves("5.arranged", "5.down-2.5", "5.equal-left")
@pytest.mark.parametrize(
    ("drawn", "lies"),
    [
        ("T1 I4 R4", "I4 R? T1"),
        ("T4 I1 R1", "T4 R? I1"),
        ("T2 I3 R4", "I3 R? T2"),
        ("T1 I2 R4", "R? I2 T1"),
        ("T3 I4 R1", "I4 T3 R?"),
        ("T3 I3 R1", "T3 I3 R?"),
        ("I3 T3 R1", "I3 T3 R?"),
        ("T2 I2 R4", "R? T2 I2"),
        ("I2 T2 R4", "R? I2 T2"),
    ],
)
def test_the_crypt_is_arranged_by_value(drawn: str, lies: str) -> None:
    """5.I: the rulebook's solo Crypt: highest first, the face-down card as 2.5, of equals the first drawn goes left."""
    game = deal(1, "A", drawn)
    kinds = ["IJMPRT"[row.index(1)] for row in part(game, 0, "slot_type")[:3]]
    values = [str(value) if value else "?" for value in part(game, 0, "slot_value")[:3]]
    assert " ".join(kind + value for kind, value in zip(kinds, values, strict=True)) == lies


@proves("5.arranged")
def test_the_engine_lays_every_crypt_as_laid_order_says() -> None:
    """All ways to draw two face-up cards and a face-down one, from the deck of one player."""
    drawn = np.array(list(permutations(range(CARDS), 3)), np.int8)
    games = np.zeros(len(drawn), GAME)
    games["players"], games["phase"], games["mover"] = 1, NEW, NONE
    games["table_rule"], games["leader_rule"], games["deck_given"] = 0, 0, 1
    rest = np.array([[card for card in range(CARDS) if card not in top] for top in drawn.tolist()], np.int8)
    games["deck"] = NONE
    games["deck"][:, :CARDS] = np.hstack([drawn, rest])
    step_rows(games.view(np.uint8), 0, len(games), *new_arrays(len(games)), np.full(len(games), DRAW))
    order = laid_order(drawn, np.broadcast_to([False, False, True], drawn.shape), 3)
    assert (games["round_number"] == 0).all()
    assert (games["card"][:, :3] == np.take_along_axis(drawn, order, axis=1)).all()
    assert (games["down"][:, :3] == np.where(order == 2, 0, NONE)).all()


@proves("5.arranged")
def test_slots_are_numbered_as_the_cards_lie() -> None:
    """5.I: slot 0 is the card of most value, whenever it was drawn."""
    for slot, card in enumerate(["I4", "R4", "T1"]):
        game = scene(1, "A", "T1 I4 R4", round_number=3, turn=2)
        play(game, f"place {slot} 1x1", (1, 2, 3))
        assert known(game, 0, 0) == card


# -- turns ------------------------------------------------------------------------------------------------------------


@proves("5.start", "5.odd", "5.even", "5.ghost-three", "5.second-nothing", "5.never-exhausted")
def test_player_and_ghost_take_turns() -> None:
    """5: odd rounds player, Ghost, player; even rounds Ghost, player, Ghost, which does nothing if none was pushed."""
    game = deal(1, "A", CRYPT)
    assert (game.leader, game.to_move) == (0, 0)
    play(game, "recover", (1, 2, 3))
    assert (game.round, part(game, 0, "lights_out")) == (1, [1])
    play(game, "recover", (4, 5, 6))
    assert (game.round, game.leader, part(game, 0, "lights_out")) == (2, 1, [0])
    play(game, "recover")
    assert (game.round, game.leader, part(game, 0, "lights_out")) == (3, 0, [0])
    play(game, "recover", (2, 2, 2))
    play(game, "recover", (5, 5, 5))
    assert (game.round, game.leader) == (4, 1)
    kinds = [type(event) for event in game.events]
    assert kinds == [Act, GhostRoll, Act, GhostRoll, Act, Act, GhostRoll, Act, GhostRoll]


@proves("5.odd", "2.II.lights-out-one")
def test_the_player_claims_one_card_on_its_second_turn() -> None:
    """5: it is the Lights Out turn of the odd round."""
    game = scene(1, "A", CRYPT, round_number=3, turn=2, table="1:3x1,.,.")
    play(game, "place 1 1x1", (1, 2, 3))
    assert (game.round, known(game, 0, 0)) == (4, "I3")


@proves("5.even", "2.II.any-cards")
def test_the_player_claims_several_cards_between_the_ghosts_turns() -> None:
    """5: in an even round its only turn is not the Lights Out turn."""
    game = second_turn(".,.,1:3x1")
    play_all(game, "place 0 1x1", "place 1 1x1", "done")
    assert (field(game, "phase"), field(game, "crypt")) == ("after", "0:1x1,0:1x1,1:3x1")


# -- the Ghost's turn -------------------------------------------------------------------------------------------------


@proves("5.groups", "5.group-worth", "5.group-more-dice", "5.leftmost", "5.ghost-three")
@pytest.mark.parametrize(
    ("dice", "crypt"),
    [
        ((6, 5, 4), "1:1x6,1:1x5,1:1x4"),
        ((1, 3, 2), "1:1x3,1:1x2,1:1x1"),
        ((3, 6, 3), "1:2x3,1:1x6,."),
        ((4, 2, 2), "1:2x2,1:1x4,."),
        ((1, 2, 1), "1:2x1,1:1x2,."),
        ((1, 1, 3), "1:1x3,1:2x1,."),
        ((2, 5, 2), "1:1x5,1:2x2,."),
        ((5, 6, 5), "1:2x5,1:1x6,."),
        ((2, 2, 2), "1:3x2,.,."),
    ],
)
def test_equal_dice_are_joined_and_the_best_group_goes_first(dice: tuple[int, ...], crypt: str) -> None:
    """5.II: two 3s go before one 6, for any order of the roll."""
    game = play(deal(1, "A", CRYPT), "recover", dice)
    assert game.events[-1] == GhostRoll(dice)
    assert field(game, "crypt") == crypt


@proves("5.groups", "5.ghost-strictly", "5.leftmost", "5.ghost-pushes")
def test_the_ghosts_roll_of_the_rulebook() -> None:
    """5.II: its 3s are joined and push out the 5; its 4 cannot push out the 4, so it pushes out the 2."""
    game = deal(1, "A", CRYPT)
    play_all(game, "place 0 1x5", "place 1 1x4")
    play(game, "place 2 1x2", (3, 4, 3))
    assert field(game, "crypt") == "1:2x3,0:1x4,1:1x4"
    assert field(game, "dice") == "2/0,0/0"


@proves("5.ghost-strictly", "5.leftmost")
def test_an_equal_total_does_not_push() -> None:
    """5.II: the group goes to the next card."""
    game = first_turn()
    play(game, "place 0 3x2", (6, 1, 1))
    assert field(game, "crypt") == "0:3x2,1:1x6,1:2x1"


@proves("5.leftmost")
def test_the_leftmost_card_is_pushed_though_another_is_free() -> None:
    """5.II: the Ghost looks at the highest-ranked card first, occupied or not."""
    game = play_all(deal(1, "A", CRYPT), "place 1 1x1")
    play(game, "done", (5, 5, 4))
    assert field(game, "crypt") == "1:2x5,1:1x4,."
    assert field(game, "dice") == "3/0,0/0"


@proves("5.ghost-pushes", "2.II.push-at-once", "5.odd")
def test_pushed_dice_are_ready_on_the_players_second_turn() -> None:
    """5.II: they return at once."""
    game = play(deal(1, "A", CRYPT), "place 0 3x1", (6, 5, 4))
    assert field(game, "dice") == "3/0,0/0"
    assert "place 0 3x6" in game.legal()


@proves("5.aside")
def test_a_group_that_fits_nowhere_is_set_aside() -> None:
    """5.II: after 10 has pushed the first 6, a 6 beats none of the others."""
    game = play_all(first_turn(), "place 0 1x6", "place 1 1x6")
    play(game, "place 2 1x6", (5, 6, 5))
    assert (field(game, "crypt"), field(game, "dice")) == ("1:2x5,0:1x6,0:1x6", "1/0,1/0")
    game = play_all(first_turn(), "place 0 1x6", "place 1 1x6")
    play(game, "place 2 1x6", (4, 4, 6))
    assert (field(game, "crypt"), field(game, "dice")) == ("1:2x4,0:1x6,0:1x6", "1/0,1/0")
    game = play_all(first_turn(), "place 0 1x6", "place 1 1x6")
    play(game, "place 2 1x6", (1, 2, 6))
    assert (field(game, "crypt"), field(game, "dice")) == ("0:1x6,0:1x6,0:1x6", "0/0,3/0")


@proves("5.aside", "7.forced", "7.asked")
def test_a_player_without_dice_has_no_second_decision() -> None:
    """5, 7: the Ghost pushed nothing, all three dice lie on cards: the second turn is a forced recovery."""
    game = play_all(deal(1, "A", "T4 P3 R1"), "place 0 1x6", "place 1 1x5")
    play(game, "place 2 1x4", (1, 2, 4), (1,), (1,), (1,), (4, 5, 6))
    assert (game.round, field(game, "dice")) == (3, "3/0,3/0"), "so was its only turn of round 2"


# -- Lights Out -------------------------------------------------------------------------------------------------------


@proves("5.second-pushed", "5.no-self")
def test_the_ghost_rolls_the_pushed_die_and_skips_its_own_cards() -> None:
    """5.II: a 6 does not displace its own 2 on the left but pushes the player off the next card."""
    game = play_all(second_turn("1:1x2,1:1x1,1:1x1"), "place 1 1x3")
    assert field(game, "pushed") == "1"
    play(game, "done", (6,))
    assert (field(game, "phase"), field(game, "crypt")) == ("after", "1:1x2,1:1x6,1:1x1")
    assert field(game, "dice") == "3/0,0/0"


@proves("5.no-self")
def test_the_ghost_does_not_join_its_own_dice() -> None:
    """5.II: with only its own cards below the roll, the die finds no place."""
    game = play_all(second_turn("1:1x1,1:1x2,1:1x1"), "place 0 1x6")
    play(game, "done", (6,))
    assert field(game, "crypt") == "0:1x6,1:1x2,1:1x1"


@proves("5.second-first", "5.even", "5.group-worth")
def test_on_lights_out_only_the_first_group_is_placed() -> None:
    """5.II: the 5 takes the first card; the 4 would beat the 2 on the second card but stays off."""
    game = play_all(second_turn("1:1x1,1:1x1,1:1x1"), "place 0 1x2", "place 1 1x2")
    play(game, "done", (4, 5))
    assert game.events[-1] == GhostRoll((4, 5))
    assert field(game, "crypt") == "1:1x5,0:1x2,1:1x1"


@proves("5.second-first")
def test_on_lights_out_the_second_group_does_not_take_a_free_card_either() -> None:
    """5.II: even with an unoccupied card at hand."""
    game = play_all(second_turn("1:2x1,1:1x1,."), "place 0 1x3", "place 1 1x2")
    play(game, "done", (6, 4, 5))
    assert field(game, "crypt") == "1:1x6,0:1x2,."


@proves("5.second-groups", "5.group-more-dice")
@pytest.mark.parametrize(
    ("dice", "crypt"),
    [((4, 4), "1:2x4,0:1x2,1:1x1"), ((3, 3), "1:2x3,0:1x2,1:1x1"), ((1, 1), "0:1x5,0:1x2,1:1x1")],
)
def test_on_lights_out_equal_dice_are_joined(dice: tuple[int, ...], crypt: str) -> None:
    """5.II: two 3s are worth 6 and beat the 5; two 1s beat neither the 5 nor, worth 2, the 2."""
    game = play_all(second_turn("1:1x1,1:1x1,1:1x1"), "place 0 1x5", "place 1 1x2")
    play(game, "done", dice)
    assert field(game, "crypt") == crypt


@proves("5.second-groups", "5.group-more-dice", "5.second-first")
def test_on_lights_out_a_pair_goes_before_a_single_die_of_equal_worth() -> None:
    """5.II: of two 3s and a 6 the pair is placed, and nothing else."""
    game = second_turn("1:1x1,1:1x1,1:1x1")
    play_all(game, "place 0 1x5", "place 1 1x5")
    play(game, "place 2 1x6", (3, 6, 3), (5,), (6,))
    assert known(game, 0, 0) == "I3 M2 R1", "the first card went to the Ghost, the two others were not pushed"


@proves("5.second-nowhere")
def test_on_lights_out_a_group_that_fits_nowhere_is_not_placed() -> None:
    """5.II: 18 stays, and the other cards are its own."""
    game = second_turn("1:1x1,1:1x1,1:1x1")
    play(game, "place 0 3x6", (6,))
    assert field(game, "crypt") == "0:3x6,1:1x1,1:1x1"


@proves("5.second-nothing")
def test_on_lights_out_nothing_is_rolled_if_nothing_was_pushed() -> None:
    """5.II: though a free card is there."""
    game = play_all(second_turn("1:2x6,1:1x6,."), "recover")
    assert (field(game, "phase"), field(game, "crypt")) == ("after", "1:2x6,1:1x6,.")


@proves("5.second-pushed", "5.aside")
def test_dice_set_aside_are_not_rolled_again() -> None:
    """5.II: a gap left no room for the 4; only the pushed die is rolled."""
    game = scene(1, "AAABAA", "T2 I1 R4", phase="before", turn=1, round_number=4, public=("P1 P2",))
    play(game, "take 0", (6, 5, 4))
    assert (field(game, "crypt"), field(game, "dice")) == ("-,1:1x6,1:1x5", "3/0,1/0")
    play(game, "place 2 2x3", (6,), (3, 2))
    assert game.events[-2:] == (GhostRoll((6,)), Roll(0, 2, 3, (3, 2)))
    assert known(game, 0, 0) == "I1 P1 P2 R4"


@proves("5.odd-push", "5.odd")
def test_the_player_pushes_the_ghost_on_its_second_turn_unanswered() -> None:
    """5.II: in an odd round no turn of the Ghost follows: after the claim the player's own die is rolled."""
    game = scene(1, PEEK, CRYPT, round_number=3, turn=2, table="1:2x3,1:1x4,.", public=("M2",))
    play(game, "place 0 2x4")
    assert (field(game, "phase"), field(game, "crypt")) == ("after", "0:2x4,1:1x4,.")
    play(game, "done", (4, 3), (1, 2, 3))
    assert game.events[-2:] == (Roll(0, 0, 4, (4, 3)), GhostRoll((1, 2, 3)))
    assert (known(game, 0, 0), field(game, "dice")) == ("M2 T4", "2/1,0/0")


# -- Collect ----------------------------------------------------------------------------------------------------------


@proves("5.never-exhausted", "5.discards")
def test_the_ghosts_dice_are_not_rolled_at_collect() -> None:
    """5.III: no roll though it holds three cards with effort 6, and three dice in the next round."""
    game = scene(1, "A", CRYPT, round_number=3, turn=2, table="1:1x6,1:1x6,1:1x6")
    play(game, "recover", (4, 4, 4))
    assert [type(event) for event in game.events] == [Act, GhostRoll]
    assert field(game, "dice") == "3/0,0/0"


@proves("5.discards", "5.discard-unknown", "6.pool")
def test_what_the_ghost_holds_is_discarded_and_a_face_down_card_stays_unknown() -> None:
    """5.III: the face-up card is known to be gone, the face-down one is not."""
    game = scene(1, "A", CRYPT, round_number=4, turn=1, table="1:1x6,.,1:2x1")
    play(game, "place 1 3x1")
    assert (game.round, known(game, 0, 0), field(game, "downs")) == (5, "I3", "x,x,x,x,c")
    left = unseen(game, 0).split()
    assert ("T4" in left, "I3" in left, "R1" in left) == (False, False, True)
    assert others(game) == {"recover"}


@proves("5.discard-peeked", "6.private", "3.peek-all", "6.discards-known")
def test_a_peeked_card_that_the_ghost_holds_is_known_and_gone() -> None:
    """5.III, 6: discarded anyway."""
    game = play_all(second_turn("1:1x6,.,1:2x1"), "peek", "recover")
    assert (game.round, field(game, "downs"), known(game, 0, 0)) == (5, "x,x,x,x+0,c", "M2")
    assert "R1" not in unseen(game, 0).split()
    assert (part(game, 0, "hidden_discarded")[3], part(game, 0, "hidden_value")[3]) == (1, 1)


@proves("2.III.pushed-out", "5.ghost-pushes", "R6")
def test_a_player_whom_the_ghost_pushed_out_recovers() -> None:
    """2.III.1, 5: two-player rules otherwise."""
    game = second_turn("1:1x1,1:1x1,1:1x1", exhausted=(2,))
    play(game, "place 0 1x2", (6,))
    assert field(game, "dice") == "1/2,0/0"
    play(game, "done")
    assert (game.round, field(game, "dice")) == (5, "3/0,3/0")


@proves("7.solo-windows", "2.III.reroll-order", "3.idol-A")
@pytest.mark.parametrize(("number", "turn"), [(3, 2), (4, 1)])
def test_the_only_child_rerolls_in_rounds_of_either_kind(number: int, turn: int) -> None:
    """7: the Collect window skips the Ghost."""
    game = scene(1, "A", CRYPT, round_number=number, turn=turn, table="1:3x1,.,.", public=("I1",))
    play(game, "place 1 3x6", (6, 6, 5))
    assert (field(game, "phase"), game.to_move, game.legal()) == ("collect", 0, ("done", "reroll 6"))


@proves("2.II.strictly", "5.start")
def test_the_player_pushes_the_ghost_only_with_more() -> None:
    """5: two-player rules: strictly higher, own cards closed."""
    game = scene(1, "A", CRYPT, round_number=3, turn=2, table="1:2x6,0:1x1,1:1x6")
    assert slots_open(game) == {2}
    assert {text for text in game.legal() if text.startswith("place")} == {"place 2 2x4", "place 2 2x5", "place 2 2x6"}
