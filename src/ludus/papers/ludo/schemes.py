"""How the papers' Q-learners see Ludo: situations, actions and rewards. `alhajry` (this file) is for the classic rules;
`rossen`, `rossen-as-run` (in `tabular`) and `peters` (in `peters`) are for those of ludopy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import moves
from ludus.contract.views import options, prospects, reward
from ludus.games.ludo.features import View
from ludus.games.ludo.rules import CLASSIC as CLASSIC_RULES
from ludus.games.ludo.rules import DIE, TRACK_END, TURN, colour
from ludus.games.ludo.tactics import attacking, defending, leading, releasing, stacked, vulnerable
from ludus.kernel import below, implements
from ludus.papers.ludo.peters import PETERS
from ludus.papers.ludo.tabular import ROSSEN, ROSSEN_AS_RUN

GOAL = 57

DEFENSIVE, AGGRESSIVE, FAST, RANDOM, RELEASE = range(5)


class Alhajry(NamedTuple):
    """Alhajry et al. (2012): a network judges which of five strategies to follow now; those that would do nothing here are
    left out. An action is accounted for at the seat's next decision, with all that happened in between.
    """

    floor: float = -np.inf
    random_ties: bool = False
    late: bool = True
    # Of the network the paper says nothing but its size. Here its outputs lie between these values, and for a change α (…) of
    # a value it takes this share of a step down the slope.
    low: float = -2.0
    high: float = 4.0
    step: float = 0.05

    @property
    def version(self) -> int:
        """Raised when rows, actions or rewards change."""
        return 1

    @property
    def actions(self) -> tuple[str, ...]:
        """The strategies' names, in the order of the network's outputs."""
        return ("defensive", "aggressive", "fast", "random", "preferRelease")

    @property
    def encoding(self) -> View:
        """What the network sees: 236 inputs with four seats."""
        return View()


@implements(options, Alhajry)
def _(scheme: Any, game: Any, state: Any, seat: int, rng: Any, rows: Any, actions: Any, listed: Any) -> int:
    legal = np.empty(4, np.int64)
    count = moves(game, state, seat, legal)
    own = 4 * colour(game, seat)
    found = 0
    for action in range(5):
        if action == DEFENSIVE:
            move = defending(game, state, own, legal, count)
        elif action == AGGRESSIVE:
            move = attacking(game, state, own, legal, count, rng)
        elif action == FAST:
            move = leading(state, own, legal, count)
        elif action == RANDOM:
            move = legal[below(rng, count)]
        else:
            move = releasing(state, own, legal, count)
        if move >= 0:
            rows[found] = 0
            actions[found] = action
            listed[found] = move
            found += 1
    return found


@implements(prospects, Alhajry)
def _(scheme: Any, game: Any, now: Any, seat: int, move: int, rows: Any, actions: Any) -> int:
    if now[DIE] < 0:
        return 0
    unread = np.ones(1, np.uint64)  # which capture, and which random move, does not matter here
    return options(scheme, game, now, seat, unread, rows, actions, np.empty(5, np.int64))


@implements(reward, Alhajry)
def _(scheme: Any, game: Any, before: Any, seat: int, action: int, move: int, after: Any, now: Any) -> float:
    mine = colour(game, seat)
    own = 4 * mine
    old, new = before[own + move], after[own + move]
    total = 0.0
    if old == 0:
        total += 0.25
    if vulnerable(game, before, mine, move) and not vulnerable(game, after, mine, move):
        total += 0.2
    closest = old > 0
    for i in range(4):
        if old < before[own + i] < GOAL:
            closest = False
    if closest:
        total += 0.1
    if new <= TRACK_END and stacked(after, own, move):
        total += 0.05
    knocked, lost = False, False
    for i in range(16):
        if i // 4 == mine:
            lost |= now[i] < after[i]
        else:
            knocked |= after[i] < before[i]
    if knocked:
        total += 0.15
    if lost:
        total -= 0.25
    if now[DIE] < 0:
        total += 1.0 if now[TURN] == seat else -1.0
    return total


CLASSIC: dict[str, Any] = {"alhajry": Alhajry()}
LUDOPY: dict[str, Any] = {"rossen": ROSSEN, "rossen-as-run": ROSSEN_AS_RUN, "peters": PETERS}


def schemes_of(game: Any) -> dict[str, Any]:
    """The schemes for the rules of a game of Ludo, by name."""
    return CLASSIC if game.rules == CLASSIC_RULES else LUDOPY
