"""PPO in self-play as a configuration of RLlib."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from crypt_env.envs.spaces import ActionSpace
from crypt_env.errors import CryptError, quoted
from crypt_env.rules.actions import ACTIONS
from crypt_env.table import RANDOM, Table, checked_number, flag, positive, seed_bits

from .games import SelfPlayGames, masked_observations
from .learner import SeatAdvantages
from .module import MaskedModule
from .runner import SelfPlayRunner

GAMES, STEPS = 256, 64
SHOWN = 500
"""How many of the latest episodes metrics are averaged over."""
_MOST_SEED = 2**31
"""Limit of seeds: RLlib adds the number of the runner and also seeds numpy and torch with the sum."""


def _learner_connector(input_observation_space: Any, input_action_space: Any, **settings: float) -> SeatAdvantages:
    """Return the learner's pipeline; RLlib calls this with the spaces."""
    return SeatAdvantages(input_observation_space, input_action_space, **settings)


def _positive_number(name: str, number: float) -> float:
    """Check a number that must be above 0."""
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 < number < float("inf"):
        raise CryptError(f"{name}={quoted(number)} is not possible; allowed are numbers above 0")
    return float(number)


def _falling(first: float, last: float, decisions: int | None) -> Any:
    """Return a number, or a schedule of RLlib that falls linearly to another over this many decisions."""
    return first if decisions is None else [[0, first], [decisions, last]]


def ppo_config(
    players: int | Sequence[int] = 2,
    reward: str = "win",
    dense: bool = False,
    collectors: str = RANDOM,
    leader: int | str = RANDOM,
    *,
    reward_scale: float = 1.0,
    decisions: int | None = None,
    learning_rate: float = 1e-3,
    entropy: float = 0.02,
    gamma: float = 1.0,
    gae_lambda: float = 0.95,
    widths: Sequence[int] = (256, 256),
    thermometers: bool = False,
    seed: int = 0,
) -> PPOConfig:
    """Return PPO in self-play, to be changed by RLlib's own methods and built by ``build_algo()``.

    A training batch has 16,384 decisions of 256 games a runner. Set what is an argument here by this argument, even if
    RLlib has a setting for it: other parts depend on it.

    Args:
        players: 1 to 4, or several numbers, each of which gets an equal part of the games.
        reward: "win", "margin" or "coins"; solo games pay coins.
        dense: pay coins as soon as they are certain.
        collectors: six letters, "A", "B" or "random".
        leader: the first Leader's seat, or "random".
        reward_scale: factor for the rewards that the learner sees; episodes and metrics have the engine's own.
        decisions: number over which the learning rate falls to 0 and the entropy weight to a tenth; None for neither.
        learning_rate: at the start.
        entropy: weight of the entropy at the start.
        gamma: discount for each decision of the seat, 0 to 1.
        gae_lambda: how far advantages look ahead, 0 to 1.
        widths: of the hidden layers.
        thermometers: whether the network sees numbers as bits.
        seed: of games, actions and weights, below 2**31.

    Raises:
        CryptError: an argument is not possible.
    """
    table = Table(players, collectors, leader, reward, dense)
    games = {"players": table.players, "collectors": collectors, "leader": leader, "reward": reward, "dense": dense}
    if seed_bits(seed) >= _MOST_SEED:
        raise CryptError(f"seed={quoted(seed)} is not possible; RLlib takes integers from 0 to 2**31 - 1")
    if decisions is not None:
        positive("decisions", decisions)
    scale, rate = _positive_number("reward_scale", reward_scale), _positive_number("learning_rate", learning_rate)
    gamma, gae_lambda = checked_number("gamma", gamma, 0, 1), checked_number("gae_lambda", gae_lambda, 0, 1)
    entropy = checked_number("entropy", entropy, 0)
    model = {
        **_network(table, widths),
        "thermometers": flag("thermometers", thermometers),
        "reward": {"kind": reward, "dense": table.dense, "scale": scale},
    }
    connector = partial(_learner_connector, gamma=gamma, gae_lambda=gae_lambda, reward_scale=scale)
    return (
        _self_play(games, model)
        .training(
            lr=_falling(rate, 0.0, decisions),
            entropy_coeff=_falling(entropy, entropy / 10, decisions),
            gamma=gamma,
            lambda_=gae_lambda,
        )
        .learners(learner_connector=connector, add_default_connectors_to_learner_pipeline=False)
        .debugging(seed=seed)
    )


def _network(table: Table, widths: Sequence[int]) -> dict[str, list[int]]:
    """Return the numbers of players that a network is for, and the widths of its layers."""
    if not isinstance(widths, Sequence) or isinstance(widths, (str, bytes)):
        raise CryptError(f"widths={quoted(widths)} is not possible; a list of whole numbers is needed")
    counts = [table.players] if isinstance(table.players, int) else sorted({*table.players})
    if not counts or not len(widths):
        raise CryptError(f"{'widths' if counts else 'players'} is empty; at least one number is needed")
    return {"players": counts, "widths": [positive("widths", width) for width in widths]}


def _self_play(games: dict[str, Any], model: dict[str, Any]) -> PPOConfig:
    """Return PPO that plays these games with such a network, with all settings that are not arguments."""
    return (
        PPOConfig()
        .environment(
            env=SelfPlayGames,
            env_config=games,
            observation_space=masked_observations(),
            action_space=ActionSpace(ACTIONS),
            disable_env_checking=True,
        )
        .env_runners(env_runner_cls=SelfPlayRunner, num_env_runners=0, num_envs_per_env_runner=GAMES)
        .fault_tolerance(restart_failed_env_runners=True)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config=model))
        .training(
            train_batch_size_per_learner=GAMES * STEPS,
            minibatch_size=2048,
            num_epochs=3,
            clip_param=0.2,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
            grad_clip_by="global_norm",
        )
        .reporting(metrics_num_episodes_for_smoothing=SHOWN)
    )
