"""Contract "Rewards": what each kind pays, to every seat, and that a dense one pays the same in sum."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from crypt_env import Batch, parse_action
from crypt_env.notation.events import Act
from crypt_env.rules.state import REWARD_NAMES, SCORED
from property.owed import owed
from property.play import COUNTS, rich_game, rich_positions, step

GAMES = 200
ROUNDING = 1e-4
"""Of many payments in float32. Rewards in whole coins have none; for them it is far less than a coin."""


def played(players: int, reward: str, dense: bool, games: int = GAMES) -> tuple[Batch, np.ndarray, np.ndarray]:
    """Play games to their ends; return them, the sum of all rewards, and the rewards of the last step. [N, 4]"""
    batch = Batch(games, players, seed=44, reward=reward, dense=dense, restarts=False)
    arrays = batch.reset()
    total, last = arrays.rewards.copy(), np.zeros((games, 4), np.float32)
    while (arrays.movers >= 0).any():
        arrays = batch.step_random()
        total += arrays.rewards
        last[arrays.dones] = arrays.rewards[arrays.dones]
        if not dense:
            assert (arrays.rewards[~arrays.dones] == 0).all(), "paid before the end"
    return batch, total, last


@pytest.mark.parametrize("reward", REWARD_NAMES)
@pytest.mark.parametrize("players", COUNTS)
def test_every_seat_is_paid_what_it_is_owed(players: int, reward: str) -> None:
    """At the end, no matter who moved last: the win, the margin or the coins; nothing before or to empty seats."""
    batch, total, last = played(players, reward, dense=False)
    assert (total == last).all()
    for state, paid in zip(batch.states, last, strict=True):
        scores = state["scores"][:players].tolist()
        dues = owed(players, reward, scores, int(state["winners"]))
        np.testing.assert_allclose(paid, dues + [0.0] * (4 - players), rtol=1e-6)
        assert max(scores) == max(score for seat, score in enumerate(scores) if state["winners"] >> seat & 1)
    assert len({tuple(paid) for paid in last.tolist()}) > players - 1 or reward == "win"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_win_sums_to_zero(players: int) -> None:
    """The winner gets 1, the losers share -1."""
    _, total, _ = played(players, "win", dense=False)
    np.testing.assert_allclose(total.sum(axis=1), 0, atol=1e-6)
    assert (total.max(axis=1) <= 1).all()
    assert (total.max(axis=1) == 1).mean() > 0.9


def test_margin_of_two_players_sums_to_zero() -> None:
    """One seat is ahead by as much as the other is behind."""
    _, total, _ = played(2, "margin", dense=False)
    assert (total.sum(axis=1) == 0).all()
    assert (total != 0).any()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_shared_win_is_shared_evenly(players: int) -> None:
    """k winners share 1, the others share -1; if all win no seat is paid. Without dice a tie stays. [R11]"""
    for wins in product((0, 1), repeat=players):
        if not any(wins):
            continue
        batch = Batch(1, players, seed=1, restarts=False)
        batch.reset()
        batch.states["phase"], batch.states["mover"], batch.states["ready"] = SCORED, -1, 0
        batch.states["winners"] = bits = sum(win << seat for seat, win in enumerate(wins))
        arrays = step(batch.states)
        assert arrays.dones[0]
        assert int(batch.states["winners"][0]) == bits
        dues = owed(players, "win", [0] * players, bits)
        np.testing.assert_allclose(arrays.rewards[0, :players], dues, rtol=1e-6)
        assert abs(arrays.rewards[0].sum()) < 1e-6


@pytest.mark.parametrize("reward", REWARD_NAMES)
@pytest.mark.parametrize("players", COUNTS)
def test_dense_rewards_sum_to_the_same(players: int, reward: str) -> None:
    """Seat by seat over whole games; and where coins are paid, some are paid before the end."""
    _, once, _ = played(players, reward, dense=False)
    _, bit_by_bit, last = played(players, reward, dense=True)
    np.testing.assert_allclose(bit_by_bit, once, rtol=1e-6, atol=ROUNDING)
    pays_coins = reward != "win" or players == 1
    assert (last != once).any() == pays_coins


@pytest.mark.parametrize("players", COUNTS)
def test_dense_rewards_sum_to_the_same_in_every_episode(players: int) -> None:
    """Also across automatic restarts: each episode pays for itself."""
    sums = []
    for dense in (False, True):
        batch = Batch(8, players, seed=2, reward="margin", dense=dense)
        arrays = batch.reset()
        open_sums, closed = np.zeros((8, 4)), []
        for _ in range(300):
            arrays = batch.step_random()
            open_sums += arrays.rewards
            for row in np.flatnonzero(arrays.dones):
                closed.append((int(row), open_sums[row].tolist()))
                open_sums[row] = 0
        sums.append(closed)
    assert sums[0] == sums[1]
    assert len(sums[0]) > 16


@pytest.mark.parametrize("reward", REWARD_NAMES)
@pytest.mark.parametrize("players", COUNTS)
def test_rewards_where_flips_are_asked_and_takes_answered(players: int, reward: str) -> None:
    """They have the same sum, and a step after which a flip is asked pays no seat: that would reveal the question."""
    asked = 0
    for seed in (1, 11):
        *_, game = rich_positions(players, seed)
        totals = []
        for dense in (False, True):
            states, total = rich_game(players, seed).state, np.zeros(4)
            states["pauses"], states["dense"], states["reward_rule"] = 0, dense, REWARD_NAMES.index(reward)
            for action in (event.text for event in game.events if isinstance(event, Act)):
                arrays = step(states, parse_action(action))
                total += arrays.rewards[0]
                if states["chosen"][0] >= 0:
                    asked += 1
                    assert not arrays.rewards.any()
            assert arrays.dones[0]
            totals.append(total)
        np.testing.assert_allclose(totals[0], totals[1], rtol=1e-6, atol=ROUNDING)
        assert list(states["scores"][0, :players]) == [sheet.total for sheet in game.sheets()]
    assert (asked > 3) == (players > 1)


@pytest.mark.parametrize("players", COUNTS)
def test_dense_reward_does_not_change_the_game(players: int) -> None:
    """Paying early, or another kind of reward, does not change cards, dice or sampled actions."""
    ends = [played(players, reward, dense)[0].states for reward in REWARD_NAMES for dense in (False, True)]
    for states in ends[1:]:
        for name in ("deck", "scores", "winners", "chance", "choice", "decisions", "public", "ready"):
            assert (states[name] == ends[0][name]).all()
