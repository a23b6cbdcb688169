"""What worker processes answer about games: rules, drawings, players. Plain data in, plain data out, and nothing remembered but compiled code.

The server names a game (`Ref`) and sends the state as it got it; so any worker can go on with any game, and one that dies takes nothing with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.knowing import hides
from ludus.contract.position import Position
from ludus.contract.rules import roll
from ludus.contract.telling import news_of, score_of, stakes_of
from ludus.contract.touching import places_of
from ludus.errors import LudusError
from ludus.games import game as game_of_name
from ludus.games import gdl
from ludus.kernel import stream, uniform
from ludus.play.ready import get_ready
from ludus.play.table import DICE, mark, points
from ludus.players import base, best_known, player
from ludus.web.data import About, Course, Done, Mind, Ref, Standing

MOST_MOVES = 3_000  # of a position, in a list for people
SHEET_SECONDS, SHEET_MEMORY = 10.0, 1_000  # what a pasted rulesheet may cost to load: time, megabytes


@lru_cache(maxsize=32)
def game_of(ref: Ref) -> Any:
    """The game that is meant. A file or code is never loaded because a page names it."""
    game = _game_of(ref)
    if hides(game):
        raise LudusError(
            f"{ref.name} hides some of its state from each seat, and the page would show it: play it by ludus play, or over ludus ggp"
        )
    return game


def _game_of(ref: Ref) -> Any:
    if ref.sheet is not None:
        return gdl.load(ref.sheet, ref.name, SHEET_SECONDS, SHEET_MEMORY)
    if not re.fullmatch(r"[A-Za-z0-9_-]+(\([^()]*\))?", ref.name):
        raise LudusError(f"'{ref.name[:60]}' is not the name of a game; see the list of games, or paste a rulesheet")
    return game_of_name(ref.name, load=False)


@lru_cache(maxsize=64)
def player_of(ref: Ref, name: str) -> Any:
    """The player of a name for a game."""
    return player(name, game_of(ref))


def about(ref: Ref) -> About:
    """What there is to say of a game; LudusError if there is no such game."""
    game = game_of(ref)
    facts = game.facts
    names = tuple(mark(game, seat) for seat in range(facts.seats))
    (low, high), forms = facts.score_range, str(getattr(game, "move_forms", ""))
    is_sheet = hasattr(game, "roles")
    files = (*(ending[1:] for ending in getattr(game, "formats", ())), "json", *(["ggp"] if is_sheet else []))
    return About(facts.name, facts.seats, names, best_known(game), forms, files, low, high, is_sheet)


def check_players(ref: Ref, names: Sequence[str]) -> None:
    """LudusError if one of these can't play the game."""
    for name in names:
        player_of(ref, name)


def prepare(ref: Ref, names: Sequence[str]) -> None:
    """Load or compile what a game and its players need."""
    get_ready(game_of(ref), names)


# --- going on --------------------------------------------------------------------------------------------------------


def begin(ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]] = ()) -> Standing:
    """Where a game stands after some steps."""
    replayed = replay(ref, beginning, steps)
    return _standing(replayed.position, replayed.course)._replace(places=replayed.places, notes=replayed.notes)


class Replayed(NamedTuple):
    """Where some steps lead."""

    position: Position
    course: Course
    places: tuple[str, ...]  # those that the last step concerns that was no roll
    notes: tuple[tuple[int, str], ...]  # what everybody should hear, and the plies that it belongs to


def replay(ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]]) -> Replayed:
    """The position after some steps, and what is told of them."""
    game = game_of(ref)
    position = game.start() if beginning is None else game.position(beginning)
    rolls, places, notes = 0, tuple[str, ...](), list[tuple[int, str]]()
    for number, texts in enumerate(steps, 1):
        kind = position.kind
        rolls += kind == "chance"
        if kind != "chance" and number >= len(steps) - 1:
            places = _places(position, texts)
        before = position
        try:
            position = position.play(list(texts) if kind == "joint" else texts[0])
        except LudusError as error:
            raise LudusError(f"step {number}: {error}") from error
        if note := _note(before, texts):
            notes.append((number, note))
    return Replayed(position, Course(position.state.tobytes(), len(steps), rolls), places, tuple(notes))


def _note(position: Position, texts: Sequence[str]) -> str:
    """What everybody should hear of a step, if anything."""
    if position.kind != "decision" or not hasattr(position.game, "news_of"):
        return ""
    return news_of(position.game, position.state, int(position.game.read_move(position.state, texts[0], position.turn)))


def _places(position: Position, texts: Sequence[str]) -> tuple[str, ...]:
    """The places that a step concerns."""
    game, state, found = position.game, position.state, []
    for seat, text in enumerate(texts):
        move = game.read_move(state, text, seat if position.kind == "joint" else position.turn)
        found += places_of(game, state, int(move))
    return tuple(dict.fromkeys(found))


def position_of(ref: Ref, course: Course) -> Position:
    """Where a game stands."""
    return Position(game_of(ref), np.frombuffer(course.state, np.int64))


def go_on(
    ref: Ref, course: Course, minds: Sequence[Mind | None], seed: int, chosen: Mapping[int, str], most: int = 64
) -> tuple[list[Done], Standing]:
    """Play on until somebody has to decide who is not here: a person, or a player that takes its time. `chosen` are decisions that they
    made, by seat; where all move at once, nothing happens until all are there. LudusError, and no step, if one is not legal.
    """
    position, done = position_of(ref, course), list[Done]()
    chosen = dict(chosen)
    decided = 0
    while position.kind != "over":
        if position.kind == "chance":
            codes = [_roll(position, seed, course.rolls)]
        else:
            if decided >= most:
                break
            answers = [
                _decide(ref, position, course, minds[each], seed, each, chosen.get(each))
                for each in _deciders(position, chosen)
            ]
            if any(answer is None for answer in answers):
                break
            codes = [int(answer) for answer in answers if answer is not None]
            chosen, decided = {}, decided + 1
        kind, game, state = position.kind, position.game, position.state
        texts = tuple(game.move_text(state, code) for code in codes)
        places = tuple(dict.fromkeys(place for code in codes for place in places_of(game, state, code)))
        note = news_of(game, state, codes[0]) if kind == "decision" else ""
        done.append(Done(_mover(position, codes[0]), kind, texts, places, note))
        position = position.play(codes if kind == "joint" else codes[0])
        course = Course(position.state.tobytes(), course.plies + 1, course.rolls + (kind == "chance"))
    return done, _standing(position, course)


def _deciders(position: Position, chosen: Mapping[int, str]) -> Sequence[int]:
    """The seats that decide now: all, the one whose turn it is, or one that resigns meanwhile."""
    if position.kind == "joint":
        return range(position.game.facts.seats)
    return [seat for seat in chosen if seat != position.turn][:1] or [position.turn or 0]


def _unlisted(position: Position, seat: int) -> list[int]:
    """What a seat may do that no list of moves has: resign."""
    game: Any = position.game
    return list(game.unlisted(position.state, seat)) if hasattr(game, "unlisted") else []


def _mover(position: Position, code: int) -> int | None:
    """Whose step this is; nobody's, if it is of chance, or of all."""
    if position.kind != "decision":
        return None
    resigns = (seat for seat in range(position.game.facts.seats) if code in _unlisted(position, seat))
    return next(resigns, position.turn)


def _decide(
    ref: Ref, position: Position, course: Course, mind: Mind | None, seed: int, seat: int, text: str | None
) -> int | None:
    """A seat's move, if it can be had here and now."""
    if text is not None:
        code = int(position.game.read_move(position.state, text, seat))
        if position.kind == "decision" and _mover(position, code) != seat:
            raise LudusError(
                f"{text!r}: that is for {mark(position.game, _mover(position, code) or 0)} to do, not for {mark(position.game, seat)}"
            )
        return code
    if position.kind == "joint":
        legal = position.moves(seat)
        if len(legal) == 1:
            return int(legal[0])
    if mind is None or mind.slow:
        return None
    return _ask(ref, position, mind, seat, stream(seed, course.plies, 1 + seat))


def _roll(position: Position, seed: int, rolls: int) -> int:
    most = position.game.facts.max_chances
    rng = stream(seed, rolls, DICE)
    return int(roll(position.game, position.state.copy(), rng, np.zeros(most, np.int64), np.zeros(most)))


def _ask(ref: Ref, position: Position, mind: Mind, seat: int, rng: np.ndarray) -> int:
    who = player_of(ref, mind.name)
    if mind.temperature > 0:
        ranked = base.rank(who, position.seen_by(seat), rng)
        span = stakes_of(position.game, position.state).span
        return int(ranked[_loosely([value for _, value in ranked], mind.temperature * span, rng)][0])
    return int(base.ask(who, position, rng, seat))


def _loosely(values: Sequence[float], temperature: float, rng: np.ndarray) -> int:
    """One of some values, the better the likelier."""
    weights = [math.exp((value - max(values)) / temperature) for value in values]
    rest = uniform(rng) * sum(weights)
    for i, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return i
    return 0


def think(ref: Ref, course: Course, mind: Mind, seed: int, seat: int) -> str:
    """The move of a player that takes its time."""
    position = position_of(ref, course)
    move = _ask(ref, position, mind, seat, stream(seed, course.plies, 1 + seat))
    return position.game.move_text(position.state, move)


def _standing(position: Position, course: Course) -> Standing:
    game, kind = position.game, position.kind
    status = status_of(position)
    if kind == "over":
        scores = tuple(position.scores())
        words = _result(game, position, scores)
        return Standing(course, kind, None, (), status or "The game is over", (), scores, words)
    if kind == "joint":
        waits = tuple(s for s in range(game.facts.seats) if len(position.moves(s)) > 1)
        return Standing(course, kind, None, waits, status or "All choose at once")
    if position.turn is None:
        return Standing(course, kind, None, (), status or "Chance is due")
    moves = tuple(dict.fromkeys(map(str, position.moves())))[:MOST_MOVES]
    return Standing(
        course, kind, position.turn, (position.turn,), status or f"{mark(game, position.turn)} to move", moves,
        resigners=tuple(seat for seat in range(game.facts.seats) if _unlisted(position, seat)),
        single=stakes_of(game, position.state).single,
    )  # fmt: skip


def status_of(position: Position) -> str:
    """Whose turn it is, as the game says it; games from outside may say nothing."""
    said = getattr(position.game, "status_text", None)
    return str(said(position.state)) if said else ""


def _result(game: Any, position: Position, scores: Sequence[float]) -> str:
    best = max(scores)
    winners = [mark(game, seat) for seat, score in enumerate(scores) if score == best]
    if len(winners) == len(scores) > 1:
        return f"The game is drawn, {points(best)} each."
    if len(scores) == 1:
        return f"The game is over, {points(best)}."
    if len(winners) > 1:
        return f"{' and '.join(winners)} share the win, {points(best)} each."
    said = getattr(game, "result_text", None)
    what = f" {said(position.state)}" if said else ""
    score = score_of(game, position.state)
    if score and score.points:  # the points of the match are in what it says
        return f"{winners[0]} wins{what}."
    return f"{winners[0]} wins{what}, {points(best)}."


def name_steps(ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]]) -> list[Done]:
    """Steps that came from a file: whose each was, and as the game itself writes it."""
    game = game_of(ref)
    position = game.start() if beginning is None else game.position(beginning)
    out = []
    for texts in steps:
        codes = [
            int(game.read_move(position.state, text, seat if position.kind == "joint" else position.turn))
            for seat, text in enumerate(texts)
        ]
        written = tuple(game.move_text(position.state, code) for code in codes)
        out.append(Done(_mover(position, codes[0]), position.kind, written, ()))
        position = position.play(codes if position.kind == "joint" else codes[0])
    return out


def read_move(position: Position, text: str, seat: int) -> tuple[int | None, str]:
    """The move that a text stands for, or why there is none."""
    try:
        return int(position.game.read_move(position.state, text, seat)), ""
    except LudusError as error:
        return None, str(error)


def is_same(ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]], seat: int, texts: tuple[str, str]) -> bool:
    """Whether two texts stand for the same move of a seat after some steps."""
    position = replay(ref, beginning, steps).position
    one, other = (read_move(position, text, seat)[0] for text in texts)
    return one is not None and one == other


def previous_choice(
    ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]], people: Sequence[int]
) -> int | None:
    """The ply at which some of the people last had a choice; None if they had none."""
    game = game_of(ref)
    position = game.start() if beginning is None else game.position(beginning)
    found = None
    for ply, texts in enumerate(steps):
        kind = position.kind
        deciding = people if kind == "joint" else [seat for seat in people if seat == position.turn]
        if kind in ("joint", "decision") and any(len(position.moves(seat)) > 1 for seat in deciding):
            found = ply
        position = position.play(list(texts) if kind == "joint" else texts[0])
    return found
