"""The steps of the ladder: each agent against the one below it, with several seeds."""

import pytest

from crypt_env.arena import play_match, round_robin
from crypt_env.arena.statistics import Estimate
from crypt_env.arena.steps import Step, play_steps, steps_as_markdown


def test_steps_are_the_matches_of_neighbours_at_even_tables():
    steps = play_steps(["random", "ghost", "greedy"], 3, 192, [7, 8])
    assert [(step.agent, step.below) for step in steps] == [("ghost", "random"), ("greedy", "ghost")]
    assert steps[1].gains[1] == play_match("greedy", "ghost", 3, 192, "even", 8).share


def test_alone_a_step_is_the_difference_on_the_same_deals():
    (step,) = play_steps(["random", "greedy"], 1, 128, [7])
    report = round_robin(["random", "greedy"], 1, 128, "even", 7)
    means = {solo.agent: solo.coins.value for solo in report.solos}
    assert step.gains[0].value == pytest.approx(means["greedy"] - means["random"])
    assert step.is_up


def step(*gains, players=2):
    return Step(players, "above", "below", tuple(Estimate(*gain) for gain in gains))


@pytest.mark.parametrize(
    ("gains", "players", "is_up"),
    [
        ([(0.6, 0.55, 0.65), (0.7, 0.6, 0.8)], 2, True),
        ([(0.6, 0.55, 0.65), (0.53, 0.49, 0.57)], 2, False),
        ([(0.3, 0.26, 0.34)], 4, True),
        ([(0.3, 0.26, 0.34)], 3, False),
        ([(0.5, -0.1, 1.1)], 1, False),
        ([(0.6, None, None)], 2, False),
    ],
)
def test_a_step_leads_up_if_no_interval_touches_what_equal_agents_get(gains, players, is_up):
    assert step(*gains, players=players).is_up is is_up


def test_the_table_says_which_steps_are_in_doubt():
    sure, unsure = step((0.6, 0.55, 0.65)), step((0.51, 0.45, 0.57))
    assert "Every step leads up, beyond doubt with each of the 1 seeds." in steps_as_markdown([sure], [1])
    text = steps_as_markdown([sure, unsure], [1])
    assert "Not beyond doubt with each of the 1 seeds: above above below. All other steps are." in text
    assert "| above | below | 51.0 [45.0, 57.0]% |" in text
