"""What the page has copies of is the same in Python."""

from __future__ import annotations

from crypt_env.drawing import scene
from crypt_env.notation.outcome import solo_reason
from crypt_env.notation.record import FORMAT
from crypt_env.rules import actions, cards, observe, score
from web.node import needs_node, run


@needs_node
def test_the_page_has_the_tables_of_the_rules():
    found = run("tables.mjs")
    assert found.pop("titles") == [solo_reason(coins).value for coins in range(100)]
    assert found == {
        "DICE": actions.DICE,
        "EFFORTS": list(range(1, actions.EFFORTS + 1)),
        "FORMAT": FORMAT,
        "KINDS": list(cards.KIND_NAMES),
        "PAID": list(observe.PAYMENTS),
        "PHASES": list(scene.PHASES),
        "ROUNDS": cards.ROUNDS.tolist(),
        "SLOTS": (cards.FACE_UP + cards.FACE_DOWN).tolist(),
        "VALUES": cards.VALUES,
        "sheet": list(score.SHEET_LINES),
    }
