"""Rulesheets with hidden information (GDL-II) as games: what people and protocols see of them. The rules are in `percepts`.

A state is *whole*, as the referee has it, or *veiled*: what one seat knows, that is its own moves and percepts so far and its legal moves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import knowing
from ludus.contract.position import Game, Position
from ludus.contract.rules import OVER
from ludus.errors import LudusError
from ludus.games.gdl.drawing import Drawing, status
from ludus.games.gdl.face import Ending, Face, info, not_legal, plain
from ludus.games.gdl.kif import brief, natural, read_terms, write
from ludus.games.gdl.percepts import (
    BASE,
    KEYS,
    MADE,
    ROOM,
    VEILED,
    CompiledSight,
    InterpretedSight,
    Veiled,
    first_key,
    mix_step,
    note_step,
    perceive,
    settle,
    veiled_parts,
)
from ludus.games.gdl.picture import Scene, board_svg


class Seen(NamedTuple):
    """A step as a seat knows it."""

    move: str
    percepts: tuple[str, ...]


class Hidden(Face, Drawing, Veiled):
    """A game whose rules came as a rulesheet with `sees`.

    >>> import ludus
    >>> game = ludus.game("montyhall")
    >>> position = game.start().play("hide 2").play("choose 1")
    >>> game.percepts(position.state, ["noop", "(open 3)"])
    [['( opened 3 )'], []]
    >>> print(position.play("open 3").seen_by(0))
    What guest knows:
      1. noop; sees nothing
      2. choose 1; sees nothing
      3. noop; sees opened 3
    """

    __slots__ = ()

    # --- the game within

    @property
    def sheet(self) -> np.ndarray:  # type: ignore[override]
        """The names and texts of the game."""
        return self.base.sheet

    @property
    def fleeting(self) -> bool:
        """Whether states and moves are numbered as they are met, otherwise in each process."""
        return getattr(self.base, "fleeting", False)

    def within(self, state: np.ndarray) -> np.ndarray:
        """The part of a state that is one of the game that everybody could see."""
        return np.array(state[: int(self.sizes[BASE])], np.int64)

    def brief(self) -> Hidden:
        """The same game without a log: its states are the beginnings of this one's. For searches."""
        sizes = self.sizes.copy()
        sizes[ROOM] = 0
        return self._replace(sizes=sizes)

    def veiled_for(self, state: np.ndarray) -> int | None:
        """The seat whose knowledge a state is; None if it is whole."""
        return int(state[int(self.sizes[BASE]) + VEILED]) - 1 if state[int(self.sizes[BASE]) + VEILED] else None

    def check_whole(self, state: np.ndarray) -> None:
        """LudusError if a state is only what one seat knows of it."""
        seat = self.veiled_for(state)
        if seat is not None:
            raise LudusError(
                f"this is what {self.seat_names[seat]} knows, and not the whole state of {self.facts.name}: nobody can play on from it"
            )

    def fluents(self, state: np.ndarray) -> list[str]:
        """The propositions that hold in a state; none where it is veiled."""
        return [] if self.veiled_for(state) is not None else list(self.base.fluents(self.within(state)))

    def fixed(self, state: np.ndarray) -> list[tuple[str, str]]:
        """The roles whose moves are fixed already, while chance has still to choose, and the moves."""
        return [] if self.veiled_for(state) is not None else list(self.base.fixed(self.within(state)))

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or what chance chose, as the sheet writes it."""
        return str(self.base.move_text(state, move))

    def legal(self, state: np.ndarray) -> list[list[str]]:
        """The legal moves of each role, chance among them; of a veiled state only those of its seat."""
        seat = self.veiled_for(state)
        if seat is None:
            return list(self.base.legal(self.within(state)))
        own = [self.move_text(state, m) for m in Position(self, state, seat)._codes(seat)]
        return [own if r == int(self.seat_role[seat]) else [] for r in range(len(self.roles))]

    def advance(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """The state after one move of each role."""
        self.check_whole(state)
        joint = self._codes(state, texts)
        after = np.array(state, np.int64)
        after[: int(self.sizes[BASE])] = self.base.advance(self.within(state), texts)
        note_step(self, self.within(state), after, joint)
        return after

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role at the end of a game; 0 where the rules name none."""
        self.check_whole(state)
        return list(self.base.goals(self.within(state)))

    def ending(self, state: np.ndarray) -> Ending:
        """What the rules say of a state as the end of a game."""
        self.check_whole(state)
        return self.base.ending(self.within(state))

    # --- what is perceived

    def percepts(self, state: np.ndarray, moves: Sequence[str]) -> list[list[str]]:
        """What each role perceives after one move of each role, chance's too, in a state; `random` perceives nothing."""
        self.check_whole(state)
        step = np.zeros(int(self.at[-1]), np.int64)
        perceive(self.base, self.seeing, self.within(state), self._codes(state, moves), self.at, step)
        seats = self.seat_role.tolist()
        return [list(self._seen(step, seats.index(r)).percepts) if r in seats else [] for r in range(len(self.roles))]

    def memory(self, state: np.ndarray, seat: int) -> list[Seen]:
        """What a seat did and perceived in each step so far; of a long game the last steps only."""
        made, room, width = int(state[int(self.sizes[BASE]) + MADE]), int(self.sizes[ROOM]), int(self.at[-1])
        begin = int(self.sizes[BASE]) + KEYS + self.facts.seats
        places = (begin + step % room * width for step in range(max(made - room, 0), made))
        return [self._seen(state[place : place + width], seat) for place in places]

    def recall(self, state: np.ndarray, seat: int, history: Sequence[Seen]) -> None:
        """Let a seat have done and perceived this; LudusError if it can't have."""
        size, room, width = int(self.sizes[BASE]), int(self.sizes[ROOM]), int(self.at[-1])
        key, step = np.uint64(first_key(seat)), np.zeros(width, np.int64)
        for number, (move, percepts) in enumerate(history):
            begin, end = int(self.at[seat]), int(self.at[seat + 1])
            step[begin] = self._move_code(seat, move)
            step[begin + 1 : end] = self._percept_words(seat, percepts)
            key = np.uint64(mix_step(self, key, seat, step, 0))  # a kernel gives plain numbers
            place = size + KEYS + self.facts.seats + number % room * width
            state[place + begin : place + end] = step[begin:end]
        state[size + KEYS + seat] = key.astype(np.int64)
        state[size + MADE] = len(history)

    def _seen(self, step: np.ndarray, seat: int) -> Seen:
        begin, end = int(self.at[seat]), int(self.at[seat + 1])
        words = step[begin + 1 : end].tolist()
        if isinstance(self.seeing, CompiledSight):
            texts = _texts(self.seeing.texts.tobytes())[int(self.seeing.first[seat]) : int(self.seeing.first[seat + 1])]
            percepts = tuple(t for i, t in enumerate(texts) if words[i >> 6] >> (i & 63) & 1)
        else:
            percepts = self.base._referee().percepts[words[0]]
        return Seen(self.base.move_text(None, int(step[begin])), percepts)

    def _percept_words(self, seat: int, percepts: Sequence[str]) -> list[int]:
        """Percepts as a log has them."""
        wanted = tuple(sorted({plain(text) or text for text in percepts}, key=natural))
        if isinstance(self.seeing, InterpretedSight):
            return [self.base._referee().percept_number(wanted)]
        first, end = int(self.seeing.first[seat]), int(self.seeing.first[seat + 1])
        numbers = {text: i for i, text in enumerate(_texts(self.seeing.texts.tobytes())[first:end])}
        words = np.zeros((end - first + 63) // 64, np.int64)
        for text in wanted:
            if text not in numbers:
                raise LudusError(f"{self.seat_names[seat]} can't perceive {text[:80]} in {self.facts.name}")
            words[numbers[text] >> 6] |= np.int64(1) << np.int64(numbers[text] & 63)
        return words.tolist()

    def _move_code(self, seat: int, text: str) -> int:
        role = int(self.seat_role[seat])
        if isinstance(self.seeing, InterpretedSight):
            return self.base._referee().move_number(plain(text) or text)
        first, end = self.base.role_moves[role : role + 2].tolist()
        known = {t: first + i for i, t in enumerate(info(self).moves[first:end])}
        return _number_of(self.roles[role], text, known)

    def _codes(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """The numbers of one legal move of each role."""
        self._check_count(texts)
        legal = self.base.legal_codes(self.within(state))
        return np.array(
            [_number_of(role, t, {self.move_text(state, m): m for m in codes}) for role, t, codes in zip(self.roles, texts, legal, strict=True)],
            np.int64,
        )  # fmt: skip

    # --- how it looks

    def state_text(self, state: np.ndarray) -> str:
        """The propositions that hold, moves that are fixed already, and for each role `( sees ROLE (MOVE PERCEPT ...) ... )`, on one line."""
        veiled = self.veiled_for(state)
        told = [_told(self.seat_names[s], self.memory(state, s)) for s in self._shown(veiled)]
        parts = [super().state_text(state)] if veiled is None else []
        return (
            " ".join(parts + [text for text in told if text is not None]) or f"( sees {self.seat_names[veiled or 0]} )"
        )

    def _shown(self, veiled: int | None) -> list[int]:
        return [veiled] if veiled is not None else list(range(self.facts.seats))

    def read_state(self, text: str) -> np.ndarray:
        """The whole state that a line stands for: it must say what each role has seen, unless it is the first one."""
        seen: dict[str, list[Seen]] = {}
        rest: list[str] = []
        for term, _ in read_terms(text, "the position"):
            if isinstance(term, tuple) and len(term) > 1 and term[0] == "sees" and term[1] in self.seat_names:
                for step in term[2:]:
                    if not isinstance(step, tuple) or not step:
                        raise LudusError(f"the position: {brief(step)} is no step; it is written (MOVE PERCEPT ...)")
                    seen.setdefault(str(term[1]), []).append(Seen(write(step[0]), tuple(map(write, step[1:]))))
            else:
                rest.append(write(term))
        state = np.zeros(self.facts.state_size, np.int64)
        state[: int(self.sizes[BASE])] = self.base.read_state(" ".join(rest))
        settle(self, state)
        if len({len(seen.get(role, ())) for role in self.seat_names}) > 1:
            raise LudusError(
                "the position: it must say of each role what it has seen in each step, (sees ROLE (MOVE PERCEPT ...) ...)"
            )
        for seat, role in enumerate(self.seat_names):
            self.recall(state, seat, seen.get(role, ()))
        if not seen and not np.array_equal(self.within(state), self.within(self.first())):
            raise LudusError(
                f"the position: what has each role of {self.facts.name} seen so far? Write (sees ROLE (MOVE PERCEPT ...) ...), a pair of parentheses for each step"
            )
        return state

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        """The state as text; of a veiled one what its seat did and perceived."""
        seat = self.veiled_for(state)
        return super().board_text(state, color) if seat is None else "\n".join(self._lines(state, seat))

    def _lines(self, state: np.ndarray, seat: int) -> list[str]:
        history, made = self.memory(state, seat), int(state[int(self.sizes[BASE]) + MADE])
        lines = [f"What {self.seat_names[seat]} knows:" + ("" if history else " the rules, and nothing else yet")]
        for number, (move, percepts) in enumerate(history, made - len(history) + 1):
            lines.append(f"{number:>3}. {_bare(move)}; sees {', '.join(map(_bare, percepts)) or 'nothing'}")
        return lines

    def board_for(self, state: np.ndarray, color: bool, width: int, seat: int | None) -> str:
        """The board for a person in a terminal: what the seat knows; the whole state once the game is over, and for those who only watch."""
        if seat is not None and state[0] != OVER:
            state = knowing.known_to(self, state, seat)
        return self.board_text(state, color)

    def board_svg(self, state: np.ndarray, seat: int | None = None) -> str:
        """The state as a picture; of a veiled one what its seat did and perceived, as text."""
        veiled = self.veiled_for(state)
        if veiled is None:
            return super().board_svg(state, seat)
        return board_svg(
            Scene(info(self).name, status(self, state), self.seat_names, None, self._lines(state, veiled), False)
        )


_game: type[Game] = Hidden  # mypy looks whether it is


@lru_cache(maxsize=64)
def _texts(data: bytes) -> list[str]:
    return list(json.loads(data))


def _bare(text: str) -> str:
    return text[2:-2] if text.startswith("( ") else text


def _told(role: str, history: Sequence[Seen]) -> str | None:
    steps = " ".join(f"( {' '.join((move, *percepts))} )" for move, percepts in history)
    return f"( sees {role} {steps} )" if steps else None


def hide(base: Any, sight: Any) -> Hidden:
    """The game with hidden information around one that everybody could see."""
    return Hidden(*veiled_parts(base, sight, base.roles))


def _number_of(role: str, text: str, known: dict[str, int]) -> int:
    """The number of a role's move, by any way to write it; LudusError if it is not among the known ones."""
    number = known.get(text, known.get(plain(text)))
    if number is None:
        raise not_legal(role, text, list(known))
    return number
