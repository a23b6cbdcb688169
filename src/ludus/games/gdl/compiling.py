"""From a checked sheet to a game that kernels play: grounding, the circuit, and what the names stand for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from ludus.errors import LudusError
from ludus.games.gdl import face
from ludus.games.gdl.aspif import Ground, read_ground
from ludus.games.gdl.circuit import TangledError, build_circuit
from ludus.games.gdl.games import Gdl
from ludus.games.gdl.grounding import Limits, TooLargeError, ground
from ludus.games.gdl.hidden import Hidden, hide
from ludus.games.gdl.kif import Term, natural, write
from ludus.games.gdl.lanes import GATES, REGISTERS
from ludus.games.gdl.machine import count_forced
from ludus.games.gdl.percepts import CompiledSight
from ludus.games.gdl.sheet import Sheet, goal_value
from ludus.games.gdl.simplifying import Exclusive
from ludus.kernel import stream

NEVER = -1  # an output that no rule can ever make true
MOST_ARGUMENTS = 5  # of propositions that may be exclusive
FORCED_STEPS = 300  # of random play, to learn by which move a role waits


def compile_sheet(
    sheet: Sheet, name: str, origin: str, source: str, limits: Limits, say: Callable[[str], None]
) -> Gdl | Hidden:
    """The game of a sheet; `grounding.TooLargeError` if the limits do not allow it."""
    say("grounding the rules")
    text, names = ground(sheet, limits)
    say("building the network")
    end = time.thread_time() + limits.seconds
    rules = read_ground(text, limits.megabytes)
    del text
    atoms: dict[str, dict[tuple, int]] = {}
    for number, (shown, atom) in enumerate(rules.shown):
        if number % 1000 == 0 and time.thread_time() > end:
            raise TooLargeError(f"building the network takes more than {limits.seconds:g} seconds of processor time")
        term = names.read(shown)
        atoms.setdefault(term[0], {})[term[1:]] = atom
    roles = sheet.roles
    number_of = {role: r for r, role in enumerate(roles)}
    propositions = sorted(atoms.get("t", {}), key=lambda t: natural(write(t[0])))
    moves = [key for key in atoms.get("d", {}) if key[0] in number_of]
    moves.sort(key=lambda key: (number_of[key[0]], natural(write(key[1]))))
    legal, following, goals = atoms.get("legal", {}), atoms.get("next", {}), atoms.get("goal", {})
    # Grounding finds more than can ever happen: a goal that is none may just be one that is never reached.
    goal_keys = [key for key in goals if key[0] in number_of and goal_value(key[1]) is not None]
    if any(key[0] in number_of and goal_value(key[1]) is None for key in goals):
        say("goals that are no number from 0 to 100 are left out")
    goal_keys.sort(key=lambda key: (number_of[key[0]], goal_value(key[1])))  # where several hold, the best counts
    terminal = atoms.get("terminal", {}).get((), NEVER)
    inputs = [atoms["t"][key] for key in propositions] + [atoms["d"][key] for key in moves]
    phases = [
        np.array([legal.get(key, NEVER) for key in moves] + [terminal], np.int64),
        np.array([goals[key] for key in goal_keys], np.int64),
        np.array([following.get(key, NEVER) for key in propositions], np.int64),
    ]
    initially = {i for i, key in enumerate(propositions) if key in atoms.get("init", {})}
    owners = np.array([number_of[key[0]] for key in moves], np.int64)
    role_moves = np.searchsorted(owners, np.arange(len(roles) + 1)).astype(np.int64)
    numbers = 1 + len(propositions) + np.arange(len(moves))
    choices = [(numbers[begin:end], 1) for begin, end in pairwise(role_moves.tolist()) if begin < end]
    perhaps = Exclusive(len(propositions), candidates([key[0] for key in propositions], initially) + choices)
    try:
        circuit, (now, goal_literals, next_literals), exclusive = build_circuit(
            rules, np.array(inputs, np.int64), phases, perhaps
        )
    except TangledError as error:
        raise LudusError(sheet.tangle or f"{name}: {error}") from None
    initial = np.zeros((len(propositions) + 63) // 64, np.int64)
    for i in initially:
        initial[i >> 6] |= np.int64(1) << np.int64(i & 63)
    seats = [r for r, role in enumerate(roles) if role != "random"]
    chance_role = number_of.get("random", -1)
    role_seat = np.full(len(roles), -1, np.int64)
    role_seat[seats] = np.arange(len(seats))
    sizes = [
        len(propositions),
        len(moves),
        len(circuit.registers),
        len(circuit.left),
        len(roles),
        len(seats),
        chance_role,
        int(now[-1]),
    ]
    game = Gdl(
        face.pack(
            name,
            origin,
            roles,
            source,
            [write(key[0]) for key in propositions],
            [write(key[1]) for key in moves],
            [(nodes - 1).tolist() for nodes, _ in exclusive.sets],
        ),
        np.array(sizes, np.int64),
        *circuit,
        initial,
        now[:-1].copy(),
        next_literals,
        goal_literals,
        np.array([number_of[key[0]] for key in goal_keys], np.int64),
        np.array([goal_value(key[1]) for key in goal_keys], np.int64),
        role_moves,
        np.array(seats, np.int64),
        role_seat,
        np.full(len(roles), -1, np.int64),
    )
    forced = np.zeros(len(moves) + 1, np.int64)
    count_forced(game, stream(1), FORCED_STEPS, forced)
    for r in range(len(roles)):
        own = forced[game.role_moves[r] : game.role_moves[r + 1]]
        if own.max(initial=0) > 0:
            game.idle[r] = game.role_moves[r] + int(own.argmax())
    return hide(game, _sight(rules, np.array(inputs, np.int64), game, atoms.get("sees", {}))) if sheet.hides else game


def _sight(rules: Ground, inputs: np.ndarray, game: Gdl, sees: dict[tuple, int]) -> CompiledSight:
    """The circuit of what roles perceive."""
    roles = game.seat_names
    keys = sorted(
        (key for key in sees if key[0] in roles), key=lambda key: (roles.index(key[0]), natural(write(key[1])))
    )
    circuit, (literals,), _ = build_circuit(rules, inputs, [np.array([sees[key] for key in keys], np.int64)], None)
    sizes = game.sizes.copy()
    sizes[REGISTERS], sizes[GATES] = len(circuit.registers), len(circuit.left)
    first = np.concatenate([[0], np.cumsum([sum(key[0] == role for key in keys) for role in roles])]).astype(np.int64)
    texts = json.dumps([write(key[1]) for key in keys]).encode()
    return CompiledSight(sizes, *circuit, literals, first, np.frombuffer(texts, np.uint8).copy())


def candidates(propositions: list[Term], initially: set[int]) -> list[tuple[np.ndarray, int]]:
    """Sets of propositions of which perhaps one holds at most, as nodes: those that differ in some arguments only, and of which one holds at the beginning
    at most.

    >>> [list(map(int, nodes)) for nodes, _ in candidates([("at", "a", "1"), ("at", "a", "2"), ("at", "b", "2")], {0, 2})]
    [[1, 2], [2, 3]]
    """
    groups: dict[tuple, list[int]] = {}
    for number, term in enumerate(propositions):
        if isinstance(term, str):
            continue
        arity = len(term) - 1
        if arity <= MOST_ARGUMENTS:
            for varied in range(1, 1 << arity):
                fixed = tuple("" if varied >> i & 1 else term[1 + i] for i in range(arity))
                groups.setdefault((term[0], varied, *fixed), []).append(number)
    found: dict[tuple[int, ...], int] = {}
    for members in groups.values():
        hold = sum(number in initially for number in members)
        if len(members) > 1 and hold <= 1:
            found[tuple(members)] = 2 if hold else 0
    return [(1 + np.array(members, np.int64), kind) for members, kind in found.items()]
