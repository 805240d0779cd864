"""Positions as one line of text: round trips, and the errors for invalid ones."""

import random
import re

import pytest

from crypt_env import Game, PositionError
from crypt_env.notation.position import PHASES
from crypt_env.rules.state import GHOST_ROLL

TABLES = ("ABABAB", "BABABA", "BBBBBB")


def games(players, collectors, seed=13):
    """Yield a game at each of its decisions and at the end."""
    game = Game(players, collectors, seed=seed)
    yield game
    while not game.is_over:
        yield game.play(game.random_action())


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("collectors", TABLES)
def test_texts_lead_back_to_the_position(players, collectors):
    for game in games(players, collectors):
        text = game.text()
        again = Game.from_text(text)
        assert again.text() == text
        assert again == game
        assert "\n" not in text
        assert again.legal() == game.legal()
        assert again.sheets() == game.sheets()
        assert (again.round, again.leader, again.first_leader) == (game.round, game.leader, game.first_leader)
        assert str(again) == str(game) or game.is_over
        assert not again.is_from_deal
        assert again.events == ()
        for seat in range(players):
            assert (again.observation(seat) == game.observation(seat)).all()


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_game_continues_from_its_text_as_it_would_have(players):
    game = Game(players, "BBBBBB", seed=2)
    for _ in range(10):
        game.play(game.random_action())
    again = Game.from_text(game.text())
    while not game.is_over:
        action = game.random_action()
        assert again.random_action() == action
        assert game.play(action) == again.play(action)
    assert again.outcome()[:3] == game.outcome()[:3]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_the_order_of_fields_and_spaces_do_not_matter(players):
    for game in games(players, "ABABAB"):
        magic, *fields = game.text().split()
        random.Random(1).shuffle(fields)
        assert Game.from_text("  ".join([magic, *fields]) + "\n") == game


def test_fields_that_are_left_out_have_the_value_of_the_beginning():
    game = Game(2, "AABBAB", leader=0, seed=7)
    short = Game.from_text(f"crypt1 players=2 collectors=AABBAB deck={''.join(game.deck)}")
    assert short.to_move == 0
    assert short.round == 1
    assert short.legal() == game.legal()
    assert (short.observation(0) == game.observation(0)).all()
    assert short.seed == 0


# -- invalid positions ------------------------------------------------------------------------------------------------

DECK = "T4I2R1M3P2J1T1I4R3M2P4J3T2I1R4M1P1J4T3I3R2M4P3J2"
SOLO = f"crypt1 players=1 collectors=ABBBAB deck={DECK}"
BASE = f"crypt1 players=2 collectors=ABBBAB deck={DECK}"
LATER = f"{BASE} round=2 leader=1 phase=claim turn=0 downs=0+0,c dice=3/0,3/0 public=T4,I2"

LATER_B = LATER.replace("ABBBAB", "BBBBAB")

MALFORMED = [
    ("", "not a position: ''; a position begins with 'crypt1'"),
    ("   ", "not a position: '   '; a position begins with 'crypt1'"),
    ("hello", "not a position: 'hello'; a position begins with 'crypt1'"),
    ("crypt2 players=2", "not a position: 'crypt2 players=2'; a position begins with 'crypt1'"),
    ("crypt1", "a position needs the fields players, collectors, deck; missing: players, collectors, deck"),
    ("crypt1 players=2", "missing: collectors, deck"),
    (f"{BASE} foo=1", "not a field of a position: 'foo=1'; allowed are players, collectors, deck, round, "),
    (f"{BASE} round", "field 'round' cannot be ''; see crypt_env.notation.position for its form"),
    (f"{BASE} round=1 round=1", "field 'round' is given twice: '1' and '1'"),
    (f"{BASE} round=0", "field 'round' cannot be '0'"),
    (f"{BASE} round=10", "field 'round' cannot be '10'"),
    (f"{BASE} leader=4", "field 'leader' cannot be '4'"),
    (f"{BASE} phase=rolling", "field 'phase' cannot be 'rolling'"),
    (f"{BASE} phase=CLAIM", "field 'phase' cannot be 'CLAIM'"),
    (f"{BASE} turn=9", "field 'turn' cannot be '9'"),
    (f"{BASE} placed=6", "field 'placed' cannot be '6'"),
    (f"{BASE} crypt=.,.,4:1x1", "field 'crypt' cannot be '.,.,4:1x1'"),
    (f"{BASE} crypt=.,.,0:4x1", "field 'crypt' cannot be '.,.,0:4x1'"),
    (f"{BASE} crypt=.,.", "field 'crypt' has 2 parts in '.,.'; here it needs 3"),
    (f"{BASE} downs=c,c", "field 'downs' has 2 parts in 'c,c'; here it needs 1"),
    (f"{BASE} downs=z", "field 'downs' cannot be 'z'"),
    (f"{BASE} dice=3/0", "field 'dice' has 1 parts in '3/0'; here it needs 2"),
    (f"{BASE} dice=4/0,3/0", "field 'dice' cannot be '4/0,3/0'"),
    (f"{BASE} public=-,-,-", "field 'public' has 3 parts in '-,-,-'; here it needs 2"),
    (f"{BASE} public=T5,-", "field 'public' cannot be 'T5,-'"),
    (f"{BASE} flipped=I9,-", "field 'flipped' cannot be 'I9,-'"),
    (f"{BASE} idols=2:5", "field 'idols' has 1 parts in '5'; here it needs 2"),
    (f"{BASE} idols=2:3,0", "field 'idols' cannot be '2:3,0'"),
    (f"{BASE} pushed=4", "field 'pushed' cannot be '4'"),
    (f"{BASE} taking=2", "field 'taking' cannot be '2'"),
    (f"{BASE} taking=6:0", "field 'taking' cannot be '6:0'"),
    (f"{BASE} taking=2:4", "field 'taking' cannot be '2:4'"),
    (f"{BASE} paying=", "field 'paying' cannot be ''"),
    (f"{BASE} paying=done", "field 'paying' cannot be 'done'"),
    (f"{BASE} paying=take6", "field 'paying' cannot be 'take6'"),
    (f"{BASE} paying=reroll1", "field 'paying' cannot be 'reroll1'"),
    (f"{BASE} paying=peek paying=revive", "field 'paying' is given twice: 'peek' and 'revive'"),
    (f"{BASE} first=16", "field 'first' cannot be '16'"),
    (f"{BASE} first=-1", "field 'first' cannot be '-1'"),
    (f"{BASE} first=P", "field 'first' cannot be 'P'"),
    (f"{BASE} winners=4", "field 'winners' cannot be '4'"),
    (f"{BASE} decisions=-1", "field 'decisions' cannot be '-1'"),
    (f"{BASE} seed=7", "field 'seed' cannot be '7'"),
    (f"{BASE} seed={2**64}:0:0", f"field 'seed' cannot be '{2**64}:0:0'; a seed is below 2**64"),
    (f"{BASE} chance=xyz", "field 'chance' cannot be 'xyz'"),
    (f"{BASE} choice={'f' * 17}", f"field 'choice' cannot be '{'f' * 17}'"),
    (BASE.replace("players=2", "players=5"), "field 'players' cannot be '5'"),
    (BASE.replace("ABBBAB", "ABBBA"), "field 'collectors' cannot be 'ABBBA'"),
    (BASE.replace("ABBBAB", "random"), "field 'collectors' cannot be 'random'"),
    (BASE.replace("T4", "X4"), f"field 'deck' cannot be 'X4{DECK[2:]}'"),
    (BASE + DECK + DECK, "field 'deck' has 72 cards; no table has more than 48"),
]

IMPOSSIBLE = [
    (BASE.replace("T4", "T3"), "found 2 of T3, expected 1; the deck has 24 cards"),
    (BASE[:-2], "found 0 of J2, expected 1; the deck has 24 cards"),
    (BASE.replace("players=2", "players=3"), "not a deck for 3 players: "),
    (f"{BASE} round=9", "it has no such round"),
    (f"{BASE} leader=2", "the Leader has no seat at this table"),
    (f"{SOLO} leader=1 turn=1", "the player leads the odd rounds and the Ghost the even ones"),
    (f"{BASE} dice=3/0,2/0", "seat 1 does not have 3 dice"),
    (f"{BASE} dice=3/1,3/0", "seat 0 does not have 3 dice"),
    (f"{BASE} crypt=1:1x4,.,. turn=1", "seat 1 does not have 3 dice"),
    (f"{SOLO} dice=3/0,2/1", "the Ghost's dice are never exhausted"),
    (f"{BASE} pushed=1", "more Ghost dice are pushed off than the Ghost has off the cards"),
    (f"{BASE} crypt=2:1x4,.,.", "dice belong to a seat that the table does not have"),
    (f"{BASE} crypt=-,.,.", "no card in slot 0; only a face-down card can leave the Crypt before it is collected"),
    (f"{BASE} crypt=.,.,-", "a face-down card is said to be in the Crypt but is in no slot"),
    (f"{BASE} phase=before crypt=0:1x4,.,. dice=2/0,3/0", "dice are where no seat can have placed them"),
    (f"{BASE} phase=before placed=1", "dice were last placed on a slot that does not exist, or not in a Claim turn"),
    (f"{BASE} placed=1", "dice belong to a seat that cannot have placed them yet"),
    (
        f"{BASE} turn=2 placed=0 crypt=1:1x4,.,. dice=3/0,2/0",
        "dice belong to a seat that cannot have placed them yet",
    ),
    (
        f"{LATER.replace('downs=0+0,c', 'downs=0+0,x')}",
        "a face-down card is said to be in the Crypt but is in no slot, or the other way round",
    ),
    (f"{BASE} crypt=1:1x4,.,. dice=3/0,2/0", "dice belong to a seat that cannot have placed them yet"),
    (f"{BASE} phase=collect crypt=-,-,0:1x1 downs=0+0 dice=2/1,3/0", "its seat has nothing to decide here"),
    (f"{BASE} downs=c+3", "a face-down card was seen by a seat without a player"),
    (
        f"{LATER.replace('downs=0+0,c', 'downs=0,c')}",
        "a card is hidden in the collection of a seat that has not seen it",
    ),
    (f"{LATER.replace('downs=0+0,c', 'downs=3+3,c')}", "a face-down card is in a place that the table does not have"),
    (f"{LATER.replace('downs=0+0,c', 'downs=f,c')}", "a flipped card is in no collection"),
    (
        LATER.replace("ABBBAB", "ABABAB").replace("downs=0+0,c", "downs=0+01,c"),
        "face-down card 1 (R1) was seen by others than its owner, which takes a Manuscript of side B",
    ),
    (
        LATER.replace("ABBBAB", "ABABAB").replace("downs=0+0,c", "downs=x+1,c"),
        "face-down card 1 (R1) was seen by others than its owner, which takes a Manuscript of side B",
    ),
    (LATER.replace("public=T4,I2", "public=T4,T4"), "more copies of a card are public in collections than were shown"),
    (LATER.replace("public=T4,I2", "public=M3,I2"), "more copies of a card are public in collections than were shown"),
    (f"{LATER} flipped=-,I2", "unflipped is -1; allowed are numbers from 0 to 8"),
    (f"{LATER} flipped=T1,-", "seat 0 has flipped Tapestry, which on this table is never flipped"),
    (f"{LATER} idols=1:0,5", "seat 1 has coins from Idol B, which is not on this table"),
    (f"{LATER_B} idols=1:0,5", "seat 1 has coins from Idol B without two Idols"),
    (f"{LATER_B} idols=1:0,0", "Idol B was first reached in a round that does not fit the seats with its 5 coins"),
    (f"{LATER_B} flipped=-,I1", "Idols are flipped that Idol B has not paid for"),
    (f"{LATER} winners=0", "winners before the game is over"),
    (
        f"{LATER} winners=0".replace("phase=claim", "phase=over").replace(",c", ",x"),
        "the game is over although there are cards in the deck",
    ),
    (f"{BASE} phase=collect crypt=-,-,- downs=x", "its seat has nothing to decide here"),
    (
        f"{BASE} phase=after",
        "its seat has nothing to decide here: it has at most one legal action, or something happens first",
    ),
    (f"{BASE} phase=before", "its seat has nothing to decide here"),
    (f"{BASE} turn=3", "the phase has no such turn"),
    (f"{SOLO} turn=1", "the seat that is asked has no player"),
]


def test_there_are_enough_of_both():
    assert len(MALFORMED) >= 25
    assert len(IMPOSSIBLE) >= 25


@pytest.mark.parametrize(("text", "words"), MALFORMED, ids=[words[:60] for _, words in MALFORMED])
def test_malformed_positions(text, words):
    with pytest.raises(PositionError) as caught:
        Game.from_text(text)
    assert words in str(caught.value)
    assert not str(caught.value).startswith("impossible")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "words"), IMPOSSIBLE, ids=[words[:60] for _, words in IMPOSSIBLE])
def test_impossible_positions(text, words):
    with pytest.raises(PositionError) as caught:
        Game.from_text(text)
    assert str(caught.value).startswith("impossible position: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_positions_that_these_begin_with_are_possible():
    assert Game.from_text(BASE).to_move == 0
    assert Game.from_text(LATER).to_move == 1
    assert Game.from_text(LATER_B).to_move == 1
    assert Game.from_text(SOLO).to_move == 0


@pytest.mark.parametrize("text", [None, 5, b"crypt1", ["crypt1"], BASE.encode()])
def test_what_is_not_a_text(text):
    with pytest.raises(PositionError, match="not a position: ") as caught:
        Game.from_text(text)
    assert repr(text)[:60] in str(caught.value)


def test_too_many_cards_do_not_wrap_around():
    """A collection is counted in single bytes."""
    for count in (128, 200, 256, 257):
        with pytest.raises(PositionError):
            Game.from_text(LATER.replace("public=T4,I2", f"public={'T4' * count},I2"))


def test_a_game_that_waits_for_dice_has_no_text():
    from crypt_env.notation.position import format_position

    game = Game(1, seed=1).play("recover")
    state = game.state
    state["phase"] = GHOST_ROLL
    assert GHOST_ROLL not in PHASES
    with pytest.raises(PositionError, match="a game that waits for dice has no text; settle the roll first"):
        format_position(state)


# -- mutations --------------------------------------------------------------------------------------------------------

LETTERS = "0123456789ABcdfxIJMPRT.,:+-=/ "


def mutated(rng, text):
    """Change a few characters, or swap, drop or repeat a field."""
    if rng.random() < 0.4:
        words = text.split()
        place, other = rng.randrange(len(words)), rng.randrange(len(words))
        words[place] = rng.choice(("", words[place], words[other], words[place].partition("=")[0] + "=-"))
        return " ".join(words)
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(("", rng.choice(LETTERS), text[place : place + 2])) + text[place + 1 :]
    return text


def renumbered(rng, text):
    """Change one number or letter outside the deck, so that the form stays right."""
    head, _, rest = text.partition(" round=")
    rest = f" round={rest.partition(' decisions=')[0]}"
    places = [match.start() for match in re.finditer(r"(?<=[=,/:x+IJMPRT])[0-9cxf]", rest)]
    place = rng.choice(places)
    return head + rest[:place] + rng.choice("0123cxf56") + rest[place + 1 :]


@pytest.mark.parametrize("change", [mutated, renumbered])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_changed_position_is_refused_or_a_game_that_goes_on(players, change):
    """Every accepted position has the same text again, shows every seat its view and can be played to the end."""
    rng = random.Random(f"{players} {change.__name__}")
    accepted = refused = 0
    for collectors in TABLES:
        for game in games(players, collectors, seed=rng.randrange(100)):
            text = change(rng, game.text())
            try:
                other = Game.from_text(text)
            except PositionError as error:
                refused += bool(str(error))
                continue
            except Exception as error:
                raise AssertionError(f"{error!r} from {text!r}") from error
            accepted += 1
            assert Game.from_text(other.text()) == other, text
            for seat in range(players):
                other.view(seat)
            assert other.is_over or other.legal(), text
            while not other.is_over:
                other.play(other.random_action())
    assert refused > accepted / 4
    assert accepted
