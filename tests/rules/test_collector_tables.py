"""Chapter 3, the rewards at the end: exact score sheets for each Collector and side over the number of cards held."""

from __future__ import annotations

import pytest

from crypt_env import Game
from crypt_env.notation.outcome import Sheet
from rules.paragraphs import proves
from rules.scenes import play, scene

# The values of up to five cards of one type, and the coins on the first 0 to 5 of them.
FIVE = ("1", "2", "2", "3", "4")
COINS = (0, 1, 3, 5, 8, 12)


def holding(collectors: str, kind: str, count: int, hidden: bool = False) -> Game:
    """Return a game of four in which seat 1 holds this many cards of a type and no other seat holds any card."""
    cards = [kind + value for value in FIVE[:count]]
    crypt = "T4 T3 T2 M1 M2 M3" if kind in "JIPR" else "P4 P3 P2 J1 J2 J3"
    if hidden:
        return scene(4, collectors, crypt, hidden=" ".join(f"{card}:1" for card in cards))
    return scene(4, collectors, crypt, public=("", " ".join(cards)))


def check(game: Game, **bonus: int) -> None:
    """Check that seat 1 has exactly these bonuses on its sheet and the others nothing but their dice."""
    sheets = game.sheets()
    coins = bonus.pop("coins")
    lines = dict.fromkeys(Sheet._fields, 0) | bonus | {"cards": coins, "dice": 3}
    nothing = Sheet(0, 0, 0, 0, 0, 0, 0, 3)
    assert sheets == (nothing, Sheet(**lines), nothing, nothing)
    assert sheets[1].total == coins + sum(bonus.values()) + 3


@proves("3.jewelry-A")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 0), (2, 2), (3, 2), (4, 3), (5, 4)])
def test_jewelry_a_scores_the_highest_twice(count: int, bonus: int, hidden: bool) -> None:
    """3: with two or more, also if it is hidden."""
    check(holding("A", "J", count, hidden), coins=COINS[count], jewelry=bonus)


@proves("3.jewelry-B")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)])
def test_jewelry_b_pays_a_coin_for_each(count: int, bonus: int, hidden: bool) -> None:
    """3: from the first one on."""
    check(holding("B", "J", count, hidden), coins=COINS[count], jewelry=bonus)


@proves("3.jewelry-A")
@pytest.mark.parametrize(
    ("public", "hidden", "bonus"), [("J1 J3", "J4:1", 4), ("J1 J4", "J3:1", 4), ("J2", "J1:1", 2), ("", "J4:1", 0)]
)
def test_jewelry_a_looks_at_public_and_hidden_jewelry(public: str, hidden: str, bonus: int) -> None:
    """3: the highest of them all."""
    game = scene(4, "A", "T4 T3 T2 R1 R2 R3", public=("", public), hidden=hidden)
    assert game.sheets()[1].jewelry == bonus


@proves("3.manuscript-A")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 0), (2, 5), (3, 7), (4, 8), (5, 8)])
def test_manuscript_a_makes_each_worth_four(count: int, bonus: int, hidden: bool) -> None:
    """3: with exactly one nothing changes; with 1 and 2 the two score 8 instead of 3."""
    game = holding("A", "M", count, hidden)
    check(game, coins=COINS[count], manuscript=bonus)
    if count >= 2:
        assert game.sheets()[1].cards + game.sheets()[1].manuscript == 4 * count


@proves("3.manuscript-B")
@pytest.mark.parametrize("count", range(6))
def test_manuscript_b_pays_no_coins(count: int) -> None:
    """3: it is an action."""
    check(holding("B", "M", count), coins=COINS[count])


@proves("3.pottery-A")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 0), (2, 2), (3, 4), (4, 8), (5, 8)])
def test_pottery_a_pays_by_number(count: int, bonus: int, hidden: bool) -> None:
    """3: two 2, three 4, four or more 8."""
    check(holding("A", "P", count, hidden), coins=COINS[count], pottery=bonus)


@proves("3.pottery-A")
@pytest.mark.parametrize(("count", "bonus"), [(6, 8), (7, 8), (8, 8)])
def test_pottery_a_pays_no_more_than_eight(count: int, bonus: int) -> None:
    """3: a second set adds nothing."""
    cards = " ".join(["P1", "P1", "P2", "P2", "P3", "P3", "P4", "P4"][:count])
    game = scene(4, "A", "T4 T3 T2 R1 R2 R3", public=("", cards))
    assert game.sheets()[1].pottery == bonus


@proves("3.pottery-B")
@pytest.mark.parametrize("count", range(6))
def test_pottery_b_pays_no_coins(count: int) -> None:
    """3: it is an action."""
    game = scene(4, "B", "T4 T3 T2 R1 R2 R3", turn=1, public=("", " ".join("P" + value for value in FIVE[:count])))
    check(game, coins=COINS[count])


@proves("3.remains-A")
@pytest.mark.parametrize("count", range(6))
def test_remains_a_pays_no_coins(count: int) -> None:
    """3: it is an action."""
    check(holding("A", "R", count), coins=COINS[count])


@proves("3.remains-B")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 0), (2, 0), (3, 0), (4, 10), (5, 10)])
def test_remains_b_pays_ten_for_four(count: int, bonus: int, hidden: bool) -> None:
    """3: four or more."""
    check(holding("B", "R", count, hidden), coins=COINS[count], remains=bonus)


@proves("3.remains-B")
def test_remains_b_pays_ten_for_eight_too() -> None:
    """3: once."""
    game = scene(4, "B", "T4 T3 T2 P1 P2 P3", public=("", "R1 R1 R2 R2 R3 R3 R4 R4"))
    assert game.sheets()[1] == Sheet(20, 0, 0, 0, 0, 10, 0, 3)


@proves("3.tapestry-A", "3.tapestry-A-one")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 5), (2, 5), (3, 5), (4, 5), (5, 5)])
def test_tapestry_a_pays_five_to_the_only_holder(count: int, bonus: int, hidden: bool) -> None:
    """3: at least one card is needed; with none at all no player has the 5 coins."""
    check(holding("A", "T", count, hidden), coins=COINS[count], tapestry=bonus)


@proves("3.tapestry-A", "3.tapestry-A-tie", "3.tapestry-A-one")
@pytest.mark.parametrize(
    ("public", "hidden", "bonus"),
    [
        (("T4", "T3", "T1 T1", ""), "", (5, 0, 0, 0)),
        (("T4", "T3 T1", "T2 T1", ""), "", (5, 5, 0, 0)),
        (("T4", "T1 T2", "T2 T1", ""), "T3:3 T3:2", (0, 0, 5, 0)),
        (("T3", "T1 T2", "T3", ""), "T2:3 J1:x T1:3", (5, 5, 5, 5)),
        (("", "", "", ""), "", (0, 0, 0, 0)),
    ],
)
def test_tapestry_a_goes_to_the_most_coins(public: tuple[str, ...], hidden: str, bonus: tuple[int, ...]) -> None:
    """3: coins, not cards, hidden ones included; tied players have the full 5 each."""
    game = scene(4, "A", "P4 P3 P2 R1 R2 R3", public=public, hidden=hidden)
    assert tuple(sheet.tapestry for sheet in game.sheets()) == bonus


@proves("3.tapestry-B-only")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("count", "bonus"), [(0, 0), (1, 0), (2, 0), (3, 7), (4, 7), (5, 7)])
def test_tapestry_b_pays_seven_to_the_only_holder_of_three(count: int, bonus: int, hidden: bool) -> None:
    """3: three or more."""
    check(holding("B", "T", count, hidden), coins=COINS[count], tapestry=bonus)


@proves("3.tapestry-B-several", "3.tapestry-B-only")
@pytest.mark.parametrize(
    ("public", "bonus"),
    [
        (("T1 T1 T2", "T4 T4", "T2 T3", ""), (7, 0, 0, 0)),
        (("T1 T1 T2", "T4 T4 T2", "T3 T3", ""), (4, 4, 0, 0)),
        (("T1 T1 T2 T2", "T4 T4", "", "T3 T3"), (7, 0, 0, 0)),
        (("T1 T1 T2", "", "", "T2 T3 T3 T4 T4"), (4, 0, 0, 4)),
    ],
)
def test_tapestry_b_goes_to_all_holders_of_three(public: tuple[str, ...], bonus: tuple[int, ...]) -> None:
    """3: numbers count, not coins; several holders have 4 each."""
    game = scene(4, "B", "P4 P3 P2 R1 R2 R3", public=public)
    assert tuple(sheet.tapestry for sheet in game.sheets()) == bonus


@proves("3.idol-A")
@pytest.mark.parametrize("count", range(6))
def test_idol_a_pays_no_coins(count: int) -> None:
    """3: it is an action."""
    check(holding("A", "I", count), coins=COINS[count])


@proves("3.idol-B-first", "3.idol-B-auto")
@pytest.mark.parametrize(("count", "bonus"), [(1, 0), (2, 5), (3, 5), (4, 5), (5, 5)])
def test_idol_b_pays_five_to_the_first(count: int, bonus: int) -> None:
    """3: played from the round in which the last of these Idols is collected."""
    before = [f"I{value}" for value in FIVE[: count - 1]]
    reached = {} if count <= 2 else {"flipped": "-,I2,-,-", "idols": "1:0,5,0,0"}
    crypt = f"I{FIVE[count - 1]} T3 T2 R1 R2 R3"
    game = scene(4, "B", crypt, turn=3, leader=2, public=("", " ".join(before)), **reached)
    play(game, "place 0 1x1")
    check(game, coins=COINS[count], idol=bonus)


@proves("3.idol-B-later")
@pytest.mark.parametrize(("count", "bonus"), [(1, 0), (2, 2), (3, 2), (4, 2), (5, 2)])
def test_idol_b_pays_two_to_later_ones(count: int, bonus: int) -> None:
    """3: also with more Idols than the first."""
    before = [f"I{value}" for value in FIVE[: count - 1]]
    reached = {"flipped": "I2,-,-,-", "idols": f"1:5,{2 if count > 2 else 0},0,0"}
    crypt = f"I{FIVE[count - 1]} T3 T2 R1 R2 R3"
    game = scene(4, "B", crypt, turn=3, leader=2, public=("I1 I3", " ".join(before)), round_number=4, **reached)
    play(game, "place 0 1x1")
    assert [sheet.idol for sheet in game.sheets()] == [5, bonus, 0, 0]


@proves("3.flipped-count")
def test_flipped_cards_still_score_their_coins() -> None:
    """3: every type that is ever flipped, all cards of it face-up."""
    game = scene(4, "BAAAAA", "J4 J3 J2 J1 J2 J3", public=("I1 I2",), flipped="I2,-,-,-", idols="1:5,0,0,0")
    assert game.sheets()[0] == Sheet(3, 5, 0, 0, 0, 0, 0, 3)
    game = scene(4, "AAABAA", "J4 J3 J2 J1 J2 J3", public=("P1 P2 P3 P4",), flipped="P4,-,-,-")
    assert game.sheets()[0] == Sheet(10, 0, 0, 0, 0, 0, 0, 3)
    game = scene(4, "AABAAA", "J4 J3 J2 J1 J2 J3", public=("M1 M2",), flipped="M2,-,-,-")
    assert game.sheets()[0] == Sheet(3, 0, 0, 0, 0, 0, 0, 3)
    game = scene(4, "A", "J4 J3 J2 J1 J2 J3", public=("R1 R2 R3 I4",), flipped="R2I1,-,-,-")
    assert game.sheets()[0] == Sheet(10, 0, 0, 0, 0, 0, 0, 3)


@proves("3.flipped-count", "3.idol-B-later")
def test_flipped_idols_keep_their_coins() -> None:
    """3: the first holder of two keeps its coins with both Idols flipped, and a later one needs two of its own."""
    flags = {"flipped": "I2,-,-,-", "idols": "1:5,0,0,0"}
    game = scene(4, "B", "I4 T3 T2 R1 R2 R3", turn=3, leader=2, public=("I1 I3", "I2"), **flags)
    play(game, "place 0 1x1")
    assert [sheet.idol for sheet in game.sheets()] == [5, 2, 0, 0]


@proves("3.solo", "3.tapestry-A", "3.tapestry-B-only")
@pytest.mark.parametrize(
    ("sides", "cards", "bonus"), [("A", "T1", 5), ("A", "", 0), ("B", "T1 T2", 0), ("B", "T1 T2 T3", 7)]
)
def test_the_only_child_has_no_rival_for_tapestries(sides: str, cards: str, bonus: int) -> None:
    """3: the Ghost holds nothing."""
    game = scene(1, sides, "J4 J3 J2", public=(cards,), last=True, turn=1, table="1:3x1,.,.")
    assert [sheet.tapestry for sheet in game.sheets()] == [bonus]
