"""The analysis of a match in words and columns, for the terminal; and what the page says too."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.analysing.match import MatchAnalysis
from ludus.analysing.reading import printable
from ludus.analysing.sheet import CHANCE
from ludus.analysing.sums import Part, Sums
from ludus.analysing.turns import GRADES, Turn
from ludus.showing import html_table

NONE = "–"


def to_text(found: MatchAnalysis, worst: int, moves: int) -> str:
    """The sums by player, and the worst decisions with their best moves."""
    parts = ["\n".join([title(found), *remarks(found)]), _table(["", *found.names], sum_rows(found))]
    bad = found.worst()
    if not bad:
        parts.append(f"No decision lost {GRADES[-1][1]:.2f} points or more.")
    elif worst:
        parts.append(heading(min(worst, len(bad)), len(bad)) + ":")
        parts += ["\n".join(_decision(found, place, turn, moves)) for place, turn in enumerate(bad[:worst], 1)]
    return "\n\n".join(parts)


def to_table(found: MatchAnalysis) -> str:
    """The sums as a table for a notebook."""
    return html_table(title(found), ["", *found.names], sum_rows(found), " ".join(remarks(found)))


def heading(shown: int, bad: int) -> str:
    """What the list of bad decisions is.

    >>> heading(1, 1), heading(3, 3)
    ('The decision that lost most', 'The decisions that lost most')
    >>> heading(10, 12)
    'The 10 decisions that lost most, of 12 that lost 0.02 points or more'
    """
    many = f"{shown} decisions" if 1 < shown < bad else f"decision{'s' * (shown > 1)}"
    return f"The {many} that lost most" + f", of {bad} that lost {GRADES[-1][1]:.2f} points or more" * (shown < bad)


def title(found: MatchAnalysis) -> str:
    """Who played what."""
    count = len(found.games)
    games = f"game {found.games[0].number} of the file" if count == 1 else f"{count} games"
    if found.sheet.length is None:
        kind = found.sheet.game.facts.name
    else:
        kind = f"match to {found.sheet.length}" if found.sheet.length else "money"
    return f"{printable(found.path.name)}: {' against '.join(found.names)}, {kind}, {games}"


def remarks(found: MatchAnalysis) -> list[str]:
    """How it was judged, and what was not."""
    how = found.judge
    if found.plies:
        how += f", {found.plies} {'ply' if found.plies == 1 else 'plies'} ahead"
    said = [f"Judged by {how}{_what_counts(found)}."]
    cube = sum(turn.kind == "cube" for turn in found.turns)
    if cube and not found.sheet.cubeful:
        said.append(
            f"{cube} action{'s' * (cube > 1)} with the cube {'were' if cube > 1 else 'was'} read, and not judged."
        )
    if found.rolled:
        many, doubt, games, _ = found.rolled
        all_of = f"{many} of {doubt}" if many < doubt else f"{many}"
        said.append(
            f"{all_of} decisions in doubt were rolled out, with up to {games:,} games for each choice; ± is a standard error."
        )
    open_games = [str(game.number) for game in found.games if not game.result]
    if open_games:
        which = f"Game {open_games[0]} has" if len(open_games) == 1 else f"Games {', '.join(open_games)} have"
        said.append(f"{which} no result.")
    if found.luck_judge is None and found.sheet.game.facts.max_chances:
        said.append(f"{found.judge} does not judge rolls, so that nothing is said of luck.")
    return said


def _what_counts(found: MatchAnalysis) -> str:
    if found.sheet.length is None:
        return ""
    if not found.sheet.cubeful:
        return ": checker play in money points without the cube, whatever the score"
    if found.sheet.game.match:
        return ": cube decisions, and checker play at the score; a point is to win what the cube shows"
    jacoby = "by Jacoby's rule" if found.sheet.game.jacoby else "without Jacoby's rule"
    return f": cube decisions, and checker play with the cube, for money {jacoby}; a point is what the cube shows"


def sum_rows(found: MatchAnalysis) -> list[list[str]]:
    """The rows of the table of sums: what each is, and a cell for each player. Rows with a margin belong to the one above without."""
    sums = [found.sums(seat) for seat in range(len(found.names))]
    if not found.sheet.cubeful:
        head = [
            ["decisions", *(f"{each.decisions}" for each in sums)],
            ["  unforced", *(f"{each.counted}" for each in sums)],
            ["  forced", *(f"{each.forced}" for each in sums)],
        ]
        return [
            *head,
            *_lost(sums, "lost in all, points"),
            *_rate_rows(sums),
            *_grade_rows(sums),
            *_luck_rows(found, sums),
        ]
    moves, cube = [each.checker for each in sums], [each.cube for each in sums]
    wrong = [dict(each.mistakes) for each in sums]
    rows = [
        ["checker play: unforced decisions", *(f"{each.counted}" for each in moves)],
        *(
            [f"  {label}", *cells]
            for label, *cells in [*_lost(moves, "lost, points"), _rate(moves), *_grade_rows(moves)]
        ),
        ["cube: close or actual decisions", *(f"{each.counted}" for each in cube)],
        *([f"  {label}", *cells] for label, *cells in [*_lost(cube, "lost, points"), _rate(cube), *_grade_rows(cube)]),
        *(
            [f"  {_plural(name)}", *(f"{each.get(name, 0)}" for each in wrong)]
            for name in dict.fromkeys(name for each in wrong for name in each)
        ),
        ["in all: decisions that count", *(f"{each.counted}" for each in sums)],
        *([f"  {label}", *cells] for label, *cells in [*_lost(sums, "lost, points"), *_rate_rows(sums)]),
    ]
    share = found.sheet.unit == CHANCE
    lost = "match winning chance lost" if share else "lost, points times the cube"
    rows.append([f"  {lost}", *(_in_unit(each.cost, share, "") for each in sums)])
    return rows + _luck_rows(found, sums)


def _lost(parts: Sequence[Part], label: str) -> list[list[str]]:
    return [[label, *(f"{each.loss:.3f}" for each in parts)]]


def _rate(parts: Sequence[Part]) -> list[str]:
    return ["error rate, thousandths of a point a decision", *(number(each.error_rate, ".2f") for each in parts)]


def _rate_rows(parts: Sequence[Part]) -> list[list[str]]:
    return [_rate(parts), ["like PR (500 × points a decision)", *(number(each.pr, ".2f") for each in parts)]]


def _grade_rows(parts: Sequence[Part]) -> list[list[str]]:
    return [
        [f"{_many(name)}, {least:.2f} and more", *(f"{getattr(each, name)}" for each in parts)]
        for name, least in GRADES
    ]


def _luck_rows(found: MatchAnalysis, sums: Sequence[Sums]) -> list[list[str]]:
    rows, share = [], found.sheet.unit == CHANCE
    if found.luck_judge is not None:
        rows.append(["luck of own rolls, points", *(number(each.luck, "+.3f") for each in sums)])
    if any(each.result is not None for each in sums):
        if found.sheet.cubeful:
            kind = "result, match winning chance" if share else "result, points times the cube"
        else:
            kind = "result, points" if found.sheet.length is None else "result without the cube, points"
        rows.append([kind, *(_in_unit(each.result, share, "+") for each in sums)])
        if found.luck_judge is not None:
            rows.append(["result less all luck", *(_in_unit(each.adjusted, share, "+", ".3f") for each in sums)])
    return rows


def _in_unit(value: float | None, share: bool, sign: str, form: str = "g") -> str:
    """A number in the unit of results: points, or a chance.

    >>> _in_unit(0.1234, True, "+"), _in_unit(2.0, False, "+"), _in_unit(None, True, "+")
    ('+12.34 %', '+2', '–')
    """
    if share and value is not None:
        return f"{number(100 * value, f'{sign}.2f')} %"
    return number(value, f"{sign}{form}" if sign else ".3f")


def _plural(mistake: str) -> str:
    return f"{mistake}es" if mistake.endswith("pass") else f"{mistake}s"


def number(value: float | None, form: str) -> str:
    """A number, or a dash where there is none.

    >>> number(1.234, "+.2f"), number(None, "+.2f"), number(-0.0001, "+.2f")
    ('+1.23', '–', '+0.00')
    """
    if value is None:
        return NONE
    text = f"{value:{form}}"
    return f"{0.0:{form}}" if float(text) == 0 else text


def _many(grade: str) -> str:
    return grade if grade == "doubtful" else f"{grade}s"


def described(turn: Turn) -> str:
    """What a decision was called and lost: blunder, or missed double, blunder; with the standard error, where it was rolled out."""
    error = "" if turn.loss_error is None else f" ± {turn.loss_error:.3f}"
    kind = f"{turn.mistake}, {turn.grade}" if turn.mistake else turn.grade
    return f"lost {turn.loss:.3f}{error}, {kind}"


def choice_rows(turn: Turn, most: int) -> list[tuple[str, str, str, str]]:
    """The best choices, or all with the cube: what each is, its value, its standard error if it was rolled out, and how far it is behind the best."""
    best = turn.best
    assert best is not None
    rows = [
        (
            each.move,
            f"{each.value:+.3f}",
            "" if each.error is None else f"± {each.error:.3f}",
            f"{each.value - best.value:+.3f}" if at else "",
        )
        for at, each in enumerate(turn.moves[:most] if turn.kind == "move" else turn.moves)
        if each.like(best)
    ]
    return rows


def cube_words(turn: Turn) -> str:
    """Of a decision to double or not: what each way is worth to who may double, and what both should do; nothing for others."""
    if turn.cube is None or turn.cube.no_double is None:
        return ""
    hold, take, drop, verdict = turn.cube
    return f"no double {hold:+.3f}; double/take {take:+.3f}; double/pass {drop:+.3f}; right: {verdict}"


def _decision(found: MatchAnalysis, place: int, turn: Turn, moves: int) -> list[str]:
    made = turn.choice
    assert made is not None
    roll = f", {turn.roll}" if turn.roll else ""
    who = f"{place}. game {turn.game}, turn {turn.number}, {found.names[turn.seat]}{roll}"
    error = "" if made.error is None else f"± {made.error:.3f}"
    rows = [["played", made.move, f"{made.value:+.3f}", error, ""]]
    rows += [["best" if at == 0 else "", *row] for at, row in enumerate(choice_rows(turn, moves))]
    if not any(row[3] for row in rows):
        rows = [[*row[:3], row[4]] for row in rows]
    lines = [f"{who}: {described(turn)}", f"   {turn.position}", _table([""] * len(rows[0]), rows, "   ")]
    said = cube_words(turn)
    return [*lines, f"   {said}"] if said else lines


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], margin: str = "") -> str:
    """Columns of which the first is words; a second one of words beside it, where there are moves, is to the left too."""
    lines = [heads, *rows] if any(heads) else list(rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    words = 1 if any(heads) else 2
    return "\n".join(
        margin
        + "  ".join(
            f"{cell:<{width}}" if column < words else f"{cell:>{width}}"
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
