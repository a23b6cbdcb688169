"""How well we play by the judgement of GNU Backgammon, the program (Debian: apt-get install gnubg): error rates, as its statistics have them.

    python tools/gnubg_rating.py                                     # 300 games of td against GNU Backgammon's own 0-ply
    python tools/gnubg_rating.py --player 'td(plies=1)' --games 100 --seed 2 --json

Games are for money without the cube, against the networks of gnubg-nn (the peers extra) unless --against names another player; seats change from game to game. Each is written as a .mat file, imported by GNU Backgammon and
analysed so many plies ahead, cubeless and without Jacoby's rule. An error rate is what was lost by all unforced moves, in thousandths of a point, by their number. The interval is a bootstrap over games. GNU Backgammon
judges 0-ply moves of its own networks kindly: it agrees with itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER, play, roll, turn
from ludus.errors import LudusError, brief
from ludus.games.backgammon.mat import GameRecord, Record, record_plays, write_mat
from ludus.kernel import stream
from ludus.players import player
from ludus.players.base import ask
from ludus.players.engines.gnubg import INSTALL
from ludus.players.engines.process import Engine, installed
from ludus.quantities import CORES, GAMES, SEED, cores

PATIENCE = 3600.0  # seconds for a game
AHEAD = 4  # games that a process is told of before it is done with the first
RESAMPLES = 5000

# Runs inside GNU Backgammon: reads names of files, and says of each how many moves both sides made, how many of these were unforced, and what they lost.
INSIDE = """
import json, sys
import gnubg
plies = int(sys.stdin.readline())
for setting in (
    "jacoby off", "cube use off", "threads 1", "confirm new off", "player 0 human", "player 1 human", "analysis moves on", "analysis cube off", "analysis luck off",
    "analysis chequerplay evaluation plies %d" % plies, "analysis chequerplay evaluation cubeful off", "analysis chequerplay evaluation noise 0",
):
    gnubg.command("set " + setting)
for line in iter(sys.stdin.readline, ""):
    gnubg.command("import mat " + line.strip())
    gnubg.command("analyse match")
    found = gnubg.match(0, 0, 1, 0)
    sides = [found["games"][0]["stats"][side]["moves"] for side in ("X", "O")]
    told = [[found["match-info"][side]["name"] for side in ("X", "O")]] + [
        [side[what] for side in sides] for what in ("total-moves", "unforced-moves", "error-skill")]
    sys.stdout.write("ludus " + json.dumps(told) + chr(10))
    sys.stdout.flush()
"""


class Rated(NamedTuple):
    """Games as GNU Backgammon judged them: one row a game, one column a player, the one that is rated first."""

    unforced: np.ndarray
    lost: np.ndarray
    points: np.ndarray  # what was won


def main() -> None:
    """Play, have it analysed, and print the table."""
    parser = argparse.ArgumentParser(description="Error rates of our play by GNU Backgammon.")
    parser.add_argument("--player", default="td")
    parser.add_argument("--against", default="gnubg(plies=0)")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", type=int, default=2, choices=(0, 1, 2, 3), help="of the analysis")
    parser.add_argument("--jobs", type=int, help="processes of GNU Backgammon; as many as cores unless told")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    GAMES.read(wanted.games, f"--games {wanted.games}")
    SEED.read(wanted.seed, f"--seed {wanted.seed}")
    jobs = cores() if wanted.jobs is None else CORES.read(wanted.jobs, f"--jobs {wanted.jobs}")
    program = installed("gnubg", "gnubg", INSTALL)
    names = wanted.player, wanted.against
    games = list(counted("played", wanted.games, played_games(names, wanted.games, wanted.seed)))
    with tempfile.TemporaryDirectory() as folder:
        judged = analysed(games, Path(folder), program, wanted.plies, min(jobs, wanted.games))
        rated = gathered(games, list(counted("analysed", wanted.games, judged)))
    rows = [*(row_of(name, rated, column) for column, name in enumerate(names)), difference(rated)]
    if wanted.json:
        facts = {"games": wanted.games, "seed": wanted.seed, "plies": wanted.plies, "rows": rows}
        print(json.dumps({**facts, "unforced": rated.unforced.tolist(), "lost": rated.lost.tolist()}))
        return
    print(
        f"{wanted.games} games, seed {wanted.seed}, analysed by GNU Backgammon {wanted.plies} plies ahead, cubeless\n"
    )
    print(
        f"{'':<18} {'points a game':>13} {'unforced moves':>14} {'points lost':>11} {'error rate':>10}   95 % interval"
    )
    for row in rows:
        parts = f"{row['unforced']:14,} {row['lost']:11.3f}" if "unforced" in row else f"{'':>14} {'':>11}"
        points = f"{row['points']:+13.3f}" if "points" in row else f"{'':>13}"
        print(f"{row['name']:<18} {points} {parts} {row['rate']:10.2f}   {row['low']:.2f} – {row['high']:.2f}")
    print("\nError rates are in thousandths of a point an unforced move (mEMG).")


# --- playing ---------------------------------------------------------------------------------------------------------


def played_games(names: tuple[str, str], count: int, seed: int) -> Iterator[GameRecord]:
    """Games between two players; in every second one they change seats."""
    game = ludus.game("backgammon")
    players = [player(name, game) for name in names]
    for number in range(count):
        yield played(game, players[:: -1 if number % 2 else 1], stream(seed, number))


def played(game: Any, seated: list[Any], rng: np.ndarray) -> GameRecord:
    """A game."""
    plays, room, odds = list[int](), np.zeros(game.facts.max_moves, np.int64), np.zeros(30)
    state = game.start().state.copy()
    while (seat := turn(game, state)) != OVER:
        move = roll(game, state, rng, room, odds) if seat == CHANCE else ask(seated[seat], Position(game, state), rng)
        plays.append(int(move))
        play(game, state, int(move))
    return record_plays(plays)


# --- GNU Backgammon --------------------------------------------------------------------------------------------------


def analysed(games: list[GameRecord], folder: Path, program: str, plies: int, jobs: int) -> Iterator[list[Any]]:
    """What GNU Backgammon says of each game, in order: the seats' moves, unforced moves, and what they lost."""
    script = folder / "inside.py"
    script.write_text(INSIDE)
    command = [program, "-t", "-q", "-r", "-l", "en", "-p", str(script)]
    engines = [Engine("GNU Backgammon", command, PATIENCE) for _ in range(jobs)]
    try:
        for engine in engines:
            engine.tell(str(plies))
        for number in range(-AHEAD * jobs, len(games)):
            coming = number + AHEAD * jobs
            if coming < len(games):
                path = folder / f"{coming}.mat"
                path.write_text(write_mat(Record((f"seat0-{coming}", f"seat1-{coming}"), 0, (games[coming],))))
                engines[coming % jobs].tell(str(path))
            if number >= 0:
                yield _heard(engines[number % jobs], number, games[number])
    finally:
        for engine in engines:
            engine.end(mercy=0)


def _heard(engine: Engine, number: int, game: GameRecord) -> list[Any]:
    """The answer about a game, after a look at whether it is about this game."""
    said = engine.hear(
        f"game {number}", lambda line: line.removeprefix("ludus ") if line.startswith("ludus ") else None
    )
    names, moves, *rest = json.loads(said)
    rolled = [sum(each.seat == seat for each in game.turns) for seat in (0, 1)]
    if names != [f"seat0-{number}", f"seat1-{number}"] or moves != rolled:
        engine.blame(f"did not read game {number} as it is: it saw {brief(names)} with {moves} moves, not {rolled}")
    return rest


def gathered(games: list[GameRecord], told: list[list[Any]]) -> Rated:
    """The figures by player instead of by seat."""
    numbers = np.array(told)  # game, unforced or lost, seat
    won = np.array([(1 if game.winner == 0 else -1) * game.points for game in games])
    numbers[1::2] = numbers[1::2, :, ::-1]
    won[1::2] *= -1
    return Rated(numbers[:, 0].astype(int), numbers[:, 1], np.stack([won, -won], 1))


# --- figures ---------------------------------------------------------------------------------------------------------


def error_rates(rated: Rated, drawn: Any = slice(None)) -> np.ndarray:
    """Thousandths of a point lost an unforced move, by player, in these games."""
    return 1000 * rated.lost[drawn].sum(-2) / np.maximum(rated.unforced[drawn].sum(-2), 1)


def interval(rated: Rated, measure: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float]:
    """Where 95 % of what comes out lie if as many games are drawn again, with repeats."""
    rng, games = np.random.default_rng(1), len(rated.lost)
    found = [measure(error_rates(rated, rng.integers(games, size=games))) for _ in range(RESAMPLES)]
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def row_of(name: str, rated: Rated, column: int) -> dict[str, Any]:
    """A player's row of the table."""
    low, high = interval(rated, lambda rates: rates[column])
    return {
        "name": name, "points": float(rated.points[:, column].mean()), "unforced": int(rated.unforced[:, column].sum()),
        "lost": float(rated.lost[:, column].sum()), "rate": float(error_rates(rated)[column]), "low": low, "high": high,
    }  # fmt: skip


def difference(rated: Rated) -> dict[str, Any]:
    """How much more the first player loses than the second."""
    low, high = interval(rated, lambda rates: rates[0] - rates[1])
    rates = error_rates(rated)
    return {"name": "difference", "rate": float(rates[0] - rates[1]), "low": low, "high": high}


def counted(what: str, total: int, items: Iterator[Any]) -> Iterator[Any]:
    """The same items, while how many there were is shown on stderr: on one line of a terminal, or each tenth on a line of its own."""
    shown = sys.stderr.isatty()
    for done, item in enumerate(items, 1):
        if shown or done == total or done * 10 // total > (done - 1) * 10 // total:
            print(
                f"{done} of {total} games {what}",
                end="\r" if shown and done < total else "\n",
                file=sys.stderr,
                flush=True,
            )
        yield item


if __name__ == "__main__":
    try:
        main()
    except LudusError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
