"""Games as files, both ways: each game's own format, the JSON of `ludus play`, GGP match records, and pictures. Runs in worker processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.contract.position import Position
from ludus.contract.touching import board_of
from ludus.errors import LudusError, brief
from ludus.games import game_name
from ludus.games.animation import animated
from ludus.games.backgammon import mat
from ludus.play import saved
from ludus.play.table import Table
from ludus.web.data import Asked, Found, Ref, Told, Written
from ludus.web.looking import bottom_seat
from ludus.web.referee import game_of

MOST_GAMES = 100  # of one file
MOST_PICTURES = 400  # of one animation
RANDOM = "random"  # GDL's role that stands for chance


# --- writing ---------------------------------------------------------------------------------------------------------


def write_game(ref: Ref, steps: Sequence[Sequence[str]], told: Told, form: str, asked: Asked = Asked()) -> Written:  # noqa: B008
    """A game as a file of some form: json, mat, quoridor, ggp, animation, or svg, a picture of where it stands."""
    game = game_of(ref)
    name = "".join(sign if sign.isalnum() else "-" for sign in told.title.lower()).strip("-")[:60] or "game"
    bottom = bottom_seat(game.facts.seats, asked)
    if form == "svg":
        return Written(
            f"{name}.svg", "image/svg+xml", board_of(game, _positions(game, told.beginning, steps)[-1].state, bottom)
        )
    if form == "animation":
        shown = _positions(game, told.beginning, steps)
        if len(shown) > MOST_PICTURES:
            raise LudusError(
                f"an animation has at most {MOST_PICTURES} pictures, and this game would need {len(shown)}"
            )
        return Written(f"{name}.svg", "image/svg+xml", animated([board_of(game, p.state, bottom) for p in shown], 1.0))
    if told.beginning is not None and form != "ggp":
        raise LudusError("a game that began in the middle can't be written to a file: its formats begin at the start")
    if form == "ggp":
        return Written(f"{name}.json", "application/json", json.dumps(_match(game, ref, steps, told), indent=1))
    table = Table(game, told.seed, told.people, told.names)
    saved.replay(table, steps)
    if form == "json":
        return Written(f"{name}.json", "application/json", saved.text_of(table))
    if f".{form}" not in getattr(game, "formats", ()):
        known = ", ".join(["json", "svg", "animation", *(each[1:] for each in getattr(game, "formats", ()))])
        raise LudusError(f"games of {game.facts.name} are not written as '{brief(form)}'; these are possible: {known}")
    plays = [move for step in table.steps for move in step.moves]
    return Written(f"{name}.{form}", "text/plain", game.write_game(f"{name}.{form}", told.names, plays))


def _positions(game: Any, beginning: str | None, steps: Sequence[Sequence[str]]) -> list[Position]:
    positions = [game.start() if beginning is None else game.position(beginning)]
    for texts in steps:
        positions.append(positions[-1].play(list(texts) if positions[-1].kind == "joint" else texts[0]))
    return positions


def _match(game: Any, ref: Ref, steps: Sequence[Sequence[str]], told: Told) -> dict[str, Any]:
    """A GGP match record: a state and the moves of all roles for each step of the rulesheet, which may be two of ours, a move and chance."""
    if not hasattr(game, "roles"):
        raise LudusError(f"{game.facts.name} is no rulesheet: it has no GGP record")
    roles, seats = list(game.roles), [role for role in game.roles if role != RANDOM]
    position = game.start() if told.beginning is None else game.position(told.beginning)
    states, moves, pending = [position.text], [], dict[str, str]()
    for texts in steps:
        legal = game.legal(position.state)
        if position.kind == "chance":
            pending[RANDOM] = texts[0]
        elif position.kind == "joint":
            pending |= dict(zip(seats, texts, strict=True))
        else:
            pending[seats[position.turn or 0]] = texts[0]
        joint = [pending.get(role) or (legal[i][0] if legal[i] else "noop") for i, role in enumerate(roles)]
        position = position.play(list(texts) if position.kind == "joint" else texts[0])
        if position.kind != "chance" or not game.fixed(position.state):  # chance has still to complete the step
            moves.append(joint)
            states.append(position.text)
            pending = {}
    players = iter(told.names)
    return {
        "matchId": f"ludus.{told.title}.{told.started}",
        "gameName": ref.name,
        "startTime": told.started,
        "gameRoleNames": roles,
        "playerNamesFromHost": [RANDOM if role == RANDOM else next(players) for role in roles],
        "isCompleted": told.result is not None,
        "isAborted": False,
        "states": states,
        "moves": moves,
        **({"goalValues": game.goals(position.state)} if position.over else {}),
    }


# --- reading ---------------------------------------------------------------------------------------------------------


def read_games(name: str, text: str, wanted: Ref | None = None) -> list[Found]:
    """The games of a file. Its name says what it is; a JSON file says itself which game it is of, unless that is `wanted`."""
    ending = Path(name).suffix.lower()
    if ending == ".mat" and wanted is None:
        return _read_mat(name, text)
    if ending in (".mat", ".quoridor"):
        return _read_own(wanted or Ref(_game_of_header(text)), name, text)
    if ending not in ("", ".json"):
        raise LudusError(f"can't read {brief(name)}: files of games end in .mat, .quoridor or .json")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LudusError(f"can't read {brief(name)}: it is no JSON, or is cut off ({brief(error)})") from None
    if isinstance(data, dict) and "gameRoleNames" in data:
        return [_read_match(data, wanted)]
    said = data.get("game") if isinstance(data, dict) else None
    ref = wanted or Ref(said if isinstance(said, str) else "")
    table = saved.read_text(game_of(ref), text)
    return [Found(ref.name, table.names, tuple(step.texts for step in table.steps))]


def _game_of_header(text: str) -> str:
    """The game that a .quoridor file names in its header."""
    first = next((line for line in text.splitlines() if line.strip().startswith("[Game")), "")
    return first.split('"')[1] if first.count('"') == 2 else "quoridor"


def _read_mat(name: str, text: str) -> list[Found]:
    """A match as one game, or games for money, with the cube where it is turned. What the rules of matches refuse is read as games without the cube."""
    record = mat.read_mat(text, name)
    turned = [act.action for game in record.games for act in game.turns if isinstance(act, mat.Cube)]
    beavers = ",beavers=2" * ("beaver" in turned)
    variant = f"(match={record.length})" if record.length else f"(cube=true{beavers})" if turned else ""
    try:
        return _read_own(Ref(f"backgammon{variant}"), name, text)
    except LudusError as error:
        if not variant:
            raise
        plain = _read_own(Ref("backgammon"), name, text)
        reason = f"Read game by game, without the cube: {error}."
        return [found._replace(remarks=(reason, *found.remarks)) for found in plain]


def _read_own(ref: Ref, name: str, text: str) -> list[Found]:
    game, found = game_of(ref), list[Found]()
    for number in range(1, MOST_GAMES + 1):
        try:
            names, plays, remarks = game.read_game(name, text, number)
        except LudusError:
            if not found:
                raise
            break
        position, steps = game.start(), list[tuple[str, ...]]()
        for play in plays:
            steps.append((game.move_text(position.state, play),))
            position = position.play(play)
        found.append(Found(game_name(game), tuple(names), tuple(steps), tuple(remarks)))
        if ".mat" not in getattr(game, "formats", ()):
            break
    return found


def _read_match(data: dict[str, Any], wanted: Ref | None) -> Found:
    title, moves = data.get("gameName"), data.get("moves")
    if not isinstance(title, str) or not isinstance(moves, list):
        raise LudusError("this is no GGP match: it has no gameName, or no list of moves")
    ref = wanted or Ref(title)
    game = game_of(ref)
    if not hasattr(game, "roles"):
        raise LudusError(f"'{brief(title)}' is no rulesheet of ours; bring its rulesheet first, and name it")
    roles, position, steps = list(game.roles), game.start(), list[tuple[str, ...]]()
    said = data.get("playerNamesFromHost")
    names = [str(each)[:60] for each in said] if isinstance(said, list) else []
    seats = [i for i, role in enumerate(roles) if role != RANDOM]
    for number, joint in enumerate(moves, 1):
        if not isinstance(joint, list) or len(joint) != len(roles) or not all(isinstance(each, str) for each in joint):
            raise LudusError(f"step {number} has no move for each of the roles {', '.join(roles)}")
        chance = dict(zip(roles, joint, strict=True)).get(RANDOM)
        try:
            if position.kind != "chance":
                texts = [joint[i] for i in seats] if position.kind == "joint" else [joint[seats[position.turn or 0]]]
                steps.append(tuple(texts))
                position = position.play(texts if position.kind == "joint" else texts[0])
            if position.kind == "chance" and chance is not None and chance != "noop":
                steps.append((chance,))
                position = position.play(chance)
        except LudusError as error:
            raise LudusError(f"step {number}: {error}") from error
    sitting = [names[i] if i < len(names) else roles[i] for i in seats]
    return Found(ref.name, tuple(sitting), tuple(steps))
