"""The compiled loops against their formulas: those of sb3-contrib for the loss, textbook ones for the rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from torch.nn import functional

from cli.processes import PACKAGE, environment, run
from crypt_env import ACTIONS
from crypt_env.ppo.loss import draw_actions, ppo_loss

ROWS, ROLLOUT = 96, 128


def some_masks(rows: int, chance: float, random: np.random.Generator) -> np.ndarray:
    """Return masks with at least one legal action each."""
    masks = random.random((rows, ACTIONS)) < chance
    masks[np.arange(rows), random.integers(0, ACTIONS, rows)] = True
    return masks


def some_rollout(seed: int, chance: float = 0.2, spread: float = 1.0, drift: float = 0.4) -> dict[str, np.ndarray]:
    """Return a rollout with ratios on both sides of the clip range, and the network's outputs for some of its rows."""
    random = np.random.default_rng(seed)
    masks = some_masks(ROLLOUT, chance, random)
    actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
    rows = random.permutation(ROLLOUT)[:ROWS]
    outputs = random.normal(0, spread, (ROWS, ACTIONS + 1)).astype(np.float32)
    log_probs = np.zeros(ROLLOUT, np.float32)
    now = MaskableCategorical(logits=torch.from_numpy(outputs[:, :ACTIONS]), masks=masks[rows])
    log_probs[rows] = now.log_prob(torch.from_numpy(actions[rows])).numpy() + random.normal(0, drift, ROWS)
    values = random.normal(0, 1, ROLLOUT).astype(np.float32)
    advantages = random.normal(0, 1, ROLLOUT).astype(np.float32)
    return {
        "outputs": outputs,
        "rows": rows,
        "masks": masks,
        "actions": actions,
        "log_probs": log_probs,
        "old_values": values,
        "advantages": advantages,
        "returns": values + random.normal(0, 1, ROLLOUT).astype(np.float32),
    }


def by_kernel(rollout: dict[str, np.ndarray], *weights: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the means of the loss's parts and the gradient by `ppo_loss`."""
    gradients, sums = np.full((ROWS, ACTIONS + 1), np.nan, np.float32), np.zeros(5)
    ppo_loss(*rollout.values(), np.array([*weights, 1 / ROWS], np.float32), gradients, sums)
    return sums / ROWS, gradients


def by_torch(
    rollout: dict[str, np.ndarray], clip: float, value_clip: float, entropy_weight: float, value_weight: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same, written as in the `train` of sb3-contrib's MaskablePPO and differentiated by torch."""
    rows = rollout["rows"]
    old = {name: torch.from_numpy(rollout[name][rows]) for name in rollout if name not in ("outputs", "rows")}
    outputs = torch.tensor(rollout["outputs"], requires_grad=True)
    distribution = MaskableCategorical(logits=outputs[:, :ACTIONS], masks=rollout["masks"][rows])
    log_prob, values = distribution.log_prob(old["actions"]), outputs[:, ACTIONS]
    ratio = torch.exp(log_prob - old["log_probs"])
    gains = torch.min(old["advantages"] * ratio, old["advantages"] * torch.clamp(ratio, 1 - clip, 1 + clip))
    if value_clip:
        values = old["old_values"] + torch.clamp(values - old["old_values"], -value_clip, value_clip)
    parts = [-gains.mean(), functional.mse_loss(old["returns"], values), distribution.entropy().mean()]
    (parts[0] - entropy_weight * parts[2] + value_weight * parts[1]).backward()
    log_ratio = log_prob - old["log_probs"]
    parts += [((torch.exp(log_ratio) - 1) - log_ratio).mean(), (torch.abs(ratio - 1) > clip).float().mean()]
    assert outputs.grad is not None
    return np.array([part.item() for part in parts]), outputs.grad.numpy()


def assert_equal_losses(rollout: dict[str, np.ndarray], *weights: float, exact: float = 1e-5) -> None:
    """Check the kernel against torch; the gradient row by row."""
    parts, gradients = by_kernel(rollout, *weights)
    expected_parts, expected = by_torch(rollout, *weights)
    np.testing.assert_allclose(parts, expected_parts, rtol=exact, atol=exact)
    np.testing.assert_allclose(gradients * ROWS, expected * ROWS, rtol=exact, atol=exact)


# -- the loss ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value_clip", [0.0, 0.3])
@pytest.mark.parametrize("entropy_weight", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(4))
def test_loss_and_gradient_are_those_of_sb3_contrib(seed: int, entropy_weight: float, value_clip: float) -> None:
    """For all parts of the loss, with and without clipped values."""
    assert_equal_losses(some_rollout(seed), 0.2, value_clip, entropy_weight, 0.5)


def test_rows_are_clipped_on_both_sides() -> None:
    """The rollouts of these tests have all four kinds of rows outside of the clip range, and those within it."""
    rollout = some_rollout(0)
    expected = by_torch(rollout, 0.2, 0.0, 0.0, 0.0)[1]
    rows = rollout["rows"]
    now = MaskableCategorical(logits=torch.from_numpy(rollout["outputs"][:, :ACTIONS]), masks=rollout["masks"][rows])
    change = now.log_prob(torch.from_numpy(rollout["actions"][rows])).numpy() - rollout["log_probs"][rows]
    ratio, advantages = np.exp(change), rollout["advantages"][rows]
    is_still = (expected == 0).all(axis=1)
    for is_above in (True, False):
        outside = ratio > 1.2 if is_above else ratio < 0.8
        assert is_still[outside & ((advantages > 0) == is_above)].all()
        assert not is_still[outside & ((advantages > 0) != is_above)].any()
        assert (outside & (advantages > 0)).any()
        assert (outside & (advantages < 0)).any()
    assert not is_still[abs(ratio - 1) < 0.19].any()


def test_a_first_step_moves_everything() -> None:
    """As long as the policy has not changed no row is clipped, despite rounding."""
    rollout = some_rollout(5, drift=0.0)
    parts, gradients = by_kernel(rollout, 0.2, 0.0, 0.0, 0.5)
    assert parts[4] == 0
    has_choice = rollout["masks"][rollout["rows"]].sum(axis=1) > 1
    assert (abs(gradients[has_choice, :ACTIONS]).max(axis=1) > 0).all()
    assert_equal_losses(rollout, 0.2, 0.0, 0.0, 0.5)


def test_loss_with_a_single_legal_action() -> None:
    """The policy then has nothing to learn."""
    rollout = some_rollout(6, chance=0.0, drift=0.0)
    rollout["log_probs"][:] = 0
    gradients = by_kernel(rollout, 0.2, 0.0, 0.05, 0.5)[1]
    assert abs(gradients[:, :ACTIONS]).max() == 0
    assert_equal_losses(rollout, 0.2, 0.0, 0.05, 0.5)


@pytest.mark.parametrize(("spread", "exact"), [(30.0, 1e-5), (80.0, 1e-4)])
def test_loss_with_large_logits(spread: float, exact: float) -> None:
    """Probabilities at the limit of float32 do no harm; logits in the hundreds have no more precision than that."""
    rollout = some_rollout(7, spread=spread, drift=0.1)
    rollout["outputs"][:, ACTIONS] /= spread
    assert np.isfinite(by_kernel(rollout, 0.2, 0.2, 0.01, 0.5)[1]).all()
    assert_equal_losses(rollout, 0.2, 0.2, 0.0, 0.5, exact=exact)


def test_illegal_actions_have_no_gradient() -> None:
    """For any output of the network."""
    rollout = some_rollout(8)
    legal = rollout["masks"][rollout["rows"]]
    before = by_kernel(rollout, 0.2, 0.0, 0.05, 0.5)[1]
    for louder in (5, 1000):
        rollout["outputs"][:, :ACTIONS] += np.where(legal, 0, louder).astype(np.float32)
        gradients = by_kernel(rollout, 0.2, 0.0, 0.05, 0.5)[1]
        assert (gradients[:, :ACTIONS][~legal] == 0).all()
        np.testing.assert_array_equal(gradients, before)


def test_halves_of_a_minibatch_add_up() -> None:
    """Two threads that each have half of the rows compute what one would."""
    rollout = some_rollout(9)
    parts, gradients = by_kernel(rollout, 0.2, 0.3, 0.05, 0.5)
    sums, halves = np.zeros(5), np.zeros((ROWS, ACTIONS + 1), np.float32)
    for half in (slice(0, 30), slice(30, ROWS)):
        shared = [rollout[name] for name in rollout if name not in ("outputs", "rows")]
        weights = np.array([0.2, 0.3, 0.05, 0.5, 1 / ROWS], np.float32)
        ppo_loss(rollout["outputs"][half], rollout["rows"][half], *shared, weights, halves[half], sums)
    np.testing.assert_array_equal(halves, gradients)
    np.testing.assert_allclose(sums / ROWS, parts, rtol=1e-12)


# -- drawing ----------------------------------------------------------------------------------------------------------


def draw(outputs: np.ndarray, masks: np.ndarray, bits: np.ndarray) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return the row without a legal action, the actions, their log-probabilities and the values."""
    actions = np.full(len(masks), -7, np.int64)
    log_probs, values = np.full((2, len(masks)), np.nan, np.float32)
    return draw_actions(outputs, masks, bits, actions, log_probs, values), actions, log_probs, values


def random_bits(count: int, seed: int) -> np.ndarray:
    """Return 64 random bits for each row."""
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


@pytest.mark.parametrize("spread", [0.0, 1.0, 5.0, 60.0])
def test_log_probabilities_are_exact(spread: float) -> None:
    """Those of the actions drawn, and only legal ones are."""
    random = np.random.default_rng(1)
    masks = some_masks(4000, 0.15, random)
    outputs = random.normal(0, spread, (4000, ACTIONS + 1)).astype(np.float32)
    empty, actions, log_probs, values = draw(outputs, masks, random_bits(4000, 2))
    assert empty == -1
    assert masks[np.arange(4000), actions].all()
    logits = np.where(masks, outputs[:, :ACTIONS].astype(np.float64), -np.inf)
    logits -= logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(log_probs, logits[np.arange(4000), actions], atol=1e-5, rtol=1e-5)
    np.testing.assert_array_equal(values, outputs[:, ACTIONS])


@pytest.mark.parametrize("seed", range(3))
def test_actions_are_drawn_as_often_as_the_policy_says(seed: int) -> None:
    """A chi-square test of a million draws, at a level of one in a hundred thousand."""
    random = np.random.default_rng(seed)
    mask = some_masks(1, 0.15, random)
    output = random.normal(0, 1.5, (1, ACTIONS + 1)).astype(np.float32)
    count = 1_000_000
    actions = draw(np.repeat(output, count, 0), np.repeat(mask, count, 0), random_bits(count, seed))[1]
    chances = np.where(mask[0], np.exp(output[0, :ACTIONS].astype(np.float64)), 0)
    expected = count * chances / chances.sum()
    counts = np.bincount(actions, minlength=ACTIONS)
    legal = mask[0]
    assert counts[~legal].sum() == 0
    square = ((counts - expected)[legal] ** 2 / expected[legal]).sum()
    freedom = legal.sum() - 1
    normal = ((square / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / np.sqrt(2 / (9 * freedom))
    assert normal < 4.27


@pytest.mark.parametrize("bits", [0, 2**11 - 1, 2**64 - 1])
def test_the_ends_of_chance_are_legal(bits: int) -> None:
    """The smallest and the largest number both sample an action with positive probability, despite rounding."""
    random = np.random.default_rng(3)
    masks = some_masks(2000, 0.1, random)
    outputs = random.normal(0, 8, (2000, ACTIONS + 1)).astype(np.float32)
    masks[:, -1], outputs[:, ACTIONS - 1] = True, -500  # legal, but its probability rounds to zero
    empty, actions, _, _ = draw(outputs, masks, np.full(2000, bits, np.uint64))
    assert empty == -1
    assert masks[np.arange(2000), actions].all()
    assert (actions != ACTIONS - 1)[masks.sum(axis=1) > 1].all()


def test_the_first_row_without_a_legal_action_is_named() -> None:
    """The rows before it are drawn already."""
    masks = some_masks(10, 0.2, np.random.default_rng(4))
    masks[6] = masks[8] = False
    empty, actions, _, _ = draw(np.zeros((10, ACTIONS + 1), np.float32), masks, random_bits(10, 0))
    assert empty == 6
    assert (actions[:6] >= 0).all()
    assert (actions[6:] == -7).all()


def test_a_row_that_is_no_number_is_named() -> None:
    """A diverged network is detected."""
    outputs = np.zeros((5, ACTIONS + 1), np.float32)
    outputs[2] = np.nan
    assert draw(outputs, np.ones((5, ACTIONS), np.bool_), random_bits(5, 0))[0] == 2


COPY = """
import numpy as np
from crypt_env.ppo.rollout import copy_columns

seen = np.zeros((4, 2), np.int8)
copy_columns(np.ones((4, 9), np.int8), np.array([1, 2]), np.zeros(0, np.int8), seen)
print(seen.sum(), sum(copy_columns.stats.cache_hits.values()))
"""


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_compiled_code_that_was_damaged_is_compiled_again(ending: str, tmp_path: Path) -> None:
    """Cut short, or with another bit in it: no error, no crash, and only once."""

    def answer() -> str:
        done = run("-c", COPY, env=environment(NUMBA_CACHE_DIR=tmp_path), cwd=PACKAGE.parent)
        assert done.returncode == 0, done.stderr
        return str(done.stdout.strip())

    assert answer() == "8 0"
    (path,) = tmp_path.rglob(f"rollout.copy_columns*.{ending}")
    whole = path.read_bytes()
    for damaged in (whole[:60], whole[:-40] + bytes([whole[-40] ^ 4]) + whole[-39:]):
        path.write_bytes(damaged)
        assert answer() == "8 0"
    assert answer() == "8 1"
