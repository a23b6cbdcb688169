"""Backgammon by touch: checkers one die at a time, in either order, or one checker's whole way at once.

What may be touched is what can still become a legal move. A step does not say by which die it is made: to bear off from point 4, a 6 is as good as a
5. So what is kept is all that a turn can have come to: one board, and perhaps several sets of dice that are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import play
from ludus.contract.touching import Touch, Turn, choose
from ludus.games.backgammon.notation import Path, legal_moves, move_text, obstacle, place_text, sides, steps, without
from ludus.games.backgammon.rules import BAR, CHECKERS, DIE1, DIE2, OFF, SIDE, TURN


class World(NamedTuple):
    """What a turn can have come to: both sides as their owners count, the mover's first, and the dice that are left."""

    own: Path
    enemy: Path
    dice: tuple[int, ...]

    def step(self, source: int, die: int) -> World:
        """What comes of a checker's step."""
        own, enemy, target = list(self.own), list(self.enemy), max(source - die, OFF)
        own[source] -= 1
        own[target] += 1
        if target > OFF and enemy[25 - target]:
            enemy[25 - target] = 0
            enemy[BAR] += 1
        return World(tuple(own), tuple(enemy), without(self.dice, die))


class _Making:
    """One turn: what is legal, and what can still become it."""

    def __init__(self, game: Any, state: np.ndarray) -> None:
        self.state = np.array(state, np.int64)
        self.mover = int(state[TURN])
        big, small = int(state[DIE1]), int(state[DIE2])
        self.dice = (big,) * 4 if big == small else (big, small)
        self.moves: dict[tuple[Path, Path], str] = {}  # by what they lead to
        legal = legal_moves(game, self.state)
        for move in legal:
            after = self.state.copy()
            play(game, after, move)
            self.moves[sides(after, self.mover)] = move_text(game, self.state, move)
        self.least = len(self.dice) - len(steps(self.state, legal[0]))  # dice that no move can use
        self._known: dict[World, bool] = {}

    def start(self) -> World:
        return World(*sides(self.state, self.mover), self.dice)

    def onward(self, world: World) -> Iterator[tuple[int, World]]:
        """The steps from here that can still become a legal move: where a checker starts from, and what comes of it."""
        if len(world.dice) > self.least:
            for die in dict.fromkeys(world.dice):
                for source in range(BAR, OFF, -1):
                    if world.own[source] and obstacle(world.own, world.enemy, source, die) is None:
                        after = world.step(source, die)
                        if self._leads_on(after):
                            yield source, after

    def is_whole(self, world: World) -> bool:
        """Whether a turn may end here: no die is left that could be used, or no checker."""
        ended = len(world.dice) == self.least or world.own[OFF] == CHECKERS
        return ended and (world.own, world.enemy) in self.moves

    def _leads_on(self, world: World) -> bool:
        if world not in self._known:
            self._known[world] = self.is_whole(world) or any(True for _ in self.onward(world))
        return self._known[world]

    def targets(self, worlds: Iterable[World]) -> dict[tuple[int, int], list[World]]:
        """What can come of each way of one checker, by one die or by several: steps first, longer ways after them. Ways that hit
        different checkers are left out: they are made step by step.
        """
        found: dict[tuple[int, int], list[World]] = {}
        reached = [(source, source, world) for world in worlds for source in range(BAR, OFF, -1) if world.own[source]]
        while reached:
            longer: dict[tuple[int, int], list[World]] = {}
            for source, here, world in reached:
                for other, after in self.onward(world):
                    if other == here:
                        target = next(p for p in range(OFF, here) if after.own[p] > world.own[p])
                        longer.setdefault((source, target), []).append(after)
            for way, ends in longer.items():
                if len({(end.own, end.enemy) for end in ends}) == 1:
                    found.setdefault(way, list(dict.fromkeys(ends)))
            reached = [(source, target, end) for (source, target), ends in longer.items() for end in ends if target]
        return found


def place_of(point: int, mover: int) -> str:
    """The id of a point, of the bar or of the tray, as a seat counts them.

    >>> place_of(8, 0), place_of(8, 1), place_of(25, 1)
    ('p8', 'p17', 'bar1')
    """
    return {OFF: f"off{mover}", BAR: f"bar{mover}"}.get(point, f"p{25 - point if mover else point}")


def turn_of(game: Any, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
    """A seat's turn after some steps."""
    due = state[DIE1] > 0 and state[TURN] == seat and CHECKERS not in (state[OFF], state[SIDE + OFF])
    if not due:
        for text in touched:
            choose((), text)
        return Turn(state, (), None)
    making = _Making(game, state)
    worlds = [making.start()]
    ways, touches = _touches(making, worlds)
    for text in touched:
        touch = choose(touches, text)
        worlds = ways[touch.text]
        ways, touches = _touches(making, worlds)
    whole = next((making.moves[w.own, w.enemy] for w in worlds if making.is_whole(w)), None)
    return Turn(_shown(making, worlds[0]), () if whole else touches, whole)


def places_of(state: np.ndarray, move: int) -> list[str]:
    """Where a move takes checkers from, where it puts them, and where it hits; nothing of a roll."""
    if state[DIE1] == 0:
        return []
    mover, made = int(state[TURN]), steps(state, move)
    net = np.zeros(SIDE, np.int64)
    for step in made:
        net[step.source] -= 1
        net[step.target] += 1
    hit = [step.target for step in made if step.hits]
    gone = sorted((p for p in range(SIDE) if net[p] < 0), reverse=True)
    come = sorted((p for p in range(SIDE) if net[p] > 0 or p in hit), reverse=True)
    return [place_of(point, mover) for point in (*gone, *come)]


def _touches(making: _Making, worlds: list[World]) -> tuple[dict[str, list[World]], tuple[Touch, ...]]:
    """What may be touched, and what each touch comes to."""
    ways, touches = {}, []
    before = worlds[0].enemy[BAR]
    for (source, target), ends in sorted(making.targets(worlds).items(), reverse=True):
        text = f"{place_text(source)}/{place_text(target)}"
        ways[text] = ends
        whole = next((making.moves[end.own, end.enemy] for end in ends if making.is_whole(end)), None)
        hits = ", hits" * (ends[0].enemy[BAR] > before)
        name = f"{place_text(source)} to {place_text(target)}{hits}"
        touches.append(Touch(place_of(source, making.mover), place_of(target, making.mover), text, whole, name))
    return ways, tuple(touches)


def _shown(making: _Making, world: World) -> np.ndarray:
    """The board of a turn that is being made."""
    state, own, other = making.state.copy(), SIDE * making.mover, SIDE * (1 - making.mover)
    state[own : own + SIDE], state[other : other + SIDE] = world.own, world.enemy
    if len(making.dice) == 4:  # two dice show four steps
        used = (4 - len(world.dice)) // 2
        state[DIE2] *= -1 if used else 1
        state[DIE1] *= -1 if used == 2 else 1
    else:
        for at in (DIE1, DIE2):
            state[at] *= 1 if int(state[at]) in world.dice else -1
    return state


# --- what a game offers ----------------------------------------------------------------------------------------------


class Touching:
    """Which places may be touched."""

    __slots__ = ()

    def turn_of(self, state: np.ndarray, seat: int, touched: Sequence[str] = ()) -> Turn:
        """A seat's turn after some steps, as `8/5`; in the state, dice that are used are negative.

        >>> import ludus
        >>> position = ludus.game("backgammon").start().play("31")
        >>> turn = position.game.turn_of(position.state, 0, ["6/2"])
        >>> turn.move, turn.touches
        ('6/2', ())
        """
        return turn_of(self, state, seat, touched)

    def places_of(self, state: np.ndarray, move: int) -> list[str]:
        """Where a move takes checkers from, where it puts them, and where it hits; nothing of a roll."""
        return places_of(state, move)
