"""The language model of the examples: whole games, strict answers, and no prompt with hidden information."""

import importlib.util
import re

import pytest

from crypt_env import DRAW, Game
from crypt_env.agents import make_agent
from crypt_env.arena import play_match
from crypt_env.notation.actions import ACTION_TEXTS
from docs.pages import ROOT

SPEC = importlib.util.spec_from_file_location("language_model", ROOT / "examples" / "language_model.py")
example = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(example)


class Script:
    """A stand-in for a model: keeps its prompts, and answers as it is told to."""

    def __init__(self, *answers):
        self.prompts, self._answers = [], list(answers)

    def __call__(self, prompt):
        self.prompts.append(prompt)
        if self._answers:
            return self._answers.pop(0)
        legal = prompt.partition(example.ASK)[2].split("\n\n")[0].strip().splitlines()
        return legal[len(prompt) % len(legal)]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("collectors", ["ABBBAB", "BAAABA"])
def test_whole_games_whose_prompts_hold_nothing_hidden(players, collectors):
    """A prompt is the same after everything that its seat cannot know was dealt again, and names no hidden card."""
    script = Script()
    agent, other = example.LanguageAgent(script), example.LanguageAgent(again := Script())
    game = Game(players, collectors, seed=123456789)
    looked = differ = 0
    while not game.is_over:
        seat = game.to_move
        dealt_again = game.resample(seat, seed=looked)
        differ += dealt_again.deck != game.deck
        other.choose(dealt_again)
        action = agent.choose(game)
        assert script.prompts[-1] == again.prompts[-1]
        assert str(game.seed) not in script.prompts[-1]
        legal = script.prompts[-1].partition(example.ASK)[2].strip().splitlines()
        assert tuple(legal) == game.legal()
        game.play(action)
        looked += 1
    assert looked > 5
    assert differ > looked / 2
    assert agent.refused == agent.random == 0


def test_prompts_change_with_what_a_seat_may_know():
    """Otherwise the test above would prove nothing: a peek shows the value that was hidden before."""
    for seed in range(400):
        game = Game(2, "ABBBAB", seed=seed)
        while not game.is_over and "peek" not in game.legal():
            game.play(game.random_action())
        if not game.is_over:
            break
    seat = game.to_move
    before, peeked = (example.prompt_of(g.view(seat).vector, []) for g in (game, game.copy().play("peek")))
    assert "of unknown value (face-down)" in before
    assert before.count("of unknown value") > peeked.count("of unknown value") or "flip" in game.legal()[0]


@pytest.mark.parametrize(
    "answer",
    ["", "PLACE 0 1X1", "place 0 1x1.", "I play place 0 1x1", "place 0 1x1\nplace 0 1x2", "done", "0", "place 9 1x1"],
)
def test_answers_are_parsed_strictly(answer):
    script = Script(answer, " place 0 1x1\n")
    agent = example.LanguageAgent(script)
    assert agent.choose(Game(2, "A", seed=1)) == "place 0 1x1"
    assert (agent.refused, agent.random, len(script.prompts)) == (1, 0, 2)
    assert script.prompts[1].startswith(script.prompts[0])
    assert f"{answer.strip()[:80]!r} is not one of them." in script.prompts[1]


def test_after_three_illegal_answers_a_legal_action_is_drawn():
    agent = example.LanguageAgent(Script("no", "never", "x" * 10_000))
    game = Game(2, "A", seed=1)
    assert agent.choose(game) == game.random_action()
    assert (agent.refused, agent.random) == (3, 1)
    assert DRAW < 0


def test_it_plays_in_the_arena():
    agent = example.LanguageAgent(lambda prompt: "nonsense")
    assert play_match(agent, "random", players=2, games=8).games == 8
    assert agent.random * 3 == agent.refused > 0
    assert make_agent(agent) is agent


def test_prompts_explain_the_collectors_of_the_table():
    for number, kind in enumerate(("Idol", "Jewelry", "Manuscript", "Pottery", "Remains", "Tapestry")):
        for side in "AB":
            prompt = example.prompt_of(Game(1, side, seed=1).view(0).vector, ["done"])
            assert example.COLLECTORS[number]["AB".index(side)] in prompt
            assert re.findall(rf"^{kind} ([AB]):", prompt, re.M) == [side]
            assert example.GHOST in prompt
    assert example.GHOST not in example.prompt_of(Game(2, "A", seed=1).view(0).vector, ["done"])
    assert set(re.findall(r"`(\w+)", "\n".join([example.RULES, *sum(example.COLLECTORS, ())]))) == {
        text.split()[0] for text in ACTION_TEXTS
    }
