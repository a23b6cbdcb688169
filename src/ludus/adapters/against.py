"""Many games of one seat against ludus players, stepped at once: what environments for one agent are made of.

A step plays the agent's actions, lets the other seats answer, each player asked once for all its games, rolls dice, and comes back with each game at the
agent's next decision or at its end. The dice of a game depend on the seed and the number of the game alone, as everywhere in ludus.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus import players as player_registry
from ludus.adapters.actions import Actions
from ludus.adapters.sights import Sights
from ludus.adapters.stepping import (
    Elsewhere,
    Rows,
    begin_rows,
    final_scores,
    go_on,
    mark_legal,
    take_actions,
)
from ludus.batch.slots import new_slots
from ludus.contract.rules import OVER
from ludus.errors import LudusError
from ludus.kernel import specialises
from ludus.matches.flight import asker
from ludus.players.base import check_player, choose_all, is_compiled

TRIES = 1000  # games that may end before the agent has to decide anything, one after another


class Against:
    """`count` games in which the agent sits at `seat`. `opponent` is a name or a player for all other seats, or a list with one for each of them.

    >>> games = Against("tictactoe", "random", count=2)
    >>> games.begin(seed=1)
    >>> games.masks()[:, :9].tolist()
    [[1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1]]
    >>> wrong = games.step(np.array([4, 4]))
    >>> games.masks().sum(1).tolist(), wrong.tolist(), games.over.tolist()
    ([7, 7], [False, False], [False, False])
    """

    def __init__(
        self, game: Any, opponent: Any = "random", seat: int = 0, count: int = 1, ids: str = "steps", encoding: str = ""
    ) -> None:
        self.actions = Actions(game, ids)
        self.game, self.base, facts = self.actions.game, self.actions.base, self.actions.game.facts
        if not isinstance(seat, int | np.integer) or not 0 <= seat < facts.seats:
            raise LudusError(f"seat={seat!r}: {self.base.facts.name} has the seats 0 to {facts.seats - 1}")
        if not isinstance(count, int | np.integer) or count < 1:
            raise LudusError(f"{count!r} games at once are not possible: give 1 or more")
        self.seat, self.count = int(seat), int(count)
        self.sights = Sights(self.actions, encoding)
        seats, rows, whole = facts.seats, self.count, np.int64
        self.rows = Rows(
            states=np.zeros((rows, facts.state_size), whole),
            turns=np.full(rows, OVER, whole),
            numbers=np.zeros(rows, whole),
            dice=np.zeros((rows, 1), np.uint64),
            streams=np.zeros((rows, seats, 1), np.uint64),
            chosen=np.zeros((rows, seats), whole),
            answered=np.zeros((rows, seats), np.bool_),
            outcomes=np.zeros(max(facts.max_chances, 1), whole),
            odds=np.zeros(max(facts.max_chances, 1)),
            legal=np.zeros(facts.max_moves, whole),
        )
        self.seed = 1
        self._masks = np.zeros((rows, self.actions.size), np.int8)
        self._asked = new_slots(self.base, range(rows), rows, groups=seats)
        self._asked.bounds[:] = 0
        players = self._players(opponent)
        self._at_once = _one_compiled([player for i, (player, _) in enumerate(players) if i != self.seat])
        self._ask = [asker(player, name, self.base, self._asked) for player, name in players]

    def _players(self, opponent: Any) -> list[tuple[Any, str]]:
        """The player of each seat and its name; the agent's own is never asked."""
        seats = self.game.facts.seats
        listed = list(opponent) if type(opponent) in (list, tuple) else None  # built-in players are tuples too
        if listed is not None and len(listed) != seats - 1:
            raise LudusError(f"opponent: {len(listed)} players are given, but there are {seats - 1} other seats")
        given = listed or [opponent] * (seats - 1)
        made: dict[str, Any] = {}  # one name, one player
        out = []
        for one in given:
            player = one
            if isinstance(one, str):
                player = made[one] = made[one] if one in made else player_registry.player(one, self.base)
            check_player(player)
            out.append((player, one if isinstance(one, str) else type(one).__name__))
        nobody = player_registry.player("random", self.base)
        return [*out[: self.seat], (nobody, "agent"), *out[self.seat :]]

    @property
    def over(self) -> np.ndarray:
        """Which games have ended."""
        return self.rows.turns == OVER

    @property
    def begun(self) -> bool:
        """Whether any game has begun."""
        return bool(self.rows.dice.any())

    def give_up(self, which: np.ndarray) -> None:
        """End some games at once: the agent has lost them."""
        if which.any():
            self.rows.turns[which] = OVER
            self._masks[which] = 0

    def begin(self, seed: int | None = None, which: np.ndarray | None = None) -> None:
        """Begin all games of a seed, or the next ones in some of the rows."""
        if seed is not None:
            self.seed = int(seed)
            self.rows.numbers[:] = np.arange(self.count) - self.count
        which = np.ones(self.count, np.bool_) if which is None else which.copy()
        self._asked.bounds[:] = 0  # somebody who failed to answer is not asked again
        for _ in range(TRIES):
            self.rows.numbers[which] += self.count
            self._asked.games[:] = self.rows.numbers
            begin_rows(self.game, self.rows, which, self.seed)
            self._go_on()
            which &= self.over  # it ended before the agent had to decide anything
            if not which.any():
                break
        else:
            raise LudusError(f"seat {self.seat} never has to decide anything in {self.base.facts.name}")
        self._mark()

    def step(self, actions: Any, idle: np.ndarray | None = None) -> np.ndarray:
        """Play an action in each game, but for `idle` ones, and go on to the next decisions. Says which actions were not legal: those games stay as
        they are.
        """
        given = self.checked(actions)
        wrong = take_actions(
            self.actions.table, self.rows, self._masks, self.seat, given, self._no if idle is None else idle
        )
        self._go_on()
        self._mark()
        return wrong

    @property
    def _no(self) -> np.ndarray:
        return np.zeros(self.count, np.bool_)

    def checked(self, actions: Any) -> np.ndarray:
        """Actions, one a game, each an id of the space."""
        given = np.asarray(actions)
        size = self.actions.size
        if given.shape != (self.count,) or not np.issubdtype(given.dtype, np.integer):
            kind = f"{given.dtype} of shape {given.shape}"
            raise LudusError(f"give {self.count} actions, whole numbers from 0 to {size - 1}, not {kind}")
        if given.min() < 0 or given.max() >= size:
            worst = given[(given < 0) | (given >= size)][0]
            raise LudusError(f"{worst} is no action of {self.game.facts.name}; they are 0 to {size - 1}")
        return given.astype(np.int64)

    def masks(self) -> np.ndarray:
        """Which actions are legal: (games, actions), 0 and 1; none in a game that is over."""
        return self._masks.copy()

    def observe(self) -> np.ndarray:
        """What the agent sees of each game: (games, inputs)."""
        return self.sights.observe(self.rows.states, self.seat, self.over)

    def scores(self) -> np.ndarray:
        """The scores of the games that are over: (games, seats); 0 elsewhere."""
        return final_scores(self.game, self.rows, np.zeros((self.count, self.game.facts.seats)))

    def _mark(self) -> None:
        mark_legal(self.game, self.actions.table, self.rows, self.seat, self._masks)

    def _go_on(self) -> None:
        asked, inside = self._asked, not isinstance(self._at_once, Elsewhere)
        while go_on(self.game, self.base, self._at_once, inside, self.rows, asked, self.seat):
            bounds = asked.bounds.tolist()
            for seat, ask in enumerate(self._ask):
                if bounds[seat] < bounds[seat + 1]:
                    ask(bounds[seat], bounds[seat + 1])


def _one_compiled(players: list[Any]) -> Any:
    """The player of all other seats, if it is one and compiled: it is then asked inside the kernel. One that wants to be asked for many games at
    once is asked outside.
    """
    first = players[0] if players else None
    alone = all(player is first for player in players) and is_compiled(first)
    return first if alone and not specialises(choose_all, type(first)) else Elsewhere()
