"""The command line: what it prints for people and for programs, and one line with exit code 2 for all that is wrong."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import pytest
import typer

from ludus import __version__
from ludus.cli.main import main
from ludus.cli.options import new_app, with_options
from ludus.cli.usage import run
from ludus.errors import LudusError
from ludus.ggp.store import Store
from ludus.lab import Run, metrics
from ludus.methods.presets import PRESETS, preset
from ludus.quantities import COUNT

COMMANDS = {
    "train", "analyse", "explain", "arena", "play", "bench", "reproduce", "rollout", "warmup", "games", "players", "presets", "board", "plot", "demo", "sweep",
    "gdl", "ggp", "solve", "table", "methods", "models", "serve", "compare", "engine"}  # fmt: skip
SOURCE = Path(__file__).parent.parent / "src"  # what a command in another folder is to import
TINY = [
    "--preset",
    "mauermann2015",
    "--games",
    "40",
    "--hidden",
    "4",
    "--set",
    "evaluation_games=4",
    "--set",
    "evaluate_every=20",
]


@dataclass(frozen=True)
class Greeting:
    name: Annotated[str, typer.Argument(metavar="NAME")]
    mood: Annotated[str, typer.Option()]
    often: Annotated[int, typer.Option(), COUNT] = 1


OWN_METHOD = '''
from dataclasses import dataclass
from ludus.methods import Method, setting

class Mine(Method):
    """Learns nothing."""
    @dataclass(frozen=True)
    class Settings:
        rate: float = setting(0.1, "step size", above=0)
'''


class Answer(NamedTuple):
    code: int
    out: str
    err: str


Ludus = Callable[..., Answer]


@pytest.fixture
def ludus(capsys: pytest.CaptureFixture[str]) -> Ludus:
    """Runs a command in this process."""

    def run(*arguments: Any) -> Answer:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return Answer(ended.value.code, *capsys.readouterr())  # type: ignore[arg-type]

    return run


# --- help ------------------------------------------------------------------------------------------------------------


def test_help_lists_the_commands(ludus: Ludus) -> None:
    answer = ludus("--help")
    assert answer.code == 0
    listed = set(re.findall(r"^  ([a-z]+)  ", answer.out.split("Commands:")[1], re.MULTILINE))
    assert listed == COMMANDS
    assert ludus().out == answer.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_explains_itself(name: str, ludus: Ludus) -> None:
    answer = ludus(name, "--help")
    assert answer.code == 0
    assert f"Usage: ludus {name}" in answer.out


@pytest.mark.parametrize("name", ["train", "arena", "play", "bench", "reproduce", "board", "plot", "engine"])
def test_help_has_examples_that_could_be_typed(name: str, ludus: Ludus) -> None:
    examples = re.findall(rf"^    ludus {name} .*$", ludus(name, "--help").out, re.MULTILINE)
    assert examples
    options = ludus(name, "--help").out.split("Options:")[1]
    assert all(option in options for option in re.findall(r"--[a-z-]+", " ".join(examples)))


@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "train --help",
        "ggp --help",
        "--version",
        "games",
        "players",
        "presets",
        "trian",
        "ggp results --json",
        "engine --help",
    ],
)
def test_what_needs_no_kernel_does_not_load_numba(arguments: str, tmp_path: Path) -> None:
    Store(tmp_path / "ggp.sqlite").close()
    code = (
        "import sys; from ludus.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*({'numba', 'numpy', 'matplotlib', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stderr.splitlines()[-1] == ""


def test_the_package_itself_is_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "ludus", "--version"], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"ludus {__version__}\n", "")


def test_a_command_may_take_its_options_as_a_dataclass() -> None:
    heard: list[Any] = []

    @with_options
    def command(options: Greeting) -> None:
        """Greet somebody."""
        heard.append(options)

    app = new_app()
    app.command()(command)
    app.callback()(lambda: None)
    with pytest.raises(SystemExit) as ended:
        run(app, ["command", "Ann", "--mood", "gay", "--often", "3"])
    assert ended.value.code == 0
    assert heard == [Greeting("Ann", "gay", 3)]
    for wrong in (["command"], ["command", "Ann"], ["command", "Ann", "--mood", "gay", "--often", "0"]):
        with pytest.raises(SystemExit) as ended:
            run(app, wrong)
        assert ended.value.code == 2
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("line", "methods"),
    [
        ("train --help", []),
        ("train backgammon --help", ["traces", "selfplay"]),
        ("train --help ludo(seats=2) --preset alhajry2012-ql", ["traces", "q", "selfplay"]),
        ("train backgammon --method mine.py:Mine --help", ["mine.py:Mine"]),
        ("train --method qlnn --help", ["qlnn"]),
    ],
)
def test_help_shows_the_settings_of_methods(
    line: str, methods: list[str], ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(OWN_METHOD)
    answer = ludus(*line.split())
    assert answer.code == 0
    sections = re.split(r"^Settings of (?:method )?(.*?)(?:, for --set)?:$", answer.out, flags=re.MULTILINE)[1:]
    told = dict(zip(sections[::2], sections[1::2], strict=True))
    assert list(told) == [f"'{name}'" for name in methods] + ["any training"] * bool(methods)
    for name in methods:
        assert re.search(r"^  rate=\d[.\d]* +step size", told[f"'{name}'"], re.MULTILINE), name
    assert "  opponents=random " in told.get("any training", "  opponents=random ")


def test_version(ludus: Ludus) -> None:
    assert ludus("--version") == Answer(0, f"ludus {__version__}\n", "")


def test_help_names_all_papers(ludus: Ludus) -> None:
    from ludus.papers.reproduce import PAPERS

    shown = re.search(r"PAPER <str> (.*?)\. \[required\]", " ".join(ludus("reproduce", "--help").out.split()))
    assert shown is not None
    assert re.split(", | or ", shown[1]) == list(PAPERS)


def test_the_examples_of_table_can_be_typed(ludus: Ludus, tmp_path: Path) -> None:
    def type_in(line: str) -> str:
        # In plain Python: to compile takes minutes, and twenty games a second.
        plain = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(SOURCE)}
        command = [sys.executable, "-W", "ignore", "-m", "ludus", *shlex.split(line)]
        done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, text=True, check=True)
        return done.stdout

    train, people, programs = re.findall(r"^    ludus (.*)$", ludus("table", "--help").out, re.MULTILINE)
    type_in(f"{train} --games 20 --set evaluation_games=2 --json")
    assert re.match(r"tictactoe: \d+ entries, \d+ visits, 20 games *\n", type_in(people))
    seen = json.loads(type_in(programs))
    assert (seen["seat"], len(seen["moves"])) == (1, 8)


@pytest.mark.parametrize(("compiled", "said"), [(0, "0 functions"), (1, "1 function"), (2, "2 functions")])
def test_warmup_counts_in_english(compiled: int, said: str, ludus: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.warmup.warm_up", lambda game, say: (7, compiled))
    assert ludus("warmup").out == f"{said} compiled, 7 loaded from disk\n"


def test_players_of_one_game_say_so(ludus: Ludus) -> None:
    listed = ludus("players").out
    assert re.search(r"^path +quoridor: follows", listed, re.MULTILINE)
    assert re.search(r"^random +any legal move", listed, re.MULTILINE)


def test_warmup_trains_with_one_preset_of_each_kind() -> None:
    from ludus.cli.warmup import _different

    first = preset("backgammon", "mauermann2015")
    told = {
        "first": first,
        "more": first.changed(hidden=80, rate=0.2),
        "seated": first.changed(seating=("self", "random")),
        "others": first.changed(seating=("self", "td")),
        "seen": first.changed(encoding="rich"),
    }
    assert _different(told) == ["first", "seated", "seen"]


def test_lists(ludus: Ludus) -> None:
    assert re.match(r"backgammon +two seats, dice", ludus("games").out)
    assert re.search(r"^hex9 +Hex on a rhombus of 9 x 9 cells", ludus("games").out, re.MULTILINE)
    assert "[scoring=1|2|3, bearoff=" in ludus("games").out
    assert re.search(
        r"^td +greedy .*\[plies=0\|1\|2\|3, width=int, margin=float, rollouts=int, seconds=float, threads=int, ponder=.*\]$",
        ludus("players").out,
        re.MULTILINE,
    )
    assert re.search(
        r"^backgammon mauermann2015 +traces, raw .* 40 hidden .* 5,000 games", ludus("presets").out, re.MULTILINE
    )
    own = ludus("presets", "backgammon").out.split("\n\n")
    assert [line.split()[:2] for line in own[0].splitlines()] == [
        ["backgammon", name] for name in PRESETS["backgammon"]
    ]
    assert [part.splitlines()[0] for part in own[1:]] == [
        "Settings of method 'traces', for --set:",
        "Settings of method 'selfplay', for --set:",
        "Settings of any training:",
    ]
    assert re.search(
        r"^ludo alhajry2012-td +traces, raw .* 20 hidden .* 100,000 games", ludus("presets").out, re.MULTILINE
    )


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("arena bakgammon random random", "unknown game 'bakgammon'; did you mean 'backgammon'?"),
        ("arena backgammon randon random", "unknown player 'randon'; did you mean 'random'?"),
        ("arena backgammon td(ply=1) random", "unknown argument of player 'td' 'ply'"),
        ("arena backgammon td:/no/such/folder random", "/no/such/folder"),
        ("arena backgammon random --games 0", "--games 0"),
        ("arena backgammon random --games many", "Invalid value for '--games'"),
        ("arena backgammon", "Missing argument 'PLAYER'"),
        ("arena backgammon random --gmes 10", "unknown option of 'ludus arena' '--gmes'; did you mean '--games'"),
        ("arena backgammon random -x", "unknown option of 'ludus arena' '-x'"),
        ("aerna backgammon random", "unknown command 'aerna'; did you mean 'arena'"),
        ("--verison", "unknown option of 'ludus' '--verison'; did you mean '--version'"),
        ("train", "say which game to train"),
        ("train backgamon", "did you mean 'backgammon'?"),
        ("train backgammon --preset beste", "unknown preset for backgammon 'beste'; did you mean 'best'"),
        ("train backgammon --set hiden=3", "unknown setting of method 'traces' 'hiden'; did you mean 'hidden'?"),
        ("train backgammon --set hidden", "write NAME=VALUE"),
        ("train backgammon --set opponents=nobody", "unknown player 'nobody'"),
        ("train --resume /no/such/run", "there is no training run in /no/such/run"),
        ("train --seed 2 --resume /no/such/run", "give no settings beside it"),
        ("train backgammon --resume /no/such/run", "there is no training run in /no/such/run"),
        ("play chess", "unknown game 'chess'"),
        ("play backgammon --against nobody", "unknown player 'nobody'"),
        ("play backgammon --against random --seat 5", "there is no seat 5"),
        (f"play backgammon --against random --seat {'9' * 5000}", "is no seat"),
        ("board backgammon --position nonsense", "nonsense"),
        ("analyse backgammon --position nonsense", "nonsense"),
        ("analyse backgammon --moves 0", "from 1"),
        ("analyse match.mat --lines 2", "--lines is for a position"),
        ("analyse tictactoe --player random", "random has nothing to say of tictactoe here"),
        ("play backgammon --number 2", "name the file by --load"),
        ("bench bacgammon", "did you mean 'backgammon'?"),
        ("reproduce mauermann2016", "unknown paper 'mauermann2016'; did you mean 'mauermann2015'?"),
        ("presets bacgammon", "did you mean 'backgammon'?"),
        ("warmup bacgammon", "did you mean 'backgammon'?"),
        ("plot /no/such/run", "there is no training run in /no/such/run"),
    ],
)
def test_bad_input_is_answered_with_one_line(
    line: str, complaint: str, ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = ludus(*line.split())
    assert answer.code == 2
    assert answer.out == ""
    assert re.fullmatch(r"ludus: [^\n]+\n", answer.err)
    assert complaint in answer.err
    assert not list(tmp_path.iterdir())


def test_a_mistake_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ludus.bench.games.bench", broken)
    with pytest.raises(ZeroDivisionError):
        main(["bench", "backgammon"])


def test_ctrl_c(ludus: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ludus.bench.games.bench", interrupted)
    assert ludus("bench", "backgammon").code == 130


# --- figures for programs --------------------------------------------------------------------------------------------


def test_arena_as_json(ludus: Ludus) -> None:
    answer = ludus("arena", "backgammon", "random", "random", "--games", 20, "--seed", 3, "--jobs", 1, "--json")
    assert answer.err == ""
    result = json.loads(answer.out)
    assert list(result) == ["game", "games", "seed", "opening", "seconds", "players"]
    assert (result["game"], result["games"], result["seed"]) == ("backgammon", 20, 3)
    for row in result["players"]:
        assert list(row) == [
            "name",
            "games",
            "wins",
            "win_rate",
            "win_rate_ci95",
            "points_per_game",
            "points_se",
            "by_seat",
        ]
    assert sum(row["wins"] for row in result["players"]) == 20


def test_arena_for_people(ludus: Ludus) -> None:
    answer = ludus("arena", "backgammon", "random", "random", "--games", 20)
    assert (answer.code, answer.err) == (0, "")
    assert "win rate" in answer.out
    assert "random#2" in answer.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("backgammon random", "1 player was named for 2 seats; the others are taken by the same again: random#2"),
        (
            "ludo fast random",
            "2 players were named for 4 seats; the others are taken by the same again: fast#2, random#2",
        ),
    ],
)
def test_arena_says_who_takes_the_seats_that_are_left(line: str, said: str, ludus: Ludus) -> None:
    for form in ([], ["--json"]):
        answer = ludus("arena", *line.split(), "--games", 4, "--jobs", 1, *form)
        assert (answer.code, answer.err) == (0, f"{said}\n")


def test_train_as_json_then_plot_then_play_with_it(ludus: Ludus, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    answer = ludus("train", "backgammon", *TINY, "--out", folder, "--json")
    assert (answer.code, answer.err) == (0, "")
    *evaluations, last = map(json.loads, answer.out.splitlines())
    assert evaluations == Run.open(folder).evaluations()
    assert [line["games"] for line in evaluations] == [0, 20, 40]
    assert last == {"run": str(folder), "games": 40, "finished": True}

    (folder / "curve.svg").unlink()
    assert ludus("plot", folder, "--log").out.split() == [str(folder / "curve.png"), str(folder / "curve.svg")]
    assert (folder / "curve.svg").read_text().startswith("<?xml")

    result = json.loads(ludus("arena", "backgammon", f"td:{folder}", "random", "--games", 4, "--json").out)
    assert result["players"][0]["name"] == f"td:{folder}"

    again = ludus("train", "--resume", folder, "--json")
    assert again == Answer(0, json.dumps(last) + "\n", f"ludus: the run in {folder} is finished: 40 games\n")


def test_train_for_people_says_how_to_play(ludus: Ludus, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    answer = ludus("train", "backgammon", *TINY, "--out", folder, "--seed", 9)
    assert answer.code == 0
    assert f"ludus play backgammon --against td:{folder}" in answer.out
    config = Run.open(folder).config
    assert (config.seed, config.settings["hidden"], config.training.evaluation_games) == (9, 4, 4)


@pytest.mark.parametrize(
    ("line", "keywords"),
    [
        ("train backgammon", {}),
        ("train backgammon --method mine.py:Sarsa --seed 3", {"method": "mine.py:Sarsa", "seed": 3}),
        ("train --resume runs/first", {"resume": Path("runs/first")}),
        ("train --resume runs/first --method a.b:C", {"resume": Path("runs/first"), "method": "a.b:C"}),
    ],
)
def test_a_method_is_handed_to_the_lab_when_one_is_named(
    line: str, keywords: dict[str, Any], ludus: Ludus, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: dict[str, Any] = {}

    def train(game: Any, **values: Any) -> Any:
        heard.update(values)
        raise LudusError("enough")

    monkeypatch.setattr("ludus.lab.train", train)
    assert ludus(*line.split()).err == "ludus: enough\n"
    assert {k: v for k, v in heard.items() if k != "progress"} == {"resume": None, "tensorboard": False} | keywords


def test_bench_as_json(ludus: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"name": "random games", "value": 5000.0, "unit": "games/s", "peer": None, "peer_value": None, "ratio": None}
    asked: list[Any] = []
    monkeypatch.setattr("ludus.bench.games.bench", lambda *arguments: asked.append(arguments) or [row])
    answer = ludus("bench", "backgammon", "--seconds", 0.5, "--json")
    assert json.loads(answer.out) == {"game": "backgammon", "rows": [row]}
    assert asked == [("backgammon", 0.5)]
    assert "random games" in ludus("bench", "backgammon").out


def test_reproduce_as_json(ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.papers import mauermann2015
    from ludus.papers.report import Bench, Report, Row

    def run(bench: Bench) -> Report:
        assert (bench.seed, bench.quick, bench.folder) == (4, True, tmp_path)
        bench.say("working")
        rows = (Row("against random", "win rate", 0.7, 0.99, (0.98, 1.0), 1000),)
        return Report("mauermann2015", "A title", "An author", bench.seed, rows, path=tmp_path / "report.html")

    monkeypatch.setattr(mauermann2015, "run", run)
    answer = ludus("reproduce", "mauermann2015", "--out", tmp_path, "--seed", 4, "--quick", "--json")
    assert answer.err == "working\n"
    row = {
        "experiment": "against random",
        "quantity": "win rate",
        "paper": 0.7,
        "ours": 0.99,
        "ci95": [0.98, 1.0],
        "games": 1000,
    }
    assert json.loads(answer.out) == {"paper": "mauermann2015", "rows": [row]}
    assert (
        str(tmp_path / "report.html")
        in ludus("reproduce", "mauermann2015", "--out", tmp_path, "--seed", 4, "--quick").out
    )


# --- boards and games ------------------------------------------------------------------------------------------------


def test_board(ludus: Ludus, tmp_path: Path) -> None:
    import ludus as package

    start = package.game("backgammon").start()
    assert ludus("board", "backgammon").out == f"{start}\n"
    assert ludus("board", "backgammon", "--position", start.text).out == f"{start}\n"
    answer = ludus("board", "backgammon", "--svg", tmp_path / "board.svg")
    assert answer.out == f"{tmp_path}/board.svg\n"
    assert (tmp_path / "board.svg").read_text() == start._repr_svg_()


def test_play(ludus: Ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("moves\nquit\n"))
    answer = ludus("play", "backgammon", "--against", "random", "--seat", 1, "--seed", 7, "--no-color")
    assert answer.code == 0
    assert "against random. The game's seed is 7." in answer.out
    assert "Goodbye" in answer.out


# --- trouble on the way ----------------------------------------------------------------------------------------------


def test_a_full_disk_is_exit_code_1(ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def full(source: str, target: Path) -> None:
        if Path(target).suffix == ".safetensors":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    answer = ludus("train", "backgammon", *TINY, "--out", tmp_path / "run", "--json")
    assert answer.code == 1
    assert re.fullmatch(
        r"ludus: can't write .*\.safetensors: No space left on device[^\n]*--resume [^\n]*\n", answer.err
    )
    assert json.loads(answer.out.splitlines()[-1])["finished"] is False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_training_that_is_asked_to_stop_ends_with_130(number: signal.Signals, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    line = [
        sys.executable,
        "-m",
        "ludus.cli.main",
        "train",
        "backgammon",
        *TINY,
        "--games",
        "1000000",
        "--out",
        str(folder),
    ]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not metrics.read(folder / "metrics.jsonl"):
        time.sleep(0.01)
    process.send_signal(number)
    _, err = process.communicate()
    assert process.returncode == 130, err
    games = re.fullmatch(rf"ludus: stopped after ([\d,]+) games; go on with: ludus train --resume {folder}\n", err)
    assert games is not None, err
    assert int(Run.open(folder).checkpoints()[0].stem) == int(games[1].replace(",", ""))


@pytest.mark.long
def test_after_a_warmup_nothing_is_left_to_compile() -> None:
    line = [sys.executable, "-m", "ludus.cli.main", "warmup", "backgammon"]
    subprocess.run(line, check=True, capture_output=True)
    again = subprocess.run(line, check=True, capture_output=True, text=True)
    assert re.search(r"^0 functions compiled, \d+ loaded from disk$", again.stdout, re.MULTILINE)
