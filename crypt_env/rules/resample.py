"""Re-dealing all that a seat cannot know, for searches that must not see the future.

The result depends only on what the seat knows and on the given bits: games that look the same to the seat become one.
"""

from __future__ import annotations

import numpy as np

from .batch import check_games, check_seat
from .cards import CARDS, FACE_UP, KINDS, VALUES, kind_of
from .chance import below, mix, seed_streams, shuffle
from .compiled import entry, int64, row, rule
from .score import earned_coins
from .state import NONE, REVEALED, has_seen


@rule
def _is_unknown(game: np.record, down: int, viewer: int) -> bool:
    """Return whether the viewer does not know the value of a card that was drawn face-down."""
    return game.down_place[down] != REVEALED and not has_seen(game, down, viewer)


@rule
def _count_unknown(game: np.record, viewer: int, left: np.ndarray) -> None:
    """Write how many copies of each card the viewer has not seen. ``left`` is [CARDS]."""
    for card in range(CARDS):
        left[card] = game.unseen[card]
    for down in range(int64(game.downs)):
        if game.down_place[down] != REVEALED and has_seen(game, down, viewer):
            left[game.down_card[down]] -= 1


@rule
def _draw_card(game: np.record, kind: int, left: np.ndarray) -> int:
    """Draw one of the unknown cards of a type."""
    first = kind * VALUES
    total = 0
    for card in range(first, first + VALUES):
        total += int64(left[card])
    nth = below(game, total)
    card = first
    while nth >= left[card]:
        nth -= int64(left[card])
        card += 1
    left[card] -= 1
    return card


@rule
def _shuffle_deck_types(game: np.record) -> None:
    """Order the types in the deck at random, but keep the type of its top card, which all seats see."""
    top, size = int64(game.drawn), int64(game.deck_size)
    if top == size:
        return
    top_kind = kind_of(game.deck[top])
    position = top + 1
    for kind in range(KINDS):
        for _ in range(int64(game.deck_kinds[kind]) - int64(kind == top_kind)):
            game.deck[position] = kind * VALUES
            position += 1
    shuffle(game, game.deck, top + 1, size)


@rule
def _deal_unknown(game: np.record, viewer: int) -> None:
    """Give every card that the viewer does not know one of the remaining values of its type."""
    left = np.empty(CARDS, np.int8)
    _count_unknown(game, viewer, left)
    for position in range(int64(game.drawn), int64(game.deck_size)):
        game.deck[position] = _draw_card(game, kind_of(game.deck[position]), left)
    for down in range(int64(game.downs)):
        if _is_unknown(game, down, viewer):
            game.down_card[down] = _draw_card(game, kind_of(game.down_card[down]), left)


@rule
def _update_the_rest(game: np.record) -> None:
    """Update all that follows from the face-down cards."""
    face_up = int64(FACE_UP[game.players])
    face_down = int64(game.slots) - face_up
    for down in range(int64(game.downs)):
        position = down // face_down * int64(game.slots) + face_up + down % face_down
        game.deck[position] = game.down_card[down]
    for slot in range(int64(game.slots)):
        if game.card[slot] >= 0 and game.down[slot] >= 0:
            game.card[slot] = game.down_card[game.down[slot]]
    for seat in range(int64(game.players)):
        game.paid[seat] = earned_coins(game, seat) if game.dense else 0


@rule
def resample(game: np.record, viewer: int, bits: np.uint64) -> None:
    """Re-deal hidden values, the deck's order and all future chance; keep all that the viewer can know.

    Every deal that the viewer considers possible is equally likely. The new chance follows from ``bits`` alone; the
    game's seed is replaced as well.
    """
    if viewer != game.mover:
        game.chosen = NONE  # no other seat knows that the player has already chosen
        game.first_flip = NONE
    game.decisions = 0  # their number would reveal how often a player was asked which card it flips
    game.seed = mix(bits)
    game.index = 0
    game.episode = 0
    seed_streams(game)
    _shuffle_deck_types(game)
    _deal_unknown(game, viewer)
    _update_the_rest(game)


@entry
def resample_rows(states: np.ndarray, start: int, stop: int, viewers: np.ndarray, bits: np.ndarray) -> None:
    """Re-deal in the games ``start`` to ``stop - 1`` all that their viewer cannot know, each from its own 64 bits."""
    check_games(states, start, stop, min(len(viewers), len(bits)))
    for index in range(start, stop):
        check_seat(row(states, index), int64(viewers[index]))
    for index in range(start, stop):
        resample(row(states, index), int64(viewers[index]), bits[index])
