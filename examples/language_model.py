"""A language model as a player: any function from a prompt to an answer, both texts, becomes an agent.

Usage: python examples/language_model.py  (a scripted stand-in plays here; put your model's call in its place)
"""

import re
from collections.abc import Callable

import numpy as np

from crypt_env import DRAW, Game, describe, parse_action
from crypt_env.agents import Agent, Decisions
from crypt_env.notation.actions import ACTION_TEXTS

RULES = """You play Crypt, a board game for one to four players. The most coins at the end win.
In a round, each player in turn places dice on cards in the Crypt (with two players the Leader has a second turn,
which is the last): `place S CxV` puts C dice, all showing effort V (1 to 6), on the card in slot S. A higher total,
C times V, pushes an opponent's dice off. `done` ends the turn. `recover`, instead of placing, takes your exhausted
dice back. On the Lights Out turn only one card may be claimed. Then each claimed card goes to its claimant, and
every die of effort above 1 is rolled: below its effort it is exhausted. So high efforts hold cards, but cost dice.
Cards that pay for an action are flipped; `flip V` chooses which one. At the end cards pay their values, unexhausted
dice 1 each, and the Collectors:"""
COLLECTORS = (
    (
        "Idol A: after the rolls, `reroll V` flips an Idol to roll a failed die again.",
        "Idol B: 5 for the first with two, then 2.",
    ),
    ("Jewelry A: with two or more, the highest scores twice.", "Jewelry B: 1 for each."),
    ("Manuscript A: with two or more, each scores 4.", "Manuscript B: `peek` flips one to see face-down cards."),
    ("Pottery A: 2 for two, 4 for three, 8 for more.", "Pottery B: `take S` flips two to take a face-down card."),
    ("Remains A: `revive` flips two to get an exhausted die back.", "Remains B: 10 for four or more."),
    ("Tapestry A: 5 for the most coins in them.", "Tapestry B: 7 for the only one with three or more, 4 if several."),
)
GHOST = "You play alone against the Ghost: its dice are rolled, and go to the leftmost cards that it can win."
ASK = "Answer with one of these actions, exactly as written, and nothing else:"


def prompt_of(observation: np.ndarray, legal: list[str]) -> str:
    """Return what the model is told: the rules in short, what its seat knows, and what it may do."""
    view = describe(observation)
    sides = re.search(r"Collectors ([AB]{6})", view)[1]
    lines = [RULES, *(texts["AB".index(side)] for texts, side in zip(COLLECTORS, sides, strict=True))]
    return "\n".join([*lines, *([GHOST] if view.startswith("1 player,") else []), "", view, "", ASK, *legal])


class LanguageAgent(Agent):
    """Asks a model; an answer that is not a legal action is asked for again, then a random action is played."""

    def __init__(self, model: Callable[[str], str], name: str = "language-model", tries: int = 3) -> None:
        """Take the function that answers prompts."""
        self._model, self.name, self._tries = model, name, tries
        self.refused = self.random = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        """Return an action for each decision. [n]"""
        pairs = zip(decisions.observations, decisions.masks, strict=True)
        return np.array([self._decide(observation, np.flatnonzero(mask)) for observation, mask in pairs])

    def _decide(self, observation: np.ndarray, actions: np.ndarray) -> int:
        """Return the model's action, or `DRAW`: then the game draws a legal one from its own generator."""
        legal = [ACTION_TEXTS[action] for action in actions]
        prompt = prompt_of(observation, legal)
        for _ in range(self._tries):
            answer = self._model(prompt).strip()
            if answer in legal:
                return parse_action(answer)
            self.refused += 1
            prompt += f"\n\n{answer[:80]!r} is not one of them. {ASK}"
        self.random += 1
        return DRAW


def stand_in(prompt: str) -> str:
    """Answer like a model that likes the first slot, and sometimes talks instead of answering."""
    legal = [line for line in prompt.partition(ASK)[2].splitlines() if line in ACTION_TEXTS]
    return "I would place two dice." if len(prompt) % 5 == 0 else legal[len(legal) // 2]


if __name__ == "__main__":
    agent, game = LanguageAgent(stand_in), Game(players=2, collectors="AABBAB", seed=7)
    while not game.is_over:
        game.play(agent.choose(game))
    print(f"{game.outcome()}; {agent.refused} answers refused, {agent.random} random actions")
