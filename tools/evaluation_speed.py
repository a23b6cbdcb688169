"""Evaluations a second on one core: the shipped network of `td`, beside GNU Backgammon's own `calibrate` (Debian: apt-get install gnubg), by turns, in the same minutes.

    python tools/evaluation_speed.py
    python tools/evaluation_speed.py --player td:runs/mine --rounds 5 --json

Ours: positions judged while choosing moves in self-play, all that this takes included: listing the moves, making the positions, finding their inputs. By processor time. GNU Backgammon's: static evaluations of random
positions of contact, as it prints them. It takes the time by the clock: on a busy machine it says too little. So the same is given by the processor time of its process, less that of a short run, which counts the making
of these positions too.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import time
from typing import Any

import numpy as np

import ludus
from ludus.contract.rules import CHANCE, OVER, moves, play, roll, turn
from ludus.errors import LudusError
from ludus.kernel import stream
from ludus.players import player
from ludus.players.base import choose_all, is_compiled
from ludus.players.engines.gnubg import INSTALL
from ludus.players.engines.process import installed

EVALUATIONS = 1024  # of one iteration of `calibrate`


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Evaluations a second beside GNU Backgammon's calibrate.")
    parser.add_argument("--player", default="td", help="td, or td:DIR_OR_FILE")
    parser.add_argument("--decisions", type=int, default=4000, help="positions of self-play in which a move is chosen")
    parser.add_argument("--iterations", type=int, default=400, help="of calibrate, 1,024 evaluations each")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0, help="of the processor for ours, each round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    if min(wanted.decisions, wanted.iterations, wanted.rounds) < 1:
        sys.exit("--decisions, --iterations and --rounds must be 1 or more")
    program = installed("gnubg", "gnubg", INSTALL)
    ours = Ours(wanted.player, wanted.decisions, wanted.seed)
    rounds = []
    for _ in range(wanted.rounds):
        said, used = calibrated(program, wanted.iterations)
        rounds.append({"ours": ours.measured(wanted.seconds), "gnubg": said, "gnubg by processor time": used})
    middle = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
    ratios = {name: middle["ours"] / middle[name] for name in ("gnubg", "gnubg by processor time")}
    if wanted.json:
        found = {"player": wanted.player, "positions": ours.positions, "rounds": rounds, "medians": middle}
        print(json.dumps({**found, "ratios": ratios}))
        return
    print(f"evaluations a second, one core; {ours.positions:,} positions of {wanted.decisions:,} decisions\n")
    print(f"{'':<8} {wanted.player:>14} {'gnubg':>14} {'gnubg, by processor time':>26}")
    for name, row in [*((f"round {n}", each) for n, each in enumerate(rounds, 1)), ("median", middle)]:
        print(f"{name:<8} {row['ours']:14,.0f} {row['gnubg']:14,.0f} {row['gnubg by processor time']:26,.0f}")
    print(f"{'ratio':<8} {'':>14} {ratios['gnubg']:14.2f} {ratios['gnubg by processor time']:26.2f}")


class Ours:
    """Our player, and decisions to make."""

    def __init__(self, name: str, decisions: int, seed: int) -> None:
        self.game = ludus.game("backgammon")
        self.player = player(name, self.game)
        if not is_compiled(self.player):
            raise LudusError(f"{name} is not measured: only networks of ours are, as in td:DIR_OR_FILE")
        self.states, self.positions = self._decisions(decisions, seed)
        self.seats = np.array([turn(self.game, state) for state in self.states])
        self.rngs, self.out = np.zeros((decisions, 1), np.uint64), np.zeros(decisions, np.int64)
        self.measured(0)  # compiles

    def _decisions(self, count: int, seed: int) -> tuple[np.ndarray, int]:
        """States of self-play with several moves to choose from, and how many these are in all."""
        game, rng, found, positions = self.game, stream(seed), list[np.ndarray](), 0
        room, odds, out = np.zeros(game.facts.max_moves, np.int64), np.zeros(30), np.zeros(1, np.int64)
        state = game.start().state.copy()
        while len(found) < count:
            seat = turn(game, state)
            if seat == OVER:
                state = game.start().state.copy()
            elif seat == CHANCE:
                play(game, state, roll(game, state, rng, room, odds))
            else:
                if (many := moves(game, state, seat, room)) > 1:
                    found.append(state.copy())
                    positions += many
                choose_all(self.player, game, state[None], np.array([seat]), rng[None], out)
                play(game, state, out[0])
        return np.array(found), positions

    def measured(self, seconds: float) -> float:
        """Positions judged in a second of processor time."""
        begun, done = time.process_time(), 0
        while True:
            choose_all(self.player, self.game, self.states, self.seats, self.rngs, self.out)
            done += self.positions
            if (used := time.process_time() - begun) > seconds:
                return done / used


def calibrated(program: str, iterations: int) -> tuple[float, float]:
    """The evaluations a second that `calibrate` prints, and those by its processor time."""
    said, used = _calibrate(program, iterations)
    return said, EVALUATIONS * iterations / max(used - _calibrate(program, 1)[1], 1e-9)


def _calibrate(program: str, iterations: int) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done: Any = subprocess.run(
        [program, "-t", "-q", "-r", "-l", "en"],
        input=f"set threads 1\ncalibrate {iterations}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"Calibration result: ([0-9.]+) static evaluations/second", done.stdout)
    if found is None:
        last = " ".join((done.stdout + done.stderr).split())[-200:]
        raise LudusError(f"gnubg printed no result of calibrate; it ended with code {done.returncode} and said: {last}")
    return float(found[1]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    try:
        main()
    except LudusError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
