"""The players, by name: `random`, `td`, `td:RUN_OR_FILE`, `td(plies=1)`, `mcts(seconds=1)`, and those of the peers' extra."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from typing import Any, NamedTuple

from ludus import names
from ludus.errors import LudusError, brief, unknown
from ludus.quantities import (
    CORES,
    COUNT,
    DELAY,
    MARGIN,
    MOVES,
    MOVES_OR_NONE,
    PLAYOUTS,
    PLAYOUTS_OR_NONE,
    PLIES,
    SECONDS,
    SHARE,
    STEPS,
    WEIGHT,
)
from ludus.spec import Spec, parse


class Entry(NamedTuple):
    """A player in the registry: what it is, where its maker `make(game, path, **arguments)` lives, what it may take."""

    summary: str
    module: str
    maker: str
    parameters: dict[str, Any]
    games: tuple[str, ...] = ()  # empty: plays every game
    takes_path: bool = False
    outside: bool = (
        False  # its name says which program is run or which server is asked, so that only a user may give it
    )
    veiled: bool = False  # goes by what its seat knows, and so can play games with hidden information


REGISTRY: dict[str, Entry] = {
    "run": Entry(
        "what any method learned: run:DIR_OR_FILE; for a method of your own run:DIR(method=FILE.py:CLASS)",
        "ludus.methods.loading", "make_run", {"method": str}, takes_path=True,
    ),
    "random": Entry("any legal move, each as likely as the others", "ludus.players", "make_random", {}, veiled=True),
    "perfect": Entry(
        "never gives away anything of the value of the game, and makes the most of a random player: solves small games of two seats (ludus solve)",
        "ludus.players.perfect", "make_perfect", {},
    ),
    "td": Entry(
        "greedy on a network learned by TD(λ); td alone is the shipped model, td:DIR_OR_FILE another; plies and rollouts look ahead, seconds by alpha-beta",
        "ludus.players.greedy", "make_td", {"plies": (0, 1, 2, 3), "width": MOVES, "margin": MARGIN, "rollouts": PLAYOUTS_OR_NONE, "seconds": SECONDS}, takes_path=True,
    ),
    "mcs": Entry(
        "Monte Carlo search: the move with the best mean of random games, by count (for each move) or by time",
        "ludus.players.mcs", "make_mcs", {"playouts": PLAYOUTS, "seconds": SECONDS},
    ),
    "nmcs": Entry(
        "nested Monte Carlo search: the games that judge a move are played by searches of one level less",
        "ludus.players.mcs", "make_nmcs", {"level": (1, 2), "playouts": PLAYOUTS, "games": PLAYOUTS},
    ),
    "mcts": Entry(
        "Monte Carlo tree search, by time or by count; mcts:DIR_OR_FILE judges by a network, of which mix takes a share for random games; guided: by sensible games, in quoridor; where information is hidden, by what each seat knows",
        "ludus.players.mcts", "make",
        {
            "seconds": SECONDS, "simulations": COUNT, "c": WEIGHT, "leaf": PLAYOUTS, "mix": SHARE, "ahead": bool, "guided": bool, "nodes": COUNT,
            "threads": CORES, "study": DELAY, "lanes": bool, "rave": WEIGHT, "candidates": COUNT, "open_at": COUNT, "words": COUNT,
        },
        takes_path=True, veiled=True,
    ),
    "alphabeta": Entry(
        "alpha-beta search, by time or depth; alphabeta:DIR_OR_FILE judges by a network (alphabeta:td by the shipped one), alone by what the game offers",
        "ludus.players.alphabeta", "make_alphabeta", {"seconds": SECONDS, "depth": PLIES, "width": MOVES_OR_NONE}, takes_path=True,
    ),
    "defensive": Entry("moves a piece that is under threat", "ludus.players.ludo", "make_defensive", {"release": bool}, ("ludo",)),
    "aggressive": Entry("captures where it can", "ludus.players.ludo", "make_aggressive", {"release": bool}, ("ludo",)),
    "fast": Entry("moves its most advanced piece", "ludus.players.ludo", "make_fast", {"release": bool}, ("ludo",)),
    "expert": Entry("releases, defends, attacks, runs, in this order", "ludus.players.ludo", "make_expert", {"release": bool}, ("ludo",)),
    "q": Entry(
        "follows the values that Q-learning found: q:DIR_OR_FILE", "ludus.methods.loading", "make_q", {}, takes_path=True
    ),
    "qm": Entry(
        "the same on a table of states, with Monte Carlo search where it knows nothing: qm:DIR_OR_FILE",
        "ludus.methods.loading", "make_qm", {"playouts": PLAYOUTS, "nested": bool}, takes_path=True,
    ),
    "rossen": Entry("Rossen's Q-table, trained here; rules of ludopy", "ludus.papers.ludo.players", "make_rossen", {}, ("ludo",)),
    "peters": Entry("Peters's Q-table, trained here; rules of ludopy", "ludus.papers.ludo.players", "make_peters", {}, ("ludo",)),
    "semismart": Entry("Peters's sparring partner: goal, out, farthest piece", "ludus.papers.ludo.players", "make_semismart", {}, ("ludo",)),
    "path": Entry("follows a shortest path to its goal", "ludus.players.quoridor", "make_path", {}, ("quoridor",)),
    "heuristic": Entry(
        "follows a shortest path, or builds a wall across the opponent's: the six rules of the thesis",
        "ludus.players.quoridor", "make_heuristic", {"patience": SHARE, "prolong": bool}, ("quoridor",),
    ),
    "lead": Entry(
        "the move that leaves the best difference of ways, after the opponent's best reply if plies is 2; a wall is worth so many steps",
        "ludus.players.lead", "make_lead", {"plies": (1, 2), "wall": STEPS}, ("quoridor",),
    ),
    "qlnn": Entry(
        "a Q-network with an output for each action, no search; qlnn alone is the shipped model, qlnn:DIR_OR_FILE another",
        "ludus.methods.loading", "make_qlnn", {"layout": str}, ("quoridor",), takes_path=True,
    ),
    "gnubg": Entry(
        "GNU Backgammon: its networks (needs the peers extra), and with the cube the program (needs gnubg installed)",
        "ludus.players.engines.gnubg", "make_gnubg", {"plies": (0, 1, 2, 3)}, ("backgammon",),
    ),
    "pubeval": Entry(
        "Tesauro's public evaluator (needs the peers extra)", "ludus.players.peers", "make_pubeval", {}, ("backgammon",)
    ),
    "gnubg-program": Entry(
        "GNU Backgammon, the program itself, by its socket, and with the cube as gnubg (needs gnubg installed)",
        "ludus.players.engines.backgammon", "make_gnubg_program", {"plies": (0, 1, 2, 3), "patience": SECONDS}, ("backgammon",),
    ),
    "wildbg": Entry(
        "a wildbg server, by its HTTP interface", "ludus.players.engines.backgammon", "make_wildbg", {"url": str, "patience": SECONDS},
        ("backgammon",), outside=True,
    ),
    "qtp": Entry(
        "an engine that speaks the Quoridor Text Protocol: qtp:COMMAND; patience is how many seconds it has for an answer",
        "ludus.players.engines.qtp", "make_qtp", {"patience": SECONDS}, ("quoridor",), takes_path=True, outside=True,
    ),
    "ugi": Entry(
        "an engine that speaks UGI, or another protocol like UCI, in ludus's notation: ugi:COMMAND; seconds is what it is given to think",
        "ludus.players.engines.ugi", "make_ugi", {"seconds": SECONDS, "patience": SECONDS, "dialect": ("ugi", "uci")}, takes_path=True, outside=True,
    ),
    "openspiel": Entry(
        "OpenSpiel's bots, openspiel:mcts, openspiel:random and others, in its games and, slowly, in ours (needs the openspiel extra)",
        "ludus.adapters.openspiel.bots", "make_bot", {"simulations": COUNT, "c": WEIGHT, "rollouts": PLAYOUTS, "solve": bool, "actions": str},
        takes_path=True,
    ),
}  # fmt: skip


def player(name: str, game: Any, load: bool = True) -> Any:
    """The player of a name, ready for a game: a built-in one, an installed one, or a user's own `file.py:Class`. With `load=False`, a
    user's own code is found only if it was named before: a file that mentions code, or a program, must not get it run.

    >>> import ludus
    >>> player("random", ludus.game("backgammon"))
    Random(max_moves=4096)
    """
    spec = parse(name)
    if not load:
        for where in code_in(name):
            if names.known(where) is None:
                raise LudusError(f"a player is {where}, and code is loaded only when you name it: --code {where}")
        if is_outside(name):
            raise LudusError(
                f"a player is {brief(name)}, and programs are run and servers asked only when you name them yourself"
            )
    if spec.name in REGISTRY:
        return make(spec.name, game, spec.path, spec.arguments)
    where = f"{spec.name}:{spec.path}"
    if spec.path is not None and names.is_code(where):
        return _made(names.load(where, "player"), where, game, spec.arguments)
    found = names.load_installed("ludus.players", spec.name)
    if found is None:
        raise unknown("player", spec.name, [*REGISTRY, *names.installed("ludus.players")])
    return _made(found, spec.name, game, spec.arguments)


def code_in(name: str) -> list[str]:
    """The users' own code that a player's name asks for.

    >>> code_in("mine.py:Player"), code_in("run:runs/a(method=mine.py:Sarsa)"), code_in("td:runs/a(plies=1)")
    (['mine.py:Player'], ['mine.py:Sarsa'], [])
    """
    spec = parse(name)
    own = [] if spec.name in REGISTRY or spec.path is None else [f"{spec.name}:{spec.path}"]
    return [where for where in (*own, *map(str, spec.arguments.values())) if names.is_code(where)]


def check_known(name: str) -> None:
    """LudusError if no player is called so. Nothing is loaded; a user's own code is looked for when it is.

    >>> check_known("tdd(plies=1)")
    Traceback (most recent call last):
    ludus.errors.LudusError: unknown player 'tdd'; did you mean 'td'?
    """
    spec, known = parse(name), [*REGISTRY, *names.installed("ludus.players")]
    if spec.name not in known and not code_in(name):
        raise unknown("player", spec.name, known)


def is_outside(name: str) -> bool:
    """Whether a player's name says which program is to be run, or which server to be asked.

    >>> is_outside("qtp:./theirs"), is_outside("td:runs/a")
    (True, False)
    """
    spec = parse(name)
    return spec.name in REGISTRY and REGISTRY[spec.name].outside


def make(name: str, game: Any, path: str | None = None, arguments: dict[str, Any] | None = None) -> Any:
    """A built-in player, from its name, the path of its model and its arguments."""
    entry = REGISTRY[name]
    if entry.games and game.facts.name not in entry.games:
        raise LudusError(f"player '{name}' plays {', '.join(entry.games)} only, not {game.facts.name}")
    if not entry.veiled and hasattr(game, "check_whole"):  # `contract.knowing` would know, and loads Numba
        fair = ", ".join(known for known, one in REGISTRY.items() if one.veiled)
        raise LudusError(
            f"player '{name}' looks at the whole state, and {game.facts.name} hides some of it from each seat: it would cheat; players that go by what they know are {fair}"
        )
    if path is not None and not entry.takes_path:
        raise LudusError(f"player '{name}' takes no path, but got '{path}'")
    checked = Spec(name, path, dict(arguments or {})).check("player", entry.parameters)
    return getattr(importlib.import_module(entry.module), entry.maker)(game, path, **checked)


def _made(maker: Any, name: str, game: Any, arguments: dict[str, Any]) -> Any:
    """A player from outside: its class, or a function that makes it, is called with the game, if it wants it, and the arguments."""
    try:
        wanted = list(inspect.signature(maker).parameters)
        made = maker(game, **arguments) if wanted[:1] == ["game"] else maker(**arguments)
    except TypeError as error:
        raise LudusError(f"player '{name}' can't be made: {error}") from error
    from ludus.players.base import check_player  # loads Numba, which lists of players do without

    check_player(made)
    with contextlib.suppress(AttributeError):  # a NamedTuple has no place for it
        made.name = getattr(made, "name", None) or name
    return made


def best_known(game: Any) -> str:
    """The name of the best player that a game has without any training.

    >>> import ludus
    >>> best_known(ludus.game("backgammon")), best_known(ludus.game("tictactoe"))
    ('td', 'mcts')
    """
    from ludus.players.models import has_model

    return "td" if has_model(game) else "mcts"


def make_random(game: Any, path: str | None) -> Any:
    """The player that moves at random."""
    from ludus.players.base import Random

    return Random(game.facts.max_moves)
