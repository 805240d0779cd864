"""Masks, sampled actions and refused ones: legal is what the rules accept, one action at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest

from crypt_env import ACTIONS, DRAW, Batch, Game, IllegalActionError, action_text, new_arrays
from crypt_env.rules.batch import check_rows, draw_row, step_rows
from property.play import (
    COUNTS,
    DECISIONS,
    asked_games,
    deviation,
    fields_that_differ,
    look,
    nth_legal,
    positions,
    raw,
    rich_positions,
    sample,
    scattered,
)

GAMES = {1: 10, 2: 6, 3: 4, 4: 3}
DRAWS = 6000
PHASES_OPEN = ("AABBAA", "BABBAA")
"""Tables on which every phase asks a seat: Pottery B before the Claim, Manuscript B after it, Idol A in Collect."""
KINDS_OF_DECISIONS = (*DECISIONS.values(), "flip")


def accepted(states: np.ndarray) -> np.ndarray:
    """Return which of all actions can be played, each tried on its own copy of a game."""
    copies = np.repeat(states, ACTIONS)
    arrays = new_arrays(ACTIONS)
    actions = np.arange(ACTIONS)
    checked = [check_rows(copies, number, number + 1, actions) < 0 for number in range(ACTIONS)]
    stepped = [step_rows(copies.view(np.uint8), number, number + 1, *arrays, actions) < 0 for number in range(ACTIONS)]
    assert checked == stepped
    refused = copies[~np.array(stepped)]
    assert fields_that_differ(refused, np.repeat(states, len(refused))) == []
    return np.array(stepped)


@pytest.mark.parametrize("players", COUNTS)
def test_mask_is_what_can_be_played(players: int) -> None:
    """At every step the mask is exactly what a copy of the game accepts, two actions or more. [R12]"""
    for seed in range(GAMES[players]):
        for game in positions(players, seed):
            if not game.is_over:
                check_mask(game)
    for game in asked_games(players):
        check_mask(game)


def check_mask(game: Game) -> None:
    """Compare the mask of a position with what can be played in it."""
    seat = game.to_move
    assert seat is not None
    mask = game.mask(seat)
    assert (mask == accepted(game.state)).all()
    assert mask.sum() >= 2
    assert game.legal() == tuple(action_text(int(action)) for action in np.flatnonzero(mask))


@pytest.mark.parametrize("players", COUNTS)
def test_mask_is_empty_for_seats_that_are_not_asked(players: int) -> None:
    """All zero for every other seat, and for all seats when the game is over."""
    for game in positions(players, 2):
        for seat in range(players):
            assert game.mask(seat).any() == (seat == game.to_move)
    assert game.is_over
    batch = Batch(4, players, seed=1, restarts=False)
    arrays = batch.reset()
    while not (arrays.movers < 0).all():
        arrays = batch.step_random()
        assert (arrays.masks.any(axis=1) == (arrays.movers >= 0)).all()


@pytest.mark.parametrize("players", COUNTS)
def test_mask_that_a_step_writes_is_the_one_that_is_looked_up(players: int) -> None:
    """What a step writes for the seat that decides next is what `view` returns for it."""
    batch = Batch(16, players, seed=3)
    arrays = batch.reset()
    for number in range(150):
        observations, masks = look(batch.states, arrays.movers.tolist())
        assert (observations == arrays.observations).all()
        assert (masks == arrays.masks).all()
        arrays = batch.step(nth_legal(arrays.masks, scattered(number, batch.states["index"])))


@cache
def states_of_every_kind() -> dict[str, list[np.ndarray]]:
    """Return two positions of each phase, and of flips, with as many kinds of actions, or actions, as there are."""
    found: dict[str, list[tuple[int, np.ndarray]]] = defaultdict(list)
    for players in COUNTS:
        walks = [positions(players, seed, True, PHASES_OPEN[seed % 2]) for seed in range(6)]
        for game in (game for walk in (*walks, rich_positions(players, 1), asked_games(players)) for game in walk):
            if not game.is_over:
                state, legal = game.state, game.legal()
                is_flip = legal[0].startswith("flip")
                kind = "flip" if is_flip else DECISIONS[int(state["phase"][0])]
                found[kind].append((len(legal) if is_flip else len({text.split()[0] for text in legal}), state))
    return {
        kind: [state for _, state in sorted(states, key=lambda pair: -pair[0])[:2]] for kind, states in found.items()
    }


@pytest.mark.parametrize("kind", KINDS_OF_DECISIONS)
def test_drawn_actions_are_legal_and_equally_likely(kind: str) -> None:
    """DRAW plays each legal action equally often, in every phase of decisions and where a flip is asked."""
    for state in states_of_every_kind()[kind]:
        legal = np.flatnonzero(look(state, [int(state["mover"][0])])[1][0]).tolist()
        many = np.repeat(state, DRAWS)
        many["choice"] = np.random.default_rng(1).integers(0, 2**63, DRAWS)
        drawn = Counter(draw_row(many, row) for row in range(DRAWS))
        assert set(drawn) <= set(legal)
        assert abs(deviation([drawn[action] for action in legal], DRAWS / len(legal))) < 4


@pytest.mark.parametrize("kind", KINDS_OF_DECISIONS)
def test_stream_of_one_game_draws_equally(kind: str) -> None:
    """The same along one game's own stream of choices, one draw after the other."""
    state = states_of_every_kind()[kind][0].copy()
    legal = np.flatnonzero(look(state, [int(state["mover"][0])])[1][0]).tolist()
    drawn = Counter(draw_row(state, 0) for _ in range(DRAWS))
    assert abs(deviation([drawn[action] for action in legal], DRAWS / len(legal))) < 4


def test_drawing_changes_the_stream_of_choices_and_nothing_else() -> None:
    """Neither the game nor its chance moves when an action is drawn."""
    for game in sample(4):
        if not game.is_over:
            state = game.state
            draw_row(state, 0)
            assert fields_that_differ(state, game.state) == ["choice"]


WRONG = (-3, -100, ACTIONS, ACTIONS + 1, 128, 255, 256, 10**6, 2**31, 2**40, -(2**40))


@pytest.mark.parametrize("players", COUNTS)
def test_game_refuses_an_illegal_action_and_stays_as_it_is(players: int) -> None:
    """Every action that is not in the mask, and every number that is not an action, raises and changes nothing."""
    for game in (*positions_of(players)[::9], *asked_games(players)[::3]):
        before, events, text = game.state, game.events, game.text()
        legal = set(game.legal_actions())
        for action in (*WRONG, DRAW, *range(ACTIONS)):
            if action not in legal:
                with pytest.raises(IllegalActionError):
                    game.play(action)
        for words in ("", "place", "place 9 1x1", "take -1", "reroll 1", "flip", "flip 5", "fold"):
            with pytest.raises(IllegalActionError):
                game.play(words)
        assert raw(game.state) == raw(before)
        assert (game.events, game.text()) == (events, text)


def positions_of(players: int) -> tuple[Game, ...]:
    """Return positions in which a seat decides, spread over several games."""
    return tuple(game for game in sample(players) if not game.is_over) + asked_games(players)


def test_game_that_is_over_refuses_everything() -> None:
    """Nothing can be played when the game is over."""
    *_, game = positions(2, 8)
    before = game.state
    for action in range(ACTIONS):
        with pytest.raises(IllegalActionError, match="over"):
            game.play(action)
    assert raw(game.state) == raw(before)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("row", [0, 17, 31, 32, 63])
def test_batch_refuses_an_illegal_action_anywhere_and_stays_as_it_is(row: int, threads: int) -> None:
    """One illegal action, wherever it is in the batch: no game, no array changes, and the next step goes on."""
    batch = Batch(64, [1, 2, 3, 4] * 16, seed=12, threads=threads)
    arrays = batch.reset()
    for number in range(30):
        arrays = batch.step(nth_legal(arrays.masks, scattered(number, batch.states["index"])))
    right = nth_legal(arrays.masks, scattered(30, batch.states["index"]))
    before = batch.states.tobytes(), [array.tobytes() for array in arrays]
    for action in (*WRONG, *np.flatnonzero(~arrays.masks[row])[::5].tolist()):
        wrong = right.copy()
        wrong[row] = action
        with pytest.raises(IllegalActionError, match=f"game {row}"):
            batch.step(wrong)
        assert (batch.states.tobytes(), [array.tobytes() for array in arrays]) == before
    batch.step(right)
    assert batch.states.tobytes() != before[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_batch_names_the_first_of_several_illegal_actions(threads: int) -> None:
    """With two illegal actions the first game is named, with any number of threads."""
    batch = Batch(64, 4, seed=1, threads=threads)
    batch.reset()
    wrong = np.full(64, DRAW, np.int64)
    wrong[[20, 40]] = ACTIONS - 1
    with pytest.raises(IllegalActionError, match=r"^game 20: illegal action"):
        batch.step(wrong)


def test_action_given_for_a_game_that_is_over_is_ignored() -> None:
    """A finished game that does not restart ignores its action, and stops no other game."""
    batch = Batch(2, [1, 4], seed=1, restarts=False)
    arrays = batch.reset()
    while arrays.movers[0] >= 0:
        arrays = batch.step_random()
    assert arrays.movers[1] >= 0
    over, decisions = batch.states[0].copy(), int(batch.states["decisions"][1])
    batch.step(np.array([999, DRAW]))
    assert batch.states[0] == over
    assert batch.states["decisions"][1] > decisions
