"""Small engines for the tests, run as `python scripted_engines.py WHAT …`: honest ones and others. They know nothing of ludus."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

Answer = Callable[[str], str | None]


def listen(answer: Answer) -> None:
    """Answer each line, until none comes."""
    for line in sys.stdin:
        said = answer(line.strip())
        if said is not None:
            print(said, flush=True)


def told(log: str, moves: str) -> Answer:
    """Speaks QTP: writes down what it is told, and moves as it was told to on the command line, one move after the other."""
    waiting = iter(moves.split(","))

    def answer(line: str) -> str:
        with Path(log).open("a") as file:
            print(line, file=file)
        return f"= {next(waiting)}\n" if line.startswith("genmove") else "=\n"

    return answer


def chatty(moves: str) -> Answer:
    """The same, with much talk before each answer, and Windows' ends of lines."""
    waiting = iter(moves.split(","))

    def answer(line: str) -> str:
        said = next(waiting) if line.startswith("genmove") else ""
        return "".join(f"# thinking about {line} {i}\r\n" for i in range(300)) + f"info?\r\n\r\n={said}\r\n\r"

    return answer


def dying(line: str) -> str | None:
    """Ends in the middle, with last words."""
    if line.startswith("genmove"):
        print("out of walnuts\n", file=sys.stderr)
        sys.exit(3)
    return "=\n"


def silent(line: str) -> str | None:
    """Never moves."""
    return None if line.startswith("genmove") else "=\n"


def flooding(line: str) -> str | None:
    """Talks without end instead of moving."""
    while line.startswith("genmove"):
        print("la" * 20)
    return "=\n"


def mute(line: str) -> str | None:
    """Closes its mouth, and lives on."""
    os.close(1)
    time.sleep(600)
    return None


def stubborn() -> None:
    """Says where it is, and neither talks nor ends when nobody talks to it."""
    print("ready", flush=True)
    while True:
        time.sleep(60)


def tictactoe(log: str) -> Answer:
    """Speaks UGI: writes down what it is told, and takes the first free cell."""
    taken: list[str] = []

    def answer(line: str) -> str | None:
        with Path(log).open("a") as file:
            print(line, file=file)
        if line.startswith("position"):
            taken[:] = line.partition(" moves ")[2].split()
        cells = [f"mark_{x}_{y}" for x in "123" for y in "123"]
        answers = {
            "ugi": "id name Cells\nugiok",
            "uci": "uciok",
            "isready": "readyok",
            "go movetime 20": f"info depth 1\nbestmove {next((c for c in cells if c not in taken), None)}",
        }
        return answers.get(line)

    return answer


def gnubg(reply: str) -> None:
    """Behaves at its socket as GNU Backgammon does, and always moves alike."""
    for line in sys.stdin:
        if line.startswith("external"):
            host, _, port = line.split()[1].partition(":")
            with socket.create_server((host, int(port))) as door:
                print(f"Waiting for a connection from {host}:{port}...", flush=True)
                caller, _ = door.accept()
            with caller, caller.makefile("rw") as lines:
                for board in lines:
                    assert board.startswith("board:")
                    if reply == "close":
                        return
                    lines.write(reply + "\n")
                    lines.flush()


def main(what: str, *rest: str) -> None:
    """Be an engine."""
    if what == "stubborn":
        stubborn()
    elif what == "gnubg":
        gnubg(*rest)
    elif what in ("told", "chatty", "tictactoe"):
        listen({"told": told, "chatty": chatty, "tictactoe": tictactoe}[what](*rest))
    elif what in ("dying", "silent", "flooding", "mute"):
        listen({"dying": dying, "silent": silent, "flooding": flooding, "mute": mute}[what])
    else:
        listen(lambda line: what)  # always says the same


if __name__ == "__main__":
    main(*sys.argv[1:])
