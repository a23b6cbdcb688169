"""What people and protocols see of a game that came as a rulesheet: names of roles, moves and propositions, texts both ways.

`Face` is what both kinds of such games share, compiled (`games.Gdl`) and interpreted (`games.Interpreted`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ludus.contract.position import Position, Positions
from ludus.contract.rules import CHANCE, OVER, Facts
from ludus.contract.views import Encoding
from ludus.errors import LudusError
from ludus.games.gdl.kif import Term, brief, read_term, read_terms, simple, variables, write

VERSION = 1
NOTHING = "( )"  # the text of a state in which nothing holds


class Info(NamedTuple):
    """What a game's `sheet` holds."""

    name: str
    origin: str  # the name by which the game can be had again, if there is one
    roles: tuple[str, ...]
    source: str
    digest: str
    propositions: list[str]  # texts, by number; empty where they are found in play
    moves: list[str]  # of all roles, one after another
    proposition_of: dict[str, int]
    exclusive: list[list[int]]  # sets of propositions of which one holds at most, as the network takes for granted
    move_of: dict[str, list[int]]  # the numbers of the moves that are written so, in the order of their roles


def pack(
    name: str,
    origin: str,
    roles: tuple[str, ...],
    source: str,
    propositions: Sequence[str] = (),
    moves: Sequence[str] = (),
    exclusive: Sequence[list[int]] = (),
) -> np.ndarray:
    """What people see of a game, as an array that kernels can carry along."""
    data = {
        "name": name,
        "origin": origin,
        "roles": roles,
        "source": source,
        "propositions": propositions,
        "moves": moves,
        "exclusive": exclusive,
    }
    return np.frombuffer(json.dumps(data).encode(), np.uint8).copy()


_unpacked: dict[int, tuple[np.ndarray, Info]] = {}


def info(game: Any) -> Info:
    """The names and texts of a game."""
    known = _unpacked.get(id(game.sheet))
    if known is not None and known[0] is game.sheet:
        return known[1]
    data = json.loads(game.sheet.tobytes())
    move_of: dict[str, list[int]] = {}
    for number, text in enumerate(data["moves"]):
        move_of.setdefault(text, []).append(number)
    found = Info(
        data["name"],
        data["origin"],
        tuple(data["roles"]),
        data["source"],
        digest(data["source"]),
        data["propositions"],
        data["moves"],
        {text: i for i, text in enumerate(data["propositions"])},
        data["exclusive"],
        move_of,
    )
    if len(_unpacked) >= 64:
        _unpacked.pop(next(iter(_unpacked)))
    _unpacked[id(game.sheet)] = game.sheet, found
    return found


def digest(source: str) -> str:
    """A short hash of a rulesheet that does not depend on its layout and comments."""
    try:
        text = "\n".join(write(simple(term)) for term, _ in read_terms(source))
    except LudusError:
        text = source
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def facts_of(game: Any, seats: int, state_size: int, max_moves: int, max_chances: int, actions: int = 0) -> Facts:
    """The facts of a game of this size."""
    known = info(game)
    sizes = seats, state_size, max_moves, max_chances
    return Facts(known.name, VERSION, *sizes, 0, (0.0, 1.0), known.digest, actions)


# --- the contract's friendly side ------------------------------------------------------------------------------------


class Ending(NamedTuple):
    """What the rules say of a state as the end of a game: in a sound game all of it makes sense."""

    terminal: bool
    goals: list[list[int]]  # for each role the values that hold: one, if all is well


class Face(Positions):
    """The texts of a game, both ways."""

    __slots__ = ()
    sheet: np.ndarray

    if TYPE_CHECKING:  # the rules and the drawing with which a face is put together say it

        @property
        def facts(self) -> Facts:
            """What callers must know of the game."""

        def board_text(self, state: np.ndarray, color: bool = False) -> str:
            """The state as text."""

        def board_svg(self, state: np.ndarray, seat: int | None = None) -> str:
            """The state as a picture."""

    def legal(self, state: np.ndarray) -> list[list[str]]:
        """The legal moves of each role, chance among them."""
        raise NotImplementedError

    def advance(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """The state after one move of each role."""
        raise NotImplementedError

    def fluents(self, state: np.ndarray) -> list[str]:
        """The propositions that hold in a state."""
        raise NotImplementedError

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or what chance chose, as the sheet writes it."""
        raise NotImplementedError

    def read_state(self, text: str) -> np.ndarray:
        """The state in which the propositions of a line hold, and no others."""
        raise NotImplementedError

    def fixed(self, state: np.ndarray) -> list[tuple[str, str]]:
        """The roles whose moves are fixed already, while chance has still to choose, and the moves."""
        raise NotImplementedError

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles in the order of the sheet, chance among them."""
        return info(self).roles

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called: the roles, without chance."""
        return tuple(role for role in self.roles if role != "random")

    @property
    def move_forms(self) -> str:
        """How moves are written, by the first ones of a game."""
        legal = max(self.legal(self.first()), key=len, default=[])
        bare = [text[2:-2] if text.startswith("( ") else text for text in legal[:3]]
        return f"{', '.join(bare)}; parentheses around it may be left out or not"

    @property
    def source(self) -> str:
        """The rulesheet."""
        return info(self).source

    @property
    def origin(self) -> str:
        """The name by which the game can be had again: that of a sheet of the package, or a path; empty if there is none."""
        return info(self).origin

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and info(self).digest == info(other).digest

    def __ne__(self, other: object) -> bool:  # or it would be that of tuples
        return not self == other

    def __repr__(self) -> str:
        return f"{type(self).__name__}({info(self).name})"

    def __hash__(self) -> int:
        return hash(info(self).digest)

    def first(self) -> np.ndarray:
        """The first state."""
        return Position.start(self).state.copy()

    def terminal(self, state: np.ndarray) -> bool:
        """Whether the game is over."""
        return bool(state[0] == OVER)

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role at the end of a game, chance's too; 0 where the rules name none."""
        if state[0] != OVER:
            raise LudusError("the game is not over: there are no goals yet")
        return []

    def ending(self, state: np.ndarray) -> Ending:
        """What the rules say of a state as the end of a game."""
        raise NotImplementedError

    def state_text(self, state: np.ndarray) -> str:
        """The propositions that hold, and moves that are fixed already, on one line."""
        return " ".join([*self.fluents(state), *(f"( does {r} {m} )" for r, m in self.fixed(state))]) or NOTHING

    def _read_fluents(self, text: str) -> tuple[list[Term], dict[str, Term]]:
        """The propositions and the fixed moves that a line of text names."""
        fluents: list[Term] = []
        fixed: dict[str, Term] = {}
        if not text.strip():
            raise LudusError(f"the position is empty: write {NOTHING} for one in which nothing holds")
        for term, _ in read_terms(text, "the position"):
            if any(True for _ in variables(term)):
                raise LudusError(f"the position: {brief(term)} has a variable in it")
            if term == ():
                continue
            if isinstance(term, tuple) and len(term) == 3 and term[0] == "does":
                if term[1] not in self.roles:
                    raise LudusError(f"the position: {brief(term)} names no role; roles are {', '.join(self.roles)}")
                fixed[str(term[1])] = simple(term[2])
            else:
                fluents.append(simple(term))
        return fluents, fixed

    def _fix(self, state: np.ndarray, fixed: dict[str, Term], legal: list[list[int]]) -> None:
        """Fix the moves of a state in which chance has still to choose."""
        if not fixed:
            return
        chance_role = self.roles.index("random") if "random" in self.roles else -1
        if state[0] == OVER or chance_role < 0 or len(legal[chance_role]) < 2:
            raise LudusError("the position: moves are fixed only while chance has still to choose, and here it has not")
        if "random" in fixed:
            raise LudusError("the position: the move of random can't be fixed")
        for r, role in enumerate(self.roles):
            if role in fixed:
                codes = {self.move_text(state, m): m for m in legal[r]}
                if write(fixed[role]) not in codes:
                    raise not_legal(role, write(fixed[role]), list(codes))
                state[1 + self.facts.seats + r] = codes[write(fixed[role])]
            elif r != chance_role and len(legal[r]) > 1:
                raise LudusError(f"the position: the move of {role} is to be fixed too")
        state[0] = CHANCE

    def _check_count(self, texts: Sequence[str]) -> None:
        if len(texts) != len(self.roles):
            raise LudusError(f"give a move for each of the {len(self.roles)} roles, not {len(texts)}")

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move, or possible outcome, that a text stands for; parentheses around it may be left out."""
        position = Position(self, state)
        if position.kind == "over":
            raise LudusError("the game is over: no move can be made")
        if position.kind == "chance":
            legal = [m for m, _ in position.chances()]
        elif position.kind == "joint" and seat is None:
            legal = [m for s in range(self.facts.seats) for m in position.moves(s)]
        else:
            legal = position.moves(seat if position.kind == "joint" else None)
        wanted = {plain(text), plain(f"({text})")} - {""}
        for move in legal:
            if move.text in wanted:
                return int(move)
        raise LudusError(f"'{text[:80]}' is not a legal move here; legal are: {_some([m.text for m in legal])}")

    def encodings(self) -> dict[str, Encoding]:
        """The ways to show states to a network."""
        return {}


def not_legal(role: str, text: str, legal: list[str]) -> LudusError:
    """The error that a text stands for no legal move of a role."""
    return LudusError(f"'{text[:80]}' is not a legal move of {role}; legal are: {_some(legal)}")


def _some(texts: list[str]) -> str:
    return ", ".join(texts[:6]) + (", …" if len(texts) > 6 else "")


def plain(text: str) -> str:
    """A term's text in the one way in which ludus writes it; empty if it is no term."""
    try:
        return write(read_term(text, "a move"))
    except LudusError:
        return ""
