"""Plays a whole tournament: the Python interface."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext

from crypt_env.agents import AnyAgent, make_agent
from crypt_env.console.progress import Update
from crypt_env.errors import CryptError, quoted
from crypt_env.table import RANDOM, positive

from .chunks import Chunks
from .processes import MOST_JOBS
from .report import Pairing, Report
from .results import Tally
from .schedule import Plan, make_match_plan, make_plan
from .statistics import CONFIDENCE
from .store import Store
from .workers import Crew, play_chunks

Folder = str | os.PathLike[str]


def round_robin(
    agents: Sequence[AnyAgent],
    players: int = 2,
    games: int = 1000,
    collectors: str = RANDOM,
    seed: int = 0,
    mixed: bool = False,
    jobs: int | Crew = 1,
    out: Folder | None = None,
    chunk: int | None = None,
    progress: Update | None = None,
    confidence: float = CONFIDENCE,
) -> Report:
    """Have every agent play every other on the same deals.

    With two players each pair plays in both seatings. With three or four one agent of a pair takes one seat and the
    other all others, in all seatings, and the reverse. Alone, each agent plays every deal against the Ghost.

    Args:
        agents: names, `agents.Agent` objects, or functions of observations and masks.
        players: 1 to 4.
        games: of each line-up, all seatings together; rounded up so that every deal is played in every seating.
        collectors: as for `Batch`, or "even" for all 64 tables equally often; "even-32", "even-16" and "even-8" are
            orthogonal sets of them (`designs.orthogonal_tables`).
        seed: of the deals.
        mixed: with three or four players, also play all sets of different agents.
        jobs: maximum number of processes. With more than one, agents must be given by name. Or a
            `RayCrew`, processes of a Ray cluster.
        out: a folder for finished chunks, from which the same call resumes.
        chunk: how many deals are played at once; measured if not given.
        progress: called with the number of games finished and the total.
        confidence: of all intervals.

    Raises:
        CryptError: an argument is not possible.
    """
    _check_options(out, progress, confidence)
    plan = make_plan(_names(agents), players, games, collectors, seed, mixed)
    return play(plan, agents, jobs, out, chunk, progress).report(confidence)


def play_match(
    agent: AnyAgent,
    opponent: AnyAgent,
    players: int = 2,
    games: int = 1000,
    collectors: str = RANDOM,
    seed: int = 0,
    jobs: int | Crew = 1,
    out: Folder | None = None,
    chunk: int | None = None,
    progress: Update | None = None,
    confidence: float = CONFIDENCE,
) -> Pairing:
    """Have an agent play in one seat against another in all others, equally often from every seat.

    Deals and arguments are as in `round_robin`.

    >>> from crypt_env.arena import play_match
    >>> play_match("random", lambda observations, masks: masks.argmax(axis=1), games=100).games
    100
    """
    _check_options(out, progress, confidence)
    agents = [agent, opponent]
    plan = make_match_plan(_names(agents), players, games, collectors, seed)
    return play(plan, agents, jobs, out, chunk, progress).report(confidence).pairings[0]


def _names(agents: Sequence[AnyAgent]) -> list[str]:
    """Return the names of agents; a named agent is not made yet, which can be slow."""
    if not isinstance(agents, Sequence) or isinstance(agents, (str, bytes, Mapping)):
        raise CryptError(f"agents={quoted(agents)} is not a list of agents, such as ['random', 'greedy']")
    return [agent.strip() if isinstance(agent, str) else make_agent(agent).name for agent in agents]


def _check_options(out: Folder | None, progress: Update | None, confidence: float) -> None:
    """Raise an error for arguments that would fail only after the games."""
    if out is not None and not isinstance(out, (str, os.PathLike)):
        raise CryptError(f"out={quoted(out)} is not possible; the path of a folder or None is needed")
    if progress is not None and not callable(progress):
        raise CryptError(f"progress={quoted(progress)} is not possible; a function of two numbers or None is needed")
    is_number = isinstance(confidence, (int, float)) and not isinstance(confidence, bool)
    if not is_number or not 0 < confidence < 1:
        raise CryptError(f"confidence={quoted(confidence)} is not possible; a number between 0 and 1 is needed")


def play(
    plan: Plan,
    agents: Sequence[AnyAgent],
    jobs: int | Crew = 1,
    out: Folder | None = None,
    chunk: int | None = None,
    progress: Update | None = None,
) -> Tally:
    """Play all of a plan, except what a folder already holds."""
    if not isinstance(jobs, Crew):
        positive("jobs", jobs, MOST_JOBS)
    if chunk is not None:
        positive("chunk", chunk)
    for agent in agents:
        make_agent(agent)  # errors must come before anything is written
    tally = Tally(plan)
    with nullcontext() if out is None else closing(Store(out, plan)) as store:
        found = [] if store is None else store.done
        for done in found:
            tally.add(done)
        chunks = Chunks(plan, [done.task for done in found], chunk)
        _tell(progress, tally)
        with closing(play_chunks(plan, agents, chunks, jobs)) as finished:
            for done in finished:
                if store is not None:
                    store.add(done)
                tally.add(done)
                _tell(progress, tally)
    return tally


def _tell(progress: Update | None, tally: Tally) -> None:
    if progress is not None:
        progress(tally.games, tally.plan.total_games)
