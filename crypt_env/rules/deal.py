"""Chapters 1 and 2.I of the rules: the table, the deck and the cards of a round."""

from __future__ import annotations

import numpy as np

from .actions import DICE
from .cards import CARDS, COPIES, DECK_SIZES, DECKS, FACE_DOWN, FACE_UP, KINDS, MAX_DECK, kind_of
from .chance import below, seed_streams, shuffle
from .claim import clear_dice
from .compiled import int64, part, rule
from .ghost import arrange
from .state import IN_CRYPT, NONE

TABLES = 64
"""Ways to choose a side of each of the six Collectors."""


@rule
def deal(game: np.record) -> None:
    """Start the game of this seed, index and episode.

    A table and a Leader are always drawn, even if the caller has fixed them, so that the deck does not depend on it.
    """
    seed_streams(game)
    table = below(game, TABLES)
    leader = below(game, int64(game.players))
    if game.table_rule >= 0:
        table = int64(game.table_rule)
    for kind in range(KINDS):
        game.sides[kind] = (table >> kind) & 1
    game.leader = leader if game.leader_rule < 0 else game.leader_rule
    if not game.deck_given:
        for position in range(MAX_DECK):
            game.deck[position] = DECKS[game.players, position]
        shuffle(game, game.deck, int64(0), int64(DECK_SIZES[game.players]))
    set_up(game)


@part
def set_up(game: np.record) -> None:
    """Set up a game whose players, sides, Leader and deck are known, and reveal the first cards."""
    players = int64(game.players)
    game.seats = max(2, players)
    game.slots = FACE_UP[players] + FACE_DOWN[players]
    game.deck_size = DECK_SIZES[players]
    game.drawn = 0
    game.round_number = 0
    game.downs = 0
    game.idol_round = NONE
    game.winners = 0
    game.decisions = 0
    game.mover = NONE
    game.chosen = NONE
    game.first_flip = NONE
    game.taker = NONE
    game.taking = NONE
    for seat in range(len(game.ready)):
        game.ready[seat] = DICE if seat < game.seats else 0
    game.exhausted[:] = 0
    game.idol_bonus[:] = 0
    game.held[:] = 0
    game.unflipped[:] = 0
    game.public[:] = 0
    game.scores[:] = 0
    game.paid[:] = 0
    game.rolled[:] = 0
    clear_dice(game)
    game.card[:] = NONE
    game.down[:] = NONE
    game.down_card[:] = NONE
    game.down_place[:] = NONE
    game.down_seen[:] = 0
    game.deck_kinds[:] = 0
    for card in range(CARDS):
        game.unseen[card] = COPIES[players, card]
        game.deck_kinds[kind_of(card)] += COPIES[players, card]
    reveal(game)


@rule
def reveal(game: np.record) -> None:
    """Lay out the Crypt of a round: the first cards drawn are face-up, the last ones face-down."""
    for slot in range(int64(game.slots)):
        card = int64(game.deck[game.drawn])
        game.drawn += 1
        game.deck_kinds[kind_of(card)] -= 1
        game.card[slot] = card
        if slot < FACE_UP[game.players]:
            game.down[slot] = NONE
            game.unseen[card] -= 1
        else:
            game.down[slot] = game.downs
            game.down_card[game.downs] = card
            game.down_place[game.downs] = IN_CRYPT
            game.down_seen[game.downs] = 0
            game.downs += 1
    if game.players == 1:
        arrange(game)
