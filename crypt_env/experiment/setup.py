"""From settings to games and a model."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from crypt_env import FEATURES
from crypt_env.agents import make_agent
from crypt_env.agents.network import load_network
from crypt_env.arena.designs import even_tables
from crypt_env.errors import CryptError, quoted
from crypt_env.notation.view import used_columns
from crypt_env.ppo import Exchange, FastMaskablePPO, League, Linear, SeatMaskablePPO, SelfPlayVecEnv, start_from, trunk
from crypt_env.rules.observe import LAYOUT

from .settings import Settings


def make_games(settings: Settings, exchange: Exchange | None = None) -> SelfPlayVecEnv:
    """Return the games to learn from, or a worker's part of them; all numbers of players have an equal part."""
    start, stop = (exchange or Exchange()).part(settings.games)
    players = [settings.players[game % len(settings.players)] for game in range(start, stop)]
    league = None
    if settings.league_share > 0:
        agents = [make_agent(name) for name in settings.league_agents]
        league = League(agents, settings.league_share, settings.league_power, settings.league_memory)
    tables = even_tables(settings.collectors)
    drawn = "random" if tables else settings.collectors
    games = SelfPlayVecEnv(stop - start, players, drawn, settings.reward, settings.dense, league, settings.seed, start)
    if tables:  # each number of players goes through all of them
        turns = np.arange(start, stop) // len(settings.players)
        games.batch.states["table_rule"] = np.array(tables)[turns % len(tables)]
    return games


def columns_for(settings: Settings) -> list[int]:
    """Return the columns of the observation that the network sees."""
    columns = used_columns(settings.players).tolist()
    parts = {part.name: part for part in LAYOUT}
    unknown = [name for name in settings.without if name not in parts]
    if unknown:
        raise CryptError(f"without={unknown[0]!r} is not a part of the observation; its parts are {', '.join(parts)}")
    is_hidden = np.zeros(FEATURES, np.bool_)
    for name in settings.without:
        is_hidden[parts[name].start : parts[name].stop] = True
    seen = [column for column in columns if not is_hidden[column]]
    if not seen:
        raise CryptError(f"without={quoted(settings.without)} hides the whole observation; a network needs some of it")
    return seen


def make_model(
    settings: Settings, venv: SelfPlayVecEnv, exchange: Exchange | None = None
) -> FastMaskablePPO | SeatMaskablePPO:
    """Return an untrained model, or one of several workers that learn together."""
    policy = trunk(settings.players, settings.widths, columns_for(settings), settings.thermometers)
    if settings.weight_decay:
        policy["optimizer_class"] = torch.optim.AdamW
        policy["optimizer_kwargs"] = {"eps": 1e-5, "weight_decay": settings.weight_decay}  # eps as SB3 sets it for Adam
    make: Any = SeatMaskablePPO
    if settings.trainer == "fast":
        teachers = [load_network(name) for name in settings.teachers]
        make = partial(
            FastMaskablePPO,
            workers=settings.workers,
            precision=settings.precision,
            teachers=teachers,
            teaching=Linear(settings.teaching, settings.final_teaching),
            magnet=settings.magnet,
            magnet_rate=settings.magnet_rate,
            exchange=exchange,
        )
    model: FastMaskablePPO | SeatMaskablePPO = make(
        "MlpPolicy",
        venv,
        learning_rate=Linear(settings.learning_rate, settings.final_learning_rate),
        n_steps=settings.steps,
        batch_size=settings.minibatch,
        n_epochs=settings.epochs,
        gamma=settings.gamma,
        gae_lambda=settings.gae_lambda,
        clip_range=settings.clip,
        clip_range_vf=settings.value_clip or None,
        ent_coef=Linear(settings.entropy, settings.final_entropy),
        vf_coef=settings.value_weight,
        max_grad_norm=settings.max_grad_norm,
        target_kl=settings.target_kl or None,
        reward_scale=settings.reward_scale,
        policy_kwargs=policy,
        seed=settings.seed,
        device="cpu",
    )
    return model


def start_model(settings: Settings, model: FastMaskablePPO | SeatMaskablePPO) -> None:
    """Give an untrained model the weights that its settings ask for."""
    if settings.start:
        network = load_network(settings.start)
        is_same_reward = network.facts.get("reward") == reward_facts(settings)
        start_from(model.policy, network, settings.players, is_same_reward)


def reward_facts(settings: Settings) -> dict[str, Any]:
    """Return what decides about the scale of values, as a network's file tells it."""
    return {"kind": settings.reward, "dense": settings.dense, "scale": settings.reward_scale}
