"""What a game manager shows to people: plain pages, without scripts, of what it plays and has played."""

from __future__ import annotations

import html
import time
import urllib.parse
from collections.abc import Iterable, Sequence
from typing import Any

_frame = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">{refresh}<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; }} td, th {{ text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }}
tr {{ border-bottom: 1px solid #ddd; }} code {{ font-size: 13px; word-break: break-word; }} .wrong {{ color: #b00020; }}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def _page(title: str, body: str, refresh: bool) -> str:
    again = '<meta http-equiv="refresh" content="3">' if refresh else ""
    return _frame.format(title=html.escape(title), body=body, refresh=again)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells that are HTML already."""
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>\n{lines}</table>"


def _when(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(milliseconds / 1000))


def _status(stored: str, is_under_way: bool) -> str:
    return "interrupted" if stored == "running" and not is_under_way else stored


def overview(results: list[dict[str, Any]], under_way: set[str], host: str) -> str:
    """The page of all matches: those that run first. `host` is the name and the port by which the reader found it."""
    rows = []
    for result in sorted(results, key=lambda r: r["matchId"] not in under_way):
        goals = result["goalValues"] or ["–"] * len(result["roles"])
        seats = zip(result["roles"], result["players"], goals, result["errors"], strict=True)
        running = result["matchId"] in under_way or result["tournament"] in under_way
        rows.append([
            f'<a href="/match/{urllib.parse.quote(result["matchId"], safe="")}">{html.escape(result["matchId"])}</a>',
            html.escape(result["gameName"]), _when(result["startTime"]), _status(result["status"], running),
            str(result["steps"]),
            "<br>".join(
                f"{html.escape(role)}: {html.escape(player)} <b>{goal}</b>"
                + (f' <span class="wrong">{wrong} error{"s" * (wrong != 1)}</span>' if wrong else "")
                for role, player, goal, wrong in seats
            ),
        ])  # fmt: skip
    body = f"<p>{len(under_way)} under way, {len(results)} shown.</p>"
    body += _table(["match", "game", "begun", "status", "steps", "players"], rows) if rows else _HOW % html.escape(host)
    return _page("Matches", body, bool(under_way))


_HOW = """<p>No match yet. Start one:</p>
<pre>curl -d '{"game": "tictactoe", "players": ["127.0.0.1:9147", "random"]}' http://%s/matches</pre>"""


def one(match: dict[str, Any], is_under_way: bool) -> str:
    """The page of one match: what was played, step by step."""
    stored = "completed" if match["isCompleted"] else "aborted" if match["isAborted"] else "running"
    facts = [
        ["game", html.escape(match["gameName"])],
        ["status", _status(stored, is_under_way)],
        ["begun", _when(match["startTime"])],
        ["clocks", f"{match['startClock']:g} s, {match['playClock']:g} s"],
        *([["failure", html.escape(match["failure"])]] if "failure" in match else []),
    ]
    goals = match.get("goalValues") or ["–"] * len(match["gameRoleNames"])
    head = [
        f"{html.escape(role)}<br>{html.escape(player)}<br>{goal}"
        for role, player, goal in zip(match["gameRoleNames"], match["playerNamesFromHost"], goals, strict=True)
    ]
    steps = [["start", *("" for _ in head)]] + [
        [str(number), *(f"<code>{html.escape(move)}</code>" for move in moves)]
        for number, moves in enumerate(match["moves"], 1)
    ]
    for row, errors in zip(steps, match["errors"], strict=False):
        for column, error in enumerate(errors, 1):
            if error:
                row[column] += f' <span class="wrong">{html.escape(error)}</span>'
    last = f"<h2>State</h2><p><code>{html.escape(match['states'][-1])}</code></p>" if match["states"] else ""
    link = f'<p><a href="/">all matches</a> · <a href="/matches/{urllib.parse.quote(match["matchId"], safe="")}">JSON</a></p>'
    return _page(match["matchId"], link + _table(["", ""], facts) + last + _table(["step", *head], steps), is_under_way)


def live(match: dict[str, Any], is_under_way: bool) -> dict[str, Any]:
    """Where a match stands, for programs that watch it."""
    stored = "completed" if match["isCompleted"] else "aborted" if match["isAborted"] else "running"
    return {
        "matchId": match["matchId"],
        "status": _status(stored, is_under_way),
        "step": len(match["moves"]),
        "state": match["states"][-1] if match["states"] else None,
        "lastMoves": match["moves"][-1] if match["moves"] else None,
        "goalValues": match.get("goalValues"),
    }
