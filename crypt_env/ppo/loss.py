"""Compiled functions of the network's logits: sampling actions, PPO's loss, divergences from teachers and magnet.

All run without the GIL, so that two threads can each work on half of the rows. Numbers are float32; the exponential is
a polynomial that the compiler turns into vector instructions, exact to about 2e-7, the precision of float32. They are
in one file because all inline the same softmax, and numba's cache notices changes only within a file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba
import numpy as np

from crypt_env.rules.compiled import IS_COMPILED, CheckedCache

Function = TypeVar("Function", bound=Callable[..., object])

_LOG2_E = np.float32(1.4426950408889634)
_LOWEST = np.float32(-127.0)
"""Two to this power is 0 here: an exponent of 0 and no digits, so actions of negligible probability are never drawn."""
_HUGE = np.float32(1e30)


def compiled(function: Function) -> Function:
    """Compile without the GIL, and cache the code on disk; damaged files are compiled again."""
    done: Function = numba.njit(nogil=True, error_model="numpy", fastmath=True)(function)
    if IS_COMPILED:
        done._cache = CheckedCache(function, lambda: None)  # type: ignore[attr-defined]
    return done


def inlined(function: Function) -> Function:
    """Inline a function into its callers before they are compiled.

    Compiled by itself it would be part of every caller's machine code, each copy with its sums in another order, and
    the linker takes the first copy that it meets: a process that has just compiled would not compute the same numbers
    as one that has loaded the same functions from disk.
    """
    done: Function = numba.njit(inline="always", error_model="numpy", fastmath=True)(function)
    return done


@inlined
def masked_softmax(
    row: np.ndarray, mask: np.ndarray, logits: np.ndarray, probs: np.ndarray, bits: np.ndarray
) -> np.float32:
    """Write the logits of a row relative to the highest legal one, and their exponentials; return the sum.

    Plain loops without branches, which become vector instructions. ``bits`` is int32 memory for the powers of two.
    """
    width = mask.shape[0]
    highest = -_HUGE
    for action in range(width):
        is_legal = np.float32(mask[action])
        logit = row[action] * is_legal + (is_legal - np.float32(1.0)) * _HUGE
        logits[action] = logit
        if logit > highest:
            highest = logit
    for action in range(width):
        logits[action] -= highest
        scaled = logits[action] * _LOG2_E
        if scaled < _LOWEST:
            scaled = _LOWEST
        whole = np.floor(scaled + np.float32(0.5))
        rest = scaled - whole
        bits[action] = (np.int32(whole) + np.int32(127)) * np.int32(1 << 23)
        power = np.float32(1.5403530e-4)
        power = power * rest + np.float32(1.3333558e-3)
        power = power * rest + np.float32(9.6181291e-3)
        power = power * rest + np.float32(5.5504109e-2)
        power = power * rest + np.float32(0.24022651)
        power = power * rest + np.float32(0.69314718)
        probs[action] = power * rest + np.float32(1.0)
    powers = bits.view(np.float32)
    total = np.float32(0.0)
    for action in range(width):
        probs[action] *= powers[action] * np.float32(mask[action])
        total += probs[action]
    return total


@compiled
def draw_actions(
    outputs: np.ndarray,
    masks: np.ndarray,
    random_bits: np.ndarray,
    actions: np.ndarray,
    log_probs: np.ndarray,
    values: np.ndarray,
) -> int:
    """Sample a legal action for each row from the policy; return the first row without a legal action, or -1.

    Args:
        outputs: float32 [n, actions + 1], the logits and the value.
        masks: bool [n, actions].
        random_bits: uint64 [n].
        actions: int64 [n], written.
        log_probs: float32 [n], written: the log-probability of that action.
        values: float32 [n], written.
    """
    width = masks.shape[1]
    logits, probs, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    for row in range(len(outputs)):
        total = masked_softmax(outputs[row], masks[row], logits, probs, bits)
        if not total > np.float32(0.0):
            return row
        mark = np.float32(np.float64(random_bits[row] >> np.uint64(11)) * 2.0**-53) * total
        chosen = 0
        while chosen < width and mark >= probs[chosen]:
            mark -= probs[chosen]
            chosen += 1
        if chosen == width:  # by rounding
            chosen = int(np.argmax(probs))
        actions[row] = chosen
        log_probs[row] = logits[chosen] - np.float32(np.log(total))
        values[row] = outputs[row, width]
    return -1


@inlined
def log_softmax(
    row: np.ndarray, mask: np.ndarray, logits: np.ndarray, probs: np.ndarray, bits: np.ndarray
) -> np.float32:
    """Write the log-probabilities of a row and its probabilities; return their entropy."""
    total = masked_softmax(row, mask, logits, probs, bits)
    log_total = np.float32(np.log(total))
    share = np.float32(1.0) / total
    entropy = np.float32(0.0)
    for action in range(mask.shape[0]):
        probs[action] *= share
        logits[action] -= log_total
        entropy -= probs[action] * logits[action]
    return entropy


@compiled
def ppo_loss(
    outputs: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    log_probs: np.ndarray,
    old_values: np.ndarray,
    advantages: np.ndarray,
    returns: np.ndarray,
    coefficients: np.ndarray,
    gradients: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Compute PPO's loss for some rows of a rollout, and its derivative by the outputs of the network.

    Args:
        outputs: float32 [n, actions + 1], logits and value now.
        rows: int64 [n], which rows of the rollout these are.
        masks: bool [rollout, actions], as all up to ``returns``.
        actions: int64 [rollout].
        log_probs: float32 [rollout], when they were drawn.
        old_values: float32 [rollout], when they were drawn.
        advantages: float32 [rollout], normalized.
        returns: float32 [rollout], the values' targets.
        coefficients: float32 [5]: clip range, that of the value or 0 for none, weights of the entropy and of the value,
            and of each row, 1 / size of the minibatch.
        gradients: float32 [n, actions + 1], written.
        sums: float64 [5], added to: policy loss, value loss, entropy, approximate KL divergence, clipped rows.
    """
    clip, value_clip, entropy_weight, value_weight, share = coefficients
    one = np.float32(1.0)
    width = masks.shape[1]
    logits, probs, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    for place in range(len(rows)):
        row = rows[place]
        entropy = log_softmax(outputs[place], masks[row], logits, probs, bits)
        change = logits[actions[row]] - log_probs[row]
        ratio = np.float32(np.exp(change))
        advantage = advantages[row]
        # Spelled out: comparing the two products instead loses the gradient of those that are equal.
        is_clipped = (advantage > 0 and ratio > one + clip) or (advantage < 0 and ratio < one - clip)
        slope = np.float32(0.0) if is_clipped else -advantage * ratio * share
        spread = entropy_weight * share
        for action in range(width):
            gradients[place, action] = probs[action] * (spread * (logits[action] + entropy) - slope)
        gradients[place, actions[row]] += slope

        moved = outputs[place, width] - old_values[row]
        held = moved if value_clip == 0 else min(max(moved, -value_clip), value_clip)
        error = old_values[row] + held - returns[row]
        gradients[place, width] = 2 * value_weight * share * error if held == moved else np.float32(0.0)

        gain = min(max(ratio, one - clip), one + clip) if is_clipped else ratio
        sums[0] -= gain * advantage
        sums[1] += error * error
        sums[2] += entropy
        sums[3] += (ratio - one) - change
        sums[4] += abs(ratio - one) > clip


@compiled
def teaching_loss(
    outputs: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    teacher_logits: np.ndarray,
    counts: np.ndarray,
    weight: float,
    gradients: np.ndarray,
) -> float:
    """Add the gradient, by the outputs, of the KL divergence of a network's policy from its teachers'.

    Args:
        outputs: float32 [n, actions + 1], logits and value now.
        rows: int64 [n], which rows of the rollout these are.
        masks: bool [rollout, actions].
        teacher_logits: float32 [rollout, actions], the teachers' logits.
        counts: bool [rollout], whether there are any.
        weight: of each row.
        gradients: float32 [n, actions + 1], added to.

    Returns:
        The sum of the divergences.
    """
    width = masks.shape[1]
    mine, theirs = np.empty(width, np.float32), np.empty(width, np.float32)
    probs, targets, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    total = 0.0
    for place in range(len(rows)):
        row = rows[place]
        if not counts[row]:
            continue
        sum_mine = masked_softmax(outputs[place], masks[row], mine, probs, bits)
        sum_theirs = masked_softmax(teacher_logits[row], masks[row], theirs, targets, bits)
        shift = np.float32(np.log(sum_mine / sum_theirs))
        for action in range(width):
            if masks[row, action]:
                target = targets[action] / sum_theirs
                gradients[place, action] += np.float32(weight) * (probs[action] / sum_mine - target)
                total += target * (theirs[action] - mine[action] + shift)
    return total


@compiled
def magnet_loss(
    outputs: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    magnet_logits: np.ndarray,
    counts: np.ndarray,
    weight: float,
    gradients: np.ndarray,
) -> float:
    """Add the gradient, by the outputs, of the KL divergence of a network's policy from its magnet's.

    Arguments and result are those of `teaching_loss`, but this is an expectation over the network's own actions.
    """
    width = masks.shape[1]
    mine, theirs = np.empty(width, np.float32), np.empty(width, np.float32)
    probs, others, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    total = 0.0
    for place in range(len(rows)):
        row = rows[place]
        if not counts[row]:
            continue
        log_softmax(outputs[place], masks[row], mine, probs, bits)
        log_softmax(magnet_logits[row], masks[row], theirs, others, bits)
        divergence = np.float32(0.0)
        for action in range(width):
            mine[action] -= theirs[action]
            divergence += probs[action] * mine[action]
        for action in range(width):
            gradients[place, action] += np.float32(weight) * probs[action] * (mine[action] - divergence)
        total += float(divergence)
    return total
