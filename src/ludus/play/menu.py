"""The menu before the board: play, watch, load, save, train. Games that want it have a true `menu` (see `table.py`).

Each choice leads to what there is elsewhere, the table, the lab, and back to the menu. What is left open by a choice is asked
for, with an answer at hand for who just presses Enter.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from typing import Any

from rich.console import Console

from ludus.errors import LudusError, brief
from ludus.games import game_name
from ludus.play.saved import File, as_file, load, opponents
from ludus.play.table import mark
from ludus.play.terminal import Terminal
from ludus.play.watching import Watch
from ludus.players import REGISTRY, best_known
from ludus.quantities import GAMES

CHOICES = {
    "play": ("[PLAYER]", "against a player"),
    "watch": ("[PLAYER …]", "players who play each other"),
    "load": ("[FILE]", "a game to go on with"),
    "save": ("[FILE]", "the last game, to a file"),
    "train": ("[PRESET]", "a player of your own"),
    "quit": ("", "leave; so does Ctrl-D"),
}


def choose(game: Any, color: bool = True, ask: Callable[[str], str] = input, console: Console | None = None) -> None:
    """Show the menu and do what is chosen, until the person leaves."""
    if ask is input:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  arrow keys and earlier lines at the prompt, where the system has it
    Menu(game, color, ask, console or Console()).run()


class Menu(Terminal):
    """What a person may do with a game. (A terminal, to speak and ask as those at a table do.)"""

    def __init__(self, game: Any, color: bool, ask: Callable[[str], str], console: Console) -> None:
        super().__init__(game, best_known(game), secrets.randbits(32), color, ask, console)
        self.last: Terminal | None = None  # at the table of the last game
        self.usual = best_known(game)  # whom one plays against: the last that was named, or trained

    def run(self, farewell: str = "Goodbye.") -> None:
        """Ask until the person leaves."""
        self.help("")
        try:
            while True:
                self.tell_errors(self.listen)
        except (EOFError, KeyboardInterrupt):
            self.say()
            self.say(farewell)

    def prompt(self) -> str:
        """The game's name."""
        return f"{game_name(self.game)}> "

    def help(self, rest: str) -> None:
        """Show the choices."""
        name, *options = game_name(self.game).partition("(")
        self.say()
        self.say(name.upper() + "".join(options), "bold")
        width = max(len(f"{name} {argument}") for name, (argument, _) in CHOICES.items())
        for number, (name, (argument, meaning)) in enumerate(CHOICES.items(), 1):
            self.say(f"  {number}  {f'{name} {argument}':<{width}}  {meaning}")
        self.say()

    def obey(self, line: str) -> None:
        """Do what a line chooses: a number, a word or its beginning, and what belongs to it."""
        word, _, rest = line.partition(" ")
        word = word.lower()
        names = list(CHOICES)
        numbers = {str(number): name for number, name in enumerate(names, 1)}
        word = numbers.get(word, word)
        fitting = [name for name in names if word and name.startswith(word)]
        if word in ("", "help", "menu"):
            self.help(rest)
        elif not fitting:
            raise LudusError(f"there is no choice '{word}'; there are {', '.join(names)}, or their numbers")
        elif fitting[0] == "quit":
            raise EOFError
        else:
            with contextlib.suppress(EOFError, KeyboardInterrupt):  # who leaves a question is back at the menu
                getattr(self, fitting[0])(rest.strip())

    def question(self, words: str, usual: str) -> str:
        """What a person answers; Enter alone is the usual answer, and 'quit' leads back to the menu."""
        answer = self.ask(f"{words} [{usual}] ").strip() or usual
        if answer.lower() == "quit":
            raise EOFError
        return answer

    # --- the choices, each with the rest of its line -----------------------------------------------------------------

    def list_players(self) -> None:
        """Say who can be played against."""
        own = [name for name, entry in REGISTRY.items() if self.game.facts.name in entry.games]
        general = [name for name, entry in REGISTRY.items() if not entry.games and name not in ("q", "qm", "openspiel")]
        self.say(f"There are {', '.join([*own, *general])}; 'ludus players' tells more of them.")

    def play(self, rest: str) -> None:
        """Play against a player."""
        if not rest:
            self.list_players()
        against = rest or self.question("Against whom?", self.usual)
        seat = self.question("Your seat, or several, as in 0,1?", mark(self.game, 0))
        self.sit_down(against, seat)

    def sit_down(self, against: str, seat: str | None, file: File | None = None) -> None:
        """Play against the named players, from the beginning or from a file on."""
        terminal = Terminal(self.game, against.split(), secrets.randbits(32), self.color, self.ask, self.console)
        terminal.sit(seat, file)
        self.usual = against
        self.open(terminal)

    def open(self, terminal: Terminal) -> None:
        """Be at a table until the person leaves it."""
        self.last = terminal
        terminal.run(farewell="Back at the menu.")
        self.help("")

    def watch(self, rest: str) -> None:
        """Watch players who play each other."""
        names = rest.split()
        if not names:
            self.list_players()
            for seat in range(self.game.facts.seats):
                usual = names[-1] if names else self.usual
                names.append(self.question(f"Who plays {mark(self.game, seat)}?", usual))
        terminal = Watch(self.game, names, secrets.randbits(32), self.color, self.ask, self.console)
        terminal.watch()
        self.open(terminal)

    def load(self, rest: str) -> None:
        """Go on with a game from a file."""
        file = as_file(rest or self.ask("Which file? ").strip())
        named = opponents(load(self.game, file, None, 0))
        self.sit_down(self.question("Against whom?", " ".join(named or ()) or self.usual), None, file)

    def save(self, rest: str) -> None:
        """Write the last game to a file."""
        if self.last is None:
            raise LudusError("there is no game to save yet: play or watch one first")
        usual = f"game{next(iter(getattr(self.game, 'formats', ())), '.json')}"
        self.last.save(rest or self.question("To which file?", usual))

    def train(self, rest: str) -> None:
        """Train a player of one's own."""
        # Who plays does not wait for the lab to be imported.
        from ludus.lab import train, view
        from ludus.lab.planning import usual_preset
        from ludus.methods.presets import PRESETS, presets_for

        presets = presets_for(self.game.facts.name)
        if self.game.facts.name not in PRESETS:
            self.say(f"Sorry, there are no presets for {self.game.facts.name} yet; these are for any game.")
        self.say("Presets:")
        for name, preset in presets.items():
            self.say(f"  {name}: {preset.method}, {preset.games:,} games")
        short, enough = getattr(self.game, "short_training", (usual_preset(self.game), 0))
        chosen = rest or self.question("Which one?", short)
        if chosen not in presets:
            raise LudusError(f"there is no preset '{chosen}'; there are {', '.join(presets)}")
        usual = enough if chosen == short and enough else presets[chosen].games
        answer = self.question("How many games?", str(usual))
        games = GAMES.typed(answer, f"'{brief(answer)}'")
        try:
            run = train(game_name(self.game), preset=chosen, games=games, progress=view(self.console))
        except KeyboardInterrupt as stopped:
            self.say(str(stopped) or "Stopped.")
            return
        self.usual = run.player_name
        self.say(
            f"The player is {run.player_name}: play against it here, or by ludus play --against. Its run is in {run.folder}."
        )
