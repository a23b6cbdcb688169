"""The messages between a game manager and its players, as texts: INFO, PING, PREVIEW, START, PLAY, STOP and ABORT.

They are KIF expressions in any case, with or without the outermost parentheses; `functional` translates the other spelling
of the Stanford texts. Only the outermost levels are taken apart here: a rulesheet stays text, for `games` to read.

Where information is hidden (GDL-II), PLAY and STOP do not tell the moves of all roles, but the number of the turn, the player's own last move, and its percepts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ludus.errors import LudusError, unknown
from ludus.ggp import functional

MAX_MESSAGE = 5_000_000  # characters; the largest public rulesheets have a few hundred thousand
MAX_TOKENS = 1_000_000
MAX_LISTS = 300_000
MAX_DEPTH = 500
MAX_CLOCK = 7 * 86_400.0  # a week; longer ones are cut to it, since threads can't wait for ever

TURN = "turn "  # begins what is told in GDL-II; no term has a blank without parentheses

_token = re.compile(r'[()]|;[^\r\n]*|"[^"]*"|[^\s();"]+|"')


class Style(NamedTuple):
    """How a manager writes, so that it can be answered likewise."""

    upper: bool = False  # it writes the rules and the roles in upper case
    functional: bool = False  # it writes mark(1,1) instead of ( mark 1 1 )

    def write(self, term: str) -> str:
        """A term in this style.

        >>> Style(upper=True).write("( mark 1 1 )"), Style(functional=True).write("( mark 1 1 )")
        ('( MARK 1 1 )', 'mark(1,1)')
        """
        written = functional.from_kif(term) if self.functional else term
        return written.upper() if self.upper else written


PLAIN = Style()


class Message(NamedTuple):
    """A message that was understood. Names are in lower case; fields that its kind does not have are empty."""

    kind: str  # info, ping, preview, start, play, stop or abort
    match: str = ""
    role: str = ""
    rules: str = ""  # the rulesheet as it was written
    start_clock: float = 0.0  # seconds; PREVIEW's clock too
    play_clock: float = 0.0
    # One for each role; in GDL-II `TURN number`, the own move and the percepts. None at the beginning of a match.
    moves: tuple[str, ...] | None = None
    style: Style = PLAIN


def tokens(text: str) -> Iterator[re.Match[str]]:
    """The tokens of a KIF text, comments left out; LudusError beyond the limits, or for parentheses that don't match."""
    if len(text) > MAX_MESSAGE:
        raise LudusError(f"the text has {len(text):,} characters; at most {MAX_MESSAGE:,} are read")
    if text.count("(") > MAX_LISTS:  # said at once, where counting tokens would take seconds
        raise LudusError(f"the text has more than {MAX_LISTS:,} parentheses")
    depth = 0
    for number, found in enumerate(_token.finditer(text)):
        sign = text[found.start()]
        if number == MAX_TOKENS:
            raise LudusError(f"the text has more than {MAX_TOKENS:,} symbols and parentheses")
        if sign == "(":
            depth += 1
            if depth > MAX_DEPTH:
                raise LudusError(f"more than {MAX_DEPTH} parentheses are open at character {found.start() + 1:,}")
        elif sign == ")":
            depth -= 1
            if depth < 0:
                raise LudusError(f"the ')' at character {found.start() + 1:,} closes nothing")
        elif sign == '"' and found.end() == found.start() + 1:
            raise LudusError(f"the '\"' at character {found.start() + 1:,} opens a text that never ends")
        if sign != ";":
            yield found
    if depth:
        raise LudusError(f"{depth} '(' {'is' if depth == 1 else 'are'} never closed")


def items(text: str) -> list[str]:
    """The expressions that stand beside each other in a text, as they are written.

    >>> items("play m1 ( (mark 1 1) noop )  ; and so on")
    ['play', 'm1', '( (mark 1 1) noop )']
    """
    found: list[str] = []
    depth = begin = 0
    for token in tokens(text):
        if depth == 0:
            begin = token.start()
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            found.append(text[begin : token.end()])
    return found


def compact(text: str) -> str:
    """A KIF text on one line, without comments, single blanks between all tokens.

    >>> compact("(role white) ; the first\\n(role black)")
    '( role white ) ( role black )'
    """
    return " ".join(token[0] for token in tokens(text))


def term(text: str) -> str:
    """The one term that a text stands for, in lower case with single blanks; LudusError if it is none, or several.

    >>> term(" (MARK 1\\t1)"), term("(noop)")
    ('( mark 1 1 )', 'noop')
    """
    found = items(text)
    if len(found) != 1:
        raise LudusError(f"'{shorten(text)}' is {len(found) or 'no'} term{'s' if found else ''}; one was expected")
    written = compact(found[0]).lower()
    if re.search(r"\( [()]", written):
        raise LudusError(f"'{shorten(text)}' is no term: after each '(' the name of a function must stand")
    while (simpler := re.sub(r"\( (\S+) \)", r"\1", written)) != written:  # a function of nothing is a symbol
        written = simpler
    return written


def shorten(text: str, width: int = 60) -> str:
    """The beginning of a text, on one line, for an error message."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else line[:width] + "..."


def quotable(text: str) -> str:
    """A text of somebody else's on one line, without what ends or changes a quotation: not all programs read JSON well.

    >>> quotable('say "a\\\\b"')
    "say 'a/b'"
    """
    line = " ".join(text.split()).replace('"', "'").replace("\\", "/")
    return "".join(sign if sign.isprintable() else "?" for sign in line)


# --- reading ---------------------------------------------------------------------------------------------------------


def read(text: str) -> Message:
    """The message that a text stands for; LudusError says what is wrong with it.

    >>> read("(PLAY m1 ((mark 1 1) NOOP))").moves
    ('( mark 1 1 )', 'noop')
    >>> read("INFO").kind, read("play(m1,nil)").moves
    ('info', None)
    """
    is_functional = functional.is_functional(text)
    if is_functional:
        if len(text) > MAX_MESSAGE:
            raise LudusError(f"the text has {len(text):,} characters; at most {MAX_MESSAGE:,} are read")
        text = functional.to_kif(text)
    parts = _parts_of_start(text) or items(text)
    if len(parts) == 1 and parts[0].startswith("("):
        parts = items(parts[0][1:-1])
    if not parts:
        raise LudusError("the message is empty; a message looks like (INFO) or (PLAY match (move move))")
    kind, arguments = parts[0].lower(), parts[1:]
    if kind not in _shapes:
        raise unknown("message", shorten(kind, 20).upper(), [name.upper() for name in _shapes])
    least, most, shape = _shapes[kind]
    if not least <= len(arguments) <= most:
        raise LudusError(f"{kind.upper()} with {len(arguments)} arguments; it is written {shape}")
    if kind in ("info", "ping"):
        return Message(kind, style=Style(functional=is_functional))
    if kind == "preview":
        return Message(
            kind,
            rules=_rules(kind, arguments[0]),
            start_clock=_clock("preview clock", arguments[1]),
            style=_style(arguments[0], is_functional),
        )
    match = _symbol("match id", arguments[0])
    if kind == "start":
        return Message(
            kind,
            match,
            role=_symbol("role", arguments[1]),
            rules=_rules(kind, arguments[2]),
            start_clock=_clock("start clock", arguments[3]),
            play_clock=_clock("play clock", arguments[4]),
            style=_style(arguments[1] + arguments[2], is_functional),
        )
    if kind == "abort":
        return Message(kind, match)
    if len(arguments) == 3:
        raise LudusError(f"{kind.upper()} with 3 arguments; it is written {shape}")
    moves = _told(*arguments[1:]) if len(arguments) == 4 else _moves(arguments[1] if len(arguments) > 1 else "nil")
    return Message(kind, match, moves=moves)


_begin = re.compile(r"\s*\(\s*(start)\s+([^\s();\"]+)\s+([^\s();\"]+)\s*\(", re.IGNORECASE)
_end = re.compile(r"\)\s*([0-9.]+)\s+([0-9.]+)\s*\)\s*$")


def _parts_of_start(text: str) -> list[str] | None:
    """The parts of a START as managers write it, found from both ends: a large sheet between them would take seconds to take
    apart, while the clock runs. What is wrong within the sheet is found when it is loaded.
    """
    if len(text) > MAX_MESSAGE or text.count("(") > MAX_LISTS:
        return None
    begin, tail = _begin.match(text), text[-200:]
    end = _end.search(tail)
    if begin is None or end is None or begin.end() > len(text) - len(tail) + end.start():
        return None
    rules = text[begin.end() - 1 : len(text) - len(tail) + end.start() + 1]
    return [*begin.groups(), rules, *end.groups()]


# For each kind: the fewest and the most arguments, and how it is written. START may grow more arguments (ggp-base says
# so), and some managers number their INFO and PING.
_shapes = {
    "info": (0, 2, "(INFO)"),
    "ping": (0, 2, "(PING)"),
    "preview": (2, 9, "(PREVIEW (rules) clock)"),
    "start": (5, 12, "(START match role (rules) startclock playclock)"),
    "play": (1, 4, "(PLAY match (move move)) or (PLAY match NIL), in GDL-II (PLAY match turn move (percept percept))"),
    "stop": (1, 4, "(STOP match (move move)), in GDL-II (STOP match turn move (percept percept))"),
    "abort": (1, 1, "(ABORT match)"),
}


def _symbol(what: str, text: str) -> str:
    if text.startswith("("):
        raise LudusError(f"the {what} must be a word, not '{shorten(text)}'")
    return text.lower()


def _rules(kind: str, text: str) -> str:
    if not text.startswith("("):
        raise LudusError(f"the rules in {kind.upper()} must stand in parentheses, not '{shorten(text)}'")
    return text[1:-1]


def _clock(what: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise LudusError(f"the {what} must be a number of seconds, not '{shorten(text)}'")
    return min(seconds, MAX_CLOCK)


def _moves(text: str) -> tuple[str, ...] | None:
    if not text.startswith("("):
        if text.lower() != "nil":
            raise LudusError(f"the moves must be a list in parentheses or NIL, not '{shorten(text)}'")
        return None
    return tuple(term(part) for part in items(text[1:-1])) or None


def _told(turn: str, move: str, percepts: str) -> tuple[str, ...] | None:
    """What a message of GDL-II tells: the turn, the own move and the percepts; None in turn 0, before anything was done."""
    if not re.fullmatch(r"[0-9]{1,9}", turn):
        raise LudusError(f"the turn must be a whole number from 0 on, not '{shorten(turn)}'")
    if not percepts.startswith("(") and percepts.lower() != "nil":
        raise LudusError(f"the percepts must be a list in parentheses or NIL, not '{shorten(percepts)}'")
    if int(turn) == 0:
        return None
    if move.lower() == "nil" or move in ("()", "( )"):
        raise LudusError(f"turn {int(turn)} must name the player's last move, not NIL")
    seen = [] if percepts.lower() == "nil" else items(percepts[1:-1])
    return (f"{TURN}{int(turn)}", term(move), *sorted(map(term, seen)))


def _style(text: str, is_functional: bool) -> Style:
    bare = re.sub(r";[^\r\n]*", "", text)
    return Style(upper=not is_functional and bare == bare.upper() != bare.lower(), functional=is_functional)


# --- writing ---------------------------------------------------------------------------------------------------------


def write_start(match: str, role: str, rules: str, start_clock: float, play_clock: float) -> str:
    """START; give the rules as `compact` writes them, as some players lose the ends of lines.

    >>> write_start("m1", "white", "( role white )", 10, 5)
    '( START m1 white ( ( role white ) ) 10 5 )'
    """
    return f"( START {match} {role} ( {rules} ) {start_clock:g} {play_clock:g} )"


def write_moves(kind: str, match: str, moves: Sequence[str] | None) -> str:
    """PLAY or STOP with the last moves, one for each role.

    >>> write_moves("PLAY", "m1", None), write_moves("STOP", "m1", ["noop", "( mark 1 1 )"])
    ('( PLAY m1 NIL )', '( STOP m1 ( noop ( mark 1 1 ) ) )')
    """
    return f"( {kind} {match} {'NIL' if moves is None else '( ' + ' '.join(moves) + ' )'} )"


def write_percepts(kind: str, match: str, turn: int, move: str | None, percepts: Sequence[str]) -> str:
    """PLAY or STOP of GDL-II, for one role: the turn, its last move, and what it saw of that.

    >>> write_percepts("PLAY", "m1", 0, None, ()), write_percepts("STOP", "m1", 2, "( mark 1 1 )", ["your_turn"])
    ('( PLAY m1 0 NIL NIL )', '( STOP m1 2 ( mark 1 1 ) ( your_turn ) )')
    """
    told = "NIL NIL" if move is None else f"{move} ( {' '.join(percepts)} )" if percepts else f"{move} ( )"
    return f"( {kind} {match} {turn} {told} )"


def write_abort(match: str) -> str:
    """ABORT."""
    return f"( ABORT {match} )"


def write_info(name: str, status: str, style: Style = PLAIN) -> str:
    """The answer to INFO.

    >>> write_info("ludus", "available")
    '((name ludus) (status available))'
    """
    if style.functional:
        return f"[[name,{name}],[status,{status}]]"
    return f"((name {name}) (status {status}))"


def write_error(text: str) -> str:
    """The answer to what can't be done.

    >>> write_error('no "such" thing')
    '(error "no \\'such\\' thing")'
    """
    return f'(error "{quotable(text)}")'
