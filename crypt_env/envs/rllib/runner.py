"""`SelfPlayRunner`: plays the games, and returns one episode for each seat of each game."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.callbacks.utils import make_callback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.env import INPUT_ENV_SINGLE_SPACES, INPUT_ENV_SPACES
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils.metrics import SAMPLE_TIMER, WEIGHTS_SEQ_NO

from crypt_env.errors import CryptError, quoted
from crypt_env.rules.batch import Arrays

from .episodes import Ended, Recorder
from .games import MASK, OBSERVATIONS, SelfPlayGames

_EVALUATION_SEED = 1_000_000
"""How far the seeds of evaluation are from those of training, as elsewhere in RLlib."""
_STEPS = 32
"""Decisions of each game between two checks whether a sample of whole episodes is complete."""


class SelfPlayRunner(SingleAgentEnvRunner):  # type: ignore[misc]
    """Plays N games in which the policy makes every decision.

    Runner ``w`` of a training plays the games numbered ``(w - 1) * N`` and up of the seed in ``debugging(seed=...)``;
    a runner that was restarted, or continues from a checkpoint, plays others. A sample of ``T * N`` decisions returns
    those whose reward is complete: the last one of each seat that waits at the end is part of the next sample.

    Connectors between environment and module are not used: the module sees what the engine writes.
    """

    env: Any
    module: Any

    def make_env(self) -> None:
        """Make the games; they are dealt by the next sample."""
        config, count = self.config, self.config.num_envs_per_env_runner
        if not isinstance(config.env, type) or not issubclass(config.env, SelfPlayGames):
            raise CryptError(f"env={quoted(config.env)} is not possible for SelfPlayRunner; SelfPlayGames is needed")
        settings = config.env_config
        first_index = max(0, (self.worker_index or 0) - 1) * count
        self.env = config.env(dict(settings), count, first_index)
        self.num_envs = count
        self._deals = 0
        self._needs_initial_reset = True
        self._recorder: Recorder | None = None
        self._ended: list[Ended] = []
        context = EnvContext(settings, worker_index=self.worker_index, num_workers=self.num_workers)
        self._call_back("on_environment_created", env=self.env, env_context=context)

    def _call_back(self, name: str, **arguments: Any) -> None:
        """Call the user's callbacks of a name."""
        make_callback(
            name,
            callbacks_objects=self._callbacks,
            callbacks_functions=getattr(self.config, f"callbacks_{name}"),
            kwargs={"env_runner": self, "metrics_logger": self.metrics, **arguments},
        )

    def get_spaces(self) -> dict[str, Any]:
        """Return the spaces of observations and actions."""
        if self.env is None:
            spaces: dict[str, Any] = self.spaces
            return spaces
        alone = self.env.single_observation_space, self.env.single_action_space
        return {
            INPUT_ENV_SPACES: (self.env.observation_space, self.env.action_space),
            INPUT_ENV_SINGLE_SPACES: alone,
            DEFAULT_MODULE_ID: alone,
        }

    def assert_healthy(self) -> None:
        """Raise an error unless there are games and a module."""
        assert isinstance(self.env, SelfPlayGames)
        assert self.module is not None

    def sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        """Play, and return episodes or parts of them, one for each seat of each game.

        Args:
            num_timesteps: at least this many decisions; by default ``rollout_fragment_length`` of each game.
            num_episodes: at least this many whole episodes of new games. Each game number has its fair share of them,
                so that short games are not preferred.
            explore: sample from the policy, or play its likeliest action; by default as the configuration says.
            random_actions: play random legal actions.
            force_reset: deal new games first.

        Raises:
            CryptError: there are no games, or both numbers are given.
        """
        if self.env is None:
            raise CryptError("this runner has no games: create_env_on_local_worker=True gives it some")
        if num_timesteps is not None and num_episodes is not None:
            raise CryptError("num_timesteps and num_episodes are both given; one of them is possible")
        if num_timesteps is None and num_episodes is None:
            if self.config.batch_mode == "complete_episodes":
                num_episodes = self.num_envs
            else:
                num_timesteps = self.config.get_rollout_fragment_length(self.worker_index) * self.num_envs
        explores = bool(self.config.explore if explore is None else explore) and not random_actions
        how = "random" if random_actions else "explore" if explores else "best"
        self.metrics.log_value(WEIGHTS_SEQ_NO, self._weights_seq_no, window=1)
        with self.metrics.log_time(SAMPLE_TIMER), torch.no_grad():
            if force_reset or num_episodes is not None or self._needs_initial_reset:
                self._deal()
            if num_episodes is not None:
                episodes = self._whole_episodes(num_episodes, how)
            else:
                episodes = self._decisions(-(-int(num_timesteps or 0) // self.num_envs), how)
            self._call_back("on_sample_end", samples=episodes)
        return episodes

    def _deal(self) -> None:
        """Deal new games: at first those of the seed, later others."""
        played = int(self.num_env_steps_sampled_lifetime)
        seed = self.config.seed
        if seed is not None:
            seed = int(seed) + _EVALUATION_SEED * self.config.in_evaluation
        entropy = None if seed is None else [seed, self.worker_index or 0, played, self._deals]
        self._random = np.random.default_rng(entropy)
        if seed is None or played or self._deals:
            seed = int(self._random.integers(2**63))
        self._deals += 1
        self.env.deal(seed)
        keeps_logits = bool(getattr(self.config, "use_kl_loss", True))
        self._recorder = Recorder(self.env.batch, keeps_logits)
        self._needs_initial_reset = False

    def _decisions(self, steps: int, how: str) -> list[SingleAgentEpisode]:
        """Play this many decisions in each game, and return those that are complete."""
        assert self._recorder is not None
        ended = self._play(steps, how)
        self._ended += ended
        self._count(steps * self.num_envs, len(ended))
        return self._recorder.episodes()

    def _whole_episodes(self, wanted: int, how: str) -> list[SingleAgentEpisode]:
        """Play until each game number has ended its share of whole games, and return these episodes."""
        assert self._recorder is not None
        seats = self.env.batch.states["players"].astype(np.int64)
        # Rounds of all games, then the first games of one more round.
        rounds, rest = divmod(wanted, int(seats.sum()))
        shares = np.full(self.num_envs, rounds)
        shares[: int(np.searchsorted(np.cumsum(seats), rest)) + 1 if rest else 0] += 1
        ended = []
        while (self.env.batch.states["episode"] < shares).any():
            ended += self._play(_STEPS, how)
        self._ended += [each for each in ended if each.episode < shares[each.game]]
        start = int(self.env.batch.states["index"][0])
        found = [
            episode
            for episode in self._recorder.episodes()
            if episode.custom_data["episode"] < shares[episode.custom_data["game"] - start]
        ]
        self._count(sum(map(len, found)), len(found))
        self._needs_initial_reset = True
        return found

    def _play(self, steps: int, how: str) -> list[Ended]:
        """Play this many decisions in each game; return the episodes that ended."""
        games, recorder = self.env, self._recorder
        ended: list[Ended] = []
        assert recorder is not None
        for _ in range(steps):
            recorder.look(games.now)
            actions, log_probs, logits = self._choose(games.now, how)
            recorder.act(actions, log_probs, logits)
            games.step(actions)
            ended += recorder.pay(games.now.rewards, games.now.dones)
        recorder.look(games.now)
        return ended

    def _choose(self, now: Arrays, how: str) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Return an action for each game, its log-probability, and the logits."""
        seen = {OBSERVATIONS: torch.from_numpy(now.observations), MASK: torch.from_numpy(now.masks)}
        seen = {name: tensor.to(self._device) for name, tensor in seen.items()}
        if how == "random":
            outputs = {Columns.ACTION_DIST_INPUTS: (seen[MASK].float() - 1) * 1e9}
        elif how == "explore":
            outputs = self.module.forward_exploration({Columns.OBS: seen}, t=self.num_env_steps_sampled_lifetime)
        else:
            outputs = self.module.forward_inference({Columns.OBS: seen})
        log_probs = torch.log_softmax(outputs[Columns.ACTION_DIST_INPUTS], 1).cpu().numpy()
        noise = 0.0 if how == "best" else self._random.gumbel(size=log_probs.shape).astype(np.float32)
        actions = np.where(now.masks, log_probs + noise, -np.inf).argmax(axis=1)
        chosen = np.take_along_axis(log_probs, actions[:, None], 1)[:, 0]
        return actions, chosen, log_probs

    def _count(self, decisions: int, episodes: int) -> None:
        """Log how much was played."""
        self.num_env_steps_sampled_lifetime += decisions
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=decisions)
        self._increase_sampled_metrics(decisions, episodes)

    def get_metrics(self) -> Any:
        """Return what was logged since the last call, with the latest episodes that ended."""
        shown = -(-self.config.metrics_num_episodes_for_smoothing // max(1, self.config.num_env_runners))
        for ended in self._ended[-shown:]:
            self._log_episode_metrics(ended.decisions, ended.total, ended.seconds)
        self._ended.clear()
        return self.metrics.reduce()
