"""Starts the workers of a distributed training under Ray Train, and follows them."""

from __future__ import annotations

import tempfile
import threading
import uuid
from pathlib import Path
from typing import Any

from crypt_env.arena.cluster import beside_driver, ray_cluster
from crypt_env.errors import CryptError, shortened

from .desk import Desk
from .ray_worker import Job, Learn, take_part
from .run import Run
from .settings import Settings

MOST_STARTS = 5
"""How often the workers may start from the same checkpoint before the training is given up."""
_PAUSE = 0.2
"""Seconds between two looks at the desk."""
_TIMEOUT = 1800
"""Seconds that a worker waits for the others, which may be compiling."""


def check_workers(settings: Settings, workers: int) -> None:
    """Raise an error unless this many workers can share a training."""
    if settings.trainer != "fast":
        raise CryptError(f"trainer={settings.trainer!r} is not possible with Ray; several workers share the fast one")
    if settings.exploiters:
        raise CryptError(
            f"exploiters={settings.exploiters} is not possible with Ray; python -m training.train trains exploiters"
        )
    least = workers * len(settings.players)
    if settings.games < least:
        numbers = f" of each of {len(settings.players)} numbers of players" if len(settings.players) > 1 else ""
        raise CryptError(
            f"workers={workers} is not possible with games={settings.games}; each worker needs at least one "
            f"game{numbers}, so games must be at least {least}"
        )
    if settings.minibatch < workers:
        raise CryptError(
            f"workers={workers} is not possible with minibatch={settings.minibatch}; each worker needs at least one "
            f"decision of every minibatch"
        )


def train_on_ray(run: Run, learn: Learn, workers: int, precision: str) -> dict[str, Any]:
    """Train with several workers, and return what came out.

    A worker that is lost is replaced, and all go on from the last checkpoint; so do they if the machine of some is.

    Args:
        run: has the settings and the folder, and shows how far the training is; its ``stop`` stops it.
        learn: what each worker does.
        workers: how many.
        precision: of gradients on their way.

    Raises:
        CryptError: the workers cannot train, or were lost too often at the same place.
    """
    threads = run.settings.workers
    with ray_cluster(workers * threads) as ray, tempfile.TemporaryDirectory(prefix="crypt-ray-") as scratch:
        found = int(ray.cluster_resources().get("CPU", 0))
        if found < workers * threads:
            run.progress.say(f"the cluster has {found} cores and {workers * threads} are needed: waiting for more")
        keeper = ray.remote(num_cpus=0, scheduling_strategy=beside_driver(ray))(Desk)
        desk = keeper.remote(str(run.folder.resolve()), MOST_STARTS)
        try:
            job = Job(run.settings.model_dump(), str(run.folder), desk, learn, precision, str(Path.cwd()))
            trainer = _Trainer(job, workers, threads, scratch)
            return _follow(ray, run, desk, trainer)
        finally:
            ray.kill(desk)


class _Trainer(threading.Thread):
    """Ray Train's trainer, which blocks, in a thread of its own."""

    def __init__(self, job: Job, workers: int, threads: int, scratch: str) -> None:
        """Prepare to train; what Ray Train itself keeps goes to ``scratch``."""
        super().__init__(daemon=True)
        from ray.train import FailureConfig, RunConfig, ScalingConfig
        from ray.train.torch import TorchConfig, TorchTrainer

        def work() -> None:
            take_part(job)

        self._trainer = TorchTrainer(
            work,
            torch_config=TorchConfig(backend="gloo", timeout_s=_TIMEOUT),
            scaling_config=ScalingConfig(num_workers=workers, resources_per_worker={"CPU": threads}),
            run_config=RunConfig(
                name=uuid.uuid4().hex, storage_path=scratch, failure_config=FailureConfig(max_failures=-1)
            ),
        )
        self.error: Exception | None = None

    def run(self) -> None:
        """Train."""
        try:
            self._trainer.fit()
        except Exception as error:
            self.error = error


def _follow(ray: Any, run: Run, desk: Any, trainer: _Trainer) -> dict[str, Any]:
    """Show what the workers tell, and pass signals on, until they are done."""
    trainer.start()
    outcome: dict[str, Any] = {}
    first: int | None = None
    is_alive = True
    while is_alive:
        trainer.join(_PAUSE)
        is_alive = trainer.is_alive()
        for kind, content in ray.get(desk.take.remote(run.stop.number)):
            if kind == "progress":
                first = content[0] if first is None else first
                _show(run, first, *content)
            elif kind == "say":
                run.progress.say(content)
            elif kind == "outcome":
                outcome = content
            else:
                outcome = {"error": content}
    run.progress.end()
    if "error" in outcome:
        raise CryptError(outcome["error"])
    if not outcome:
        raise CryptError(f"the training was ended by Ray: {shortened(str(trainer.error))}")
    return outcome


def _show(run: Run, first: int, done: int, total: int, note: str) -> None:
    """Show how far the training is; once it is beyond the first number there is something to keep."""
    if done > first:
        run.note_rollout()
    run.num_timesteps = done
    if total:
        run.progress.update(done, total, note)
