"""A position of backgammon with the cube, explained: the chances, what gammons are worth at the score, take points and the doubling window, how often the
market is lost, and what to do: `ludus explain` in the terminal, `explain(text)` in Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus import games, players
from ludus.contract.position import Position
from ludus.contract.rules import OVER, chances, play, turn
from ludus.errors import LudusError
from ludus.games.backgammon.board import NAMES
from ludus.games.backgammon.cubeful import Chances, Stake, weigh
from ludus.games.backgammon.equities import gammon_value
from ludus.games.backgammon.judging import WithCube, chances_in, efficiency_of, stake_of
from ludus.games.backgammon.match import CRAWFORD, CUBE, DOUBLE, DOUBLED, OWNER, PHASE, PLAYING, ROLL, ROLLING, SCORE
from ludus.games.backgammon.match_notation import why_no_double
from ludus.games.backgammon.notation import id_bits, is_xgid
from ludus.games.backgammon.points import cubeless, normalised, take_points, window
from ludus.games.backgammon.rules import DIE1, STATE_SIZE, TURN
from ludus.kernel import kernel, stream
from ludus.nets.value import best_move, predict, workspace
from ludus.players.base import rank

NEAR = 0.01  # points of the cube within which two choices are about the same
SHOWN = 5  # moves

# --- which game ------------------------------------------------------------------------------------------------------

_LENGTH, _NO_JACOBY = (
    21,
    66,
)  # where a Match ID has the length of the match, in 15 bits, and whether gammons count without a double


def game_of(text: str) -> str:
    """The name of the game that a position's text speaks of. What else is wrong with the text is said by who reads it.

    >>> game_of("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:3:0:7:10")
    'backgammon(match=7)'
    >>> game_of("4HPwATDgc/ABMA")
    'backgammon(cube=true)'
    """
    length, jacoby, beavers = 0, 0, 0
    if is_xgid(text):
        fields = text.strip().split(":")
        rule, length = (
            int(field) if re.fullmatch("[0-9]{1,5}", field) else 0 for field in [*fields[7:9], "0", "0"][:2]
        )
        jacoby, beavers = rule & 1, rule >> 1 & 1
    elif code := text.strip().partition(":")[2]:
        key = id_bits(text, code, "Match ID", 12)
        length, jacoby = key >> _LENGTH & 0x7FFF, 1 - (key >> _NO_JACOBY & 1)
    if length:
        return f"backgammon(match={length})"
    return "backgammon(cube=true" + ",jacoby=true" * jacoby + ",beavers=1" * beavers + ")"


# --- the market ------------------------------------------------------------------------------------------------------


@kernel
def lost_market(player: Any, game: Any, state: Any, ws: Any) -> float:
    """How likely it is that, if the seat about to roll does not double, its double is passed one roll of each side later."""
    outcomes, odds = np.empty(36, np.int64), np.empty(36)
    replies, shares = np.empty(36, np.int64), np.empty(36)
    seat, lost = state[TURN], 0.0
    first, child = np.empty_like(state), np.empty_like(state)
    table, plain = player.encoding.table, player.encoding.plain
    for i in range(chances(game, state, outcomes, odds)):
        first[:] = state
        play(game, first, outcomes[i])
        play(game, first, best_move(player.net, player.encoding, game, first, seat, ws))
        if turn(game, first) == OVER or first[TURN] < 0:
            continue  # the game was won: there is no market any more, and nothing was lost with the cube where it was
        if turn(game, first) >= 0:
            play(game, first, ROLL)  # whether the other side would double now is not looked at
        for j in range(chances(game, first, replies, shares)):
            child[:] = first
            play(game, child, replies[j])
            play(game, child, best_move(player.net, player.encoding, game, child, 1 - seat, ws))
            if turn(game, child) != seat or child[TURN] != seat:
                continue
            predict(player.net, plain, game, child, ws)
            verdict = weigh(table, chances_in(ws.output, seat), stake_of(game, child, seat), efficiency_of(child, seat))
            if verdict.take > verdict.drop:
                lost += odds[i] * shares[j]
    return lost


# --- an explanation --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Explanation:
    """What is known of a position, in numbers and in words."""

    position: Position
    facts: dict[str, Any]
    lines: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus explain --json`."""
        return self.facts

    def __str__(self) -> str:
        return "\n".join(self.lines)


def explain(text: str, player: str | None = None, seed: int = 1) -> Explanation:
    """Explain a position, an XGID or GNU Backgammon's IDs, as a player sees it that judges by a network.

    >>> found = explain("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10")
    >>> found.facts["best"]
    'no double'
    """
    name = player or "td"
    position = games.game(game_of(text)).position(text)
    made, state = players.player(name, position.game), position.state
    if not isinstance(getattr(made, "encoding", None), WithCube):
        raise LudusError(f"{name} has no network that says how a game may end: ask td, td(plies=2) or td:DIR_OR_FILE")
    if position.over:
        raise LudusError("the game is over: there is nothing to decide, and nothing to explain")
    if state[TURN] < 0:
        raise LudusError("the game is yet to begin: give a position after the opening roll")
    return _Teller(position, made, name, seed).explanation()


def about_the_cube(position: Position, name: str) -> tuple[str, ...]:
    """What there is to say on a decision to double or to take, beside the position itself; nothing where something else is to be decided."""
    game: Any = position.game
    if (
        not hasattr(game, "lender")
        or position.turn is None
        or position.state[PHASE] not in (PLAYING, DOUBLED)
        or position.state[DIE1] > 0
    ):
        return ()
    made = players.player(name, game)
    if not isinstance(getattr(made, "encoding", None), WithCube):
        return ()
    return _Teller(position, made, name, 1).explanation().lines[2:]


class _Teller:
    """Collects facts and lines on one position."""

    def __init__(self, position: Position, made: Any, name: str, seed: int) -> None:
        game: Any = position.game
        self.position, self.game, self.state, self.made = position, game, position.state, made
        self.name, self.seed = name, seed
        self.seat = int(self.state[TURN])
        self.me, self.you = NAMES[self.seat], NAMES[1 - self.seat]
        self.table = made.encoding.table
        self.stake: Stake = stake_of(self.game, self.state, self.seat)
        self.efficiency = float(efficiency_of(self.state, self.seat))
        self.chances = self._chances()
        self.facts: dict[str, Any] = {}
        self.lines: list[str] = []

    def explanation(self) -> Explanation:
        """All that there is to say."""
        self._situation()
        if self.state[DIE1] > 0 or self.state[PHASE] > ROLLING or self.state[PHASE] in (DOUBLED + 1, DOUBLED + 2):
            self._moves()
        else:
            self._outlook()
            phase = int(self.state[PHASE])
            reason = None if phase in (DOUBLED, ROLLING) else why_no_double(self.game, self.state)
            if reason is None:
                self._points()
                self._decision()
            else:
                self.facts["best"] = "roll"
                self.lines.append(f"{self.me} can't double: {reason}.")
        return Explanation(self.position, self.facts, tuple(self.lines))

    def _chances(self) -> Chances:
        max_moves, size, seats, _ = self.made.sizes
        ws = workspace(self.made.net, self.game, max_moves, size, seats)
        plain = self.game.lender
        predict(self.made.net, self.made.encoding.plain, plain, self.state[:STATE_SIZE].copy(), ws)
        found: Chances = chances_in(ws.output, self.seat)
        return found

    def _situation(self) -> None:
        """The score, the cube, and what gammons are worth."""
        state, stake, game = self.state, self.stake, self.game
        owner = None if state[OWNER] < 0 else NAMES[int(state[OWNER])]
        self.facts |= {
            "game": games.game_name(game),
            "position": self.position.text,
            "player": self.name,
            "roller": self.me,
            "match": game.match,
            "points": [int(state[SCORE]), int(state[SCORE + 1])],
            "crawford": bool(state[CRAWFORD]),
            "cube": int(state[CUBE]),
            "owner": owner,
        }
        where = f"{owner}'s" if owner else "in the middle"
        self.lines.append(self.position.text)
        if game.match:
            after = " (the Crawford game)" if state[CRAWFORD] else ""
            self.lines.append(
                f"A match to {game.match}: X has {state[SCORE]}, O has {state[SCORE + 1]}{after}. The cube is at {state[CUBE]}, {where}."
            )
        else:
            self.lines.append(f"A game for money. The cube is at {state[CUBE]}, {where}.")
        mine = float(gammon_value(self.table, stake.own, stake.other, stake.cube))
        theirs = float(gammon_value(self.table, stake.other, stake.own, stake.cube))
        self.facts["gammon_values"] = {self.me: mine, self.you: theirs}
        if game.match:
            self.lines.append(
                f"A gammon adds {mine:.2f} to a win for {self.me}, and {theirs:.2f} for {self.you}; for money it adds 0.50."
            )

    def _outlook(self) -> None:
        """The chances, and what they are worth without the cube."""
        c, stake = self.chances, self.stake
        worth = cubeless(self.table, c, stake)
        self.facts["chances"] = {key: float(value) for key, value in c._asdict().items()}
        self.facts["cubeless"] = normalised(self.table, stake, worth)
        self.facts["efficiency"] = self.efficiency
        self.lines.append(
            f"{self.me}, about to roll, wins {_percent(c.win)}, {_percent(c.gammon)} by a gammon or more and {_percent(c.backgammon)} by a backgammon, and loses a gammon "
            f"or more in {_percent(c.lose_gammon)}. Without any further double that is worth {self.facts['cubeless']:+.3f}."
        )

    def _points(self) -> None:
        """Take points, the doubling window, and the market."""
        stake, x = self.stake, self.efficiency
        takes = take_points(self.table, self.chances, stake, x)
        found = window(self.table, self.chances, stake, x)
        rolling = self.state.copy()
        if rolling[PHASE] == PLAYING:
            play(self.game, rolling, ROLL)
        elif rolling[PHASE] == DOUBLED:
            rolling[PHASE] = ROLLING
        max_moves, size, seats, _ = self.made.sizes
        ws = workspace(self.made.net, self.game, max_moves, size, seats)
        market = float(lost_market(self.made, self.game, rolling, ws))
        self.facts["take_points"] = {key: float(value) for key, value in takes._asdict().items()}
        self.facts["window"] = found._asdict()
        self.facts["market_losers"] = market
        word = "redouble" if stake.owner > 0 else "double"
        self.lines.append(
            f"{self.you} takes a {word} with {_percent(takes.model)} or more: {_percent(takes.dead)} if the cube were dead afterwards, {_percent(takes.live)} if {self.you} could always use it "
            f"at the best moment. {self.you} has {_percent(1 - self.chances.win)}."
        )
        parts = []
        if found.double is None:
            parts.append(f"No chance to win makes a {word} right here")
        else:
            opens = "" if found.opens is None else f" (in the last roll of a game from {_percent(found.opens)} on)"
            parts.append(f"{self.me} should {word} from {_percent(found.double)} on{opens}")
        if found.cash is not None:
            parts.append(f"{self.you} passes from {_percent(found.cash)} on")
        if found.too_good is not None and found.cash is not None and found.too_good > found.cash:
            parts.append(f"{self.me} is too good to {word} from {_percent(found.too_good)} on")
        self.lines.append("; ".join(parts) + f". {self.me} has {_percent(self.chances.win)}.")
        self.lines.append(
            f"If {self.me} waits, a roll of each side later {self.you} would pass after {_percent(market)} of the sequences: these lose the market."
        )

    def _decision(self) -> None:
        """What the choices are worth, and which is best."""
        hold, take, drop = self._equities()
        best, doubles, takes = verdict_in_words(hold, take, drop, self.stake)
        self.facts["equities"] = {"no_double": hold, "double_take": take, "double_pass": drop}
        self.facts["best"], self.facts["doubles"], self.facts["takes"] = best, doubles, takes
        rows = [("no double", hold), ("double, take", take), ("double, pass", drop)]
        self.lines.append(
            f"As {self.name} sees it, in points of the cube for {self.me}:"
            if not self.game.match
            else f"As {self.name} sees it, for {self.me}, where 1 is a game won with the cube at {self.stake.cube}, and -1 one lost:"
        )
        self.lines += [f"  {name:<13} {value:+.3f}" for name, value in rows]
        self.lines.append(f"{best[0].upper()}{best[1:]}. {self._why(hold, take, drop, doubles, takes)}")

    def _equities(self) -> tuple[float, float, float]:
        """No double, double and take, double and pass, as the player sees them, in points of the cube."""
        before, rng = self.state.copy(), stream(self.seed)
        before[PHASE] = PLAYING
        asked = before.copy()
        play(self.game, asked, DOUBLE)
        first, answers = (
            {move.text: value for move, value in rank(self.made, Position(self.game, at), rng)}
            for at in (before, asked)
        )
        equities = first["roll"], -max(answers["take"], answers.get("beaver", -np.inf)), -answers["pass"]
        hold, take, drop = (normalised(self.table, self.stake, equity) for equity in equities)
        return hold, take, drop

    def _why(self, hold: float, take: float, drop: float, doubles: bool, takes: bool) -> str:
        """The reason, in a sentence or two."""
        you, me = self.you, self.me
        answer = (
            f"{you} loses {take - drop:.3f} less by passing"
            if not takes
            else f"{you} loses {drop - take:.3f} less by taking"
        )
        if self.state[PHASE] == DOUBLED:
            return f"{answer[0].upper()}{answer[1:]}."
        if doubles and takes:
            return f"Doubling gains {take - hold:.3f} over waiting, and {answer}."
        if doubles:
            return f"Doubling wins the cube at once, {drop - hold:.3f} more than playing on, and {answer}."
        if not takes and hold >= drop:
            return f"Playing on is worth {hold - drop:.3f} more than the cube at once: {me} goes for the gammon."
        if take < 0:
            return f"With the cube at {you}'s side {me} would be the underdog: waiting is worth {hold - take:.3f} more."
        return f"Giving the cube away costs {hold - min(take, drop):.3f} more than it gains: few sequences lose the market, and the others leave {me} a better double."

    def _moves(self) -> None:
        """The legal moves, where it is not the cube that is to be decided about."""
        seat = self.position.turn if self.position.turn is not None else self.seat
        stake = stake_of(self.game, self.state, seat)
        ranked = rank(self.made, self.position, stream(self.seed))[:SHOWN]
        rows = [(move.text, normalised(self.table, stake, value)) for move, value in ranked]
        self.facts["moves"] = [{"move": text, "equity": value} for text, value in rows]
        self.facts["best"] = rows[0][0]
        wide = max(len(text) for text, _ in rows)
        self.lines.append(f"{NAMES[seat]} is to decide. As {self.name} sees it, with the cube and the score:")
        self.lines += [f"  {text:<{wide}}  {value:+.3f}  {value - rows[0][1]:+.3f}" for text, value in rows]


def verdict_in_words(hold: float, take: float, drop: float, stake: Stake) -> tuple[str, bool, bool]:
    """What to do with the cube, whether to double, and whether to take; equities are in points of the cube.

    >>> verdict_in_words(0.62, 0.71, 1.0, Stake())
    ('double, take', True, True)
    >>> verdict_in_words(1.2, 1.4, 1.0, Stake(cube=2, owner=1))
    ('too good to redouble, pass', False, False)
    """
    takes, word = take <= drop, "redouble" if stake.owner > 0 else "double"
    doubles = min(take, drop) > hold
    if doubles:
        best = f"{word}, take" if takes else f"{word}, pass"
        if abs(min(take, drop) - hold) < NEAR:
            best = f"optional {best}"
    elif not takes and hold >= drop:
        best = f"too good to {word}, pass"
    else:
        best = f"no {word}"
        if take < 0 and stake.beavers and stake.own == 0:
            best += ", beaver"
    return best, bool(doubles), bool(takes)


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f} %"
