"""Chapter 7: who is asked for what, what is played for a player, and the text forms of the actions."""

from __future__ import annotations

import re

import pytest

from crypt_env import Game
from crypt_env.errors import IllegalActionError
from crypt_env.notation.events import Act
from crypt_env.rules.actions import ACTIONS
from rules.paragraphs import proves
from rules.scenes import deal, field, others, places, play, play_all, scene

FOUR = "T4 P2 R1 M1"
THREE = "T4 P2 R1"
FORMS = re.compile(r"place [0-5] [1-3]x[1-6]|done|recover|peek|revive|take [0-5]|reroll [2-6]|flip [1-4]")


@proves("7.asked", "7.forced", "R12", "7.place", "7.take", "7.reroll")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("collectors", ["A", "B", "AABBAB"])
def test_only_decisions_with_a_choice_are_asked(players: int, collectors: str) -> None:
    """7, R12: whole games: at least two legal actions at every decision, all in the known forms."""
    game = Game(players, collectors, seed=23)
    while not game.is_over:
        assert len(game.legal()) >= 2, game.text()
        game.play(game.random_action())
    acts = [event for event in game.events if isinstance(event, Act)]
    assert acts
    for act in acts:
        assert act.text in act.legal
        assert len(set(act.legal)) == len(act.legal) >= 2
        assert all(FORMS.fullmatch(text) for text in act.legal)


@proves("7.asked", "2.II.strictly", "3.peek-new", "R12")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_what_is_not_listed_is_refused(players: int) -> None:
    """7: at each decision of the first four rounds every other action is illegal and changes nothing."""
    game = Game(players, "ABBBAA", seed=29)
    while not game.is_over and game.round <= 4:
        listed, before = set(game.legal_actions()), game.text()
        for action in set(range(ACTIONS)) - listed:
            with pytest.raises(IllegalActionError):
                game.play(action)
        assert game.text() == before
        game.play(game.random_action())


@proves("7.forced", "7.asked", "R12", "R5")
def test_a_player_with_nothing_but_recover_is_not_asked() -> None:
    """7, R12: no die is ready, so it recovers by itself and the next player is asked."""
    game = play(scene(3, "A", FOUR, exhausted=(0, 3)), "recover")
    assert (game.to_move, field(game, "dice")) == (2, "3/0,3/0,3/0")
    assert [event.seat for event in game.events] == [0]


@proves("7.forced", "7.asked", "R12")
def test_a_player_that_cannot_beat_any_claim_is_not_asked() -> None:
    """7, R12: dice are ready, but no total is high enough: its one exhausted die comes back."""
    game = scene(4, "A", "T4 P2 R1 M1 P1 P3", turn=2, table="0:1x6,0:1x6,0:1x6,1:1x6,1:1x6,.", exhausted=(0, 1, 0, 2))
    assert (game.to_move, field(game, "dice")) == (2, "0/0,0/1,3/0,1/2")
    play(game, "place 5 1x6", (6,), (6,), (6,), (6,), (6,), (6,))
    assert (game.round, field(game, "dice")) == (2, "3/0,2/1,3/0,3/0")


@proves("7.forced", "R12")
def test_a_whole_row_of_forced_turns_is_played() -> None:
    """7, R12: the two after the Leader have no die, so its decision ends the round."""
    game = play(scene(3, "A", FOUR, exhausted=(0, 3, 3)), "place 0 3x1")
    assert (game.round, game.to_move, field(game, "dice"), len(game.events)) == (2, 1, "3/0,3/0,3/0", 1)


@proves("7.asked", "3.peek-turn", "3.revive-turn", "R10")
def test_a_peek_or_a_revival_is_a_choice_though_nothing_can_be_placed() -> None:
    """7: recover and another legal action are two."""
    game = scene(3, "AABAAA", "T4 P2 R1 M1", exhausted=(3,), public=("M2",))
    assert game.legal() == ("recover", "peek")
    game = scene(3, "A", "T4 P2 J1 M1", exhausted=(3,), public=("R2 R3",))
    assert game.legal() == ("recover", "revive")
    game = scene(3, "AABAAA", "T4 P2 J1 M1", exhausted=(3,), public=("M2 R2 R3",))
    assert game.legal() == ("recover", "peek", "revive")
    play_all(game, "peek")
    assert game.legal() == ("recover", "revive")


@proves("7.forced", "3.peek-turn", "R12")
def test_recover_is_forced_once_the_peek_is_done() -> None:
    """7, R12: after the peek only recover is left, so it is played."""
    game = play(scene(3, "AABAAA", FOUR, exhausted=(3,), public=("M2",)), "peek")
    assert (game.to_move, field(game, "dice")) == (1, "3/0,3/0,3/0")


@proves("7.done-auto", "R12")
@pytest.mark.parametrize(
    ("action", "table", "exhausted"),
    [
        ("place 0 3x1", ".,.,.,.", (0, 0)),
        ("place 3 1x1", ".,.,.,.", (0, 0)),
        ("place 0 1x1", ".,.,.,.", (0, 2)),
        ("place 1 2x1", ".,.,0:1x6,0:2x3", (0, 0)),
    ],
    ids=["no die left", "no slot to the right", "others exhausted", "nothing to beat"],
)
def test_done_is_automatic_when_nothing_more_can_be_placed(action: str, table: str, exhausted: tuple[int, ...]) -> None:
    """7: the next player is asked at once."""
    game = play(scene(3, "A", FOUR, turn=1, table=table, exhausted=exhausted), action)
    assert game.to_move == 2


@proves("7.done-auto", "7.done-after", "2.II.strictly")
def test_done_is_asked_while_any_further_placement_is_legal() -> None:
    """7: one die with effort 6 would beat the 5 on the last card."""
    game = play(scene(3, "A", FOUR, turn=1, table=".,.,0:1x6,0:1x5"), "place 1 2x1")
    assert (game.to_move, game.legal()) == (1, ("place 3 1x6", "done"))


@proves("7.done-lights-out", "R12")
@pytest.mark.parametrize(("players", "crypt", "turn", "seat"), [(2, THREE, 2, 0), (3, FOUR, 2, 2), (1, THREE, 2, 0)])
def test_done_is_automatic_on_lights_out(players: int, crypt: str, turn: int, seat: int) -> None:
    """7: after one placement with dice and cards left."""
    number = 3 if players == 1 else 1
    game = scene(players, "A", crypt, turn=turn, round_number=number)
    assert game.to_move == seat
    play(game, "place 0 1x1", *([(1, 2, 3)] if players == 1 else []))
    assert game.round == number + 1


@proves("7.increasing", "2.II.no-own")
def test_a_slot_to_the_left_is_refused() -> None:
    """7: increasing order, and no slot twice."""
    game = play(deal(3, "A", FOUR), "place 1 1x1")
    assert {text[0] for text in places(game)} == {"2", "3"}
    for text in ("place 0 1x1", "place 1 1x1", "place 1 1x6"):
        with pytest.raises(IllegalActionError, match="illegal action"):
            game.play(text)
    assert field(game, "crypt") == ".,0:1x1,.,."


@proves("7.place")
def test_every_placement_does_what_it_says() -> None:
    """7: C dice of effort V on slot S, for every way and slot of the largest table."""
    for slot in range(6):
        for count in (1, 2, 3):
            for effort in range(1, 7):
                game = play(deal(4, "A", "T4 P2 R1 M1 P1 P3"), f"place {slot} {count}x{effort}")
                crypt = ["."] * 6
                crypt[slot] = f"0:{count}x{effort}"
                assert field(game, "crypt") == ",".join(crypt)
                assert field(game, "dice") == f"{3 - count}/0,3/0,3/0,3/0"


@proves("7.recover", "7.decline")
def test_done_and_recover_belong_to_their_places() -> None:
    """7: no done before a placement, no recover in a window."""
    game = deal(3, "A", FOUR)
    assert others(game) == {"recover"}
    before = scene(3, "AAABAA", FOUR, phase="before", public=("P1 P3",))
    after = scene(3, "AABAAA", FOUR, phase="after", public=("M2",))
    collect = play(scene(3, "A", FOUR, turn=2, leader=1, public=("I1",)), "place 0 1x6", (5,))
    assert before.legal() == ("done", "take 3")
    assert after.legal() == ("done", "peek")
    assert collect.legal() == ("done", "reroll 6")


@proves("7.windows", "7.decline")
def test_a_window_asks_again_until_the_player_declines() -> None:
    """7: in the Collect window a player with three Idols and three failed dice may stop after any of them."""
    game = scene(3, "A", FOUR, turn=2, leader=1, public=("I1 I2 I3",))
    play(game, "place 0 3x4", (1, 2, 3))
    play(game, "reroll 4", (4,))
    assert game.legal() == ("done", "reroll 4")
    play(game, "reroll 4", (1,))
    assert game.legal() == ("done", "reroll 4")
    play(game, "done")
    assert (game.round, field(game, "dice"), field(game, "flipped")) == (3, "1/2,3/0,3/0", "I2,-,-")


@proves("7.windows", "7.forced")
def test_a_window_without_anybody_to_ask_is_passed_over() -> None:
    """7: a table with all three kinds of window and no seat that can use them."""
    game = scene(3, "AABBAA", FOUR, turn=2, leader=1, public=("I1", "M2", "P1"), flipped="I1,M1,-")
    play(game, "place 0 1x4", (4,))
    assert (game.round, field(game, "phase"), game.to_move) == (3, "claim", 2)
