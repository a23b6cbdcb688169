"""How much players lose a decision in backgammon, by reference rollouts: decisions of games among several players, each legal move of weight played out to the end.

python tools/decisions.py make decisions.jsonl --positions 300     # go on where the file ends: kill it, and call it again
python tools/decisions.py measure decisions.jsonl td 'gnubg(plies=0)'

A decision is drawn from games of TABLES, one in SHARE of those with a choice, whatever it is about. The moves that `td` likes best, and those that the measured players would make, are
rolled out by `td` against itself with the luck of the dice taken off (`ludus rollout`), to the end of the game: a judgement of the network enters as luck, whose mean is 0, and not as a value.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import ludus
from ludus.contract.rules import CHANCE, OVER, play, roll, start, turn
from ludus.kernel import stream
from ludus.players.base import ask

GAME = ludus.game("backgammon")
TABLES = (("td", "gnubg"), ("gnubg", "pubeval"), ("td:backgammon-rich", "td"), ("pubeval", "td"))
MEASURED = ("td", "gnubg(plies=0)", "td:backgammon-rich", "td(plies=1)")
SHARE = 9
CANDIDATES = 5


def drawn(seed: int) -> list[str]:
    """Decisions of one game, by its number: positions with dice, as text."""
    names = TABLES[seed % len(TABLES)]
    seats = [ludus.player(name, GAME) for name in names]
    rng, whims = stream(seed, 1), np.random.default_rng(seed)
    state, room, odds = np.zeros(GAME.facts.state_size, np.int64), np.zeros(4096, np.int64), np.zeros(30)
    start(GAME, state)
    found = []
    while turn(GAME, state) != OVER:
        seat = turn(GAME, state)
        if seat == CHANCE:
            play(GAME, state, roll(GAME, state, rng, room, odds))
            continue
        position = GAME.position(GAME.state_text(state))
        if len(position.moves()) > 1 and whims.integers(SHARE) == 0:
            found.append(position.text)
        play(GAME, state, int(ask(seats[seat], position, rng)))
    return found


def rolled(text: str, number: int, games: int) -> dict[str, Any]:
    """What the moves of a decision are worth."""
    position = GAME.position(text)
    found = ludus.rollout(position, games=games, moves=CANDIDATES, seed=number)
    values = {str(row.move): (row.value, row.error) for row in found.rows}
    for name in MEASURED:
        move = ask(ludus.player(name, GAME), position, stream(1))
        text_of = next(str(m) for m in position.moves() if int(m) == int(move))
        if text_of not in values:
            after = position.play(text_of)
            if after.kind == "over":
                continue
            row = ludus.rollout(after, games=games, seed=number).rows[0]
            values[text_of] = (-row.value, row.error)
    return {"position": text, "number": number, "moves": {m: [round(x, 5) for x in v] for m, v in values.items()}}


def make(path: Path, positions: int, games: int) -> None:
    """Roll decisions out, one after the other, a line of the file each."""
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    taken = {(line["game"], line["number"]) for line in done}
    count, seed = len(done), 0
    while count < positions:
        for number, text in enumerate(drawn(seed)):
            if (seed, number) in taken or count >= positions:
                continue
            line = rolled(text, number, games) | {"game": seed, "players": TABLES[seed % len(TABLES)]}
            with open(path, "a") as file:
                file.write(json.dumps(line) + "\n")
            count += 1
            print(f"{count} of {positions}", end="\r", flush=True)
        seed += 1


def measure(path: Path, names: list[str]) -> None:
    """The mean loss of players, in thousandths of a point a decision."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    losses: dict[str, list[float]] = {name: [] for name in names}
    outside = dict.fromkeys(names, 0)
    for line in lines:
        position = GAME.position(line["position"])
        best = max(value for value, _ in line["moves"].values())
        for name in names:
            move = ask(ludus.player(name, GAME), position, stream(1))
            text = next(str(m) for m in position.moves() if int(m) == int(move))
            outside[name] += text not in line["moves"]
            value = line["moves"].get(text, (min(value for value, _ in line["moves"].values()), 0))[0]
            losses[name].append(1000 * (best - value))
    rng = np.random.default_rng(1)
    print(f"{len(lines)} decisions; loss in thousandths of a point a decision, with 95 % intervals (bootstrap)")
    first = np.array(losses[names[0]])
    for name in names:
        loss = np.array(losses[name])
        picks = rng.integers(len(loss), size=(4000, len(loss)))
        low, high = np.percentile(loss[picks].mean(1), [2.5, 97.5])
        less = np.percentile((loss - first)[picks].mean(1), [2.5, 97.5])
        beside = (
            f"  {loss.mean() - first.mean():+.2f} ({less[0]:+.2f} to {less[1]:+.2f}) beside {names[0]}"
            if name != names[0]
            else ""
        )
        rest = f", {outside[name]} moves were not rolled out" if outside[name] else ""
        print(f"{name:22} {loss.mean():6.2f} ({low:.2f}–{high:.2f}){beside}{rest}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "measure"))
    parser.add_argument("file", type=Path)
    parser.add_argument("players", nargs="*", default=list(MEASURED[:3]))
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--games", type=int, default=360)
    options = parser.parse_args()
    if options.what == "make":
        make(options.file, options.positions, options.games)
    else:
        measure(options.file, options.players)


if __name__ == "__main__":
    main()
