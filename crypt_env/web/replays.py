"""The data of a replay page: a record, or only what one seat saw of it; and an agent's evaluation of the decisions."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from crypt_env.agents.base import Agent
from crypt_env.agents.network import NetworkAgent
from crypt_env.agents.registry import make_agent
from crypt_env.errors import CryptError, RecordError, quoted
from crypt_env.game import Game
from crypt_env.notation.actions import parse_action
from crypt_env.notation.record import Record, line_of, replay
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.batch import view_rows
from crypt_env.rules.observe import FEATURES
from crypt_env.rules.state import OVER

from .packed import replay_page
from .walk import Frame, frames_of

Content = dict[str, Any]
_DIGITS = 4
"""Of a probability."""
_NOTHING: Content = {"chance": None, "coins": None}
"""The expectation of an agent that has none."""


def replay_html(record: Record, seat: int | None = None, agent: str | None = None) -> str:
    """Return a page that replays a game, as one HTML file.

    Args:
        record: the game, finished or not.
        seat: the file holds what this seat saw, and no secret of the others; without it, the whole record.
        agent: the name of an agent whose evaluation of each decision is shown: of all, or of those of the seat.

    Raises:
        RecordError: the record differs from the rules, or has no such seat.
        CryptError: there is no such agent, or it is not given by its name.
    """
    replay(record)
    _check_seat(record, seat)
    if agent is not None and not isinstance(agent, str):
        raise CryptError(f"agent {quoted(agent)} is not possible; allowed is the name of an agent, such as 'greedy'")
    judge = None if agent is None else make_agent(agent)
    content: Content = {"players": record["players"], "agent": agent or ""}
    if seat is None:
        advice = {} if judge is None else _advice(judge, record)
        return replay_page({**content, "record": line_of(record), "advice": advice})
    sealed, advice = _sealed(record, seat, judge)
    return replay_page({**content, "sealed": sealed, "advice": advice})


def replay_gif(record: Record, seat: int | None = None) -> bytes:
    """Return a game as an animated GIF: what all can see, or what one seat saw, after each decision.

    Raises:
        RecordError: the record differs from the rules, or has no such seat.
        CryptError: Pillow is not installed.
    """
    from crypt_env.drawing.draw import draw_gif
    from crypt_env.drawing.scene import scenes_of_states

    replay(record)
    _check_seat(record, seat)
    shown = [frame for frame in frames_of(record) if frame.secret_of in (None, seat)]
    return draw_gif([scenes_of_states(frame.states, seat)[0] for frame in shown])


def _check_seat(record: Record, seat: int | None) -> None:
    if seat is not None and seat not in range(record["players"]):
        raise RecordError(
            f"seat {quoted(seat)} is not possible; this record has the seats 0 to {record['players'] - 1}"
        )


# -- what one seat saw ------------------------------------------------------------------------------------------------


def _sealed(record: Record, seat: int, judge: Agent | None) -> tuple[Content, Content]:
    """Return the moments that a seat could tell apart, and an agent's evaluation of its decisions, by moment."""
    moments: list[Content] = []
    advice: Content = {}
    events: list[object] = []
    for frame in frames_of(record):
        if frame.event is not None and _may_know(frame.event, seat):
            events.append(frame.event)
        if frame.secret_of in (None, seat):
            if judge is not None and frame.asked == seat:
                advice[str(len(moments))] = judgement(judge, Game.from_state(frame.states))
            moments.append(_moment(frame, seat, events))
            events = []
    return {"seat": seat, "moments": moments}, advice


def _may_know(event: list[object], seat: int) -> bool:
    """Return whether a seat may know of an event: only the asked seat knows of its flips."""
    return event[0] != "act" or event[1] == seat or not str(event[2]).startswith("flip")


def _moment(frame: Frame, seat: int, events: list[object]) -> Content:
    observations, masks = np.zeros((1, FEATURES), np.int8), np.zeros((1, ACTIONS), np.bool_)
    rows, asked = np.zeros(1, np.int64), frame.asked
    if asked is not None:
        view_rows(frame.states, rows, np.array([asked], np.int8), observations, masks)
    legal = np.flatnonzero(masks[0]).tolist()
    view_rows(frame.states, rows, np.array([seat], np.int8), observations, masks)
    return {
        "observation": base64.b64encode(observations.tobytes()).decode(),
        "holders": frame.states["holder"][0].tolist(),
        "events": events,
        "look": frame.look,
        "asked": asked,
        "legal": legal,
        "ending": _ending(frame),
    }


def _ending(frame: Frame) -> Content | None:
    """Return the result: at the end all cards are counted for all to see."""
    game = Game.from_state(frame.states) if int(frame.states["phase"][0]) == OVER else None
    outcome = None if game is None else game.outcome()
    if game is None or outcome is None:
        return None
    sheets = [sheet._asdict() for sheet in game.sheets()]
    return {"scores": list(outcome.scores), "winners": list(outcome.winners), "sheets": sheets}


# -- evaluations ------------------------------------------------------------------------------------------------------


def _advice(judge: Agent, record: Record) -> Content:
    """Return an agent's evaluation of each decision, by the number of decisions before it."""
    frames = [frame for frame in frames_of(record) if frame.asked is not None]
    return {str(int(frame.states["decisions"][0])): judgement(judge, Game.from_state(frame.states)) for frame in frames}


def judgement(judge: Agent, game: Game) -> Content:
    """Return how likely an agent plays each legal action, and what it expects, as far as it can tell."""
    if not isinstance(judge, NetworkAgent):
        action = parse_action(judge.choose(game))
        return {"probabilities": [[each, float(each == action)] for each in game.legal_actions()], **_NOTHING}
    mover = game.to_move or 0
    observation, mask = game.observation(mover)[None], game.mask(mover)[None]
    found = judge.network.probabilities(observation, mask)[0]
    probabilities = [[action, round(float(found[action]), _DIGITS)] for action in game.legal_actions()]
    return {"probabilities": probabilities, **_expected(judge, game, observation)}


def _expected(judge: NetworkAgent, game: Game, observation: np.ndarray) -> Content:
    """Return the chance to win or the coins that a network expects; nothing if its value says neither.

    `thinker.js` does the same.
    """
    reward = judge.network.facts.get("reward", {})
    value = float(judge.network.evaluate(observation)[1][0]) / float(reward.get("scale", 1.0))
    dense = bool(reward.get("dense", False))
    if game.players == 1:
        sheet = game.sheets()[0]
        coins = value + (sheet.total - sheet.dice if dense else 0)
        return {"chance": None, "coins": round(coins, 1)}
    if dense or reward.get("kind", "win") != "win":
        return _NOTHING
    return {"chance": win_chance(value, game.players), "coins": None}


def win_chance(value: float, players: int) -> float:
    """Return the chance to win that a value means: the winner is paid 1, the losers share -1."""
    return round(min(1.0, max(0.0, (value * (players - 1) + 1) / players)), _DIGITS)
