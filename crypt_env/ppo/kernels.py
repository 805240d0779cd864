"""The inner loops of PPO that are not matrix multiplications, compiled: drawing actions, advantages, the loss.

All run without the GIL, so that two threads can each work on half of the rows. Numbers are float32; the exponential is
a polynomial that the compiler turns into vector instructions, exact to about 2e-7, which is what float32 holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba
import numpy as np

from crypt_env.rules.compiled import IS_COMPILED
from crypt_env.rules.kept import CheckedCache

Function = TypeVar("Function", bound=Callable[..., object])

_LOG2_E = np.float32(1.4426950408889634)
_LOWEST = np.float32(-127.0)
"""Two to this power is 0 here: an exponent of 0 and no digits. So nothing is drawn that has no chance to speak of."""
_HUGE = np.float32(1e30)


def compiled(function: Function) -> Function:
    """Compile for two threads at a time, and keep the code on disk; what was damaged there is compiled again."""
    done: Function = numba.njit(nogil=True, error_model="numpy", fastmath=True)(function)
    if IS_COMPILED:
        done._cache = CheckedCache(function, lambda: None)  # type: ignore[attr-defined]
    return done


def pasted(function: Function) -> Function:
    """Paste a function into whatever calls it, before compiling.

    Compiled by itself it would be part of every caller's machine code once more, each copy with its sums in another
    order, and the linker takes the copy that it meets first: a process that has just compiled would not compute the
    same numbers as one that has loaded the same functions from disk.
    """
    done: Function = numba.njit(inline="always", error_model="numpy", fastmath=True)(function)
    return done


@pasted
def _softmax(
    row: np.ndarray, mask: np.ndarray, logits: np.ndarray, chances: np.ndarray, bits: np.ndarray
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
        chances[action] = power * rest + np.float32(1.0)
    powers = bits.view(np.float32)
    total = np.float32(0.0)
    for action in range(width):
        chances[action] *= powers[action] * np.float32(mask[action])
        total += chances[action]
    return total


@compiled
def copy_columns(observations: np.ndarray, columns: np.ndarray, above: np.ndarray, seen: np.ndarray) -> None:
    """Copy columns of observations, or whether each is above its limit.

    Args:
        observations: int8 [n, features].
        columns: int64 [columns].
        above: int8 [columns], the limits, or empty to copy the numbers.
        seen: int8 [n, columns], written.
    """
    for row in range(len(observations)):
        vector, copied = observations[row], seen[row]
        if len(above):
            for place in range(len(columns)):
                copied[place] = vector[columns[place]] > above[place]
        else:
            for place in range(len(columns)):
                copied[place] = vector[columns[place]]


@compiled
def draw_actions(
    outputs: np.ndarray,
    masks: np.ndarray,
    random_bits: np.ndarray,
    actions: np.ndarray,
    log_chances: np.ndarray,
    values: np.ndarray,
) -> int:
    """Draw a legal action for each row by the policy; return the first row without a legal action, or -1.

    Args:
        outputs: float32 [n, actions + 1], the logits and the value.
        masks: bool [n, actions].
        random_bits: uint64 [n].
        actions: int64 [n], written.
        log_chances: float32 [n], written: the logarithm of the chance of what was drawn.
        values: float32 [n], written.
    """
    width = masks.shape[1]
    logits, chances, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    for row in range(len(outputs)):
        total = _softmax(outputs[row], masks[row], logits, chances, bits)
        if not total > np.float32(0.0):
            return row
        mark = np.float32(np.float64(random_bits[row] >> np.uint64(11)) * 2.0**-53) * total
        chosen = 0
        while chosen < width and mark >= chances[chosen]:
            mark -= chances[chosen]
            chosen += 1
        if chosen == width:  # rounding left more than there was
            chosen = int(np.argmax(chances))
        actions[row] = chosen
        log_chances[row] = logits[chosen] - np.float32(np.log(total))
        values[row] = outputs[row, width]
    return -1


@compiled
def seat_advantages(
    movers: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    values: np.ndarray,
    gamma: float,
    gae_lambda: float,
    reward_scale: float,
    advantages: np.ndarray,
    is_closed: np.ndarray,
) -> None:
    """Compute generalised advantages along each (game, seat) by itself.

    A decision is followed by the same seat's next decision, however many others lie in between, and is paid whatever
    the seat is paid until then. The end of a game ends all of its seats' streams. The last decision of a seat in a
    rollout stays open if its game goes on, as nobody knows yet what follows; only of the seat that decides next the
    value is known.

    Args:
        movers: int8 [T + 1, N], who decides.
        rewards: float32 [T, N, seats], what every seat was paid in the step.
        dones: bool [T, N], whether the game ended in the step.
        values: float32 [T + 1, N], the mover's.
        gamma: discount for each own decision.
        gae_lambda: as usual.
        reward_scale: what one unit of reward counts.
        advantages: float32 [T, N], written.
        is_closed: bool [T, N], written: False for decisions that are still open.
    """
    steps, games = dones.shape
    seats = rewards.shape[2]
    for game in range(games):
        paid = np.zeros(seats, np.float32)
        later_value = np.zeros(seats, np.float32)
        later_advantage = np.zeros(seats, np.float32)
        is_known = np.zeros(seats, np.bool_)
        after = movers[steps, game]
        is_known[after] = True
        later_value[after] = values[steps, game]
        for step in range(steps - 1, -1, -1):
            if dones[step, game]:
                paid[:], later_value[:], later_advantage[:], is_known[:] = 0, 0, 0, True
            for seat in range(seats):
                paid[seat] += rewards[step, game, seat] * reward_scale
            mover = movers[step, game]
            error = paid[mover] + gamma * later_value[mover] - values[step, game]
            advantage = error + gamma * gae_lambda * later_advantage[mover]
            is_closed[step, game] = is_known[mover]
            advantages[step, game] = advantage if is_known[mover] else 0
            later_advantage[mover] = advantage if is_known[mover] else 0
            later_value[mover] = values[step, game]
            is_known[mover] = True
            paid[mover] = 0


@compiled
def ppo_loss(
    outputs: np.ndarray,
    rows: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    log_chances: np.ndarray,
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
        log_chances: float32 [rollout], when they were drawn.
        old_values: float32 [rollout], when they were drawn.
        advantages: float32 [rollout], normalised.
        returns: float32 [rollout], the values' targets.
        coefficients: float32 [5]: clip range, that of the value or 0 for none, weights of the entropy and of the value,
            and what each row counts, 1 / size of the minibatch.
        gradients: float32 [n, actions + 1], written.
        sums: float64 [5], added to: policy loss, value loss, entropy, approximate KL divergence, clipped rows.
    """
    clip, value_clip, entropy_weight, value_weight, share = coefficients
    one = np.float32(1.0)
    width = masks.shape[1]
    logits, chances, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    for place in range(len(rows)):
        row = rows[place]
        total = _softmax(outputs[place], masks[row], logits, chances, bits)
        log_total = np.float32(np.log(total))
        share_of_one = one / total
        entropy = np.float32(0.0)
        for action in range(width):
            chances[action] *= share_of_one
            logits[action] -= log_total
            entropy -= chances[action] * logits[action]
        change = logits[actions[row]] - log_chances[row]
        ratio = np.float32(np.exp(change))
        advantage = advantages[row]
        # Spelled out: comparing the two products instead loses the gradient of those that are equal.
        is_clipped = (advantage > 0 and ratio > one + clip) or (advantage < 0 and ratio < one - clip)
        slope = np.float32(0.0) if is_clipped else -advantage * ratio * share
        spread = entropy_weight * share
        for action in range(width):
            chance = chances[action]
            gradients[place, action] = chance * (spread * (logits[action] + entropy) - slope)
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
    lessons: np.ndarray,
    is_taught: np.ndarray,
    weight: float,
    gradients: np.ndarray,
) -> float:
    """Add the derivative of how far a network's choices are from those of its teachers, by its outputs.

    Args:
        outputs: float32 [n, actions + 1], logits and value now.
        rows: int64 [n], which rows of the rollout these are.
        masks: bool [rollout, actions].
        lessons: float32 [rollout, actions], the teachers' logits.
        is_taught: bool [rollout], whether there are any.
        weight: what each row counts.
        gradients: float32 [n, actions + 1], added to.

    Returns:
        The sum of the KL divergences of the network's choices from the teachers'.
    """
    width = masks.shape[1]
    mine, theirs = np.empty(width, np.float32), np.empty(width, np.float32)
    chances, wanted, bits = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.int32)
    total = 0.0
    for place in range(len(rows)):
        row = rows[place]
        if not is_taught[row]:
            continue
        sum_mine = _softmax(outputs[place], masks[row], mine, chances, bits)
        sum_theirs = _softmax(lessons[row], masks[row], theirs, wanted, bits)
        shift = np.float32(np.log(sum_mine / sum_theirs))
        for action in range(width):
            if masks[row, action]:
                goal = wanted[action] / sum_theirs
                gradients[place, action] += np.float32(weight) * (chances[action] / sum_mine - goal)
                total += goal * (theirs[action] - mine[action] + shift)
    return total
