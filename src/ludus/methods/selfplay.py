"""Self-play with λ-returns on all cores: the learner behind the strongest players.

A batch of games is played with the weights as they are; every position reached gets a target, and Adam (Kingma & Ba 2015)
takes one step on the cross-entropy between predictions and targets. The target of a position is its λ-return, the forward
view of TD(λ) (Sutton 1988):

    G(t) = B(t) + λ · (G(t+1) - V(t+1)),    where B(t) = V(t+1)

V are the network's judgements and G at the end is the outcome. With `look_ahead`, B(t) is instead the average over all
rolls of the best reply to each, which takes the luck of the dice out of the target, as variance reduction does in
rollouts of GNU Backgammon. Games are independent of each other and gradients are summed in a fixed order, so that the
result does not depend on the number of cores, nor on whether they are in one machine.

With `memory`, positions and their targets are remembered, and each is learned from several times, in small steps (`lessons`): worth it where a target is dear.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER, play, play_joint, playouts, random_move, roll, turn
from ludus.contract.views import encoding_of, features, from_scores, known, outcome, to_view
from ludus.errors import LudusError
from ludus.kernel import below, kernel, specialises, uniform
from ludus.methods.base import Report
from ludus.methods.episodes import MAX_PLIES, begin_episode, new_dice
from ludus.methods.lessons import Notes, learn_again, new_notes, new_room, remember, teach
from ludus.methods.network import NetworkMethod, NetworkSettings
from ludus.methods.schedules import StepSize
from ludus.methods.settings import setting
from ludus.nets import storage
from ludus.nets.adam import adam_step
from ludus.nets.models import model_file
from ludus.nets.network import Inputs, Network, empty_network, grown
from ludus.nets.value import best_move, near_best, predict, workspace
from ludus.players.greedy import td_player
from ludus.players.models import model_of
from ludus.quantities import (
    BATCH,
    COUNT,
    FACTOR,
    MARGIN,
    MOVES,
    MOVES_OR_NONE,
    PARTS,
    PASSES,
    PLAYOUTS_OR_NONE,
    POSITIONS_OR_NONE,
    SEARCH_PLIES,
    SHARE,
    cores,
    need_memory,
)
from ludus.scale.processes import Tell
from ludus.scale.shards import Executor, Shard, gathered
from ludus.search.lookahead import expect
from ludus.search.minimax_space import MinimaxOptions


class Targets(NamedTuple):
    """How games are played, and what is learned from them.

    `exploration` is the share of random moves: of any, or, with a `margin`, of those that seem at most so much worse than the best one, which shows the network what it might
    have chosen. Up to `opening` moves at the beginning are random too,
    how many differs from game to game; nothing is learned from these. What comes after a random move does not count for what came
    before it: the best move's judgement does. `share` is that of the target which comes from playing on `playouts` times at random.
    """

    decay: float  # λ
    look_ahead: bool  # whether targets average over all rolls
    exploration: float
    margin: float  # 0: any move
    opening: int
    playouts: int
    share: float


class Batch(NamedTuple):
    """The games of a thread: so many, from number `first` on."""

    seed: int
    first: int
    games: int


@kernel
def play_and_learn(net: Any, place: Any, encoding: Any, game: Any, sizes: Any, batch: Any, options: Any) -> Any:
    """Play a batch of games against oneself, and have what they teach learned or noted (`teach`); return the number of positions in them, and of those judged."""
    max_moves, state_size, seats, max_chances = sizes
    decay, look_ahead, exploration, margin, opening, games_on, share = options
    inputs, outputs = net.w1.shape[1], net.w2.shape[1]
    ws = workspace(net, game, max_moves, state_size, seats)
    state = np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rng, outcomes, odds = dice.dice, dice.outcomes, dice.odds  # one stream for all: there is nobody else at the table
    # What is remembered of each position of a game.
    states = np.zeros((MAX_PLIES, state_size), np.int64)
    index, value = np.zeros((MAX_PLIES, inputs), np.int64), np.zeros((MAX_PLIES, inputs), np.float32)
    counts = np.zeros(MAX_PLIES, np.int64)
    judged = np.zeros((MAX_PLIES + 1, outputs), np.float32)  # V: one more, for the end
    expected = np.zeros((MAX_PLIES, outputs), np.float32)  # B, where it is not V of the next position
    target, room = np.zeros(outputs, np.float32), new_room(net)
    explored = np.zeros(MAX_PLIES + 1, np.bool_)  # whether the move to a position was a random one
    joint, total = np.zeros(seats, np.int64), np.zeros(seats)
    positions = 0
    for number in range(batch.first, batch.first + batch.games):
        begin_episode(game, state, dice, batch.seed, number)
        plies = 0
        unlearned = below(rng, opening + 1) if opening > 0 else 0
        while True:
            seat = turn(game, state)
            if seat == OVER:
                outcome(encoding, game, state, judged[plies])
                break
            if known(encoding, game, state, judged[plies]):  # the rest teaches nothing
                break
            if plies == MAX_PLIES:  # the network's judgement stands for the outcome
                judged[plies] = judged[plies - 1]
                break
            if seat == CHANCE:
                play(game, state, roll(game, state, rng, outcomes, odds))
                continue
            explored[plies] = False
            if unlearned > 0:
                unlearned -= 1
                if seat == JOINT:
                    for s in range(seats):
                        joint[s] = random_move(game, state, s, rng, ws.legal)
                    play_joint(game, state, joint)
                else:
                    play(game, state, random_move(game, state, seat, rng, ws.legal))
                continue
            if seat == JOINT:
                for s in range(seats):
                    if exploration > 0 and uniform(rng) < exploration:
                        joint[s] = random_move(game, state, s, rng, ws.legal)
                    else:
                        joint[s] = best_move(net, encoding, game, state, s, ws)
                play_joint(game, state, joint)
                predict(net, encoding, game, state, ws)
                ws.best[:] = ws.output
            else:
                move = best_move(net, encoding, game, state, seat, ws)
                if exploration > 0 and uniform(rng) < exploration:
                    explored[plies] = True
                    if not look_ahead:
                        expected[max(plies - 1, 0)] = ws.best
                    if margin > 0:
                        move = near_best(net, encoding, game, state, seat, margin, rng, ws)
                    else:
                        move = random_move(game, state, seat, rng, ws.legal)
                play(game, state, move)
                if explored[plies]:
                    predict(net, encoding, game, state, ws)
                    ws.best[:] = ws.output
            if turn(game, state) != OVER and not known(encoding, game, state, judged[plies]):
                states[plies] = state
                judged[plies] = ws.best
                if look_ahead:
                    expect(net, encoding, game, state, ws, outcomes, odds, expected[plies])
                counts[plies] = features(encoding, game, state, index[plies], value[plies])
                plies += 1
        # Backwards through the game: targets, and what they ask of the weights.
        positions += plies
        correction = np.zeros(outputs, np.float32)  # λ (G - V) of the next position
        for t in range(plies - 1, -1, -1):
            if explored[t + 1]:
                target[:] = expected[t]
            else:
                target[:] = (expected[t] if look_ahead else judged[t + 1]) + correction
            correction[:] = np.float32(decay) * (target - judged[t])
            if share > 0:
                total[:] = 0
                playouts(game, states[t], rng, games_on, sizes, total)
                for s in range(seats):
                    total[s] /= games_on
                if from_scores(encoding, game, total, ws.output):
                    for o in range(outputs):
                        target[o] += np.float32(share) * (ws.output[o] - target[o])
            to_view(encoding, game, states[t], target)
            teach(place, net, encoding, game, states[t], Inputs(index[t], value[t], counts[t]), target, room)
    return positions, ws.judged[0]


class Searching(NamedTuple):
    """How moves are found by a search; 0 plies: by none. `noted`: whether what is learned is noted down first."""

    plies: int
    width: int
    noted: bool


def lesson(
    net: Any, place: Any, encoding: Any, game: Any, sizes: Any, batch: Any, options: Any, searching: Searching
) -> Any:
    """Play a batch of games, and have what they teach learned or noted; return the number of positions in them, and of those judged."""
    if not searching.plies:
        return play_and_learn(net, place, encoding, game, sizes, batch, options)
    from ludus.methods.searching import Search, search_and_learn  # compiles only where it is wanted

    low, high = game.facts.score_range
    how = Search(searching.plies, MinimaxOptions(searching.width, searching.width, False, 1 / (high - low), high + low))
    return search_and_learn(net, place, encoding, game, sizes, batch, options, how)


def learn_part(
    net: Any, encoding: Any, game: Any, sizes: Any, options: Any, searching: Any, batch: Any, tell: Tell
) -> Any:
    """What a part of a batch asks of the weights, or what is noted of it, and the numbers of positions in it; in whatever process this is."""
    tell(0)
    place: Any = empty_network(*net.shape)
    if searching.noted:
        place = new_notes(batch.games * MAX_PLIES, sizes[1], net.shape[3])
    counts = lesson(net, place, encoding, game, sizes, batch, options, searching)
    if searching.noted:
        used = int(place.used[0])
        place = Notes(place.states[:used].copy(), place.targets[:used].copy(), place.used)
    return place, counts


class SelfPlay(NetworkMethod):
    """λ-returns of batches of self-play, and Adam, on all cores."""

    @dataclass(frozen=True)
    class Settings(StepSize, NetworkSettings):
        """What steers it."""

        decay: float = setting(0.7, "λ, the weight of what comes later in a game", SHARE)
        batch: int = setting(32, "games a step of Adam", BATCH)
        parts: int = setting(
            2,
            "parts of a batch, each learned on a core of its own, here or elsewhere; sums of floats depend on them",
            PARTS,
        )
        look_ahead_from: float = setting(1.0, "share of the games after which targets average over all rolls", SHARE)
        opening: int = setting(0, "most random moves at the beginning of a game", MOVES_OR_NONE)
        exploration: float = setting(0.0, "share of random moves", SHARE)
        exploration_margin: float = setting(
            0.0, "how much worse than the best a random move may seem; 0: any move", MARGIN, when=("exploration", True)
        )
        begin_with: str = setting("", "a model to begin with, whose units are kept and get company")
        averaging: float = setting(
            0.0,
            "share of the mean of the weights that is kept at each step; the mean plays, what is learned is not",
            SHARE,
        )
        search: int = setting(
            0,
            "plies of alpha-beta by which moves are found and positions judged, for two seats without chance; 0: the best move at once",
            SEARCH_PLIES,
        )
        search_width: int = setting(12, "moves that the search looks at in a position", MOVES, when=("search", True))
        playouts: int = setting(
            0, "random games from each position, whose mean is part of its target", PLAYOUTS_OR_NONE
        )
        playout_share: float = setting(1.0, "that part, in the first game", SHARE, when=("playouts", True))
        playout_until: float = setting(
            1.0,
            "after how many times the games none of it would be left; it falls in a straight line",
            FACTOR,
            when=("playouts", True),
        )

        memory: int = setting(
            0,
            "positions that are remembered, for steps on some drawn from them; 0: each position is learned from once",
            POSITIONS_OR_NONE,
        )
        minibatch: int = setting(512, "positions of a step then", COUNT, when=("memory", True))
        passes: float = setting(
            8.0, "how often each position is learned from then, on average", PASSES, when=("memory", True)
        )

    def check_use(self, game: Any, given: Collection[str]) -> None:
        """Scores, of random games or of searches, are no target for every encoding, and not every game can be searched."""
        encoding = encoding_of(game, self.settings.encoding)
        facts = game.facts
        if self.settings.search and (
            facts.seats != 2
            or facts.max_chances
            or Position.start(game).kind != "decision"
            or not specialises(from_scores, type(encoding))
        ):
            raise LudusError(
                f"setting search = {self.settings.search}: alpha-beta is for two seats that take turns, without chance, and an encoding whose outcomes are scores; "
                f"{facts.model} with encoding '{self.settings.encoding}' is none"
            )
        room = 8 * facts.state_size + 4 * encoding.shape(game)[2]
        need_memory(
            (self.settings.memory and self.settings.batch * MAX_PLIES) * room, f"setting batch = {self.settings.batch}"
        )
        need_memory(self.settings.memory * room, f"setting memory = {self.settings.memory}")
        idle = (
            sorted({"playouts", "look_ahead_from", "exploration_margin"} & set(given)) if self.settings.search else []
        )
        if idle:
            raise LudusError(f"setting {idle[0]} has no effect with search = {self.settings.search}")
        if "playouts" in given and self.settings.playouts and not specialises(from_scores, type(encoding)):
            raise LudusError(
                f"setting playouts has no effect with encoding '{self.settings.encoding}' of {game.facts.name}"
            )

    def setup(self) -> None:
        """Make the network, Adam's moments, and a gradient for each part of a batch."""
        super().setup()
        if self.settings.begin_with and not self.playing:
            self.network = self._grown(self.settings.begin_with)
        shape = self.network.shape
        self.unit = self.settings.batch
        self.searching = Searching(self.settings.search, self.settings.search_width, bool(self.settings.memory))
        self.counters["steps"] = 0
        self.first, self.second = empty_network(*shape), empty_network(*shape)
        self.mean = empty_network(*shape) if self.settings.averaging else self.network
        for kept, weights in zip(self.mean, self.network, strict=True):
            kept[...] = weights
        self.gradients = [empty_network(*shape) for _ in range(self.settings.parts)]
        room = 0 if self.playing else self.settings.memory
        self.memory = new_notes(room, self.sizes[1], shape[3])
        most = -(-self.settings.batch // self.settings.parts) * MAX_PLIES if room else 0
        self.notes = [new_notes(most, self.sizes[1], shape[3]) for _ in range(self.settings.parts)]
        self.threads = ThreadPoolExecutor(min(self.settings.parts, cores()))
        self.crew: Executor | None = None

    def _grown(self, name: str) -> Network:
        """The network of a model, with as many units as are wanted; from another encoding if ours says how."""
        _, old = model_of(self.game, name)
        theirs = storage.load(model_file(name, "td"))[1]["settings"]["encoding"]
        same = tuple(range(old.shape[0]))
        sections = getattr(self.encoding, "grown_from", {}).get(
            theirs, same if theirs == self.settings.encoding else ()
        )
        (_, inputs, units, outputs), (_, there, fewer, results) = self.network.shape, old.shape
        if not sections or (inputs, outputs) != (there, results) or units < fewer:
            raise LudusError(
                f"setting begin_with = {name!r}: a network of {fewer} units for encoding '{theirs}' can't grow into one of {units} for "
                f"'{self.settings.encoding}'"
            )
        return grown(self.network, old, sections)

    def work_with(self, crew: Executor) -> None:
        """Have the parts of each batch learned by others."""
        self.crew = crew

    def learn(self, games: int) -> Report:
        """Learn from the next batch of games."""
        s = self.settings
        bounds = np.linspace(self.games, self.games + games, s.parts + 1).astype(int).tolist()
        batches = [Batch(self.seed, first, last - first) for first, last in itertools.pairwise(bounds)]
        look_ahead = self.games >= s.look_ahead_from * self.total
        share = s.playout_share * max(1 - self.games / (s.playout_until * self.total), 0.0) if s.playouts else 0.0
        options = Targets(
            s.decay, look_ahead, s.exploration, s.exploration_margin, s.opening, s.playouts, share
        )  # fmt: skip
        places = self.notes if s.memory else self.gradients
        learned = (
            self._learn_here(batches, places, options)
            if self.crew is None
            else self._learn_elsewhere(self.crew, batches, places, options)
        )
        positions, judged = (sum(counts) for counts in zip(*learned, strict=True))
        rate = s.rate_after(self.games, self.total)
        self.counters["moves"] += positions
        self.counters["positions"] += judged
        if s.memory:
            self._learn_again(rate)
        else:
            self._step(positions, rate)
        return {"rate": rate}

    def _learn_again(self, rate: float) -> None:
        """Remember what was noted, and take steps on positions drawn from all that is remembered."""
        s = self.settings
        before = int(self.memory.used[0])
        for notes in self.notes:
            remember(self.memory, notes)
        used = int(self.memory.used[0])
        if used == 0:
            return
        rng = np.random.default_rng([self.seed, self.games])
        for _ in range(max(1, round((used - before) * s.passes / s.minibatch))):
            picks = np.array_split(rng.integers(0, min(used, s.memory), s.minibatch), s.parts)
            parts = [
                self.threads.submit(learn_again, self.network, gradient, self.encoding, self.game, self.memory, some)
                for gradient, some in zip(self.gradients, picks, strict=True)
            ]
            for part in parts:
                part.result()
            self._step(s.minibatch, rate)

    def _step(self, positions: int, rate: float) -> None:
        """One step of Adam by the gradients of so many positions."""
        self.counters["steps"] += 1
        total = self.gradients[0]
        for name in Network._fields:
            for other in self.gradients[1:]:
                getattr(total, name)[...] += getattr(other, name)
                getattr(other, name)[...] = 0
            flat = (getattr(part, name).reshape(-1) for part in (self.network, total, self.first, self.second))
            adam_step(*flat, 1 / max(positions, 1), rate, self.counters["steps"])
            if self.settings.averaging:  # shorter means in the beginning, when there is little to look back on
                step = self.counters["steps"]
                kept = np.float32(min(self.settings.averaging, step / (step + 10)))
                mean = getattr(self.mean, name)
                mean += (1 - kept) * (getattr(self.network, name) - mean)

    def _learn_here(self, batches: list[Batch], places: Sequence[Any], options: Targets) -> list[Any]:
        """Fill gradients or notes, on the cores of this machine; return the numbers of positions."""
        parts = [
            self.threads.submit(lesson, self.network, place, self.encoding, self.game, self.sizes, batch, options, self.searching)
            for place, batch in zip(places, batches, strict=True)
        ]  # fmt: skip
        return [part.result() for part in parts]

    def _learn_elsewhere(
        self, crew: Executor, batches: list[Batch], places: Sequence[Any], options: Targets
    ) -> list[Any]:
        """Have gradients or notes filled by others; return the numbers of positions."""
        shards = [
            Shard("ludus.methods.selfplay:learn_part", (batch,), f"learning from game {batch.first} on", crew.patience)
            for batch in batches
        ]
        common = (self.network, self.encoding, self.game, self.sizes, options, self.searching)
        parts = gathered(crew.map(shards, common))
        for place, (theirs, _) in zip(places, parts, strict=True):
            for mine, other in zip(place, theirs, strict=True):
                mine[: len(other)] = other
        return [counts for _, counts in parts]

    def state(self) -> dict[str, np.ndarray]:
        """The weights, Adam's moments, and, where there are such, the mean of the weights and what is remembered."""
        parts: dict[str, Any] = {"first": self.first, "second": self.second}
        if self.settings.averaging:
            parts["mean"] = self.mean
        if self.settings.memory:
            parts["memory"] = self.memory
        return self.network._asdict() | {f"{m}.{k}": v for m, net in parts.items() for k, v in net._asdict().items()}

    def model(self) -> dict[str, np.ndarray]:
        """The weights, or the mean of those of late: noise of single steps is not in it."""
        return dict(self.mean._asdict())

    def player(self) -> Any:
        """Greedy on the network."""
        return td_player(self.game, self.encoding, self.mean)

    def close(self) -> None:
        """Let go of threads."""
        self.threads.shutdown(wait=True, cancel_futures=True)
