"""What compiled methods share: who sits where while learning, which games are played, and how a game goes on from one decision to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, play, roll, start, turn
from ludus.errors import LudusError
from ludus.kernel import implements, kernel, seed_stream
from ludus.methods.settings import setting

SELF = "self"
MAX_PLIES = 1000  # learners cut a game that is longer: some games can go on for ever


class Seats(NamedTuple):
    """Who sits where: the learner in the seats that `mask` names by bits, its partner in the rest."""

    mask: int
    rotate: bool  # whether all move on by a seat from game to game
    partner: Any


class Episodes(NamedTuple):
    """The games to learn from: numbers `first`, `first` + 1, …, one for each share of random moves in `exploration`."""

    seed: int
    first: int
    exploration: np.ndarray


class Dice(NamedTuple):
    """The random streams of a game, one for its chance events and one for the moves, and space for the outcomes of an event."""

    dice: np.ndarray
    rng: np.ndarray
    outcomes: np.ndarray
    odds: np.ndarray


class NoPartner(NamedTuple):
    """Stands for the partner where the learner has all seats."""


@implements(choose, NoPartner)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return 0


@kernel
def new_dice(max_chances: int) -> Any:
    """Streams and space for one thread."""
    return Dice(np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.zeros(max_chances, np.int64), np.zeros(max_chances))


@kernel(inline=True)
def begin_episode(game: Any, state: Any, dice: Any, seed: int, number: int) -> None:
    """Start the game of a number, with the random streams that belong to it."""
    seed_stream(dice.dice, seed, number, 0)
    seed_stream(dice.rng, seed, number, 1)
    start(game, state)


@kernel(inline=True)
def next_decision(game: Any, state: Any, dice: Any, outcomes: Any, odds: Any) -> int:
    """Let chance have its way until somebody has to decide, or the game is over; return what `turn` says then. Takes arrays, not a
    tuple of them: it is called at every ply.
    """
    seat = turn(game, state)
    while seat == CHANCE:
        play(game, state, roll(game, state, dice, outcomes, odds))
        seat = turn(game, state)
    return seat


@kernel(inline=True)
def is_own(seats: Any, seat: int, number: int, count: int) -> bool:
    """Whether the learner has a seat, of so many, in the game of a number."""
    place = (seat + number) % count if seats.rotate else seat
    return seats.mask >> place & 1 == 1


# --- settings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seating:
    """Settings of a method that can learn beside other players."""

    seating: tuple[str, ...] = setting((), "who sits where while learning: self or a player; empty: all are self")
    rotate: bool = setting(False, "whether all move on by a seat from game to game", when=("seating", True))

    def check(self) -> None:
        """LudusError if the seats can't be taken so."""
        if self.seating and (SELF not in self.seating or len(set(self.seating)) > 2):
            raise LudusError(
                f"setting seating = {list(self.seating)} makes no sense: name self, and at most one other player"
            )

    @property
    def others(self) -> list[str]:
        """The seats that somebody else has."""
        return [name for name in self.seating if name != SELF]


def seats_for(method: Any, stretch: bool = False) -> Seats:
    """Who sits where in a method's games, by its settings. With `stretch`, a game of more seats than are named gets more of the last one,
    and one of fewer seats leaves the last ones out.
    """
    settings, seats = method.settings, method.game.facts.seats
    if method.playing:
        return Seats((1 << seats) - 1, False, NoPartner())
    who = settings.seating or (SELF,) * (1 if stretch else seats)
    if stretch:
        who = who[:seats] + who[-1:] * (seats - len(who))
    if len(who) != seats:
        raise LudusError(
            f"seating names {len(who)} seats ({', '.join(who)}), but {method.game.facts.model} has {seats}: "
            "take the game with as many, or change seating"
        )
    mask = sum(1 << seat for seat, name in enumerate(who) if name == SELF)
    partner = method.find_player(settings.others[0]) if settings.others else NoPartner()
    return Seats(mask, settings.rotate, partner)
