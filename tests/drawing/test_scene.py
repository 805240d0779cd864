"""A scene is what its viewer may know: all of it, and nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest

from crypt_env import Batch, CryptError, Game, View
from crypt_env.drawing import (
    Scene,
    draw_pixels,
    draw_svg,
    draw_text,
    scene_of_game,
    scene_of_view,
    scenes_of_states,
)
from drawing.moments import CASES, all_scenes, game_at, states_at
from property.hidden import lookalike, other_choice
from property.play import COUNTS

TRIALS = 5
UNFINISHED = [case for case in CASES if case[1] != "over"]
"""Without the score sheet, which reveals what is on the cards."""


def unseen_by_all(rng: random.Random, states: np.ndarray) -> np.ndarray:
    """Return a game that differs from another in everything that is not public, but not in who has seen what."""
    blind = states.copy()
    blind["down_seen"] = 0
    other = other_choice(rng, lookalike(rng, blind, 0))
    other["down_seen"] = states["down_seen"]
    return other


@pytest.mark.parametrize(("players", "kind"), UNFINISHED)
def test_a_seat_is_shown_nothing_that_it_cannot_know(players: int, kind: str) -> None:
    """Games that differ only in what it cannot know are drawn with the same letters."""
    states, rng = states_at(players, kind), random.Random(f"{players} {kind}")
    for seat in range(players):
        scene = scenes_of_states(states, seat)[0]
        for _ in range(TRIALS):
            other = scenes_of_states(lookalike(rng, states, seat), seat)[0]
            assert other == scene
            assert draw_svg(other) == draw_svg(scene)
            assert draw_text(other) == draw_text(scene)


@pytest.mark.parametrize("players", COUNTS)
def test_a_view_of_the_end_shows_nothing_that_its_seat_cannot_know(players: int) -> None:
    states, rng = states_at(players, "over"), random.Random(players)
    for seat in range(players):
        views = [Game.from_state(lookalike(rng, states, seat)).view(seat) for _ in range(TRIALS)]
        assert len({view._repr_svg_() for view in views}) == 1


@pytest.mark.parametrize(("players", "kind"), UNFINISHED)
def test_the_board_shows_nothing_that_is_not_public(players: int, kind: str) -> None:
    states, rng = states_at(players, kind), random.Random(f"{players} {kind}")
    scene = scenes_of_states(states)[0]
    for _ in range(TRIALS):
        other = scenes_of_states(unseen_by_all(rng, states))[0]
        assert other == scene
        assert draw_svg(other) == draw_svg(scene)


@pytest.mark.parametrize("players", COUNTS)
def test_pixels_show_nothing_more_than_the_scene(players: int) -> None:
    pytest.importorskip("PIL")
    states, rng = states_at(players, "claim"), random.Random(players)
    for seat in (None, *range(players)):
        other = unseen_by_all(rng, states) if seat is None else lookalike(rng, states, seat)
        assert other.tobytes() != states.tobytes()
        one, two = (draw_pixels(scenes_of_states(game, seat)[0]) for game in (states, other))
        assert (one == two).all()


def test_the_tests_above_can_fail() -> None:
    """Another seat may know what this seat cannot: for that seat the lookalikes are drawn differently."""
    rng, differing = random.Random(1), 0
    for players, kind in CASES:
        states = states_at(players, kind)
        for seat in range(1, players):
            drawn = {draw_text(scenes_of_states(lookalike(rng, states, 0), seat)[0]) for _ in range(10)}
            differing += len(drawn) > 1
    assert differing > 10


@pytest.mark.parametrize("players", COUNTS)
def test_only_public_values_are_on_the_board(players: int) -> None:
    for _, kind in (case for case in CASES if case[0] == players):
        scene = scene_of_game(game_at(players, kind))
        cards = [slot.card for slot in scene.slots if slot.card]
        cards += [card for seat in scene.seats for shown in seat.collection for card in shown]
        assert all(bool(card.value) == card.is_public for card in cards)
        assert scene.payment is None
        assert not scene.is_seat


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_a_view_and_a_seat_of_a_game_are_the_same_scene(players: int, kind: str) -> None:
    """The observation alone contains everything except the end."""
    game = game_at(players, kind)
    for seat in range(players):
        assert scene_of_view(game.view(seat), seat) == scene_of_game(game, seat)._replace(ending=None)
        unnamed = scene_of_view(game.view(seat))
        named = scene_of_view(game.view(seat), seat)
        assert [place[3:] for place in unnamed.seats] == [place[3:] for place in named.seats]
        assert unnamed._replace(seats=()) == named._replace(seats=())


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_a_scene_holds_what_the_game_holds(players: int, kind: str) -> None:
    game = game_at(players, kind)
    state = game.state[0]
    for seat, scene in zip((None, *range(players)), all_scenes(players, kind), strict=True):
        seats = int(state["seats"])
        order = [((seat or 0) + place) % seats for place in range(seats)]
        assert (scene.players, scene.round, scene.sides) == (players, game.round, game.collectors)
        assert order[scene.leader] == game.leader
        assert scene.mover is None or order[scene.mover] == game.to_move
        assert (scene.mover is None) == game.is_over
        assert sum(scene.deck) == int(state["deck_size"] - state["drawn"])
        for slot, shown in enumerate(scene.slots):
            assert (shown.card is None) == (state["card"][slot] < 0)
            assert shown.card is None or shown.card.kind == state["card"][slot] // 4
            assert shown.card is None or shown.card.value in (0, state["card"][slot] % 4 + 1)
            assert (shown.dice.number if shown.dice else 0) == state["dice"][slot]
        for place, shown_seat in zip(order, scene.seats, strict=True):
            assert (shown_seat.ready, shown_seat.exhausted) == (state["ready"][place], state["exhausted"][place])
            assert [len(cards) for cards in shown_seat.collection] == state["held"][place].tolist()
            left = [
                len(cards) - flipped for cards, flipped in zip(shown_seat.collection, shown_seat.flipped, strict=True)
            ]
            assert left == state["unflipped"][place].tolist()


@pytest.mark.parametrize(("players", "kind"), CASES)
def test_a_seat_knows_all_its_own_cards(players: int, kind: str) -> None:
    game = game_at(players, kind)
    for seat in range(players):
        own = scene_of_game(game, seat).seats[0]
        coins = sum(card.value for cards in own.collection for card in cards)
        assert all(card.value for cards in own.collection for card in cards)
        assert coins == game.sheets()[seat].cards


def test_who_has_seen_a_card_is_told_to_all_but_not_of_oneself() -> None:
    seen = 0
    for players, kind in CASES:
        state = game_at(players, kind).state[0]
        for seat, scene in zip((None, *range(players)), all_scenes(players, kind), strict=True):
            for slot, shown in enumerate(scene.slots):
                if shown.card is None or shown.card.is_public:
                    continue
                bits = int(state["down_seen"][state["down"][slot]])
                watchers = {((seat or 0) + place) % int(state["seats"]) for place in shown.card.seen_by}
                assert watchers == {other for other in range(players) if bits >> other & 1 and other != seat}
                assert seat is None or (shown.card.value > 0) == bool(bits >> seat & 1)
                seen += len(watchers)
    assert seen > 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_take_that_is_answered_and_a_flip_that_is_asked(players: int) -> None:
    answer, flip = game_at(players, "answer"), game_at(players, "flip")
    for scene in all_scenes(players, "answer"):
        assert scene.phase == "answer"
        assert scene.slots[scene.taking].card is not None
        assert scene.taker != scene.mover
    mover = answer.to_move
    assert scene_of_game(answer).mover == mover
    asked = scene_of_game(flip, flip.to_move).payment
    assert asked is not None
    assert asked.action.split()[0] in ("take", "peek", "revive", "reroll")
    assert all(scene_of_game(flip, seat).payment is None for seat in range(players) if seat != flip.to_move)


@pytest.mark.parametrize("players", COUNTS)
def test_the_torches_are_where_the_rules_have_them(players: int) -> None:
    scene = scene_of_game(game_at(players, "lights out"))
    assert scene.is_lights_out
    assert scene.lights_out == (scene.leader if players <= 2 else (scene.leader - 1) % players)
    assert scene.mover == scene.lights_out


def test_names_and_colours_are_those_of_the_seats() -> None:
    game = Game(3, seed=1)
    assert [(seat.name, seat.label, seat.owner) for seat in scene_of_game(game, 1).seats] == [
        ("seat 1 (you)", "1", 1),
        ("seat 2", "2", 2),
        ("seat 0", "0", 0),
    ]
    assert [seat.name for seat in scene_of_view(game.view(1)).seats] == ["you", "seat +1", "seat +2"]
    assert [(seat.name, seat.owner) for seat in scene_of_game(Game(1, seed=1)).seats] == [("seat 0", 0), ("Ghost", 4)]


def test_rows_of_a_batch_are_scenes() -> None:
    batch = Batch(6, players=[1, 2, 3, 4, 2, 1], seed=3)
    with pytest.raises(CryptError, match="nothing to draw: no game was dealt yet"):
        scenes_of_states(batch.states)
    batch.reset()
    for _ in range(30):
        batch.step_random()
    before = batch.states.tobytes()
    scenes = scenes_of_states(batch.states)
    assert scenes == [scene_of_game(Game.from_state(batch.states[row : row + 1])) for row in range(6)]
    assert batch.states.tobytes() == before


def test_a_game_that_waits_for_dice_can_be_drawn() -> None:
    game = Game(1, seed=1).play("recover")
    states = game.state
    from crypt_env.rules.state import GHOST_ROLL

    states["phase"], states["mover"] = GHOST_ROLL, -1
    scene = scenes_of_states(states)[0]
    assert scene.phase == "rolling"
    assert "dice are rolled" in draw_text(scene)
    assert "Dice are rolled" in draw_svg(scene)


def test_empty_seats_are_refused() -> None:
    game = Game(2, seed=1)
    for seat in (2, -1, True, "0", 1.0):
        with pytest.raises(CryptError, match=r"no player on seat .*; seats are 0 to 1"):
            scene_of_game(game, seat)  # type: ignore[arg-type]
        with pytest.raises(CryptError, match=r"no player on seat .*; seats are 0 to 1"):
            scene_of_view(game.view(0), seat)  # type: ignore[arg-type]
    with pytest.raises(CryptError, match="nothing to draw: this is not an observation of a game"):
        scene_of_view(View(np.zeros_like(game.observation(0))))


def test_a_scene_shows_itself_in_a_notebook() -> None:
    scene: Scene = scene_of_game(Game(2, seed=1), 1)
    assert scene._repr_svg_() == draw_svg(scene)
