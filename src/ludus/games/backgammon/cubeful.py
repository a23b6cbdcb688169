"""What a position is worth with the cube: Janowski's model, for money and for matches, as kernels on plain numbers.

Between a *dead* cube, which nobody will turn again, and a *live* one, which is always turned at the best moment, lie real positions: a share x, the
efficiency of the cube, of the way from one to the other. With a dead cube the chances decide. With a live one the equity is a line of a few straight
pieces over the chance to win: from all lost to the point at which the other side doubles and one just takes, from there to the point at which one's own
double is just taken, and on to all won. A take point follows from that of the next turn of the cube, up to the first cube that its owner has no use
for; for money there is no end to this, and the points have a closed form.

Equities are those of the side about to roll, which is called "own" here: in points for money, and in a match 2 m - 1, if m is the chance to win it. A
table of such chances comes from `equities.py`; where a side needs 0 points, the game is for money, and no table is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.kernel import kernel

EFFICIENCY = 0.68  # of the cube in positions with contact
# In races it grows with the pips that the side about to roll has to go: slowly in long ones, and from nearly nothing in the last rolls. There it was
# chosen by bear-offs of up to four checkers that were solved exactly (docs/backgammon.md).
LONG_START, LONG_STEP, LONG_MOST = 0.55, 0.00125, 0.7
SHORT_START, SHORT_STEP = 0.25, 0.0115


class Chances(NamedTuple):
    """How a game may end without the cube, for the side about to roll: gammons count as wins too, and backgammons as gammons."""

    win: float
    gammon: float = 0.0
    backgammon: float = 0.0
    lose_gammon: float = 0.0
    lose_backgammon: float = 0.0


class Stake(NamedTuple):
    """What is played for, as one side sees it."""

    own: int = 0  # points that it still needs to win the match; 0: the game is for money
    other: int = 0  # points that the other side needs
    cube: int = 1
    owner: int = 0  # 1: this side has the cube, -1: the other has it, 0: it is in the middle
    frozen: int = 0  # 1: nobody may double in this game, as in a Crawford game
    jacoby: int = 0  # 1: gammons count only when the cube was turned (money)
    beavers: int = 0  # 1: who is doubled may double again at once, and keep the cube (money)


class Shares(NamedTuple):
    """Of a side's wins, how many are gammons or more, and how many backgammons."""

    gammons: float
    backgammons: float


class Verdict(NamedTuple):
    """What the ways to handle the cube are worth to the side about to roll."""

    hold: float  # it does not double
    take: float  # it doubles, and the other side takes, or beavers if that is better still
    drop: float  # it doubles, and the other side passes


# --- results ---------------------------------------------------------------------------------------------------------


@kernel
def reward(table: Any, own: int, other: int, points: int) -> float:
    """What it is worth to a side to win so many points."""
    if own == 0:
        return float(points)
    after = 1 if own == 1 or other == 1 else 0  # the next game comes after the Crawford game
    return 2.0 * table[after, max(own - points, 0), other] - 1.0


@kernel
def mean_win(table: Any, own: int, other: int, shares: Any, cube: int) -> float:
    """What a win is worth on average. What a loss is worth: the same of the other side, less than nothing."""
    single, double = reward(table, own, other, cube), reward(table, own, other, 2 * cube)
    triple = reward(table, own, other, 3 * cube) if shares.backgammons > 0 else double
    return single + shares.gammons * (double - single) + shares.backgammons * (triple - double)


@kernel
def shares_of(chances: Any) -> Any:
    """The shares of gammons and backgammons in the wins of the side about to roll, and in those of the other one."""
    win, loss = chances.win, 1.0 - chances.win
    g, b, lg, lb = 0.0, 0.0, 0.0, 0.0
    if win > 0:
        g = min(chances.gammon / win, 1.0)
        b = min(chances.backgammon / win, g)
    if loss > 0:
        lg = min(chances.lose_gammon / loss, 1.0)
        lb = min(chances.lose_backgammon / loss, lg)
    return Shares(g, b), Shares(lg, lb)


# --- a live cube -----------------------------------------------------------------------------------------------------


@kernel
def take_point(table: Any, own: int, other: int, mine: Any, theirs: Any, cube: int) -> float:
    """The least chance to win with which a side takes, if it is offered twice the cube, and the cube stays live."""
    if own == 0:
        win, loss = 1 + mine.gammons + mine.backgammons, 1 + theirs.gammons + theirs.backgammons
        return (loss - 0.5) / (win + loss + 0.5)
    level, turns = 2 * cube, 0
    while (other if turns & 1 else own) > level:  # until its owner has no use for the cube
        level *= 2
        turns += 1
    cash = 0.0  # the chance to win at which the owner's next double is just taken
    while True:
        if turns & 1:
            needs, against, wins, losses = other, own, theirs, mine
        else:
            needs, against, wins, losses = own, other, mine, theirs
        bottom = -mean_win(table, against, needs, losses, level)
        slope = mean_win(table, needs, against, wins, level) - bottom
        if cash > 0:  # the owner goes for the cash, unless gammons are worth more
            slope = max(slope, (reward(table, needs, against, level) - bottom) / cash)
        drop = -reward(table, against, needs, level // 2)
        point = min(max((drop - bottom) / slope, 0.0), 1.0)
        if turns == 0:
            return point
        cash = 1.0 - point
        level //= 2
        turns -= 1


@kernel
def dead_take_point(table: Any, own: int, other: int, mine: Any, theirs: Any, cube: int) -> float:
    """The least chance to win with which a side takes, if it is offered twice the cube, and nobody doubles after that."""
    top, bottom = mean_win(table, own, other, mine, 2 * cube), -mean_win(table, other, own, theirs, 2 * cube)
    return min(max((-reward(table, other, own, cube) - bottom) / (top - bottom), 0.0), 1.0)


@kernel(inline=True)
def may_use(needs: int, owner: int, stake: Any) -> bool:
    """Whether a side that needs so many points (0: money) may double, now or later, and gains anything by it; `owner` is as it sees it."""
    return owner >= 0 and stake.frozen == 0 and (needs == 0 or needs > stake.cube)


@kernel
def live_window(table: Any, mine: Any, theirs: Any, stake: Any) -> tuple[float, float]:
    """The chances to win between which a live cube is not turned: below, the other side cashes, above, this one; 0 or 1 where one can't."""
    low, high = 0.0, 1.0
    if may_use(stake.other, -stake.owner, stake):
        low = take_point(table, stake.own, stake.other, mine, theirs, stake.cube)
    if may_use(stake.own, stake.owner, stake):
        high = 1.0 - take_point(table, stake.other, stake.own, theirs, mine, stake.cube)
    return low, max(low, high)


# --- equities --------------------------------------------------------------------------------------------------------


@kernel
def _live(table: Any, p: float, bottom: float, top: float, low: float, high: float, stake: Any) -> float:
    """The equity with a live cube. The corners of the line: all lost, the other side cashes, this side cashes, all won."""
    below, above = bottom, top
    if low > 0:
        below = -reward(table, stake.other, stake.own, stake.cube)
    if high < 1:
        above = reward(table, stake.own, stake.other, stake.cube)
    # A side that is better off with its gammons never cashes: its corner is none.
    first, last, left, right = low, high, below, above
    if high < 1 and above < left + (top - left) * (high - first) / (1 - first):
        high, above = 1.0, top
    if low > 0 and below > bottom + (right - bottom) * low / last:
        low, below = 0.0, bottom
    if p < low:
        return bottom + (below - bottom) * p / low
    if p > high:
        return above + (top - above) * (p - high) / (1 - high)
    return below + (above - below) * (p - low) / (high - low) if high > low else above


@kernel
def cubeful(table: Any, chances: Any, stake: Any, efficiency: float) -> float:
    """The equity of the side about to roll, if nobody doubles right now."""
    mine, theirs = shares_of(chances)
    p, cube = min(max(chances.win, 0.0), 1.0), stake.cube
    top = mean_win(table, stake.own, stake.other, mine, cube)
    bottom = -mean_win(table, stake.other, stake.own, theirs, cube)
    if stake.jacoby and stake.own == 0 and stake.owner == 0:
        top, bottom = float(cube), -float(cube)
    dead = bottom + p * (top - bottom)
    low, high = live_window(table, mine, theirs, stake)
    if low == 0.0 and high == 1.0:
        return dead
    return dead + efficiency * (_live(table, p, bottom, top, low, high, stake) - dead)


@kernel
def doubled(stake: Any) -> Any:
    """The stake after this side's double was taken."""
    return Stake(stake.own, stake.other, 2 * stake.cube, -1, stake.frozen, stake.jacoby, stake.beavers)


@kernel
def weigh(table: Any, chances: Any, stake: Any, efficiency: float) -> Any:
    """What doubling and not doubling is worth to the side about to roll, which has the cube or may take it from the middle."""
    hold = cubeful(table, chances, stake, efficiency)
    take = cubeful(table, chances, doubled(stake), efficiency)
    if stake.beavers and stake.own == 0:
        take = min(take, 2 * take)
    return Verdict(hold, take, reward(table, stake.own, stake.other, stake.cube))


@kernel
def best_equity(table: Any, chances: Any, stake: Any, efficiency: float) -> float:
    """The equity of the side about to roll, if it may double first, and both sides handle the cube as well as they can."""
    if stake.owner < 0 or stake.frozen:
        return cubeful(table, chances, stake, efficiency)
    verdict = weigh(table, chances, stake, efficiency)
    return max(verdict.hold, min(verdict.take, verdict.drop))


@kernel
def race_efficiency(pips: int) -> float:
    """The efficiency of the cube in a race: long ones have more moments to double at."""
    return min(min(LONG_START + LONG_STEP * pips, LONG_MOST), SHORT_START + SHORT_STEP * pips)
