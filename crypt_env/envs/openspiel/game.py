"""Crypt as an OpenSpiel game: ``crypt(players=2,collectors=AABBAB,leader=0,reward=win)``.

| parameter | default | meaning |
|---|---|---|
| `players` | 2 | 1 (the Only Child against the Ghost) to 4 |
| `collectors` | `random` | six letters such as `AABBAB`, `A` or `B` for all; `random` has chance draw them |
| `leader` | -1 | the first Leader's seat; -1 has chance draw it |
| `reward` | `win` | what a game pays: `win`, `margin` or `coins` |
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from crypt_env.errors import CryptError, PositionError
from crypt_env.notation.actions import ACTION_TEXTS
from crypt_env.notation.position import State, format_position
from crypt_env.rules.actions import ACTIONS
from crypt_env.rules.cards import DECK_SIZES, MAX_PLAYERS
from crypt_env.rules.state import GAME, NEW, NONE, STAYS
from crypt_env.table import RANDOM, Table, sides_text

from .fields import DECISION, END, GHOST, PLAYERS
from .limits import Limits, limits
from .observer import (
    CryptObserver,
    checked_action_struct,
    history_text,
    observation_struct,
    outcome_text,
)
from .odds import ghost_dice
from .outcomes import dice_of
from .point import Point, first_point, resampled

DEFAULTS: dict[str, Any] = {"players": 2, "collectors": "random", "leader": -1, "reward": "win"}
_DECK_OUTCOMES, _GHOST_OUTCOMES = 24, len(ghost_dice(3))


def game_type(name: str, long_name: str, defaults: dict[str, Any], most: int, utility: Any) -> Any:
    """Return the type of the games with this name."""
    return pyspiel.GameType(
        short_name=name,
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=2 if most == 2 else 1,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults,
        provides_factored_observation_string=True,
    )


def utility_of(players: int, reward: str) -> Any:
    """Return whether the returns of all seats add up to zero, in OpenSpiel's terms."""
    is_zero_sum = players > 1 and (reward == "win" or (reward == "margin" and players == 2))
    return pyspiel.GameType.Utility.ZERO_SUM if is_zero_sum else pyspiel.GameType.Utility.GENERAL_SUM


def game_info(players: int, reward: str, most: Limits) -> Any:
    """Return the sizes and bounds of a game with these parameters."""
    is_win = players > 1 and reward == "win"
    is_coins = players == 1 or reward == "coins"
    is_zero_sum = utility_of(players, reward) == pyspiel.GameType.Utility.ZERO_SUM
    return pyspiel.GameInfo(
        num_distinct_actions=ACTIONS,
        max_chance_outcomes=_GHOST_OUTCOMES if players == 1 else _DECK_OUTCOMES,
        num_players=players,
        min_utility=-1.0 if is_win else 0.0 if is_coins else -float(most.coins),
        max_utility=1.0 if is_win else float(most.coins),
        utility_sum=0.0 if is_zero_sum else None,
        max_game_length=most.decisions,
    )


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game at a given table that begins at a given point."""

    def __init__(self, kind: Any, first: Point, reward: str, rounds: int | None, parameters: dict[str, Any]) -> None:
        """Make a game.

        Args:
            kind: its type.
            first: where it begins.
            reward: what it pays.
            rounds: how many rounds are left; None for a whole game.
            parameters: those that OpenSpiel was given.
        """
        players = first.data[PLAYERS]
        self._most = limits(players, rounds)
        super().__init__(kind, game_info(players, reward, self._most), parameters)
        self.first = first

    def new_initial_state(self, text: str | None = None) -> CryptState:
        """Return the state in which the game begins."""
        if text is not None:
            raise CryptError("a state cannot be made from its text; see crypt_env.envs.openspiel.state_of_record")
        return CryptState(self, self.first)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> CryptObserver:
        """Return an observer for a type of observations."""
        if params:
            raise CryptError(f"an observer of Crypt takes no parameters, but {params!r:.80} was given")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return CryptObserver(kind, self.first.data[PLAYERS], self._most.rows)

    def max_chance_nodes_in_history(self) -> int:
        """Return the most chance nodes that a game can have."""
        return self._most.chances


def new_row(players: int, collectors: str, leader: int, reward: str) -> State:
    """Return the record of a game that is not dealt yet; settings of its table that are drawn are -1."""
    row = np.zeros(1, GAME)
    Table(players, collectors, RANDOM if leader == NONE else leader, reward).write(row)
    row["restarts"] = STAYS
    row["pauses"] = 1
    row["phase"] = NEW
    row["mover"] = NONE
    row["deck_given"] = 1
    row["deck"][0, DECK_SIZES[players] :] = NONE
    return row


class CryptGame(TableGame):
    """A whole game."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """Make the game with these parameters; those that are missing have their defaults."""
        given = {**DEFAULTS, **(params or {})}
        first = first_point(new_row(given["players"], given["collectors"], given["leader"], given["reward"]))
        kind = game_type(NAME, LONG_NAME, DEFAULTS, MAX_PLAYERS, utility_of(given["players"], given["reward"]))
        super().__init__(kind, first, given["reward"], None, params or {})


class CryptState(pyspiel.State):  # type: ignore[misc]
    """A state of a game. Clones are cheap: they share a `Point`, which never changes."""

    def __init__(self, game: TableGame, point: Point) -> None:
        """Begin at a point."""
        super().__init__(game)
        self.point = point

    def current_player(self) -> int:
        """Return the seat that decides, or OpenSpiel's number for chance or for the end."""
        return self.point.player

    def _legal_actions(self, player: int) -> list[int]:
        """Return what the seat that decides may do, in ascending order."""
        return self.point.legal() if player == self.point.player else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance with their probabilities."""
        return list(self.point.outcomes)

    def _apply_action(self, action: int) -> None:
        """Play an action, or let chance decide."""
        self.point = self.point.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return an action or an outcome in words."""
        if player >= 0:
            return ACTION_TEXTS[action] if 0 <= action < ACTIONS else f"no action {action}"
        if self.point.kind == GHOST:
            return "Ghost rolls " + " ".join(map(str, dice_of(self.point, action)))
        return outcome_text(self.point.kind, action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.point.kind == END

    def returns(self) -> list[float]:
        """Return what every seat was paid; zeros before the end."""
        return list(self.point.returns) or [0.0] * self.point.players

    def __str__(self) -> str:
        """Return all that happened, including what no seat knows, and the position unless chance decides."""
        everybody = (1 << self.point.players) - 1
        lines = [history_text(self.point, everybody), self.point.deck_text()]
        if self.point.kind in (DECISION, END):
            lines.append(self.position())
        return "\n".join(filter(None, lines)) or "nothing is dealt"

    def position(self) -> str:
        """Return the game as one line of text, which `crypt_env.Game.from_text` reads.

        The cards not drawn yet are in an arbitrary order.

        Raises:
            PositionError: no seat decides, and the game is not over.
        """
        if self.point.kind not in (DECISION, END):
            raise PositionError("a game that waits for chance has no text")
        return format_position(self.point.row_with_deck)

    def resample_from_infostate(self, player: int, sampler: Any = None) -> CryptState:
        """Return a clone in which all that a player cannot know is re-dealt; see `bots.resampler`.

        Args:
            player: the player.
            sampler: returns random numbers from 0 to 1, as OpenSpiel's samplers do.
        """
        bits = int((np.random.default_rng().random() if sampler is None else sampler()) * 2**53)
        clone: CryptState = self.clone()
        clone.point = resampled(self.point, player, bits)
        return clone

    # -- structs: newer versions of OpenSpiel ask for them ------------------------------------------------------------

    def _to_struct(self) -> dict[str, Any]:
        """Return the state by names."""
        point = self.point
        everybody = (1 << point.players) - 1
        return {
            "players": point.players,
            "collectors": sides_text(point.row[0]) if point.is_dealt else "",
            "current_player": point.player,
            "events": history_text(point, everybody),
            "position": self.position() if point.kind in (DECISION, END) else "",
            "returns": self.returns(),
        }

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        """Return an action by its text."""
        return {"action": self._action_to_string(player, action)}

    def _struct_to_actions(self, struct: Any) -> list[int]:
        """Return the action that a struct names."""
        return [checked_action_struct(struct)]

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        """Return all that a player may know, by names."""
        return observation_struct(self.point, player)


NAME, LONG_NAME = "crypt", "Crypt"
ALIAS = "python_crypt"
"""The same game under the name that OpenSpiel gives to games in Python."""
for _name in (NAME, ALIAS):
    pyspiel.register_game(game_type(_name, LONG_NAME, DEFAULTS, MAX_PLAYERS, utility_of(2, "win")), CryptGame)
