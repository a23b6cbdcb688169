"""Runs inside GNU Backgammon, by its own Python (`gnubg -t -p inside_gnubg.py`), and so imports nothing of ours: reads questions, a line each, and answers each with a line.

A question is a list in JSON: what is asked, two dice, the cube and whose it is, the length of the match, the points of both sides, whether it is the Crawford game, whether Jacoby's rule holds, whether
beavers are allowed, and the two sides' 25 counts. Player 1 is the side on roll, player 0, who comes first, the other. An answer is `ludus` and what was asked for, in JSON, or `ludus-error` and a
reason. All else on the output is talk of the program's.
"""

from __future__ import annotations

import json
import sys
from typing import Any

FIELDS = 11  # numbers of a question before the board


def answer(gnubg: Any, how: dict[str, Any], question: list[Any]) -> list[Any]:
    """What GNU Backgammon says to a question."""
    what, die1, die2, cube, owner, match, theirs, ours, crawford, jacoby, beavers = question[:FIELDS]
    board = tuple(question[FIELDS : FIELDS + 25]), tuple(question[FIELDS + 25 :])
    info = gnubg.cubeinfo(cube, owner, 1, match, (theirs, ours), crawford)
    if match == 0:
        info["jacoby"], info["beavers"] = jacoby, beavers
        price = 0.0 if jacoby and owner < 0 else 1.0  # of a gammon, and of a backgammon more
        info["gammonprice"] = (price, price), (price, price)
    if what == "move":  # from, to, from, to …
        return list(gnubg.findbestmove(board, info, how, (die1, die2)))
    if what == "cube":  # equities: the best choice, no double, double and take, double and pass; its advice
        return list(gnubg.cfevaluate(board, info, how)[:5])
    if (
        what == "chances"
    ):  # to win, win a gammon, a backgammon, lose a gammon, a backgammon; equity; prices of gammons of both
        return [*gnubg.evaluate(board, info, how), *info["gammonprice"][0], *info["gammonprice"][1]]
    raise ValueError(f"nobody knows what {what!r} is")


def serve(gnubg: Any, lines: Any, out: Any) -> None:
    """Answer all questions. The first line says how many plies to look ahead."""
    plies = int(next(lines))
    gnubg.command("set jacoby off")
    if plies == 0:
        gnubg.command("set cache 65536")  # so that ten of them take little memory
    how = {"cubeful": 1, "plies": plies, "deterministic": 1, "prune": 1, "noise": 0.0}
    for line in lines:
        try:
            said = "ludus " + json.dumps(answer(gnubg, how, json.loads(line)))
        except Exception as error:
            said = "ludus-error " + " ".join(f"{type(error).__name__}: {error}".split())
        out.write(said + "\n")
        out.flush()


if __name__ == "__main__":
    import gnubg  # type: ignore[import-not-found]

    serve(gnubg, iter(sys.stdin.readline, ""), sys.stdout)
