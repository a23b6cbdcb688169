"""The conversation at the table: shows the board, rolls, lets the players move, and asks the person for a move or command.

It knows no rules: what may be played and how it is written comes from the game, who plays against the person from
`ludus.players`. Whatever a person types wrong is answered with one line, and asked again.
"""

from __future__ import annotations

import contextlib
import difflib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from ludus.contract import CHANCE, JOINT, OVER, Position
from ludus.errors import LudusError
from ludus.players import base, player
from ludus.play import saved
from ludus.play.session import YOU, Session

HINTS = 5
_HINT_STREAM = 1000  # hints draw from random numbers of their own: asking for one must not change the game

# What one may type beside a move: the command, its argument, what it does.
COMMANDS = {
    "hint": ("", "the best moves, as a player that judges sees them"),
    "moves": ("[TEXT]", "all legal moves, or those that contain a text"),
    "board": ("", "show the board again"),
    "undo": ("", "go back to your previous decision; the dice stay what they were"),
    "save": ("FILE", "write the game to a file"),
    "load": ("FILE", "go on with a game from a file"),
    "new": ("[SEAT]", "begin another game, in another seat if you like"),
    "help": ("", "show this"),
    "quit": ("", "leave; so do Ctrl-D and Ctrl-C"),
}


class Quit(Exception):
    """The person wants to leave."""


def play(
    game: Any,
    against: str = "td",
    seat: int | None = None,
    seed: int | None = None,
    load: Path | None = None,
    color: bool = True,
    ask: Callable[[str], str] = input,
    console: Console | None = None,
) -> None:
    """Play against the named player until the person leaves. Seat 0 is theirs unless they say otherwise."""
    if ask is input:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  arrow keys and earlier lines at the prompt, where the system has it
    table = Table(game, against, secrets.randbits(32) if seed is None else seed, color, ask, console or Console())
    table.sit(seat or 0, load)
    table.run()


class Table:
    """Where one person plays game after game against one kind of player."""

    def __init__(
        self, game: Any, against: str, seed: int, color: bool, ask: Callable[[str], str], console: Console
    ) -> None:
        self.game = game
        self.against = against
        self.player = player(against, game)
        self.seed = seed  # of the first game; each new one takes the next number
        self.color = color
        self.ask = ask
        self.console = console
        self.number = 0  # games begun before this one
        self.results: dict[int, list[float]] = {}  # the scores of the games played to their end, the person's first
        self.own_files: set[Path] = set()  # saved or loaded here, and so free to be written over
        self.shown: Position | None = None

    # --- saying ------------------------------------------------------------------------------------------------------

    def say(self, words: str = "", style: str = "") -> None:
        self.console.print(Text(words, style=style if self.color else ""))

    def show(self) -> None:
        """Print the board as it is now."""
        self.shown = self.session.position
        board = Text.from_ansi(self.game.board_text(self.shown.state, self.color))
        self.say()
        self.console.print(board, soft_wrap=True)  # a wrapped line would break the board; a long one is just cut off
        self.say()

    def introduce(self) -> None:
        session = self.session
        others = [session.names[s] for s in range(self.game.facts.seats) if s != session.seat]
        self.say(
            f"You are {session.mark(session.seat)}, against {', '.join(others)}. The game's seed is {session.seed}. "
            "Type a move, or help."
        )

    # --- the course of a game ----------------------------------------------------------------------------------------

    def sit(self, seat: int, load: Path | None = None) -> None:
        """Begin a game, or go on with one from a file."""
        if load is not None:
            self.load(str(load))
            return
        names = [YOU if s == seat else self.against for s in range(self.game.facts.seats)]
        self.session = Session(self.game, self.seed + self.number, seat, names)
        self.introduce()

    def run(self) -> None:
        """Talk until the person leaves."""
        try:
            while True:
                try:
                    self.advance()
                    self.obey(self.ask(self.prompt()).strip())
                except LudusError as error:
                    self.say(str(error), "red")
        except (Quit, EOFError, KeyboardInterrupt):
            self.say()
            self.say(" ".join(filter(None, [self.score(), "Goodbye."])))

    def advance(self) -> None:
        """Let chance and the others take their steps until the person has to, or the game is over."""
        rolled = ""
        while (due := self.session.due) not in (OVER, JOINT, self.session.seat):
            if due == CHANCE:
                step = self.session.roll()
                rolled = f" rolls {step.texts[0]}"
                if self.session.due in (CHANCE, JOINT, OVER):
                    self.say(f"The roll: {step.texts[0]}.")
                elif self.session.due == self.session.seat:
                    self.say(f"You roll {step.texts[0]}.")
            else:
                step = self.session.take([self.answer(due)])
                self.say(f"{self.session.who(due)}{rolled}: {step.texts[0]}")
                rolled = ""
        if due == OVER and self.shown is not self.session.position:
            self.finish()
        elif self.shown is not self.session.position:
            self.show()

    def answer(self, seat: int) -> int:
        """What the player who sits there moves."""
        return base.ask(self.player, self.session.position, self.session.stream(1 + seat), seat)

    def finish(self) -> None:
        """Show the end, and what it adds to the score."""
        self.show()
        session = self.session
        self.say(session.result(), "bold")
        scores = session.position.scores()
        self.results[self.number] = scores[session.seat :] + scores[: session.seat]
        self.say(self.score())

    def score(self) -> str:
        """All games' scores so far, the person's first, then the others' in the order of their seats."""
        if not self.results:
            return ""
        sums = [sum(column) for column in zip(*self.results.values(), strict=True)]
        sign = "+" if self.game.facts.score_range[0] < 0 else ""
        names = [YOU] + [self.against] * (len(sums) - 1)
        parts = [f"{name} {value:{sign}g}" for name, value in zip(names, sums, strict=True)]
        return f"Score after {len(self.results)} game{'s' * (len(self.results) > 1)}: {', '.join(parts)}."

    # --- what the person types ---------------------------------------------------------------------------------------

    def prompt(self) -> str:
        if self.session.due == OVER:
            return "Another game? [Y/n] "
        choices = self.session.choices()
        if len(choices) == 1:
            return f"Your only move is {choices[0]}; press Enter to play it: "
        return f"Your move ({self.session.mark(self.session.seat)}): "

    def obey(self, line: str) -> None:
        """Do what a line says: a move, or a command."""
        session = self.session
        choices = session.choices()
        word, _, rest = line.partition(" ")
        word = word.lower()
        if session.due == OVER and word in ("", "y", "yes"):
            word = "new"
        elif session.due == OVER and word in ("n", "no"):
            word = "quit"
        if word in COMMANDS and line not in map(str, choices):  # a legal move goes before a command of the same name
            getattr(self, word)(rest.strip())
        elif not line and len(choices) == 1:
            self.move(choices[0])
        elif not line:
            self.say("Type a move, or 'help' for the commands.")
        else:
            self.move(self.read(line, word))

    def read(self, line: str, word: str) -> int:
        """The move that a line stands for; an error that speaks of a command if the line looks more like one."""
        try:
            if self.session.due not in (OVER, JOINT, self.session.seat):
                raise LudusError("it is not your turn")
            return self.session.read(line, self.session.seat)
        except LudusError:
            near = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.6)
            if near:
                raise LudusError(f"unknown command '{word}'; did you mean '{near[0]}'?") from None
            if word.isalpha() or self.session.due == OVER:
                raise LudusError(f"'{word}' is neither a move here nor a command; 'help' lists those") from None
            raise

    def move(self, move: int) -> None:
        session = self.session
        if session.due == JOINT:
            seats = range(self.game.facts.seats)
            step = session.take([move if s == session.seat else self.answer(s) for s in seats])
            self.say("; ".join(f"{session.who(s)}: {step.texts[s]}" for s in seats))
        else:
            self.say(f"you: {session.take([move]).texts[0]}")

    # --- commands, each with the rest of its line --------------------------------------------------------------------

    def hint(self, rest: str) -> None:
        position = self.session.position
        if len(self.session.choices()) < 2 or position.kind != "decision":
            raise LudusError("there is nothing to advise on here")
        for name in dict.fromkeys((self.against, "td")):
            try:
                judge = self.player if name == self.against else player(name, self.game)
                ranked = base.rank(judge, position, self.session.stream(_HINT_STREAM))
            except (LudusError, ImportError):
                continue  # it moves without judging, does not know this game, or is not installed
            self.say(f"{name} would play:")
            width = max(len(str(move)) for move, _ in ranked[:HINTS])
            for place, (move, worth) in enumerate(ranked[:HINTS], 1):
                lost = f"  ({worth - ranked[0][1]:+.3f})" if place > 1 else ""
                self.say(f"{place:>3}. {move!s:<{width}}  {worth:+.3f}{lost}")
            return
        raise LudusError(f"sorry, no hints: neither {self.against} nor td can judge moves of {self.game.facts.name} here")

    def moves(self, rest: str) -> None:
        found = [str(move) for move in self.session.choices() if rest in str(move)]
        if not found:
            raise LudusError(f"no legal move contains '{rest}'" if rest else "there are no moves: the game is over")
        self.console.print(Columns([Text(text) for text in found], padding=(0, 3), column_first=True))

    def board(self, rest: str) -> None:
        self.show()

    def undo(self, rest: str) -> None:
        if not self.session.undo():
            raise LudusError("there is nothing to undo: you have decided nothing yet")
        self.results.pop(self.number, None)
        self.say("Back to your previous decision.")

    def save(self, rest: str) -> None:
        path = _path("save", rest)
        with contextlib.suppress(ValueError):  # of a name that no file can have: writing will tell
            if path.exists() and path.resolve() not in self.own_files:
                answer = self.ask(f"{path} exists. Write over it? [y/N] ")
                if answer.strip().lower() not in ("y", "yes"):
                    raise LudusError("not saved")
        saved.save(self.session, path)
        self.own_files.add(path.resolve())
        self.say(f"Saved to {path}.")

    def load(self, rest: str) -> None:
        ...

    def new(self, rest: str) -> None:
        ...

    def help(self, rest: str) -> None:
        ...

    def quit(self, rest: str) -> None:
        raise Quit


def _path(command: str, text: str) -> Path:
    if not text:
        raise LudusError(f"{command} needs the name of a file, as in: {command} game.json")
    return Path(text).expanduser()
