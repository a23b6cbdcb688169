"""The analysis of a match as one HTML page that needs nothing else: no script, no file, no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ludus.analysing.match import GameAnalysis, MatchAnalysis
from ludus.analysing.turns import NO_DOUBLE, Turn
from ludus.analysing.words import NONE, choice_rows, cube_words, described, heading, number, remarks, sum_rows, title
from ludus.contract.touching import board_of

MOVES = 5  # beside a board


def to_html(found: MatchAnalysis, worst: int) -> str:
    """The text of the page."""
    bad = found.worst()
    shown = bad[:worst]
    cards = "".join(_card(found, place, turn) for place, turn in enumerate(shown, 1))
    said = "".join(f"<p>{escape(each)}</p>\n" for each in remarks(found))
    name = escape(title(found))
    decisions = f"<section><h2>{heading(len(shown), len(bad))}</h2>\n{cards}</section>\n" if shown else ""
    games = "".join(_game(found, game, len(found.games) == 1) for game in found.games)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}</title>\n'
        f"<style>{STYLE}</style></head><body><main>\n<h1>{name}</h1>\n{said}"
        f"<section><h2>In all</h2>\n{_sums(found)}</section>\n{decisions}"
        f"<section><h2>Every turn</h2>\n{games}</section>\n"
        f'<section class="notes"><h2>How to read it</h2>\n{"".join(f"<p>{note}</p>" for note in NOTES)}</section>\n'
        "</main></body></html>\n"
    )


def _sums(found: MatchAnalysis) -> str:
    rows = sum_rows(found)
    marks = {at: "part" for at, (label, *_) in enumerate(rows) if label.startswith(" ")}
    return _table(["", *found.names], [[label.strip(), *cells] for label, *cells in rows], "sums", marks)


def _card(found: MatchAnalysis, place: int, turn: Turn) -> str:
    """A decision: the board as its seat sees it, and the best choices beside it."""
    made, best = turn.choice, turn.best
    assert made is not None
    assert best is not None
    rows = choice_rows(turn, MOVES)
    if made.move not in [row[0] for row in rows]:
        error = "" if made.error is None else f"± {made.error:.3f}"
        rows.append((made.move, f"{made.value:+.3f}", error, number(made.value - best.value, "+.3f")))
    marks = {[row[0] for row in rows].index(made.move): "made", 0: "best"}
    heads = ["move" if turn.kind == "move" else "choice", "worth", "error", "behind"]
    if not any(row[2] for row in rows):
        heads, rows = [heads[0], *heads[1::2]], [(row[0], row[1], row[3]) for row in rows]  # type: ignore[misc]
    roll = f", {escape(turn.roll)}" if turn.roll else ""
    words = f"{place}. {escape(found.names[turn.seat])}{roll}: {escape(made.move)}"
    where = f"game {turn.game}, turn {turn.number}"
    drawing = board_of(found.sheet.game, turn.state, turn.seat)
    cube = f"<p>{escape(said)}</p>" if (said := cube_words(turn)) else ""
    return (
        f'<article id="d{turn.game}-{turn.number}-{turn.kind}"><h3>{words}</h3>'
        f'<p><strong class="{turn.grade}">{escape(described(turn))}</strong> {where}</p>\n'
        f'<div class="pair"><div class="board">{drawing[drawing.index("<svg") :]}</div>'
        f"<div>{_table(heads, rows, 'moves', marks)}{cube}"
        f"<p><code>{escape(turn.position)}</code></p></div></div></article>\n"
    )


def _game(found: MatchAnalysis, game: GameAnalysis, opened: bool) -> str:
    """All turns of a game, as a table that opens."""
    lost = ", ".join(f"{name} lost {found.sums(seat, [game]).loss:.3f}" for seat, name in enumerate(found.names))
    score = f" at {'–'.join(map(str, game.score))}" if game.score else ""
    won = "no result" if game.winner is None else f"{found.names[game.winner]} won"
    if game.winner is not None and game.points:
        won += f" {game.points} point{'s' * (game.points > 1)}"
    head = f"<summary>Game {game.number}{score}: {escape(won)} <span>{escape(lost)}</span></summary>"
    heads = ["turn", "player", "roll", "luck", "played", "best", "lost"]
    shown = [turn for turn in game.turns if turn.counted or turn.played != NO_DOUBLE]
    marks = {at: _mark(turn) for at, turn in enumerate(shown)}
    table = _table(heads, [_row(found, turn) for turn in shown], "turns", marks)
    return f"<details{' open' * opened}>{head}{table}</details>\n"


def _mark(turn: Turn) -> str:
    return turn.grade or ("right" if turn.moves and not turn.loss else turn.kind)


def _row(found: MatchAnalysis, turn: Turn) -> list[str]:
    played, best = turn.played, turn.best.move if turn.best and len(turn.moves) > 1 else ""
    if turn.kind == "cube" and not turn.moves:
        best = "not judged"
    elif turn.kind == "roll":
        played = NONE
    elif turn.forced:
        best = "forced"
    elif best == played:
        best = "the same"
    lost = f"{turn.loss:.3f}" if turn.loss is not None and turn.counted else ""
    if lost and turn.loss_error is not None:
        lost += f" ± {turn.loss_error:.3f}"
    luck = number(turn.own_luck, "+.3f") if turn.luck else ""
    who = found.names[turn.seat] if turn.seat >= 0 else ""
    return [str(turn.number), who, turn.roll, luck, played, best, lost]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], kind: str, marks: dict[int, str] | None = None) -> str:
    """A table; `marks` are classes of rows."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(
        f'<tr class="{(marks or {}).get(at, "")}">{"".join(f"<td>{escape(text)}</td>" for text in row)}</tr>\n'
        for at, row in enumerate(rows)
    )
    return (
        f'<div class="wide" tabindex="0"><table class="{kind}"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )


NOTES = (
    "A decision loses what the best choice is worth more than the one that was made. Numbers are points to the player who decides: with the cube, 1 is to win what it shows at "
    "this score, and −1 to lose it.",
    "Moves without a choice are forced and count in no rate; so are rolls without a double where a double would have lost 0.16 or more. The error rate is 1000 × points lost ÷ "
    "decisions that count; the figure like PR is 500 × the same quotient. "
    "A blunder loses 0.08 or more, an error 0.04, a doubtful move 0.02.",
    "The luck of a roll is what the best move with it is worth beyond the mean over all rolls. The result less all luck takes off the luck of both players' rolls.",
)

STYLE = """
:root{color-scheme:light dark;--ink:#222;--soft:#5c5c5c;--line:#ddd8cc;--paper:#fbfaf7;--box:#f0ece0;--rule:#8a7f66;--blunder:#a3260f;--error:#a84900;--doubtful:#6f5a00;--best:#00704f}
@media (prefers-color-scheme:dark){:root{--ink:#e8e6e1;--soft:#aaa69c;--line:#3d3b36;--paper:#1b1a18;--box:#2a2825;--rule:#9a8f76;--blunder:#ff8f78;--error:#f0a06a;--doubtful:#e6cf6a;--best:#3cc79b}}
@media print{:root{--ink:#000;--soft:#333;--line:#ccc;--paper:#fff;--box:#f4f4f4;--rule:#555;--blunder:#a3260f;--error:#a84900;--doubtful:#6f5a00;--best:#00704f}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0}
main{max-width:66rem;margin:2rem auto;padding:0 1.2rem}
h1{font-size:1.5rem;line-height:1.25;margin-bottom:.4rem;overflow-wrap:anywhere}
h1+p,p+p{margin:.2rem 0}
h2{font-size:1.2rem;margin:2.2rem 0 .8rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
article{background:var(--box);border-radius:.6rem;padding:.9rem 1.1rem 1.1rem;margin:0 0 1.2rem;break-inside:avoid}
article p{margin:.1rem 0 .7rem;color:var(--soft)}
.pair{display:grid;grid-template-columns:minmax(0,30rem) minmax(15rem,1fr);gap:1.4rem;align-items:start}
.board svg{display:block;width:100%;height:auto}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;vertical-align:top}
th{border-bottom:2px solid var(--rule);font-weight:600}
th:first-child,td:first-child{padding-left:0}
.sums td:first-child,.moves td:first-child,.moves th:first-child,.turns :is(th,td):is(:nth-child(2),:nth-child(3),:nth-child(5),:nth-child(6)){text-align:left}
.sums td:first-child{white-space:normal}
.sums .part td:first-child{padding-left:1.2rem}
.moves,.turns{width:100%}
.moves .best td:first-child{color:var(--best);font-weight:600}
.moves .made td:first-child{font-weight:600}
.moves .made td:first-child::after{content:" (played)";font-weight:400;color:var(--soft)}
.turns .cube td,.turns .roll td,.turns .right td:nth-child(n+6){color:var(--soft)}
.turns tr:is(.blunder,.error,.doubtful) td:last-child{font-weight:600}
strong.blunder,.turns .blunder td:last-child{color:var(--blunder)}
strong.error,.turns .error td:last-child{color:var(--error)}
strong.doubtful,.turns .doubtful td:last-child{color:var(--doubtful)}
code{font-size:.8rem;overflow-wrap:anywhere;color:var(--soft)}
article .pair p{margin:.8rem 0 0;line-height:1.3}
details{margin:.4rem 0;border:1px solid var(--line);border-radius:.5rem;padding:.4rem .8rem}
summary{cursor:pointer;font-weight:600}
summary span{font-weight:400;color:var(--soft);margin-left:.4rem}
details .wide{margin:.6rem 0 .3rem}
.notes p{max-width:46rem;color:var(--soft);margin:.5rem 0}
@media (max-width:48rem){.pair{grid-template-columns:1fr}main{padding:0 .7rem}article{padding:.7rem}.turns{font-size:.82rem}.turns td{white-space:normal}th,td{padding:.3rem .35rem}}
@media print{details{break-inside:avoid}.wide{overflow:visible}main{max-width:none;margin:0}}
"""
