"""Players who play each other, move by move, before a person's eyes."""

from __future__ import annotations

from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError
from ludus.play.session import Session
from ludus.play.terminal import Table
from ludus.players import player

# What one may type: the command, its argument, what it does. Enter alone is the next move, a number so many moves.
COMMANDS = {
    "end": ("", "play on to the end of the game"),
    "undo": ("", "go one move back"),
    "board": ("", "show the board again"),
    "save": ("FILE", "write the game to a file"),
    "help": ("", "show this"),
    "quit": ("", "leave; so do Ctrl-D and Ctrl-C"),
}


class Watch(Table):
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
        self.session = Session(self.game, self.seed, (), names)
        self.say(f"{' against '.join(map(self.session.who, range(count)))}. The game's seed is {self.session.seed}.")
        self.say("Press Enter for the next move; a number is so many moves, and help tells more.")

    def advance(self) -> None:
        """Show where the game is."""
        if self.shown is not self.session.position:
            self.show()
            if self.session.due == OVER:
                self.say(self.session.result(), "bold")

    def prompt(self) -> str:
        return "The game is over [quit]: " if self.session.due == OVER else "[next] "

    def obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        word = word.lower()
        if not word and self.session.due == OVER:
            raise EOFError
        if not word or word.isdecimal():
            self.go_on(int(word or 1))
        elif word == "end":
            self.go_on(self.game.facts.max_plies or 10_000)
        elif word in COMMANDS:
            getattr(self, word)(rest.strip())
        else:
            raise LudusError(f"unknown command '{word}'; there are Enter, a number, {', '.join(COMMANDS)}")

    def go_on(self, moves: int) -> None:
        """Let the players move."""
        session = self.session
        if session.due == OVER:
            raise LudusError("the game is over")
        for _ in range(moves):
            if session.due == OVER:
                break
            if session.due == CHANCE:
                step = session.roll()
                self.say(f"The roll: {step.texts[0]}.")
            elif session.due == JOINT:
                step = session.take([self.answer(seat) for seat in range(self.game.facts.seats)])
                self.say("; ".join(f"{session.who(seat)}: {text}" for seat, text in enumerate(step.texts)))
            else:
                seat = session.due
                self.say(f"{session.who(seat)}: {session.take([self.answer(seat)]).texts[0]}")

    def undo(self, rest: str) -> None:
        if not self.session.steps:
            raise LudusError("there is nothing to undo: nobody has moved yet")
        self.session.steps.pop()

    def help(self, rest: str) -> None:
        width = max(len(f"{name} {argument}") for name, (argument, _) in COMMANDS.items())
        self.say(f"  {'Enter, or 5':<{width}}  the next move, or the next five")
        for name, (argument, meaning) in COMMANDS.items():
            self.say(f"  {f'{name} {argument}':<{width}}  {meaning}")
