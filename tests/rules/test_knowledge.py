"""Chapter 6: what is public, who knows which face-down card, and the pool of values that a player has not seen."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crypt_env import Game
from crypt_env.notation.events import Act, GhostRoll, Reroll, Roll, Tiebreak
from rules.paragraphs import proves
from rules.scenes import (
    KINDS,
    deal,
    field,
    full_deck,
    known,
    named,
    others,
    part,
    play,
    play_all,
    scene,
    unknown,
    unseen,
    watchers,
)

PEEK = "AABAAA"
FOUR = "T4 I2 R1 J3"
SIX = "T4 I2 R1 P1 J3 J4"


def same(one: Game, other: Game, viewer: int) -> bool:
    """Return whether a seat sees the same in two games."""
    return bool(np.array_equal(one.observation(viewer), other.observation(viewer)))


# -- public -----------------------------------------------------------------------------------------------------------


@proves("6.dice")
def test_all_dice_and_efforts_are_public() -> None:
    """6: on cards, ready and exhausted, from every seat."""
    game = scene(3, "A", FOUR, turn=2, table="0:2x3,1:1x6,.,.", exhausted=(0, 2, 1))
    for seat in range(3):
        turned = [(seat + place) % 3 for place in range(3)]
        assert part(game, seat, "ready")[:3] == [[1, 0, 2][other] for other in turned]
        assert part(game, seat, "exhausted")[:3] == [[0, 2, 1][other] for other in turned]
        assert (part(game, seat, "slot_dice")[:4], part(game, seat, "slot_effort")[:4]) == ([2, 1, 0, 0], [3, 6, 0, 0])
        holders = [row.index(1) if any(row) else None for row in part(game, seat, "slot_holder")[:4]]
        assert holders == [(0 - seat) % 3, (1 - seat) % 3, None, None]


@proves("6.dice", "3.peek-open")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_log_of_a_game_tells_dice_and_decisions_but_no_cards(players: int) -> None:
    """6: every roll is public, and so is every decision; neither carries a value of a card."""
    game = Game(players, "BABBAB", seed=11)
    while not game.is_over:
        game.play(game.random_action())
    assert {type(event) for event in game.events} <= {Act, Roll, Reroll, GhostRoll, Tiebreak}
    verbs = {event.text.split()[0] for event in game.events if isinstance(event, Act)}
    assert verbs <= {"place", "done", "recover", "peek", "revive", "take", "reroll", "flip"}


@proves("6.types", "1.backs", "R2")
def test_collections_show_their_types_and_their_known_values() -> None:
    """6: everybody knows how many cards of each type everybody has."""
    game = scene(4, "A", SIX, public=("I1 J2", "", "T3 T4"), hidden="M1:0 M3:2 J1:0 P2:2")
    for viewer in range(4):
        for seat, types in ((0, "IJJM"), (1, ""), (2, "MPTT"), (3, "")):
            seen = [card[0] for card in known(game, viewer, seat).split()]
            assert "".join(sorted(seen + list(unknown(game, viewer, seat)))) == types
    assert (known(game, 1, 0), unknown(game, 1, 0)) == ("I1 J2", "JM")
    assert (known(game, 0, 0), unknown(game, 0, 0)) == ("I1 J1 J2 M1", "")


# -- private ----------------------------------------------------------------------------------------------------------


@proves("6.private", "1.backs", "R2", "3.known")
@pytest.mark.parametrize(
    ("hidden", "swapped", "seers"),
    [
        ("M1:1 M3:x", "M3:1 M1:x", {1}),
        ("M1:1+012 M3:x", "M3:1+012 M1:x", {0, 1, 2}),
        ("M1:1+13 M3:x+3", "M3:1+13 M1:x+3", {1, 3}),
        ("M1:1 M3:2", "M3:1 M1:2", {1, 2}),
        ("M1:x M3:x+0", "M3:x M1:x+0", {0}),
    ],
)
def test_hidden_values_are_told_only_to_those_who_saw_them(hidden: str, swapped: str, seers: set[int]) -> None:
    """6: to swap two values of a type changes what exactly those see who have seen one of them."""
    one, other = (scene(4, PEEK, SIX, public=("P2",), hidden=text) for text in (hidden, swapped))
    assert {seat for seat in range(4) if not same(one, other, seat)} == seers


@proves("6.private", "1.backs-deck", "6.deck")
def test_nobody_sees_the_values_in_the_deck() -> None:
    """6: only the type of its top card, and the numbers by type."""
    one = scene(3, "A", FOUR, then="M1 P2 T3 R4 I4")
    other = scene(3, "A", FOUR, then="M3 R4 T3 P2 I4")
    assert all(same(one, other, seat) for seat in range(3))
    third = scene(3, "A", FOUR, then="P2 M1 T3 R4 I4")
    assert not any(same(one, third, seat) for seat in range(3))


@proves("6.private", "2.III.owner-alone")
def test_nobody_sees_the_value_of_the_face_down_card() -> None:
    """6: neither before nor after a seat claims it."""
    games = [deal(3, "A", f"T4 I2 R1 J{value} P1") for value in (1, 4)]
    for _ in range(3):
        assert all(same(*games, seat) for seat in range(3))
        for game in games:
            play(game, {0: "recover", 1: "place 3 1x1", 2: "recover"}[game.to_move])
        if games[0].round == 2:
            break
    assert [same(*games, seat) for seat in range(3)] == [True, False, True]


@proves("3.known", "6.pool")
def test_a_value_worked_out_by_counting_is_not_known() -> None:
    """3, 6: with all other Idols seen the last one is certain, but known means seen: a peek stays legal."""
    game = scene(2, PEEK, "T4 R2 I4", public=("I1 I2 M2", "I3"))
    assert [card for card in unseen(game, 0).split() if card[0] == "I"] == ["I4"]
    assert part(game, 0, "slot_value")[2] == 0
    assert others(game) == {"recover", "peek"}


# -- who has seen what ------------------------------------------------------------------------------------------------


@proves("6.who-knows", "3.peek-open")
def test_who_has_seen_a_card_in_the_crypt_is_public() -> None:
    """6: each face-down card for itself, from every seat, and nothing of face-up cards."""
    game = scene(4, PEEK, SIX, downs="c+02,c+3", public=("M2",))
    for seat in range(4):
        seen_by = part(game, seat, "slot_seen_by")
        assert watchers(game, seat, seen_by[4]) == {0, 2} - {seat}
        assert watchers(game, seat, seen_by[5]) == {3} - {seat}
        assert seen_by[:4] == [[0, 0, 0]] * 4
        assert part(game, seat, "slot_value")[4:] == [3 * (seat in (0, 2)), 4 * (seat == 3)]


@proves("6.who-knows")
def test_who_has_seen_a_hidden_card_stays_public_in_a_collection() -> None:
    """6: its owner, its type and its watchers are public, its value only theirs."""
    game = scene(3, PEEK, FOUR, hidden="M3:1+12 T1:x J1:0", public=("M2",))
    for seat in range(3):
        owners = [(row.index(1) + seat) % 3 if any(row) else None for row in part(game, seat, "hidden_owner")[:4]]
        assert owners == [1, None, 0, None]
        types = ["-IJMPRT"[number] for number in part(game, seat, "hidden_type")[:4]]
        assert types == ["M", "-", "J", "-"]
        values = part(game, seat, "hidden_value")[:4]
        assert values == [3 * (seat in (1, 2)), 0, 1 * (seat == 0), 0]
        assert watchers(game, seat, part(game, seat, "hidden_seen_by")[0]) == {1, 2} - {seat}
        assert watchers(game, seat, part(game, seat, "hidden_seen_by")[2]) == {0} - {seat}


@proves("6.seen-discards", "6.discards-known", "6.who-knows", "6.private")
def test_who_has_seen_a_discarded_card_stays_public() -> None:
    """6: its type and its watchers are public, its value theirs alone."""
    game = scene(4, PEEK, SIX, hidden="T1:x+02 J1:x M3:x+3 R1:1", public=("M2",))
    for seat in range(4):
        assert part(game, seat, "hidden_discarded")[:4] == [1, 0, 1, 0]
        assert ["-IJMPRT"[number] for number in part(game, seat, "hidden_type")[:4]] == ["T", "-", "M", "R"]
        assert part(game, seat, "hidden_value")[:4] == [seat in (0, 2), 0, 3 * (seat == 3), seat == 1]
        seen_by = part(game, seat, "hidden_seen_by")
        assert [watchers(game, seat, seen_by[down]) for down in (0, 1, 2)] == [{0, 2} - {seat}, set(), {3} - {seat}]
        assert not any(any(row) for row in part(game, seat, "hidden_owner")[:3])


@proves("6.seen-discards", "6.discards-known", "3.peek-turn")
def test_a_peeked_card_is_remembered_when_nobody_claims_it() -> None:
    """6: in the rounds after it, too."""
    game = play(scene(3, PEEK, "T4 I2 R1 J1", public=("M2",), then="T2 I3 R4 P1"), "peek")
    play_all(game, "recover", "recover", "recover")
    down = 1
    for _ in range(2):
        assert [part(game, seat, "hidden_value")[down] for seat in range(3)] == [1, 0, 0]
        assert [part(game, seat, "hidden_discarded")[down] for seat in range(3)] == [1, 1, 1]
        assert [watchers(game, seat, part(game, seat, "hidden_seen_by")[down]) for seat in (1, 2)] == [{0}, {0}]
        assert "hidden card 2: Jewelry 1, discarded" in str(game.view(0))
        assert "hidden card 2: Jewelry of unknown value, discarded, seen by seat +2" in str(game.view(1))
        play_all(game, "recover", "recover", "recover")


@proves("6.seen-discards", "6.pool")
def test_a_discarded_card_that_nobody_has_seen_is_forgotten() -> None:
    """6: all that is known of it is its type, which is counted with those that left the deck."""
    game = scene(3, PEEK, FOUR, hidden="T1:x J1:0", public=("M2",))
    for seat in range(3):
        for name in ("hidden_discarded", "hidden_type", "hidden_value"):
            assert part(game, seat, name)[0] == 0
        assert part(game, seat, "hidden_seen_by")[0] == [0, 0, 0]
        assert "T1" in unseen(game, seat).split()
        assert "hidden card 1" not in str(game.view(seat))


@proves("6.who-knows", "6.private", "3.peek-after")
def test_a_peeker_keeps_its_knowledge_when_another_collects_the_card() -> None:
    """6: seat 2 claims the card, seat 0 looks at it after the Claim; seat 1 learns who knows, not what."""
    game = play(scene(3, PEEK, FOUR, turn=2, public=("M2",)), "place 3 1x1")
    assert (field(game, "phase"), game.to_move) == ("after", 0)
    play(game, "peek")
    assert field(game, "downs") == "x,2+02,c"
    assert [(known(game, seat, 2), unknown(game, seat, 2)) for seat in range(3)] == [("J3", ""), ("", "J"), ("J3", "")]
    assert watchers(game, 1, part(game, 1, "hidden_seen_by")[1]) == {0, 2}


@proves("6.who-knows", "3.peek-open", "6.private")
def test_taker_and_peeker_are_told_apart() -> None:
    """6: four players: one took a card before the Claim, one let it go and peeked at the other card."""
    game = scene(4, "AABBAA", SIX, phase="before", public=("P1 P2", "M2"))
    play_all(game, "take 4", "done", "recover", "peek")
    assert watchers(game, 3, part(game, 3, "slot_seen_by")[5]) == {1}
    downs = part(game, 3, "hidden_owner")
    number = int(game.round) * 2 - 2
    assert (downs[number].index(1) + 3) % 4 == 0
    assert watchers(game, 3, part(game, 3, "hidden_seen_by")[number]) == {0}, "the peek came when it had left the Crypt"


@proves("3.flipped-public", "6.values", "6.who-knows", "3.flip-one-value")
def test_a_flip_tells_one_value_and_keeps_the_rest_hidden() -> None:
    """3, 6: to the others a hidden card becomes known, and the pool shrinks by exactly that card."""
    game = scene(3, PEEK, FOUR, hidden="M4:0 M1:0 T2:0")
    before = Counter(unseen(game, 2).split())
    play_all(game, "peek", "flip 4")
    assert before - Counter(unseen(game, 2).split()) == Counter(["M4"])
    assert (known(game, 2, 0), unknown(game, 2, 0)) == ("M4", "MT")
    assert part(game, 2, "hidden_type")[:4] == [0, 1 + KINDS.index("M"), 1 + KINDS.index("T"), 0]
    assert part(game, 0, "unseen") != part(game, 2, "unseen")
    assert known(game, 0, 0) == "M1 M4 T2"


# -- the pool ---------------------------------------------------------------------------------------------------------


@proves("6.pool")
def test_deck_crypt_hands_and_hidden_discards_share_the_pool() -> None:
    """6: each seat's pool is the whole deck without what it has seen."""
    game = scene(4, PEEK, SIX, public=("I1 M2", "R3"), hidden="T1:0 T2:1 J1:x J2:1+12 P4:x+3 M4:2", downs="c,c+3")
    face_up = 4 * game.round
    shown = Counter(card for at, card in enumerate(game.deck[: 6 * game.round]) if at % 6 < 4)
    assert sum(shown.values()) == face_up
    seen = [["T1"], ["T2", "J2"], ["J2", "M4"], ["P4", "J4"]]
    for seat, own in enumerate(seen):
        assert Counter(unseen(game, seat).split()) == Counter(full_deck(4)) - shown - Counter(own)


@proves("6.pool", "6.deck", "6.types")
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_pool_has_as_many_cards_of_each_type_as_are_hidden_somewhere(players: int) -> None:
    """6: types are public, so the pool of each type is the deck, unknown cards and discards of that type."""
    game = Game(players, "BABBAB", seed=17)
    up = {1: 2, 2: 2, 3: 3, 4: 4}[players]
    slots = {1: 3, 2: 3, 3: 4, 4: 6}[players]
    while not game.is_over:
        downs = [card for at, card in enumerate(game.deck[: slots * game.round]) if at % slots >= up]
        places = field(game, "downs").split(",")
        for seat in range(players):
            left = Counter(game.deck[slots * game.round :])
            for card, place in zip(downs, places, strict=True):
                left[card] += place[0] != "f" and str(seat) not in place[1:]
            assert named(part(game, seat, "unseen")) == " ".join(sorted(left.elements()))
        game.play(game.random_action())
