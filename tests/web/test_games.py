"""The WebAssembly engine plays the same games as the native one, byte for byte."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from crypt_env import ACTIONS, DRAW, FEATURES, Batch, Game, IllegalActionError, action_text
from crypt_env.rules.batch import roll_row, sheet_rows, view_rows
from crypt_env.rules.cards import MAX_PLAYERS
from crypt_env.rules.resample import resample_rows
from crypt_env.rules.score import SHEET_LINES
from crypt_env.rules.state import GHOST_ROLL, OVER
from web.node import as_hex, needs_node, run

pytestmark = needs_node

SEED = 2**64 - 5
BITS = 2**63 + 11
GAMES = 1000


def digest(states: np.ndarray, rewards: np.ndarray) -> str:
    """Return a digest of the whole state of a game; `games.mjs` does the same."""
    players, mover = int(states[0]["players"]), int(states[0]["mover"])
    observations, masks = np.zeros((players, FEATURES), np.int8), np.zeros((players, ACTIONS), np.bool_)
    view_rows(states, np.zeros(players, np.int64), np.arange(players, dtype=np.int8), observations, masks)
    sheets = np.zeros((1, MAX_PLAYERS, len(SHEET_LINES)), np.int16)
    sheet_rows(states, 0, 1, sheets)
    parts = [states, observations, masks[max(0, mover)], sheets[0, :players]]
    if mover >= 0:
        dealt = states.copy()
        resample_rows(dealt, 0, 1, states["mover"].copy(), np.array([BITS], np.uint64))
        parts.append(dealt)
    return hashlib.sha256(b"".join(part.tobytes() for part in [*parts, rewards])).hexdigest()[:12]


def trail(index: int, players: int) -> list[str]:
    """Play a game to its end, actions drawn by the game; return the digests."""
    batch = Batch(1, players, seed=SEED, restarts=False, first_index=index)
    batch.states["pauses"] = index % 2
    rewards = batch.reset().rewards
    digests = [digest(batch.states, rewards)]
    while batch.states[0]["phase"] != OVER:
        if GHOST_ROLL <= batch.states[0]["phase"] < OVER:
            roll_row(batch.states, 0)
        rewards = batch.step(np.array([DRAW])).rewards
        digests.append(digest(batch.states, rewards))
    return digests


def test_a_thousand_games_are_the_same():
    counts = [1 + index // 2 % MAX_PLAYERS for index in range(GAMES)]
    found = run("games.mjs", players=counts, seed=str(SEED), bits=str(BITS))
    for index, players in enumerate(counts):
        wanted = trail(index, players)
        assert len(wanted) > 5
        assert found[index] == wanted, f"game {index} of {players} players"


def test_options_are_understood_as_in_python():
    deck = [
        "T4",
        "I1",
        "M2",
        "P3",
        "R4",
        "J1",
        "T1",
        "I2",
        "M3",
        "P4",
        "R1",
        "J2",
        "T2",
        "I3",
        "M4",
        "P1",
        "R2",
        "J3",
        "T3",
        "I4",
        "M1",
        "P2",
        "R3",
        "J4",
    ]
    cases = [
        {"players": 2, "table": "AABBAB", "leader": 1, "seed": 7},
        {"players": 1, "table": "b", "seed": 8},
        {"players": 3, "table": "random", "leader": "random", "seed": 9, "index": 5},
        {"players": 2, "table": "A", "leader": 0, "seed": 10, "deck": deck},
    ]
    found = run("options.mjs", options=cases)
    for options, state in zip(cases, found["states"], strict=True):
        game = Game(collectors=options.pop("table"), **options)
        game._states["pauses"] = 0
        assert [state] == as_hex(game._states), options


def test_what_is_wrong_is_refused_and_changes_nothing():
    found = run("options.mjs", options=[{"seed": 1}])
    game = Game(players=2, seed=1)
    with pytest.raises(IllegalActionError):
        game.play("done")
    assert found["refused"] == {
        "players": "players=5 is not possible; allowed are 1 to 4",
        "table": 'table=ABC is not possible; allowed are 6 letters A or B, one for all, or "random"',
        "leader": "leader=2 is not possible with 2 players",
        "deck": "the deck does not hold the cards for 2 players",
        "text": "not an action: jump",
        "action": f"done is not legal; legal are: {', '.join(action_text(each) for each in game.legal_actions())}",
        "none": f"seat {game.to_move} is asked for an action",
        "dice": "the game does not wait for dice",
        "player": "there is no player chess without a network",
        "asked": "no seat is asked; dice must be rolled first",
        "over": "the game is over",
        "bytes": f"a game has {game._states.nbytes} bytes, not 3",
    }
    assert found["is_unchanged"]


def test_given_dice_are_settled():
    found = run("options.mjs", options=[{"seed": 1}])
    assert found["rolled"] == found["given"]
    assert found["refused_dice"] == [f"{len(found['given'])} results from 1 to 6 are needed here"] * 2
