"""What a network for boards (`nets.board`) says of a rulesheet's positions, for searches and for learning."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.games.gdl.features import list_propositions
from ludus.games.gdl.geometry import Geometry
from ludus.kernel import implements, kernel
from ludus.nets.board import Shape, Space, forward, logit_of, new_space, win_of
from ludus.search.puct import judge


class BoardJudge(NamedTuple):
    """A network, the board that it sees, and where it works: one for each thread."""

    weights: np.ndarray
    shape: Shape
    space: Space
    board: Geometry
    views: np.ndarray  # [seat, i]: the symmetries through which a seat sees the position as seat 0 would
    found: np.ndarray  # where propositions are listed
    value: np.ndarray


def board_judge(weights: np.ndarray, shape: Shape, board: Geometry) -> BoardJudge:
    """A network that is ready to judge positions one by one."""
    views = np.array([board.seen_by(0), board.seen_by(1)])
    propositions = board.inputs.shape[1]
    return BoardJudge(
        weights, shape, new_space(shape, 1), board, views, np.zeros(propositions, np.int64), np.zeros(propositions, np.float32)
    )  # fmt: skip


@kernel
def show(judging: Any, game: Any, state: Any, symmetry: int, space: Any, position: int) -> None:
    """Set the inputs of a position, seen through a symmetry."""
    shape, board = judging.shape, judging.board
    cells, planes, inputs = shape.width * shape.height, shape.planes, shape.inputs
    begin = (1 + position * cells) * inputs
    for i in range(begin, begin + cells * inputs):
        space.inputs[i] = 0
    for cell in range(cells):
        space.inputs[begin + cell * inputs + planes] = 1
    space.loose[position, :] = 0
    count = list_propositions(game, state, judging.found, judging.value)
    for i in range(count):
        at = board.inputs[symmetry, judging.found[i]]
        if at >= cells * planes:
            space.loose[position, at - cells * planes] = 1
        else:
            space.inputs[begin + at // planes * inputs + at % planes] = 1


@implements(judge, BoardJudge)
def _(judging: Any, game: Any, state: Any, seat: int, legal: Any, count: int, logits: Any) -> float:
    symmetry = judging.views[seat, 0]
    show(judging, game, state, symmetry, judging.space, 0)
    forward(judging.weights, judging.shape, judging.space, 1)
    for i in range(count):
        logits[i] = logit_of(judging.board, judging.shape, judging.space, 0, judging.board.moves[symmetry, legal[i]])
    return win_of(judging.space, 0)
