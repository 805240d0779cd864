"""Which card agents flip, and when they answer a take: scenes, a slow reference, and many games at tables A?BBA?."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import look
from agents.trials import random_bits
from crypt_env import Batch, Game
from crypt_env.agents import NetworkSearch, make_agent
from crypt_env.agents.base import Decisions
from crypt_env.agents.cast import Cast
from crypt_env.rules.actions import FLIP, PEEK, SKIP, TAKE
from crypt_env.rules.cards import VALUES
from crypt_env.rules.observe import LAYOUT
from crypt_env.rules.state import ANSWER, IN_CRYPT
from property.play import asked_games, rich_game, rich_positions
from rules.payments import DOUBLE, SINGLE, choose, crypt_of
from rules.scenes import field, play_all, scene

RULES_OF_THUMB = ("greedy", "tuned", "ghost")
SEARCHES = ("search:1", "search:1:random", "ismcts:10", "ismcts:10:random")
TABLES = ("AABBAA", "ABBBAB", "AABBAB", "ABBBAA")
UNSEEN = next(part.start for part in LAYOUT if part.name == "unseen")
PAID_WITH = {"I": 0, "M": 2, "P": 3, "R": 4}


def kind_of(card: int) -> int:
    """Return the number of a card's type."""
    return int(card) // VALUES


def value_of(card: int) -> int:
    """Return a card's value."""
    return int(card) % VALUES + 1


# -- which card is flipped --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULES_OF_THUMB)
@pytest.mark.parametrize(
    ("hidden", "flipped"),
    [
        ("1:0 3:0", "flip 3"),  # 2 and 4 are unseen: 3 is the mean, so it reveals least
        ("2:0 4:0", "flip 2"),  # the mean of 1 and 3 is 2
        ("1:0 4:0", "flip 1"),  # both are equally far from 2.5, and the lower one is less worth hiding
        ("2:0 3:0 4:0", "flip 2"),  # 1 alone is unseen
        ("1:0 2:0 3:0", "flip 3"),  # 4 alone is unseen
    ],
)
def test_of_cards_that_no_other_seat_has_seen_the_one_nearest_to_what_is_unseen(name, hidden, flipped):
    assert make_agent(name).choose(choose("peek", hidden, players=2)) == flipped


@pytest.mark.parametrize("name", RULES_OF_THUMB)
@pytest.mark.parametrize("reward", SINGLE)
def test_a_card_that_more_others_have_seen_tells_them_less(name, reward):
    """Flipped in this order: seen by two, by one, by none; also if another is nearer to the mean."""
    agent = make_agent(name)
    assert agent.choose(choose(reward, "4:0+01 2:0", players=3)) == "flip 4"
    assert agent.choose(choose(reward, "1:0+01 2:0 4:0+012", players=4)) == "flip 4"
    assert agent.choose(choose(reward, "1:0+01 2:0 4:0", players=4)) == "flip 1"
    assert agent.choose(choose(reward, "1:0+01 4:0+023", players=4)) == "flip 4"


@pytest.mark.parametrize("name", RULES_OF_THUMB)
@pytest.mark.parametrize("reward", DOUBLE)
def test_two_cards_are_chosen_one_after_the_other(name, reward):
    game, agent = choose(reward, "1:0+01 3:0 4:0", players=3), make_agent(name)
    assert game.legal() == ("flip 1", "flip 3", "flip 4")
    assert agent.choose(game) == "flip 1"
    game.play("flip 1")
    assert game.legal() == ("flip 3", "flip 4")
    assert agent.choose(game) == "flip 3"


def least_telling(game: Game) -> set[int]:
    """Return the values whose flip reveals least, computed from the whole game; one or two."""
    state, seat = game.state[0], game.to_move
    values = [int(text.split()[1]) for text in game.legal()]
    own = [down for down in range(state["downs"]) if state["down_place"][down] == seat]
    kinds = {kind_of(state["down_card"][down]) for down in own}
    (kind,) = [kind for kind in kinds if kind == PAID_WITH[paid_with(game)]]
    left = game.observation(seat)[UNSEEN:].reshape(-1)[kind * VALUES : (kind + 1) * VALUES]
    mean = (left * [1, 2, 3, 4]).sum() / left.sum() if left.sum() else 2.5
    scores = {}
    for down in own:
        card, seen = state["down_card"][down], int(state["down_seen"][down]) & ~(1 << seat)
        if kind_of(card) == kind and value_of(card) in values:
            watched = (bin(seen).count("1"), -abs(float(value_of(card)) - mean))
            scores[int(value_of(card))] = max(scores.get(int(value_of(card)), (-1, 0.0)), watched)
    best = max(scores.values())
    return {min(value for value, score in scores.items() if score == best)}


def paid_with(game: Game) -> str:
    """Return the letter of the type that is flipped."""
    chosen = int(game.state["chosen"][0])
    if chosen == PEEK:
        return "M"
    return "R" if chosen == PEEK + 1 else "P" if TAKE <= chosen < TAKE + 6 else "I"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_flips_are_those_of_a_slow_reference(players):
    agents, checked = [make_agent(name) for name in RULES_OF_THUMB], 0
    for seed in range(30):
        for game in rich_positions(players, seed):
            if game.is_over or not game.legal()[0].startswith("flip"):
                continue
            (value,) = least_telling(game)
            for agent in agents:
                assert agent.choose(game) == f"flip {value}", game.text()
            checked += 1
    assert checked > 15


# -- answers to a take ------------------------------------------------------------------------------------------------


def shows_more(game: Game) -> bool:
    """Return whether a peek shows a card that is unknown to the mover and stays in the Crypt."""
    state, seat = game.state[0], game.to_move
    taken = int(field(game, "taking").split(":")[0])
    for slot in range(int(state["slots"])):
        down = int(state["down"][slot])
        in_crypt = down >= 0 and state["card"][slot] >= 0 and state["down_place"][down] == IN_CRYPT
        if in_crypt and slot != taken and not state["down_seen"][down] >> seat & 1:
            return True
    return False


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", RULES_OF_THUMB)
def test_a_take_of_the_only_face_down_card_is_not_answered(name, players):
    slot = {2: 2, 3: 3}[players]
    game = scene(players, "AABBAA", crypt_of(players), phase="before", public=("P1 P2",), hidden="M3:1 M2:1 J1:0")
    game = play_all(game, f"take {slot}")
    assert set(game.legal()) == {"peek", "done"}
    assert make_agent(name).choose(game) == "done"


def test_a_take_is_answered_if_the_other_face_down_card_is_unknown():
    game = scene(4, "AABBAA", crypt_of(4), phase="before", public=("P1 P2",), hidden="M3:1 M2:1 J1:0")
    game = play_all(game, "take 4")
    assert set(game.legal()) == {"peek", "done"}
    assert make_agent("greedy").choose(game) == "peek"


def test_answers_are_those_of_a_slow_reference():
    agents, answers = [make_agent(name) for name in RULES_OF_THUMB], []
    for seed in range(60):
        for game in rich_positions(4, seed):
            if game.is_over or game.state["phase"][0] != ANSWER or "done" not in game.legal():
                continue
            greedy, tuned, ghost = (agent.choose(game) for agent in agents)
            assert greedy == ("peek" if shows_more(game) else "done")
            assert tuned in ("done", greedy)
            assert ghost == "done"
            answers.append(greedy)
    assert set(answers) == {"peek", "done"}


# -- the Ghost in the middle of another's flip ------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_ghost_takes_over_wherever_a_flip_is_asked(players):
    ghost = make_agent("ghost")
    for asked in asked_games(players):
        game = asked.copy()
        while not game.is_over:
            action = ghost.choose(game)
            assert action in game.legal()
            game.play(action)


# -- searches ---------------------------------------------------------------------------------------------------------


class Even:
    """An evaluator that knows nothing."""

    def evaluate(self, observations, masks):
        return masks * 1.0, np.zeros(len(masks))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_search_looks_at_every_flip_and_at_nothing_else(players):
    games = np.concatenate([game.state for game in asked_games(players)])
    observations, masks = look(games)
    decisions = Decisions(observations, masks, random_bits(len(games), 3), games)
    _, visits = NetworkSearch(Even(), 30).search(decisions)
    assert ((visits > 0) == masks).all()
    for name in SEARCHES:
        actions = make_agent(name).act(decisions)
        assert masks[np.arange(len(games)), actions].all()


@pytest.mark.parametrize("name", ["search:20:random", "ismcts:150:random", "search:4", "ismcts:60"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_flips_and_answers_of_a_search_depend_on_nothing_hidden(name, players):
    """The hidden cards of others, and the one that is taken, are swapped with cards of the same types in the deck."""
    games = np.concatenate([game.state for game in asked_games(players)])
    observations, masks = look(games)
    bits = random_bits(len(games), 5)
    expected = make_agent(name).act(Decisions(observations, masks, bits, games))
    swapped = games.copy()
    for state in swapped:
        swap_unseen(state)
    assert (swapped["deck"] != games["deck"]).any(axis=1).all()
    seen, allowed = look(swapped)
    assert (seen == observations).all()
    assert (allowed == masks).all()
    assert (make_agent(name).act(Decisions(seen, allowed, bits, swapped)) == expected).all()


def swap_unseen(state: np.void) -> None:
    """Exchange cards of the same type in the deck: a deal that no seat can distinguish."""
    drawn, size = int(state["drawn"]), int(state["deck_size"])
    for one in range(drawn + 1, size):
        for other in range(one + 1, size):
            cards = state["deck"][[one, other]]
            if cards[0] != cards[1] and kind_of(cards[0]) == kind_of(cards[1]):
                state["deck"][[one, other]] = cards[::-1]
                return


# -- many games -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("collectors", TABLES)
def test_agents_are_legal_over_many_games(players, collectors):
    """Each agent in every seat; the batch refuses illegal actions."""
    names = ["random", *RULES_OF_THUMB]
    flips, answers = played(names, players, collectors, games=120)
    assert (flips > 0) == (answers > 0) == (players > 1)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_searches_are_legal_in_whole_games(players):
    played([*SEARCHES, *(["puct:4:net:duel"] if players == 2 else [])], players, "AABBAA", games=5)


@pytest.mark.parametrize("name", [*RULES_OF_THUMB, "search:1:random", "ismcts:8:random"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_agents_are_legal_wherever_flips_are_asked_and_takes_answered(name, players):
    """Decks in which the cards that pay for rewards come early and face-down."""
    agent, asked = make_agent(name), 0
    for seed in range(4 if ":" in name else 12):
        for game in [rich_game(players, seed), *asked_games(players)]:
            game = game.copy()
            while not game.is_over:
                asked += game.legal()[0].startswith("flip")
                game.play(agent.choose(game))
    assert asked > 10


def played(names: list[str], players: int, collectors: str, games: int) -> tuple[int, int]:
    """Play games with the agents rotating through all seats; return how many flips and answers were asked for."""
    batch = Batch(games, players, collectors=collectors, restarts=False, seed=players)
    cast = Cast(games, names)
    cast.owners[:] = (np.arange(games)[:, None] + np.arange(4) * (1 + np.arange(games)[:, None] // len(names))) % len(
        names
    )
    cast.owners[:, players:] = -1
    arrays, flips, answers = batch.reset(), 0, 0
    while (waiting := np.flatnonzero(arrays.movers >= 0)).size:
        flips += int(arrays.masks[waiting, FLIP : FLIP + VALUES].any(axis=1).sum())
        answers += int((batch.states["phase"][waiting] == ANSWER).sum())
        actions = np.full(games, SKIP, np.int64)
        cast.answer(batch.states, arrays, waiting, actions)
        arrays = cast.step(batch, actions)
    return flips, answers
