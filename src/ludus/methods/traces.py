"""TD(λ) with eligibility traces, as Tesauro's TD-Gammon and Mauermann's report have it: after each move the weights follow
the change of the network's prediction, back along the traces of all earlier predictions of that game. Other players may
take some of the seats: the network then learns from watching their moves too.

For encodings that show every position in the same, objective view. Faithful and sequential, and so on one core; for the
strongest player see `selfplay`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import OVER, play, turn
from ludus.contract.views import features, outcome, to_view
from ludus.errors import LudusError
from ludus.kernel import kernel, specialises
from ludus.methods.base import Report
from ludus.methods.episodes import (
    MAX_PLIES,
    Episodes,
    Seating,
    begin_episode,
    is_own,
    new_dice,
    next_decision,
    seats_for,
)
from ludus.methods.network import NetworkMethod, NetworkSettings
from ludus.methods.schedules import StepSize
from ludus.methods.settings import setting
from ludus.nets.network import Network, hidden_units, output_units
from ludus.nets.value import best_move, workspace
from ludus.quantities import SHARE


@kernel(fastmath=True)
def update_weights(net: Any, traces: Any, step: Any, decay: float, rows: Any, live: int) -> None:
    """Move the weights along the traces, one step a output, and let the traces decay.

    Only rows of inputs that were active in this game have traces; `rows` lists them.
    """
    units, outputs = net.w1.shape[2], len(step)
    fade = np.float32(decay)
    for r in range(live):
        i = rows[r]
        w = net.w1[0, i]
        for o in range(outputs):
            s = step[o]
            e = traces.w1[o, i]
            for j in range(units):
                w[j] += s * e[j]
                e[j] *= fade
    for o in range(outputs):
        s = step[o]
        for j in range(units):
            net.b1[0, j] += s * traces.b1[o, j]
            traces.b1[o, j] *= fade
            net.w2[0, o, j] += s * traces.w2[0, o, j]
            traces.w2[0, o, j] *= fade
        net.b2[0, o] += s * traces.b2[0, o]
        traces.b2[0, o] *= fade


@kernel(fastmath=True)
def add_traces(net: Any, traces: Any, index: Any, value: Any, count: int, hidden: Any, output: Any, back: Any) -> None:
    """Add the gradient of each output at the present position to its trace."""
    units = len(hidden)
    for o in range(len(output)):
        slope = output[o] * (np.float32(1.0) - output[o])
        traces.b2[0, o] += slope
        for j in range(units):
            traces.w2[0, o, j] += slope * hidden[j]
            back[j] = slope * net.w2[0, o, j] * hidden[j] * (np.float32(1.0) - hidden[j])
            traces.b1[o, j] += back[j]
        for a in range(count):
            e = traces.w1[o, index[a]]
            v = value[a]
            for j in range(units):
                e[j] += v * back[j]


class Progress(NamedTuple):
    """Numbers that steer TD(λ): the step size and λ."""

    rate: float
    decay: float


@kernel
def learn_games(net: Any, encoding: Any, game: Any, sizes: Any, seats: Any, episodes: Any, progress: Any) -> Any:
    """Play games and learn from each move; return the moves played, and the positions judged.

    `traces` holds one trace for each weight and output: w1 and b1 have the output as their first axis.
    """
    max_moves, state_size, places, max_chances = sizes
    alpha, decay = progress.rate, progress.decay
    inputs, units, outputs = net.w1.shape[1], net.w1.shape[2], net.w2.shape[1]
    traces = Network(
        np.zeros((outputs, inputs, units), np.float32),
        np.zeros((outputs, units), np.float32),
        np.zeros((1, outputs, units), np.float32),
        np.zeros((1, outputs), np.float32),
    )
    ws = workspace(net, game, max_moves, state_size, places)
    state = np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rolls, rng, outcomes, odds = dice
    partner = seats.partner
    index, value = np.zeros(inputs, np.int64), np.zeros(inputs, np.float32)  # of the position before
    hidden, before, target = np.zeros(units, np.float32), np.zeros(outputs, np.float32), np.zeros(outputs, np.float32)
    step = np.zeros(outputs, np.float32)
    back = np.zeros(units, np.float32)
    # The inputs that have a trace, and when each was last active. A trace that has faded below a billionth of a gradient is
    # lost in the rounding of the weights; it is dropped.
    rows, is_live, seen = np.zeros(inputs, np.int64), np.zeros(inputs, np.bool_), np.zeros(inputs, np.int64)
    horizon = np.log(1e-9) / np.log(decay) if 0 < decay < 1 else np.inf
    plies = 0
    for number in range(episodes.first, episodes.first + len(episodes.exploration)):
        begin_episode(game, state, dice, episodes.seed, number)
        live = 0
        count = 0  # active inputs of the position before; 0: there is none yet
        last = plies + MAX_PLIES
        while plies < last:
            seat = next_decision(game, state, rolls, outcomes, odds)
            if seat != OVER:
                if is_own(seats, seat, number, places):
                    play(game, state, best_move(net, encoding, game, state, seat, ws))
                else:
                    play(game, state, choose(partner, game, state, seat, rng))
                plies += 1
                seat = turn(game, state)
            if seat == OVER:
                outcome(encoding, game, state, target)
            else:
                now = features(encoding, game, state, ws.inputs, ws.value)
                hidden_units(net, 0, ws.inputs, ws.value, now, ws.hidden)
                output_units(net, 0, ws.hidden, target)
            if count:
                # δ = Y(x_t, w_t) - Y(x_t-1, w_t): both by the present weights.
                for o in range(outputs):
                    step[o] = np.float32(alpha) * (target[o] - before[o])
                r = 0
                while r < live:
                    if plies - seen[rows[r]] > horizon:
                        is_live[rows[r]] = False
                        traces.w1[:, rows[r]] = 0
                        live -= 1
                        rows[r] = rows[live]
                    else:
                        r += 1
                update_weights(net, traces, step, decay, rows, live)
            if seat == OVER:
                break
            count = now
            index[:count] = ws.inputs[:count]
            value[:count] = ws.value[:count]
            for a in range(count):
                seen[index[a]] = plies
                if not is_live[index[a]]:
                    is_live[index[a]] = True
                    rows[live] = index[a]
                    live += 1
            hidden_units(net, 0, index, value, count, hidden)
            output_units(net, 0, hidden, before)
            add_traces(net, traces, index, value, count, hidden, before, back)
        for r in range(live):
            is_live[rows[r]] = False
            traces.w1[:, rows[r]] = 0
        traces.b1[:] = 0
        traces.w2[:] = 0
        traces.b2[:] = 0
    return plies, ws.judged[0]


class Traces(NetworkMethod):
    """TD(λ) with eligibility traces: one game after the other, on one core."""

    @dataclass(frozen=True)
    class Settings(Seating, StepSize, NetworkSettings):
        """What steers it."""

        decay: float = setting(0.7, "λ, by which traces fade from move to move", SHARE)

    def setup(self) -> None:
        """Make the network, and see that its encoding will do."""
        super().setup()
        self.seats = seats_for(self)
        if self.network.shape[0] != 1 or specialises(to_view, type(self.encoding)):
            raise LudusError(
                "method 'traces' needs an encoding with one network and the same view for all seats, "
                f"such as 'raw'; '{self.settings.encoding}' is none"
            )

    def learn(self, games: int) -> Report:
        """Learn from the next games."""
        rate = self.settings.rate_after(self.games, self.total)
        episodes = Episodes(self.seed, self.games, np.zeros(games))
        moves, judged = learn_games(
            self.network,
            self.encoding,
            self.game,
            self.sizes,
            self.seats,
            episodes,
            Progress(rate, self.settings.decay),
        )
        self.counters["moves"] += moves
        self.counters["positions"] += judged
        return {"rate": rate}
