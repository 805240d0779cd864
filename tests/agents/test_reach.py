"""What earlier decisions tell about hidden cards: kept without secrets, and weighed by a policy."""

from __future__ import annotations

import numpy as np
import pytest

from crypt_env import ACTIONS, SKIP, Batch
from crypt_env.agents import Agent, LocalResponse, RandomAgent, load_network
from crypt_env.agents.base import Decisions
from crypt_env.agents.cast import Cast
from crypt_env.agents.past import PastLog, determinized_past, is_telling
from crypt_env.agents.policy import Policy, futures
from crypt_env.agents.reach import reach_weights, weighed
from crypt_env.rules.batch import views
from crypt_env.rules.state import NONE

GAMES = 48


@pytest.fixture(scope="module")
def played() -> tuple[Batch, PastLog, list[tuple[np.ndarray, np.ndarray]]]:
    """Return games in the middle, what was kept of them, and the true states and movers of all their decisions."""
    batch = Batch(GAMES, 2, seed=5, restarts=False)
    arrays = batch.reset()
    log, truth = PastLog(GAMES), []
    generator = np.random.default_rng(1)
    for _ in range(18):
        rows = np.flatnonzero(arrays.movers >= 0)
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in arrays.masks[rows]])
        log.keep(batch.states, rows, actions)
        public = rows[batch.states["chosen"][rows] == NONE]
        truth.append((public, batch.states[public].copy()))
        everywhere = np.full(GAMES, SKIP)
        everywhere[rows] = actions
        arrays = batch.step(everywhere)
    return batch, log, truth


def running(batch: Batch) -> np.ndarray:
    """Return the games that go on."""
    return np.flatnonzero(batch.states["mover"] >= 0)


def test_the_past_of_a_game_is_seen_as_it_was(played) -> None:
    """With the true cards put in, every seat sees in every earlier decision what it saw then."""
    batch, log, truth = played
    rows = running(batch)
    past = log.before(rows, batch.states[rows])
    states = np.concatenate([states for _, states in truth])
    numbers = np.concatenate([numbers for numbers, _ in truth])
    for place, row in enumerate(rows):
        then = states[numbers == row]
        kept = past.of(place).games
        for one, other in zip(views(then), views(kept), strict=True):
            assert (one == other).all()
    assert len(past.actions) > 10 * len(rows)


def test_the_past_tells_no_secrets(played) -> None:
    """Hidden cards, the order of the deck and all seeds are those of the determinized game, in every byte."""
    batch, log, _ = played
    rows = running(batch)
    deals = futures(batch.states[rows], np.arange(len(rows), dtype=np.uint64), 1)
    past = log.before(rows, deals)
    owners = deals[past.owners]
    assert (past.games["deck"] == owners["deck"]).all()
    is_drawn = np.arange(past.games["down_card"].shape[1]) < past.games["downs"][:, None]
    assert (np.where(is_drawn, past.games["down_card"] - owners["down_card"], 0) == 0).all()
    assert not any(past.games[name].any() for name in ("seed", "chance", "choice", "index", "episode", "decisions"))
    other = futures(batch.states[rows], np.arange(len(rows), dtype=np.uint64) + 77, 1)
    assert (other["down_card"] != deals["down_card"]).any()
    assert determinized_past(past.games, other[past.owners]).tobytes() == log.before(rows, other).games.tobytes()


def test_cards_that_make_the_play_likely_weigh_more(played) -> None:
    """A policy that plays by a hidden card's value: deals in which it would have played otherwise weigh little."""

    class ByValue(Policy):
        """Plays its first or its last legal action, by a value that it sees."""

        def __init__(self) -> None:
            """Know no network."""

        def probabilities(self, observations, masks):
            odd = observations.astype(np.int64).sum(axis=1) % 2 == 1
            result = np.zeros((len(masks), ACTIONS))
            last = ACTIONS - 1 - masks[:, ::-1].argmax(axis=1)
            result[np.arange(len(masks)), np.where(odd, last, masks.argmax(axis=1))] = 1
            return result

    batch, log, _ = played
    rows, policy, differing = running(batch), ByValue(), 0
    for row in rows:
        only = np.array([row])
        game = batch.states[only]
        deals = futures(game, np.array([row], np.uint64), 64)
        past = log.before(only, deals[:1])
        weights = reach_weights(policy, deals, past)
        telling = is_telling(past.games, np.repeat(game, len(past.games)))
        assert (weights is None) == (not telling.any())
        if weights is None:
            assert weighed(policy, deals, past, 16).tobytes() == deals[:16].tobytes()
            continue
        states, actions = past.games[telling], past.actions[telling]
        for number in (0, 9):
            fits = determinized_past(states, np.repeat(deals[number : number + 1], len(states)))
            chances = policy.probabilities(*views(fits))[np.arange(len(states)), actions]
            expected = np.prod(0.98 * chances + 0.02 / views(fits)[1].sum(axis=1))
            first = determinized_past(states, np.repeat(deals[:1], len(states)))
            base = np.prod(
                0.98 * policy.probabilities(*views(first))[np.arange(len(states)), actions]
                + 0.02 / views(first)[1].sum(axis=1)
            )
            assert weights[number] / weights[0] == pytest.approx(expected / base)
        chosen = weighed(policy, deals, past, 16)
        assert len(np.unique(chosen["chance"])) == 16
        differing += weights.min() < 0.5 * weights.max()
    assert differing > 3


def test_a_cast_keeps_the_past_for_agents_that_need_it() -> None:
    """They are told what was decided before in their games, and no other agent is."""
    seen: list[Decisions] = []

    class Curious(RandomAgent):
        """Remembers what it is told."""

        needs_games = needs_past = True

        def act(self, decisions):
            seen.append(decisions)
            return decisions.masks.argmax(axis=1)

    class Plain(Agent):
        """Plays the first legal action."""

        def act(self, decisions):
            assert decisions.past is None
            return decisions.masks.argmax(axis=1)

    curious: Agent = type("Curious", (Agent,), dict(vars(Curious)))()
    cast = Cast(4, [curious, Plain()])
    cast.owners[:, :2] = [0, 1]
    batch = Batch(4, 2, seed=2, restarts=False)
    arrays = batch.reset()
    while (rows := np.flatnonzero(arrays.movers >= 0)).size:
        actions = np.full(4, SKIP)
        cast.answer(batch.states, arrays, rows, actions)
        arrays = cast.step(batch, actions)
    counts = [len(decisions.past.actions) / len(decisions.masks) for decisions in seen]
    assert counts == sorted(counts)
    assert counts[-1] > 10
    cast.forget(np.arange(4))
    assert len(cast._log.before(np.arange(4), batch.states).actions) == 0


def test_without_a_past_nothing_is_weighed() -> None:
    """A single decision, such as in a game that is played by hand, is the unweighed one."""
    batch = Batch(6, 2, seed=4)
    arrays = batch.reset()
    for _ in range(9):
        arrays = batch.step_random()
    asked = Decisions(arrays.observations, arrays.masks, np.arange(6, dtype=np.uint64), batch.states)
    network = load_network("duel")
    answers = [LocalResponse(network, 3, weighs=weighs).act(asked).tolist() for weighs in (False, True)]
    assert answers[0] == answers[1]
