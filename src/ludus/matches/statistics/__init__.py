"""The statistics of contests and comparisons, in plain numpy: nothing here plays, and nothing here needs Numba.

`basics`, `student` and `luck` serve a single contest, `deciding` many comparisons at once. `scores` has the measures over games and seeds,
`bootstrap` their intervals, `ratings` one number a player, `cycles` players that beat each other in circles, `sequential` a test that
stops as soon as it is sure.
"""

from ludus.matches.statistics.basics import Z95, mean_and_error, normal_tail, wilson, win_shares
from ludus.matches.statistics.bootstrap import Estimate, bootstrap_interval
from ludus.matches.statistics.cycles import Circle, alpha_rank, cyclic_share, maximal_lottery, sure_circles
from ludus.matches.statistics.deciding import holm, power, seeds_needed
from ludus.matches.statistics.luck import less_luck
from ludus.matches.statistics.ratings import Ratings, bradley_terry, plackett_luce, ratings_of_wins
from ludus.matches.statistics.scores import (
    iqm,
    mean_score,
    median_score,
    normalised,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
)
from ludus.matches.statistics.sequential import (
    Question,
    Verdict,
    pair_counts,
    pairs_until_sure,
    points_until_sure,
    question,
    share_of_elo,
    sprt_pairs,
    sprt_points,
)
from ludus.matches.statistics.student import TTest, student_p, student_reach, welch, welch_of

__all__ = [
    "Z95",
    "Circle",
    "Estimate",
    "Question",
    "Ratings",
    "TTest",
    "Verdict",
    "alpha_rank",
    "bootstrap_interval",
    "bradley_terry",
    "cyclic_share",
    "holm",
    "iqm",
    "less_luck",
    "maximal_lottery",
    "mean_and_error",
    "mean_score",
    "median_score",
    "normal_tail",
    "normalised",
    "optimality_gap",
    "pair_counts",
    "pairs_until_sure",
    "performance_profile",
    "plackett_luce",
    "points_until_sure",
    "power",
    "probability_of_improvement",
    "question",
    "ratings_of_wins",
    "seeds_needed",
    "share_of_elo",
    "sprt_pairs",
    "sprt_points",
    "student_p",
    "student_reach",
    "sure_circles",
    "welch",
    "welch_of",
    "wilson",
    "win_shares",
]
