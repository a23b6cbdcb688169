"""What can be found out about a rulesheet's game before it begins, in seconds to minutes: a judgement of its states, learned first from random games and then from searched ones, and which way to search wins
more games. Nothing here depends on which game it is.

The ways to search are settings of `lanes.py`. One that challenges the best so far plays short games against it, with as many simulations a move as take the same time, from random openings, in each
seat in turn. It takes the place of the other if it surely enough scores more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import (
    CHANCE,
    JOINT,
    OVER,
    moves,
    play,
    play_joint,
    random_move,
    roll,
    scores,
    sizes_of,
    start,
    turn,
)
from ludus.games.gdl.lanes import PROPOSITIONS, begin_of, legal_begin_of
from ludus.kernel import below, kernel, lowest_bit, stream, uniform
from ludus.search.fleet import ACTIVE, ENDED, Fleet, load, look, new_fleet, read_scores, recall, step
from ludus.search.judgement import Judgement, learn, new_adam, new_judgement
from ludus.search.lanes import LaneOptions, grow
from ludus.search.tree import ARMS, COUNT, FIRST, MOVE, MOVER, PROVEN, SLOT, VISITS, Tree, new_tree, plant

SHORTEST = 4.0  # seconds below which nothing is studied
NODES = 60_000  # of the trees of short games
SAMPLED, KEPT = 20_000, 200_000  # random games to begin with, and states that are remembered
MOVE_TIME = 0.004  # seconds a move in short games of a contest,
LESSON_TIME = 0.001  # and in those that are learned from
FEWEST = 40  # simulations a move, below which it is not worth while
OPENING = 6  # most random moves at the beginning of one
GENTLE = 0.3  # how much of what comes later in a game counts in a target
SURE = 1.0  # standard errors by which a challenger must be ahead


class Side(NamedTuple):
    """Who plays a short game, and how."""

    tree: Tree
    fleet: Fleet
    options: LaneOptions
    simulations: int


class Studied(NamedTuple):
    """What came out."""

    options: LaneOptions
    judgement: Judgement | None
    games: int  # that were played to find it out
    trials: tuple[tuple[str, int, float], ...]  # of each challenger: its games, and its points a game less the other's

    @property
    def summary(self) -> str:
        """What was tried, for people."""
        tried = ", ".join(f"{name} {gain:+.2f} in {games}" for name, games, gain in self.trials)
        return f"studied {self.games} short games; tried, with points a game: {tried or 'nothing'}"


# --- random games ----------------------------------------------------------------------------------------------------


@kernel
def sample_games(game: Any, fleet: Any, rng: Any, states: Any, results: Any) -> int:
    """Play random games until the arrays are full: a state of each, any of them, as bits, and its scores. Returns how many games came to their end."""
    words = len(fleet.words)
    lanes, done, steps = 64 * words, 0, 0
    state = np.zeros(legal_begin_of(game) + (game.sizes[1] + 63) // 64, np.int64)
    start(game, state)
    kept = np.zeros((lanes, states.shape[1]), np.int64)
    recall(fleet)
    while done < len(states) and steps < 4000 + 400 * len(states):
        for lane in range(lanes):
            if not (fleet.masks[ACTIVE, lane >> 6] >> (lane & 63)) & 1:
                load(game, fleet, lane, state)
        look(game, fleet)
        for w in range(words):
            active, ended = fleet.masks[ACTIVE, w], fleet.masks[ENDED, w]
            while active:
                bit = active & -active
                lane = w * 64 + lowest_bit(active)
                active &= active - 1
                if ended & bit:
                    fleet.masks[ACTIVE, w] &= ~bit
                    if done < len(states):
                        read_scores(game, fleet, lane)
                        states[done] = kept[lane]
                        results[done] = fleet.value
                        done += 1
                elif below(rng, fleet.steps[lane] + 1) == 0:
                    _read_bits(game, fleet, lane, kept)
        step(game, fleet, 1, rng)
        steps += 1
    recall(fleet)
    return done


@kernel
def _read_bits(game: Any, fleet: Any, lane: int, kept: Any) -> None:
    words, word, shift = len(fleet.words), lane >> 6, lane & 63
    for i in range(kept.shape[1]):
        kept[lane, i] = 0
    for p in range(game.sizes[PROPOSITIONS]):
        kept[lane, p >> 6] |= ((fleet.values[(1 + p) * words + word] >> shift) & 1) << (p & 63)


# --- searched games --------------------------------------------------------------------------------------------------


@kernel
def _find_move(game: Any, side: Any, state: Any, seat: int, rng: Any) -> int:
    """The move that a short search finds for a seat; where all move at once, drawn by its visits."""
    tree = side.tree
    plant(tree, state)
    recall(side.fleet)
    grow(tree, game, side.fleet, side.options, rng, side.simulations)
    k = tree.nodes[0, SLOT]
    first, count = tree.slots[k, FIRST], tree.slots[k, COUNT]
    if tree.slots[k, MOVER] == JOINT:
        for s in range(seat):
            first += tree.slots[k, ARMS + s]
        count = tree.slots[k, ARMS + seat]
        total = 0.0
        for arm in range(first, first + count):
            total += tree.amaf[arm, 0] + 1e-3 * tree.nodes[arm, VISITS]
        rest = uniform(rng) * total
        for arm in range(first, first + count):
            rest -= tree.amaf[arm, 0] + 1e-3 * tree.nodes[arm, VISITS]
            if rest < 0:
                return tree.nodes[arm, MOVE]
        return tree.nodes[first, MOVE]
    best, highest = first, -1.0
    for child in range(first, first + count):
        # A proven value says more than visits do.
        worth = tree.mean[child, seat] * 1e9 if tree.nodes[child, PROVEN] else float(tree.nodes[child, VISITS])
        if worth > highest:
            best, highest = child, worth
    return tree.nodes[best, MOVE]


@kernel
def short_game(game: Any, sides: Any, challenger: int, sizes: Any, rng: Any, record: Any) -> int:
    """Play a game in which seat `challenger` is the second side, and all others the first. `record` is (states as bits, values by seat, the scores at the end): what was met after
    the random opening. Returns how many states are recorded; -1 if the game was given up.
    """
    states, values, result = record
    max_moves, size, seats, max_chances = sizes
    state, legal, joint = np.zeros(size, np.int64), np.zeros(max_moves, np.int64), np.zeros(seats, np.int64)
    outcomes, odds = np.zeros(max_chances, np.int64), np.zeros(max_chances)
    begin, words = begin_of(game), states.shape[1]
    start(game, state)
    opening, plies, found = below(rng, OPENING + 1), 0, 0
    while plies < len(states):
        who = turn(game, state)
        if who == OVER:
            scores(game, state, result)
            return found
        if who == CHANCE:
            play(game, state, roll(game, state, rng, outcomes, odds))
            continue
        together = who == JOINT
        for seat in range(seats):
            if not together and seat != who:
                continue
            side = sides[1] if seat == challenger else sides[0]
            if plies < opening:
                joint[seat] = random_move(game, state, seat, rng, legal)
            elif moves(game, state, seat, legal) == 1:
                joint[seat] = legal[0]
            else:
                joint[seat] = _find_move(game, side, state, seat, rng)
                if found == 0 or plies != values[found - 1, seats]:
                    for i in range(words):
                        states[found, i] = state[begin + i]
                    for s in range(seats):
                        values[found, s] = side.tree.mean[0, s]
                    values[found, seats] = plies
                    found += 1
        if together:
            play_joint(game, state, joint)
        else:
            play(game, state, joint[who])
        plies += 1
    return -1


@kernel
def targets_of(values: Any, result: Any, count: int, share: float) -> None:
    """Turn what searches said of the states of a game into targets: a share of each is what comes later."""
    for s in range(len(result)):
        later = result[s]
        for i in range(count - 1, -1, -1):
            later = values[i, s] + share * (later - values[i, s])
            values[i, s] = later


# --- the whole -------------------------------------------------------------------------------------------------------


def rehearse(game: Any) -> None:
    """Compile all that a study needs, or load what was compiled."""
    study = Study(game, LaneOptions(), 1, 1)
    judgement = new_judgement(game, 1)
    states, results = np.zeros((1, study.words), np.int64), np.zeros((1, game.facts.seats))
    sample_games(game, new_fleet(game), stream(1), states, results)
    learn(judgement, new_adam(judgement), states, results, (1, 1, 0.001), stream(1))
    side = Side(new_tree(game, 1000, sharing=True), new_fleet(game, judgement=judgement), judged(LaneOptions()), 1)
    record = np.zeros((2, study.words), np.int64), np.zeros((2, game.facts.seats + 1)), np.zeros(game.facts.seats)
    short_game(game, (side, side), 0, sizes_of(game), stream(1), record)
    targets_of(record[1], record[2], 1, 0.0)


class Study:
    """What is found out about a game, by all cores, until a moment of the monotonic clock."""

    def __init__(
        self, game: Any, base: LaneOptions, seed: int, threads: int, stop: threading.Event | None = None
    ) -> None:
        self.game, self.base, self.seed, self.threads = game, base, seed, max(threads, 1)
        self._stop = stop
        self._serial = 0
        self._sizes = sizes_of(game)
        self.words = (int(game.sizes[PROPOSITIONS]) + 63) // 64
        longest = 400
        seats = game.facts.seats
        self._rooms = [
            (np.zeros((longest, self.words), np.int64), np.zeros((longest, seats + 1)), np.zeros(seats))
            for _ in range(self.threads)
        ]
        self._trees = [[new_tree(game, NODES, sharing=True) for _ in range(2)] for _ in range(self.threads)]
        self._games = 0
        self._speeds: dict[tuple[LaneOptions, bool], float] = {}

    def run(self, end: float) -> Studied:
        """Learn, try, and say what is best."""
        if self._speed(self._trees[0][0], new_fleet(self.game), self.base) * MOVE_TIME < FEWEST:
            return Studied(self.base, None, 0, ())  # its games would take too long to learn anything from them
        seconds = end - time.monotonic()
        judgement = self._learn(time.monotonic() + 0.45 * seconds)
        return self._try(judgement, end)

    # --- learning

    def _learn(self, end: float) -> Judgement:
        game, seats = self.game, self.game.facts.seats
        judgement = new_judgement(game, self.seed)
        adam, rng = new_adam(judgement), stream(self.seed, 1)
        states, targets = np.zeros((KEPT, self.words), np.int64), np.zeros((KEPT, seats))
        filled = written = 0
        chunk = 500
        begun = time.monotonic()
        fleet = new_fleet(game)
        while filled < SAMPLED and not self._over(begun + 0.2 * (end - begun)):
            room = slice(filled, filled + min(chunk, SAMPLED - filled))
            found = sample_games(game, fleet, rng, states[room], targets[room])
            filled += found
            if found < chunk // 2:
                break
            chunk = min(2 * chunk, 4000)
        written = filled
        if filled:
            self._lessons(judgement, adam, states[:filled], targets[:filled], rng, 0.1 * (end - begun))
        options = judged(self.base)
        while not self._over(end):
            for found, room, _ in self._play(8 * self.threads, options, judgement, None, None):
                met, values, result = room
                targets_of(values, result, found, GENTLE)
                for i in range(found):
                    at = written % KEPT
                    states[at], targets[at] = met[i], values[i, :seats]
                    written += 1
            filled = min(written, KEPT)
            # What was met last counts most: random games fade as searched ones come in.
            fresh = slice(max(0, filled - 30_000), filled) if written <= KEPT else slice(0, KEPT)
            if filled:
                self._lessons(judgement, adam, states[fresh], targets[fresh], rng, 0.0)
        return judgement

    def _lessons(
        self, judgement: Judgement, adam: Any, states: np.ndarray, targets: np.ndarray, rng: np.ndarray, seconds: float
    ) -> None:
        end = time.monotonic() + seconds
        while True:
            learn(judgement, adam, states, targets, (40, 64, 0.003), rng)
            if self._over(end):
                return

    # --- trying

    def _try(self, judgement: Judgement, end: float) -> Studied:
        best, has_judgement, trials = self.base, False, []
        challengers = list(CHALLENGERS)
        for place, (name, change, judging) in enumerate(challengers):
            options = change(best)
            if options == best or self._over(end):
                continue
            share = (end - time.monotonic()) / (len(challengers) - place)
            until = time.monotonic() + share
            differences: list[float] = []
            while not self._over(until):
                pair = (
                    (best, judgement if has_judgement else None),
                    (options, judgement if judging or has_judgement else None),
                )
                differences += self._contest(*pair)
                if len(differences) >= 12 and abs(_lead(differences)) > 3.0:
                    break
            if differences:
                trials.append((name, len(differences), float(np.mean(differences))))
            if len(differences) >= 6 and _lead(differences) > SURE:
                best, has_judgement = options, judging or has_judgement
        return Studied(best, judgement if has_judgement else None, self._games, tuple(trials))

    def _contest(
        self, one: tuple[LaneOptions, Judgement | None], other: tuple[LaneOptions, Judgement | None]
    ) -> list[float]:
        """Some games with the challenger, `other`, in each seat in turn: its score less the mean of the others', in each of them."""
        seats = self.game.facts.seats
        played = self._play(seats * self.threads, one[0], one[1], other[0], other[1])
        gained = []
        for _, room, seat in played:
            result = room[2]
            others = [result[s] for s in range(seats) if s != seat]
            gained.append(float(result[seat] - np.mean(others)) if others else float(result[seat]))
        return gained

    def _play(
        self,
        games: int,
        options: LaneOptions,
        judgement: Judgement | None,
        other: LaneOptions | None,
        their: Judgement | None,
    ) -> list[tuple[int, Any, int]]:
        """Short games by all threads: how many states each recorded, a copy of the record, and the other's seat. Those that were given up are left out."""
        seats = self.game.facts.seats

        def some(thread: int) -> list[tuple[int, Any, int]]:
            trees, room = self._trees[thread], self._rooms[thread]
            pace = LESSON_TIME if other is None else MOVE_TIME
            first = self._side(trees[0], options, judgement, pace)
            second = first if other is None else self._side(trees[1], other, their, pace)
            out = []
            for number in range(thread, games, self.threads):
                if self._stop is not None and self._stop.is_set():
                    break
                rng = stream(self.seed, self._serial, number)
                found = short_game(self.game, (first, second), number % seats, self._sizes, rng, room)
                if found >= 0:
                    copies = tuple(part[:found].copy() if part.ndim == 2 else part.copy() for part in room)
                    out.append((found, copies, number % seats))
            return out

        self._serial += 1
        if self.threads == 1:
            played = some(0)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                played = [one for part in pool.map(some, range(self.threads)) for one in part]
        self._games += len(played)
        return played

    def _side(self, tree: Tree, options: LaneOptions, judgement: Judgement | None, pace: float) -> Side:
        """A side that takes so many seconds for a move, as any other."""
        fleet = new_fleet(self.game, judgement=judgement)
        key = (options, judgement is not None)
        if key not in self._speeds:
            self._speeds[key] = self._speed(tree, fleet, options)
        return Side(tree, fleet, options, max(int(self._speeds[key] * pace), FEWEST))

    def _speed(self, tree: Tree, fleet: Fleet, options: LaneOptions) -> float:
        """Simulations a second of the processor's time, from the first state."""
        state, rng = self.game.start().state, stream(self.seed)
        done, begun = 0, time.thread_time()
        while (spent := time.thread_time() - begun) < 0.03:
            if done % 512 == 0:
                plant(tree, state)
                recall(fleet)
            done += grow(tree, self.game, fleet, options, rng, 64)
            if tree.nodes[0, PROVEN]:
                plant(tree, state)
                recall(fleet)
        return done / spent

    def _over(self, end: float) -> bool:
        return time.monotonic() >= end or (self._stop is not None and self._stop.is_set())


def judged(options: LaneOptions) -> LaneOptions:
    """The same search, with games that are broken off soon and judged, and moves that begin with a judgement."""
    return options._replace(cut=1, prior=6.0, rave=max(options.rave, 40.0), probe=True)


Change = Callable[[LaneOptions], LaneOptions]
# What is tried, one after the other, on top of the best so far; and whether it needs a judgement.
CHALLENGERS: tuple[tuple[str, Change, bool], ...] = (
    ("a learned judgement", judged, True),
    ("longer games before it", lambda o: o._replace(cut=6) if o.cut >= 0 else o, True),
    ("what came of moves later", lambda o: o._replace(rave=max(o.rave, 300.0), later=not o.later), False),
    ("random moves", lambda o: o._replace(candidates=1 if o.candidates > 1 else 2), False),
    ("no look at each new move", lambda o: o._replace(probe=False) if o.cut < 0 else o, False),
)


def _lead(differences: list[float]) -> float:
    """The mean in standard errors."""
    error = np.std(differences) / np.sqrt(len(differences))
    return float(np.mean(differences) / max(error, 0.05))
