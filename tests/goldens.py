"""Golden files: what encodings, views and schemes show of some positions, so that no change of them goes unnoticed.

A model is of no use to an encoding that has changed since it learned. So each encoding has a version, and for each version there is a file in
`tests/golden` with positions of random games and all that the encoding makes of them. `test_golden.py` computes that anew. Who changes an
encoding raises its `version`, and writes the new file:

    python tests/goldens.py

Whole numbers must be the same. Floats may differ by 1e-6: compiled code and plain Python round some of them differently in the last place.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus.contract import rules, views
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.kernel import stream
from ludus.papers.ludo import schemes
from ludus.papers.quoridor.views import VIEWS

FOLDER = Path(__file__).parent / "golden"
COMMAND = "python tests/goldens.py"
GAMES_SHOWN = 8  # random games from which the positions are
MOST = 120  # positions of a file
TOLERANCE = 1e-6

Arrays = dict[str, np.ndarray]


class Subject(NamedTuple):
    """An encoding, a view or a scheme of a game."""

    kind: str
    label: str  # the game's name, as far as it matters to files
    name: str
    game: Any
    shown: Any

    @property
    def path(self) -> Path:
        """The file of the version that the code has."""
        return FOLDER / f"{self.label}-{self.name}-{self.shown.version}.npz"

    def __str__(self) -> str:
        return f"{self.kind} {self.name} of {self.label}"


def subjects() -> list[Subject]:
    """All encodings, views and schemes that have a golden file."""
    games = {
        "backgammon": "backgammon",
        "ludo": "ludo",
        "ludo-131-2": "ludo(rules=ludopy-1.3.1,seats=2)",
        "quoridor": "quoridor",
        "quoridor-5x5": "quoridor(size=5)",
        "quoridor-7x5": "quoridor(size=7,columns=5)",
        "tictactoe": "tictactoe",
        "connectfour": "connectfour",
    }
    found = []
    for label, name in games.items():
        game = ludus.game(name)
        found += [Subject("encoding", label, e, game, shown) for e, shown in game.encodings().items()]
    nine, classic, ludopy = (ludus.game(name) for name in ("quoridor", "ludo", "ludo(rules=ludopy)"))
    found += [Subject("view", "quoridor-view", name, nine, view) for name, view in VIEWS.items()]
    found += [Subject("scheme", "ludo-scheme", name, classic, scheme) for name, scheme in schemes.CLASSIC.items()]
    found += [Subject("scheme", "ludo-scheme", name, ludopy, scheme) for name, scheme in schemes.LUDOPY.items()]
    return found


# --- positions -------------------------------------------------------------------------------------------------------


def walk(game: Any, seed: int) -> Iterator[tuple[np.ndarray, int, int]]:
    """All states of a random game, whose turn it is, and the move or outcome that follows (at the end, and where all move at once: -1)."""
    facts, rng = game.facts, stream(seed)
    legal, outcomes = np.zeros(facts.max_moves, np.int64), np.zeros(max(facts.max_chances, 1), np.int64)
    state, odds = np.zeros(facts.state_size, np.int64), np.zeros(max(facts.max_chances, 1))
    rules.start(game, state)
    while (seat := int(rules.turn(game, state))) != OVER:
        before, move = state.copy(), -1
        if seat == JOINT:
            joint = [rules.random_move(game, state, s, rng, legal) for s in range(facts.seats)]
            rules.play_joint(game, state, np.array(joint, np.int64))
        else:
            drawn = seat == CHANCE
            move = int(
                rules.roll(game, state, rng, outcomes, odds)
                if drawn
                else rules.random_move(game, state, seat, rng, legal)
            )
            rules.play(game, state, move)
        yield before, seat, move
    yield state, OVER, -1


def some(rows: list[Any]) -> list[Any]:
    """At most MOST of them, evenly chosen."""
    return rows[:: max(1, -(-len(rows) // MOST))]


def rare(subject: Subject, chosen: list[np.ndarray]) -> list[np.ndarray]:
    """A position for each of the encoding's networks that has none among those chosen, from further games."""
    game, shown = subject.game, subject.shown
    missing = set(range(shown.shape(game)[0])) - {int(views.section(shown, game, state)) for state in chosen}
    found = []
    for seed in itertools.count(GAMES_SHOWN):
        if not missing:
            return found
        for (_, seat, _), (state, next_, _) in pairwise(walk(game, seed)):
            if seat != CHANCE and next_ != OVER and int(views.section(shown, game, state)) in missing:
                missing.remove(int(views.section(shown, game, state)))
                found.append(state)


def positions(subject: Subject) -> Arrays:
    """The positions of a new golden file, from random games of fixed seeds."""
    paths = [list(walk(subject.game, seed)) for seed in range(GAMES_SHOWN)]
    if subject.kind == "encoding":  # networks see states after a move
        after = [
            b for path in paths for (_, seat, _), (b, next_, _) in pairwise(path) if seat != CHANCE and next_ != OVER
        ]
        chosen = some(after) + rare(subject, some(after))
        return {"states": np.array(chosen), "ends": np.array([path[-1][0] for path in paths])}
    if subject.kind == "view":  # and those of actions states before one
        return {"states": np.array(some([state for path in paths for state, seat, _ in path if seat >= 0]))}
    rows = []
    for path in paths:
        for at, (before, seat, move) in enumerate(path[:-1]):
            if seat >= 0:
                later = next(s for s, who, _ in path[at + 1 :] if who in (seat, OVER))  # its next decision
                rows.append((before, path[at + 1][0], later, seat, move))
    befores, afters, laters, seats, moves = zip(*some(rows), strict=True)
    return {
        "states": np.array(befores), "afters": np.array(afters), "laters": np.array(laters), "seats": np.array(seats),
        "moves": np.array(moves),
    }  # fmt: skip


# --- what is made of them --------------------------------------------------------------------------------------------


def compute(subject: Subject, given: Arrays) -> Arrays:
    """All that a subject shows of the given positions."""
    make = {"encoding": _encoding, "view": _view, "scheme": _scheme}[subject.kind]
    return make(subject.game, subject.shown, given)


def _inputs(game: Any, shown: Any, states: np.ndarray) -> Arrays:
    """The inputs of a network, in the order of their numbers: in which order they are written has no meaning."""
    size = shown.shape(game)[1]
    counts, indices, values = [], [], []
    for state in states:
        index, value = np.zeros(size, np.int64), np.zeros(size, np.float32)
        count = views.features(shown, game, state.copy(), index, value)
        order = np.argsort(index[:count])
        counts.append(count)
        indices.append(index[:count][order])
        values.append(value[:count][order])
    return {"count": np.array(counts), "index": np.concatenate(indices), "value": np.concatenate(values)}


def _encoding(game: Any, shown: Any, given: Arrays) -> Arrays:
    outputs, seats = shown.shape(game)[2], game.facts.seats
    ramp = np.linspace(0.1, 0.8, outputs).astype(np.float32)  # a prediction whose parts can be told apart
    turned, outcomes, worths = [], [], []
    for state in given["states"]:
        vector = ramp.copy()
        views.to_view(shown, game, state.copy(), vector)
        turned.append(vector)
    for state in given["ends"]:
        outcome, worth = np.zeros(outputs, np.float32), np.zeros(seats)
        views.outcome(shown, game, state.copy(), outcome)
        views.worth(shown, game, outcome, worth)
        outcomes.append(outcome)
        worths.append(worth)
    worth = np.zeros(seats)
    views.worth(shown, game, ramp, worth)
    return _inputs(game, shown, given["states"]) | {
        "shape": np.array(shown.shape(game)),
        "section": np.array([views.section(shown, game, state.copy()) for state in given["states"]]),
        "turned": np.array(turned),
        "outcome": np.array(outcomes),
        "worth": np.array([*worths, worth]),
    }


def _view(game: Any, shown: Any, given: Arrays) -> Arrays:
    actions = [
        [views.action(shown, game, state.copy(), move) for move in range(game.facts.actions)]
        for state in given["states"]
    ]
    return _inputs(game, shown, given["states"]) | {"shape": np.array(shown.shape(game)), "action": np.array(actions)}


def _scheme(game: Any, shown: Any, given: Arrays) -> Arrays:
    out: dict[str, list[Any]] = {
        name: [] for name in ("count", "row", "action", "move", "later_count", "later_row", "later_action", "reward")
    }
    for number, (before, after, later, seat, move) in enumerate(
        zip(
            given["states"],
            given["afters"],
            given["laters"],
            given["seats"].tolist(),
            given["moves"].tolist(),
            strict=True,
        )
    ):
        rows, actions, moves = (np.zeros(64, np.int64) for _ in range(3))
        count = views.options(shown, game, before.copy(), seat, stream(1, number), rows, actions, moves)
        out["count"].append(count)
        out["row"] += rows[:count].tolist()
        out["action"] += actions[:count].tolist()
        out["move"] += moves[:count].tolist()
        for action in sorted(set(actions[:count].tolist())):
            for now in (after, later):
                out["reward"].append(
                    views.reward(shown, game, before.copy(), seat, action, move, after.copy(), now.copy())
                )
        count = views.prospects(shown, game, later.copy(), seat, move, rows, actions)
        out["later_count"].append(count)
        out["later_row"] += rows[: max(count, 0)].tolist()
        out["later_action"] += actions[: max(count, 0)].tolist()
    return {name: np.array(found) for name, found in out.items()}


# --- files -----------------------------------------------------------------------------------------------------------


def differences(golden: Arrays, found: Arrays) -> list[str]:
    """The names of what is not as the golden file says."""
    return [name for name, new in found.items() if name not in golden or not _same(golden[name], new)]


def _same(old: np.ndarray, new: np.ndarray) -> bool:
    if old.shape != new.shape:
        return False
    if np.issubdtype(new.dtype, np.floating):
        return np.allclose(old, new, rtol=0, atol=TOLERANCE)
    return np.array_equal(old, new)


def read(subject: Subject) -> Arrays:
    """What the golden file of a subject holds."""
    with np.load(subject.path) as file:
        return {
            name: array.astype(np.int64) if np.issubdtype(array.dtype, np.integer) else array
            for name, array in file.items()
        }


def check(subject: Subject) -> None:
    """AssertionError where a subject no longer shows what its golden file says."""
    if not subject.path.exists():
        raise AssertionError(f"the {subject} has no golden file {subject.path.name}; write it with: {COMMAND}")
    golden = read(subject)
    changed = differences(golden, compute(subject, golden))
    if changed:
        raise AssertionError(
            f"the {subject} changed ({', '.join(changed)}), and models that learned with it would read it wrongly; "
            f"if that is meant, raise its version and write the golden file again with: {COMMAND}"
        )


def write(subject: Subject) -> None:
    """Write the golden file of a new version, and remove those of older ones."""
    given = positions(subject)
    small = {name: _small(array) for name, array in (given | compute(subject, given)).items()}
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob(f"{subject.label}-{subject.name}-[0-9]*.npz"):
        old.unlink()
    np.savez_compressed(subject.path, **small)  # type: ignore[arg-type]


def _small(array: np.ndarray) -> np.ndarray:
    """The same numbers in the narrowest type that holds them."""
    if not np.issubdtype(array.dtype, np.integer):
        return array
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return array.astype(
        next(k for k in kinds if np.iinfo(k).min <= array.min(initial=0) and array.max(initial=0) <= np.iinfo(k).max)
    )


def main() -> int:
    """Write what is missing; complain about what changed without a new version."""
    wrong = 0
    for subject in subjects():
        if not subject.path.exists():
            write(subject)
            print(f"wrote {subject.path.name}")
            continue
        try:
            check(subject)
        except AssertionError as error:
            print(error, file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
