"""The analysis of a match in words and columns, for the terminal; and what the page says too."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.analysing.match import GRADES, MatchAnalysis, Sums, Turn
from ludus.analysing.reading import printable
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
    if found.sheet.length is None:
        said = [f"Judged by {how}."]
    else:
        said = [f"Judged by {how}: checker play in money points without the cube, whatever the score."]
    cube = sum(turn.kind == "cube" for turn in found.turns)
    if cube:
        said.append(
            f"{cube} action{'s' * (cube > 1)} with the cube {'were' if cube > 1 else 'was'} read, and not judged."
        )
    open_games = [str(game.number) for game in found.games if not game.result]
    if open_games:
        which = f"Game {open_games[0]} has" if len(open_games) == 1 else f"Games {', '.join(open_games)} have"
        said.append(f"{which} no result.")
    if found.luck_judge is None and found.sheet.game.facts.max_chances:
        said.append(f"{found.judge} does not judge rolls, so that nothing is said of luck.")
    return said


def sum_rows(found: MatchAnalysis) -> list[list[str]]:
    """The rows of the table of sums: what each is, and a cell for each player."""
    sums = [found.sums(seat) for seat in range(len(found.names))]
    rows = [
        ["decisions", *(f"{each.decisions}" for each in sums)],
        ["  unforced", *(f"{each.unforced}" for each in sums)],
        ["  forced", *(f"{each.forced}" for each in sums)],
        ["lost in all, points", *(f"{each.loss:.3f}" for each in sums)],
        ["error rate, thousandths of a point a decision", *(number(each.error_rate, ".2f") for each in sums)],
        ["like PR (500 × points a decision)", *(number(each.pr, ".2f") for each in sums)],
        *(
            [f"{_many(name)}, {least:.2f} and more", *(f"{_count(each, name)}" for each in sums)]
            for name, least in GRADES
        ),
    ]
    if found.luck_judge is not None:
        rows.append(["luck of own rolls, points", *(number(each.luck, "+.3f") for each in sums)])
    if any(each.result is not None for each in sums):
        without = "" if found.sheet.length is None else " without the cube"
        rows.append([f"result{without}, points", *(number(each.result, "+g") for each in sums)])
        if found.luck_judge is not None:
            rows.append(["result less all luck", *(number(each.adjusted, "+.3f") for each in sums)])
    return rows


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


def _count(sums: Sums, grade: str) -> int:
    return int(getattr(sums, grade))


def _decision(found: MatchAnalysis, place: int, turn: Turn, moves: int) -> list[str]:
    made, best = turn.choice, turn.best
    assert made is not None
    assert best is not None
    roll = f", {turn.roll}" if turn.roll else ""
    who = f"{place}. game {turn.game}, turn {turn.number}, {found.names[turn.seat]}{roll}"
    rows = [["played", made.move, f"{made.value:+.3f}", ""]]
    rows += [
        ["best" if at == 0 else "", each.move, f"{each.value:+.3f}", f"{each.value - best.value:+.3f}" if at else ""]
        for at, each in enumerate(turn.moves[:moves])
        if each.plies == best.plies
    ]
    return [f"{who}: lost {turn.loss:.3f}, {turn.grade}", f"   {turn.position}", _table(["", "", "", ""], rows, "   ")]


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
