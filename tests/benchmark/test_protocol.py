"""The protocol is frozen."""

import pytest

from crypt_env import CryptError
from crypt_env.benchmark import BUDGETS, TASKS, find_task, protocol_digest
from crypt_env.benchmark.frozen import FROZEN, behaviour_digest, frozen_agent, panel_names
from crypt_env.benchmark.tasks import check_budget, check_size


def test_nothing_has_changed_since_version_1_was_published():
    """If this fails, undo the change, or make it version 2 and keep version 1."""
    assert protocol_digest() == "e6e3de319f495ceb"


def test_tasks():
    assert [f"{name}-{count}" for count in (64, 32, 16, 8) for name in ("solo", "duel", "trio", "quartet")] == [*TASKS]
    assert BUDGETS == {"1M": 10**6, "10M": 10**7, "100M": 10**8, "1B": 10**9}
    assert [TASKS[f"{name}-64"].games("full") for name in ("solo", "duel", "trio", "quartet")] == [
        4096,
        10_240,
        7680,
        10_240,
    ]


def test_panel():
    lineups = {
        players: [lineup.name for lineup in TASKS[name].lineups]
        for players, name in ((1, "solo-64"), (2, "duel-64"), (3, "trio-64"), (4, "quartet-64"))
    }
    assert lineups == {
        1: ["the Ghost"],
        2: ["greedy", "tuned", "net:duel", "ghost", "search:5"],
        3: ["2 x greedy", "2 x tuned", "2 x net:trio", "2 x ghost", "search:5, tuned"],
        4: ["3 x greedy", "3 x tuned", "3 x net:quartet", "3 x ghost", "search:5, 2 x tuned"],
    }


@pytest.mark.parametrize("name", panel_names())
def test_opponents_are_those_that_were_frozen(name):
    assert frozen_agent(name).name == name


def test_an_opponent_that_plays_differently_is_refused(monkeypatch):
    monkeypatch.setitem(FROZEN["opponents"], "ghost", behaviour_digest("greedy"))
    frozen_agent.cache_clear()
    with pytest.raises(CryptError, match="'ghost' of this version of crypt_env does not play as the one of Crypt-64"):
        frozen_agent("ghost")
    frozen_agent.cache_clear()


def test_a_network_that_is_gone_is_refused(monkeypatch):
    monkeypatch.setitem(FROZEN["opponents"], "net:duel", "0" * 64)
    frozen_agent.cache_clear()
    with pytest.raises(
        CryptError, match="the network 'net:duel' of Crypt-64, version 1, does not come with this version"
    ):
        frozen_agent("net:duel")
    frozen_agent.cache_clear()


@pytest.mark.parametrize(
    ("budget", "decisions", "message"),
    [
        ("5M", 0, "budget='5M' is not possible; allowed are 1M, 10M, 100M, 1B and open"),
        ("1M", 1_000_001, "1000001 decisions are more than the budget 1M allows, 1000000"),
        ("10M", 0, "decisions=0 are not possible with the budget 10M; give how many the training played"),
        ("open", -1, "decisions=-1 is not possible"),
        ("open", True, "decisions=True is not possible"),
    ],
)
def test_budgets_that_are_refused(budget, decisions, message):
    with pytest.raises(CryptError, match=message):
        check_budget(budget, decisions)


def test_other_refusals():
    with pytest.raises(CryptError, match="task 'duo' is not known; allowed are solo-64, "):
        find_task("duo")
    with pytest.raises(CryptError, match="size='large' is not possible; allowed are full and quick"):
        check_size("large")
