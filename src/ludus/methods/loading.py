"""Players from files: what a method learned is read back by the method itself, and plays. Named players that need no method
(`td`, `mcts`) read networks on their own, in `ludus.players`.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.methods import Method, method_class
from ludus.methods.qlnn import QLNNPlayer
from ludus.methods.settings import read
from ludus.methods.table import TablePlayer
from ludus.nets import storage
from ludus.nets.models import check_encoding, fact, model_file
from ludus.players.zero import NODES, SECONDS, Limits, Zero, check_game
from ludus.quantities import GAMES
from ludus.search.puct import Puct

USUAL_PLAYOUTS = 200  # games a move, for a table that was learned without search
LAYOUT = "200-200"  # of the shipped model that `qlnn` alone is
_FACTS = {"method": str, "player": str, "settings": dict, "training": dict, "game": str, "game_version": int}
SHIPPED = ("160-187", "200-200", "345-200")  # the thesis's three


def load_learner(game: Any, path: Path, cls: type[Method] | None = None, player: tuple[str, ...] = ()) -> Any:
    """The learner of a model's file, ready to play; `player` are the names by which it may be called here, if not by all.

    A method that is not part of ludus, nor installed, must be given, or have been named before.
    """
    model, facts = storage.load(path)
    for key, kind in _FACTS.items():
        fact(facts, key, kind, str(path))
    games = GAMES.read(
        fact(facts["training"], "games", int, str(path)), f"{path}: training games = {facts['training']['games']}"
    )
    if player and facts["player"] not in player:
        raise LudusError(f"{path} holds what player '{facts['player']}' plays by; name it as {facts['player']}:{path}")
    cls = cls or method_class(facts["method"], load=False)
    cls.check_fit(game, facts, str(path))
    method = cls()
    try:
        method.settings = read(cls.Settings, facts["settings"], f"method '{facts['method']}'", given=())
        learner = method.to_play(game, games)
        check_encoding(facts, learner.facts().get("encoding_version", 1), str(path))
        learner.restore_model(model)
    except LudusError as error:
        raise error if str(path) in str(error) else LudusError(f"{path} can't be used: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise LudusError(f"{path} makes no sense: {error!r}") from None
    return learner


# --- makers of named players -----------------------------------------------------------------------------------------


def make_run(game: Any, path: str | None, method: str | None = None) -> Any:
    """The player of any method's run or model. Code from outside is loaded only if it is named: `run:FOLDER(method=file.py:Class)`."""
    file = model_file(path, "run")
    if method is None:
        return load_learner(game, file).player()
    cls, theirs = method_class(method), str(storage.load(file)[1].get("method"))
    if theirs.rpartition(":")[2] != method.rpartition(":")[2]:
        raise LudusError(f"{file} was learned by {theirs}, not by {method}")
    return load_learner(game, file, cls).player()


def make_q(game: Any, path: str | None) -> Any:
    """The player of values that Q-learning found."""
    return load_learner(game, model_file(path, "q"), player=("q", "qm")).player()


def make_qm(game: Any, path: str | None, playouts: int | None = None, nested: bool | None = None) -> TablePlayer:
    """The player of a table of states that searches where it knows nothing, with so many games a move."""
    file = model_file(path, "qm")
    player = load_learner(game, file, player=("q", "qm")).player()
    if not isinstance(player, TablePlayer):
        raise LudusError(f"{file} holds values of a scheme, which knows all that can happen; name it as q:{path}")
    options = player.options._replace(playouts=playouts or player.options.playouts or USUAL_PLAYOUTS)
    return player._replace(options=options if nested is None else options._replace(nested=nested))


def make_qlnn(game: Any, path: str | None, layout: str = LAYOUT) -> QLNNPlayer:
    """The player of a Q-network: a shipped one, or that of a run's folder or a file."""
    if path is None:
        if layout not in SHIPPED:
            raise LudusError(f"no qlnn of layout '{layout}' is shipped; there are {', '.join(SHIPPED)}")
        file = Path(str(resources.files("ludus") / "models" / f"quoridor-qlnn-{layout}.safetensors"))
    elif layout != LAYOUT:
        raise LudusError(f"qlnn:{path} has a layout of its own: leave out layout={layout}")
    else:
        file = model_file(path, "qlnn")
    return load_learner(game, file, player=("qlnn",)).player()


def make_zero(
    game: Any,
    path: str | None,
    seconds: float | None = None,
    simulations: int | None = None,
    c: float | None = None,
    nodes: int = NODES,
) -> Zero:
    """The player of a network with policy and value: a shipped one, or that of a run's folder or a file."""
    check_game(game)
    if seconds is not None and simulations is not None:
        raise LudusError("zero searches by time or by count: give seconds or simulations, not both")
    if path is None:
        file = Path(str(resources.files("ludus") / "models" / f"{game.facts.name}-zero.safetensors"))
        if not file.exists():
            raise LudusError(f"no zero for {game.facts.name} is shipped; train one and name it as zero:FOLDER")
    else:
        file = model_file(path, "zero")
    learned = load_learner(game, file, player=("zero",)).player()
    limits = Limits(seconds or SECONDS, simulations or 0, nodes)
    limit = f"simulations={simulations}" if simulations else f"seconds={limits.seconds:g}"
    name = f"zero{':' + path if path else ''}({limit})"
    return Zero(game, learned.judge, limits, Puct() if c is None else Puct(c), name)
