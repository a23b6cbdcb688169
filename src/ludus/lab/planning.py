"""From what people say to what is trained: a game, a method and settings, by name or as objects."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus import games as game_registry
from ludus import names
from ludus.contract.knowing import hides
from ludus.errors import LudusError
from ludus.lab.config import Config, Training, split
from ludus.methods import Method, method_class, method_name, source_of
from ludus.methods.presets import preset as preset_of
from ludus.methods.presets import presets_for
from ludus.methods.settings import read, to_dict
from ludus.quantities import SEED


class Plan(NamedTuple):
    """What a run is going to train."""

    config: Config
    game: Any
    method: Method  # with its settings, before it knows the game


def plan(
    game: Any, preset: str | None = None, method: Any = None, seed: int = 1, settings: dict[str, Any] | None = None
) -> Plan:
    """What is to be trained: `preset` unless a method is given, with some settings changed; LudusError says what can't be."""
    if game is None:
        raise LudusError("say which game to train, or which run to resume")
    seed = SEED.read(seed, f"seed={seed}")
    if isinstance(game, str):
        game = game_registry.game(game)
    if hides(game):
        raise LudusError(
            f"methods learn from whole states, and {game.facts.name} hides some of them from each seat: it can be played by mcts, but not trained"
        )
    values = dict(settings or {})
    cls, given = _method(method)
    if cls is None or preset is not None:
        name = preset or usual_preset(game)
        found = preset_of(game.facts.name, name)
        if cls is not None and found.method != method_name(cls):
            raise LudusError(
                f"preset '{name}' is for method '{found.method}', not for '{method_name(cls)}': leave one of them out"
            )
        cls, label = method_class(found.method), name
        values = found.settings | found.training | given | values
    else:
        label, values = "", given | values
    called = method_name(cls)
    training, own = split(values, called, cls)
    made = cls()
    asked = [k for k in own if k in given or k in (settings or {})]
    made.settings = read(cls.Settings, own, f"method '{called}'", asked)
    made.check_use(game, asked)
    code = {"game": _code(type(game)), "method": source_of(cls)}
    config = Config(
        game_registry.game_name(game), game.facts.version, label, called, seed,
        read(Training, training, "a training"), to_dict(made.settings), {k: v for k, v in code.items() if v},
    )  # fmt: skip
    return Plan(config, game, made)


def usual_preset(game: Any) -> str:
    """The preset that is taken unless told: the first one whose method can learn the game.

    >>> usual_preset(game_registry.game("connectfour")), usual_preset(game_registry.game("pig"))
    ('zero', 'network')
    """
    presets = presets_for(game.facts.name)
    for name, found in presets.items():
        cls = method_class(found.method)
        made = cls()
        made.settings = read(cls.Settings, found.settings, f"method '{found.method}'", ())
        try:
            made.check_use(game, ())
        except LudusError:
            continue
        return name
    return next(iter(presets))


def _method(method: Any) -> tuple[type[Method] | None, dict[str, Any]]:
    """A method's class, and the settings that came with it."""
    if method is None:
        return None, {}
    if isinstance(method, str):
        return method_class(method), {}
    if isinstance(method, Method):
        names.remember(type(method))
        settings = to_dict(method.settings)
        return type(method), {name: settings[name] for name in method.given}
    if isinstance(method, type) and issubclass(method, Method):
        return names.remember(method), {}
    raise LudusError(
        f"{method!r} is not a method: give a name, file.py:Class, or an object of a class that inherits from Method"
    )


def _code(cls: type) -> str:
    return "" if cls.__module__.startswith("ludus.") else names.source_digest(cls)


def named_again(config: Config, game: Any, method: Any) -> tuple[Any, type[Method] | None, list[str]]:
    """For a run that is resumed: its game and its method's class, where the user names them again, and what has changed since.

    Code from outside is loaded only if it is named, so a run that needs some is resumed by naming it.
    """
    warnings = []
    if game is not None:
        game = game_registry.game(game) if isinstance(game, str) else game
        if game_registry.game_name(game) != config.game and _code(type(game)) != config.code.get("game"):
            raise LudusError(f"the run learns {config.game}, not {game_registry.game_name(game)}")
    cls, settings = _method(method)
    if settings:
        raise LudusError("a run that is resumed keeps its settings: name the method alone")
    if (
        cls is not None
        and method_name(cls) != config.method
        and method_name(cls).rpartition(":")[2] != config.method.rpartition(":")[2]
    ):
        raise LudusError(f"the run learns by {config.method}, not by {method_name(cls)}")
    if cls is None and config.method and "method" in config.code and names.is_code(config.method):
        cls = method_class(config.method, load=False)
    if cls is not None and source_of(cls) != config.code.get("method", ""):
        warnings.append(f"the code of {method_name(cls)} has changed since the run began: it may go on otherwise")
    if game is not None and _code(type(game)) != config.code.get("game", ""):
        warnings.append(f"the code of {config.game} has changed since the run began: it may go on otherwise")
    return game, cls, warnings
