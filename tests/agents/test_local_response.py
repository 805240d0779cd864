"""`lbr:N:net:NAME`: a player that exploits a network whose policy it knows."""

from __future__ import annotations

import numpy as np
import pytest

from agents.trials import random_bits, some_decisions
from crypt_env import SKIP, Batch, CryptError
from crypt_env.agents import LocalResponse, Network, NetworkAgent, load_network, make_agent
from crypt_env.agents.base import Decisions
from crypt_env.agents.lookahead import Lookahead
from crypt_env.agents.policy import futures
from crypt_env.arena import play_match
from crypt_env.rules.observe import LAYOUT_VERSION
from fuzz.tiny import tiny_facts, tiny_weights
from property.play import look

NETWORK = "net:duel"


@pytest.mark.parametrize(
    "name", ["lbr:3:net:duel", "lbr:3:net:duel:draw", "lbr:3:reach:net:duel", "lbr:2:net:trio", "lbr:2:net:solo"]
)
def test_its_actions_are_legal_and_follow_from_what_it_is_given(name: str) -> None:
    """The same alone and a second time, and the games that it was given stay as they were."""
    players = 1 if "solo" in name else 3 if "trio" in name else 2
    decisions = some_decisions(players)
    before = decisions.games.tobytes()
    agent = make_agent(name)
    actions = agent.act(decisions)
    assert decisions.masks[np.arange(12), actions].all()
    assert (agent.act(decisions) == actions).all()
    assert decisions.games.tobytes() == before
    alone = slice(5, 6)
    assert agent.act(Decisions(*(part[alone] for part in decisions[:4])))[0] == actions[5]


def test_hidden_cards_do_not_matter() -> None:
    """Games that look the same to the seat get the same action."""
    decisions = some_decisions()
    others = futures(decisions.games, random_bits(12, 8), 1)
    assert (others["deck"] != decisions.games["deck"]).any()
    agent = make_agent("lbr:4:net:duel")
    assert (agent.act(decisions) == agent.act(decisions._replace(games=others))).all()


def test_one_candidate_is_what_the_network_plays() -> None:
    """Then there is nothing to try."""
    decisions = some_decisions()
    network = load_network("duel")
    chosen = LocalResponse(network, 1, candidates=1).act(decisions)
    assert (chosen == make_agent(NETWORK).act(decisions)).all()


def test_a_playout_ends_as_the_network_ends_the_game() -> None:
    """The payments of a playout are those of the same game in a batch."""
    network = load_network("duel")
    dealt = futures(some_decisions(steps=4).games, random_bits(12, 2), 1)
    agent = make_agent(NETWORK)
    first = agent.act(Decisions(*look(dealt, dealt["mover"].tolist()), random_bits(12, 3)))
    paid = Lookahead(network, None).play(dealt.copy(), first)
    batch = Batch(12, 2, restarts=False)
    batch.reset()
    batch.states[:] = dealt
    arrays = batch.step(first)
    while (arrays.movers >= 0).any():
        actions = agent.act(Decisions(arrays.observations, arrays.masks, random_bits(12, 4)))
        arrays = batch.step(np.where(arrays.movers >= 0, actions, SKIP))
    assert (paid == arrays.rewards[np.arange(12), dealt["mover"]]).all()
    assert (paid != 0).any()


def test_all_candidates_meet_the_same_futures() -> None:
    """One action, tried as eight candidates, is paid the same eight times."""
    agent = LocalResponse(load_network("duel"), 4)
    decisions = some_decisions()
    order = np.repeat(decisions.masks.argmax(axis=1)[:, None], 8, axis=1)
    means = agent._try(futures(decisions.games, decisions.bits, 4), order, np.ones((12, 8), np.bool_))
    assert (means == means[:, :1]).all()
    assert len(np.unique(means)) > 1


def test_it_exploits_the_network_it_knows() -> None:
    """It wins clearly more than an even share, here against a small network that knows nothing."""
    network = Network(tiny_weights([]), {**tiny_facts(), "layout_version": LAYOUT_VERSION})
    exploited = play_match(LocalResponse(network, 8), NetworkAgent(network), games=128, collectors="even", seed=2)
    assert exploited.share.low is not None
    assert exploited.share.low > 0.6


@pytest.mark.parametrize(
    "text",
    [
        "",
        "64",
        "64:net:",
        "net:duel",
        "0:net:duel",
        "4097:net:duel",
        "64:duel",
        "64:weigh:net:duel",
        "64:net::draw",
        "64:greedy",
    ],
)
def test_any_other_form_is_refused(text: str) -> None:
    """In one sentence that says what is allowed."""
    with pytest.raises(CryptError, match="allowed is 'lbr:N:net:NAME' with N playouts of each candidate"):
        make_agent(f"lbr:{text}")


def test_a_network_that_does_not_exist_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(CryptError, match="there is no network 'missing'"):
        make_agent("lbr:8:net:missing")
