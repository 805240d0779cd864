"""An agent of your own that goes for the most valuable card. Here it plays in the arena; no torch is needed.

Agents answer many decisions at once, so they work on arrays. `crypt arena own_agent:DearestCard greedy`, called in this
folder, does the same from the command line; `opponents=["own_agent:DearestCard"]` works in any environment.
"""

import numpy as np

from crypt_env import LAYOUT
from crypt_env.agents import Agent, Decisions, register_agent
from crypt_env.arena import as_text, round_robin
from crypt_env.notation.actions import ACTION_TEXTS

PARTS = {part.name: slice(part.start, part.stop) for part in LAYOUT}
WORDS = [text.replace("x", " ").split() for text in ACTION_TEXTS]
PLACES = np.array([number for number, words in enumerate(WORDS) if words[0] == "place"])
SLOTS, DICE, EFFORTS = np.array([[int(word) for word in WORDS[number][1:]] for number in PLACES]).T


class DearestCard(Agent):
    """Puts one or two dice on the most valuable card that it knows, and does nothing else unless it must."""

    name = "dearest-card"

    def act(self, decisions: Decisions) -> np.ndarray:
        """Return an action for each decision. [n]"""
        values = decisions.observations[:, PARTS["slot_value"]]
        scores = np.zeros(decisions.masks.shape)
        scores[:, PLACES] = values[:, SLOTS] * (DICE <= 2) + 0.1 * EFFORTS - 0.5 * DICE
        return np.where(decisions.masks, scores, -np.inf).argmax(axis=1)


if __name__ == "__main__":
    register_agent("dearest-card", lambda text: DearestCard())  # now it has a name, like all other agents
    print(as_text(round_robin(["random", "dearest-card", "greedy"], players=2, games=256, collectors="even")))
