"""What a position of a game teaches a network: at once, or noted down and learned from several times.

Where targets are dear, as those that average over all rolls or come from searches, a position is worth more than one look: `Notes` keep states and targets, a memory
is a ring of them, and steps are taken on positions drawn from it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import features, section
from ludus.kernel import generic, implements, kernel
from ludus.nets.network import Inputs, Network, add_gradient, hidden_units, output_units


class Notes(NamedTuple):
    """States, and what should have been predicted of them."""

    states: np.ndarray
    targets: np.ndarray
    used: np.ndarray  # [1]: how many were ever noted


def new_notes(room: int, state_size: int, outputs: int) -> Notes:
    """Room for so many positions.

    >>> new_notes(3, 50, 5).targets.shape
    (3, 5)
    """
    return Notes(np.zeros((room, state_size), np.int64), np.zeros((room, outputs), np.float32), np.zeros(1, np.int64))


class Room(NamedTuple):
    """Arrays that `teach` needs."""

    hidden: np.ndarray
    output: np.ndarray
    back: np.ndarray


@kernel
def new_room(net: Any) -> Any:
    """The arrays for a network."""
    units, outputs = net.w1.shape[2], net.w2.shape[1]
    return Room(np.zeros(units, np.float32), np.zeros(outputs, np.float32), np.zeros(units, np.float32))


@generic
def teach(place: Any, net: Any, encoding: Any, game: Any, state: Any, inputs: Any, target: Any, room: Any) -> None:
    """Have a position learned: `target` is in the terms of the view, `inputs` are those of the position. `place` is a network of gradients, or `Notes`."""


@implements(teach, Network)
def _(place: Any, net: Any, encoding: Any, game: Any, state: Any, inputs: Any, target: Any, room: Any) -> None:
    k = section(encoding, game, state)
    hidden_units(net, k, inputs.which, inputs.values, inputs.active, room.hidden)
    output_units(net, k, room.hidden, room.output)
    for o in range(len(target)):
        room.output[o] -= target[o]
    add_gradient(net, place, k, inputs, room.hidden, room.output, room.back)


@implements(teach, Notes)
def _(place: Any, net: Any, encoding: Any, game: Any, state: Any, inputs: Any, target: Any, room: Any) -> None:
    at = place.used[0] % len(place.states)
    place.states[at] = state
    place.targets[at] = target
    place.used[0] += 1


@kernel
def remember(memory: Any, notes: Any) -> None:
    """Put what was noted into a memory, in the place of what is oldest there, and begin the notes anew."""
    for i in range(notes.used[0]):
        at = memory.used[0] % len(memory.states)
        memory.states[at] = notes.states[i]
        memory.targets[at] = notes.targets[i]
        memory.used[0] += 1
    notes.used[0] = 0


@kernel
def learn_again(net: Any, gradient: Any, encoding: Any, game: Any, memory: Any, picks: Any) -> None:
    """Add what some positions of a memory teach to `gradient`."""
    inputs = net.w1.shape[1]
    index, value = np.zeros(inputs, np.int64), np.zeros(inputs, np.float32)
    room = new_room(net)
    for i in picks:
        state = memory.states[i]
        count = features(encoding, game, state, index, value)
        teach(gradient, net, encoding, game, state, Inputs(index, value, count), memory.targets[i], room)
