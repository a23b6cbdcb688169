"""A player of ours as an engine that speaks UGI, the Universal Game Interface (docs/engines.md)."""

from __future__ import annotations

from typing import Any

from ludus.adapters.thinking import Thinker
from ludus.contract.position import Position
from ludus.errors import LudusError, brief
from ludus.players.engines.ugi import move_word


class Ugi:
    """An engine that speaks UGI, in any game where seats move one after the other. It thinks as long as its player does, whatever `go` says.

    >>> import ludus
    >>> engine = Ugi(ludus.game("tictactoe"), "perfect")
    >>> for line in ("isready", "position startpos moves mark_1_1 mark_2_2 mark_1_2", "query p1turn", "go movetime 10"):
    ...     print(line, "->", (engine.answer(line) or "nothing").strip())
    isready -> readyok
    position startpos moves mark_1_1 mark_2_2 mark_1_2 -> nothing
    query p1turn -> response false
    go movetime 10 -> bestmove mark_1_3
    """

    def __init__(self, game: Any, name: str | None = None, seed: int = 1) -> None:
        self.over = False
        self._game, self._title = game, f"ludus {name or 'best'}"
        self._thinker = Thinker(name, seed)
        self._position = game.start()

    def answer(self, line: str) -> str | None:
        """The answer to a command; what is wrong with one is said in an `info string`."""
        name, *words = line.split() or [""]
        try:
            said = self._said(name, words)
        except LudusError as error:
            said = f"info string {brief(' '.join(str(error).split()), 500)}"
        return None if said is None else said + "\n"

    def _said(self, name: str, words: list[str]) -> str | None:
        match name:
            case "ugi":
                return f"id name {self._title}\nid author ludus\nugiok"
            case "isready":
                return "readyok"
            case "uginewgame":
                self._position = self._game.start()
            case "position":
                self._position = self._placed(words)
            case "go":
                return f"bestmove {move_word(self._game, self._position.state, self._thinker.choose(self._position))}"
            case "query":
                return f"response {self._queried(words)}"
            case "quit":
                self.over = True
            case "" | "stop" | "setoption":
                pass
            case _:
                return f"info string unknown command '{brief(name)}'"
        return None

    def _placed(self, words: list[str]) -> Position:
        at = words.index("moves") if "moves" in words else len(words)
        if words[:1] == ["fen"]:
            position = self._game.position(" ".join(words[1:at]))
        elif words[:1] == ["startpos"]:
            position = self._game.start()
        else:
            raise LudusError("write 'position startpos' or 'position fen TEXT', and 'moves' after it")
        for word in words[at + 1 :]:
            legal = [move for move, _ in position.chances()] if position.kind == "chance" else position.moves()
            found = [move for move in legal if move_word(self._game, position.state, move) == word]
            if not found:
                raise LudusError(f"'{brief(word)}' is not a legal move in {position.text}")
            position = position.play(found[0])
        return position

    def _queried(self, words: list[str]) -> str:
        position = self._position
        match words:
            case ["p1turn"]:
                return str(position.turn == 0).lower()
            case ["gameover"]:
                return str(position.over).lower()
            case ["result"]:
                scores = position.scores() if position.over else []
                best = [seat for seat, score in enumerate(scores) if score == max(scores)]
                return "none" if not best else f"p{best[0] + 1}win" if len(best) == 1 else "draw"
        raise LudusError("query p1turn, gameover or result")
