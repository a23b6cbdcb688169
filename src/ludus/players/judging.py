"""Players that judge the luck of the dice (`ludus.batch.luck`): those that are greedy on a network."""

from __future__ import annotations

from typing import Any

from ludus import players as player_registry
from ludus.batch.luck import UNJUDGED, judge_outcome, judging_room
from ludus.contract.rules import turn
from ludus.contract.views import worth
from ludus.errors import LudusError
from ludus.kernel import implements
from ludus.nets.value import best_move, predict, workspace
from ludus.players.greedy import TDPlayer


@implements(judging_room, TDPlayer)
def _(judge: Any, game: Any) -> Any:
    max_moves, state_size, seats, _ = judge.sizes
    return workspace(judge.net, game, max_moves, state_size, seats)


@implements(judge_outcome, TDPlayer)
def _(judge: Any, game: Any, state: Any, room: Any, out: Any) -> None:
    # After the best reply to the roll, as the network sees no dice.
    seat = turn(game, state)
    if seat >= 0:
        best_move(judge.net, judge.encoding, game, state, seat, room)
        worth(judge.encoding, game, room.best, out)
    else:
        predict(judge.net, judge.encoding, game, state, room)
        worth(judge.encoding, game, room.output, out)


def judge_of(game: Any, luck: Any) -> Any:
    """The judge of a game's luck: a player's, by its name, or one that is ready; for None, nobody. LudusError if it can't judge."""
    if luck is None:
        return UNJUDGED
    if game.facts.max_chances == 0:
        raise LudusError(f"{game.facts.name} has no chance in it: there is no luck to take off")
    judge = player_registry.player(luck, game) if isinstance(luck, str) else luck
    if not judge_outcome.handles(type(judge)):  # type: ignore[attr-defined]
        raise LudusError(
            f"luck is judged by a network that looks at the position alone, td or td:DIR_OR_FILE, not by {luck!r}"
        )
    return judge
