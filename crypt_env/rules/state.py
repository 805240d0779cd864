"""The record that is a whole game: every field, its shape and its meaning.

A batch of games is an array of these records. Copying a game is copying a row.

Seats are 0 to 3; a solo game has the player on seat 0 and the Ghost on seat 1. Slots are numbered from left to right.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .actions import DICE
from .cards import CARDS, KINDS, MAX_DECK, MAX_FACE_DOWN, MAX_PLAYERS, MAX_SLOTS, kind_of
from .compiled import int64, rule

# Phases in which a seat decides; in ANSWER it answers another seat's take ...
BEFORE_CLAIM, CLAIM, AFTER_CLAIM, COLLECT, ANSWER = 0, 1, 2, 3, 4
# ... in which dice are about to be rolled ...
GHOST_ROLL, COLLECT_ROLL, REROLL_ROLL, TIEBREAK_ROLL = 5, 6, 7, 8
# ... the end, ...
OVER = 9
# ... and those in which no seat decides. A new game is dealt as soon as it goes on.
NEW, ROLLING, ROUND_END, SCORED = 10, 11, 12, 13

# What becomes of a game that is over: it stays, or its next episode is dealt at once.
STAYS, RESTARTS = 0, 1

SIDE_A, SIDE_B = 0, 1
GHOST = int64(1)
NONE = -1

# Where a card is that was drawn face-down; a seat number means that seat's collection.
IN_CRYPT, DISCARDED, REVEALED = 4, 5, 6

# What the game pays, see `score.earned_coins` and `score.write_rewards`.
WIN, MARGIN, COINS = 0, 1, 2
RewardName = Literal["win", "margin", "coins"]
REWARD_NAMES: tuple[str, ...] = get_args(RewardName)
"""In the order of their numbers."""

MOST_DECISIONS = 2**15 - 1
"""The count of decisions starts again after this, which no dealt game reaches."""

GAME = np.dtype(
    [
        # -- chance -----------------------------------------------------------------------------------------------
        ("chance", "u8"),  # stream of deals and dice
        ("choice", "u8"),  # stream of drawn actions
        ("seed", "u8"),
        ("index", "u4"),  # number of the game in its batch
        ("episode", "u4"),  # how often the game was restarted
        # -- coins and counts -------------------------------------------------------------------------------------
        ("decisions", "i2"),  # decisions asked so far
        ("scores", "i2", (MAX_PLAYERS,)),
        ("paid", "i2", (MAX_PLAYERS,)),  # coins paid so far where rewards are dense
        # -- what the caller requested ----------------------------------------------------------------------------
        ("players", "i1"),
        ("table_rule", "i1"),  # Collector sides as bits, Idol lowest; -1 draws them for each episode
        ("leader_rule", "i1"),  # first Leader; -1 draws
        ("reward_rule", "i1"),  # place in REWARD_NAMES
        ("dense", "i1"),  # pay as soon as it is certain
        ("restarts", "i1"),  # STAYS or RESTARTS when over
        ("pauses", "i1"),  # stop wherever dice must be rolled
        ("deck_given", "i1"),  # play with the deck in the record
        ("learner", "i1"),  # the seat whose view is written when no seat decides
        # -- table ------------------------------------------------------------------------------------------------
        ("seats", "i1"),  # players, and the Ghost
        ("slots", "i1"),  # cards in a Crypt
        ("deck_size", "i1"),
        ("drawn", "i1"),  # cards that left the deck
        ("round_number", "i1"),  # 0-based
        ("leader", "i1"),  # the Leader of this round
        ("sides", "i1", (KINDS,)),  # SIDE_A or SIDE_B
        ("deck", "i1", (MAX_DECK,)),  # in draw order
        ("deck_kinds", "i1", (KINDS,)),  # cards of each type left in the deck
        ("unseen", "i1", (CARDS,)),  # copies whose value is not public
        # -- who decides what -------------------------------------------------------------------------------------
        ("phase", "i1"),
        ("turn", "i1"),  # place in the turn order of the phase; the slot in COLLECT_ROLL
        ("mover", "i1"),  # the seat that decides; -1 if none does
        ("last_slot", "i1"),  # last slot used in this Claim turn, -1 before; the effort in REROLL_ROLL
        # -- an action that was chosen and not yet paid for; only the seat that chose it knows of it ------------------
        ("chosen", "i1"),  # the action; -1 if there is none
        ("first_flip", "i1"),  # the first of the two cards that it flips, once decided: see `flips`; -1 before
        # -- a take that the others may answer ---------------------------------------------------------------------
        ("taker", "i1"),  # -1 if there is none
        ("taking", "i1"),  # the slot of the card
        # -- the Crypt; while failed dice may be re-rolled, `holder`, `dice` and `effort` are theirs ---------------
        ("card", "i1", (MAX_SLOTS,)),  # -1 where there is none
        ("down", "i1", (MAX_SLOTS,)),  # number of the face-down card, -1 if face-up
        ("holder", "i1", (MAX_SLOTS,)),  # seat, -1 if unoccupied
        ("dice", "i1", (MAX_SLOTS,)),
        ("effort", "i1", (MAX_SLOTS,)),
        # -- seats ------------------------------------------------------------------------------------------------
        ("ready", "i1", (MAX_PLAYERS,)),  # dice on the Player card
        ("exhausted", "i1", (MAX_PLAYERS,)),
        ("ghost_pushed", "i1"),  # Ghost dice that the player pushed off this round
        ("idol_round", "i1"),  # round in which Idol B was first reached, -1 before
        ("idol_bonus", "i1", (MAX_PLAYERS,)),  # coins from Idol B
        ("held", "i1", (MAX_PLAYERS, KINDS)),  # cards in the collection
        ("unflipped", "i1", (MAX_PLAYERS, KINDS)),  # those that can still pay for rewards
        ("public", "i1", (MAX_PLAYERS, CARDS)),  # those whose value is public
        # -- cards that were drawn face-down, in the order in which they were drawn -----------------------------------
        ("downs", "i1"),  # how many were drawn
        ("down_card", "i1", (MAX_FACE_DOWN,)),
        ("down_place", "i1", (MAX_FACE_DOWN,)),  # owner's seat, IN_CRYPT, DISCARDED or REVEALED
        ("down_seen", "i1", (MAX_FACE_DOWN,)),  # bit s: seat s has seen the value
        # -- dice and results -------------------------------------------------------------------------------------
        ("rolled", "i1", (MAX_PLAYERS * DICE,)),  # results of the roll that is being settled
        ("winners", "i1"),  # bit s: seat s wins; in TIEBREAK_ROLL: is still tied
        ("busy", "i1"),  # 1 while a step works on games from here on; makes the record whole words
    ],
    align=True,
)


@rule
def is_human(game: np.record, seat: int) -> bool:
    """Return whether a player, not the Ghost, sits there."""
    return seat < game.players


@rule
def seat_in_turn(game: np.record, turn: int) -> int:
    """Return whose turn it is, counted from the Leader."""
    seat = int64(game.leader) + turn
    return seat - int64(game.seats) if seat >= game.seats else seat


@rule
def turn_of(game: np.record, seat: int) -> int:
    """Return the place of a seat in the turn order, counted from the Leader."""
    turn = int64(seat) - int64(game.leader)
    return turn + int64(game.seats) if turn < 0 else turn


@rule
def has_seen(game: np.record, down: int, seat: int) -> bool:
    """Return whether a seat has seen the value of a face-down card."""
    return (int64(game.down_seen[down]) >> seat) & 1 == 1


@rule
def show(game: np.record, down: int, seat: int) -> None:
    """Let a seat see the value of a face-down card."""
    game.down_seen[down] |= 1 << seat


@rule
def gain(game: np.record, seat: int, slot: int) -> None:
    """Move the card in a slot to a collection. Its value is seen by the new owner alone if it lay face-down."""
    card = int64(game.card[slot])
    down = int64(game.down[slot])
    game.card[slot] = NONE
    game.held[seat, kind_of(card)] += 1
    game.unflipped[seat, kind_of(card)] += 1
    if down < 0:
        game.public[seat, card] += 1
    else:
        game.down_place[down] = seat
        show(game, down, seat)


@rule
def discard(game: np.record, slot: int) -> None:
    """Remove the card in a slot from the game. A face-down one stays unknown."""
    game.card[slot] = NONE
    if game.down[slot] >= 0:
        game.down_place[game.down[slot]] = DISCARDED
