"""Chapter 4: the score, the winner and the tie-break; and the titles of a solo game."""

from __future__ import annotations

import pytest

from crypt_env import Outcome, Reason, Sheet
from crypt_env.notation.events import Tiebreak
from rules.paragraphs import proves
from rules.scenes import field, play, play_all, scene

SIX = "T4 I3 T2 I1 T1 I2"


@proves("4.score", "4.highest", "3.flipped-count")
def test_the_score_adds_cards_rewards_and_unexhausted_dice() -> None:
    """4: all on one sheet, for three players on a mixed table."""
    game = scene(
        3,
        "BAAABB",
        "J4 M4 P4 R4",
        public=("I1 I2 J1 J3 M1 M2", "P1 P2 P3 R1 R2 R2 R3", "T1 T2 T2 I3 I4"),
        hidden="T4:0",
        flipped="I2,-,-",
        idols="3:5,0,2",
        last=True,
        leader=1,
        turn=2,
        table="1:1x1,2:1x1,.,.",
        exhausted=(0, 1, 2),
    )
    play(game, "place 2 2x6", (6, 1))
    sheets = (Sheet(18, 5, 3, 5, 0, 0, 0, 2), Sheet(18, 0, 0, 0, 4, 10, 0, 2), Sheet(16, 2, 0, 0, 0, 0, 7, 1))
    assert game.sheets() == sheets
    assert game.outcome() == Outcome((33, 34, 26), (1,), Reason.MOST_COINS)


@proves("4.score", "2.III.exhaust")
def test_an_exhausted_die_is_worth_nothing() -> None:
    """4: a coin for each die that is not exhausted after the last rolls."""
    game = play(scene(2, "B", "P4 I3 M2", turn=2, last=True, table=".,1:3x4,."), "place 0 1x6", (5,), (3, 4, 3))
    assert [sheet.dice for sheet in game.sheets()] == [2, 1]
    assert game.outcome() == Outcome((6, 4), (0,), Reason.MOST_COINS)


@proves("2.IV.end")
def test_the_game_is_not_over_before_the_last_round_is_complete() -> None:
    """2.IV: the deck is empty as soon as the last Crypt lies there, and that round is played."""
    game = scene(2, "A", "T4 I3 M2", last=True)
    assert (game.is_over, game.outcome()) == (False, None)
    play_all(game, "recover", "recover")
    assert not game.is_over
    play(game, "place 0 1x1")
    assert (game.is_over, game.to_move, game.legal()) == (True, None, ())
    assert game.outcome().scores == (4 + 5 + 3, 3)


@proves("4.tie-roll", "4.tie-scores", "R11")
def test_a_tie_is_broken_by_all_unexhausted_dice() -> None:
    """4: each tied player adds its dice; the scores stay as they are."""
    game = scene(2, "A", "J4 I3 M2", turn=2, last=True, public=("M4", "P4"))
    play(game, "recover", (1, 2, 3, 3, 2, 2))
    rolls = Tiebreak(((0, (1, 2, 3)), (1, (3, 2, 2))))
    assert game.events[-1] == rolls
    assert game.outcome() == Outcome((7, 7), (1,), Reason.TIEBREAK, (rolls,))


@proves("4.tie-again", "4.tie-roll", "R11")
def test_only_those_still_tied_roll_again() -> None:
    """4: three tied, two of them still tied, then one; each time all of their dice."""
    game = scene(4, "A", SIX, turn=3, last=True, public=("P4", "M1", "R4", "J4"))
    play(game, "recover", (6, 6, 5, 6, 6, 4, 5, 6, 6), (1, 1, 1, 1, 2, 1))
    first = Tiebreak(((0, (6, 6, 5)), (2, (6, 6, 4)), (3, (5, 6, 6))))
    second = Tiebreak(((0, (1, 1, 1)), (3, (1, 2, 1))))
    assert game.events[1:] == (first, second)
    assert game.outcome() == Outcome((7, 4, 7, 7), (3,), Reason.TIEBREAK, (first, second))


@proves("4.tie-again", "R11")
def test_the_tie_break_continues_until_one_is_ahead() -> None:
    """4: re-roll ties."""
    game = scene(2, "A", "J4 I3 M2", turn=2, last=True, public=("M4", "P4"))
    play(game, "recover", (1, 2, 3, 3, 2, 1), (6, 6, 6, 6, 6, 6), (2, 2, 2, 1, 1, 1))
    assert len(game.outcome().tiebreak) == 3
    assert game.outcome().winners == (0,)


@proves("4.tie-roll")
def test_more_dice_are_an_advantage_but_the_sum_counts() -> None:
    """4: two dice against three."""
    game = scene(2, "A", "J1 I3 M2", turn=2, last=True, public=("M4", "P4"))
    play(game, "place 0 1x6", (1,), (6, 6, 1, 4, 6))
    assert game.events[-1] == Tiebreak(((0, (6, 6)), (1, (1, 4, 6))))
    assert game.outcome() == Outcome((7, 7), (0,), Reason.TIEBREAK, (game.events[-1],))


@proves("4.tie-none", "R11")
def test_a_tied_player_without_dice_has_none_to_roll() -> None:
    """4: it is listed with no dice and loses against any."""
    game = scene(3, "A", "P4 J2 T1 R1", turn=2, last=True, public=("", "M1"), table="0:3x6,.,.,.")
    assert game.to_move == 2
    play(game, "recover", (1, 1, 1), (1, 1, 1))
    assert game.events[-1] == Tiebreak(((0, ()), (1, (1, 1, 1))))
    assert game.outcome() == Outcome((4, 4, 3), (1,), Reason.TIEBREAK, (game.events[-1],))


@proves("4.tie-none", "4.tie-again")
def test_a_tied_player_without_dice_is_out_after_the_first_roll() -> None:
    """4: of three tied players the two with dice roll again."""
    game = scene(3, "A", "P4 J2 T1 M2", turn=2, last=True, public=("", "M1", "R1"), table="0:3x6,.,.,.")
    play(game, "recover", (1, 1, 1), (2, 2, 2, 1, 1, 4), (1, 1, 1, 1, 1, 2))
    first, second = game.outcome().tiebreak
    assert first == Tiebreak(((0, ()), (1, (2, 2, 2)), (2, (1, 1, 4))))
    assert second == Tiebreak(((1, (1, 1, 1)), (2, (1, 1, 2))))
    assert game.outcome().winners == (2,)


@proves("4.tie-shared", "4.tie-none", "R11")
def test_tied_players_who_all_have_no_die_share_the_win() -> None:
    """4: nothing is rolled, so there is no tie-break event."""
    table = "0:3x6,1:3x6,.,."
    game = scene(3, "A", "P4 J2 T1 M1", turn=2, last=True, public=("", "M2"), table=table)
    play(game, "recover", (1, 2, 3), (3, 2, 1))
    assert not any(isinstance(event, Tiebreak) for event in game.events)
    assert game.outcome() == Outcome((4, 4, 3), (0, 1), Reason.SHARED)
    assert field(game, "winners") == "01"


@proves("4.highest", "4.tie-roll")
def test_a_tie_for_a_lower_place_is_not_broken() -> None:
    """4: only the first place matters."""
    game = scene(3, "A", "P4 J2 T1 M2", turn=2, last=True, public=("I4", "M1", "R1"))
    play(game, "recover")
    assert game.outcome() == Outcome((7, 4, 4), (0,), Reason.MOST_COINS)


@proves("4.tie-roll", "4.score")
def test_a_tie_compares_scores_not_cards() -> None:
    """4: fewer cards and more dice can tie; dice are part of the score."""
    game = scene(3, "B", "P4 J2 T1 M1", turn=2, last=True, public=("I4", "M3", ""), table="0:1x2,.,.,.")
    play(game, "recover", (1,))
    assert game.outcome() == Outcome((10, 6, 3), (0,), Reason.MOST_COINS)
    game = scene(3, "B", "P3 J2 T1 M1", turn=2, last=True, public=("", "M2", ""), table="0:1x2,.,.,.")
    play(game, "recover", (1,), (1, 1, 1, 1, 2))
    assert game.outcome() == Outcome((5, 5, 3), (1,), Reason.TIEBREAK, (game.events[-1],))


IDOLS, MANUSCRIPTS, POTTERY = "I1 I2 I3 I4", "M1 M2 M3 M4", "P1 P2 P3 P4"
FOURTEEN = f"{IDOLS} {MANUSCRIPTS} {POTTERY} R3 R4"


@proves("5.titles", "4.score")
@pytest.mark.parametrize(
    ("public", "hidden", "coins", "title"),
    [
        ("", "", 3, "The Fool"),
        (f"{IDOLS} {MANUSCRIPTS} P1 P2 P3", "", 29, "The Fool"),
        (f"{IDOLS} {MANUSCRIPTS} P3 P4", "", 30, "The Petty"),
        (f"{IDOLS} {MANUSCRIPTS} {POTTERY} R1 R2", "R3:0", 39, "The Petty"),
        (FOURTEEN, "", 40, "The Affluent"),
        (FOURTEEN, "R1:0 R2:0 T4:0 T2:0", 49, "The Affluent"),
        (FOURTEEN, "R1:0 R2:0 T4:0 T3:0", 50, "The Magnificent"),
    ],
)
def test_the_only_child_earns_a_title(public: str, hidden: str, coins: int, title: str) -> None:
    """5: the limits are 30, 40 and 50 coins; the player is the only winner, without a tie-break."""
    table = "1:1x1,1:1x1,1:1x1"
    game = scene(1, "AABBAB", "J1 J2 J3", public=(public,), hidden=hidden, last=True, turn=1, table=table)
    play(game, "recover")
    assert game.outcome() == Outcome((coins,), (0,), Reason(title))
