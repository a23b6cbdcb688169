"""How often a player finds a best move of connect four, by the exact solver (`ludus.bench.connectfour`).

    python tools/connectfour_moves.py --positions 1000 --seconds 1 --player mcts     # 17 minutes
    python tools/connectfour_moves.py --player 'mcts(simulations=1000)' --json
    python tools/connectfour_moves.py --make 1000 --seed 1                           # solve the positions anew

The positions lie in tests/data/connectfour.txt: the columns that were played, and the score of each of the seven moves. Each is from a game of its own
between `mcts` and a player at random, after 6 to 32 plies, and its moves differ in value: some keep a win or a draw that others give away. A choice is optimal
if it keeps the value (won, drawn, lost); it is exact if no other move has a higher score, that is, wins sooner or loses later.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus.bench.connectfour import Solver
from ludus.contract.position import Position
from ludus.kernel import stream
from ludus.matches.statistics import wilson
from ludus.players.base import ask

FILE = Path(__file__).parent.parent / "tests" / "data" / "connectfour.txt"
FIRST, LAST = 6, 32  # plies before a position
WHIMS = (0.1, 0.3, 1.0)  # the share of moves at random, one of these in each game
STAGES = ((FIRST, 11), (12, 21), (22, LAST))  # plies: late positions are easier, and there are more of them
DRAWER = "mcts(simulations=30)"


class Decision(NamedTuple):
    """A position, and what each move in it is worth to who is to move."""

    columns: str  # that were played before, numbers from 1 to 7
    scores: dict[int, int]  # by column

    def line(self) -> str:
        """The decision as a line of the file."""
        return " ".join([self.columns, *(str(self.scores.get(column, ".")) for column in range(1, 8))])


def read(path: Path) -> list[Decision]:
    """The decisions of a file."""
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return [Decision(row[0], {c: int(s) for c, s in enumerate(row[1:], 1) if s != "."}) for row in rows]


def position_of(game: Any, columns: str) -> Position:
    """The position after some moves."""
    position = game.start()
    for column in columns:
        position = position.play(f"(drop {column})")
    return position


def drawn(game: Any, player: Any, number: int, seed: int) -> str | None:
    """The columns of a game until a ply that was drawn before; None if it ended sooner."""
    whims, rng = np.random.default_rng([seed, number]), stream(seed, number)
    plies = FIRST + int((LAST + 1 - FIRST) * whims.random() ** 0.5)  # late ones more often: they are solved sooner
    share = WHIMS[number % len(WHIMS)]
    position, columns = game.start(), ""
    while len(columns) < plies:
        if position.kind == "over":
            return None
        moves = position.moves()
        move = moves[int(whims.integers(len(moves)))] if whims.random() < share else ask(player, position, rng)
        columns += move.text.strip("()").split()[-1]
        position = position.play(move)
    return columns if position.kind != "over" else None


def make(path: Path, positions: int, seed: int) -> None:
    """Draw positions, solve them, and write those in which the choice matters. What a file that was left unfinished has already is not solved again."""
    game, solver = ludus.game("connectfour"), Solver(1 << 24)
    player = ludus.player(DRAWER, game)
    seen: set[str] = set()
    headline = f"# python tools/connectfour_moves.py --make {positions} --seed {seed}"
    mine = path.exists() and path.read_text().startswith(headline + "\n")
    known = {found.columns: found for found in read(path)} if mine else {}
    with open(path, "w") as file:
        print(headline, file=file)
        number = 0
        while len(seen) < positions:
            columns, number = drawn(game, player, number, seed), number + 1
            if columns is None or columns in seen:
                continue
            if columns in known or len(set(solver.values(columns).values())) > 1:
                found = known.get(columns) or Decision(columns, solver.scores(columns))
                seen.add(columns)
                print(found.line(), file=file, flush=True)
                print(f"{len(seen)} of {positions}, {number} games", end="\r", file=sys.stderr, flush=True)


def measure(decisions: list[Decision], name: str, seed: int) -> dict[str, Any]:
    """How often a player's choices are optimal, and how often exact."""
    game = ludus.game("connectfour")
    player = ludus.player(name, game)
    optimal = exact = 0
    wrong: set[str] = set()
    begun = time.perf_counter()
    for number, (columns, scores) in enumerate(decisions):
        if hasattr(player, "forget"):
            player.forget()  # each position on its own
        move = ask(player, position_of(game, columns), stream(seed, number))
        score, best = scores[int(move.text.strip("()").split()[-1])], max(scores.values())
        good = np.sign(score) == np.sign(best)
        optimal, exact = optimal + int(good), exact + int(score == best)
        if not good:
            wrong.add(columns)
        if sys.stderr.isatty():
            print(f"{optimal} of {number + 1}", end="\r", file=sys.stderr, flush=True)
    count = len(decisions)
    return {
        "player": name,
        "positions": count,
        "seed": seed,
        "optimal": {"share": optimal / count, "interval": wilson(optimal, count)},
        "exact": {"share": exact / count, "interval": wilson(exact, count)},
        "seconds": round((time.perf_counter() - begun) / count, 3),
        "stages": [_stage(first, last, decisions, wrong) for first, last in STAGES],
        "wrong": sorted(wrong),
    }


def _stage(first: int, last: int, decisions: list[Decision], wrong: set[str]) -> dict[str, Any]:
    """How often choices were optimal after so many plies."""
    here = [one.columns for one in decisions if first <= len(one.columns) <= last]
    good = sum(columns not in wrong for columns in here)
    share, interval = (good / len(here), wilson(good, len(here))) if here else (None, None)
    return {"plies": [first, last], "positions": len(here), "share": share, "interval": interval}


def report(found: dict[str, Any]) -> str:
    """The figures as text."""

    def share(one: dict[str, Any]) -> str:
        if one["share"] is None:
            return "–"
        low, high = one["interval"]
        return f"{100 * one['share']:.1f} % (95 % interval {100 * low:.1f}–{100 * high:.1f})"

    stages = "".join(
        f"\n  after {s['plies'][0]:2} to {s['plies'][1]} plies {share(s)} of {s['positions']}" for s in found["stages"]
    )
    return (
        f"{found['player']} in {found['positions']} positions of connect four, {found['seconds']} s a move\n"
        f"keeps the value   {share(found['optimal'])}{stages}\n"
        f"the best score    {share(found['exact'])}"
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="mcts", help="a name without arguments is given --seconds")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--positions", type=int, default=1000, help="so many, evenly from the whole file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--make", type=int, metavar="N", help="draw and solve N positions, and write the file")
    parser.add_argument("--file", type=Path, default=FILE)
    options = parser.parse_args()
    if options.make:
        make(options.file, options.make, options.seed)
        return
    name = options.player if "(" in options.player else f"{options.player}(seconds={options.seconds:g})"
    decisions = read(options.file)
    count = min(options.positions, len(decisions))
    if count < 1:
        parser.error("--positions must be at least 1")
    picked = [decisions[i * len(decisions) // count] for i in range(count)]
    try:
        found = measure(picked, name, options.seed)
    except ludus.LudusError as error:
        parser.error(str(error))
    print(json.dumps(found) if options.json else report(found))


if __name__ == "__main__":
    main()
