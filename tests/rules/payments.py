"""Positions in which a reward can be paid for, or is: the start of the tests of flips and of answers to a take."""

from __future__ import annotations

from collections.abc import Callable

from crypt_env import Game
from rules.scenes import FACE_DOWN, FACE_UP, play, play_all, scene

TABLE = "AABBAA"
"""All four rewards that are paid for: Idol A, Manuscript B, Pottery B, Remains A."""
CRYPT = "T4 J2 T1 J1 J3 J4"
REWARDS = {"reroll": "I", "peek": "M", "take": "P", "revive": "R"}
"""The type of the cards that pay."""
SINGLE, DOUBLE = ("reroll", "peek"), ("take", "revive")
"""Rewards for which one card is flipped, and those for which it is two."""


def crypt_of(players: int) -> str:
    """Return the cards of a round, none of which pays for anything."""
    cards = CRYPT.split()
    return " ".join([*cards[: FACE_UP[players]], *cards[4 : 4 + FACE_DOWN[players]]])


def everybody(players: int) -> str:
    """Return all seats, as those who have seen a card."""
    return "0123"[:players]


def action_of(reward: str, players: int = 3) -> str:
    """Return the text with which a reward is chosen in a position of `offer`."""
    slot = 1 if players == 1 else FACE_UP[players]  # the Only Child's Crypt lies by value: 4, the hidden card, 2
    return {"reroll": "reroll 4", "take": f"take {slot}"}.get(reward, reward)


def offer(reward: str, hidden: str = "", public: str = "", players: int = 3, flipped: int = 0) -> Game:
    """Return a game in which seat 0 may choose a reward.

    Args:
        reward: reroll, peek, take or revive.
        hidden: cards of the type that pays, as for `scene`, but without the letter: "1:0 4:0+01" are its own, drawn in
            this order, and seat 1 has seen the second; "2:f" was flipped, "3:x" discarded, "3:1" lies with seat 1.
        public: values of those that all know, "2 3".
        players: 1 to 4.
        flipped: how many were flipped.
    """
    kind = REWARDS[reward]
    fields = {"phase": {"reroll": "collect", "take": "before"}.get(reward, "claim")}
    if reward == "reroll":
        free = FACE_UP[players] + FACE_DOWN[players] - 1
        fields |= {"table": ",".join(["0:1x4"] + ["."] * free), "downs": ",".join("x" * FACE_DOWN[players])}
    if flipped:
        fields["flipped"] = ",".join([f"{kind}{flipped}"] + ["-"] * (players - 1))
    return scene(
        players,
        TABLE,
        crypt_of(players),
        public=(" ".join(kind + value for value in public.split()),),
        hidden=" ".join(kind + token for token in hidden.split()),
        exhausted=(1,) if reward in ("reroll", "revive") else (),
        **fields,
    )


def choose(reward: str, hidden: str = "", public: str = "", players: int = 3, flipped: int = 0) -> Game:
    """Return the game of `offer` after the reward was chosen."""
    return offer(reward, hidden, public, players, flipped).play(action_of(reward, players))


def asked(game: Game) -> str:
    """Return the values among which a player is asked to flip one, "1 4"; nothing if it is asked anything else."""
    return " ".join(text.removeprefix("flip ") for text in game.legal() if text.startswith("flip "))


def _answer(players: int, hidden: str) -> Game:
    """Return a game in which seat 1 has chosen to answer the take of seat 0, and is asked which Manuscript it flips."""
    game = scene(players, TABLE, crypt_of(players), phase="before", public=("P1 P2",), hidden=hidden)
    return play_all(game, f"take {FACE_UP[players]}", "peek")


def _peek_in_a_window(players: int, phase: str) -> Game:
    """Return a game in which seat 0 is asked which Manuscript it flips, before or after the Claim."""
    public = ("P1 P2",) if phase == "before" else ()
    game = scene(players, TABLE, crypt_of(players), phase=phase, public=public, hidden="M1:0 M3:0")
    return play(game, "peek")


PENDING: dict[str, Callable[[int], Game]] = {
    "reroll": lambda players: choose("reroll", "1:0 4:0", players=players),
    "peek": lambda players: choose("peek", "4:0 1:0", players=players),
    "peek before the Claim": lambda players: _peek_in_a_window(players, "before"),
    "peek after the Claim": lambda players: _peek_in_a_window(players, "after"),
    "peek as an answer": lambda players: _answer(players, "M3:1 M2:1 J1:0"),
    "take, first": lambda players: choose("take", "1:0 2:0 4:0", players=players),
    "take, second after a chosen one": lambda players: choose("take", "1:0 2:0 4:0", players=players).play("flip 2"),
    "take, second after a public one": lambda players: choose("take", "1:0 4:0", "2", players),
    "revive, first": lambda players: choose("revive", "1:0 2:0 4:0", players=players),
    "revive, second after a known one": lambda players: choose(
        "revive", f"4:0 1:0 2:0+{everybody(players)}", players=players
    ),
}
"""For each kind of question which card is flipped: a game with 2 to 4 players in which it is asked."""
