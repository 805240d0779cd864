"""The part of the protocol for trainings: the tables."""

from __future__ import annotations

import numpy as np

from crypt_env.batch import Batch

from .tasks import Task


def assign_tables(batch: Batch, task: Task) -> None:
    """Have the games of a batch take turns at the tables of a task, from the next deal of each game on.

    Game ``i`` stays at table ``tables[i % len(tables)]`` in all its episodes. Call it before `Batch.reset`; an
    environment with many games has its batch as ``env.batch``.
    """
    batch.states["table_rule"] = np.array(task.tables)[batch.states["index"] % len(task.tables)]
