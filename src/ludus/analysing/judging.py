"""Has every decision and every roll of a file judged, on all cores. A network judges all moves at once, and the best ones, with the move that was made,
again by looking ahead; the luck of a roll is `batch/luck.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from ludus import players as player_registry
from ludus.analysing.cube_games import cube_word
from ludus.analysing.cube_judging import NOTHING, PLAIN, Scale, judge_after, judge_cube, scale_of
from ludus.analysing.match import GameAnalysis, MatchAnalysis
from ludus.analysing.reading import read
from ludus.analysing.rolling import roll_out
from ludus.analysing.sheet import CUBE, MOVE, ROLL, Act, Played, Sheet
from ludus.analysing.turns import Choice, CubeValues, Turn
from ludus.batch.luck import judge_outcome, judging_room, new_luck, note_luck
from ludus.contract.playing import evaluate_moves
from ludus.contract.position import Position
from ludus.contract.rules import play
from ludus.contract.views import worth
from ludus.errors import LudusError
from ludus.games.backgammon import match
from ludus.games.backgammon.judging import WithCube
from ludus.kernel import kernel, stream
from ludus.players.base import rank
from ludus.players.cubeful import CubefulPlayer
from ludus.players.greedy import LookaheadPlayer, TDPlayer
from ludus.players.judging import judge_of
from ludus.quantities import CORES, GAMES, MOVES, SEED, cores
from ludus.scale.local import Threads
from ludus.scale.processes import Tell
from ludus.scale.shards import Shard, Watcher, gathered
from ludus.search.lookahead import expect, expect_two, lookahead_workspace

PLIES = (0, 1, 2)  # how far a network can look ahead
DEEPEST = 2  # and does unless told
WIDTH = 8  # moves that are judged by looking ahead, at most, beside the one that was made
MARGIN = 0.16  # points behind the best at first sight: moves that are farther behind are not looked at again
PART = 8  # acts in a shard
WORK = "ludus.analysing.judging:judge_part"


class Judge(NamedTuple):
    """Who judges, and how."""

    name: str
    player: Any  # of a network the one that looks at no reply
    plies: int | None = None  # ahead; None for players without a network, which judge in their own way
    width: int | None = None  # None: all moves
    luck: Any = None  # who judges rolls; None: nobody


class Options(TypedDict, total=False):
    """What else `analyse_match` may be told."""

    cubeless: bool
    jacoby: bool | None
    rollout: int | None


class Wanted(NamedTuple):
    """The same, with what counts unless told."""

    cubeless: bool = False
    jacoby: bool | None = None
    rollout: int | None = None


class Judged(NamedTuple):
    """What was found of an act: of a roll its luck by seat, of a decision its moves with their values, and how many plies ahead each was judged."""

    luck: tuple[float, ...] = ()
    moves: tuple[tuple[int, float, int], ...] = ()
    stake: float = 1.0  # what a point is worth in the unit of results
    cube: CubeValues | None = None


def analyse_match(
    path: Path | str,
    player: Any = None,
    plies: int | None = None,
    *,
    number: int | None = None,
    width: int = WIDTH,
    jobs: int | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[Options],
) -> MatchAnalysis:
    """Every decision and every roll of the games in a file, as a player judges them: one that is named or given, or the best known one.

    A network looks so many `plies` ahead (0, 1 or 2; 2 unless told) at the `width` best moves, as far as they come close to the best, and at the one that was made.
    Matches of backgammon, and games for money, are judged with the cube and at the score, if the judge is such a network; with `cubeless` as if there were neither.
    `jacoby` says whether games for money were played by Jacoby's rule, where their file does not. With `rollout` decisions in doubt are rolled out, with so many
    games for each choice. `number` picks one game of the file. `jobs` is the number of cores, all of them unless told, and changes no result;
    `progress(done, total)` hears how far it is.

    >>> import tempfile
    >>> text = " 0 point match\\n\\n Game 1\\n Ann : 0   Bob : 0\\n  1) 31: 24/23 13/10           66: 24/18 24/18 13/7 13/7\\n"
    >>> with tempfile.NamedTemporaryFile("w", suffix=".mat") as file:
    ...     written = file.write(text), file.flush()
    ...     found = analyse_match(file.name, plies=0)
    >>> found.turns[0].best.move, found.turns[0].grade, found.sums(0).decisions
    ('8/5 6/5', 'blunder', 1)
    """
    wanted = Wanted(**options)
    sheet = read(path, number, cubeless=wanted.cubeless, jacoby=wanted.jacoby)
    if sheet.cubeful and not _knows_cube(sheet.game, player):
        sheet = read(path, number, cubeless=True)
    judge = find_judge(sheet.game, player, plies, MOVES.read(width, f"width={width}"))
    acts = [act for played in sheet.games for act in played.acts if sheet.cubeful or act.kind != CUBE]
    jobs = cores() if jobs is None else CORES.read(jobs, f"jobs={jobs}")
    judged = iter(_judge_all(judge, sheet.game, acts, SEED.read(seed, f"seed={seed}"), jobs, progress))
    games = []
    for played in sheet.games:
        seen = [next(judged) if sheet.cubeful or act.kind != CUBE else Judged() for act in played.acts]
        turns = tuple(_turns(sheet, played, seen))
        games.append(GameAnalysis(played.number, turns, played.score, played.winner, played.points, played.result))
    luck = None if judge.luck is None else judge.name.partition("(")[0]
    width_used = judge.width if judge.plies else None
    found = MatchAnalysis(sheet, judge.name, judge.plies, width_used, luck, tuple(games))
    if wanted.rollout is None:
        return found
    games_each = GAMES.read(wanted.rollout, f"rollout={wanted.rollout}")
    return roll_out(found, judge.player, games_each, seed, jobs, progress)


def _knows_cube(game: Any, player: Any) -> bool:
    """Whether a player has a network that judges games with the cube."""
    given = player_registry.best_known(game) if player is None else player
    try:
        made = player_registry.player(given, game) if isinstance(given, str) else given
    except LudusError:
        return False
    return isinstance(made, (TDPlayer, CubefulPlayer)) and isinstance(made.encoding, WithCube)


def find_judge(game: Any, player: Any = None, plies: int | None = None, width: int = WIDTH) -> Judge:
    """Who judges, by a name, or a player that is ready, and how far it is to look ahead. LudusError if it moves without judging."""
    given = player_registry.best_known(game) if player is None else player
    name = given if isinstance(given, str) else str(getattr(given, "name", type(given).__name__))
    made = player_registry.player(given, game) if isinstance(given, str) else given
    if plies is not None and plies not in PLIES:
        raise LudusError(f"plies={plies}: a network looks 0, 1 or 2 plies ahead")
    if isinstance(made, (LookaheadPlayer, CubefulPlayer)):
        if plies not in (None, made.plies.depth):
            raise LudusError(f"{name} looks {made.plies.depth} plies ahead, not {plies}: say so once")
        plies, width = made.plies.depth, made.plies.width
        made = TDPlayer(made.net, made.encoding, made.sizes)
    if isinstance(made, TDPlayer):
        luck = judge_of(game, made) if game.facts.max_chances else None
        return Judge(name, made, DEEPEST if plies is None else plies, width, luck)
    if plies is not None:
        raise LudusError(f"{name} is no network that looks so many plies ahead: judge by td or td:DIR_OR_FILE")
    if not evaluate_moves.handles(type(made)) and not hasattr(made, "rank"):  # type: ignore[attr-defined]
        raise LudusError(f"{name} moves without judging: it can't analyse games")
    judges_luck = game.facts.max_chances > 0 and judge_outcome.handles(type(made))  # type: ignore[attr-defined]
    return Judge(name, made, luck=made if judges_luck else None)


# --- many acts -------------------------------------------------------------------------------------------------------


def _judge_all(
    judge: Judge,
    game: Any,
    acts: Sequence[Act],
    seed: int,
    jobs: int,
    progress: Callable[[int, int], None] | None,
) -> list[Judged]:
    following = _Following(len(acts), progress)
    parts = [range(at, min(at + PART, len(acts))) for at in range(0, len(acts), PART)]
    shards = [Shard(WORK, (part,), f"decisions {part.start + 1} to {part.stop}") for part in parts]
    # Compiled code lets go of Python's lock; a player in Python would not, and may have a state.
    compiled = evaluate_moves.handles(type(judge.player))  # type: ignore[attr-defined]
    crew = Threads(jobs if compiled else 1)
    with closing(crew.map(shards, (judge, game, acts, seed), following)) as outcomes:
        found = gathered(outcomes)
    following.finish()
    return [judged for part in found for judged in part]


class _Following(Watcher):
    """How far it is: acts that are judged, by shard."""

    def __init__(self, total: int, progress: Callable[[int, int], None] | None) -> None:
        self.total, self.progress = total, progress or (lambda done, total: None)
        self.done: dict[int, int] = {}

    def told(self, number: int, value: int) -> None:
        """So many acts of a shard are judged."""
        self.done[number] = value

    def tick(self) -> None:
        """Say how far it is."""
        self.progress(sum(self.done.values()), self.total)

    def finish(self) -> None:
        """Say that all is done."""
        self.progress(self.total, self.total)


def judge_part(judge: Judge, game: Any, acts: Sequence[Act], seed: int, part: range, tell: Tell) -> list[Judged]:
    """Judge some of the acts."""
    found = []
    for at in part:
        found.append(_judge_act(judge, game, acts[at], stream(seed, at)))
        tell(len(found))
    return found


# --- one act ---------------------------------------------------------------------------------------------------------


def _judge_act(judge: Judge, game: Any, act: Act, rng: np.ndarray) -> Judged:
    if act.kind == CUBE:
        listed, values, scale = judge_cube(judge.player, game, act, judge.plies or 0)
        return Judged(moves=tuple(listed), stake=scale.stake, cube=values)
    scale = PLAIN
    if isinstance(judge.player, TDPlayer) and isinstance(judge.player.encoding, WithCube):
        scale = scale_of(judge.player, game, act.state, max(act.seat, 0))
    if act.kind == MOVE:
        return Judged(moves=tuple(judge_moves(judge, game, act, rng, scale)), stake=scale.stake)
    if judge.luck is None:
        return Judged()
    luck = new_luck(game, 1)
    note_luck(judge.luck, game, act.state.copy(), act.code, luck, judging_room(judge.luck, game), 0)
    return Judged(luck=tuple((luck.sums[0] / scale.half).tolist()), stake=scale.stake)


def judge_moves(
    judge: Judge, game: Any, act: Act, rng: np.ndarray, scale: Scale = PLAIN
) -> list[tuple[int, float, int]]:
    """The moves of a decision with their values and how far ahead each was judged, those judged farthest first, and the best of them first."""
    player, state, seat, made = judge.player, act.state.copy(), act.seat, act.code
    if not evaluate_moves.handles(type(player)):  # type: ignore[attr-defined]
        ranked = rank(player, Position(game, state), rng)
        return [(int(move), float(value), 0) for move, value in ranked]
    legal, values = np.zeros(game.facts.max_moves, np.int64), np.zeros(game.facts.max_moves)
    count = int(evaluate_moves(player, game, state, seat, rng, legal, values))
    seen = zip(legal[:count].tolist(), map(scale.points, values[:count].tolist()), strict=True)
    found = sorted(seen, key=lambda pair: -pair[1])
    if not judge.plies or count == 1:
        return [(move, value, 0) for move, value in found]
    near = [move for move, value in found if value >= found[0][1] - MARGIN][: judge.width]
    again = {move: scale.points(_ahead(judge, game, state, seat, move)) for move in {*near, made}}
    deep = sorted(again.items(), key=lambda pair: -pair[1])
    return [(move, value, judge.plies) for move, value in deep] + [
        (move, value, 0) for move, value in found if move not in again
    ]


def _ahead(judge: Judge, game: Any, state: np.ndarray, seat: int, move: int) -> float:
    """What a move is worth to the seat that makes it, by looking ahead."""
    if isinstance(game, match.MatchRules):
        return float(judge_after(judge.player, game, state, seat, move, NOTHING, judge.plies))
    return float(judge_ahead(judge.player, game, state, seat, move, judge.plies))


@kernel
def judge_ahead(player: Any, game: Any, state: Any, seat: int, move: int, plies: int) -> float:
    """What a move is worth to the seat that makes it, by the best replies one or two plies ahead."""
    space = lookahead_workspace(player.net, game, player.sizes)
    child, judgement, ws = space.child, space.judgement, space.ws
    outcomes, odds = space.chance.outcomes, space.chance.odds
    child[:] = state
    play(game, child, move)
    if plies == 1:
        expect(player.net, player.encoding, game, child, ws, outcomes, odds, judgement)
    else:
        expect_two(player.net, player.encoding, game, child, ws, outcomes, odds, judgement)
    worth(player.encoding, game, judgement, ws.worth)
    return ws.worth[seat]


# --- turns -----------------------------------------------------------------------------------------------------------


def _turns(sheet: Sheet, played: Played, found: Sequence[Judged]) -> Iterator[Turn]:
    """The acts of a game as turns: a roll belongs to the move after it."""
    acts, number = played.acts, 0
    for at, (act, judged) in enumerate(zip(acts, found, strict=True)):
        if act.kind == ROLL and at + 1 < len(acts) and acts[at + 1].kind == MOVE:
            continue
        if act.kind == CUBE and act.code == match.ROLL:  # a part of the turn that follows
            yield _turn(sheet, played.number, number + 1, act, judged)
            continue
        number += 1
        if act.kind == ROLL:
            yield _turn(sheet, played.number, number, act, judged, act, judged)
        elif act.kind == MOVE and at > 0 and acts[at - 1].kind == ROLL:
            yield _turn(sheet, played.number, number, act, judged, acts[at - 1], found[at - 1])
        else:
            yield _turn(sheet, played.number, number, act, judged)


def _turn(
    sheet: Sheet,
    game: int,
    number: int,
    act: Act,
    judged: Judged,
    roll: Act | None = None,
    rolled: Judged = Judged(),  # noqa: B008  it never changes
) -> Turn:
    rules, state = sheet.game, act.state.copy()
    if act.kind == ROLL:
        play(rules, state, act.code)
    played = {ROLL: "", CUBE: act.text}.get(act.kind)

    def word(code: int) -> str:
        return cube_word(act.state, code) if act.kind == CUBE else str(rules.move_text(act.state, code))

    return Turn(
        game=game,
        number=number,
        kind=act.kind,
        seat=act.seat,
        roll="" if roll is None else roll.text,
        played=word(act.code) if played is None else played,
        position=rules.state_text(state),
        luck=rolled.luck,
        moves=tuple(Choice(word(move), value, plies) for move, value, plies in judged.moves),
        stake=rolled.stake if act.kind == ROLL else judged.stake,
        cube=judged.cube,
        state=state,
    )
