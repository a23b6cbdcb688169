"""The conversation at the table: shows the board, rolls, lets the players move, and asks people for a move or command.

It knows no rules: what may be played and how it is written comes from the game, who plays against the people from
`ludus.players`. A person alone is "you"; several are called by what the board calls their seats. Whatever anybody types
wrong is answered with one line, and asked again.
"""

from __future__ import annotations

import contextlib
import difflib
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from ludus.contract.knowing import hides
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError
from ludus.play import saved
from ludus.play.ready import get_ready
from ludus.play.screen import Screen
from ludus.play.table import YOU, Seats, Table, mark, read_seats, roller
from ludus.players import best_known, player

HINTS = 5
FEW = 4  # so many moves are shown before the question

# What one may type beside a move: the command, its argument, what it does.
COMMANDS = {
    "hint": ("", "the best moves, as a player that judges sees them"),
    "moves": ("[TEXT]", "all legal moves, or those that contain a text"),
    "board": ("", "show the board again"),
    "undo": ("", "go back to your previous decision; the dice stay what they were"),
    "save": ("FILE", "write the game to a file"),
    "load": ("FILE [N]", "go on with a game from a file, of several the last, or the Nth"),
    "new": ("[SEAT]", "begin another game, in other seats if you like: 0,2"),
    "help": ("", "show this"),
    "quit": ("", "leave; so do Ctrl-D and Ctrl-C"),
}


def play(
    game: Any,
    against: str | Sequence[str] | None = None,
    seat: Seats | None = None,
    seed: int | None = None,
    load: Path | saved.File | None = None,
    color: bool = True,
    ask: Callable[[str], str] = input,
    console: Console | None = None,
) -> None:
    """Play against the named player (if none is named, those of the saved game, or the best known one), or one for each seat that is
    left, until the people leave. Seat 0 is a person's unless they say otherwise; '0,2' are two people's.
    """
    if ask is input:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  arrow keys and earlier lines at the prompt, where the system has it
    seed = secrets.randbits(32) if seed is None else seed
    if load is not None and not against:
        against = saved.opponents(saved.load(game, load, seat, seed))
    against = against or best_known(game)
    terminal = Terminal(game, against, seed, color, ask, console or Console())
    terminal.sit(seat, load)
    terminal.run()


class Terminal(Screen):
    """Talks with people who play game after game against players, each at a table of its own."""

    def __init__(
        self,
        game: Any,
        against: str | Sequence[str],
        seed: int,
        color: bool,
        ask: Callable[[str], str],
        console: Console,
    ) -> None:
        super().__init__(console, color)
        self.game = game
        self.secret = hides(
            game
        )  # what others do, and what chance brings, is not told: the board says what a person knows
        self.against = (against,) if isinstance(against, str) else tuple(against)
        self.players: dict[str, Any] = {}  # by name, each made when it is first seated
        self.seed = seed  # of the first game; each new one takes the next number
        self.ask = ask
        self.number = -1  # of the game under way, from 0
        self.results: dict[int, list[float]] = {}  # the scores of the games played to their end, a person's first
        self.columns: list[str] = []  # whose scores they are
        self.own_files: set[Path] = set()  # written here, and so free to be written over
        self.counts = True  # whether the end of this game changes the score; not if it came from a file as it is
        self.shown: Position | None = None
        self.typed = ""  # the last line, with what was asked

    # --- saying ------------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Print the board as it is now."""
        self.shown = self.table.position
        self.draw(self.table)

    def introduce(self) -> None:
        """Say who plays."""
        table = self.table
        others = [s for s in range(self.game.facts.seats) if s not in table.people]
        if table.alone:
            who = f"You are {table.mark(table.seat)}, against {', '.join(table.names[s] for s in others)}"
        else:
            who = f"{' and '.join(map(table.mark, table.people))} are people"
            who += f", against {', '.join(map(table.who, others))}" if others else ""
        self.say(f"{who}. The game's seed is {table.seed}. Type a move, or help.")

    # --- the course of a game ----------------------------------------------------------------------------------------

    def sit(self, seats: Seats | None, file: Path | saved.File | None = None) -> None:
        """Begin a game, or go on with one from a file (whose seats go first, if it says any)."""
        seed = self.seed + self.number + 1
        if file is None:
            people = read_seats(self.game, 0 if seats is None else seats)
            table = Table(self.game, seed, people, self.seated(people))
        else:
            table = saved.load(self.game, file, seats, seed)
            table.people = table.people or read_seats(self.game, 0 if seats is None else seats)
            written, table.names = table.names, self.seated(table.people)
            path = file.path if isinstance(file, saved.File) else file
            self.say(f"Loaded {path}" + (f", a game of {' and '.join(written)}." if written != table.names else "."))
            for remark in table.remarks:
                self.say(remark)
        self.table = table
        self.number += 1
        self.counts = table.due != OVER
        columns = [table.names[seat] for seat in self.order()]
        if columns != self.columns:  # others sit here now, and their score begins anew
            self.columns = columns
            self.results.clear()
        self.introduce()

    def order(self) -> list[int]:
        """The seats in the order of play, from the first person's on."""
        seats, first = range(self.game.facts.seats), self.table.people[0]
        return [*seats[first:], *seats[:first]]

    def seated(self, people: Sequence[int]) -> tuple[str, ...]:
        """Who sits where, if people have these seats: players in the order of play after the first person."""
        count = self.game.facts.seats
        names = [YOU if len(people) == 1 else mark(self.game, seat) for seat in range(count)]
        free = [(people[0] + i) % count for i in range(count) if (people[0] + i) % count not in people]
        if len(self.against) not in (1, len(free)):
            raise LudusError(
                f"{len(self.against)} players are named, but {len(free)} seats are left for them: name one for all of "
                "these seats, or one for each"
            )
        for i, seat in enumerate(free):
            name = names[seat] = self.against[i % len(self.against)]
            if name not in self.players:
                self.players[name] = player(name, self.game)
        return tuple(names)

    def run(self, farewell: str = "Goodbye.") -> None:
        """Talk until the person leaves."""
        get_ready(self.game, self.against)
        try:
            while True:
                self.tell_errors(self.advance)
                self.tell_errors(self.listen)
        except (EOFError, KeyboardInterrupt):
            self.say()
            self.say(" ".join(filter(None, [self.score(), farewell])))

    def listen(self) -> None:
        """Ask for a line, and do what it says."""
        prompt = self.prompt()
        try:
            line = self.ask(prompt)
        except UnicodeDecodeError as error:
            raise LudusError(f"can't read that line: {error}") from error
        self.typed = prompt + line
        self.obey(line.strip())

    def tell_errors(self, action: Callable[[], None]) -> None:
        """Do something; what is wrong with it is said, and that is all."""
        try:
            action()
        except LudusError as error:
            self.say(str(error), "red")

    def advance(self) -> None:
        """Let chance and the players take their steps until a person has to, or the game is over."""
        table = self.table
        rolled = ""
        while (due := table.due) not in (OVER, JOINT, *table.people):
            if due == CHANCE:
                rolled = self.roll()
            else:
                step = table.take([self.answer(due)])
                if not self.secret:
                    self.say(f"{table.who(due)}{rolled}: {step.texts[0]}")
                rolled = ""
        if due == OVER and self.shown is not table.position:
            self.finish()
        elif self.shown is not table.position:
            self.show()
            choices = table.choices()
            if 1 < len(choices) <= FEW:
                *most, last = map(str, choices)
                self.say(f"{'You' if table.alone else table.who(table.seat)} can play {', '.join(most)} or {last}.")

    def roll(self) -> str:
        """Roll, and say so; or give back the words where a player will move by it, to be said with its move."""
        table, before = self.table, self.table.position
        roll = table.roll().texts[0]
        if self.secret:
            return ""
        if table.due in table.people:
            self.say(f"{table.does(table.due, 'roll')} {roll}.")
        elif table.due >= 0:
            return f" rolls {roll}"
        elif table.due == CHANCE and (seat := roller(before)) is not None:
            self.say(f"{table.does(seat, 'roll')} {roll} and can't move.")
        else:
            self.say(f"The roll: {roll}.")
        return ""

    def answer(self, seat: int) -> int:
        """What the player who sits there moves."""
        return self.table.ask(self.players[self.table.names[seat]], seat)

    def finish(self) -> None:
        """Show the end, and what it adds to the score."""
        self.show()
        table = self.table
        self.say(table.result(), "bold")
        scores = table.position.scores()
        if self.counts:
            self.results[self.number] = [scores[seat] for seat in self.order()]
        self.say(self.score())

    def score(self) -> str:
        """All games' scores so far, the first person's first, then the others' in the order of play."""
        if not self.results:
            return ""
        sums = [sum(column) for column in zip(*self.results.values(), strict=True)]
        sign = "+" if self.game.facts.score_range[0] < 0 else ""
        parts = [f"{name} {value:{sign}g}" for name, value in zip(self.columns, sums, strict=True)]
        return f"Score after {len(self.results)} game{'s' * (len(self.results) > 1)}: {', '.join(parts)}."

    # --- what people type --------------------------------------------------------------------------------------------

    def prompt(self) -> str:
        """What is asked of the person now."""
        if self.table.due == OVER:
            return "Another game? [y/n] "
        table, choices = self.table, self.table.choices()
        whose = table.whose(table.seat)
        if not choices:  # a player has failed
            return "Command: "
        if len(choices) == 1:
            return f"{whose} only move is {choices[0]}; press Enter to play it: "
        return f"{whose} move{f' ({table.mark(table.seat)})' if table.alone else ''}: "

    def obey(self, line: str) -> None:
        """Do what a line says: a move, or a command."""
        table = self.table
        choices = table.choices()
        word, _, rest = line.partition(" ")
        word = word.lower()
        if table.due == OVER and not word:  # who pressed Enter through forced moves has not asked for another game
            self.say("Type y for another game, n to leave, or 'help' for the commands.")
            return
        if table.due == OVER and word in ("y", "yes"):
            word = "new"
        elif table.due == OVER and word in ("n", "no"):
            word = "quit"
        if word in COMMANDS and line not in map(str, choices):  # a legal move goes before a command of the same name
            getattr(self, word)(rest.strip())
        elif not line and len(choices) == 1:
            self.move(choices[0])
        elif not line:
            self.say("Type a move, or 'help' for the commands.")
        else:
            self.move(self.read(line))

    def read(self, line: str) -> int:
        """The move that a line stands for; an error that speaks of commands if the line looks more like one."""
        try:
            if not self.table.choices():
                raise LudusError("there is no move to make now")
            return self.table.read(line, self.table.seat)
        except LudusError as error:
            word, _, rest = line.lower().partition(" ")
            fitting = [name for name, (argument, _) in COMMANDS.items() if argument or not rest]
            near = difflib.get_close_matches(word, fitting, n=1, cutoff=0.6)
            if near and word.isalpha():
                raise LudusError(f"unknown command '{word}'; did you mean '{near[0]}'?") from None
            if line.isalpha():
                raise LudusError(f"{error}; 'help' lists the commands") from None
            raise

    def move(self, move: int) -> None:
        """Make a person's move; where all seats move at once, it waits for the other people's."""
        table = self.table
        if table.due == JOINT:
            chosen = [*table.chosen, move]
            if len(chosen) < len(table.people):
                seat, table.chosen = table.seat, chosen
                self.cover(self.typed, self.ask)
                self.say(f"{table.mark(seat)} has chosen.")
                return
            theirs = dict(zip(table.people, chosen, strict=True))
            seats = range(self.game.facts.seats)
            step = table.take([theirs[s] if s in theirs else self.answer(s) for s in seats])
            told = table.people if self.secret and table.alone else () if self.secret else seats
            self.say("; ".join(f"{table.who(s)}: {step.texts[s]}" for s in told))
        else:
            who = table.does(table.due, "play")
            self.say(f"{who} {table.take([move]).texts[0]}.")

    # --- commands, each with the rest of its line --------------------------------------------------------------------

    def hint(self, rest: str) -> None:
        """Say what a player would do, of those at the table or the best known one."""
        if len(self.table.choices()) < 2 or self.table.position.kind != "decision":
            raise LudusError("there is nothing to advise on here")
        names = list(dict.fromkeys((*self.against, best_known(self.game))))
        for name in names:
            try:
                adviser = self.players[name] if name in self.players else player(name, self.game)
                ranked = self.table.advice(adviser)
            except (LudusError, ImportError):
                continue  # it moves without judging, does not know this game, or is not installed
            self.say(f"{name} would play:")
            width = max(len(str(move)) for move, _ in ranked[:HINTS])
            for place, (move, worth) in enumerate(ranked[:HINTS], 1):
                lost = f"  ({worth - ranked[0][1]:+.3f})" if place > 1 else ""
                self.say(f"{place:>3}. {move!s:<{width}}  {worth:+.3f}{lost}")
            return
        raise LudusError(f"sorry, no hints: {' and '.join(names)} can't judge moves of {self.game.facts.name} here")

    def moves(self, rest: str) -> None:
        """List the legal moves."""
        found = [str(move) for move in self.table.choices() if rest in str(move)]
        if not found:
            raise LudusError(f"no legal move contains '{rest}'" if rest else "you have no moves here")
        self.console.print(Columns([Text(text) for text in found], padding=(0, 3), equal=True))

    def board(self, rest: str) -> None:
        """Show the board again."""
        self.show()

    def undo(self, rest: str) -> None:
        """Go back to the previous decision."""
        if not self.table.undo():
            raise LudusError("there is nothing to undo: you have decided nothing yet")
        self.results.pop(self.number, None)
        self.counts = True
        self.say(f"Back to {'your' if self.table.alone else 'the'} previous decision.")

    def save(self, rest: str) -> None:
        """Write the game to a file; over one that was there only if the person says so."""
        path = saved.as_path("save", rest)
        saved.check_ending(self.game, path)
        if path.exists() and path not in self.own_files:
            answer = self.ask(f"{path} exists. Write over it? [y/N] ")
            if answer.strip().lower() not in ("y", "yes"):
                self.say("Not saved.")
                return
        saved.save(self.table, path)
        self.own_files.add(path)
        self.say(f"Saved to {path}.")

    def load(self, rest: str) -> None:
        """Go on with a game from a file."""
        self.sit(self.table.people, saved.as_file(rest))

    def new(self, rest: str) -> None:
        """Begin another game."""
        self.sit(rest or self.table.people)

    def help(self, rest: str) -> None:
        """Show how moves are written, and the commands."""
        choices = self.table.choices()
        if choices:
            forms = getattr(self.game, "move_forms", ", ".join(map(str, choices[:3])))
            self.say(f"A move is written like one of these: {forms}")
        width = max(len(f"{name} {argument}") for name, (argument, _) in COMMANDS.items())
        for name, (argument, meaning) in COMMANDS.items():
            if self.game.facts.max_chances == 0:
                meaning = meaning.partition("; the dice")[0]
            self.say(f"  {f'{name} {argument}':<{width}}  {meaning}")

    def quit(self, rest: str) -> None:
        """Leave."""
        raise EOFError  # as Ctrl-D does
