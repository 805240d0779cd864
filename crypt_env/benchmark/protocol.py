"""The whole protocol as one value, and its digest."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .deals import EPISODE, SEED
from .frozen import FROZEN
from .tasks import BUDGETS, DEALS_OF_A_TABLE, LINEUPS, ONE, PROTOCOL, TASKS, VERSION, ZERO


def protocol() -> dict[str, Any]:
    """Return everything that determines the games and their evaluation, as for JSON."""
    return {
        "protocol": PROTOCOL,
        "version": VERSION,
        "budgets": BUDGETS,
        "deals": {size: {str(count): deals for count, deals in by.items()} for size, by in DEALS_OF_A_TABLE.items()},
        "seed": SEED,
        "episode": EPISODE,
        "zero": ZERO,
        "one": ONE,
        "panels": {
            str(count): [[list(row.others), row.is_held_out] for row in rows] for count, rows in LINEUPS.items()
        },
        "tasks": {task.name: [task.players, list(task.tables)] for task in TASKS.values()},
        "frozen": FROZEN,
    }


def protocol_digest() -> str:
    """Return a digest of the protocol, which every result names."""
    text = json.dumps(protocol(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
