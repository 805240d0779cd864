"""Crypt-64: tasks, opponents, deals and budgets that are frozen, and results that others can verify.

``docs/benchmark.md`` describes the protocol. From Python:

    from crypt_env.benchmark import run_task, verify
    run_task("duel-64", ["net:runs/mine/best"], "results/mine", name="mine", budget="10M", decisions=10_000_000)
    verify("results/mine").numbers["parts"]["score"]  # value, low, high
"""

from crypt_env.arena.designs import orthogonal_tables, table_text

from .protocol import protocol, protocol_digest
from .results import Result, read_result
from .run import run_task
from .tasks import BUDGETS, PROTOCOL, TASKS, VERSION, Lineup, Task, find_task
from .training import assign_tables
from .verify import verify

__all__ = [
    "BUDGETS",
    "PROTOCOL",
    "TASKS",
    "VERSION",
    "Lineup",
    "Result",
    "Task",
    "assign_tables",
    "find_task",
    "orthogonal_tables",
    "protocol",
    "protocol_digest",
    "read_result",
    "run_task",
    "table_text",
    "verify",
]
