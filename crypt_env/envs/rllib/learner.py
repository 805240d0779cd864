"""From episodes to what PPO learns from: each seat's own advantages."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.evaluation.postprocessing import Postprocessing

from .games import MASK, OBSERVATIONS

_LEAST_SPREAD = 1e-4


def seat_advantages(
    rewards: NDArray[np.float32],
    values: NDArray[np.float32],
    later: NDArray[np.float32],
    lengths: NDArray[np.int64],
    gamma: float,
    gae_lambda: float,
) -> NDArray[np.float32]:
    """Return generalized advantages of episodes that are concatenated, [n].

    Args:
        rewards: of all decisions, [n].
        values: of all decisions, [n].
        later: the value of what follows the last decision of each episode, 0 where the game is over. [episodes]
        lengths: of the episodes, at least 1.
        gamma: discount for each decision of the seat.
        gae_lambda: how far advantages look ahead.
    """
    stops = np.cumsum(lengths)
    following = np.append(values[1:], np.float32(0))
    following[stops - 1] = later
    advantages = (rewards + gamma * following - values).astype(np.float32)
    for back in range(2, int(lengths.max()) + 1):
        rows = stops[lengths >= back] - back
        advantages[rows] += gamma * gae_lambda * advantages[rows + 1]
    return advantages


class SeatAdvantages(ConnectorV2):  # type: ignore[misc]
    """The whole learner pipeline: one batch of the decisions in all episodes, with advantages and targets.

    It does the work of RLlib's default connectors for episodes of `SelfPlayRunner`. These hold all of their data in
    arrays, so one operation on an array of all decisions replaces several for every episode.
    """

    def __init__(
        self,
        input_observation_space: Any = None,
        input_action_space: Any = None,
        *,
        gamma: float = 1.0,
        gae_lambda: float = 0.95,
        reward_scale: float = 1.0,
    ) -> None:
        """Take the discount, how far advantages look ahead, and what one unit of reward counts."""
        super().__init__(input_observation_space, input_action_space)
        self._gamma, self._gae_lambda, self._reward_scale = gamma, gae_lambda, reward_scale

    def __call__(
        self, *, rl_module: MultiRLModule, batch: dict[str, Any], episodes: list[SingleAgentEpisode], **kwargs: Any
    ) -> dict[str, Any]:
        """Return the batch."""
        module = rl_module[DEFAULT_MODULE_ID].unwrapped()
        device = next(module.parameters()).device
        lengths = np.array([len(episode) for episode in episodes])
        observed = [episode.observations for episode in episodes]
        seen = {
            name: np.concatenate([buffer.data[name][buffer.lookback :] for buffer in observed])
            for name in (OBSERVATIONS, MASK)
        }
        with torch.no_grad():
            tensors = {name: torch.from_numpy(array).to(device) for name, array in seen.items()}
            values = module.compute_values({Columns.OBS: tensors}).cpu().numpy()
        # An episode has one observation more than decisions: what follows the last of them.
        last = np.cumsum(lengths + 1) - 1
        own = np.delete(np.arange(len(values)), last)
        is_over = np.array([episode.is_terminated for episode in episodes])
        rewards = _joined([episode.rewards for episode in episodes]) * np.float32(self._reward_scale)
        later = np.where(is_over, np.float32(0), values[last])
        advantages = seat_advantages(rewards, values[own], later, lengths, self._gamma, self._gae_lambda)
        columns: dict[str, Any] = {
            Columns.ACTIONS: _joined([episode.actions for episode in episodes]),
            Postprocessing.VALUE_TARGETS: advantages + values[own],
            Postprocessing.ADVANTAGES: (advantages - advantages.mean()) / max(_LEAST_SPREAD, advantages.std()),
            **_outputs(episodes, len(own)),
        }
        found = {name: torch.from_numpy(np.asarray(array)).to(device) for name, array in columns.items()}
        rows = torch.from_numpy(own).to(device)
        return {DEFAULT_MODULE_ID: {Columns.OBS: {name: seen[rows] for name, seen in tensors.items()}, **found}}


def _joined(buffers: list[InfiniteLookbackBuffer]) -> NDArray[Any]:
    """Return the contents of buffers of episodes, concatenated, without what belongs to earlier parts."""
    return np.concatenate([buffer.data[buffer.lookback :] for buffer in buffers])


def _outputs(episodes: list[SingleAgentEpisode], decisions: int) -> dict[str, NDArray[np.float32]]:
    """Return the outputs of the policy that played: log-probabilities, and logits if they were recorded.

    The learner asks for logits even if it does not use them, without a KL loss. Then they are one column of zeros.
    """
    columns = {
        name: _joined([episode.extra_model_outputs[name] for episode in episodes])
        for name in (Columns.ACTION_LOGP, Columns.ACTION_DIST_INPUTS)
        if name in episodes[0].extra_model_outputs
    }
    return {Columns.ACTION_DIST_INPUTS: np.zeros((decisions, 1), np.float32), **columns}
