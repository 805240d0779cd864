"""Datasets of single seats for Minari, which loads them without this package."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from crypt_env.errors import CryptError, install_hint, quoted
from crypt_env.rules.actions import ACTIONS

from .reading import DecisionReader, Part

_IDS = {1: "crypt_env/OnlyChild-v0"}
_OTHERS = "crypt_env/Crypt-v0"


def write_minari(reader: DecisionReader, dataset_id: str, opponents: str | None = None) -> Any:
    """Write each chosen seat of each game as an episode of a new Minari dataset, and return that.

    Observations, rewards and infos ("action_mask", "seat") are those of `crypt_env.envs.single.SeatEnv`, which
    ``recover_environment`` returns; an episode's options are its table and first Leader.

    Args:
        reader: the decisions; all games must have the same number of players.
        dataset_id: such as "crypt/duel/expert-v0". ``MINARI_DATASETS_PATH`` says where datasets are stored.
        opponents: who plays the other seats of the environment that can be recovered; random agents if not given.

    Raises:
        CryptError: Minari is missing or refuses the name, or a record is wrong; then there is no new dataset.
    """
    try:
        import minari
        from minari.dataset.minari_dataset import parse_dataset_id
        from minari.storage import get_dataset_path
    except ImportError as error:
        raise CryptError(f"Minari datasets need minari and h5py; {install_hint('datasets')}") from error
    try:
        parse_dataset_id(dataset_id)
        folder = Path(get_dataset_path(dataset_id))
    except ValueError as error:
        raise CryptError(f"a Minari dataset cannot be called {quoted(dataset_id)}: {error}") from error
    except TypeError as error:  # this is how Minari refuses a name without a version
        form = "a name and a version are needed, as in crypt/duel/expert-v0"
        raise CryptError(f"a Minari dataset cannot be called {quoted(dataset_id)}: {form}") from error
    if folder.exists():
        raise CryptError(f"there is a Minari dataset {quoted(dataset_id)} already; give another name or version")
    parts = reader.parts()
    first = next(parts)
    env = _environment(reader, int(first.records[0]["players"]), opponents)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about an author's address, and the like
            return minari.create_dataset_from_buffers(
                dataset_id,
                _episodes(first, parts),  # it reads them one by one
                env=env,
                algorithm_name=reader.agent,
                description="Games of Crypt, seen from single seats.",
                requirements=["crypt-env"],
                data_format="hdf5",
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _environment(reader: DecisionReader, players: int, opponents: str | None) -> Any:
    """Return the environment whose episodes these are."""
    arguments: dict[str, Any] = {"reward": reader.reward, "dense": reader.dense}
    if players > 1:
        arguments |= {"players": players} | ({} if opponents is None else {"opponents": opponents})
    return gymnasium.make(_IDS.get(players, _OTHERS), **arguments)


def _episodes(first: Part, others: Generator[Part]) -> Generator[Any]:
    """Yield the episodes of all parts."""
    players = first.records[0]["players"]
    yield from _episodes_of(first, 0, players)
    start = len(first.records)
    for part in others:
        yield from _episodes_of(part, start, players)
        start += len(part.records)


def _episodes_of(part: Part, start: int, players: int) -> Generator[Any]:
    """Yield the episodes of a part, the first game of which has this number."""
    from minari.data_collector.episode_buffer import EpisodeBuffer

    decisions, finals = part.replayed
    for number, record in enumerate(part.records):
        if record["players"] != players:
            raise CryptError(
                f"a Minari dataset has one number of players; game {start + number} has {record['players']}, "
                f"those before it {players}"
            )
    bounds = np.searchsorted(decisions.games, start + np.arange(len(part.records) + 1))
    for number, record in enumerate(part.records):
        game = decisions.select(slice(bounds[number], bounds[number + 1]))
        for seat in np.unique(game.seats).tolist():
            mine = game.select(game.seats == seat)
            count = len(mine.actions)
            masks = np.concatenate([mine.masks, np.zeros((1, ACTIONS), np.bool_)]).astype(np.int8)
            yield EpisodeBuffer(
                options={"collectors": record["collectors"], "leader": record["leader"]},
                observations=np.concatenate([mine.observations, finals[number, seat][None]]),
                actions=mine.actions.astype(np.int64),
                rewards=mine.rewards.tolist(),
                terminations=[False] * (count - 1) + [True],
                truncations=[False] * count,
                infos={"action_mask": masks, "seat": np.full(count + 1, seat, np.int64)},
            )
