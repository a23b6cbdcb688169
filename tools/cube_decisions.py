"""How our cube decisions and match equities compare with those of GNU Backgammon (Debian: apt-get install gnubg).

    python tools/cube_decisions.py                                                # 400 decisions of matches to 7 points, td against gnubg 2-ply
    python tools/cube_decisions.py --player 'td(plies=2)' --game 'backgammon(cube=true)' --positions 1000
    python tools/cube_decisions.py --equities /usr/share/gnubg/met/Kazaross-XG2.xml    # the largest differences of the tables
    python tools/cube_decisions.py --bearoffs                                     # the model in short bear-offs, against perfect play: needs no gnubg

Positions are drawn from games that `td` plays against itself, where a seat may double, one in so many. A decision is close if no choice seems to GNU
Backgammon to lose more than 0.2. Losses are by its judgement, in thousandths of a point of the cube (for matches: as many points of a money game as the match
winning chance is worth): to double or not, and, if either side of the comparison doubles, to take or not.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "tests"))

import ludus
from bearoffs import held, wins_of
from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import CHANCE, OVER, play, roll, turn
from ludus.errors import LudusError
from ludus.games.backgammon.cubeful import Chances, Stake, race_efficiency, weigh
from ludus.games.backgammon.equities import equities
from ludus.games.backgammon.match import DOUBLE, PASS, PHASE, PLAYING, ROLL, TAKE
from ludus.games.backgammon.rules import DIE1
from ludus.kernel import stream
from ludus.players import player
from ludus.players.engines.gnubg import INSTALL, Asked, question
from ludus.players.engines.process import installed

CLOSE = 0.2


class Ours(NamedTuple):
    """What our player decides."""

    doubles: bool
    takes: bool


def main() -> None:
    """Compare, and print what was found."""
    parser = argparse.ArgumentParser(description="Our cube decisions beside GNU Backgammon's.")
    parser.add_argument("--game", default="backgammon(match=7)")
    parser.add_argument("--player", default="td")
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--each", type=int, default=7, help="one in so many decisions is taken")
    parser.add_argument("--plies", type=int, default=2, help="of GNU Backgammon")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--equities", metavar="FILE", help="a match equity table of GNU Backgammon's to compare ours with"
    )
    parser.add_argument(
        "--bearoffs", action="store_true", help="the model alone, by exact chances, in bear-offs solved exactly"
    )
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    if wanted.equities:
        found: dict[str, Any] = compare_tables(Path(wanted.equities))
    elif wanted.bearoffs:
        found = solve_bearoffs(wanted.seed)
    else:
        game = ludus.game(wanted.game)
        states = draw_positions(game, wanted.positions, wanted.each, wanted.seed)
        ours = [decide(game, player(wanted.player, game), state) for state in states]
        found = compare(ours, ask(game, states, wanted.plies))
    if wanted.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:<60} {value:.4g}" if isinstance(value, float) else f"{name:<60} {value}")


# --- positions -------------------------------------------------------------------------------------------------------


def draw_positions(game: Any, count: int, each: int, seed: int) -> list[np.ndarray]:
    """States of `td`'s games against itself in which a seat may double."""
    made, rng = player("td", game), stream(seed)
    room, odds = np.empty(4096, np.int64), np.empty(36)
    found: list[np.ndarray] = []
    met = 0
    state = game.start().state.copy()
    while len(found) < count:
        seat = turn(game, state)
        if seat == OVER:
            state = game.start().state.copy()
        elif seat == CHANCE:
            play(game, state, roll(game, state, rng, room, odds))
        else:
            if state[DIE1] == 0 and state[PHASE] == PLAYING:
                met += 1
                if met % each == 0:
                    found.append(state.copy())
            play(game, state, choose(made, game, state, seat, rng))
    return found


def decide(game: Any, made: Any, state: np.ndarray) -> Ours:
    """Whether our player doubles, and whether it would take."""
    rng, legal, values = stream(1), np.zeros(4096, np.int64), np.zeros(4096)

    def worths(at: np.ndarray) -> dict[int, float]:
        count = evaluate_moves(made, game, at.copy(), turn(game, at), rng, legal, values)
        return dict(zip(legal[:count].tolist(), values[:count].tolist(), strict=True))

    first, doubled = worths(state), state.copy()
    play(game, doubled, DOUBLE)
    answers = worths(doubled)
    return Ours(first[DOUBLE] > first[ROLL], answers[TAKE] > answers[PASS])


# --- GNU Backgammon --------------------------------------------------------------------------------------------------


def ask(game: Any, states: list[np.ndarray], plies: int) -> np.ndarray:
    """GNU Backgammon's equities of no double, double and take, double and pass: one row a decision."""
    asked = Asked("gnubg", installed("gnubg", "gnubg", INSTALL), plies)
    return np.array(asked.ask([question(game, state, "cube") for state in states]))[:, 1:4]


# --- comparing -------------------------------------------------------------------------------------------------------


def compare(ours: list[Ours], theirs: np.ndarray) -> dict[str, Any]:
    """Agreement and mean losses."""
    hold, take, drop = theirs.T
    doubles, takes = np.array(ours).T
    double = np.minimum(take, drop)
    right, right_take = double > hold, take <= drop
    lost = np.where(doubles != right, np.abs(double - hold), 0.0)
    asked = doubles | right  # whether somebody has to answer a double
    lost_take = np.where(takes != right_take, np.abs(take - drop), 0.0)[asked]
    return {
        **_figures("double", doubles == right, lost, np.abs(double - hold)),
        **_figures("take", (takes == right_take)[asked], lost_take, np.abs(take - drop)[asked]),
        **_figures(
            "both",
            np.concatenate([doubles == right, (takes == right_take)[asked]]),
            np.concatenate([lost, lost_take]),
            np.concatenate([np.abs(double - hold), np.abs(take - drop)[asked]]),
        ),
        "we double, they do not": int((doubles & ~right).sum()),
        "they double, we do not": int((~doubles & right).sum()),
        "we take, they pass": int((takes & ~right_take)[asked].sum()),
        "they take, we pass": int((~takes & right_take)[asked].sum()),
    }


def _figures(what: str, same: np.ndarray, lost: np.ndarray, gap: np.ndarray) -> dict[str, Any]:
    near = gap < CLOSE
    return {
        f"{what}: decisions": len(same),
        f"{what}: the same, %": 100 * float(same.mean()),
        f"{what}: mean loss, thousandths": 1000 * float(lost.mean()),
        f"{what}: close decisions": int(near.sum()),
        f"{what}: the same of the close ones, %": 100 * float(same[near].mean()) if near.any() else 100.0,
    }


def compare_tables(file: Path, most: int = 15) -> dict[str, Any]:
    """The largest differences of our match equities and those of a file, in percentage points, up to so many points away."""
    before, _, after = file.read_text().partition("<post-crawford-table")
    rows = [[float(number) for number in re.findall(r"<me>([\d.]+)</me>", row)] for row in before.split("<row>")[1:]]
    theirs = np.array([row[:most] for row in rows[:most]])
    theirs_after = np.array([float(number) for number in re.findall(r"<me>([\d.]+)</me>", after)[:most]])
    table = equities(most)
    gaps = 100 * np.abs(table[0, 1:, 1:] - theirs)
    own, other = np.unravel_index(gaps.argmax(), gaps.shape)
    return {
        "scores": len(gaps) * (len(gaps) - 1) // 2,
        "largest difference, percentage points": float(gaps.max()),
        "  at": f"{min(own, other) + 1} away, {max(own, other) + 1} away",
        "mean difference": float(gaps.mean()),
        "largest difference after the Crawford game": float(100 * np.abs(table[1, 1:, 1] - theirs_after).max()),
    }


def solve_bearoffs(seed: int, pairs: int = 1500, most: int = 4) -> dict[str, Any]:
    """What the model loses by its doubles and takes, in thousandths of a point, with several efficiencies of the cube."""
    sides = [side for n in range(1, most + 1) for side in combinations_with_replacement(range(1, 7), n)]
    rng, table = np.random.default_rng(seed), equities(0)
    cases = []
    for own, other in rng.integers(len(sides), size=(pairs, 2)):
        x, o = sides[own], sides[other]
        cases += [(sum(x), wins_of(x, o), owner, held(x, o, owner), 2 * held(x, o, -1)) for owner in (0, 1)]
    ways: dict[str, Callable[[int], float]] = {
        "by pips, as in play": race_efficiency, "0 (dead)": lambda _: 0.0, "0.6": lambda _: 0.6, "0.68": lambda _: 0.68, "1 (live)": lambda _: 1.0,
    }  # fmt: skip
    found: dict[str, Any] = {"decisions": len(cases)}
    for name, efficiency in ways.items():
        lost = []
        for pips, win, owner, hold, take in cases:
            verdict = weigh(table, Chances(win), Stake(owner=owner), efficiency(pips))
            value = hold
            if min(verdict.take, verdict.drop) > verdict.hold:
                value = take if verdict.take <= verdict.drop else 1.0
            lost.append(abs(max(hold, min(take, 1.0)) - value))
        found[f"efficiency {name}: mean loss, thousandths"] = 1000 * float(np.mean(lost))
        found[f"efficiency {name}: perfect, %"] = 100 * float((np.array(lost) < 1e-9).mean())
    return found


if __name__ == "__main__":
    try:
        main()
    except LudusError as error:
        sys.exit(str(error))
