"""Positions for the rule tests: a test sets what matters to it, the rest of a possible game is filled in.

Cards are texts such as "T4 I2": type letter and value. Nothing here asks the engine what a rule says.
"""

from __future__ import annotations

from collections import Counter

from crypt_env import Game

KINDS = "IJMPRT"
ALL_CARDS = tuple(f"{kind}{value}" for kind in KINDS for value in (1, 2, 3, 4))
FACE_UP = {1: 2, 2: 2, 3: 3, 4: 4}
FACE_DOWN = {1: 1, 2: 1, 3: 1, 4: 2}
COPIES = {1: (1, 1, 1, 1), 2: (1, 1, 1, 1), 3: (1, 2, 2, 1), 4: (2, 2, 2, 2)}


# -- building ---------------------------------------------------------------------------------------------------------


def full_deck(players: int) -> list[str]:
    """Return every card of this number of players, sorted."""
    return [card for card in ALL_CARDS for _ in range(COPIES[players][int(card[1]) - 1])]


def _without(cards: list[str], used: list[str]) -> list[str]:
    """Return the cards that are left when some are used."""
    rest = Counter(cards)
    rest.subtract(used)
    lacking = [card for card, number in rest.items() if number < 0]
    assert not lacking, f"the scene needs more copies of {lacking} than the deck has"
    return list(rest.elements())


def deck(players: int, start: str) -> list[str]:
    """Return a deck that begins with these cards."""
    return start.split() + _without(full_deck(players), start.split())


def deal(players: int, collectors: str, start: str, leader: int = 0) -> Game:
    """Return a new game whose first cards are these."""
    return Game(players, collectors, leader, seed=1, deck=deck(players, start))


def scene(
    players: int,
    collectors: str,
    crypt: str,
    *,
    public: tuple[str, ...] = (),
    hidden: str = "",
    then: str = "",
    last: bool = False,
    round_number: int = 0,
    leader: int | None = None,
    phase: str = "claim",
    turn: int = 0,
    table: str = "",
    downs: str = "",
    exhausted: tuple[int, ...] = (),
    **fields: str,
) -> Game:
    """Return a game in the middle of play.

    Args:
        players: 1 to 4.
        collectors: sides, six letters or one for all.
        crypt: this round's cards in draw order.
        public: for each player the collected cards whose value everybody knows.
        hidden: cards drawn face-down in earlier rounds, in that order: "J3:0" lies in seat 0's collection and only
            seat 0 has seen it, "J3:0+01" was also seen by seat 1, "J3:x" was discarded, "J3:f" was flipped.
        then: the next cards of the deck.
        last: whether this is the last round.
        round_number: the round; without it the first one that fits.
        leader: the Leader of this round.
        phase: as in a position.
        turn: as in a position.
        table: the dice on the slots, as in a position.
        downs: where this round's face-down cards are, as in a position.
        exhausted: exhausted dice of each seat, in the Collect phase with those that just failed.
        fields: further fields of a position.
    """
    up, down = FACE_UP[players], FACE_DOWN[players]
    slots, seats = up + down, max(2, players)
    held = [text.split() for text in public] + [[]] * (players - len(public))
    hides = [token.split(":") for token in hidden.split()]
    flipped = [card for card, place in hides if place == "f"]
    shown = _without([card for cards in held for card in cards], flipped)
    hiding = [card for card, _ in hides]
    rounds = len(full_deck(players)) // slots
    earlier = max(-(-len(shown) // up), -(-len(hides) // down))
    number = rounds if last else round_number or earlier + 1
    assert number > earlier, f"the scene needs {earlier} rounds before this one"
    rest = _without(full_deck(players), shown + hiding + crypt.split() + then.split())
    fill_up, fill_down = (number - 1) * up - len(shown), (number - 1) * down - len(hides)
    shown += rest[:fill_up]
    hiding += rest[fill_up : fill_up + fill_down]
    cards = []
    for earlier_round in range(number - 1):
        cards += shown[earlier_round * up :][:up] + hiding[earlier_round * down :][:down]
    cards += crypt.split() + then.split() + rest[fill_up + fill_down :]
    places = [f"{place}+{place}" if place.isdigit() else place for _, place in hides]
    places += ["x"] * fill_down + (downs.split(",") if downs else ["c"] * down)
    first = number - 1
    text = {
        "players": str(players),
        "collectors": collectors * (6 if len(collectors) == 1 else 1),
        "deck": "".join(cards),
        "round": str(number),
        "leader": str((first % 2 if players == 1 else 0) if leader is None else leader),
        "phase": phase,
        "turn": str(turn),
        "crypt": table or ",".join(["."] * slots),
        "downs": ",".join(places),
        "dice": _dice(seats, table, exhausted, phase),
        "public": ",".join("".join(cards) or "-" for cards in held),
    }
    return Game.from_text("crypt1 " + " ".join(f"{name}={value}" for name, value in (text | fields).items()))


def _dice(seats: int, table: str, exhausted: tuple[int, ...], phase: str) -> str:
    """Return the dice of each seat: what is neither on a card nor exhausted is ready."""
    exhausted = exhausted + (0,) * (seats - len(exhausted))
    ready = [3 - number for number in exhausted]
    for slot in table.split(",") if phase != "collect" else ():
        if ":" in slot:
            ready[int(slot[0])] -= int(slot[2])
    return ",".join(f"{left}/{tired}" for left, tired in zip(ready, exhausted, strict=True))


# -- playing ----------------------------------------------------------------------------------------------------------


def play(game: Game, action: str, *dice: tuple[int, ...]) -> Game:
    """Play an action; the dice must be exactly the rolls that follow from it."""
    before = len(game.events)
    game.play_with_dice(action, dice)
    rolls = [_results(event) for event in game.events[before + 1 :]]
    assert rolls == list(dice), f"{action!r} was followed by the rolls {rolls}, not {list(dice)}"
    return game


def _results(event: object) -> tuple[int, ...]:
    """Return the dice of a roll."""
    if hasattr(event, "rolls"):
        return tuple(result for _, results in event.rolls for result in results)
    return event.results if hasattr(event, "results") else (event.result,)


def play_all(game: Game, *actions: str) -> Game:
    """Play actions after which nothing is rolled."""
    for action in actions:
        play(game, action)
    return game


def pass_on(game: Game) -> Game:
    """Recover in a Claim turn, decline in a window."""
    return game.play("recover" if "recover" in game.legal() else "done")


# -- looking ----------------------------------------------------------------------------------------------------------


def field(game: Game, name: str) -> str | None:
    """Return a field of the game's text, None if it is not there."""
    words = dict(word.split("=") for word in game.text().split()[1:])
    return words.get(name)


def places(game: Game) -> set[str]:
    """Return the legal placements, as "slot CxV"."""
    return {text.removeprefix("place ") for text in game.legal() if text.startswith("place")}


def slots_open(game: Game) -> set[int]:
    """Return the slots on which anything may be placed."""
    return {int(text[0]) for text in places(game)}


def others(game: Game) -> set[str]:
    """Return what is legal besides placements."""
    return {text for text in game.legal() if not text.startswith("place")}


def part(game: Game, viewer: int, name: str) -> list:
    """Return a part of what a seat observes, as lists."""
    return game.view(viewer)[name].tolist()


def named(counts: list[int]) -> str:
    """Return counts of the 24 cards as text."""
    return " ".join(card for card, count in zip(ALL_CARDS, counts, strict=True) for _ in range(count))


def known(game: Game, viewer: int, seat: int) -> str:
    """Return the cards in a seat's collection whose value a viewer knows."""
    return named(part(game, viewer, "cards")[_place(game, viewer, seat)])


def unknown(game: Game, viewer: int, seat: int) -> str:
    """Return the types of the cards in a seat's collection whose value a viewer does not know."""
    counts = part(game, viewer, "unknown")[_place(game, viewer, seat)]
    return "".join(kind * count for kind, count in zip(KINDS, counts, strict=True))


def unflipped(game: Game, seat: int) -> str:
    """Return the types of a seat's cards that can still be flipped."""
    counts = part(game, 0, "unflipped")[_place(game, 0, seat)]
    return "".join(kind * count for kind, count in zip(KINDS, counts, strict=True))


def unseen(game: Game, viewer: int) -> str:
    """Return the cards whose value a viewer has not seen."""
    return named(part(game, viewer, "unseen"))


def watchers(game: Game, viewer: int, bits: list[int]) -> set[int]:
    """Return the seats that a ``seen_by`` part names."""
    seats = max(2, game.players)
    return {(viewer + place + 1) % seats for place, bit in enumerate(bits) if bit}


def _place(game: Game, viewer: int, seat: int) -> int:
    """Return how many seats clockwise from the viewer a seat is."""
    return (seat - viewer) % max(2, game.players)
