"""`tbr:N:net:NAME`: a player that exploits a network by tree search."""

from __future__ import annotations

import numpy as np
import pytest

from agents.trials import some_decisions
from crypt_env import CryptError
from crypt_env.agents import Network, NetworkAgent, TreeResponse, load_network, make_agent
from crypt_env.agents.lookahead import Lookahead
from crypt_env.agents.policy import CANDIDATES, Policy, futures
from crypt_env.agents.tree_response import _Node, _Simulation, _Tree
from crypt_env.arena import play_match
from crypt_env.rules.observe import LAYOUT_VERSION
from fuzz.tiny import tiny_facts, tiny_weights


@pytest.mark.parametrize(
    "name", ["tbr:24:net:duel", "tbr:24:net:duel:draw", "tbr:9:reach:net:duel", "tbr:24:net:trio", "tbr:24:net:solo"]
)
def test_its_actions_are_legal_and_follow_from_what_it_is_given(name: str) -> None:
    """The same alone and a second time, and the games that it was given stay as they were."""
    decisions = some_decisions(1 if "solo" in name else 3 if "trio" in name else 2)
    before = decisions.games.tobytes()
    agent = make_agent(name)
    actions = agent.act(decisions)
    assert decisions.masks[np.arange(12), actions].all()
    assert (agent.act(decisions) == actions).all()
    assert decisions.games.tobytes() == before
    alone = slice(5, 6)
    assert agent.act(type(decisions)(*(part[alone] for part in decisions[:4])))[0] == actions[5]


def test_hidden_cards_do_not_matter() -> None:
    """Games that look the same to the seat get the same action."""
    decisions = some_decisions()
    others = futures(decisions.games, np.arange(12, dtype=np.uint64), 1)
    agent = make_agent("tbr:24:net:duel")
    assert (agent.act(decisions) == agent.act(decisions._replace(games=others))).all()


def test_simulations_go_to_the_candidates_that_are_left() -> None:
    """All meet the same futures; the better half of them goes on."""
    agent = TreeResponse(load_network("duel"), 240)
    decisions = some_decisions()
    places = np.arange(12)
    order, counts = agent._policy.likeliest(decisions.observations, decisions.masks, CANDIDATES)
    trees = [_Tree(order[place, : counts[place]].tolist()) for place in places]
    dealt = futures(decisions.games, decisions.bits, sum(agent._shares()))
    agent._grow(trees, dealt.reshape(12, -1))
    tree = next(tree for tree, count in zip(trees, counts, strict=True) if count == CANDIDATES)
    assert sorted(tree.root.visits) == [10, 10, 10, 10, 30, 30, 70, 70]
    assert len(tree.alive) == 1
    assert any(sum(node.visits) > 1 for each in trees for node in each.nodes.values())


def test_a_later_decision_is_learned_about() -> None:
    """Actions of a node are tried in order, then by what they were paid."""
    node, tree = _Node([4, 5, 6]), _Tree([1, 2])
    for expected in (0, 1, 2):
        assert node.choose(tree.low, tree.high) == expected
        tree.back_up([(tree.root, 0), (node, expected)], 1.0 if expected == 1 else -1.0)
    for _ in range(20):
        place = node.choose(tree.low, tree.high)
        tree.back_up([(tree.root, 0), (node, place)], 1.0 if place == 1 else -1.0)
    assert node.visits[1] > 15
    assert (tree.low, tree.high) == (-1.0, 1.0)


def test_outside_of_its_tree_a_game_goes_on_as_the_policy_plays() -> None:
    """The first simulation of an empty tree is a playout."""
    decisions, policy = some_decisions(), Policy(load_network("duel"), False)
    dealt = futures(decisions.games, decisions.bits, 1)
    first = policy.likeliest(decisions.observations, decisions.masks, 1)[0][:, 0]
    trees = [_Tree([int(action)]) for action in first]
    paid = _Simulation(policy, trees, [[(tree.root, 0)] for tree in trees]).play(dealt.copy(), first)
    expected = Lookahead(load_network("duel"), None).play(dealt.copy(), first)
    assert (paid == expected).all()


def test_it_exploits_the_network_it_knows() -> None:
    """It wins clearly more than an even share, here against a small network that knows nothing."""
    network = Network(tiny_weights([]), {**tiny_facts(), "layout_version": LAYOUT_VERSION})
    exploited = play_match(TreeResponse(network, 48), NetworkAgent(network), games=128, collectors="even", seed=2)
    assert exploited.share.low is not None
    assert exploited.share.low > 0.6


@pytest.mark.parametrize("text", ["", "64", "64:net:", "0:net:duel", "65537:net:duel", "64:duel", "64:weigh:net:duel"])
def test_any_other_form_is_refused(text: str) -> None:
    """In one sentence that says what is allowed."""
    with pytest.raises(CryptError, match="allowed is 'tbr:N:net:NAME' with N simulations a decision"):
        make_agent(f"tbr:{text}")
