"""The arena: tournaments of agents, with intervals and ratings.

>>> from crypt_env.arena import round_robin
>>> report = round_robin(["random", lambda observations, masks: masks.argmax(axis=1)], games=200)
>>> report.pairing("random", "<lambda>").games
200
"""

from .formats import as_markdown, as_text
from .ladder import LADDER_AGENTS, build_ladder
from .report import Cost, Difference, Mixture, Pairing, Rating, Report, Solo
from .schedule import EVALUATION_SEED, SELECTION_SEED, Lineup, Plan, make_match_plan, make_plan
from .statistics import Estimate
from .tournament import play_match, round_robin

__all__ = [
    "EVALUATION_SEED",
    "LADDER_AGENTS",
    "SELECTION_SEED",
    "Cost",
    "Difference",
    "Estimate",
    "Lineup",
    "Mixture",
    "Pairing",
    "Plan",
    "Rating",
    "Report",
    "Solo",
    "as_markdown",
    "as_text",
    "build_ladder",
    "make_match_plan",
    "make_plan",
    "play_match",
    "round_robin",
]
