"""What came out of a tournament."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from crypt_env.errors import CryptError

from .statistics import Estimate

FORMAT = "crypt-arena-report/1"


class Pairing(NamedTuple):
    """An agent in one seat against another in all other seats, over all seatings."""

    agent: str
    opponent: str
    games: int
    share: Estimate
    """How much of the wins the one seat got. A win shared by k seats is 1/k for each."""
    margin: Estimate
    """By how many coins it was ahead of the mean of the other seats."""


class Mixture(NamedTuple):
    """An agent at all tables with agents that are all different."""

    agent: str
    games: int
    share: Estimate
    margin: Estimate


class Rating(NamedTuple):
    """An agent's strength on the Elo scale."""

    agent: str
    elo: Estimate


class Solo(NamedTuple):
    """An agent alone against the Ghost."""

    agent: str
    games: int
    coins: Estimate
    deviation: float
    """Standard deviation of the coins of a game."""
    quantiles: dict[str, float]
    """Coins by the percentage of games that have at most as many."""
    histogram: dict[str, int]
    """Games by coins, in steps of five: "30" are 30 to 34 coins."""
    titles: dict[str, Estimate]
    """The share of games that earned each title."""


class Difference(NamedTuple):
    """By how many coins one agent is better than another, alone against the Ghost on the same deals."""

    agent: str
    other: str
    coins: Estimate


class Cost(NamedTuple):
    """What an agent's decisions cost. The time is measured: it is not the same in every run."""

    agent: str
    decisions: int
    microseconds: float
    """Processor time for one decision."""


@dataclass(frozen=True)
class Report:
    """What came out of a tournament: all of it is the same in every run, apart from the microseconds of `costs`."""

    players: int
    games: int
    """Of each line-up."""
    deals: int
    collectors: str
    seed: int
    code: str
    """Digest of the rules and agents that played."""
    confidence: float
    agents: tuple[str, ...]
    pairings: tuple[Pairing, ...] = ()
    mixtures: tuple[Mixture, ...] = ()
    ratings: tuple[Rating, ...] = ()
    solos: tuple[Solo, ...] = ()
    differences: tuple[Difference, ...] = ()
    costs: tuple[Cost, ...] = ()

    def pairing(self, agent: str, opponent: str) -> Pairing:
        """Return what one agent in one seat did against another in all others.

        Raises:
            CryptError: they did not meet.
        """
        for row in self.pairings:
            if (row.agent, row.opponent) == (agent, opponent):
                return row
            if (row.opponent, row.agent) == (agent, opponent) and self.players == 2:
                return Pairing(agent, opponent, row.games, row.share.mirrored(1), row.margin.mirrored(0))
        raise self._unknown(agent, opponent)

    def rating(self, agent: str) -> Estimate:
        """Return an agent's rating.

        Raises:
            CryptError: it has none.
        """
        for row in self.ratings:
            if row.agent == agent:
                return row.elo
        raise self._unknown(agent)

    def solo(self, agent: str) -> Solo:
        """Return what an agent did alone against the Ghost.

        Raises:
            CryptError: it did not play.
        """
        for row in self.solos:
            if row.agent == agent:
                return row
        raise self._unknown(agent)

    def _unknown(self, *agents: str) -> CryptError:
        """Return an error about agents of which nothing is known."""
        return CryptError(
            f"the report has no such result of {' and '.join(map(repr, agents))}; "
            f"it is about {', '.join(self.agents)} with players={self.players}"
        )

    def _repr_html_(self) -> str:
        """Return the report as tables for a notebook."""
        from .tables import as_html

        return as_html(self)

    def as_json(self) -> str:
        """Return the report as JSON."""
        content = {"format": FORMAT, **vars(self)}
        for name in _ROWS:
            content[name] = [_plain(row) for row in content[name]]
        return json.dumps(content, indent=1) + "\n"

    @staticmethod
    def from_json(text: str) -> Report:
        """Return the report that was written as JSON.

        Raises:
            CryptError: the text is not such a report.
        """
        try:
            content = json.loads(text)
            if content.pop("format") != FORMAT:
                raise ValueError
            for name, kind in _ROWS.items():
                content[name] = tuple(_row(kind, row) for row in content[name])
            content["agents"] = tuple(content["agents"])
            return Report(**content)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CryptError(f"this is not a report in the format {FORMAT}: {text[:60]!r}") from None


_ROWS: dict[str, type[Any]] = {
    "pairings": Pairing,
    "mixtures": Mixture,
    "ratings": Rating,
    "solos": Solo,
    "differences": Difference,
    "costs": Cost,
}
_ESTIMATES = {"share", "margin", "elo", "coins"}


def _plain(value: Any) -> Any:
    """Return named tuples as dictionaries, also those within."""
    content: Any = value._asdict() if hasattr(value, "_asdict") else value
    if not isinstance(content, dict):
        return content
    return {name: _plain(part) for name, part in content.items()}


def _row(kind: type[Any], content: dict[str, Any]) -> Any:
    """Return a row of a report from its dictionary."""
    values: dict[str, Any] = {name: Estimate(**part) if name in _ESTIMATES else part for name, part in content.items()}
    if "titles" in values:
        values["titles"] = {title: Estimate(**part) for title, part in values["titles"].items()}
    return kind(**values)
