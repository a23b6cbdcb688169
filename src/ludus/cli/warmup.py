"""Compiles what the commands need into the cache on disk, by doing a little of all that they do: a training of each kind,
games among players, a few moves at the board. Real entry points, so that no kernel can be forgotten here.
"""

from __future__ import annotations

import contextlib
import io
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE
from typing import Any

from rich.console import Console

from ludus import games as game_registry
from ludus.analysing import analyse_match
from ludus.errors import LudusError
from ludus.games.gdl.machine import Compiled
from ludus.kernel import cache_counts, stream
from ludus.lab import Run, train
from ludus.matches import arena
from ludus.methods.presets import Preset, presets_for
from ludus.play import play
from ludus.players import best_known, player
from ludus.players.base import ask
from ludus.players.explaining import explain
from ludus.quantities import cores
from ludus.search.study import rehearse

# Variants of games that some presets need. They share their types, and so their kernels, with the game itself.
VARIANTS = {"ludo": ("ludo(rules=ludopy)", "ludo(rules=ludopy,seats=2)")}

# Rulesheets that stand for all of them: they share their type.
SHEETS = ("tictactoe",)
ONE_SEAT = "maze"  # has plans

# Variants with rules of their own, which are played by the players of the game: one match stands for all matches and games with the cube.
PLAYED = {"backgammon": ("backgammon(match=1)",)}
CUBE_DECISION = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"

# As small as a training can be: types decide what is compiled, not numbers. The second line is for presets that say these; half
# of the games are lessons then, if there are any.
TINY: dict[str, Any] = {"games": 4, "evaluation_games": 2, "opponents": ("random",)}
SMALL: dict[str, Any] = {"batch": 2, "lessons": 2, "hidden": 2, "layout": "2-2", "begin_with": ""}


def warm_up(
    name: str | None = None, say: Callable[[str], None] = lambda text: None, jobs: int | None = None
) -> tuple[int, int]:
    """Compile for one game, or for all on several cores; return how many functions were loaded from disk, and how many compiled."""
    if name is None:
        return _warm_up_all(say, jobs or cores())
    with _no_curves():
        for each in (name, *PLAYED.get(name, ())):
            counts = _warm_up_one(each, say)
        return counts


def _warm_up_one(name: str, say: Callable[[str], None]) -> tuple[int, int]:
    game = game_registry.game(name)
    say(f"{name}: positions and random players")
    _look_around(game)
    arena(game, ["random"], games=2)
    if hasattr(game, "lender"):  # another game's players play it, and nothing is trained
        say(f"{name}: its best player, and the cube")
        _play(game, best_known(game))
        explain(CUBE_DECISION)
        return cache_counts()
    for preset in _different(presets_for(game.facts.name)):
        say(f"{name}: training with preset {preset}, and playing with what it learned")
        _train_and_play(game, preset)
    say(f"{name}: its best player, and searches")
    _play(game, best_known(game))
    if game.facts.max_chances == 0:  # where there are dice, `mcts` is rarely asked for
        arena(game, ["mcts(simulations=2)", "random"], games=1)
    if isinstance(game, Compiled):
        say(f"{name}: studies before a match")
        rehearse(game)
    if name in SHEETS:
        player("plan", game_registry.game(ONE_SEAT)).prepare()
    if ".mat" in getattr(game, "formats", ()):
        say(f"{name}: the analysis of matches")
        _analyse(game)
    return cache_counts()


def _warm_up_all(say: Callable[[str], None], jobs: int) -> tuple[int, int]:
    """A process for each game, so many at a time. What several games need is compiled by the first that comes to it."""
    code = "import sys; from ludus.cli.warmup import main; main(sys.argv[1])"
    own = [name for game in reversed(game_registry.REGISTRY) for name in (game, *PLAYED.get(game, ()))]

    def work(name: str) -> tuple[int, int]:
        with subprocess.Popen([sys.executable, "-c", code, name], stdout=PIPE, stderr=PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            under_way.append(process)
            counts = (0, 0)
            for line in process.stdout:
                told = json.loads(line)
                if isinstance(told, str):
                    say(told)
                else:
                    counts = told[0], told[1]
            trouble = process.stderr.read()
        if process.returncode != 0 and not stopped:
            raise LudusError(f"can't compile for {name}: {(trouble.strip().splitlines() or ['no reason given'])[-1]}")
        return counts

    under_way: list[subprocess.Popen[str]] = []
    stopped: list[bool] = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            counts = list(pool.map(work, [*SHEETS, *own]))  # the longest first
        except BaseException:
            stopped.append(True)
            pool.shutdown(wait=False, cancel_futures=True)
            for process in under_way:
                process.kill()
            raise
    return sum(loaded for loaded, _ in counts), sum(compiled for _, compiled in counts)


def main(name: str) -> None:
    """The life of a process that compiles for one game: its lines are texts in JSON, the last one both counts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us
    with contextlib.redirect_stdout(sys.stderr), _no_curves():  # what other people's engines print
        counts = _warm_up_one(name, lambda text: print(json.dumps(text), file=sys.__stdout__, flush=True))
    print(json.dumps(counts), flush=True)


@contextlib.contextmanager
def _no_curves() -> Iterator[None]:
    """Learning curves of four games are not worth the time that it takes to draw them."""
    draw = Run.plot
    setattr(Run, "plot", lambda run: None)  # noqa: B010  mypy sees no reason to let it go
    try:
        yield
    finally:
        setattr(Run, "plot", draw)  # noqa: B010


def _different(presets: Mapping[str, Preset]) -> list[str]:
    """The presets without those that differ from an earlier one in numbers or names of players only: that compiles nothing."""
    kinds: dict[tuple[Any, ...], str] = {}
    for name, preset in presets.items():
        told = {k: v for k, v in preset.settings.items() if k not in SMALL and type(v) not in (int, float)}
        kind = sorted((k, str(isinstance(v, tuple) or v)) for k, v in told.items())
        kinds.setdefault((preset.method, *kind), name)
    return list(kinds.values())


def _train_and_play(game: Any, preset: str) -> None:
    """Do both with the game, or with that of its variants for which the preset is meant."""
    said = presets_for(game.facts.name)[preset].settings
    tiny = TINY | {name: value for name, value in SMALL.items() if str(said.get(name, 1)) not in ("0", "1")}
    for variant in (game, *VARIANTS.get(game.facts.name, ())):
        with tempfile.TemporaryDirectory() as folder:
            try:
                run = train(variant, preset, Path(folder) / "run", **tiny)
            except LudusError as error:
                reason = error
                continue
            _play(run.game, run.player_name)
            return
    raise LudusError(f"can't train {game.facts.name} with preset {preset}: {reason}")


def _look_around(game: Any) -> None:
    """Do what people do with a position."""
    position = game.start()
    random = player("random", game)
    for ply in range(6):
        rng = stream(1, ply)
        if position.kind == "chance":
            position.chances()
            position = position.roll(rng)
        elif position.kind == "joint":
            position = position.play([ask(random, position, rng, seat) for seat in range(game.facts.seats)])
        elif position.kind == "decision":
            position = position.play(ask(random, position, rng))
    game.board_text(position.state)


def _analyse(game: Any) -> None:
    """Have the first turn of a game judged, with the cube and without."""
    rolled = game.start().play(game.start().chances()[0][0])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.mat"
        plays = [int(game.start().chances()[0][0]), int(rolled.moves()[0])]
        path.write_text(game.write_game(str(path), ["a", "b"], plays), encoding="utf-8")
        for cubeless in (False, True):
            analyse_match(path, cubeless=cubeless)


def _play(game: Any, name: str) -> None:
    """Let a player be played against, and advise; by itself and looking ahead."""
    lines = iter(["hint", "quit"])
    play(game, name, seed=1, ask=lambda prompt: next(lines), console=Console(file=io.StringIO()))
    for each in (name, f"{name}(plies=1)", f"{name}(seconds=0.01)"):
        try:
            arena(game, [each, "random"], games=1)
        except LudusError:
            continue  # a game for another number of seats
