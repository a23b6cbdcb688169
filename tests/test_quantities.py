"""Numbers that make no sense, given to every option, argument and setting there is: the answer is one line, and never a traceback."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

import ludus
from ludus import games, players, quantities
from ludus.cli.main import app, main
from ludus.cli.options import _hints, new_app
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.lab.config import Training
from ludus.lab.planning import plan
from ludus.methods import METHODS, method_class
from ludus.methods.settings import _limits
from ludus.quantities import GAMES, SECONDS, SEED, SHARE, Quantity, need_memory
from ludus.search.solve import solve

BAD = [
    "0", "-1", "0.5", str(10**9), str(10**12), str(2**63), "-" + "9" * 30, "9" * 400, "9" * 5000, "nan", "inf", "-inf", "1e308", "-1e308",
    "1e-320", "1e400", "", " ", "text", "true", "٣", "0x10", "1,2", "a\0b",
]  # fmt: skip


def accepted(kind: Quantity, text: str) -> bool:
    """Whether a text is a number of this kind."""
    try:
        return kind.fault(kind.type(text)) is None
    except ValueError:
        return False


# --- the kinds themselves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "good"),
    [
        (GAMES, 1, True), (GAMES, 10**9, True), (GAMES, 0, False), (GAMES, 10**9 + 1, False), (GAMES, 10**400, False), (GAMES, 1.0, False),
        (GAMES, True, False), (GAMES, None, False), (GAMES, "1", False),
        (SHARE, 0, True), (SHARE, 1, True), (SHARE, 0.5, True), (SHARE, 1.1, False), (SHARE, float("nan"), False),
        (SECONDS, 1e-9, True), (SECONDS, 0, False), (SECONDS, float("inf"), False), (SECONDS, 10**400, False),
        (SEED, 2**63 - 1, True), (SEED, 2**63, False), (SEED, -1, False),
        (Quantity("any", float), 1e308, True), (Quantity("any", float), float("-inf"), False), (Quantity("any", float), 10**400, False),
        (Quantity("any", int), -(10**18), True), (Quantity("any", int), 2**64, False),
    ],
)  # fmt: skip
def test_what_a_number_of_a_kind_may_be(kind: Quantity, value: Any, good: bool) -> None:
    assert (kind.fault(value) is None) is good


def test_all_kinds_have_two_ends() -> None:
    kinds = [value for value in vars(quantities).values() if isinstance(value, Quantity)]
    assert len(kinds) > 20
    for kind in kinds:
        assert kind.high is not None
        assert (kind.low is None) != (kind.above is None)


def test_what_needs_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantities, "memory", lambda: 5 * 10**9)
    need_memory(5 * 10**9, "this")
    with pytest.raises(LudusError, match="this: that takes 8 GB of memory; this machine has 5"):
        need_memory(8 * 10**9, "this")
    with pytest.raises(LudusError, match=r"games=1000000000: that takes 100 GB"):
        ludus.arena("tictactoe", ["random", "random"], games=10**9)
    with pytest.raises(LudusError, match=r"mcts\(nodes=1000000000\): that takes 96 GB"):
        ludus.player("mcts(nodes=1000000000)", ludus.game("tictactoe"))
    with pytest.raises(LudusError, match="setting evaluation_games = 1000000000: that takes 100 GB"):
        ludus.train("tictactoe", method="table", evaluation_games=10**9)
    with pytest.raises(LudusError, match="setting table_limit = 1000000000: that takes 100 GB"):
        ludus.train("tictactoe", method="table", table_limit=10**9)
    with pytest.raises(LudusError, match="setting replay = 1000000000: that takes"):
        ludus.train("quoridor(size=5,walls=3)", "qlnn", replay=10**9)
    with pytest.raises(LudusError, match=r"limit=1000000000: that takes 3\d\d GB"):
        solve(ludus.game("tictactoe"), 10**9)


# --- options of commands ---------------------------------------------------------------------------------------------

LINES = {
    "train": ["tictactoe"],
    "sweep": ["tictactoe", "--over", "rate=0.1"],
    "play": ["tictactoe"],
    "engine": ["tictactoe"],
    "analyse": ["tictactoe"],
    "arena": ["tictactoe", "random", "random"],
    "bench": ["tictactoe"],
    "solve": ["tictactoe"],
    "compare": ["table", "--suite", "smoke"],
    "reproduce": ["mauermann2015"],
    "demo": [],
    "rollout": ["backgammon"],
    "explain": ["XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"],
    "gdl check": ["tictactoe"],
    "ggp player": [],
    "ggp match": ["tictactoe", "--players", "random,random"],
    "ggp serve": [],
    "serve": ["--no-open"],
    "ggp tournament": ["tictactoe", "--players", "random,random"],
    "ggp results": [],
}  # what each command with numbers among its options needs beside them


def numbers() -> list[tuple[str, str, Quantity]]:
    """Each option that takes a number: of which command, and of which kind. `App` makes no command with a number of no kind."""
    groups = [("", app)] + [(f"{group.name} ", group.typer_instance) for group in app.registered_groups]
    return [
        (prefix + (info.name or info.callback.__name__), f"--{name.replace('_', '-')}", mark)
        for prefix, group in groups
        for info in group.registered_commands
        for name, hint in _hints(info.callback).items()
        for mark in getattr(hint, "__metadata__", ())
        if isinstance(mark, Quantity)
    ]


def complaint(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    """The one line that a command ends with."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr()
    assert ended.value.code == code, told.err
    (line,) = told.err.splitlines()
    assert line.startswith("ludus: ")
    assert len(line) < 1100
    return line


def test_all_commands_with_numbers_are_tried() -> None:
    assert {name for name, _, _ in numbers()} == set(LINES)
    assert len(numbers()) > 25


@pytest.mark.parametrize(("command", "option", "kind"), numbers(), ids=lambda part: getattr(part, "name", part))
def test_every_option_refuses_what_is_no_number_of_its_kind(
    command: str, option: str, kind: Quantity, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for text in BAD:
        if not accepted(kind, text):
            assert option in complaint([*command.split(), *LINES[command], f"{option}={text}"], capsys), text
    assert not list(tmp_path.iterdir())


def test_a_command_with_a_number_of_no_kind_can_t_be_made() -> None:
    def count(number: Annotated[int, typer.Option()] = 1) -> None: ...

    with pytest.raises(TypeError, match="option 'number' of count"):
        new_app().command()(count)


@pytest.mark.parametrize("text", BAD)
def test_a_setting_on_the_command_line(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if not accepted(GAMES, text):
        assert "games" in complaint(["train", "tictactoe", "--set", f"games={text}"], capsys)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", " ", ","])
def test_a_training_without_opponents_does_not_begin(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "opponents=random" in complaint(["train", "tictactoe", "--set", f"opponents={text}"], capsys)
    assert not list(tmp_path.iterdir())


# --- arguments of games and players ----------------------------------------------------------------------------------


def tried(make: Any, texts: list[str] = BAD) -> None:
    """Make something of each text, or be told in one line why not."""
    for text in texts:
        told = "one line"
        try:
            make(text)
        except LudusError as error:
            told = str(error)
        assert len(told.splitlines()) == 1, text


def parameters(registry: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, key) for name, entry in registry.items() for key in entry.parameters]


@pytest.mark.parametrize(("name", "key"), parameters(games.REGISTRY))
def test_every_argument_of_a_game(name: str, key: str) -> None:
    tried(lambda text: ludus.game(f"{name}({key}={text})"))


@pytest.mark.parametrize("key", gdl.PARAMETERS)
def test_every_argument_of_a_rulesheet(key: str) -> None:
    tried(lambda text: ludus.game(f"tictactoe({key}={text})"))


@pytest.mark.parametrize(("name", "key"), parameters(players.REGISTRY))
def test_every_argument_of_a_player(name: str, key: str) -> None:
    game = ludus.game((players.REGISTRY[name].games or ("quoridor",))[0])
    tried(lambda text: ludus.player(f"{name}({key}={text})", game))


@pytest.mark.parametrize(
    "spec",
    ["mcts(c=nan)", "lead(wall=nan)", "mcts(seconds=inf)", "td(seconds=nan)", "mcs(seconds=nan)", "alphabeta(seconds=inf)",
     f"mcts(leaf={10**12})", f"mcts(simulations={10**20})", f"td(width={10**20})", f"td(rollouts={10**12})", f"mcs(playouts={10**12})"],
)  # fmt: skip
def test_players_that_make_no_sense_are_refused(spec: str) -> None:
    with pytest.raises(LudusError, match=r"is a (whole )?number"):
        ludus.player(spec, ludus.game("quoridor"))


@pytest.mark.parametrize("name", [name for name, entry in players.REGISTRY.items() if entry.takes_path])
def test_paths_that_no_file_has(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    game = ludus.game("quoridor")
    for path in (
        "a" * 5000,
        "a\0b",
        "\ud800",
        str(tmp_path / "pipe"),
        "/dev/zero",
        "/dev/null",
        str(tmp_path),
        str(tmp_path / "none"),
    ):
        with pytest.raises(LudusError) as error:
            ludus.player(f"{name}:{path}", game)
        assert len(str(error.value)) < 500


# --- settings of methods ---------------------------------------------------------------------------------------------

LEARNED = {
    "selfplay": ("backgammon", {"method": "selfplay", "settings": {"encoding": "raw"}}),
    "traces": ("backgammon", {"preset": "mauermann2015"}),
    "q": ("ludo(rules=ludopy,seats=2)", {"preset": "rossen2022"}),
    "table": ("tictactoe", {"method": "table"}),
    "qlnn": ("quoridor(size=5,walls=3)", {"preset": "qlnn"}),
    "zero": ("tictactoe", {"method": "zero"}),
}  # where each method is tried


def settings() -> list[tuple[str, str]]:
    """Each setting of each method, and those of the training once."""
    own = [(method, f.name) for method in METHODS for f in fields(method_class(method).Settings)]
    return own + [("table", f.name) for f in fields(Training)]


def test_all_methods_are_tried() -> None:
    assert set(LEARNED) == set(METHODS)


@pytest.mark.parametrize(("method", "name"), settings())
def test_every_setting_of_a_method(method: str, name: str) -> None:
    game, asked = LEARNED[method]

    def begin(text: str) -> Any:
        given = {**asked, "settings": {**asked.get("settings", {}), name: text}}
        made = plan(game, **given)
        return made.method.begin(made.game, 1, made.config.training.games, lambda who: ludus.player(who, made.game))

    tried(begin)


def test_every_number_among_the_settings_has_two_ends() -> None:
    for cls in (Training, *(method_class(method).Settings for method in METHODS)):
        for f in fields(cls):
            kind = _limits(f).kind
            assert (kind is not None) == (type(f.default) in (int, float)), f.name
            assert kind is None or kind.high is not None, f.name


# --- from Python -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["games", "seed", "jobs", "slots", "opening"])
@pytest.mark.parametrize("value", [-1, 10**400, float("nan"), float("inf"), 1.5, "text", True])
def test_numbers_of_a_contest(name: str, value: Any) -> None:
    with pytest.raises(LudusError, match=rf"^{name}="):
        ludus.arena("tictactoe", ["random", "random"], **{name: value})


def test_more_workers_than_cores_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.matches import contest, workers

    asked = []
    monkeypatch.setattr(contest, "cores", lambda: 2)
    monkeypatch.setattr(
        workers, "run_spread", lambda plan, crew, *rest: asked.append(crew.places) or workers.run_here(plan, None)
    )
    ludus.arena("tictactoe", ["random", "random"], games=100, jobs=4000)
    assert asked == [2 * contest.JOBS_A_CORE]


# --- paths on the command line ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["a" * 5000, "a\0b"])
@pytest.mark.parametrize(
    "line",
    ["plot {}", "table {}", "train --resume {}", "train tictactoe --out {}", "sweep tictactoe --method table --over rate=0.1 --out {}",
     "play tictactoe --load {}", "board tictactoe --svg {}", "reproduce mauermann2015 --out {}", "ggp results --database {}",
     "arena tictactoe td:{} random", "arena tictactoe {}.py:Player random", "train tictactoe --method {}.py:Method", "gdl check {}.kif", "gdl show {}"],
)  # fmt: skip
def test_paths_that_can_t_be(
    line: str, path: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    complaint([part.format(path) for part in line.split()], capsys)
    assert not list(tmp_path.iterdir())


def test_pipes_in_place_of_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.toml")
    for line in ("plot {}", "train --resume {}", "table {}", "play tictactoe --load {}/config.toml"):
        assert "not a regular file" in complaint([part.format(tmp_path) for part in line.split()], capsys)
    (tmp_path / "config.toml").unlink()
    (tmp_path / "config.toml").symlink_to("/dev/zero")
    assert "not a regular file" in complaint(["plot", str(tmp_path)], capsys)
