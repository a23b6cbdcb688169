"""How long the analysis of a match takes: nine games of td against itself, one of them careless, judged 0, 1 and 2 plies ahead on one core.

python tools/analysis_times.py [match.mat]      # and keep the match
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import ludus
from ludus.analysing import analyse_match
from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, OVER, play, random_move, roll, start, turn
from ludus.games.backgammon.mat import GameRecord, Record, record_plays, write_mat
from ludus.kernel import stream

GAMES = 9
CARELESS = (0.0, 0.1)  # the share of moves that each seat makes at random


def played(seed: int, score: tuple[int, int]) -> GameRecord:
    """A game from its seed."""
    game, plays = ludus.game("backgammon"), list[int]()
    td, rng, whims = ludus.player("td", game), stream(seed), np.random.default_rng(seed)
    state, room, odds = (
        np.zeros(game.facts.state_size, np.int64),
        np.zeros(game.facts.max_moves, np.int64),
        np.zeros(30),
    )
    start(game, state)
    while turn(game, state) != OVER:
        seat = turn(game, state)
        if seat == CHANCE:
            move = roll(game, state, rng, room, odds)
        elif whims.random() < CARELESS[seat]:
            move = random_move(game, state, seat, rng, room)
        else:
            move = choose(td, game, state, seat, rng)
        plays.append(int(move))
        play(game, state, move)
    return record_plays(plays, score)


def match() -> Record:
    """The match."""
    games, score = list[GameRecord](), [0, 0]
    for seed in range(1, GAMES + 1):
        games.append(played(seed, (score[0], score[1])))
        score[games[-1].winner or 0] += games[-1].points
    return Record(("careful", "careless"), 0, tuple(games))


def main() -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/match.mat")
        path.write_text(write_mat(match()))
        for plies in (0, 1, 2):
            analyse_match(path, plies=plies, number=1, jobs=1)  # compiles
            begun, used = time.perf_counter(), time.process_time()
            found = analyse_match(path, plies=plies, jobs=1)
            seconds, used = time.perf_counter() - begun, time.process_time() - used
            sums = [found.sums(seat) for seat in (0, 1)]
            unforced = sum(each.unforced for each in sums)
            rates = " and ".join(f"{each.error_rate:.1f}" for each in sums)
            print(
                f"{plies} plies: {used:.1f} s of a processor, {seconds:.1f} s by the clock, {len(found.turns)} turns, "
                f"{unforced} unforced decisions, {1000 * used / unforced:.1f} ms each; error rates {rates}"
            )


if __name__ == "__main__":
    main()
