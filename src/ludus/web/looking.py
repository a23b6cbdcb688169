"""What worker processes say of positions: how a page shows them, why a move is not legal, what a player thinks of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from ludus.contract.position import Move, Position
from ludus.contract.telling import score_of
from ludus.contract.touching import board_of, turn_of
from ludus.kernel import stream
from ludus.play.table import ADVICE
from ludus.players import base
from ludus.players.explaining import about_the_cube
from ludus.players.models import has_model
from ludus.web.data import Asked, Course, Ref
from ludus.web.referee import MOST_MOVES, game_of, player_of, position_of, read_move, replay, status_of

GLANCE = "mcts(seconds=0.15)"  # who judges where no network does


def look(ref: Ref, course: Course, asked: Asked, places: Sequence[str] = ()) -> dict[str, Any]:
    """A position as a page shows it."""
    return _view(position_of(ref, course), course.plies, asked, places)


def look_back(ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]], asked: Asked) -> dict[str, Any]:
    """The position after some steps as a page shows it."""
    replayed = replay(ref, beginning, steps)
    return _view(replayed.position, replayed.course.plies, asked, replayed.places)


def look_at(ref: Ref, state: str, asked: Asked) -> dict[str, Any]:
    """A state of a GGP match, which is written as a list of what holds."""
    inner = state.strip().removeprefix("(").removesuffix(")").strip()
    return _view(game_of(ref).position(inner or state), 0, asked, ())


def _view(position: Position, ply: int, asked: Asked, places: Sequence[str]) -> dict[str, Any]:
    game, state, kind = position.game, position.state, position.kind
    seat = position.turn if kind == "decision" else asked.seat if kind == "joint" else None
    legal = position.moves(seat) if seat is not None and 0 <= seat < game.facts.seats else []
    turn = turn_of(game, state, seat, asked.touched) if legal and seat is not None else None
    shown = board_of(game, state if turn is None else turn.state, bottom_seat(game.facts.seats, asked))
    return {
        "ply": ply,
        "position": position.text,
        "kind": kind,
        "turn": position.turn,
        "over": kind == "over",
        "status": status_of(position),
        "description": _words(shown, "desc"),
        "board": shown,
        "text": game.board_text(state),
        "touches": [touch._asdict() for touch in turn.touches] if turn else [],
        "move": turn.move if turn else None,
        "moves": [{"text": text} for text in list(dict.fromkeys(map(str, legal)))[:MOST_MOVES]],
        "last": list(places),
        "score": score._asdict() if (score := score_of(game, state)) else None,
        "resignations": _resignations(position) if kind == "decision" else [],
    }


def _resignations(position: Position) -> list[dict[str, Any]]:
    """What each seat may resign now, where that is a move."""
    game: Any = position.game
    seats = range(game.facts.seats) if hasattr(game, "unlisted") else ()
    offers = [
        (seat, game.move_text(position.state, code)) for seat in seats for code in game.unlisted(position.state, seat)
    ]
    return [{"seat": seat, "text": text, "name": text.partition(" resigns ")[2] or text} for seat, text in offers]


def bottom_seat(seats: int, asked: Asked) -> int:
    """Who sits at the bottom of the board.

    >>> bottom_seat(2, Asked()), bottom_seat(2, Asked(1)), bottom_seat(4, Asked(1, flip=True))
    (0, 1, 3)
    """
    seat = asked.seat if asked.seat is not None and asked.seat < seats else 0
    return (seat + (seats // 2 if asked.flip else 0)) % seats


def why(ref: Ref, course: Course, text: str, seat: int) -> str:
    """Why a move is not legal; nothing if it is."""
    return read_move(position_of(ref, course), text, seat)[1]


# --- judging ---------------------------------------------------------------------------------------------------------


def judge_name(game: Any) -> str:
    """Who judges positions of a game for people who watch: quickly, and as well as that allows."""
    return "td" if has_model(game) else GLANCE


def hint(ref: Ref, course: Course, seat: int, name: str | None = None) -> dict[str, Any]:
    """What a player would do in a seat's place, best first."""
    position, name = position_of(ref, course), name or judge_name(game_of(ref))
    ranked = base.rank(player_of(ref, name), position.seen_by(seat), stream(1, course.plies, ADVICE))
    moves = [{"move": str(move), "value": value} for move, value in ranked[:20]]
    return {"player": name, "moves": moves, "words": list(about_the_cube(position, name))}


def judge(
    ref: Ref, beginning: str | None, steps: Sequence[Sequence[str]], plies: Sequence[int]
) -> tuple[str, dict[int, list[float | None]]]:
    """What a game was worth to each seat at some of its plies, as far as it can be told; and who says so. Where chance is due or all move
    at once, nobody can tell by a look.
    """
    game = game_of(ref)
    name, wanted = judge_name(game), set(plies)
    who, (low, high) = player_of(ref, name), game.facts.score_range
    position = game.start() if beginning is None else game.position(beginning)
    out: dict[int, list[float | None]] = {}
    for ply in range(len(steps) + 1):
        if ply in wanted:
            out[ply] = _values(position, who, low + high)
        if ply < len(steps):
            texts = steps[ply]
            position = position.play(list(texts) if position.kind == "joint" else texts[0])
    return name, out


def _values(position: Position, who: Any, total: float) -> list[float | None]:
    seats = position.game.facts.seats
    if position.over:
        return list(position.scores())
    values: list[float | None] = [None] * seats
    if position.kind == "decision":
        seat = base.decider(position)
        ranked: list[tuple[Move, float]] = base.rank(who, position, stream(1, 0, ADVICE))
        values[seat] = ranked[0][1]
        if seats == 2:
            values[1 - seat] = total - ranked[0][1]
    return values


def _words(svg: str, tag: str) -> str:
    found = re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", svg, re.DOTALL)
    return unescape(found[1]) if found else ""
