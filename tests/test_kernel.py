"""Kernels: words that answer by type, random streams, bits, and a cache on disk that is neither stale nor cold."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ludus.kernel import (
    JIT,
    PACKAGE,
    below,
    count_bits,
    draw,
    generic,
    highest_bit,
    implements,
    kernel,
    lowest_bit,
    stream,
    uniform,
)

compiled_only = pytest.mark.skipif(not JIT, reason="about compiled code and its cache")


def run(script: str | Path, *arguments: str, cwd: Path, **environment: str) -> Any:
    """Run a script (a path, or the text of one) in a process of its own; give back the JSON that it prints."""
    command = [sys.executable, str(script)] if isinstance(script, Path) else [sys.executable, "-c", script]
    given = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment}
    done = subprocess.run(command + list(arguments), cwd=cwd, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- generic functions -----------------------------------------------------------------------------------------------
# Animals instead of games: a word is declared once, and each type answers it in its own way.


@generic
def legs(animal: Any) -> int:
    """How many legs it has."""


@generic
def sound(animal: Any, times: int) -> int:
    """A number that stands for its sound."""


@generic
def wings(animal: Any) -> int:
    """How many wings it has: nobody answers this."""


class Spider(NamedTuple):
    age: int = 1


class Bird(NamedTuple):
    age: int = 1
    weight: float = 0.5  # fields of more than one type: for Numba another kind of tuple


class Duck(Bird):
    """A type that answers for itself in part, and leaves the rest to its base."""


@implements(legs, Spider)
def _(animal: Any) -> int:
    return 8


@implements(legs, Bird)
def _(animal: Any) -> int:
    return 2


@implements(sound, object)
def _(animal: Any, times: int) -> int:
    return -times


@implements(sound, Bird)
def _(animal: Any, times: int) -> int:
    return times * animal.age


@implements(sound, Duck)
def _(animal: Any, times: int) -> int:
    return 100 * legs(animal) + times  # one word may use another


@kernel
def noise(animal: Any) -> int:
    return sound(animal, 3)


@kernel
def feet(animal: Any) -> int:
    return legs(animal)


@kernel
def lift(animal: Any) -> int:
    return wings(animal)


def test_the_type_of_the_first_argument_decides_who_answers():
    assert [legs(Spider()), legs(Bird()), legs(Duck())] == [8, 2, 2]
    assert [sound(Bird(5), 2), sound(Duck(), 2)] == [10, 202]


def test_a_kernel_finds_the_same_answers_as_plain_python():
    for animal in (Spider(), Bird(7), Duck(7)):
        assert feet(animal) == legs(animal)
        assert noise(animal) == sound(animal, 3)


def test_object_answers_for_all_who_do_not_answer_for_themselves():
    assert [sound(Spider(), 3), noise(Spider())] == [-3, -3]
    assert sound("no NamedTuple at all", 4) == -4


def test_a_missing_answer_names_the_type_and_the_word():
    with pytest.raises(NotImplementedError, match="Spider does not implement 'wings'"):
        wings(Spider())
    if JIT:
        from numba.core.errors import TypingError

        with pytest.raises(TypingError, match="wings"):
            lift(Spider())


def test_a_word_knows_whether_a_type_can_answer():
    assert legs.handles(Duck)
    assert sound.handles(int)
    assert not legs.handles(int)


def test_words_keep_their_documentation():
    assert legs.__name__ == "legs"
    assert legs.__doc__ == "How many legs it has."


# --- the cache on disk -----------------------------------------------------------------------------------------------

# A whole little game in somebody's own file, with an encoding: enough to train and to play.
FOREIGN_GAME = '''
"""Steps: both seats go one or two steps at a time; whoever gets to the top wins. # height 1, seat to move 1"""
from typing import NamedTuple

from ludus.contract import rules, views
from ludus.contract.rules import CHANCE, OVER, Facts
from ludus.kernel import implements
from tops import top


class Steps(NamedTuple):
    bonus: int = 0

    @property
    def facts(self):
        return Facts("steps", 1, 2, 2, 2, 0, 9, (-1.0, 1.0))


class Height(NamedTuple):
    size: int = 20

    def shape(self, game):
        return 1, self.size, 2


@implements(rules.start, Steps)
def _(game, state):
    state[:] = 0


@implements(rules.turn, Steps)
def _(game, state):
    return OVER if state[0] >= top() else state[1]


@implements(rules.moves, Steps)
def _(game, state, seat, out):
    out[0] = 1
    out[1] = 2
    return 2


@implements(rules.play, Steps)
def _(game, state, move):
    state[0] += move
    state[1] = 1 - state[1]


@implements(views.features, Height)
def _(encoding, game, state, index, value):
    index[0] = 2 * state[0] + state[1]
    value[0] = 1
    return 1


@implements(views.outcome, Height)
def _(encoding, game, state, out):
    out[:] = 0
    out[1 - state[1]] = 1


@implements(views.worth, Height)
def _(encoding, game, prediction, out):
    out[0] = prediction[0] - prediction[1]
    out[1] = -out[0]
'''

FOREIGN_KERNEL = """
from ludus.kernel import kernel


@kernel
def top():
    return 5
"""

# Somebody's program: a random game in their own rules, and the tally of the cache.
PLAYS_STEPS = """
import json
import numpy as np
from ludus import kernel
from ludus.contract import rules, views
from steps import Steps

state, room, rng, heights = np.zeros(2, np.int64), np.zeros(2, np.int64), kernel.stream(1), []
while rules.turn(Steps(), state) != rules.OVER:
    rules.play(Steps(), state, rules.random_move(Steps(), state, state[1], rng, room))
    heights.append(int(state[0]))
print(json.dumps({"heights": heights, "cache": kernel.cache_counts()}))
"""

TRAINS_AND_PLAYS = """
import json
import numpy as np
from ludus import kernel
from ludus.methods.episodes import Episodes, NoPartner, Seats
from ludus.methods.traces import Progress, learn_games
from ludus.nets.network import new_network
from ludus.players.base import Random, choose_all
from steps import Height, Steps

net = new_network(1, 20, 4, 2, seed=1)
learn_games(net, Height(), Steps(), (2, 2, 2, 1), Seats(3, False, NoPartner()), Episodes(1, 0, np.zeros(20)), Progress(0.1, 0.7))
states, seats, rngs, moves = np.zeros((1, 2), np.int64), np.zeros(1, np.int64), kernel.stream(1)[None], np.zeros(1, np.int64)
choose_all(Random(2), Steps(), states, seats, rngs, moves)
print(json.dumps({"weights": float(net.w2.sum()), "move": int(moves[0]), "cache": kernel.cache_counts()}))
"""

# The caller, `roll`, stands in games/backgammon/rules.py; its callee, `below`, in kernel/streams.py.
ROLLS_DICE = """
import json
import numpy as np
from ludus import kernel
from ludus.contract import rules, views
from ludus.games.backgammon import Backgammon

state, rng = np.zeros(55, np.int64), kernel.stream(1)
rules.start(Backgammon(), state)
rolls = [int(rules.roll(Backgammon(), state, rng, np.zeros(30, np.int64), np.zeros(30))) for _ in range(5)]
print(json.dumps({"rolls": rolls, "cache": kernel.cache_counts()}))
"""


def sections(imports: str, encoding: str, game: str, state_size: int) -> str:
    """A program that uses `section`, whose default answer serves all games, and so is one file in the cache."""
    return f"""
import json
import numpy as np
from ludus import kernel
from ludus.contract import rules, views
{imports}
section = views.section({encoding}(), {game}(), np.zeros({state_size}, np.int64))
print(json.dumps({{"section": int(section), "cache": kernel.cache_counts()}}))
"""


OURS = sections(
    "from ludus.games.backgammon import Backgammon; from ludus.games.backgammon.features import Raw",
    "Raw",
    "Backgammon",
    55,
)
THEIRS = sections("from steps import Height, Steps", "Height", "Steps", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("desk")


@pytest.fixture
def desk(folder):
    """A folder with somebody's own game, and a cache that nobody else uses."""
    (folder / "steps.py").write_text(FOREIGN_GAME)
    (folder / "tops.py").write_text(FOREIGN_KERNEL)

    def work(script: str, cache: str = "cache", **environment: str) -> Any:
        return run(script, cwd=folder, LUDUS_CACHE_DIR=str(folder / cache), **environment)

    return work


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} should stand once in {path}"
    path.write_text(text.replace(old, new))


@compiled_only
def test_a_second_process_compiles_nothing(desk):
    first, second = (desk(TRAINS_AND_PLAYS, cache="empty at first") for _ in range(2))
    assert first["cache"][1] > 0
    hits, misses = second["cache"]
    assert misses == 0
    assert hits > 0
    assert (first["weights"], first["move"]) == (second["weights"], second["move"])


@compiled_only
def test_an_edit_in_a_callee_in_another_module_is_noticed(desk, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "ludus", ignore=shutil.ignore_patterns("__pycache__"))
    before = desk(ROLLS_DICE, PYTHONPATH=str(tmp_path))
    edit(
        tmp_path / "ludus" / "kernel" / "streams.py",
        "return np.int64((draw(rng) * np.uint64(n)) >> _32)",
        "return np.int64(0)",
    )
    after = desk(ROLLS_DICE, PYTHONPATH=str(tmp_path))
    assert before["rolls"] != [12] * 5
    assert after["rolls"] == [12] * 5  # the lowest dice that the opening allows


@compiled_only
def test_an_edit_in_somebodys_own_game_is_noticed(desk, folder):
    # `random_move` is the package's own kernel; but what it compiled to depends on the game, and on what the game calls.
    before = desk(PLAYS_STEPS)["heights"]
    assert before[-1] in (5, 6)
    assert before != [1, 2, 3, 4, 5]
    edit(folder / "steps.py", "out[1] = 2", "out[1] = 1")
    assert desk(PLAYS_STEPS)["heights"] == [1, 2, 3, 4, 5]
    edit(folder / "tops.py", "return 5", "return 9")
    assert desk(PLAYS_STEPS)["heights"] == [1, 2, 3, 4, 5, 6, 7, 8, 9]


@compiled_only
def test_a_game_typed_at_a_prompt_is_never_taken_for_an_older_one(desk):
    typed = FOREIGN_GAME.replace("top()", "5").replace("from tops import top", "")
    program = PLAYS_STEPS.replace("from steps import Steps", "")
    assert desk(typed + program)["heights"] != [1, 2, 3, 4, 5]
    assert desk(typed.replace("out[1] = 2", "out[1] = 1") + program)["heights"] == [1, 2, 3, 4, 5]


@compiled_only
def test_processes_with_and_without_somebodys_own_game_share_a_cache(desk):
    assert desk(OURS)["section"] == desk(THEIRS)["section"] == 0
    assert desk(OURS)["cache"][1] == 0  # reads an index that names types it has never heard of
    assert desk("import steps" + OURS)["cache"][1] == 0  # nor does somebody's game make ours compile anew


def test_two_games_of_the_same_name_are_kept_apart():
    # As two modules may have, or the same cell of a notebook, run twice. Numba's own calls look at the name alone.
    def make(value: int) -> Any:
        class Twin(NamedTuple):
            age: int = 1

        @implements(legs, Twin)
        def _(animal: Any) -> int:
            return value

        return Twin()

    twins = [make(1), make(2)]
    assert [legs(twin) for twin in twins] == [1, 2]
    assert [feet(twin) for twin in twins] == [1, 2]


def test_two_games_of_the_same_name_that_are_put_together_from_parts_are_kept_apart():
    def make(value: int) -> Any:
        class Legs(NamedTuple):
            age: int = 1

        @implements(legs, Legs)
        def _(animal: Any) -> int:
            return value

        class Twin(Legs):  # what kernels get is an object of this class, which implements nothing by itself
            __slots__ = ()

        return Twin()

    twins = [make(1), make(2)]
    assert [feet(twin) for twin in twins] == [1, 2]
    assert [legs(twin) for twin in twins] == [1, 2]


# --- random streams --------------------------------------------------------------------------------------------------

MANY = 60_000 if JIT else 6_000
UNLIKELY = 1e-4  # a probability below which we stop believing in luck; all seeds here are fixed


def numbers(rng: np.ndarray, n: int, count: int) -> np.ndarray:
    return np.array([below(rng, n) for _ in range(count)])


def test_a_seed_an_index_and_a_purpose_make_a_stream():
    def first(*key: int) -> list[int]:
        rng = stream(*key)
        return [int(draw(rng)) for _ in range(4)]

    assert first(1, 2, 3) == first(1, 2, 3)
    keys = [(1, 2, 3), (1, 3, 2), (2, 2, 3), (1, 3, 3), (1, 2, 4), (2**40 + 1, 2, 3), (1, 2**40 + 2, 3), (3, 2, 1)]
    assert len({tuple(first(*key)) for key in keys}) == len(keys)


def taste(*key: int) -> list[list[float]]:
    rng = stream(*key)
    return [[int(draw(rng)), int(below(rng, 6)), int(below(rng, 10**6)), float(uniform(rng))] for _ in range(50)]


KEYS = [(0, 0, 0), (1, 2, 3), (2**62, 2**40, 17), (123456789, 5, 0xBEEF)]


@compiled_only
def test_streams_are_the_same_without_the_compiler(tmp_path):
    script = f"""
import json
from ludus.kernel import JIT, below, draw, stream, uniform
{inspect.getsource(taste)}
print(json.dumps([JIT, [taste(*key) for key in {KEYS}]]))
"""
    plain = run(script, cwd=tmp_path, NUMBA_DISABLE_JIT="1")
    assert plain == [False, [taste(*key) for key in KEYS]]


@pytest.mark.parametrize("n", [1, 2, 6, 36, 1000])
def test_below_gives_each_number_equally_often(n):
    counts = np.bincount(numbers(stream(5), n, MANY), minlength=n)
    assert len(counts) == n
    if n > 1:
        assert UNLIKELY < stats.chisquare(counts).pvalue < 1 - UNLIKELY  # nor too evenly


def test_successive_numbers_know_nothing_of_each_other():
    dice = numbers(stream(6), 6, MANY).reshape(-1, 3)
    triples = np.bincount(dice @ (36, 6, 1), minlength=216)
    assert UNLIKELY < stats.chisquare(triples).pvalue < 1 - UNLIKELY


@pytest.mark.parametrize(
    "neighbour",
    [lambda i: (7 + i, 0, 0), lambda i: (7, i, 0), lambda i: (7, 0, i), lambda i: (7, i // 2, i % 2)],
    ids=["seed", "index", "purpose", "index and purpose"],
)
def test_neighbouring_streams_know_nothing_of_each_other(neighbour):
    # The first dice of streams that differ in one number only: each alone, and with those of the next stream.
    count = MANY // 10
    dice = np.array([[below(rng, 6) for _ in range(2)] for rng in (stream(*neighbour(i)) for i in range(count))])
    pairs = np.stack([dice[:-1], dice[1:]], axis=-1)[::2]
    for ways in (dice @ (6, 1), *(pairs[:, k] @ (6, 1) for k in range(2))):
        assert UNLIKELY < stats.chisquare(np.bincount(ways, minlength=36)).pvalue < 1 - UNLIKELY
    # And two whole streams side by side.
    one, other = (np.array([uniform(rng) for _ in range(count)]) for rng in (stream(*neighbour(k)) for k in (0, 1)))
    assert abs(np.corrcoef(one, other)[0, 1]) < 4 / count**0.5


def test_uniform_is_spread_over_the_interval_and_never_1():
    rng = stream(8)
    values = np.array([uniform(rng) for _ in range(MANY)])
    assert values.min() >= 0
    assert values.max() < 1
    assert stats.kstest(values, "uniform").pvalue > UNLIKELY
    # The largest word that can be drawn still gives less than 1, and the smallest gives 0.
    for word, value in ((0xFFFFFFFF << 32, 1 - 2**-32), (0xABCDEF01 << 32 | 0xABCDEF01, 0.0)):
        assert uniform(np.array([word], np.uint64)) == value


@kernel
def cycle_length(rng: Any, limit: int) -> int:
    """Brent's search: the length of the cycle that a stream is in, or 0 if it is beyond the limit."""
    power, length, anchor = 1, 0, rng[0]
    for _ in range(limit):
        draw(rng)
        length += 1
        if rng[0] == anchor:
            return length
        if length == power:
            power, length, anchor = 2 * power, 0, rng[0]
    return 0


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**63 - 1])
def test_streams_have_no_short_cycles(seed):
    assert cycle_length(stream(seed), 20_000_000 if JIT else 20_000) == 0


# --- bits ------------------------------------------------------------------------------------------------------------


@kernel
def bits(mask: int) -> Any:
    return lowest_bit(mask), highest_bit(mask), count_bits(mask)


@settings(deadline=None)
@given(st.integers(1, 2**63 - 1) | st.integers(0, 62).map(lambda n: 1 << n))
def test_bits_are_counted_alike_in_kernels_and_in_plain_python(mask):
    digits = bin(mask)[:1:-1]  # the lowest first
    expected = (digits.index("1"), len(digits) - 1, digits.count("1"))
    assert bits(mask) == expected
    assert (lowest_bit(mask), highest_bit(mask), count_bits(mask)) == expected


def test_nothing_has_no_bits():
    assert count_bits(0) == 0
