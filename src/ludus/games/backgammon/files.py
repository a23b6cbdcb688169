"""Games of backgammon as `.mat` files (`mat.py`): one game of a file, and what of the file is no part of a game that is played here."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.errors import LudusError
from ludus.games.backgammon.mat import Cube, Record, Turn, given_up, read_mat, record_plays, write_mat


class Files:
    """Games as `.mat` files: what `ludus play` saves and loads (see `ludus.play.table`)."""

    __slots__ = ()

    @property
    def formats(self) -> tuple[str, ...]:
        """The endings of the files that `write_game` and `read_game` know."""
        return (".mat",)

    def write_game(self, name: str, seats: Sequence[str], plays: Sequence[int]) -> str:
        """The text of a `.mat` file with one game. A roll that is not yet played is left out, as the format has no place."""
        return write_mat(Record((seats[0], seats[1]), 0, (record_plays(list(plays)),)))

    def read_game(self, name: str, text: str, number: int | None = None) -> tuple[Sequence[str], list[int], list[str]]:
        """The players, and the rolls and moves of one of a `.mat` file's games, of the last unless told; and what is left out, in words:
        a match and the cube are not played here.
        """
        record = read_mat(text, name)
        count = len(record.games)
        if not count:
            raise LudusError(f"{name} holds no game")
        if number is not None and not 1 <= number <= count:
            raise LudusError(f"{name} holds {count} game{'s' * (count > 1)}: there is no game {number}")
        number = number or count
        game = record.games[number - 1]
        plays: list[int] = []
        for act in game.turns:
            if isinstance(act, Turn):
                turned = not plays and act.seat == 1  # the first digit of the opening roll is seat 0's die
                plays.append(act.dice % 10 * 10 + act.dice // 10 if turned else act.dice)
                plays += [] if act.move is None else [act.move]
        return record.names, plays, _left_out(record, number)


def _left_out(record: Record, number: int) -> list[str]:
    """What of a file is no part of a game that is played here, in words."""
    game, said = record.games[number - 1], []
    if len(record.games) > 1:
        said.append(f"This is game {number} of {len(record.games)} in the file.")
    lost = []
    if record.length or any(game.score):
        length = f"the match to {record.length}" if record.length else "the score"
        lost.append(f"{length}, at {game.score[0]}-{game.score[1]}")
    cubes = [act for act in game.turns if isinstance(act, Cube)]
    if cubes:
        taken = [act.value for act in cubes if act.action == "take"]
        lost.append(f"the cube, which went to {taken[-1]}" if taken else "the cube, a double that was not taken")
    if given_up(game):
        lost.append(f"how it ended: {record.names[0 if game.winner else 1]} gave up")
    if lost:
        said.append(f"Not played here, and left out: {'; '.join(lost)}.")
    if record.length or cubes:
        whole = f"match={record.length}" if record.length else "cube=true"
        said.append(f"With the cube it is played as backgammon({whole}).")
    return said
