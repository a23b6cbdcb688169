"""What a change of the alpha-beta search, or of its network, is worth: the changed player against the usual one, at equal time, from paired random openings.

    python tools/search_changes.py reduction=99 --games 200                   # a setting of `ludus.search.minimax_space.MinimaxOptions`
    python tools/search_changes.py --model quoridor-side --games 200            # another network, the same search
    python tools/search_changes.py above=0.45 late=0.45 --against above=0.2     # both changed
    python tools/search_changes.py --depths --seconds 0.3                       # how deep it looks, by the walls that are left
    python tools/search_changes.py --depths --seconds 0.3 proofs=0
    python tools/search_changes.py reduction=99 --game breakthrough6 --model runs/mine

Give --seconds for the time a move, and --seed for other openings.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

import ludus
from ludus.contract.rules import OVER, moves, play, start, turn
from ludus.kernel import stream
from ludus.players.alphabeta import AlphaBeta, make_alphabeta
from ludus.search.minimax_space import MinimaxOptions

OPENING = 4
PLIES = 4  # how deep those look whose games have the positions of --depths
WALLS = ((14, "14 and more"), (5, "5 to 13"), (1, "1 to 4"))  # in both stocks


class Changed(AlphaBeta):
    """A search by other settings."""

    def __init__(self, game: Any, seconds: float, model: str, changes: dict[str, float]) -> None:
        usual = make_alphabeta(game, model, seconds=seconds)
        self.__dict__.update(usual.__dict__)
        self._options = self._options._replace(**changes)
        self.name = ", ".join([model, *(f"{name}={value:g}" for name, value in changes.items())])


def settings(texts: list[str]) -> dict[str, Any]:
    """Settings as they were typed."""
    kinds = {name: type(value) for name, value in MinimaxOptions(1, 1, False, 1.0, 0.0)._asdict().items()}
    found: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in kinds or kinds[name] is bool:
            raise SystemExit(
                f"{text!r}: there are {', '.join(name for name, kind in kinds.items() if kind is not bool)}"
            )
        found[name] = kinds[name](value)
    return found


def positions(game: Any, player: AlphaBeta, seed: int, wanted: int) -> dict[str, list[np.ndarray]]:
    """Positions of a player's games against itself, some for each number of walls that are left."""
    found: dict[str, list[np.ndarray]] = {label: [] for _, label in WALLS}
    draw, room = np.random.default_rng(seed), np.zeros(game.facts.max_moves, np.int64)
    while min(map(len, found.values())) < wanted:
        state, plies = np.zeros(game.facts.state_size, np.int64), 0
        start(game, state)
        while (seat := int(turn(game, state))) != OVER:
            if plies < OPENING:
                move = int(room[draw.integers(moves(game, state, seat, room))])
            else:
                move = player.choose_state(game, state, seat, stream(seed))
            play(game, state, move)
            plies += 1
            walls = int(state[-2] + state[-1])
            label = next((label for least, label in WALLS if walls >= least), None)
            if (
                turn(game, state) != OVER
                and plies > OPENING
                and label
                and len(found[label]) < wanted
                and draw.random() < 0.15
            ):
                found[label].append(state.copy())
    return found


def depths(game: Any, player: AlphaBeta, seed: int, wanted: int) -> dict[str, dict[str, float]]:
    """The mean depth that was finished within a player's time, in positions that are not decided within it. Whoever is asked, the positions are the same."""
    player.prepare()
    told = {}
    for label, states in positions(game, make_alphabeta(game, "td", depth=PLIES), seed, wanted).items():
        reached, spent = [], 0.0
        for state in states:
            player.forget()
            begun = time.process_time()
            player.choose_state(game, state, int(turn(game, state)), stream(1))
            spent += time.process_time() - begun
            if player.reached and abs(player.value) < 1:
                reached.append(player.reached)
        told[label] = {
            "positions": len(states),
            "undecided": len(reached),
            "depth": float(np.mean(reached)) if reached else 0.0,
            "processor_seconds": spent / len(states),
        }
    return told


def main() -> None:
    """Play, and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("changes", nargs="*", help="settings of the search, NAME=VALUE")
    parser.add_argument("--against", nargs="*", default=[], help="those of the other player")
    parser.add_argument("--model", default="td")
    parser.add_argument("--other-model", default="td")
    parser.add_argument("--game", default="quoridor")
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--jobs", type=int, default=1, help="cores: with more than are free, searches by the clock suffer"
    )
    parser.add_argument("--depths", action="store_true", help="tell how deep the search looks, in games of Quoridor")
    parser.add_argument("--positions", type=int, default=30, help="with --depths: of each kind")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    game = ludus.game(wanted.game)
    if wanted.depths:
        player = Changed(game, wanted.seconds, wanted.model, settings(wanted.changes))
        told = depths(game, player, wanted.seed, wanted.positions)
        if wanted.json:
            print(json.dumps(told))
            return
        for label, found in told.items():
            print(
                f"{label:12} walls: depth {found['depth']:.2f} in {found['undecided']} of {found['positions']} positions, the others decided; "
                f"{found['processor_seconds']:.3f} s of processor time a move"
            )
        return
    players = [
        Changed(game, wanted.seconds, wanted.model, settings(wanted.changes)),
        Changed(game, wanted.seconds, wanted.other_model, settings(wanted.against)),
    ]
    if players[0].name == players[1].name:
        raise SystemExit("both players are the same: give a setting, NAME=VALUE, or --model")
    result = ludus.arena(game, players, games=wanted.games, seed=wanted.seed, opening=OPENING, jobs=wanted.jobs)
    print(json.dumps(result.to_json()) if wanted.json else result)


if __name__ == "__main__":
    main()
