"""A fixed set of actions for any game, as other people's programs want it: ids from 0 to `size` - 1 that always mean the same.

Which ids a game has:

- Quoridor, Ludo, and any game with `facts.actions`: its moves, which are numbers already.
- Rulesheets: the moves that grounding found, of all seats together, sorted by their text, 2 before 10. Seats with the same move share its id.
- Backgammon, whose moves are whole turns: checker by checker, 156 ids, or OpenSpiel's, 1352 (`ludus.games.backgammon.steps`). A game in small steps
  is a game of its own; in it one seat may act several times in a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus import games as game_registry
from ludus.contract.rules import JOINT, OVER, moves, play, play_joint, turn
from ludus.errors import LudusError
from ludus.games.gdl.face import info
from ludus.games.gdl.games import Gdl
from ludus.games.gdl.kif import natural
from ludus.kernel import kernel


class Table(NamedTuple):
    """Which move an id stands for, both ways, for kernels."""

    moves: np.ndarray  # seat, id: the move, or -1 where the seat has none of this id
    ids: np.ndarray  # move: its id


class Actions:
    """The actions of a game. `game` is what is played with them: the game itself, or the same in small steps, whose whole game is `base`. The
    state of `game` begins with that of `base`, and while no turn is half made (`whole`) the moves of `base` can be played in it.

    `ids` is the kind of small steps, `steps` or `openspiel`, for games that have several.

    >>> actions = Actions("backgammon")
    >>> actions.size, actions.game.facts.name, actions.base.facts.name
    (156, 'backgammon-steps', 'backgammon')
    >>> state = actions.game.start().play("31").state.copy()
    >>> actions.legal(state, 0).tolist()
    [36, 38, 48, 50, 80, 144, 146]
    >>> actions.text(state, 0, 50), actions.id(state, 0, "8/5")
    ('8/5', 50)
    """

    def __init__(self, game: Any, ids: str = "steps") -> None:
        self.base: Any = game_registry.game(game) if isinstance(game, str) else game
        self.game = _with_actions(self.base, ids)
        self.base = getattr(self.game, "base", self.base)
        self.texts, self.table = _table(self.game)
        self.size = self.table.moves.shape[1]
        self._room = np.zeros(self.game.facts.max_moves, np.int64)

    def legal(self, state: np.ndarray, seat: int) -> np.ndarray:
        """The legal ids of a seat, sorted; none where it has nothing to decide."""
        if not self.deciding(state, seat):
            return np.zeros(0, np.int64)
        count = moves(self.game, state, seat, self._room)
        return np.sort(self.table.ids[self._room[:count]])

    def mask(self, state: np.ndarray, seat: int) -> np.ndarray:
        """Which ids are legal, as 0 and 1."""
        out = np.zeros(self.size, np.int8)
        out[self.legal(state, seat)] = 1
        return out

    def deciding(self, state: np.ndarray, seat: int) -> bool:
        """Whether a seat is to move; where all move at once, each is."""
        return turn(self.game, state) in (seat, JOINT)

    def move(self, seat: int, action: int) -> int:
        """The move of `game` that an id stands for; -1 where the seat never has it."""
        return int(self.table.moves[seat, action])

    def text(self, state: np.ndarray, seat: int, action: int) -> str:
        """What an id does in a state, as people write it."""
        move = self.move(seat, self.checked(action))
        if move < 0:
            return f"action {action}"  # another seat's
        return self.game.move_text(state, move)

    def id(self, state: np.ndarray, seat: int, text: str) -> int:
        """The id of a legal move that is given as text; LudusError says why there is none."""
        return int(self.table.ids[self.game.read_move(state, text, seat)])

    def apply(self, state: np.ndarray, actions: Any) -> None:
        """Play an id for the seat whose turn it is, or one for each seat where all move at once. LudusError if it is not legal."""
        seat = int(turn(self.game, state))
        if seat == JOINT:
            joint = np.array([self._legal(state, s, action) for s, action in enumerate(actions)], np.int64)
            play_joint(self.game, state, joint)
        elif seat >= 0:
            play(self.game, state, self._legal(state, seat, actions))
        else:
            raise LudusError("the game is over" if seat == OVER else "chance is due here, and nobody's action")

    def whole(self, state: np.ndarray) -> bool:
        """Whether no turn is half made, so that the moves of `base` can be played."""
        return not state[self.base.facts.state_size :].any()

    def checked(self, action: Any) -> int:
        """An id, if it is one of this game's."""
        if isinstance(action, int | np.integer) and 0 <= action < self.size:
            return int(action)
        raise LudusError(f"{action!r} is no action of {self.game.facts.name}; they are 0 to {self.size - 1}")

    def reason(self, state: np.ndarray, seat: int, action: Any) -> str:
        """Why an id is not legal; empty if it is."""
        try:
            self._legal(state, seat, action)
        except LudusError as error:
            return str(error)
        return ""

    def scores_of_loss(self, seat: int) -> np.ndarray:
        """The scores of a game that a seat has lost by an action that is not legal: as little as one can get, which the others share."""
        low, high = self.game.facts.score_range
        others = max(self.game.facts.seats - 1, 1)
        out = np.full(self.game.facts.seats, (-low if low < 0 else high) / others)
        out[seat] = low
        return out

    def _legal(self, state: np.ndarray, seat: int, action: Any) -> int:
        number, legal = self.checked(action), self.legal(state, seat)
        if number in legal:
            return self.move(seat, number)
        some = ", ".join(f"{i} ({self.text(state, seat, i)})" for i in legal[:6].tolist())
        more = ", …" if len(legal) > 6 else ""
        raise LudusError(f"action {number} is not legal for seat {seat} here; legal are {some or 'none'}{more}")


def _with_actions(game: Any, ids: str) -> Any:
    """The game, or the same in small steps."""
    if game.facts.actions:
        return game
    if hasattr(game, "stepwise"):
        return game.stepwise(ids)
    if getattr(game, "fleeting", False):
        raise LudusError(
            f"{game.facts.name} is too large to be compiled, so that its moves are not known beforehand: give it more seconds or memory, "
            f"as in {game.facts.name}(seconds=100,memory=8000)"
        )
    raise LudusError(
        f"{game.facts.name} has no fixed actions: its facts.actions is 0, and it has no method stepwise() that gives a game with some"
    )


def _table(game: Any) -> tuple[list[str] | None, Table]:
    """The texts of the ids, where they don't depend on the position, and the moves that they stand for."""
    seats, size = game.facts.seats, game.facts.actions
    if not isinstance(game, Gdl):
        each = np.arange(size)
        return None, Table(np.tile(each, (seats, 1)), each)
    texts, begins = info(game).moves, game.role_moves.tolist()
    own = [range(begins[r], begins[r + 1]) for r in game.seat_role.tolist()]
    union = sorted({texts[move] for moves_ in own for move in moves_}, key=natural)
    place = {text: i for i, text in enumerate(union)}
    table = Table(np.full((seats, len(union)), -1, np.int64), np.full(size, -1, np.int64))
    for seat, moves_ in enumerate(own):
        for move in moves_:
            table.ids[move] = place[texts[move]]
            table.moves[seat, place[texts[move]]] = move
    return union, table


def whole_move(actions: Actions, before: np.ndarray, after: np.ndarray) -> int:
    """The move of the whole game that leads from the beginning of a turn to its end; for players that answer in small steps.

    >>> actions = Actions("backgammon")
    >>> state = actions.game.start().play("31").state.copy()
    >>> before = state.copy()
    >>> for text in ("8/5", "6/5"):
    ...     actions.apply(state, actions.id(state, 0, text))
    >>> actions.base.move_text(before, whole_move(actions, before, state))
    '8/5 6/5'
    """
    size = actions.base.facts.state_size
    room = np.zeros(actions.base.facts.max_moves, np.int64)
    move = _move_between(actions.base, before[:size].copy(), after[:size].copy(), room)
    if move < 0:
        raise LudusError("these states are not the beginning and the end of one turn")
    return int(move)


@kernel
def _move_between(game: Any, before: Any, after: Any, room: Any) -> int:
    child = before.copy()
    for i in range(moves(game, before, turn(game, before), room)):
        child[:] = before
        play(game, child, room[i])
        if (child == after).all():
            return room[i]
    return -1
