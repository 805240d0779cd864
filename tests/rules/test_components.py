"""Chapter 1, and 2.I and 2.IV: decks, dice, tables, what is revealed and how the torches go round."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from crypt_env import Game
from rules.paragraphs import proves
from rules.scenes import (
    ALL_CARDS,
    deal,
    deck,
    field,
    full_deck,
    others,
    part,
    pass_on,
    play_all,
    scene,
    unflipped,
    unknown,
    unseen,
)


def turns_of_the_game(game: Game) -> list[tuple[int, ...]]:
    """Return for each round the seats that were asked in the Claim, everybody passing."""
    rounds: dict[int, tuple[int, ...]] = {}
    while not game.is_over:
        rounds[game.round] = rounds.get(game.round, ()) + (game.to_move,)
        pass_on(game)
    assert list(rounds) == list(range(1, len(rounds) + 1))
    return list(rounds.values())


@proves("1.deck-2", "1.deck-3", "1.deck-4", "1.cards", "R1")
@pytest.mark.parametrize(
    ("players", "copies"), [(1, (1, 1, 1, 1)), (2, (1, 1, 1, 1)), (3, (1, 2, 2, 1)), (4, (2, 2, 2, 2))]
)
def test_the_deck_holds_the_copies_of_this_number_of_players(players: int, copies: tuple[int, ...]) -> None:
    """1, R1: second copies of 2s and 3s join with three players, those of 1s and 4s with four."""
    found = Counter(Game(players, seed=5).deck)
    assert found == {f"{kind}{value}": copies[value - 1] for kind in "IJMPRT" for value in (1, 2, 3, 4)}
    assert sum(found.values()) == {1: 24, 2: 24, 3: 36, 4: 48}[players]


@proves("1.deck-3", "R1")
@pytest.mark.parametrize(
    ("players", "out", "into"), [(2, "I1", "I2"), (3, "T2", "T1"), (3, "J3", "J4"), (4, "M4", "M3")]
)
def test_a_deck_with_other_copies_is_refused(players: int, out: str, into: str) -> None:
    """1, R1: no other deck is played with."""
    cards = full_deck(players)
    cards[cards.index(out)] = into
    with pytest.raises(ValueError, match=f"not a deck for {players} players"):
        Game(players, deck=cards)


@proves("1.dice", "5.never-exhausted")
@pytest.mark.parametrize(
    ("players", "dice"), [(1, "3/0,3/0"), (2, "3/0,3/0"), (3, "3/0,3/0,3/0"), (4, "3/0,3/0,3/0,3/0")]
)
def test_everybody_begins_with_three_dice(players: int, dice: str) -> None:
    """1 and 5: three dice for each player, and for the Ghost."""
    assert field(Game(players, "A", 0, seed=2), "dice") == dice


@proves("1.tables", "6.table")
def test_each_collector_lies_on_either_side() -> None:
    """1: 64 tables, and everybody sees the sides."""
    tables = ["".join(sides) for sides in product("AB", repeat=6)]
    assert len(tables) == 64
    for table in tables:
        game = Game(2, table, 0, seed=3)
        assert game.collectors == table
        for seat in (0, 1):
            assert part(game, seat, "sides") == ["AB".index(side) for side in table]


@proves("1.players")
@pytest.mark.parametrize("players", [0, 5, 6, 8])
def test_no_other_number_of_players(players: int) -> None:
    """1 and 8: one to four players; games for more are only named in the rulebook."""
    with pytest.raises(ValueError, match="players"):
        Game(players)


@proves("2.I.reveal-2", "2.I.reveal-3", "2.I.reveal-4", "2.I.last-down", "1.backs", "R2", "6.values", "6.types")
@pytest.mark.parametrize(("players", "values"), [(2, [1, 2, 0]), (3, [1, 2, 3, 0]), (4, [1, 2, 3, 4, 0, 0])])
def test_the_first_cards_lie_face_up_and_the_last_face_down(players: int, values: list[int]) -> None:
    """2.I, R2: everybody sees all types, and the values of the face-up cards alone."""
    start = " ".join(["I1", "J2", "M3", "P4", "R1", "T2"][: len(values)])
    game = deal(players, "A", start)
    for seat in range(players):
        assert part(game, seat, "slot_value")[: len(values)] == values
        assert part(game, seat, "slot_face_down")[: len(values)] == [int(value == 0) for value in values]
        kinds = [row.index(1) for row in part(game, seat, "slot_type") if any(row)]
        assert kinds == list(range(len(values)))


@proves("2.I.reveal-2")
def test_a_solo_crypt_has_two_cards_face_up_and_one_face_down() -> None:
    """2.I: also one player sees two cards of three."""
    game = deal(1, "A", "I4 J3 M1")
    assert part(game, 0, "slot_value") == [4, 3, 0, 0, 0, 0]
    assert part(game, 0, "slot_face_down") == [0, 0, 1, 0, 0, 0]


@proves("2.I.rounds", "2.IV.end")
@pytest.mark.parametrize(("players", "rounds"), [(1, 8), (2, 8), (3, 9), (4, 8)])
def test_the_game_ends_with_the_round_that_emptied_the_deck(players: int, rounds: int) -> None:
    """2.I, 2.IV: 8, 8, 9 and 8 rounds; the last Crypt is played too."""
    game = Game(players, "A", 0, seed=4)
    left = []
    while not game.is_over:
        if game.round > len(left):
            left.append((part(game, 0, "rounds_left")[0], sum(part(game, 0, "deck_types"))))
        pass_on(game)
    cards = len(full_deck(players)) // rounds
    assert left == [(number, number * cards) for number in reversed(range(rounds))]


@proves("2.II.order", "2.II.one-turn", "2.IV.left", "1.torches")
def test_the_torch_goes_round_with_three_players() -> None:
    """2.II, 2.IV: Leader first, clockwise; the next round begins one seat to the left."""
    game = Game(3, "A", 1, seed=5)
    assert turns_of_the_game(game) == [(1, 2, 0), (2, 0, 1), (0, 1, 2)] * 3


@proves("2.II.order", "2.II.one-turn", "2.IV.left")
def test_the_torch_goes_round_with_four_players() -> None:
    """2.II, 2.IV: one turn each, the Leader's right neighbour last."""
    game = Game(4, "A", 2, seed=5)
    assert turns_of_the_game(game) == [(2, 3, 0, 1), (3, 0, 1, 2), (0, 1, 2, 3), (1, 2, 3, 0)] * 2


@proves("2.II.second-turn", "2.IV.left")
def test_the_leader_of_two_players_has_a_second_turn() -> None:
    """2.II: Leader, other, Leader again."""
    game = Game(2, "A", 1, seed=5)
    assert turns_of_the_game(game) == [(1, 0, 1), (0, 1, 0)] * 4


@proves("1.torches", "6.table", "2.II.one-turn", "2.II.second-turn")
@pytest.mark.parametrize(("players", "turns"), [(2, 3), (3, 3), (4, 4)])
def test_lights_out_is_the_last_turn_and_everybody_sees_the_torches(players: int, turns: int) -> None:
    """1, 2.II, 6: only the last turn of a round is Lights Out."""
    game = Game(players, "A", 1, seed=6)
    lights = []
    for _ in range(turns):
        lights.append(part(game, 0, "lights_out")[0])
        for seat in range(players):
            leader = part(game, seat, "leader")
            assert (leader.index(1) + seat) % players == 1
        play_all(game, "recover")
    assert lights == [0] * (turns - 1) + [1]
    assert game.leader == 2 % players


@proves("1.backs-deck", "6.deck")
def test_the_type_of_the_next_card_and_the_types_left_are_public() -> None:
    """1, 6: the top card of the deck shows its back."""
    game = deal(3, "A", "I1 J2 M3 P2 T4 R1 R2 R3")
    for seat in range(3):
        assert part(game, seat, "deck_top") == [0, 0, 0, 0, 0, 1]
        assert part(game, seat, "deck_types") == [5, 5, 5, 5, 6, 6]
    play_all(game, "recover", "recover", "recover")
    for seat in range(3):
        assert part(game, seat, "deck_types") == [5, 5, 5, 5, 3, 5]


@proves("6.deck", "2.IV.end")
def test_nothing_lies_on_an_empty_deck() -> None:
    """6: in the last round there is no top card."""
    game = scene(2, "A", "T4 I2 R1", last=True)
    assert part(game, 0, "deck_top") == [0] * 6
    assert part(game, 0, "deck_types") == [0] * 6


@proves("1.backs", "R2", "6.types")
def test_the_type_of_a_hidden_card_is_known_to_everybody() -> None:
    """R2: in a collection too; only its value is hidden."""
    game = scene(3, "A", "T4 I2 R1 M1", public=("", "P2"), hidden="J3:1 T1:1")
    assert [unknown(game, seat, 1) for seat in (0, 1, 2)] == ["JT", "", "JT"]
    assert unflipped(game, 1) == "JPT"


@proves("6.pool", "2.I.last-down")
def test_the_face_down_card_and_the_deck_share_the_pool_of_unseen_values() -> None:
    """6: what lies face-up leaves the pool, what lies face-down does not."""
    game = deal(2, "A", "I1 J2 M3")
    assert unseen(game, 0).split() == [card for card in ALL_CARDS if card not in ("I1", "J2")]
    assert deck(2, "I1 J2 M3")[:3] == ["I1", "J2", "M3"]
    assert others(game) == {"recover"}
