"""Chapter 3: which cards are flipped to pay for a reward, and when their owner is asked. [R9]

Each reward is paid for with cards of one type: reroll with Idols, peek with Manuscripts, take with Pottery, revive with
Remains. The tests name the cards by their values alone.
"""

from __future__ import annotations

import pytest

from crypt_env import Game
from crypt_env.errors import IllegalActionError
from crypt_env.notation.events import Act, Reroll
from rules.paragraphs import proves
from rules.payments import DOUBLE, PENDING, REWARDS, SINGLE, action_of, asked, choose, everybody, offer
from rules.scenes import field, known, named, others, part, play, scene, unflipped, unseen


def shown(reward: str, game: Game) -> str:
    """Return the values of the cards that are public among those of seat 0 that pay for a reward."""
    cards = named(game.state["public"][0, 0].tolist())
    return " ".join(card[1] for card in cards.split() if card[0] == REWARDS[reward])


def downs(game: Game, count: int) -> list[str]:
    """Return where the first cards are that were drawn face-down."""
    return field(game, "downs").split(",")[:count]


def flip(game: Game, value: int) -> Game:
    """Name a value; a die that is re-rolled then fails again."""
    return game.play_with_dice(f"flip {value}", [(1,)] if field(game, "paying") == "reroll4" else [])


# -- flip order -------------------------------------------------------------------------------------------------------


@proves("3.flip-order", "3.flip-known", "3.flip-one-value", "R9")
@pytest.mark.parametrize("reward", SINGLE)
def test_a_public_card_is_flipped_first_and_unasked(reward: str) -> None:
    """R9: also if it was collected later, and is worth more; the hidden ones stay hidden."""
    game = choose(reward, "1:0 2:0", "3")
    assert (asked(game), shown(reward, game), downs(game, 2)) == ("", "3", ["0+0", "0+0"])
    assert field(game, "flipped") == f"{REWARDS[reward]}1,-,-"


@proves("3.flip-order", "3.flip-two", "3.flip-known")
@pytest.mark.parametrize("reward", DOUBLE)
def test_two_public_cards_are_flipped_before_hidden_ones(reward: str) -> None:
    """R9: two cards that all know pay for the reward, and the player is not asked."""
    game = choose(reward, "1:0 4:0", "2 3")
    assert (asked(game), shown(reward, game), downs(game, 2)) == ("", "2 3", ["0+0", "0+0"])


@proves("3.flip-order")
@pytest.mark.parametrize("reward", SINGLE)
def test_a_card_that_was_public_and_is_flipped_already_pays_no_more(reward: str) -> None:
    """R9: the flip order ranks unflipped cards; two hidden ones are left to choose from."""
    assert asked(choose(reward, "1:0 4:0", "2", flipped=1)) == "1 4"


@proves("3.flip-order", "6.values", "3.flip-known")
@pytest.mark.parametrize("reward", SINGLE)
def test_a_hidden_card_that_all_have_seen_comes_after_a_public_one(reward: str) -> None:
    """R9, 6: public is what lay face-up or was flipped."""
    game = choose(reward, "4:0+012", "2")
    assert (shown(reward, game), downs(game, 1)) == ("2", ["0+012"])


@proves("3.flip-seen", "R9")
@pytest.mark.parametrize("reward", SINGLE)
def test_of_hidden_cards_the_one_that_more_others_have_seen_is_flipped(reward: str) -> None:
    """R9: of two equal ones the second, which two others know, before the first, which one knows."""
    game = choose(reward, "2:0+03 2:0+012", players=4)
    assert (asked(game), downs(game, 2)) == ("", ["0+03", "f+012"])


@proves("3.flip-seen", "3.flip-known")
@pytest.mark.parametrize("reward", SINGLE)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_card_that_all_others_know_comes_before_one_drawn_earlier(reward: str, players: int) -> None:
    """R9: so it is the first in flip order, and flipped unasked."""
    game = choose(reward, f"1:0 4:0+{everybody(players)}", players=players)
    assert (asked(game), shown(reward, game)) == ("", "4")


@proves("3.flip-order", "3.flip-known")
@pytest.mark.parametrize("reward", SINGLE)
def test_of_cards_that_equally_many_know_the_first_drawn_is_flipped(reward: str) -> None:
    """R9: not the cheapest, nor the last."""
    game = choose(reward, "3:0+012 1:0+012 4:0+012")
    assert (asked(game), shown(reward, game)) == ("", "3")


@proves("3.flip-order", "3.flip-two", "3.flip-known")
@pytest.mark.parametrize("reward", DOUBLE)
def test_two_of_three_cards_that_all_know_are_those_drawn_first(reward: str) -> None:
    """R9: no matter what else was drawn between them."""
    game = choose(reward, "3:0+012 2:x 1:0+012 4:0+012")
    assert (asked(game), shown(reward, game), downs(game, 4)) == ("", "1 3", ["f+012", "x", "f+012", "0+012"])


# -- unasked ----------------------------------------------------------------------------------------------------------


@proves("3.flip-known", "3.known", "R9")
@pytest.mark.parametrize("reward", SINGLE)
@pytest.mark.parametrize("watchers", ["0", "01", "02"])
def test_a_card_that_one_other_does_not_know_is_not_flipped_unasked(reward: str, watchers: str) -> None:
    """R9: all other seats must know it."""
    assert asked(choose(reward, f"1:0 4:0+{watchers}")) == "1 4"


@proves("3.flip-known")
@pytest.mark.parametrize("reward", SINGLE)
@pytest.mark.parametrize("watchers", ["03", "012", "013"])
def test_with_four_players_three_others_must_know_it(reward: str, watchers: str) -> None:
    """R9: two of three are not all."""
    assert asked(choose(reward, f"1:0 4:0+{watchers}", players=4)) == "1 4"


@proves("3.flip-solo", "3.flip-order")
@pytest.mark.parametrize("reward", REWARDS)
def test_the_only_child_is_never_asked(reward: str) -> None:
    """R9: there is no opponent to keep a value from; the first drawn are flipped."""
    game = choose(reward, "4:0 2:0 3:0 1:0", players=1)
    assert (asked(game), shown(reward, game)) == ("", "4" if reward in SINGLE else "2 4")


@proves("3.flip-equal", "R9")
@pytest.mark.parametrize("reward", SINGLE)
def test_cards_of_one_value_are_flipped_unasked(reward: str) -> None:
    """R9: no one else knows them, but it would make no difference which is shown."""
    game = choose(reward, "3:0 3:0")
    assert (asked(game), shown(reward, game), downs(game, 2)) == ("", "3", ["f+0", "0+0"])


@proves("3.flip-equal", "3.flip-asked")
@pytest.mark.parametrize("reward", SINGLE)
def test_cards_of_one_value_of_which_one_was_flipped_are_flipped_unasked(reward: str) -> None:
    """R9: what was flipped already does not make it two values."""
    game = choose(reward, "2:f 3:0 3:0", "2", flipped=1)
    assert (asked(game), downs(game, 3)) == ("", ["f", "f+0", "0+0"])


@proves("3.flip-all", "R9")
@pytest.mark.parametrize("reward", REWARDS)
def test_what_must_all_be_flipped_is_flipped_unasked(reward: str) -> None:
    """R9: one hidden card for a price of one, two different ones for a price of two."""
    cards = "4:0" if reward in SINGLE else "4:0 1:0"
    game = choose(reward, cards)
    assert (asked(game), shown(reward, game), unflipped(game, 0).count(REWARDS[reward])) == (
        "",
        "4" if reward in SINGLE else "1 4",
        0,
    )


@proves("3.flip-all", "3.flip-order", "3.flip-two")
@pytest.mark.parametrize("reward", DOUBLE)
def test_a_public_and_one_hidden_card_must_both_be_flipped(reward: str) -> None:
    """R9: two of two."""
    game = choose(reward, "4:0", "2")
    assert (asked(game), shown(reward, game)) == ("", "2 4")


# -- asked ------------------------------------------------------------------------------------------------------------


@proves("3.flip-asked", "7.flip", "7.asked", "R9")
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_otherwise_the_owner_is_asked_for_a_value(reward: str, players: int) -> None:
    """R9: three hidden cards that no one else knows: each of their values may be named."""
    game = choose(reward, "4:0 1:0 2:0", players=players)
    assert (game.to_move, game.legal()) == (0, ("flip 1", "flip 2", "flip 4"))
    assert field(game, "paying") == action_of(reward, players).replace(" ", "")


@proves("3.flip-asked")
@pytest.mark.parametrize("reward", SINGLE)
def test_only_values_of_the_own_unflipped_cards_of_the_type_may_be_named(reward: str) -> None:
    """R9: not those of another type, of another seat, of a flipped or of a discarded card; each once."""
    cards = offer(reward, "1:f 2:0 3:1 4:0 4:x 2:0", "1", players=4, flipped=1)
    assert asked(cards.play(action_of(reward, 4))) == "2 4"


@proves("7.flip", "3.flip-asked", "3.flipped-public", "3.flip-one-value", "6.values")
@pytest.mark.parametrize("reward", SINGLE)
@pytest.mark.parametrize("value", [1, 3, 4])
def test_the_named_card_is_flipped_and_no_other(reward: str, value: int) -> None:
    """R9, 3, 6: the others learn this value and nothing else."""
    game = choose(reward, "3:0 1:0 4:0")
    kind = REWARDS[reward]
    before = unseen(game, 1).split()
    flip(game, value)
    assert (asked(game), shown(reward, game), field(game, "flipped")) == ("", str(value), f"{kind}1,-,-")
    before.remove(f"{kind}{value}")
    assert (unseen(game, 1).split(), known(game, 1, 0)) == (before, f"{kind}{value}")


@proves("3.flip-same-value", "3.flip-seen")
@pytest.mark.parametrize("reward", SINGLE)
def test_of_two_cards_of_the_named_value_the_more_watched_is_flipped(reward: str) -> None:
    """R9: the first of that value in flip order."""
    game = choose(reward, "4:0 1:0+012 4:0+03", players=4)
    assert asked(game) == "1 4"
    game.play("flip 4")
    assert downs(game, 3) == ["0+0", "0+012", "f+03"]


@proves("3.flip-same-value", "3.flip-order")
@pytest.mark.parametrize("reward", SINGLE)
def test_of_two_cards_of_the_named_value_the_first_drawn_is_flipped(reward: str) -> None:
    """R9: where equally many have seen them."""
    game = choose(reward, "1:0 4:0 4:0", players=4).play("flip 4")
    assert downs(game, 3) == ["0+0", "f+0", "0+0"]


@proves("3.flip-asked", "3.flip-known", "7.asked")
def test_each_reward_is_asked_for_by_itself() -> None:
    """R9: two re-rolls of one window: the first Idol is named, and of the two that are left again."""
    game = choose("reroll", "1:0 2:0 4:0").play_with_dice("flip 2", [(1,)])
    assert others(game) == {"reroll 4", "done"}
    assert asked(game.play("reroll 4")) == "1 4"


# -- when -------------------------------------------------------------------------------------------------------------


@proves("3.flip-before-effect", "3.idol-A", "R9")
def test_a_flip_for_a_reroll_is_asked_before_the_die_is_rolled() -> None:
    """R9: the roll follows the flip."""
    game = choose("reroll", "1:0 4:0")
    assert game.events == (Act(0, "reroll 4", ("done", "reroll 4")),)
    assert field(game, "dice") == "2/1,3/0,3/0"
    play(game, "flip 1", (5,))
    assert game.events[-2:] == (Act(0, "flip 1", ("flip 1", "flip 4")), Reroll(0, 4, 5))
    assert field(game, "dice") == "3/0,3/0,3/0"


@proves("3.flip-before-effect", "3.manuscript-B")
def test_a_flip_for_a_peek_is_asked_before_the_look() -> None:
    """R9: the value is seen when the Manuscript is flipped."""
    game = choose("peek", "1:0 4:0")
    assert part(game, 0, "slot_value")[3] == 0
    game.play("flip 4")
    assert part(game, 0, "slot_value")[3] == 3


@proves("3.flip-before-effect", "2.before.answer", "3.peek-answer")
def test_a_flip_for_a_take_is_asked_before_the_answers() -> None:
    """R9, R10: the other seats hear of the take once it is paid for, and then may answer."""
    table, crypt = "AABBAA", "T4 J2 T1 J3"
    game = scene(3, table, crypt, phase="before", public=("", "M2"), hidden="P1:0 P2:0 P4:0")
    game.play("take 3")
    assert (game.to_move, asked(game)) == (0, "1 2 4")
    game.play("flip 1")
    assert (game.to_move, asked(game), field(game, "flipped")) == (0, "2 4", "-,-,-")
    game.play("flip 4")
    assert (game.to_move, game.legal(), field(game, "flipped")) == (1, ("done", "peek"), "P2,-,-")
    assert field(game, "crypt") == ".,.,.,."


@proves("3.flip-before-effect", "3.remains-A")
def test_a_flip_for_a_revival_is_asked_before_the_die_returns() -> None:
    """R9: the die can be placed when both cards are flipped."""
    game = choose("revive", "1:0 2:0 4:0")
    assert field(game, "dice") == "2/1,3/0,3/0"
    game.play("flip 2")
    assert field(game, "dice") == "2/1,3/0,3/0"
    game.play("flip 4")
    assert (field(game, "dice"), game.to_move, others(game)) == ("3/0,3/0,3/0", 0, {"recover"})


@proves("3.flip-no-return", "7.flip-only", "7.flip")
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", PENDING)
def test_a_chosen_action_cannot_be_taken_back(name: str, players: int) -> None:
    """R9, 7: nothing but a flip is legal until it is paid for."""
    game = PENDING[name](players)
    assert all(text.startswith("flip ") for text in game.legal())
    assert len(game.legal()) >= 2
    for text in ("done", "recover", "peek", "revive", "reroll 4", "place 0 1x1", "take 2", "take 3", "take 4"):
        with pytest.raises(IllegalActionError, match="illegal action"):
            game.play(text)


@proves("7.flip-only", "7.flip")
@pytest.mark.parametrize("reward", REWARDS)
def test_a_flip_is_legal_only_to_pay_for_an_action(reward: str) -> None:
    """7: not before one was chosen, nor when it is paid for."""
    game = offer(reward, "1:0 2:0 4:0")
    assert not asked(game)
    game.play(action_of(reward))
    while asked(game):
        game.play(game.legal()[0])
    for text in ("flip 1", "flip 2", "flip 4"):
        with pytest.raises(IllegalActionError, match="illegal action"):
            game.play(text)


# -- two cards --------------------------------------------------------------------------------------------------------


@proves("3.flip-two", "3.flip-asked")
@pytest.mark.parametrize("reward", DOUBLE)
def test_two_cards_are_asked_for_one_after_the_other(reward: str) -> None:
    """R9: the second question leaves out the card of the first answer."""
    game = choose(reward, "4:0 1:0 2:0")
    assert asked(game) == "1 2 4"
    game.play("flip 2")
    assert (asked(game), field(game, "flipped")) == ("1 4", "-,-,-")
    game.play("flip 1")
    assert (asked(game), shown(reward, game), field(game, "flipped")) == ("", "1 2", f"{REWARDS[reward]}2,-,-")


@proves("3.flip-two", "3.flip-order")
@pytest.mark.parametrize("reward", DOUBLE)
def test_a_public_card_is_flipped_and_then_the_owner_is_asked(reward: str) -> None:
    """R9: the public one is the first in flip order."""
    game = choose(reward, "4:0 1:0", "2")
    assert asked(game) == "1 4"
    game.play("flip 4")
    assert (asked(game), shown(reward, game)) == ("", "2 4")


@proves("3.flip-two", "3.flip-known", "3.flip-seen")
@pytest.mark.parametrize("reward", DOUBLE)
def test_a_card_that_all_know_is_flipped_and_then_the_owner_is_asked(reward: str) -> None:
    """R9: the owner may name neither it nor any other for the first."""
    game = choose(reward, "4:0 1:0 2:0+012")
    assert asked(game) == "1 4"
    game.play("flip 1")
    assert (asked(game), shown(reward, game)) == ("", "1 2")


@proves("3.flip-two", "3.flip-equal")
@pytest.mark.parametrize("reward", DOUBLE)
def test_the_second_is_unasked_if_the_rest_has_one_value(reward: str) -> None:
    """R9: asked for the first of 1, 3 and 3; once 1 is named the others are equal, once 3 is named they are not."""
    game = choose(reward, "3:0 1:0 3:0").play("flip 1")
    assert (asked(game), shown(reward, game), downs(game, 3)) == ("", "1 3", ["f+0", "f+0", "0+0"])
    game = choose(reward, "3:0 1:0 3:0").play("flip 3")
    assert asked(game) == "1 3"
    game.play("flip 3")
    assert (asked(game), shown(reward, game), downs(game, 3)) == ("", "3 3", ["f+0", "0+0", "f+0"])


@proves("3.flip-two", "3.flip-known", "3.flip-seen")
@pytest.mark.parametrize("reward", DOUBLE)
def test_the_second_is_unasked_if_all_know_the_first_of_the_rest(reward: str) -> None:
    """R9: two that all know are flipped though a third has another value."""
    game = choose(reward, "4:0 1:0+012 2:0+012")
    assert (asked(game), shown(reward, game)) == ("", "1 2")


@proves("3.flip-two", "3.flip-asked", "3.flip-all")
def test_a_price_that_is_paid_twice_is_asked_for_twice_and_then_not() -> None:
    """R9: two of four Remains are a choice; the two that are left must both be flipped."""
    game = scene(3, "A", "T4 J2 T1 J3", hidden="R4:0 R1:0 R2:0 R3:0", exhausted=(2,)).play("revive")
    for value in (4, 2):
        assert str(value) in asked(game)
        game.play(f"flip {value}")
    assert (shown("revive", game), field(game, "dice")) == ("2 4", "2/1,3/0,3/0")
    game.play("revive")
    assert (asked(game), shown("revive", game), field(game, "dice")) == ("", "1 2 3 4", "3/0,3/0,3/0")


@proves("3.flip-two", "3.flip-asked", "3.flip-before-effect", "R9")
def test_the_example_of_ada() -> None:
    """3: R2 is public, R4 known to Ben, R1 to her alone: R2 goes unasked, then she names 1 or 4 and has her die."""
    game = choose("revive", "1:0 4:0+01", "2")
    assert (game.to_move, game.legal()) == (0, ("flip 1", "flip 4"))
    game.play("flip 1")
    assert (shown("revive", game), field(game, "dice")) == ("1 2", "3/0,3/0,3/0")


# -- never asked ------------------------------------------------------------------------------------------------------


@proves("3.flip-idol-B", "3.flip-seen", "3.idol-B-auto", "R9")
def test_idol_b_flips_in_flip_order_unasked() -> None:
    """3, R9: of three Idols the public one and the one that another has seen; the first drawn stays hidden."""
    game = scene(3, "BABAAA", "I4 T2 J1 I3", turn=2, table="0:1x1,.,.,0:1x1", hidden="I1:0", downs="c+1")
    game.play("recover")
    assert (asked(game), field(game, "flipped"), field(game, "public")) == ("", "I2,-,-", "I3I4,-,-")
    assert downs(game, 2) == ["0+0", "f+01"]


@proves("3.flip-idol-B", "3.flip-order", "R9")
def test_idol_b_flips_the_first_drawn_of_hidden_idols_unasked() -> None:
    """3, R9: three hidden Idols at once, of which no one else knows any."""
    game = scene(4, "B", "T4 J2 T1 J1 I4 I2", turn=3, table=".,.,.,.,0:1x1,0:1x1", hidden="I3:0")
    game.play("recover")
    assert (asked(game), field(game, "public"), downs(game, 4)) == ("", "I3I4,-,-,-", ["f+0", "x", "f+0", "0+0"])


@proves("3.flip-end", "3.flip-seen", "3.revive-end", "R9")
def test_remains_at_the_end_are_flipped_in_flip_order_unasked() -> None:
    """3, R9: the one that another has seen, then the first drawn; the third stays hidden."""
    game = scene(3, "AABAAA", "T4 J2 T1 J3", turn=2, leader=1, last=True, hidden="R4:0 R2:0 R1:0+01")
    play(game, "place 0 1x6", (1,))
    assert game.is_over
    assert (field(game, "public"), downs(game, 3)) == ("R1R4T4,-,-", ["f+0", "0+0", "f+01"])


# -- what the others learn ---------------------------------------------------------------------------------------------


@proves("6.flip-private", "3.flip-no-return")
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", PENDING)
def test_no_other_seat_notices_that_a_flip_is_asked(name: str, players: int) -> None:
    """6: to every other seat the game looks as it did before the action was chosen, and it may do nothing."""
    game = PENDING[name](players)
    before = game.copy()
    while asked(before):
        before.undo()
    for seat in range(players):
        same = (game.observation(seat) == before.observation(seat)).all()
        assert same == (seat != game.to_move)
        assert game.mask(seat).any() == (seat == game.to_move)


@proves("6.flip-private", "3.flip-equal", "3.flip-one-value")
@pytest.mark.parametrize("reward", SINGLE)
def test_the_others_cannot_tell_an_asked_flip_from_an_unasked_one(reward: str) -> None:
    """6: they see the flipped card; whether the owner chose between 4 and 1 or had only two 4s they do not."""
    game = offer(reward, "4:0 1:0", players=4)
    deck, kind = list(game.deck), REWARDS[reward]
    owned, left = 5, len(deck) - 1 - deck[::-1].index(f"{kind}4")
    assert (deck[owned], left >= 12) == (f"{kind}1", True), "the other 4 is still in the deck"
    deck[owned], deck[left] = deck[left], deck[owned]
    twin = Game.from_text(game.text().replace("".join(game.deck), "".join(deck)))
    for one in (game, twin):
        one.play_with_dice(action_of(reward, 4), [(1,)] if one is twin and reward == "reroll" else [])
    assert (asked(game), asked(twin)) == ("1 4", "")
    flip(game, 4)
    assert [(game.observation(seat) == twin.observation(seat)).all() for seat in range(4)] == [False, True, True, True]


@proves("6.flip-private", "7.flip")
def test_the_owner_sees_what_it_pays_for() -> None:
    """7: the action just chosen, and the card that it has named already."""
    game = choose("take", "1:0 2:0 4:0").play("flip 2")
    assert (part(game, 0, "paying"), part(game, 0, "taking"), part(game, 0, "first_flip")) == (
        [1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0],
        [2],
    )
    assert part(choose("peek", "1:0 4:0"), 0, "paying") == [0, 1, 0, 0]
    assert part(choose("revive", "1:0 2:0 4:0"), 0, "paying") == [0, 0, 1, 0]
    game = choose("reroll", "1:0 4:0")
    assert (part(game, 0, "paying"), part(game, 0, "paying_effort")) == ([0, 0, 0, 1], [4])
