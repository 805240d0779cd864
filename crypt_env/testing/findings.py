"""What the checks found: one finding, the result of one check, the results of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from crypt_env.errors import counted

Status = Literal["ok", "failed", "skipped"]

EVIDENCE_WIDTH = 140


@dataclass(frozen=True)
class Finding:
    """One fault and its place; `str(finding)` says both in a sentence.

    Attributes:
        check: the name of the check that found it.
        message: what was observed, with the values.
        game: the number of the game, from 0; its seed is the seed of the check plus this number.
        step: how many steps came before in this game, dead steps included.
        agent: the agent concerned.
        action: the action concerned.
    """

    check: str
    message: str
    game: int | None = None
    step: int | None = None
    agent: Any = None
    action: int | None = None

    def __str__(self) -> str:
        named = (("game", self.game), ("step", self.step), ("agent", self.agent), ("action", self.action))
        where = ", ".join(f"{name} {value}" for name, value in named if value is not None)
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True)
class Result:
    """How one check went.

    Attributes:
        check: the name of the check.
        status: "ok", "failed" or "skipped".
        findings: what is wrong; empty unless failed. A check stops after ten.
        note: how much was examined, or why the check was skipped.
    """

    check: str
    status: Status
    findings: tuple[Finding, ...]
    note: str

    @property
    def evidence(self) -> str:
        """The first finding, or the note if there is none."""
        if not self.findings:
            return self.note
        more = len(self.findings) - 1
        return f"{self.findings[0]}" + (f" (+{more} more)" if more else "")


@dataclass(frozen=True)
class Conformance:
    """The results of all checks of one environment; prints as a table.

    Attributes:
        name: the name of the environment.
        games: how many games each check plays.
        seed: the seed of the first game.
        results: one result for each check, in the order of the checks.
    """

    name: str
    games: int
    seed: int
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return tuple(result.check for result in self.results if result.status == "failed")

    @property
    def skipped(self) -> tuple[str, ...]:
        """The names of the checks that were not possible."""
        return tuple(result.check for result in self.results if result.status == "skipped")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of all checks."""
        return tuple(finding for result in self.results for finding in result.findings)

    def __getitem__(self, check: str) -> Result:
        for result in self.results:
            if result.check == check:
                return result
        raise KeyError(check)

    def __str__(self) -> str:
        count = len(self.results) - len(self.failed) - len(self.skipped)
        title = f"{self.name}: {count} ok, {len(self.failed)} failed, {len(self.skipped)} skipped"
        width = max(len("check"), *(len(result.check) for result in self.results))
        rows = [("check", "result", "evidence")]
        rows += [
            (result.check, result.status.replace("failed", "FAILED"), _short(result.evidence))
            for result in self.results
        ]
        lines = [f"{name:{width}}  {status:7}  {evidence}".rstrip() for name, status, evidence in rows]
        return "\n".join([f"{title} ({counted(self.games, 'game')} from seed {self.seed})", *lines])


def _short(text: str) -> str:
    """Return the text on one line that fits the table."""
    line = " ".join(text.split())
    return line if len(line) <= EVIDENCE_WIDTH else line[: EVIDENCE_WIDTH - 1] + "…"
