"""Players who play each other, move by move, before a person's eyes."""

from __future__ import annotations

from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError, brief
from ludus.play.table import Table
from ludus.play.terminal import Terminal
from ludus.players import player
from ludus.quantities import MOVES_OR_NONE

# What one may type: the command, its argument, what it does. Enter alone is the next move, a number so many moves.
COMMANDS = {
    "end": ("", "play on to the end of the game"),
    "undo": ("", "go one move back"),
    "board": ("", "show the board again"),
    "save": ("FILE", "write the game to a file"),
    "help": ("", "show this"),
    "quit": ("", "leave; so do Ctrl-D and Ctrl-C"),
}


class Watch(Terminal):
    """Where a person looks on; everybody who plays is a player."""

    def watch(self) -> None:
        """Begin a game between the named players, one for each seat."""
        count = self.game.facts.seats
        if len(self.against) not in (1, count):
            raise LudusError(f"{len(self.against)} players are named, but there are {count} seats: name one for each")
        names = self.against * count if len(self.against) == 1 else self.against
        for name in names:
            if name not in self.players:
                self.players[name] = player(name, self.game)
        self.number += 1
        self.table = Table(self.game, self.seed, (), names)
        self.say(f"{' against '.join(map(self.table.who, range(count)))}. The game's seed is {self.table.seed}.")
        self.say("Press Enter for the next move; a number is so many moves, and help tells more.")

    def advance(self) -> None:
        """Show where the game is."""
        if self.shown is not self.table.position:
            self.show()
            if self.table.due == OVER:
                self.say(self.table.result(), "bold")

    def prompt(self) -> str:
        """What Enter will do."""
        return "The game is over [quit]: " if self.table.due == OVER else "[next] "

    def obey(self, line: str) -> None:
        """Do what a line says: go on by some moves, or a command."""
        word, _, rest = line.partition(" ")
        word = word.lower()
        if not word and self.table.due == OVER:
            raise EOFError
        if not word or word.isdecimal():
            self.go_on(MOVES_OR_NONE.typed(word or "1", f"'{brief(word)}'"))
        elif word == "end":
            self.go_on(self.game.facts.max_plies or 10_000)
        elif word in COMMANDS:
            getattr(self, word)(rest.strip())
        else:
            raise LudusError(f"unknown command '{word}'; there are Enter, a number, {', '.join(COMMANDS)}")

    def go_on(self, moves: int) -> None:
        """Let the players move."""
        table = self.table
        if table.due == OVER:
            raise LudusError("the game is over")
        for _ in range(moves):
            if table.due == OVER:
                break
            if table.due == CHANCE:
                step = table.roll()
                self.say(f"The roll: {step.texts[0]}.")
            elif table.due == JOINT:
                step = table.take([self.answer(seat) for seat in range(self.game.facts.seats)])
                self.say("; ".join(f"{table.who(seat)}: {text}" for seat, text in enumerate(step.texts)))
            else:
                seat = table.due
                self.say(f"{table.who(seat)}: {table.take([self.answer(seat)]).texts[0]}")

    def undo(self, rest: str) -> None:
        """Go one move back."""
        if not self.table.steps:
            raise LudusError("there is nothing to undo: nobody has moved yet")
        self.table.steps.pop()

    def help(self, rest: str) -> None:
        """Show the commands."""
        width = max(len(f"{name} {argument}") for name, (argument, _) in COMMANDS.items())
        self.say(f"  {'Enter, or 5':<{width}}  the next move, or the next five")
        for name, (argument, meaning) in COMMANDS.items():
            self.say(f"  {f'{name} {argument}':<{width}}  {meaning}")
