"""One line of text for a whole game in the middle of play, and back.

A position is ``crypt1`` and then ``name=value`` fields in any order, each about one thing on the table:

| field | example | meaning |
|---|---|---|
| players | 2 | 1 to 4 |
| collectors | AABBAB | sides of Idol, Jewelry, Manuscript, Pottery, Remains, Tapestry |
| deck | T4I2R1... | all cards in draw order, also those that were drawn |
| round | 3 | from 1 on |
| leader | 0 | Leader of this round |
| phase | claim | before, claim, after, collect, answer (to a take) or over |
| turn | 1 | place in the phase's turn order, 0 is the Leader |
| placed | 0 | last slot used in this Claim turn; absent before the first placement |
| taking | 2:1 | while others answer: the slot of the card that is taken, and the seat that takes it |
| paying | reroll3 | peek, revive, takeS or rerollV: chosen by the seat that decides, not yet paid for |
| first | 4 | first of the two cards that it flips: number in `downs` from 0 on, or p for a public one |
| crypt | .,1:2x3,- | each slot: free, seat 1's two dice of effort 3, no card; in the Collect phase the failed dice |
| downs | 0+01,x,c | each card that was drawn face-down: a seat, c(rypt), x discarded or f(lipped); who has seen it |
| dice | 3/0,1/2 | each seat: ready / exhausted |
| public | I2T1,- | each player: collected cards whose value is public |
| flipped | -,I1 | each player: how many of them were flipped, by type |
| idols | 2:5,0 | round in which Idol B was first reached; coins of each player |
| pushed | 1 | Ghost dice pushed off this round |
| winners | 0 | seats that win; only when over |
| decisions | 12 | decisions so far |
| seed | 7:0:0 | seed, number of the game in its batch, episode |
| chance, choice | 1f | state of the two generators, hexadecimal |

Only the first three are needed; the others default to the start of a game.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crypt_env.errors import IllegalActionError, PositionError, quoted
from crypt_env.rules.actions import ACTIONS, DICE
from crypt_env.rules.batch import views
from crypt_env.rules.cards import CARD_TEXTS, FACE_DOWN, FACE_UP, KIND_LETTERS, KINDS, VALUES, parse_card
from crypt_env.rules.flips import PUBLIC
from crypt_env.rules.ghost import laid_order
from crypt_env.rules.state import (
    AFTER_CLAIM,
    ANSWER,
    BEFORE_CLAIM,
    CLAIM,
    COLLECT,
    DISCARDED,
    GAME,
    IN_CRYPT,
    MOST_DECISIONS,
    NONE,
    OVER,
    REVEALED,
    STAYS,
)
from crypt_env.table import sides_text

from .actions import ACTION_TEXTS, parse_action, summary
from .outcome import winners_of

State = NDArray[np.void]
"""One game: an array of `rules.state.GAME` with one row."""

MAGIC = "crypt1"
PHASES = {
    BEFORE_CLAIM: "before",
    CLAIM: "claim",
    AFTER_CLAIM: "after",
    COLLECT: "collect",
    ANSWER: "answer",
    OVER: "over",
}
_PLACES = {IN_CRYPT: "c", DISCARDED: "x", REVEALED: "f", NONE: "?"}


def legal_mask(states: State) -> NDArray[np.bool_]:
    """Return the mask of the seat that is asked in a game. [ACTIONS]"""
    mask: NDArray[np.bool_] = views(states, np.maximum(states["mover"], 0))[1][0]
    return mask


def describe_refusal(state: np.void, action: int) -> str:
    """Say why an action is refused: what was given and what is legal. It reveals nothing that the seat may not know."""
    is_action = 0 <= action < ACTIONS
    refused = f"{quoted(action)}, which is not an action (0 to {ACTIONS - 1})"
    given = repr(ACTION_TEXTS[action]) if is_action else refused
    states = np.array([state], GAME)
    return f"illegal action {given} for seat {state['mover']}; {describe_legal(states)}"


def describe_legal(states: State) -> str:
    """Say what is legal in a game."""
    return f"legal: {summary(np.flatnonzero(legal_mask(states)).tolist())}"


def refusal(states: State, action: int, where: str = "") -> IllegalActionError:
    """Return the error for an illegal action; it keeps the position for the owner of the game."""
    return IllegalActionError(where + describe_refusal(states[0], action), format_position(states))


# -- writing ----------------------------------------------------------------------------------------------------------


def format_position(states: State) -> str:
    """Return a game as one line of text.

    Raises:
        PositionError: the game waits for dice; a position is one in which a seat decides, or the end.
    """
    state = states[0]
    if int(state["phase"]) not in PHASES:
        raise PositionError("a game that waits for dice has no text; settle the roll first")
    players, seats = int(state["players"]), range(int(state["seats"]))
    fields = {
        "players": str(players),
        "collectors": sides_text(state),
        "deck": "".join(CARD_TEXTS[card] for card in state["deck"][: state["deck_size"]]),
        "round": str(state["round_number"] + 1),
        "leader": str(state["leader"]),
        "phase": PHASES[int(state["phase"])],
        "turn": str(state["turn"]),
        "placed": "" if state["last_slot"] < 0 else str(state["last_slot"]),
        "taking": "" if state["taker"] < 0 else f"{state['taking']}:{state['taker']}",
        "paying": "" if state["chosen"] < 0 else ACTION_TEXTS[state["chosen"]].replace(" ", ""),
        "first": _first_flip_text(state),
        "crypt": ",".join(_slot_text(state, slot) for slot in range(state["slots"])),
        "downs": ",".join(_down_text(state, down) for down in range(state["downs"])),
        "dice": ",".join(f"{state['ready'][seat]}/{state['exhausted'][seat]}" for seat in seats),
        "public": ",".join(_public_text(state, seat) for seat in range(players)),
        "flipped": ",".join(_flipped_text(state, seat) for seat in range(players)),
        "idols": _idols_text(state),
        "pushed": str(state["ghost_pushed"] or ""),
        "winners": "".join(map(str, winners_of(state))),
        "decisions": str(state["decisions"]),
        "seed": f"{state['seed']}:{state['index']}:{state['episode']}",
        "chance": f"{state['chance']:x}",
        "choice": f"{state['choice']:x}",
    }
    return " ".join([MAGIC, *(f"{name}={text}" for name, text in fields.items() if text)])


def _slot_text(state: np.void, slot: int) -> str:
    """Return what is on a slot."""
    if state["dice"][slot] > 0:
        return f"{state['holder'][slot]}:{state['dice'][slot]}x{state['effort'][slot]}"
    return "." if state["card"][slot] >= 0 else "-"


def _first_flip_text(state: np.void) -> str:
    """Return the card that is flipped first, if that is decided."""
    if state["first_flip"] < 0:
        return ""
    return "p" if state["first_flip"] == PUBLIC else str(state["first_flip"])


def _down_text(state: np.void, down: int) -> str:
    """Return where a card that was drawn face-down is and who has seen it."""
    place = int(state["down_place"][down])
    seen = "".join(str(seat) for seat in range(state["players"]) if state["down_seen"][down] >> seat & 1)
    return _PLACES.get(place, str(place)) + (f"+{seen}" if seen else "")


def _public_text(state: np.void, seat: int) -> str:
    """Return the cards of a collection whose value is public."""
    cards = "".join(text * int(count) for text, count in zip(CARD_TEXTS, state["public"][seat], strict=True))
    return cards or "-"


def _flipped_text(state: np.void, seat: int) -> str:
    """Return how many cards of each type a player has flipped."""
    counts = state["held"][seat] - state["unflipped"][seat]
    return "".join(f"{KIND_LETTERS[kind]}{counts[kind]}" for kind in range(KINDS) if counts[kind]) or "-"


def _idols_text(state: np.void) -> str:
    """Return who has earned what from Idol B, and when it was first reached."""
    if state["idol_round"] < 0:
        return ""
    coins = ",".join(str(state["idol_bonus"][seat]) for seat in range(state["players"]))
    return f"{state['idol_round'] + 1}:{coins}"


# -- reading ----------------------------------------------------------------------------------------------------------

_FORMS = {
    "players": r"[1-4]",
    "collectors": r"[AB]{6}",
    "deck": rf"(?:[{KIND_LETTERS}][1-4])+",
    "round": r"[1-9]",
    "leader": r"[0-3]",
    "phase": "|".join(PHASES.values()),
    "turn": r"[0-4]",
    "placed": r"[0-5]",
    "taking": r"[0-5]:[0-3]",
    "paying": r"peek|revive|take[0-5]|reroll[2-6]",
    "first": r"p|\d|1[0-5]",
    "crypt": r"(?:[.-]|[0-3]:[1-3]x[1-6])(?:,(?:[.-]|[0-3]:[1-3]x[1-6]))*",
    "downs": r"[0-3cxf](?:\+[0-3]+)?(?:,[0-3cxf](?:\+[0-3]+)?)*",
    "dice": r"[0-3]/[0-3](?:,[0-3]/[0-3])*",
    "public": rf"(?:-|(?:[{KIND_LETTERS}][1-4])+)(?:,(?:-|(?:[{KIND_LETTERS}][1-4])+))*",
    "flipped": rf"(?:-|(?:[{KIND_LETTERS}][1-8])+)(?:,(?:-|(?:[{KIND_LETTERS}][1-8])+))*",
    "idols": r"[1-9]:[025](?:,[025])*",
    "pushed": r"[0-3]",
    "winners": r"[0-3]+",
    "decisions": r"\d{1,5}",
    "seed": r"\d{1,20}:\d{1,10}:\d{1,10}",
    "chance": r"[0-9a-f]{1,16}",
    "choice": r"[0-9a-f]{1,16}",
}
_NEEDED = ("players", "collectors", "deck")


def _fields(text: str) -> dict[str, str]:
    """Split a position into its fields and check the form of each."""
    words = text.split() if isinstance(text, str) else []
    if not words or words[0] != MAGIC:
        raise PositionError(f"not a position: {quoted(text)}; a position begins with {MAGIC!r}")
    fields: dict[str, str] = {}
    for word in words[1:]:
        name, _, value = word.partition("=")
        if name not in _FORMS:
            raise PositionError(f"not a field of a position: {quoted(word)}; allowed are {', '.join(_FORMS)}")
        if name in fields:
            raise PositionError(f"field {name!r} is given twice: {quoted(fields[name])} and {quoted(value)}")
        if not re.fullmatch(_FORMS[name], value, re.ASCII):
            raise PositionError(
                f"field {name!r} cannot be {quoted(value)}; see crypt_env.notation.position for its form"
            )
        fields[name] = value
    missing = [name for name in _NEEDED if name not in fields]
    if missing:
        raise PositionError(f"a position needs the fields {', '.join(_NEEDED)}; missing: {', '.join(missing)}")
    return fields


def _parts(fields: dict[str, str], name: str, count: int, default: str) -> list[str]:
    """Return a field's comma-separated parts, of which there must be ``count``."""
    parts = fields[name].split(",") if name in fields else [default] * count
    if len(parts) != count:
        raise PositionError(f"field {name!r} has {len(parts)} parts in {quoted(fields[name])}; here it needs {count}")
    return parts


def read_fields(text: str) -> State:
    """Return the game that a text describes, without checking whether play can reach it."""
    fields = _fields(text)
    states = np.zeros(1, GAME)
    state = states[0]
    state["players"] = players = int(fields["players"])
    state["seats"] = max(2, players)
    state["slots"] = FACE_UP[players] + FACE_DOWN[players]
    state["restarts"] = STAYS
    state["pauses"] = 1
    _read_table(state, fields)
    _read_clock(state, fields)
    _read_downs(state, fields)
    _read_crypt(state, fields)
    _read_seats(state, fields)
    _read_generators(state, fields)
    _count_unseen(state)
    return states


def _read_table(state: np.void, fields: dict[str, str]) -> None:
    """Read the Collectors and the deck."""
    sides = ["AB".index(letter) for letter in fields["collectors"]]
    state["sides"] = sides
    state["table_rule"] = sum(side << kind for kind, side in enumerate(sides))
    deck = [parse_card(card) for card in re.findall("..", fields["deck"])]
    if len(deck) > len(state["deck"]):
        raise PositionError(f"field 'deck' has {len(deck)} cards; no table has more than {len(state['deck'])}")
    state["deck"] = deck + [NONE] * (len(state["deck"]) - len(deck))
    state["deck_size"] = len(deck)


def _read_clock(state: np.void, fields: dict[str, str]) -> None:
    """Read the round and whose turn it is."""
    state["round_number"] = int(fields.get("round", "1")) - 1
    state["drawn"] = min((state["round_number"] + 1) * int(state["slots"]), int(state["deck_size"]))
    state["leader"] = int(fields.get("leader", "0"))
    state["leader_rule"] = (int(state["leader"]) - int(state["round_number"])) % int(state["seats"])
    state["phase"] = {name: phase for phase, name in PHASES.items()}[fields.get("phase", "claim")]
    state["turn"] = int(fields.get("turn", "0"))
    state["last_slot"] = int(fields.get("placed", NONE))
    is_over = state["phase"] == OVER
    state["mover"] = NONE if is_over else (int(state["leader"]) + int(state["turn"])) % int(state["seats"])
    state["taking"], state["taker"] = map(int, fields["taking"].split(":")) if "taking" in fields else (NONE, NONE)
    state["chosen"] = parse_action(re.sub(r"(\d)", r" \1", fields["paying"])) if "paying" in fields else NONE
    first = fields.get("first", str(NONE))
    state["first_flip"] = PUBLIC if first == "p" else int(first)
    state["ghost_pushed"] = int(fields.get("pushed", "0"))
    decisions = int(fields.get("decisions", "0"))
    if decisions > MOST_DECISIONS:
        raise PositionError(f"field 'decisions' cannot be {decisions}; the count goes up to {MOST_DECISIONS}")
    state["decisions"] = decisions
    for seat in fields.get("winners", ""):
        state["winners"] |= 1 << int(seat)


def _read_downs(state: np.void, fields: dict[str, str]) -> None:
    """Read what became of the cards drawn face-down; which they are follows from the deck."""
    players = int(state["players"])
    face_up, face_down = int(FACE_UP[players]), int(FACE_DOWN[players])
    count = (int(state["round_number"]) + 1) * face_down
    state["downs"] = min(count, len(state["down_card"]))
    state["down_card"] = NONE
    state["down_place"] = NONE
    for down, text in enumerate(_parts(fields, "downs", int(state["downs"]), "c")):
        place, _, seen = text.partition("+")
        names = {name: number for number, name in _PLACES.items()}
        state["down_place"][down] = names[place] if place in names else int(place)
        state["down_card"][down] = state["deck"][down // face_down * (face_up + face_down) + face_up + down % face_down]
        for seat in seen:
            state["down_seen"][down] |= 1 << int(seat)


def _read_crypt(state: np.void, fields: dict[str, str]) -> None:
    """Read the slots of this round; which cards they hold follows from the deck."""
    for name in ("card", "down", "holder"):
        state[name] = NONE
    slots, first = int(state["slots"]), int(state["drawn"]) - int(state["slots"])
    face_up = int(FACE_UP[state["players"]])
    cards = state["deck"][first : state["drawn"]]
    order = list(range(slots))
    if state["players"] == 1:
        order = laid_order(cards[None], np.arange(len(cards))[None] >= face_up, slots)[0].tolist()
    for slot, text in enumerate(_parts(fields, "crypt", slots, ".")):
        drawn = order[slot]
        if drawn >= face_up:
            state["down"][slot] = int(state["downs"]) - slots + drawn
        if text != "-" and state["phase"] not in (COLLECT, OVER):
            state["card"][slot] = cards[drawn]
        if ":" in text:
            state["holder"][slot], state["dice"][slot], state["effort"][slot] = map(int, re.split("[:x]", text))


def _read_seats(state: np.void, fields: dict[str, str]) -> None:
    """Read each seat's dice and collection."""
    players, seats = int(state["players"]), int(state["seats"])
    for seat, text in enumerate(_parts(fields, "dice", seats, f"{DICE}/0")):
        state["ready"][seat], state["exhausted"][seat] = map(int, text.split("/"))
    for seat, text in enumerate(_parts(fields, "public", players, "-")):
        cards = re.findall("[A-Z].", text)
        if len(cards) > state["deck_size"]:
            raise PositionError(f"field 'public' has {len(cards)} cards; the deck has {state['deck_size']}")
        for card in cards:
            state["public"][seat][parse_card(card)] += 1
    state["held"] = state["public"].reshape(-1, KINDS, VALUES).sum(axis=2)
    for down in range(int(state["downs"])):
        if 0 <= state["down_place"][down] < players:
            state["held"][state["down_place"][down]][state["down_card"][down] // VALUES] += 1
    state["unflipped"] = state["held"]
    for seat, text in enumerate(_parts(fields, "flipped", players, "-")):
        for letter, number in re.findall("([A-Z])(.)", text):
            state["unflipped"][seat][KIND_LETTERS.index(letter)] -= int(number)
    state["idol_round"] = NONE
    if "idols" in fields:
        reached, _, coins = fields["idols"].partition(":")
        state["idol_round"] = int(reached) - 1
        for seat, text in enumerate(_parts({"idols": coins}, "idols", players, "0")):
            state["idol_bonus"][seat] = int(text)


def _read_generators(state: np.void, fields: dict[str, str]) -> None:
    """Read the seed and the states of the generators."""
    seed, index, episode = map(int, fields.get("seed", "0:0:0").split(":"))
    if seed >= 2**64 or index >= 2**32 or episode >= 2**32:
        raise PositionError(
            f"field 'seed' cannot be {fields['seed']!r}; a seed is below 2**64, an index and an episode below 2**32"
        )
    state["seed"], state["index"], state["episode"] = seed, index, episode
    state["chance"] = int(fields.get("chance", "0"), 16)
    state["choice"] = int(fields.get("choice", "0"), 16)


def _count_unseen(state: np.void) -> None:
    """Count the cards left in the deck, and those whose value is not public."""
    left = state["deck"][state["drawn"] : state["deck_size"]]
    state["deck_kinds"] = np.bincount(left // VALUES, minlength=KINDS)
    unseen = np.bincount(left, minlength=KINDS * VALUES)
    for down in range(int(state["downs"])):
        unseen[state["down_card"][down]] += state["down_place"][down] != REVEALED
    state["unseen"] = unseen
