"""The results of a tournament."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from crypt_env.errors import CryptError, quoted

from .statistics import Estimate

FORMAT = "crypt-arena-report/1"


class Pairing(NamedTuple):
    """An agent in one seat against another in all other seats, over all seatings."""

    agent: str
    opponent: str
    games: int
    share: Estimate
    """The share of the wins that the one seat got. A win shared by k seats is 1/k for each."""
    margin: Estimate
    """By how many coins it was ahead of the mean of the other seats. (The reward of this name compares with the
    best of them.)"""


class Mixture(NamedTuple):
    """An agent at all tables of different agents."""

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
    """The cost of an agent's decisions. The time is measured, so it varies between runs."""

    agent: str
    decisions: int
    microseconds: float
    """Processor time for one decision."""


Row = TypeVar("Row", Rating, Solo)


@dataclass(frozen=True)
class Report:
    """The results of a tournament, identical in every run except for the microseconds of `costs`."""

    players: int
    games: int
    """Of each line-up."""
    deals: int
    collectors: str
    seed: int
    code: str
    """Digest of the rules, the agents of the package, and the networks and saved models that played; the code of agents
    in modules of users is not in it."""
    confidence: float
    agents: tuple[str, ...]
    pairings: tuple[Pairing, ...] = ()
    mixtures: tuple[Mixture, ...] = ()
    ratings: tuple[Rating, ...] = ()
    solos: tuple[Solo, ...] = ()
    differences: tuple[Difference, ...] = ()
    costs: tuple[Cost, ...] = ()

    def pairing(self, agent: str, opponent: str) -> Pairing:
        """Return the result of one agent in one seat against another in all others.

        Raises:
            CryptError: they did not play each other.
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
            CryptError: it has no rating.
        """
        return self._row(self.ratings, agent).elo

    def solo(self, agent: str) -> Solo:
        """Return the result of an agent alone against the Ghost.

        Raises:
            CryptError: it did not play.
        """
        return self._row(self.solos, agent)

    def _row(self, rows: Sequence[Row], agent: str) -> Row:
        for row in rows:
            if row.agent == agent:
                return row
        raise self._unknown(agent)

    def _unknown(self, *agents: str) -> CryptError:
        return CryptError(
            f"the report has no such result for {' and '.join(map(repr, agents))}; "
            f"it is about {', '.join(self.agents)} with players={self.players}"
        )

    def _repr_html_(self) -> str:
        from .formats import as_html

        return as_html(self)

    def as_json(self) -> str:
        """Return the report as JSON."""
        content = {"format": FORMAT, **vars(self)}
        for name in _ROWS:
            content[name] = [_plain(row) for row in content[name]]
        return json.dumps(content, indent=1) + "\n"

    @staticmethod
    def from_json(text: str) -> Report:
        """Parse a report from JSON. The text may be untrusted: nothing in it is executed.

        Raises:
            CryptError: the text is not a report.
        """
        try:
            return _report(json.loads(text))
        except RecursionError:
            reason = "it is nested too deeply"
        except (ValueError, TypeError) as error:
            reason = str(error)
        raise CryptError(f"this is not a report in the format {FORMAT}: {reason}")


_ROWS = ("pairings", "mixtures", "ratings", "solos", "differences", "costs")


def _plain(value: Any) -> Any:
    content: Any = value._asdict() if hasattr(value, "_asdict") else value
    if not isinstance(content, dict):
        return content
    return {name: _plain(part) for name, part in content.items()}


# -- reading ----------------------------------------------------------------------------------------------------------

_MOST_TEXT = 1000
"""Maximum characters of a name."""
_MOST_NUMBER = 2**64
_COINS = re.compile(r"-?[0-9]{1,9}")


def _report(content: Any) -> Report:
    """Return a report from its dictionary.

    Raises:
        ValueError: the dictionary is not a report.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"a JSON object with this format is needed, not {quoted(content)}")
    values = {name: _value(name, kind, content.get(name)) for name, kind in get_type_hints(Report).items()}
    if unknown := set(content) - set(values) - {"format"}:
        raise ValueError(f"{quoted(min(unknown))} is not known")
    report = Report(**values)
    _check_report(report)
    return report


def _check_report(report: Report) -> None:
    if not 1 <= report.players <= 4:
        raise ValueError(f"players is {report.players}; 1 to 4 are possible")
    if not 0 < report.confidence < 1:
        raise ValueError(f"confidence is {report.confidence}; a number between 0 and 1 is needed")
    for solo in report.solos:
        if [*solo.quantiles] != [*report.solos[0].quantiles] or [*solo.titles] != [*report.solos[0].titles]:
            raise ValueError("solos have different quantiles or titles")
        if not all(_COINS.fullmatch(coins) for coins in solo.histogram):
            raise ValueError("histogram has an entry that is not a number of coins")


def _value(name: str, kind: Any, value: Any) -> Any:
    """Return a value of a report after checking its type."""
    if get_origin(kind) is tuple and isinstance(value, list):
        return tuple(_value(name, get_args(kind)[0], part) for part in value)
    if get_origin(kind) is dict and isinstance(value, dict):
        return {_value(name, str, key): _value(name, get_args(kind)[1], part) for key, part in value.items()}
    if get_origin(kind) is UnionType:  # a bound of an estimate
        return None if value is None else _value(name, float, value)
    if hasattr(kind, "_fields") and isinstance(value, dict) and set(value) == set(kind._fields):
        return kind(**{part: _value(part, inner, value[part]) for part, inner in get_type_hints(kind).items()})
    if kind is str and isinstance(value, str) and len(value) <= _MOST_TEXT and value.isprintable():
        return value
    if kind in (int, float) and _is_number(value) and (kind is float or (type(value) is int and value >= 0)):
        return value
    raise ValueError(f"{name} is {quoted(value)}")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -_MOST_NUMBER < value < _MOST_NUMBER and isfinite(value)
