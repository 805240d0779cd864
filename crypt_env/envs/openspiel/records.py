"""Games played in OpenSpiel as games and records of this package, and back."""

from __future__ import annotations

from collections.abc import Iterator

from crypt_env.errors import CryptError
from crypt_env.game import Game
from crypt_env.notation.actions import parse_action
from crypt_env.notation.events import Act, Event, GhostRoll, Reroll, Roll
from crypt_env.notation.record import Record, replay, to_record
from crypt_env.rules.cards import CARD_TEXTS, VALUES, parse_card
from crypt_env.table import sides_text

from .fields import ACT, CARD, COLLECT, DECISION, END, GHOST, REROLL, TIEBREAK, TOP, Entry
from .game import CryptGame, CryptState
from .odds import ghost_dice
from .outcomes import plain_dice, tie_break_dice
from .point import Point


def game_of_state(state: CryptState) -> Game:
    """Return a state of the game ``crypt`` as a `crypt_env.Game` with the same history.

    A state knows only the outcome of a roll, so the dice are an example with this outcome. The cards not drawn yet are
    in an arbitrary order.

    Raises:
        CryptError: chance decides next, or the game began in the middle.
    """
    point: Point = state.point
    if not isinstance(state.get_game(), CryptGame) or point.kind not in (DECISION, END):
        raise CryptError("only a state of the game 'crypt' in which a seat decides, or that is over, can become a Game")
    row = point.row_with_deck[0]
    leader = (int(row["leader"]) - int(row["round_number"])) % int(row["seats"])
    deck = [CARD_TEXTS[card] for card in row["deck"][: row["deck_size"]]]
    game = Game(point.players, sides_text(row), leader, 0, deck)
    for action, dice in _decisions(point):
        game.play_with_dice(action, dice)
    return game


def record_of_state(state: CryptState) -> Record:
    """Return a state of the game ``crypt`` as a record, which `crypt replay` accepts; see `game_of_state`."""
    return {**to_record(game_of_state(state)), "seed": None}


def _decisions(point: Point) -> list[tuple[int, list[tuple[int, ...]]]]:
    """Return all actions, each with the dice that followed."""
    decisions: list[tuple[int, list[tuple[int, ...]]]] = []
    for entry in point.log:
        if entry.kind == ACT:
            decisions.append((entry.what, []))
        elif entry.kind in (COLLECT, REROLL, GHOST, TIEBREAK):
            decisions[-1][1].append(_dice(point, entry))
    return decisions


def _dice(point: Point, entry: Entry) -> tuple[int, ...]:
    """Return dice with the outcome of a roll."""
    if entry.kind == GHOST:
        return ghost_dice(entry.shown)[entry.what]
    if entry.kind == TIEBREAK:
        scores = point.row[0]["scores"][: point.players].tolist()
        tied = [(seat, int(point.row[0]["ready"][seat])) for seat in range(len(scores)) if scores[seat] == max(scores)]
        return tie_break_dice(tied, entry.what)
    return plain_dice(entry.what, entry.shown)


def state_of_record(record: Record, reward: str = "win") -> CryptState:
    """Return the state that a record leads to; it may end early.

    Raises:
        RecordError: it is no record, or it differs from the rules.
    """
    played = replay(record)
    table = {"players": played.players, "collectors": played.collectors, "leader": played.first_leader}
    state = CryptGame({**table, "reward": reward}).new_initial_state()
    events = iter(played.events)
    while not state.is_terminal():
        outcome = _next(state.point, played, events)
        if outcome is None:
            break
        state.apply_action(outcome)
    return state


def _next(point: Point, played: Game, events: Iterator[Event]) -> int | None:
    """Return what happens next at a point; None where the record ends."""
    if point.kind in (CARD, TOP):
        card = parse_card(played.deck[point.filled])
        return card if point.kind == CARD else card // VALUES
    event = next(events, None)
    if isinstance(event, Act):
        return parse_action(event.text)
    if isinstance(event, Roll):
        return sum(result < event.effort for result in event.results)
    if isinstance(event, Reroll):
        return int(event.result < event.effort)
    if isinstance(event, GhostRoll):
        return ghost_dice(len(event.results)).index(tuple(sorted(event.results)))
    outcome = played.outcome()
    return None if event is None or outcome is None else outcome.winners[0]
