"""A worker of a distributed training, as Ray Train starts it: the same program on all, each with its own games."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import torch.distributed

from crypt_env.arena.cluster import import_ray
from crypt_env.errors import CryptError, shortened
from crypt_env.files import replace_file
from crypt_env.ppo.base import SelfPlayPPO
from crypt_env.ppo.exchange import Exchange, Group

from .checkpoint import has_checkpoint, load_checkpoint, restore
from .desk import DeskClient, Files
from .history import changes_between, described, new_session, write_facts
from .process import tune_process
from .settings import settings_from
from .setup import make_games, make_model, start_model
from .shared_run import SharedRun

Learn = Callable[[SharedRun, SelfPlayPPO, bool], None]
"""Trains, and writes all that comes out: run, model, whether the run goes on from a checkpoint."""


class Job(NamedTuple):
    """What a worker is given."""

    settings: dict[str, Any]
    name: str
    """Of the run's folder, for people."""
    desk: Any
    learn: Learn
    precision: str
    """Of gradients on their way."""
    directory: str
    """Where the program was started; paths in settings begin there, on machines that have it."""


def take_part(job: Job) -> None:
    """Train as one of the workers, until the training is over or this worker or another one is lost."""
    with suppress(OSError):
        os.chdir(job.directory)
    tune_process()
    ray = import_ray()
    desk = DeskClient(ray, job.desk)
    if desk.call("is_over"):
        return
    exchange = Group(job.precision) if torch.distributed.get_world_size() > 1 else Exchange()
    try:
        with tempfile.TemporaryDirectory(prefix="crypt-worker-") as scratch:
            _train(job, Path(scratch), exchange, desk)
    except (CryptError, MemoryError) as error:
        desk.call("fail", str(error) or type(error).__name__)
        if exchange.size > 1:
            torch.distributed.destroy_process_group()  # wakes up the others, if they wait for this one
    except Exception as error:
        if desk.call("is_over"):
            return
        desk.call("note", shortened(f"{type(error).__name__}: {error}"))
        raise


def _train(job: Job, scratch: Path, exchange: Exchange, desk: DeskClient) -> None:
    """Train, with the files of this worker in a folder of its own."""
    files: Files = exchange.share(desk.call("files") if exchange.rank == 0 else None)
    for name, content in files.items():
        replace_file(scratch / name, content)
    is_resumed = has_checkpoint(scratch)
    settings = settings_from(job.settings)
    model = make_model(settings, make_games(settings, exchange), exchange)
    run = SharedRun(settings, scratch, exchange, desk)
    before = settings
    if is_resumed:
        before = restore(load_checkpoint(scratch), run, model)
    else:
        start_model(settings, model)
    _begin(job, run, model, changes_between(before, settings) if is_resumed else None)
    job.learn(run, model, is_resumed)
    run.hand_in(is_last=True)
    if run.is_first:
        outcome = {"best": float(run.best), "reason": run.stop_reason, "decisions": model.num_timesteps}
        desk.call("tell", "outcome", {**outcome, **_costs(exchange)})


def _begin(job: Job, run: SharedRun, model: SelfPlayPPO, changes: dict[str, list[Any]] | None) -> None:
    """Write what the run is made of now, and say where it begins."""
    done = model.num_timesteps
    run.sessions.append({**new_session(done, changes or {}), "workers": run.workers})
    if not run.is_first:
        return
    write_facts(run.settings, run.folder, run.sessions)
    refusal = run.progress.call("begin", done)  # type: ignore[attr-defined]
    if refusal:
        raise CryptError(refusal)
    workers = "one worker" if run.workers == 1 else f"{run.workers} workers"
    if changes is None:
        run.progress.say(f"{job.name} begins with {workers}")
    else:
        said = f"; changed: {described(changes)}" if changes else ""
        run.progress.say(f"{job.name} continues after {done} decisions with {workers}{said}")


def _costs(exchange: Exchange) -> dict[str, Any]:
    """Return what the exchange of gradients came to on this worker."""
    return {"seconds": exchange.seconds, "bytes": exchange.bytes, "workers": exchange.size}
