"""Every paragraph of the rules, each with a stable id and what it says in one line.

The id begins with the chapter of the rules page; R1 to R12 are its rulings. A test says with `proves` which paragraphs
would break it if they were misread, and `test_paragraphs` fails if any paragraph has no test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

PARAGRAPHS = {
    # -- 1. Components ----------------------------------------------------------------------------------------------
    "1.cards": "48 Treasure cards: six types, values 1 to 4, two copies of each",
    "1.deck-2": "one or two players play with 24 cards, one of each",
    "1.deck-3": "three players play with 36 cards: 2s and 3s twice, 1s and 4s once",
    "1.deck-4": "four players play with all 48 cards",
    "1.backs": "a card back shows the type; only values are ever hidden",
    "1.backs-deck": "so the type of the top card of the deck is known",
    "1.dice": "each player has three dice",
    "1.tables": "each of six Collectors lies on side A or B: 64 tables",
    "1.torches": "there are two Torch cards, Leader and Lights Out",
    "1.players": "one to four players",
    "R1": "which copies carry which Setup icon, hence the decks",
    "R2": "backs show the type: everybody knows the type of every card in Crypt and collections",
    # -- 2.I Reveal -------------------------------------------------------------------------------------------------
    "2.I.reveal-2": "one or two players: two cards face-up, one face-down",
    "2.I.reveal-3": "three players: three face-up, one face-down",
    "2.I.reveal-4": "four players: four face-up, two face-down",
    "2.I.last-down": "drawn in order; the last ones stay face-down",
    "2.I.rounds": "the game has 8, 9 and 8 rounds for 1-2, 3 and 4 players",
    # -- 2 before the Claim -----------------------------------------------------------------------------------------
    "2.before.order": "the window before the Claim asks in turn order from the Leader",
    "2.before.two": "it takes two unflipped Pottery, which are flipped",
    "2.before.again": "a player may take again while it can, then comes the next player",
    "2.before.gap-number": "a taken card leaves a gap and the slots keep their numbers for the round",
    "2.before.gap-place": "nothing can be placed on a gap",
    "2.before.gap-ghost": "the Ghost skips a gap",
    "R3": "Pottery B acts only before the Claim, by turn order",
    # -- 2.II Claim -------------------------------------------------------------------------------------------------
    "2.II.order": "the Leader first, then clockwise",
    "2.II.one-turn": "with three or four players each has one turn; the last one is Lights Out",
    "2.II.second-turn": "with two players the Leader has a second turn, which is Lights Out",
    "2.II.one-thing": "a turn is a Claim or a Recover, not both",
    "2.II.any-cards": "a Claim puts one or more dice on one or more cards",
    "2.II.same-effort": "all dice put on one card show the same effort, 1 to 6, freely chosen",
    "2.II.unoccupied": "an unoccupied card may be claimed with any effort",
    "2.II.strictly": "an opponent's card may be claimed only with a strictly higher total effort",
    "2.II.total": "what counts is the total: dice times effort",
    "2.II.push-at-once": "pushed dice return to their owner at once and are available again",
    "2.II.lights-out-one": "on the Lights Out turn only one card may be claimed",
    "2.II.no-own": "a player may not add to or replace its own dice",
    "2.II.recover-all": "Recover takes all own exhausted dice back",
    "2.II.recover-always": "Recover is legal also with no exhausted die, as a pass",
    "R4": "no adding to one's own dice, which matters only on the second turn of two players",
    "R5": "Recover is always allowed",
    # -- 2.III Collect ----------------------------------------------------------------------------------------------
    "2.III.pushed-out": "a player that was pushed off all cards recovers all exhausted dice by itself",
    "2.III.pushed-not-all": "a player with a die left on any card does not",
    "2.III.unclaimed": "unclaimed cards are discarded",
    "2.III.exhaust": "a die that rolls below its effort is exhausted, else it returns",
    "2.III.every-die": "every die with effort above 1 is rolled, slot by slot",
    "2.III.effort-one": "effort 1 is never rolled",
    "2.III.whatever": "claimed cards go to their claimants whatever the rolls",
    "2.III.owner-alone": "the value of a face-down card is seen by its new owner alone",
    "2.III.idol-check": "Idol B is checked once the cards are handed out",
    "2.III.reroll-order": "Idol A acts after that, in turn order from the Leader",
    "2.III.reroll-fresh": "an Idol collected this very round counts",
    "2.III.reroll-this-round": "only a die that failed this round may be re-rolled",
    "2.III.reroll-same-effort": "it is re-rolled against the same effort",
    "2.III.reroll-again": "again while the player can",
    "R6": "recovery when pushed out is automatic; no die on any card is the whole test",
    "R7": "who may re-roll which die, and when",
    # -- 2.IV Pass the Torch ----------------------------------------------------------------------------------------
    "2.IV.left": "both Torch cards go one seat to the left after a round",
    "2.IV.end": "when the deck is empty after a round the game ends",
    # -- 3. Collectors ----------------------------------------------------------------------------------------------
    "3.unflipped": "every collected card lies face-down until it is flipped, also one that was face-up",
    "3.pay-once": "only unflipped cards pay for rewards",
    "3.flipped-count": "flipped cards still count for sets and coins",
    "3.idol-A": "Idol A: flip one to re-roll one failed die",
    "3.idol-B-first": "Idol B: the first to hold two flips two and has 5 coins at the end",
    "3.idol-B-same": "Idol B: several in the same round have 5 coins each",
    "3.idol-B-later": "Idol B: anyone later with two or more has 2 coins and flips nothing",
    "3.idol-B-auto": "Idol B is automatic",
    "3.idol-B-when": "Idol B is checked after the window before the Claim and after the cards are handed out",
    "3.jewelry-A": "Jewelry A: with two or more the highest scores twice",
    "3.jewelry-B": "Jewelry B: a coin for each",
    "3.manuscript-A": "Manuscript A: with two or more each scores 4 instead of its value",
    "3.manuscript-B": "Manuscript B: flip one to see secretly all face-down cards in the Crypt",
    "3.pottery-A": "Pottery A: exactly two 2 coins, three 4, four or more 8",
    "3.pottery-B": "Pottery B: before the Claim flip two to take a face-down card",
    "3.remains-A": "Remains A: flip two to recover one exhausted die",
    "3.remains-B": "Remains B: four or more 10 coins",
    "3.tapestry-A": "Tapestry A: most coins in Tapestries, 5 coins",
    "3.tapestry-A-one": "Tapestry A: at least one Tapestry is needed",
    "3.tapestry-A-tie": "Tapestry A: tied players have 5 each",
    "3.tapestry-B-only": "Tapestry B: the only holder of three or more has 7 coins",
    "3.tapestry-B-several": "Tapestry B: several holders of three or more have 4 each",
    "3.flip-order": "publicly known cards are flipped first, then those first drawn",
    "3.flip-one-value": "a flip gives away the flipped value and nothing else",
    "3.flipped-public": "a flipped card's value is public from then on",
    "3.known": "known means seen, never worked out by counting",
    "3.peek-turn": "a peek is legal on the own Claim turn before the first die is placed",
    "3.peek-before": "a peek is legal along with a take before the Claim, and neither opens nor keeps that window",
    "3.peek-after": "a window after the last Claim turn, in turn order, for whom a peek shows a card not its own claim",
    "3.peek-after-own": "an unknown card that is the own claim does not open that window",
    "3.peek-not-last": "there is no window after the Claim in the last round",
    "3.peek-new": "a peek is legal only if it would show a value not yet known",
    "3.peek-own-claim": "on the own turn that may be the value of an own claim",
    "3.peek-all": "a peek shows all face-down cards",
    "3.peek-open": "that a peek happened, and the flipped Manuscript, are public",
    "3.revive-turn": "Remains A is used on the own Claim turn before the first die is placed",
    "3.revive-exhausted": "Remains A needs an exhausted die, but not that none is ready",
    "3.revive-end": "at the end of the last round Remains A is used by itself as long as it can be",
    "3.solo": "in a solo game the player is the only player that rewards count",
    "R8": "Idol B: the same round as the first is the same time",
    "R9": "which cards are flipped is not a decision",
    "R10": "when peek and revive can be used",
    # -- 4. End -----------------------------------------------------------------------------------------------------
    "4.score": "coins on all own cards, Collector bonuses and 1 for each unexhausted die",
    "4.highest": "the highest score wins",
    "4.tie-roll": "those tied for the first place roll all their unexhausted dice and add them",
    "4.tie-none": "a tied player without dice has 0",
    "4.tie-again": "only those still tied for the highest roll again, all of their dice",
    "4.tie-shared": "tied players of whom none has a die share the win",
    "4.tie-scores": "the tie-break does not change scores",
    "R11": "the tie-break, and when a win is shared",
    # -- 5. Only Child ----------------------------------------------------------------------------------------------
    "5.start": "the player begins with both Torch cards; the Ghost is the other seat",
    "5.odd": "odd rounds: player, Ghost, player with one card",
    "5.even": "even rounds: Ghost, player, Ghost on Lights Out",
    "5.arranged": "the Crypt lies by value, highest first, and slots are numbered in that order",
    "5.down-2.5": "the face-down card counts 2.5",
    "5.equal-left": "of equal cards the first drawn goes left",
    "5.ghost-three": "the Ghost rolls three dice on its turn",
    "5.groups": "equal results join into one group, worth their sum",
    "5.group-worth": "groups go in order of worth, highest first",
    "5.group-more-dice": "of groups of equal worth the one with more dice goes first",
    "5.leftmost": "a group goes to the leftmost card that is unoccupied or can be pushed",
    "5.ghost-strictly": "the Ghost pushes only a strictly lower total",
    "5.ghost-pushes": "dice that the Ghost pushes return to the player",
    "5.aside": "a group that fits nowhere is set aside",
    "5.no-self": "the Ghost never displaces itself",
    "5.second-pushed": "on Lights Out the Ghost rolls only the dice pushed off this round, not those set aside",
    "5.second-groups": "it groups them the same way",
    "5.second-first": "and places only the first group, though another would fit",
    "5.second-nowhere": "if that fits nowhere it places nothing",
    "5.second-nothing": "with nothing pushed off the Ghost does nothing on Lights Out",
    "5.odd-push": "in an odd round the player's second turn can push the Ghost, which has no second turn then",
    "5.never-exhausted": "Ghost dice are never rolled for exhaustion; it always has three",
    "5.discards": "what the Ghost holds at Collect is discarded",
    "5.discard-unknown": "a face-down card that goes that way stays unknown",
    "5.titles": "below 30 The Fool, 30 The Petty, 40 The Affluent, 50 The Magnificent",
    # -- 6. Knowledge -----------------------------------------------------------------------------------------------
    "6.table": "Collector sides and torches are public",
    "6.dice": "all dice, efforts and rolls are public",
    "6.types": "the type of every card that left the deck is public",
    "6.deck": "the number of cards left of each type is public, and the type of the top card",
    "6.values": "values that were face-up or flipped are public",
    "6.who-knows": "who knows which face-down card is public, in the Crypt and later in a collection",
    "6.private": "values of face-down cards are known to who collected or peeked at them",
    "6.pool": "unseen values share one pool: deck, Crypt, others' hidden cards and hidden discards",
    # -- 7. Decisions -----------------------------------------------------------------------------------------------
    "7.asked": "a player is asked only with at least two legal actions",
    "7.forced": "a single legal action is played for the player",
    "7.increasing": "a Claim is given group by group, slots in increasing order",
    "7.done-after": "done is legal after the first placement, not before",
    "7.done-auto": "done is automatic when no further placement is legal",
    "7.done-lights-out": "done is automatic on the Lights Out turn after one placement",
    "7.place": "place S CxV puts C dice of effort V on slot S",
    "7.recover": "recover is legal before any placement only",
    "7.take": "take S takes the face-down card in slot S",
    "7.reroll": "reroll V re-rolls a failed die of effort V",
    "7.decline": "done declines in a window",
    "7.windows": "windows ask in turn order, each player until it declines or can no longer do what it is for",
    "7.solo-windows": "in a solo game windows skip the Ghost",
    "R12": "only decisions with a choice are asked",
}


def proves(*ids: str) -> Callable[[Test], Test]:
    """Mark a test as one that fails if these paragraphs are misread.

    Raises:
        ValueError: there is no such paragraph.
    """
    strangers = [name for name in ids if name not in PARAGRAPHS]
    if strangers or not ids:
        raise ValueError(f"no paragraphs with the ids {strangers or 'that were left out'}; see PARAGRAPHS")

    def mark(test: Test) -> Test:
        """Leave the test as it is; `test_paragraphs` reads the marks in the source."""
        return test

    return mark
