"""Backgammon in text, both ways: moves and dice, and whole positions as other programs write them.

Moves are written from the mover's side (`24/20*/16 6/4(2)`, `bar/20`, `6/off`), rolls as two digits. Positions are GNU
Backgammon's Position IDs, with or without a Match ID, and eXtreme Gammon's XGIDs. Reading is liberal in form and strict
in substance: whatever comes back is legal, and whatever does not is explained. Files of games live in `mat.py`.
"""

from __future__ import annotations

import base64
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ludus.contract.rules import moves, play
from ludus.errors import LudusError
from ludus.games.backgammon.rules import BAR, CHECKERS, DIE1, DIE2, OFF, SIDE, SMALL_FIRST, STATE_SIZE, TURN

T = TypeVar("T")
Path = tuple[int, ...]  # the points that one checker has to touch, the first being where it is
Counts = Sequence[int]  # a side's checkers on points 1 to 24 and on the bar


def wrong(text: str, reason: str) -> LudusError:
    """What is said of a text that can't be read, or may not be played."""
    return LudusError(f"{text if len(text) <= 80 else text[:79] + '…'!r}: {reason}")


# --- writing moves ---------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One checker's way by one die."""

    source: int
    target: int  # 0: off the board
    hits: bool


def steps(state: np.ndarray, move: int) -> list[Step]:
    """A move taken apart, in the order of play."""
    mover = int(state[TURN])
    enemy = state[SIDE * (1 - mover) :]
    die, next_die = int(state[DIE1]), int(state[DIE2])
    if move & SMALL_FIRST:
        die, next_die = next_die, die
    out: list[Step] = []
    sources = int(move) & (SMALL_FIRST - 1)
    while sources:
        source = sources & 31
        target = max(source - die, OFF)
        hits = target > OFF and enemy[25 - target] == 1 and all(step.target != target for step in out)
        out.append(Step(source, target, bool(hits)))
        sources >>= 5
        die = next_die
    return out


def place_text(point: int) -> str:
    """A point, the bar or the place beside the board, as moves have it."""
    return {OFF: "off", BAR: "bar"}.get(point, str(point))


def _where(point: int) -> str:
    return "the bar" if point == BAR else f"point {point}"


def move_text(game: Any, state: np.ndarray, move: int) -> str:
    """A move as people write it; the two digits of a roll where the dice are still to be rolled."""
    if state[DIE1] == 0:
        return f"{int(move):02d}"
    rest = sorted(steps(state, move), key=lambda step: (-step.source, -step.target))
    if not rest:
        return "pass"
    to_hit = {step.target for step in rest if step.hits}
    paths: Counter[tuple[int, ...]] = Counter()
    while rest:
        step = rest.pop(0)
        path = [step.source, step.target]
        while onward := next((s for s in rest if s.source == path[-1]), None):
            rest.remove(onward)
            path.append(onward.target)
        paths[tuple(path)] += 1
    words = []
    for path_, count in paths.items():
        word = place_text(path_[0])
        for point in path_[1:]:
            hits = point in to_hit
            if hits or point == path_[-1]:
                word += f"/{place_text(point)}" + "*" * hits
            to_hit.discard(point)
        words.append(word + (f"({count})" if count > 1 else ""))
    return " ".join(words)


# --- reading moves ---------------------------------------------------------------------------------------------------

_PASSES = {"", "pass", "passes", "no play", "no move", "cannot move", "can't move", "can not move", "dance", "dances"}
_POINT = r"(?:bar|off|\d{1,2})"
_PART = re.compile(rf"({_POINT}[/-]{_POINT}\*?(?:[/-]{_POINT}\*?)*)(?:\((\d)\)\*?)?")
_DICE = re.compile(r"\(?(\d)\s*[-,;:x]?\s*(\d)\)?:?")


def legal_moves(game: Any, state: np.ndarray) -> list[int]:
    """The moves of the seat whose dice are rolled."""
    buffer = np.empty(game.facts.max_moves, np.int64)
    return buffer[: moves(game, np.array(state, np.int64), int(state[TURN]), buffer)].tolist()


def read_move(game: Any, state: np.ndarray, text: str) -> int:
    """The legal move, or the roll where dice are due, that a text stands for. LudusError says why there is none."""
    state = np.array(state, np.int64)
    if CHECKERS in (state[OFF], state[SIDE + OFF]):
        raise wrong(text, "the game is over")
    if state[DIE1] == 0:
        return _read_roll(text, opening=state[TURN] < 0)
    mover = int(state[TURN])
    legal = legal_moves(game, state)
    example = move_text(game, state, legal[0])

    if " ".join(text.lower().split()) in _PASSES:
        if legal == [0]:
            return 0
        raise wrong(text, f"you may not pass while you can move, as by {example}")
    own, enemy = sides(state, mover)
    big, small = int(state[DIE1]), int(state[DIE2])
    dice = (big,) * 4 if big == small else (big, small)
    paths, starred = _read_paths(text)
    _check_dice(text, paths, dice)
    for point in starred:
        if enemy[25 - point] == 0:
            raise wrong(text, f"there is no enemy checker on point {point} to hit")

    blame: list[tuple[int, int, str]] = []
    plays = dict(_plays(own, enemy, dice, paths, blame))
    if not plays:
        worst = max(blame, key=lambda b: b[:2])[2]
        raise wrong(text, f"{worst}" + ("; no move is possible here: write pass" if legal == [0] else ""))

    wanted: dict[tuple[Path, Path], int] = {}
    for move in legal:
        after = state.copy()
        play(game, after, move)
        result = sides(after, mover)
        if result in plays:
            wanted[result] = move
    if not wanted:
        count = len(steps(state, legal[0]))
        if count > min(plays.values()):
            must = "both dice" if len(dice) == 2 else f"{count} steps"
            raise wrong(text, f"{must} can be played, and so must be, as in {example}")
        raise wrong(text, f"only one die can be played, and it must be the larger, the {big}, as in {example}")
    fewest = min(result[1][BAR] for result in wanted)
    choice = [move for result, move in wanted.items() if result[1][BAR] == fewest]
    if len(choice) > 1:
        ways = " or ".join(move_text(game, state, move) for move in choice)
        raise wrong(text, f"there are different checkers to hit on the way; write {ways}")
    return choice[0]


def _read_roll(text: str, opening: bool) -> int:
    found = _DICE.fullmatch(text.strip())
    if not found:
        raise wrong(text, "the dice are to be rolled here; write them as two digits, such as 31")
    first, second = int(found[1]), int(found[2])
    for die in (first, second):
        if not 1 <= die <= 6:
            raise wrong(text, f"a die shows 1 to 6, not {die}")
    if opening and first == second:
        raise wrong(text, "the opening roll can't be a double, for the higher die decides who begins")
    return 10 * first + second if opening else 10 * max(first, second) + min(first, second)


def sides(state: np.ndarray, mover: int) -> tuple[Path, Path]:
    """The checkers of the mover and of the other seat, each as it counts the points itself."""
    own, enemy = state[SIDE * mover :][:SIDE], state[SIDE * (1 - mover) :][:SIDE]
    return tuple(own.tolist()), tuple(enemy.tolist())


def _read_paths(text: str) -> tuple[tuple[Path, ...], list[int]]:
    """The ways of the checkers, and the points that are marked as hits."""
    tidy = re.sub(r"\s*([/(-])\s*|\s+([*)])", r"\1\2", text.lower().strip())
    paths: list[Path] = []
    starred: list[int] = []
    for word in re.split(r"[\s,;]+", tidy):
        found = _PART.fullmatch(word)
        if not found:
            if _DICE.fullmatch(word):
                raise wrong(text, "the dice are rolled already; write a move, such as 8/5 6/5")
            raise wrong(text, f"can't read {word!r}; a part of a move looks like 8/5, bar/20*, 6/off or 6/4(2)")
        path: list[int] = []
        for name in re.split("[/-]", found[1]):
            bare = name.rstrip("*")
            point = {"bar": BAR, "off": OFF}.get(bare) if not bare.isdecimal() else int(bare)
            if point is None or point > BAR:
                raise wrong(text, f"there is no point {bare}; points are 1 to 24, bar and off")
            if path and point >= path[-1]:
                raise wrong(text, f"{word} moves backwards; checkers go from higher points to lower ones")
            path.append(point)
            if name != bare:
                starred.append(point)
        count = int(found[2] or 1)
        if not 1 <= count <= 4:
            raise wrong(text, f"{word} repeats a step {count} times; it may be 1 to 4")
        paths += [tuple(path)] * count
    return tuple(paths), [point for point in starred if OFF < point < BAR]


def without(items: tuple[T, ...], item: T) -> tuple[T, ...]:
    """What is left when one of the items is taken away."""
    at = items.index(item)
    return items[:at] + items[at + 1 :]


def _advance(path: Path, die: int) -> tuple[Path, ...] | None:
    """What is left of a way after a step: the rest of it, or nothing. None where the step goes beyond a written stop."""
    here, there, *onward = path
    target = max(here - die, OFF)
    if target < there:
        return None
    if target > there:
        return ((target, there, *onward),)
    return ((there, *onward),) if onward else ()


def _fits(paths: tuple[Path, ...], dice: tuple[int, ...]) -> bool:
    """Whether the dice can be shared out among the ways, whatever stands on the board."""
    if not paths:
        return True
    ways = ((_advance(paths[0], die), without(dice, die)) for die in set(dice))
    return any(rest is not None and _fits(rest + paths[1:], left) for rest, left in ways)


def _check_dice(text: str, paths: tuple[Path, ...], dice: tuple[int, ...]) -> None:
    have = f"{dice[0]} and {dice[1]}" if len(dice) == 2 else f"four {dice[0]}s"
    hops = [hop for path in paths for hop in itertools.pairwise(path)]
    for here, there in hops:
        if not _fits(((here, there),), dice):
            raise wrong(text, f"{place_text(here)}/{place_text(there)} needs a {here - there}; you have {have}")
    if not _fits(paths, dice):
        needs = " and ".join(f"{place_text(a)}/{place_text(b)} a {a - b}" for a, b in hops[:4])
        raise wrong(text, f"too many steps: {needs}{' …' * (len(hops) > 4)}; you have {have}")


def obstacle(own: Path, enemy: Path, source: int, die: int) -> tuple[int, str] | None:
    """Why a checker can't go by a die, and how much that says: the order of the parts may be the only trouble."""
    target = source - die
    if own[source] == 0:
        return 1, f"there is no checker on {_where(source)}"
    if own[BAR] and source != BAR:
        return 0, "a checker on the bar must enter first"
    if target > OFF and enemy[25 - target] > 1:
        return 3, f"point {target} is blocked by {enemy[25 - target]} enemy checkers"
    rear = max(point for point in range(1, 26) if own[point])
    if target <= OFF and rear > 6:
        return 2, f"checkers can't be borne off yet: one is still on {_where(rear)}"
    if target < OFF and rear > source:
        return 2, f"a {die} can't bear off from point {source} while a checker is behind it, on point {rear}"
    return None


def _plays(
    own: Path, enemy: Path, dice: tuple[int, ...], paths: tuple[Path, ...], blame: list[tuple[int, int, str]]
) -> Iterator[tuple[tuple[Path, Path], int]]:
    """Every position to which the written ways lead, in any order, with the number of steps; and what bars the others."""
    if not paths:
        yield (own, enemy), 0
    for path, die in itertools.product(dict.fromkeys(paths), dict.fromkeys(dice)):
        rest, left = _advance(path, die), without(dice, die)
        if rest is None or not _fits(rest + without(paths, path), left):
            continue
        here, target = path[0], max(path[0] - die, OFF)
        if reason := obstacle(own, enemy, here, die):
            blame.append((-len(dice), *reason))
            continue
        mine, theirs = list(own), list(enemy)
        mine[here] -= 1
        mine[target] += 1
        if target > OFF and theirs[25 - target]:
            theirs[25 - target] = 0
            theirs[BAR] += 1
        for result, count in _plays(tuple(mine), tuple(theirs), left, rest + without(paths, path), blame):
            yield result, count + 1


# --- positions -------------------------------------------------------------------------------------------------------

_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _state(text: str, checkers: dict[str, Counts], turn: int, dice: tuple[int, int]) -> np.ndarray:
    """The state with these checkers, seat 0's first, after a look at whether it can be."""
    state = np.zeros(STATE_SIZE, np.int64)
    for start, (name, side) in zip((0, SIDE), checkers.items(), strict=True):
        for point, count in enumerate(side, 1):
            if count > CHECKERS:
                raise wrong(text, f"{_where(point)} (as {name} counts) has {count} checkers; a side has {CHECKERS}")
        if sum(side) > CHECKERS:
            raise wrong(text, f"{name} has {sum(side)} checkers on the board; a side has {CHECKERS}")
        state[start + 1 : start + SIDE] = side
        state[start + OFF] = CHECKERS - sum(side)
    for point in range(1, 25):
        if state[point] and state[SIDE + 25 - point]:
            raise wrong(text, f"point {point} (as {next(iter(checkers))} counts) has checkers of both sides")
    if state[OFF] == state[SIDE + OFF] == CHECKERS:
        raise wrong(text, "no checker is on the board, but only one side can have borne off all of them")
    if any(dice):
        for die in dice:
            if not 1 <= die <= 6:
                raise wrong(text, f"dice {dice[0]}{dice[1]}: a die shows 1 to 6, not {die}")
        if CHECKERS in (state[OFF], state[SIDE + OFF]):
            raise wrong(text, f"the game is over, so that there can't be dice {dice[0]}{dice[1]}")
        if turn < 0:
            raise wrong(text, "turn 0 stands for the time before the opening roll, when dice are 00")
    state[TURN], state[DIE1], state[DIE2] = turn, max(dice), min(dice)
    return state


def id_bits(text: str, code: str, kind: str, length: int) -> int:
    """The number that a text in base 64 stands for, as GNU Backgammon packs it: lowest bit first."""
    for i, sign in enumerate(code, 1):
        if sign not in _BASE64:
            raise wrong(text, f"character {i} of the {kind}, {sign!r}, is not one of A-Z a-z 0-9 + /")
    if len(code) != length:
        raise wrong(text, f"a {kind} has {length} characters, this has {len(code)}")
    packed = base64.b64decode(code + "=" * (-length % 4))
    if base64.b64encode(packed).decode().rstrip("=") != code:
        raise wrong(text, f"character {length} of the {kind}, {code[-1]!r}, has bits that stand for nothing")
    return int.from_bytes(packed, "little")


def position_id(state: np.ndarray) -> str:
    """GNU Backgammon's Position ID: the checkers as the player on roll sees them (seat 0 before the opening roll)."""
    on_roll = max(int(state[TURN]), 0)
    key = at = 0
    for side in reversed(sides(state, on_roll)):
        for count in side[1:]:
            key |= ((1 << count) - 1) << at
            at += count + 1
    return base64.b64encode(key.to_bytes(10, "little")).decode().rstrip("=")


def _read_key(text: str, code: str) -> tuple[list[int], list[int]]:
    """The checkers of the player on roll and of the other one."""
    runs = f"{id_bits(text, code, 'Position ID', 14):080b}"[::-1].split("0")
    if len(runs) < 50:
        raise wrong(text, "the Position ID has too many checkers to end after both sides' 25 points")
    if any(runs[50:]):
        raise wrong(text, "the Position ID goes on with checkers after both sides' 25 points")
    counts = [len(run) for run in runs[:50]]
    return counts[25:], counts[:25]


def read_position_id(text: str) -> np.ndarray:
    """The state of a Position ID; seat 0 is on roll with dice not rolled, unless `:` and a Match ID say otherwise.

    GNU Backgammon's player 1, who sits at the bottom and is X in its XGIDs, is seat 0 here.
    """
    code, colon, match = text.strip().partition(":")
    mover, other = _read_key(text, code)
    key = id_bits(text, match, "Match ID", 12) if colon else 1 << 6
    dice = key >> 15 & 7, key >> 18 & 7
    if key >> 6 & 1:
        return _state(text, {"the player on roll": mover, "the opponent": other}, 0, dice)
    return _state(text, {"the opponent": other, "the player on roll": mover}, 1, dice)


def xgid(state: np.ndarray) -> str:
    """eXtreme Gammon's ID, seat 0 being X. Its turn is 0, which is our own addition, before the opening roll."""
    x, o = sides(state, 0)
    board = "".join(
        chr(ord("A") + x[p] - 1) if p and x[p] else chr(ord("a") + o[25 - p] - 1) if p < BAR and o[25 - p] else "-"
        for p in range(26)
    )
    turn = {0: 1, 1: -1}.get(int(state[TURN]), 0)
    return f"XGID={board}:0:0:{turn}:{state[DIE1]}{state[DIE2]}:0:0:0:0:10"


def read_xgid(text: str) -> np.ndarray:
    """The state of an XGID, with `XGID=` before it or not. Cube, scores and match length are not looked at."""
    board, *fields = re.sub(r"(?i)^XGID\s*=\s*", "", text.strip()).split(":")
    if not 4 <= len(fields) <= 9:
        raise wrong(text, f"an XGID is board:cube:owner:turn:dice:… with 5 to 10 fields, this has {len(fields) + 1}")
    if len(board) != 26:
        raise wrong(text, f"the board of an XGID has 26 characters, this has {len(board)}")
    x, o = [0] * 25, [0] * 25
    for point, sign in enumerate(board):
        if "A" <= sign <= "Z" and point > 0:
            x[point - 1] = ord(sign) - ord("A") + 1
        elif "a" <= sign <= "z" and point < BAR:
            o[24 - point] = ord(sign) - ord("a") + 1
        elif sign != "-":
            what = {0: "O's bar: a-o or -", BAR: "X's bar: A-O or -"}.get(point, f"point {point}: A-O, a-o or -")
            raise wrong(text, f"character {point + 1} of the board, {sign!r}, can't stand for {what}")
    turn = {"1": 0, "-1": 1, "0": -1}.get(fields[2])
    if turn is None:
        raise wrong(text, f"turn {fields[2]!r} is not 1 (X), -1 (O) or 0 (before the opening roll)")
    dice = "00" if fields[3].upper() in ("D", "B", "R") else fields[3]
    if not re.fullmatch("[0-9]{2}", dice):
        raise wrong(text, f"dice {dice!r} are not two digits, 00 or one of D, B and R")
    return _state(text, {"X": x, "O": o}, turn, (int(dice[0]), int(dice[1])))


def is_xgid(text: str) -> bool:
    """Whether a text is an XGID, or wants to be one: else it is a Position ID."""
    return text.strip().upper().startswith("XGID") or text.count(":") > 1 or "-" in text


def read_position(text: str) -> np.ndarray:
    """The state of an XGID, of a Position ID or of GNU Backgammon's `PositionID:MatchID`."""
    return read_xgid(text) if is_xgid(text) else read_position_id(text)


# --- what a game offers ----------------------------------------------------------------------------------------------


class Notation:
    """Moves and positions of a game in text, both ways."""

    __slots__ = ()

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or the two digits of a roll, as people write it."""
        return move_text(self, state, move)

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move, or the roll where dice are due, that a text stands for."""
        return read_move(self, state, text)

    def state_text(self, state: np.ndarray) -> str:
        """The position as an XGID."""
        return xgid(state)

    def read_state(self, text: str) -> np.ndarray:
        """The state of an XGID or of a GNU Backgammon Position ID."""
        return read_position(text)
