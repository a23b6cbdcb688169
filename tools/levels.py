"""How strong the levels of opponents are: each against the next one, seats exchanged, with 95 % intervals.

python tools/levels.py --games 200 backgammon ludo(seats=2) quoridor connectfour
"""

from __future__ import annotations

import argparse
import itertools
import json

from ludus.matches.statistics import wilson
from ludus.players.levels import LEVELS, at_level, takes_time
from ludus.web import referee
from ludus.web.data import Mind, Ref


def share(ref: Ref, levels: tuple[str, str], seconds: float, games: int) -> tuple[float, float, float]:
    """What the second of two levels wins of some games, and the interval of its rate."""
    about = referee.about(ref)
    choices = [at_level(about.name, level, about.best == "td", seconds) for level in levels]
    minds = [Mind(choice.player, choice.temperature) for choice in choices]
    won = 0.0
    for game in range(games):
        seats = minds if game % 2 == 0 else minds[::-1]
        standing = referee.begin(ref, None)
        _, standing = referee.go_on(ref, standing.course, seats, 1000 + game // 2, {}, most=10_000)
        scores = standing.scores or (0.0, 0.0)
        mine, other = scores[1 - game % 2], scores[game % 2]
        won += 1.0 if mine > other else 0.5 if mine == other else 0.0
    return (won / games, *wilson(won, games))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="GAME")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--searches", type=int, default=20, help="games where one of the two takes its time")
    parser.add_argument("--seconds", type=float, default=0.2, help="for those who think ahead")
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    rows = []
    for name in options.names:
        about = referee.about(Ref(name))
        for pair in itertools.pairwise(LEVELS):
            slow = any(takes_time(at_level(about.name, level, about.best == "td").player) for level in pair)
            games = options.searches if slow else options.games
            rate, low, high = share(Ref(name), pair, options.seconds, games)
            rows.append(
                {
                    "game": name,
                    "level": pair[1],
                    "against": pair[0],
                    "games": games,
                    "rate": rate,
                    "low": low,
                    "high": high,
                }
            )
            if not options.as_json:
                print(
                    f"{name:>16}  {pair[1]:>8} against {pair[0]:<8} {rate:6.1%}  ({low:.1%} – {high:.1%}, {games} games)",
                    flush=True,
                )
    if options.as_json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
