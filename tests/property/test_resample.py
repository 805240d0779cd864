"""`resample`: what a seat knows stays, everything else is re-dealt, and every possible deal is equally likely."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from crypt_env import Batch, CryptError, Game
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import OVER
from property.hidden import down_positions, lookalike, put_deck, unseen_downs
from property.play import (
    COUNTS,
    asked_games,
    deviation,
    fields_that_differ,
    is_asked_to_flip,
    look,
    play_on,
    positions,
    raw,
    rich_positions,
)

GAMES = {1: 6, 2: 4, 3: 3, 4: 2}
DEALS = 40000


def resampled(states: np.ndarray, seat: int, bits: list[int]) -> np.ndarray:
    """Return copies of one game, re-dealt from these bits."""
    copies = np.repeat(states, len(bits))
    seats = np.full(len(bits), seat, np.int8)
    resample_rows(copies, 0, len(bits), seats, np.array(bits, np.uint64))
    return copies


@pytest.mark.parametrize("players", COUNTS)
def test_resample_keeps_all_that_the_seat_sees(players: int) -> None:
    """At every step, for every seat: vector, mask and words are unchanged, and the first game is untouched."""
    for seed in range(GAMES[players]):
        for game in positions(players, seed):
            if game.is_over:
                break
            before = game.state
            for seat in range(players):
                other = game.resample(seat, seed=seed)
                assert fields_that_differ(game.state, before) == []
                assert (other.observation(seat) == game.observation(seat)).all()
                assert (other.mask(seat) == game.mask(seat)).all()
                assert str(other.view(seat)) == str(game.view(seat))
                assert other.events == ()
                many = resampled(before, seat, list(range(8)))
                observations, masks = look(np.concatenate([before, many]), [seat] * 9)
                assert (observations == observations[0]).all()
                assert (masks == masks[0]).all()


@pytest.mark.parametrize("players", COUNTS)
def test_games_that_look_the_same_become_the_same_game(players: int) -> None:
    """With the same bits; so neither the first game's generators nor its hidden cards decide anything."""
    rng = random.Random(players)
    for seed in range(GAMES[players]):
        for game in positions(players, seed):
            if game.is_over:
                break
            for seat in range(players):
                bits = rng.getrandbits(64)
                first = resampled(game.state, seat, [bits])
                for _ in range(2):
                    twin = resampled(lookalike(rng, game.state, seat), seat, [bits])
                    assert fields_that_differ(first, twin) == []
                    assert raw(twin) == raw(first)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_that_look_the_same_become_the_same_game_while_flips_are_asked(players: int) -> None:
    """The same in every kind of question: for all others it makes no difference whether it is asked, or for what."""
    rng = random.Random(players)
    for game in (*asked_games(players), *rich_positions(players, 5)):
        for seat in range(players) if not game.is_over else ():
            bits = rng.getrandbits(64)
            first = resampled(game.state, seat, [bits])
            for _ in range(4):
                twin = resampled(lookalike(rng, game.state, seat), seat, [bits])
                assert raw(twin) == raw(first)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_resample_keeps_the_own_choice_and_takes_that_of_another_back(players: int) -> None:
    """The seat that is asked which card it flips continues from there; to all others nothing was chosen yet."""
    for game in filter(is_asked_to_flip, asked_games(players)):
        before = game.copy()
        while is_asked_to_flip(before):
            before.undo()
        for seat in range(players):
            other = game.resample(seat, seed=3)
            assert other.to_move == game.to_move
            if seat == game.to_move:
                assert other.legal() == game.legal()
                assert fields_that_differ(other.state, game.state, CHANCE_AND_CARDS) == []
            else:
                assert other == before.resample(seat, seed=3)
                assert not is_asked_to_flip(other)
                assert (other.state["first_flip"] == -1).all()


CHANCE_AND_CARDS = ("chance", "choice", "seed", "index", "episode", "decisions", "deck", "down_card", "card")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_resample_keeps_a_take_that_may_be_answered(players: int) -> None:
    """All seats see who takes which card; its value is re-dealt for those who do not know it."""
    *_, game = asked_games(players)
    for seat in range(players):
        others = [game.resample(seat, seed=number) for number in range(20)]
        assert {other.text().split("taking=")[1].split()[0] for other in others} == {f"{game.state['taking'][0]}:0"}
        assert all(other.legal() == ("done", "peek") and other.to_move == 1 for other in others)
        assert len({int(other.state["card"][0, game.state["taking"][0]]) for other in others}) > 1


def test_resample_forgets_how_many_decisions_there_were() -> None:
    """Their number would tell how often the others were asked which card they flip."""
    game = next(game for game in asked_games(2) if is_asked_to_flip(game))
    assert game.state["decisions"][0] > 0
    assert [int(game.resample(seat, seed=1).state["decisions"][0]) for seat in (0, 1)] == [0, 0]


@pytest.mark.parametrize("players", COUNTS)
def test_resampled_dense_game_owes_what_the_first_one_owes(players: int) -> None:
    """A re-dealt game pays the seat as much as the first one would when the same coins become certain."""
    batch = Batch(1, players, seed=4, reward="margin", dense=True, restarts=False)
    batch.reset()
    while batch.states["mover"][0] >= 0:
        for seat in range(players):
            other = resampled(batch.states, seat, [9])
            assert other["paid"][0, seat] == batch.states["paid"][0, seat]
        batch.step_random()


@pytest.mark.parametrize("players", COUNTS)
def test_resampled_game_is_a_position_that_can_come_up(players: int) -> None:
    """Its text is accepted and read back, and it can be played to the end."""
    for seed in range(3):
        for game in (*asked_games(players), *positions(players, seed)):
            if game.is_over:
                break
            other = game.resample(seed % players, seed=seed)
            assert Game.from_text(other.text()) == other
            states = other.state
            play_on(states)
            assert states["phase"][0] == OVER
            size = int(states["deck_size"][0])
            assert sorted(states["deck"][0, :size]) == sorted(game.state["deck"][0, :size])


@pytest.mark.parametrize("players", COUNTS)
def test_resample_forgets_the_future(players: int) -> None:
    """The deck's order, the dice to come and the seed are new, and differ from one re-deal to the next."""
    game = Game(players, seed=6)
    for _ in range(3):
        game.play(game.random_action())
    first = game.state
    many = resampled(first, 0, list(range(200)))
    drawn, size = int(first["drawn"][0]), int(first["deck_size"][0])
    decks = {tuple(deck[drawn:size].tolist()) for deck in many["deck"]}
    assert len(decks) == 200
    assert tuple(first["deck"][0, drawn:size].tolist()) not in decks
    for field in ("chance", "choice", "seed"):
        assert len(set(many[field].tolist())) == 200
        assert int(first[field][0]) not in set(many[field].tolist())
    assert (many["index"] == 0).all()
    assert (many["episode"] == 0).all()
    redealt = Game(players, seed=int(many["seed"][0]))
    assert list(redealt.state["deck"][0]) != list(many["deck"][0])


def test_resample_without_seed_is_new_every_time_and_with_one_the_same() -> None:
    """`Game.resample` draws its bits unless it is given a seed."""
    game = Game(3, seed=2)
    assert game.resample(1, seed=5) == game.resample(1, seed=5)
    assert len({game.resample(1).text() for _ in range(5)}) == 5
    assert game.resample(1, seed=5) != game.resample(1, seed=6)


def test_resample_of_a_game_that_is_over_is_refused() -> None:
    """There is nothing left to deal."""
    *_, game = positions(2, 1)
    with pytest.raises(CryptError, match="over"):
        game.resample(0)


# -- all deals are equally likely --------------------------------------------------------------------------------------


def assignments(places: list[tuple[int | None, int]], cards: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way to place cards on slots, some of which have a known type."""
    if not places:
        yield ()
        return
    (kind, _), *rest = places
    for card in sorted(cards):
        if cards[card] and kind in (None, card // 4):
            cards[card] -= 1
            for others in assignments(rest, cards):
                yield (card, *others)
            cards[card] += 1


def possible_deals(state: np.void, seat: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return the deck positions that a seat does not know, and every deal of them that it holds possible."""
    top, size = int(state["drawn"]), int(state["deck_size"])
    hidden = unseen_downs(state, seat)
    places = hidden + list(range(top, size))
    deck = state["deck"].tolist()
    shown = [(deck[place] // 4 if place <= top else None, place) for place in places]
    return places, list(assignments(shown, Counter(deck[place] for place in places)))


def late_positions(players: int, least: int, most: int) -> list[Game]:
    """Return late positions in which a seat holds this many deals possible and some card was drawn face-down."""
    found = []
    for seed in range(40):
        for game in positions(players, seed):
            state = game.state[0]
            left = int(state["deck_size"] - state["drawn"])
            if game.is_over or left > SMALL_DECK or len(unseen_downs(state, 0)) > 7:
                continue
            if least <= len(possible_deals(state, 0)[1]) <= most:
                found.append(game.copy())
                break
        if len(found) == 3:
            break
    return found


SMALL_DECK = 4


@pytest.mark.parametrize("players", COUNTS)
def test_every_possible_deal_is_equally_likely(players: int) -> None:
    """Chi-square over all deals, enumerated one by one, the deck's order behind the known top type among them."""
    games = late_positions(players, 12, 800)
    assert len(games) == 3
    for number, game in enumerate(games):
        state = game.state
        places, deals = possible_deals(state[0], 0)
        many = resampled(state, 0, list(range(number * DEALS, (number + 1) * DEALS)))
        found = Counter(map(tuple, many["deck"][:, places].tolist()))
        assert set(found) <= set(deals)
        assert abs(deviation([found[deal] for deal in deals], DEALS / len(deals))) < 4


def test_deck_order_is_equally_likely_behind_the_known_type() -> None:
    """With a round to go and nothing else unknown, a deck of three cards has as many orders as its top type leaves."""
    game = next(game for game in positions(2, 4) if game.round == 7)
    states = game.state
    states["down_seen"] |= 1
    places, deals = possible_deals(states[0], 0)
    assert places == [21, 22, 23]
    deck = states["deck"][0].tolist()
    assert len(deals) == 2 * sum(deck[place] // 4 == deck[21] // 4 for place in places)
    found = Counter(map(tuple, resampled(states, 0, list(range(12000)))["deck"][:, places].tolist()))
    assert set(found) == set(deals)
    assert abs(deviation([found[deal] for deal in deals], 12000 / len(deals))) < 4


def test_chi_square_notices_a_deal_that_is_not_uniform() -> None:
    """The statistic is small for fair counts and large where one deal in ten comes up a tenth more often."""
    rng = random.Random(0)
    fair = Counter(rng.randrange(10) for _ in range(DEALS))
    loaded = Counter(min(rng.randrange(111) // 11, 9) if rng.random() < 0.5 else rng.randrange(9) for _ in range(DEALS))
    assert abs(deviation([fair[face] for face in range(10)], DEALS / 10)) < 4
    assert deviation([loaded[face] for face in range(10)], DEALS / 10) > 10


def test_enumeration_knows_the_true_deal() -> None:
    """The real cards are among the deals that are held possible, and each deal looks the same to the seat."""
    for game in late_positions(2, 12, 800):
        state = game.state
        places, deals = possible_deals(state[0], 0)
        assert tuple(state["deck"][0, places].tolist()) in deals
        assert set(unseen_downs(state[0], 0)) <= set(down_positions(state[0]))
        for deal in deals[:50]:
            other = state.copy()
            deck = state["deck"][0, : state["deck_size"][0]].tolist()
            for place, card in zip(places, deal, strict=True):
                deck[place] = card
            put_deck(other, deck)
            observations, _ = look(np.concatenate([state, other]), [0, 0])
            assert (observations[0] == observations[1]).all()
