"""What people see of a game of OpenSpiel: OpenSpiel's own words for moves and boards, both ways."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ludus.contract.position import Positions
from ludus.contract.rules import CHANCE, JOINT, OVER, Facts
from ludus.contract.views import Encoding
from ludus.errors import LudusError, brief
from ludus.games import svg
from ludus.games.openspiel.features import Tensor
from ludus.games.openspiel.referee import PLAYED, TURN, Referee, referees
from ludus.games.openspiel.rules import Asking

VERSION = 1
BEGINNING = "start"  # the text of the first state
_PLAYER = re.compile(r"^\[P\d+\]\s*")  # before the text of an action that several seats have
_LINE, _LETTER = 18, 9  # of a picture's text


class Face(Positions, Asking):
    """The texts and pictures of a game, both ways."""

    __slots__ = ()

    @property
    def referee(self) -> Referee:
        """Who knows the rules."""
        return referees[self.title]

    @property
    def spiel(self) -> Any:
        """The game as OpenSpiel has it."""
        return self.referee.game

    @property
    def origin(self) -> str:
        """The name by which the game can be had again."""
        return f"openspiel:{self.title.removesuffix('()')}"

    @property
    def title(self) -> str:
        """What OpenSpiel calls the game, with its parameters."""
        return self.text.tobytes().decode()

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        of, game = self.referee, self.spiel
        name, _, parameters = self.title.partition("(")
        return Facts(
            f"openspiel:{name}", VERSION, of.seats, of.state_size, of.actions, of.chances, game.max_game_length(),
            (game.min_utility(), game.max_utility()), parameters.removesuffix(")"), of.actions,
        )  # fmt: skip

    def spiel_state(self, state: np.ndarray) -> Any:
        """A state as OpenSpiel has it: one of your own, to play on with."""
        return self.referee.shown(state).clone()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Face) and self.title == other.title

    def __ne__(self, other: object) -> bool:  # or it would be that of tuples
        return not self == other

    def __hash__(self) -> int:
        return hash(self.title)

    def __repr__(self) -> str:
        return f"OpenSpiel({self.title})"

    def encodings(self) -> dict[str, Encoding]:
        """The ways to show states to a network: OpenSpiel's tensor, where it has one."""
        low, high = self.spiel.min_utility(), self.spiel.max_utility()
        return {"tensor": Tensor(low, high)} if self.referee.inputs else {}

    # --- moves -------------------------------------------------------------------------------------------------------

    def _texts(self, state: np.ndarray, seat: int | None = None) -> dict[int, str]:
        """The legal moves, or the outcomes of chance, and how they are written. One that looks like another has its number behind it."""
        shown, turn = self.referee.shown(state), int(state[TURN])
        if turn == OVER:
            return {}
        if turn == CHANCE:
            found = {
                outcome: shown.action_to_string(shown.current_player(), outcome)
                for outcome, _ in shown.chance_outcomes()
            }
        elif turn == JOINT:
            seats = range(self.referee.seats) if seat is None else (seat,)
            found = {
                a: _PLAYER.sub("", shown.action_to_string(s, a))
                for s in reversed(seats)
                for a in self.referee.legal(state, s)
            }
        else:
            found = {action: shown.action_to_string(turn, action) for action in shown.legal_actions()}
        count = Counter(found.values())
        return {a: f"{text} #{a}" if count[text] > 1 or not text else text for a, text in found.items()}

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or the outcome of a chance event, as OpenSpiel writes it."""
        return self._texts(state).get(int(move), f"#{move}")

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move, or possible outcome, that a text stands for; #3 is the one of the number 3."""
        found, wanted = self._texts(state, seat), text.strip()
        for move, known in found.items():
            if wanted in (known, f"#{move}"):
                return move
        if not found:
            raise LudusError("the game is over: no move can be made")
        some = ", ".join(list(found.values())[:6]) + (", …" if len(found) > 6 else "")
        raise LudusError(f"'{brief(text)}' is not a legal move here; legal are: {some}")

    # --- states ------------------------------------------------------------------------------------------------------

    def state_text(self, state: np.ndarray) -> str:
        """The actions that led here, by number, on one line."""
        return " ".join(map(str, self.referee.history(state).tolist())) or BEGINNING

    def read_state(self, text: str) -> np.ndarray:
        """The state after the actions of a line, each of which must be legal."""
        of, state = self.referee, np.zeros(self.referee.state_size, np.int64)
        of.start(state)
        words = [] if text.strip() == BEGINNING else text.split()
        if not words and text.strip() != BEGINNING:
            raise LudusError(f"the position is empty: write {BEGINNING} for the beginning of a game")
        while words:
            each = range(of.seats) if state[TURN] == JOINT else (None,)
            taken, words = words[: len(each)], words[len(each) :]
            if len(taken) < len(each):
                raise LudusError(
                    f"the position: all seats move at once after {int(state[PLAYED])} actions: one is missing"
                )
            of.add(state, [self._action(state, word, seat) for word, seat in zip(taken, each, strict=True)])
        return state

    def _action(self, state: np.ndarray, word: str, seat: int | None) -> int:
        for action in self._texts(state, seat):
            if word == str(action):
                return action
        where = f"the position: '{brief(word)}' after {int(state[PLAYED])} actions"
        raise LudusError(
            f"{where} is no legal action's number; write the numbers of the actions so far, or {BEGINNING}"
        )

    # --- boards ------------------------------------------------------------------------------------------------------

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        """The state as OpenSpiel shows it."""
        return str(self.referee.shown(state)).rstrip() or self.state_text(state)

    def board_svg(self, state: np.ndarray) -> str:
        """The same text as a picture."""
        lines = self.board_text(state).splitlines()
        width, height = (max(map(len, lines)) + 2) * _LETTER, (len(lines) + 1) * _LINE
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="monospace" font-size="15" xml:space="preserve">',
            svg.box(0, 0, width, height, "#fff", 4),
            *(
                f'<text x="{_LETTER}" y="{_LINE * (i + 1)}" textLength="{len(line) * _LETTER}" fill="#222">{escape(line)}</text>'
                for i, line in enumerate(lines) if line.strip()
            ),
            "</svg>",
        ])  # fmt: skip
