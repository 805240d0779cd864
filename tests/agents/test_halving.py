"""`gumbel:N:net:NAME`: sequential halving among a network's likeliest actions."""

from __future__ import annotations

import numpy as np
import pytest

from agents.search_reference import dealt_otherwise, look, middle
from agents.trials import random_bits, some_decisions
from crypt_env import CryptError, Game
from crypt_env.agents import HalvingSearch, Network, NetworkAgent, load_network, make_agent, network_path
from crypt_env.agents.base import Decisions
from crypt_env.agents.halving import Race, phases_of
from crypt_env.agents.lookahead import Lookahead
from crypt_env.agents.network_search import value_is_usable
from crypt_env.agents.policy import futures
from crypt_env.agents.search import Budget
from crypt_env.arena import play_match
from crypt_env.rules.observe import LAYOUT_VERSION
from fuzz.tiny import tiny_facts, tiny_weights
from property.play import asked_games

PLAYERS = {"solo": 1, "duel": 2, "trio": 3, "quartet": 4}


@pytest.mark.parametrize(
    "name",
    [
        "gumbel:16:net:duel",
        "gumbel:16:depth1:net:duel",
        "gumbel:8:end:net:duel",
        "gumbel:16:net:duel:draw",
        "gumbel:16:net:solo",
        "gumbel:16:net:trio",
        "gumbel:16:net:quartet",
        "gumbel:8:net:generalist",
    ],
)
def test_its_actions_are_legal_and_follow_from_what_it_is_given(name: str) -> None:
    """The same alone, in another order and a second time; the games that it was given stay as they were."""
    decisions = some_decisions(next((count for network, count in PLAYERS.items() if network in name), 2))
    before = decisions.games.tobytes()
    agent = make_agent(name)
    actions = agent.act(decisions)
    assert decisions.masks[np.arange(12), actions].all()
    assert (make_agent(name).act(decisions) == actions).all()
    order = np.random.default_rng(1).permutation(12)
    assert (agent.act(Decisions(*(part[order] for part in decisions[:4]))) == actions[order]).all()
    assert [agent.act(Decisions(*(part[[row]] for part in decisions[:4])))[0] for row in range(12)] == actions.tolist()
    assert decisions.games.tobytes() == before


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_every_hidden_deal_gives_the_same_decision(players: int) -> None:
    """What the seat cannot know does not matter, also where an opponent is asked."""
    network = next(name for name, count in PLAYERS.items() if count == players)
    asked = [game.state for game in asked_games(players)][:8]
    games = np.concatenate([middle(players, 8, steps, seed=30) for steps in (2, 9)] + asked)
    bits, agent = random_bits(len(games), 31), make_agent(f"gumbel:16:depth2:net:{network}")
    actions = agent.act(Decisions(*look(games), bits, games))
    for seed in range(2):
        others = dealt_otherwise(games, seed)
        assert (others["deck"] != games["deck"]).any()
        assert (agent.act(Decisions(*look(others), bits, others)) == actions).all()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_it_plays_whole_games(players: int) -> None:
    """The batch refuses illegal actions."""
    network = next(name for name, count in PLAYERS.items() if count == players)
    agent, game = make_agent(f"gumbel:8:depth1:net:{network}"), Game(players, seed=4)
    while not game.is_over:
        game.play(agent.choose(game))


def test_without_decisions_it_has_no_answers() -> None:
    """An empty batch is possible."""
    none = Decisions(*(part[:0] for part in some_decisions()[:4]))
    assert make_agent("gumbel:8:net:duel").act(none).shape == (0,)


def test_one_candidate_is_what_the_network_plays() -> None:
    """Then there is nothing to try."""
    decisions = some_decisions()
    chosen = HalvingSearch(load_network("duel"), Budget(8), candidates=1).act(decisions)
    assert (chosen == make_agent("net:duel").act(decisions)).all()


def test_a_time_limit_is_kept() -> None:
    """Each decision takes about that long, and its action is legal."""
    decisions = some_decisions(games=3)
    actions = make_agent("gumbel:5ms:net:duel").act(decisions)
    assert decisions.masks[np.arange(3), actions].all()


# -- playouts ---------------------------------------------------------------------------------------------------------


def test_a_depth_that_is_never_reached_is_the_end_of_the_game() -> None:
    """Playouts to the end are held to the games of a batch in test_local_response."""
    network = load_network("duel")
    dealt = futures(some_decisions(steps=4).games, random_bits(12, 2), 1)
    first = look(dealt)[1].argmax(axis=1)
    to_the_end = Lookahead(network, None)
    to_the_end.prepare(dealt)
    paid = to_the_end.play(dealt.copy(), first)
    assert (Lookahead(network, 60).play(dealt.copy(), first) == paid).all()


def test_a_playout_stops_at_a_decision_of_the_seat() -> None:
    """It is then worth what the network's value says there."""
    network = load_network("duel")
    dealt = futures(some_decisions(steps=4).games, random_bits(12, 2), 1)
    first = look(dealt)[1].argmax(axis=1)
    lookahead = Lookahead(network, 2)
    lookahead.prepare(dealt)
    paid = lookahead.play(dealt.copy(), first)
    for row in range(12):
        game, seat, met, action = Game.from_state(dealt[[row]]), int(dealt["mover"][row]), 0, int(first[row])
        while met < 2:
            game.play(action)
            assert not game.is_over
            met += game.to_move == seat
            observations, masks = look(game.state)
            logits, values = network.evaluate(observations)
            action = int(np.where(masks, logits, -np.inf).argmax())
        assert paid[row] == pytest.approx(values[0], abs=1e-5)


def test_solo_playouts_add_what_is_paid_on_the_way() -> None:
    """A value of what is still to be paid, together with what has been paid, is near the end of the playouts."""
    dealt = futures(some_decisions(1, games=64, steps=4).games, random_bits(64, 2), 1)
    first = look(dealt)[1].argmax(axis=1)
    paid = []
    for depth in (3, 99, None):
        lookahead, games = Lookahead(load_network("solo"), depth), dealt.copy()
        lookahead.prepare(games)
        paid.append(lookahead.play(games, first))
    assert paid[1].tolist() == paid[2].tolist()
    assert np.corrcoef(paid[0], paid[1])[0, 1] > 0.5
    assert abs((paid[0] - paid[1]).mean()) < 3


def test_values_that_cannot_be_used() -> None:
    """A depth is refused; without one, playouts go to the end."""
    assert not value_is_usable(load_network("generalist"))
    assert make_agent("gumbel:8:net:generalist")._lookahead.depth is None
    assert make_agent("gumbel:8:net:duel")._lookahead.depth == 4
    with pytest.raises(CryptError, match="no search can tell from it who is ahead"):
        make_agent("gumbel:8:depth3:net:generalist")


# -- halving ----------------------------------------------------------------------------------------------------------


def race(lookahead: Lookahead, decisions: Decisions, logs: np.ndarray) -> Race:
    """Return a race between the first legal actions."""
    order = np.argsort(~decisions.masks, axis=1, kind="stable")[:, : logs.shape[1]]
    return Race(lookahead, decisions.games, decisions.bits, order, logs)


class Paying:
    """Pays what a table says of the action, plus what a future adds to all candidates."""

    depth = 1

    def __init__(self, *paid: float) -> None:
        self.paid, self.played = np.array(paid), 0

    def prepare(self, states: np.ndarray) -> None:
        states["dense"] = 0

    def unit(self, states: np.ndarray) -> np.ndarray:
        return np.ones(len(states))

    def play(self, states: np.ndarray, first: np.ndarray) -> np.ndarray:
        self.played += len(states)
        return self.paid[first] + states["chance"] % np.uint64(7)


def test_the_better_half_stays() -> None:
    """Every phase plays its share; the best payoff wins where the network has no opinion."""
    decisions = some_decisions(games=4)
    decisions.masks[:] = np.arange(127) < 8
    paying = Paying(*[0.1, 0.2, 0.9, 0.3, 1.0, 0.5, 0.4, 0.8], *[0.0] * 119)
    running = race(paying, decisions, np.zeros((4, 8)))
    left = []
    for _ in range(3):
        running.play(np.full(4, 5))
        running.halve()
        left.append(np.flatnonzero(running.alive[0]).tolist())
    assert left == [[2, 4, 5, 7], [2, 4], [4]]
    assert running.winners().tolist() == [4] * 4
    assert paying.played == 4 * 5 * (8 + 4 + 2)


def test_the_network_counts_where_playouts_say_little() -> None:
    """A small gain does not outweigh a clear opinion; a large one does."""
    decisions = some_decisions(games=2)
    decisions.masks[:] = np.arange(127) < 2
    logs = np.array([[0.0, -5.0]] * 2)
    for gain, action in ((0.02, 0), (0.5, 1)):
        running = race(Paying(0.0, gain, *[0.0] * 125), decisions, logs)
        running.play(np.full(2, 50))
        assert running.winners().tolist() == [action] * 2


def test_improved_probabilities_favor_what_pays() -> None:
    """An action that pays more becomes likelier, one that pays the same stays as likely; the likeliest wins."""
    decisions = some_decisions(games=2)
    decisions.masks[:] = np.arange(127) < 3
    logs = np.log([[0.5, 0.3, 0.2]] * 2)
    even, better = (race(Paying(0.0, gain, *[0.0] * 125), decisions, logs) for gain in (0.0, 0.2))
    for running in (even, better):
        running.play(np.full(2, 50))
    assert even.probabilities() == pytest.approx(np.exp(logs))
    assert (better.probabilities()[:, 1] > 0.5).all()
    assert better.probabilities().sum(axis=1) == pytest.approx(1)
    assert better.winners().tolist() == [1, 1]


def test_every_budget_is_shared_by_the_phases() -> None:
    """Decisions with fewer candidates have fewer phases."""
    alive = np.array([[True] * 8, [True] * 5 + [False] * 3, [True] * 2 + [False] * 6, [True] + [False] * 7])
    assert phases_of(alive).tolist() == [3, 3, 1, 0]


def test_it_is_stronger_than_a_network_that_knows_nothing() -> None:
    """Playouts to the end tell it what pays."""
    network = Network(tiny_weights([]), {**tiny_facts(), "layout_version": LAYOUT_VERSION})
    searching = HalvingSearch(network, Budget(32), depth=None)
    won = play_match(searching, NetworkAgent(network), games=128, collectors="even", seed=2)
    assert won.share.low is not None
    assert won.share.low > 0.6


# -- names ------------------------------------------------------------------------------------------------------------


def test_the_network_in_its_name_is_found() -> None:
    """As in other names with networks."""
    assert network_path("gumbel:8:depth2:net:duel:draw") == network_path("net:duel")
    assert make_agent("gumbel:8:net:duel:draw")._lookahead.draws
    assert not make_agent("gumbel:8:end:net:duel")._lookahead.draws


@pytest.mark.parametrize(
    "text",
    [
        "",
        "64",
        "64:net:",
        "net:duel",
        "0:net:duel",
        "0ms:net:duel",
        "1048577:net:duel",
        "3600001ms:net:duel",
        "64:depth0:net:duel",
        "64:depth100:net:duel",
        "64:depth2:end:net:duel",
        "64:duel",
        "64:net::draw",
        "64s:net:duel",
    ],
)
def test_any_other_form_is_refused(text: str) -> None:
    """In one sentence that says what is allowed."""
    with pytest.raises(CryptError, match="allowed are 'gumbel:N:net:NAME' with N playouts a decision"):
        make_agent(f"gumbel:{text}")


def test_a_network_that_does_not_exist_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(CryptError, match="there is no network 'missing'"):
        make_agent("gumbel:8:net:missing")


def test_a_budget_below_one_is_refused() -> None:
    """Also without a name."""
    with pytest.raises(CryptError, match="budget"):
        HalvingSearch(load_network("duel"), Budget(0))


def test_games_are_needed() -> None:
    """It searches in them."""
    with pytest.raises(CryptError, match="searches in games"):
        make_agent("gumbel:8:net:duel").act(some_decisions()._replace(games=None))


def test_long_playouts_are_split() -> None:
    """More playouts than are played at the same time give as many payoffs."""
    decisions = some_decisions(games=1)
    agent = HalvingSearch(load_network("duel"), Budget(13_000), depth=1)
    assert decisions.masks[0, agent.act(decisions)[0]]
