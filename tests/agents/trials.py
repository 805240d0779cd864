"""Checks that every rule-of-thumb agent must pass, and matches between agents; shared by their tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from crypt_env import Batch
from crypt_env.agents import make_agent
from crypt_env.agents.base import Decisions
from crypt_env.agents.cast import NO_AGENT, Cast
from crypt_env.rules.actions import FLIP, SKIP
from crypt_env.rules.batch import view_rows
from crypt_env.rules.cards import VALUES
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.state import AFTER_CLAIM, ANSWER, BEFORE_CLAIM, CLAIM, COLLECT
from property.play import asked_games, look, run_elsewhere

ROWS = 128


def random_bits(count: int, seed: int) -> np.ndarray:
    """Return 64 random bits for each decision."""
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


def some_decisions(players: int = 2, games: int = 12, steps: int = 9) -> Decisions:
    """Return decisions in games that were played at random so far, with the games themselves."""
    batch = Batch(games, players, seed=3)
    batch.reset()
    for _ in range(steps):
        batch.step_random()
    states = batch.states.copy()
    return Decisions(*look(states, states["mover"].tolist()), random_bits(games, 1), states)


def decide(agent, observations: np.ndarray, masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Return an agent's actions, with an empty memory."""
    memory = np.zeros((len(masks), agent.memory_size), np.float32) if agent.memory_size else None
    return agent.act(Decisions(observations, masks, bits, memory=memory))


@cache
def decisions(players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the games, observations and masks of many decisions in random play, of all phases, and of all flips."""
    batch = Batch(ROWS, players, seed=players)
    batch.reset()
    kept = [game.state for game in asked_games(players)]
    for _ in range(30):
        kept.append(batch.states.copy())
        batch.step_random()
    states = np.concatenate(kept)
    return states, *look(states, states["mover"].tolist())


def check_legal(name: str, players: int) -> None:
    """Every action is legal, in positions of random play and in games of its own."""
    agent = make_agent(name)
    states, observations, masks = decisions(players)
    assert set(states["phase"]) == {BEFORE_CLAIM, CLAIM, AFTER_CLAIM, COLLECT} | ({ANSWER} if players > 1 else set())
    assert masks[:, FLIP : FLIP + VALUES].any() == (players > 1)
    actions = decide(agent, observations, masks, random_bits(len(masks), 1))
    assert masks[np.arange(len(masks)), actions].all()
    scores(name, name, players, games=64)  # the batch refuses illegal actions


def check_rows(name: str, players: int) -> None:
    """A decision is the same alone, in a batch in another order, and a second time."""
    agent = make_agent(name)
    _, observations, masks = decisions(players)
    bits = random_bits(len(masks), 2)
    actions = decide(agent, observations, masks, bits)
    order = np.random.default_rng(3).permutation(len(masks))
    assert (decide(agent, observations[order], masks[order], bits[order]) == actions[order]).all()
    assert (decide(agent, observations, masks, bits) == actions).all()
    for row in range(0, len(masks), 97):
        alone = slice(row, row + 1)
        assert decide(agent, observations[alone], masks[alone], bits[alone]) == actions[alone]


def check_hidden(name: str, players: int) -> None:
    """What the seat cannot know does not matter: after a re-deal the decision is the same."""
    agent = make_agent(name)
    states, observations, masks = decisions(players)
    bits = random_bits(len(masks), 4)
    other = states.copy()
    resample_rows(other, 0, len(other), other["mover"].copy(), bits)
    assert (other["deck"] != states["deck"]).any()
    seen, allowed = np.zeros_like(observations), np.zeros_like(masks)
    view_rows(other, np.arange(len(other)), other["mover"].copy(), seen, allowed)
    assert (decide(agent, seen, allowed, bits) == decide(agent, observations, masks, bits)).all()


def fingerprint(name: str) -> str:
    """Return what an agent does in some positions, as text."""
    chosen = []
    for players in (1, 2, 3, 4):
        batch = Batch(8, players, seed=9)
        arrays = batch.reset()
        for number in range(12):
            bits = random_bits(8, number)
            actions = decide(make_agent(name), arrays.observations, arrays.masks, bits)
            chosen += actions.tolist()
            arrays = batch.step(actions)
    return repr(chosen)


def check_plain(name: str) -> None:
    """Plain Python decides as the compiled code does."""
    code = f"from agents.trials import fingerprint; print(fingerprint({name!r}))"
    assert run_elsewhere(f"import sys; sys.path.insert(0, 'tests'); {code}", NUMBA_DISABLE_JIT="1") == fingerprint(name)


def scores(name: str, other: str, players: int, games: int, seed: int = 6) -> tuple[float, float]:
    """Play an agent against others, its seat and the tables in rotation; return its mean coins and share of wins."""
    batch = Batch(games, players, restarts=False, seed=seed)
    rows = np.arange(games)
    batch.states["table_rule"] = rows % 64
    seats = rows // 64 % players
    cast = Cast(games, [name, other])
    cast.owners[:] = NO_AGENT
    cast.owners[:, :players] = np.arange(players) != seats[:, None]
    arrays = batch.reset()
    while (waiting := np.flatnonzero(arrays.movers >= 0)).size:
        actions = np.full(games, SKIP, np.int64)
        cast.answer(batch.states, arrays, waiting, actions)
        arrays = batch.step(actions)
    winners = batch.states["winners"].astype(np.int64)
    counts = np.array([bin(seats_won).count("1") for seats_won in winners.tolist()])
    return batch.states["scores"][rows, seats].mean(), ((winners >> seats & 1) / counts).mean()
