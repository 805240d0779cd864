"""The score at the end of a game."""

from __future__ import annotations

from .pieces import TYPES, Player


def scores(players: list[Player], sides: dict[str, str], idol_first: set[int]) -> list[int]:
    """Final scores by seat: cards, Collectors and dice that are not exhausted."""
    tapestries = tapestry_bonus(players, sides["T"])
    return [
        sum(card.value for card in player.cards)
        + set_bonus(player, sides, seat in idol_first)
        + tapestries[seat]
        + player.available
        for seat, player in enumerate(players)
    ]


def set_bonus(player: Player, sides: dict[str, str], first: bool) -> int:
    """Coins of all Collectors but Tapestry, beyond those printed on the cards."""
    have = {kind: player.of(kind) for kind in TYPES}
    bonus = 0
    if sides["I"] == "B" and len(have["I"]) >= 2:
        bonus += 5 if first else 2
    if sides["J"] == "B":
        bonus += len(have["J"])
    elif len(have["J"]) >= 2:
        bonus += max(card.value for card in have["J"])
    if sides["M"] == "A" and len(have["M"]) >= 2:
        bonus += sum(4 - card.value for card in have["M"])
    if sides["P"] == "A":
        bonus += (0, 0, 2, 4, 8)[min(len(have["P"]), 4)]
    if sides["R"] == "B" and len(have["R"]) >= 4:
        bonus += 10
    return bonus


def tapestry_bonus(players: list[Player], side: str) -> list[int]:
    """Coins of the Tapestry Collector by seat."""
    sets = [player.of("T") for player in players]
    if side == "A":
        coins = [sum(card.value for card in cards) for cards in sets]
        return [5 if own and own == max(coins) else 0 for own in coins]
    large = [len(cards) >= 3 for cards in sets]
    return [(7 if sum(large) == 1 else 4) if own else 0 for own in large]
