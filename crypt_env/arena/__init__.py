"""The arena: tournaments of agents, with intervals and ratings.

>>> from crypt_env.arena import round_robin
>>> report = round_robin(["random", lambda observations, masks: masks.argmax(axis=1)], games=200)
>>> report.pairing("random", "<lambda>").games
200
"""

from .ladder import LADDER_AGENTS, build_ladder
from .progress import ProgressLine
from .report import Cost, Difference, Mixture, Pairing, Rating, Report, Solo
from .schedule import Lineup, Plan, make_match_plan, make_plan
from .statistics import Estimate
from .tables import as_markdown, as_text
from .tournament import play_match, round_robin

__all__ = [
    "LADDER_AGENTS",
    "Cost",
    "Difference",
    "Estimate",
    "Lineup",
    "Mixture",
    "Pairing",
    "Plan",
    "ProgressLine",
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
