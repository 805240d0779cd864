"""Chapters 3 and 4 of the rules: the score sheet, the winners and what a game pays."""

from __future__ import annotations

import numpy as np

from .cards import CARDS, JEWELRY, MANUSCRIPT, POTTERY, REMAINS, TAPESTRY, VALUES, kind_of, value_of
from .compiled import int64, part, rule
from .state import MARGIN, NONE, OVER, SIDE_A, SIDE_B, WIN, has_seen

SHEET_LINES = ("cards", "idol", "jewelry", "manuscript", "pottery", "remains", "tapestry", "dice")
_POTTERY_A = np.array([0, 0, 2, 4, 8], np.int8)
EVERYBODY = int64(NONE)
"""A viewer that knows every value."""


@rule
def _is_counted(game: np.record, down: int, seat: int, viewer: int) -> bool:
    """Return whether a hidden card belongs to a seat and its value is known to the viewer."""
    return game.down_place[down] == seat and (viewer == EVERYBODY or has_seen(game, down, viewer))


@rule
def coins_of_kind(game: np.record, seat: int, kind: int, viewer: int) -> int:
    """Return the coins printed on a seat's cards of one type, as far as the viewer knows them."""
    coins = 0
    for value in range(1, VALUES + 1):
        coins += value * int64(game.public[seat, kind * VALUES + value - 1])
    for down in range(int64(game.downs)):
        if _is_counted(game, down, seat, viewer) and kind_of(game.down_card[down]) == kind:
            coins += value_of(game.down_card[down])
    return coins


@part
def coins_on_cards(game: np.record, seat: int, viewer: int) -> int:
    """Return the coins printed on a seat's cards, as far as the viewer knows them."""
    coins = 0
    for card in range(CARDS):
        coins += value_of(card) * int64(game.public[seat, card])
    for down in range(int64(game.downs)):
        if _is_counted(game, down, seat, viewer):
            coins += value_of(game.down_card[down])
    return coins


@rule
def jewelry_bonus(game: np.record, seat: int, viewer: int) -> int:
    """Return the coins from Jewelry."""
    if game.sides[JEWELRY] == SIDE_B:
        return int64(game.held[seat, JEWELRY])
    if game.held[seat, JEWELRY] < 2:
        return 0
    highest = 0
    for value in range(1, VALUES + 1):
        if game.public[seat, JEWELRY * VALUES + value - 1] > 0:
            highest = value
    for down in range(int64(game.downs)):
        if _is_counted(game, down, seat, viewer) and kind_of(game.down_card[down]) == JEWELRY:
            highest = max(highest, value_of(game.down_card[down]))
    return highest


@rule
def manuscript_bonus(game: np.record, seat: int, viewer: int) -> int:
    """Return the coins by which Manuscripts score more than what is printed on them."""
    count = int64(game.held[seat, MANUSCRIPT])
    if game.sides[MANUSCRIPT] == SIDE_B or count < 2:
        return 0
    return VALUES * count - coins_of_kind(game, seat, MANUSCRIPT, viewer)


@part
def pottery_bonus(game: np.record, seat: int) -> int:
    """Return the coins from Pottery."""
    if game.sides[POTTERY] == SIDE_B:
        return 0
    return int64(_POTTERY_A[min(int64(game.held[seat, POTTERY]), 4)])


@part
def remains_bonus(game: np.record, seat: int) -> int:
    """Return the coins from Remains."""
    return 10 if game.sides[REMAINS] == SIDE_B and game.held[seat, REMAINS] >= 4 else 0


@part
def _has_richest_tapestries(game: np.record, seat: int) -> bool:
    """Return whether no other player has more coins in Tapestries."""
    own = coins_of_kind(game, seat, TAPESTRY, EVERYBODY)
    for other in range(int64(game.players)):
        if coins_of_kind(game, other, TAPESTRY, EVERYBODY) > own:
            return False
    return True


@part
def _holders_of_three_tapestries(game: np.record) -> int:
    """Return how many players hold three Tapestries."""
    holders = 0
    for seat in range(int64(game.players)):
        if game.held[seat, TAPESTRY] >= 3:
            holders += 1
    return holders


@rule
def tapestry_bonus(game: np.record, seat: int) -> int:
    """Return the coins from Tapestries at the end of the game."""
    if game.sides[TAPESTRY] == SIDE_A:
        return 5 if game.held[seat, TAPESTRY] >= 1 and _has_richest_tapestries(game, seat) else 0
    if game.held[seat, TAPESTRY] < 3:
        return 0
    return 7 if _holders_of_three_tapestries(game) == 1 else 4


@rule
def certain_tapestry_bonus(game: np.record, seat: int) -> int:
    """Return the coins from Tapestries that no other player can take away any more."""
    if game.players == 1:
        return tapestry_bonus(game, seat)
    return 4 if game.sides[TAPESTRY] == SIDE_B and game.held[seat, TAPESTRY] >= 3 else 0


@rule
def _settled_coins(game: np.record, seat: int, viewer: int) -> int:
    """Return the coins of a seat that do not depend on others or on dice, as far as the viewer knows its cards."""
    return (
        coins_on_cards(game, seat, viewer)
        + int64(game.idol_bonus[seat])
        + jewelry_bonus(game, seat, viewer)
        + manuscript_bonus(game, seat, viewer)
        + pottery_bonus(game, seat)
        + remains_bonus(game, seat)
    )


@part
def certain_coins(game: np.record, seat: int, viewer: int) -> int:
    """Return the coins that a viewer knows a seat to have at the end in any case."""
    return _settled_coins(game, seat, viewer) + certain_tapestry_bonus(game, seat)


@part
def final_coins(game: np.record, seat: int) -> int:
    """Return the score of a seat at the end of the game."""
    return _settled_coins(game, seat, EVERYBODY) + tapestry_bonus(game, seat) + int64(game.ready[seat])


@rule
def write_sheet(game: np.record, seat: int, sheet: np.ndarray) -> None:
    """Write the lines of a seat's score sheet, as if the game ended now. ``sheet`` is [SHEET_LINES]."""
    sheet[0] = coins_on_cards(game, seat, EVERYBODY)
    sheet[1] = game.idol_bonus[seat]
    sheet[2] = jewelry_bonus(game, seat, EVERYBODY)
    sheet[3] = manuscript_bonus(game, seat, EVERYBODY)
    sheet[4] = pottery_bonus(game, seat)
    sheet[5] = remains_bonus(game, seat)
    sheet[6] = tapestry_bonus(game, seat)
    sheet[7] = game.ready[seat]


# -- winners and tie-break [R11] --------------------------------------------------------------------------------------


@rule
def is_winner(game: np.record, seat: int) -> bool:
    """Return whether a seat wins, or is still tied while the tie is being broken."""
    return (int64(game.winners) >> seat) & 1 == 1


@rule
def count_winners(game: np.record) -> int:
    """Return how many seats win."""
    count = 0
    for seat in range(int64(game.players)):
        if is_winner(game, seat):
            count += 1
    return count


@rule
def tiebreak_dice(game: np.record) -> int:
    """Return how many dice the tied players roll; 0 without a tie, or without dice."""
    dice = 0
    for seat in range(int64(game.players)):
        if is_winner(game, seat):
            dice += int64(game.ready[seat])
    return 0 if count_winners(game) == 1 else dice


@rule
def score_game(game: np.record) -> None:
    """Write the scores, and the seats with the highest one as winners."""
    best = NONE
    for seat in range(int64(game.players)):
        score = final_coins(game, seat)
        game.scores[seat] = score
        if score > best:
            best = score
            game.winners = 0
        if score == best:
            game.winners |= 1 << seat


@rule
def settle_tiebreak_roll(game: np.record) -> None:
    """Leave as winners the tied seats whose dice show the highest sum."""
    best = NONE
    winners = 0
    die = 0
    for seat in range(int64(game.players)):
        if not is_winner(game, seat):
            continue
        total = 0
        for _ in range(int64(game.ready[seat])):
            total += int64(game.rolled[die])
            die += 1
        if total > best:
            best = total
            winners = 0
        if total == best:
            winners |= 1 << seat
    game.winners = winners


# -- what a game pays -------------------------------------------------------------------------------------------------


@part
def _win_payoff(game: np.record, seat: int) -> float:
    """Return a seat's share of the win: k winners share 1, the losers share -1; 0 if all win."""
    winners = count_winners(game)
    losers = int64(game.players) - winners
    if losers == 0:
        return 0.0
    return 1.0 / winners if is_winner(game, seat) else -1.0 / losers


@part
def _known_coins(game: np.record, seat: int, viewer: int) -> int:
    """Return the final score of a seat, or before the end the coins that the viewer knows to be certain."""
    return int64(game.scores[seat]) if game.phase == OVER else certain_coins(game, seat, viewer)


@part
def _margin(game: np.record, seat: int) -> int:
    """Return by how many coins a seat is ahead of the best other seat, as far as it knows."""
    best = -1000
    for other in range(int64(game.players)):
        if other != seat:
            best = max(best, _known_coins(game, other, seat))
    return _known_coins(game, seat, seat) - best


@part
def earned_coins(game: np.record, seat: int) -> int:
    """Return what a seat has earned so far by the reward of the game. A solo game has no other seats: it counts coins.

    A new reward that is counted in coins is added here. Dense games are paid its growth, so it may use nothing but
    `_known_coins` with the seat itself as the viewer, and games that are re-dealt start from it again. It is a whole
    number, as `paid` in the record is. If a reward has fractions, count it here in parts of a coin, the same parts in
    dense and sparse games, and divide in `write_rewards`.
    """
    if game.reward_rule == MARGIN and game.players > 1:
        return _margin(game, seat)
    return _known_coins(game, seat, seat)


@part
def pays_wins(game: np.record) -> bool:
    """Return whether the reward is the win. A solo game pays coins instead."""
    return game.reward_rule == WIN and game.players > 1


@rule
def write_rewards(game: np.record, rewards: np.ndarray) -> None:
    """Write what every seat earned since it was last paid. ``rewards`` is [MAX_PLAYERS], 0 for empty seats.

    To be called when the game is over, and for a dense one also whenever coins may have become certain.
    """
    rewards[:] = 0
    if pays_wins(game):
        if game.phase == OVER:
            for seat in range(int64(game.players)):
                rewards[seat] = _win_payoff(game, seat)
    else:
        for seat in range(int64(game.players)):
            earned = earned_coins(game, seat)
            rewards[seat] = earned - int64(game.paid[seat])
            if game.dense:
                game.paid[seat] = earned
