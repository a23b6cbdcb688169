"""The last moves of a game as people read them: beside the board where there is room, below it elsewhere."""

from __future__ import annotations

from rich.text import Text

from ludus.play.table import Table

WIDEST = 86  # columns of a board with its history
GAP = 3
SHORT = 4  # rounds that are shown below a board


def rounds(table: Table) -> list[str]:
    """The moves so far, a line for each round of the seats, with its number. Games with dice have other rounds."""
    seats = table.game.facts.seats
    texts = [step.texts[0] for step in table.steps]
    wide = max(map(len, texts), default=0)
    lines = []
    for i in range(0, len(texts), seats):
        moves = "  ".join(f"{text:<{wide}}" for text in texts[i : i + seats])
        lines.append(f"{i // seats + 1:>3}. {moves}".rstrip())
    return lines


def with_history(board: Text, table: Table, width: int) -> Text:
    """A board with the last moves beside it, or below it on a narrow terminal."""
    lines = rounds(table)
    if not lines:
        return board
    rows = board.split("\n")
    column = max(row.cell_len for row in rows) + GAP
    # Where the list goes on one must not guess whether there is room: it is as wide as it will ever be in this game.
    needed = 5 + (2 + max(len(step.texts[0]) for step in table.steps)) * table.game.facts.seats
    if column + needed > min(width, WIDEST):
        return Text("\n").join([board, Text(), *(Text(line, "dim") for line in lines[-SHORT:])])
    title, height = Text("HISTORY", "bold"), len(rows) - 1
    shown = [title, *map(Text, lines[-height:])]
    for row, beside in zip(rows, shown, strict=False):
        row.append(" " * (column - row.cell_len))
        row.append_text(beside)
    return Text("\n").join(rows)
