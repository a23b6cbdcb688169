"""Whole games and matches from files, decision by decision: what each lost, and what the dice brought (docs/analysis.md).

`reading.py` takes a file apart, `cube_games.py` games with the cube, into what `sheet.py` describes. `judging.py` has every decision and every roll judged on all
cores, `cube_judging.py` those with the cube, and `rolling.py` rolls out what is in doubt. `turns.py`, `sums.py` and `match.py` hold what was found and add it up; `words.py`
and `page.py` show it to people, and `annotating.py` writes it into a copy of the file.
"""

from __future__ import annotations

from ludus.analysing.judging import analyse_match
from ludus.analysing.match import MatchAnalysis

__all__ = ["MatchAnalysis", "analyse_match"]
