"""What the commands share: options that mean the same everywhere, commands whose options are a dataclass, and how results
are printed for people and for programs.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ludus.cli.usage import Commands
from ludus.errors import brief
from ludus.files import check_name
from ludus.quantities import SECONDS, SEED, Quantity

if TYPE_CHECKING:
    from rich.console import Console

Game = Annotated[
    str, typer.Argument(metavar="GAME", help="A game, with parameters where it has any: see 'ludus games'.")
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same result."), SEED]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else.")]
Changes = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change a setting.")]

Workers = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Who does the work: local (processes), ray, or a cluster of Ray at ray://HOST:PORT or HOST:PORT. Changes no result.",
    ),
]
Patience = Annotated[
    float, typer.Option(help="Seconds without a word after which one of --workers is given up."), SECONDS
]


@contextlib.contextmanager
def at_work(where: str | None, jobs: int | None = None, patience: float = 600.0) -> Iterator[Any]:
    """Who works, by what --workers and --jobs say: an executor, or the number of cores.

    >>> with at_work(None, 2) as jobs:
    ...     jobs
    2
    """
    if where is None:
        yield jobs
        return
    from ludus.scale.opening import workers

    with workers(where, jobs, patience) as crew:
        yield crew


class App(typer.Typer):
    """A group of commands. Each number among their options has a kind, `Annotated[int, typer.Option(…), GAMES]`, and is checked, before
    anything is done, against what numbers of that kind may be; so is each path, for whether a file can be called so.
    """

    def command(self, *names: Any, **settings: Any) -> Any:
        """Make a command of a function."""
        make = super().command(*names, **settings)
        return lambda function: make(_checked(function))


def new_app(**settings: Any) -> App:
    """An empty group of commands, as all of ours are made."""
    # Without rich's markup, help takes 0.1 s instead of 0.3 s.
    return App(cls=Commands, add_completion=False, rich_markup_mode=None, **settings)


def _checked(command: Callable[..., None]) -> Callable[..., None]:
    hints = {name: hint for name, hint in _hints(command).items() if name != "return"}
    kinds = {name: _kind(command, name, hint) for name, hint in hints.items()}

    @functools.wraps(command)
    def run(**values: Any) -> None:
        for name, value in values.items():
            kind, label = kinds[name], f"--{name.replace('_', '-')}"
            if kind is not None and value is not None:
                values[name] = kind.read(value, f"{label} {brief(value)}")
            elif isinstance(value, Path):
                check_name(value)
        command(**values)

    return run


def _kind(command: Callable[..., None], name: str, hint: Any) -> Quantity | None:
    """The kind of a number that an option takes; None for an option that takes none."""
    base, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kind = next((mark for mark in marks if isinstance(mark, Quantity)), None)
    numeric = {int, float} & {base, *get_args(base)}
    if numeric != ({kind.type} if kind is not None else set()):
        raise TypeError(
            f"option '{name}' of {command.__name__} is a number, and needs a kind of ludus.quantities that fits"
        )
    return kind


def with_options(command: Callable[[Any], None]) -> Callable[..., None]:
    """A command for Typer, from a function whose one parameter is a dataclass: each field becomes an option or argument.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Options:
    ...     name: Annotated[str, typer.Argument(help="Whom to greet.")]
    ...     loud: Annotated[bool, typer.Option("--loud")] = False
    >>> def greet(options: Options) -> None:
    ...     print(f"hello {options.name}" + "!" * options.loud)
    >>> with_options(greet)(name="world", loud=True)
    hello world!
    >>> list(inspect.signature(with_options(greet)).parameters)
    ['name', 'loud']
    """
    (made_of,) = (kind for name, kind in _hints(command).items() if name != "return")
    annotations = _hints(made_of)

    @functools.wraps(command)
    def run(**values: Any) -> None:
        command(made_of(**values))

    # Typer reads the signature and the annotations. Neither may still be that of the function within.
    run.__annotations__ = {**annotations, "return": None}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=annotations[field.name],
            )
            for field in fields(made_of)
        ]
    )
    return run


def _hints(of: Any) -> dict[str, Any]:
    return get_type_hints(of, include_extras=True)


def print_json(value: Any) -> None:
    """Print a result for programs: one line of JSON."""
    print(json.dumps(value))


def print_list(rows: Iterable[tuple[str, str]]) -> None:
    """Print names and what they mean, in two columns."""
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        print(f"{name:<{width}}  {text}")


def say(line: str) -> None:
    """Tell people how a command gets on, beside what it prints as its result."""
    print(line, file=sys.stderr, flush=True)


def console(**settings: Any) -> Console:
    """A console for tables and colours."""
    from rich.console import Console  # takes 0.1 s to import, and lists and JSON do without

    return Console(**settings)
