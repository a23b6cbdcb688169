"""Work in many places: the same results wherever shards are done and in whatever order they come back, and what is said when something is wrong.

A real Ray is in test_scale_ray.py; here a stand-in is as unkind as one can be.
"""

from __future__ import annotations

import pickle
import socket
import sys
import threading
import time
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
import shards as work
from ludus.cli.main import main
from ludus.errors import LudusError, NotInstalledError
from ludus.lab.sweep import sweep
from ludus.matches.workers import Sizes
from ludus.methods import method_class
from ludus.papers.report import FULL, Bench
from ludus.scale import cluster, errand, stamps
from ludus.scale.local import Processes, Threads
from ludus.scale.opening import workers
from ludus.scale.processes import function
from ludus.scale.shards import Executor, LostError, Outcome, Shard, Watcher, gathered

LONG = 120.0  # seconds for what takes half a second, on a very busy machine
GAME, PLAYERS = "tictactoe", ["random", "mcts(simulations=4)"]


def squares(count: int) -> list[Shard]:
    return [Shard("shards:square", (number,), f"square {number}") for number in range(count)]


class Unkind(Executor):
    """Does shards here, as all of them were packed and sent; the last comes first, and each comes twice."""

    places = 3

    def map(self, shards: Iterable[Shard], common: Any = (), watcher: Any = None, files: Any = ()) -> Any:
        source, waiting = enumerate(shards), list[Outcome]()
        shared, watcher = pickle.dumps(common), watcher or Watcher()
        while True:
            for number, shard in [each for _ in range(self.places) if (each := next(source, None)) is not None]:
                watcher.begun(number)
                arguments = pickle.loads(pickle.dumps(shard.arguments))
                value = function(shard.where)(*pickle.loads(shared), *arguments, tell=lambda value: None)
                waiting.append(Outcome(number, pickle.loads(pickle.dumps(value))))
            if not waiting:
                return
            for outcome in reversed(waiting):
                watcher.tick()
                yield outcome
                yield outcome
            waiting.clear()


class Failing(Unkind):
    """Gets nothing done."""

    def map(self, shards: Iterable[Shard], *_: Any, **__: Any) -> Any:
        for number, shard in enumerate(shards):
            yield Outcome(number, error=LostError(shard.title, "ended", "the lights went out", "attic"))


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Unkind, lambda: Processes(2)], ids=["unkind", "processes"])
def test_a_contest_is_the_same_wherever_it_is_played(make: Any) -> None:
    here = ludus.arena(GAME, PLAYERS, 150, seed=3, jobs=1)
    heard: list[int] = []
    with make() as crew:
        there = ludus.arena(GAME, PLAYERS, 150, seed=3, jobs=crew, progress=lambda done, total: heard.append(done))
    assert there.shares.tobytes() == here.shares.tobytes()
    assert there.rows == here.rows
    assert heard[-1] == 150


def test_a_paired_contest_and_one_until_it_is_sure_too() -> None:
    from ludus.matches import arena_paired, arena_until
    from ludus.matches.statistics import question

    with Processes(2) as crew:
        for jobs, found in ((crew, []), (1, [])):  # type: ignore[var-annotated]
            found.append(arena_paired(GAME, PLAYERS, 40, jobs=jobs).played.scores.tobytes())
            found.append(arena_until(GAME, PLAYERS[::-1], question("0,20"), jobs=jobs).outcomes)
            if jobs is crew:
                there = found
    assert there == found


def test_what_cannot_be_named_is_played_here() -> None:
    class Last:
        def choose(self, position: Any, rng: Any) -> Any:
            return position.moves()[-1]

    assert ludus.arena(GAME, [Last(), "random"], 10, jobs=Failing()).games == 10


@pytest.mark.parametrize("memory", [{}, {"memory": 50, "minibatch": 8}], ids=["", "remembered"])
@pytest.mark.parametrize("make", [Unkind, lambda: Processes(2, cores=1)], ids=["unkind", "processes"])
def test_weights_are_the_same_wherever_they_are_learned(make: Any, memory: dict[str, int]) -> None:
    def learned(crew: Executor | None, parts: int = 3) -> dict[str, np.ndarray]:
        plan = method_class("selfplay")(hidden=4, batch=10, parts=parts, encoding="propositions", **memory)
        learner = plan.begin(ludus.game(GAME), 5, 25)
        if crew is not None:
            learner.work_with(crew)
        while learner.games < 25:
            learner.advance()
        learner.close()
        return {name: array.copy() for name, array in learner.state().items()} | {"moves": learner.counters["moves"]}

    with make() as crew:
        there, here = learned(crew), learned(None)
    assert all(np.array_equal(there[name], here[name]) for name in here)
    assert any(not np.array_equal(here[name], array) for name, array in learned(None, 2).items())  # parts do count


def test_a_sweep_is_the_same_wherever_it_is_trained(tmp_path: Path) -> None:
    found = {}
    with Processes(2, cores=1) as crew:
        for name, jobs in (("there", crew), ("here", None)):
            made = sweep(
                GAME, None, {"rate": [0.1, 0.2]}, tmp_path / name, method="selfplay", jobs=jobs,
                games=20, hidden=3, encoding="propositions", evaluation_games=10,
            )  # fmt: skip
            found[name] = [(point.run.folder / "model.safetensors").read_bytes() for point in made.points]
    assert found["there"] == found["here"]


def test_a_paper_has_its_games_played_elsewhere(tmp_path: Path) -> None:
    there, here = (Bench(tmp_path, 1, FULL, print, jobs).arena(GAME, PLAYERS, 20, "two") for jobs in (Unkind(), None))
    assert there.rows == here.rows
    with pytest.raises(LostError, match="the lights went out"):
        Bench(tmp_path, 1, FULL, print, Failing()).arena(GAME, PLAYERS, 20, "two")


def test_methods_that_learn_game_by_game_say_so(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=r"^method 'traces' learns game by game, in one place"):
        ludus.train(GAME, method="traces", encoding="propositions", games=20, out=tmp_path / "run", jobs=Unkind())


def test_parts_of_a_contest_are_all_its_games_whatever_they_take() -> None:
    rng = np.random.default_rng(1)
    for count, places in ((1, 1), (7, 3), (10_000, 2), (100_000, 1000)):
        parts, seen = Sizes(range(count), places), []
        for part in parts:
            seen += part
            parts.learn(len(part), rng.exponential(0.01) * len(part) if rng.random() < 0.9 else 0.0)
        assert seen == list(range(count))


def test_parts_grow_to_some_seconds_of_work_and_get_smaller_at_the_end() -> None:
    parts, sizes = Sizes(range(100_000), 4), []
    for part in parts:
        sizes.append(len(part))
        parts.learn(len(part), len(part) / 1000)  # a thousand games a second
    assert sizes[:4] == [4, 64, 1024, 5000]
    assert max(sizes) == 5000
    assert sizes[-2] == 1000  # a second of work


# --- who does the work -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [Threads, Processes])
def test_shards_are_taken_when_there_is_a_place(make: Any) -> None:
    taken: list[int] = []

    def source() -> Iterator[Shard]:
        for shard in squares(6):
            taken.append(len(taken))
            yield shard

    heard: list[Any] = []

    class Hearing(Watcher):
        def told(self, number: int, value: Any) -> None:
            heard.append((number, value))

    with make(2) as crew:
        outcomes = crew.map(source(), watcher=Hearing())
        first = next(outcomes)
        assert len(taken) == 2
        assert gathered([first, *outcomes]) == [0, 1, 4, 9, 16, 25]
    assert sorted(heard) == [(number, number) for number in range(6)]


def test_they_share_their_first_arguments() -> None:
    with Processes(1) as crew:
        for first in (10, 20):
            values = gathered(crew.map([Shard("shards:add", (number,)) for number in range(3)], (first,)))
            assert values == [first, first + 1, first + 2]


def test_who_fails_is_named_and_the_others_go_on() -> None:
    bad = [
        Shard("shards:stumble", (3,), "one"),
        Shard("shards:take_memory", (10**15,), "two"),
        Shard("shards:killed", (), "three"),
        Shard("shards:hang", (600.0,), "four", 0.5),
    ]
    with Processes(2) as crew:
        outcomes = {outcome.number: outcome for outcome in crew.map([*bad, *squares(3)])}
    assert [outcomes[number].result() for number in (4, 5, 6)] == [0, 1, 4]
    said = [str(outcomes[number].error) for number in range(4)]
    assert said[0].startswith("one: ZeroDivisionError: ")
    assert "(shards.py, line " in said[0]
    assert said[1].startswith("two: ") and "MemoryError: Unable to allocate" in said[1]  # noqa: PT018
    assert said[2] == "three: a worker process ended with code -9 too early"
    assert said[3] == "four: nothing was heard for 0.5 seconds"


def test_a_contest_that_fails_says_where() -> None:
    with pytest.raises(LostError, match=r"^games 0 to 3, on node attic: the lights went out$"):
        ludus.arena(GAME, PLAYERS, 10, jobs=Failing())


def test_who_stops_asking_ends_the_work(tmp_path: Path) -> None:
    with Processes(2) as crew:
        outcomes = crew.map([*squares(1), Shard("shards:note", (str(tmp_path),))])
        assert next(outcomes).result() == 0
        end = time.monotonic() + LONG
        while not any(tmp_path.iterdir()) and time.monotonic() < end:
            time.sleep(0.01)
        outcomes.close()
        assert not Path("/proc", next(tmp_path.iterdir()).name).exists()
        assert gathered(crew.map(squares(2))) == [0, 1]


# --- stamps ------------------------------------------------------------------------------------------------------------


def test_another_machine_is_refused_if_it_would_not_do_the_same(tmp_path: Path) -> None:
    model = tmp_path / "model.safetensors"
    model.write_text("weights")
    made = stamps.stamp([model])
    made.check()
    others = {
        "compiles for .*, the work is for a quantum computer": made._replace(processor="a quantum computer"),
        "has no file .*gone": made._replace(files=((str(tmp_path / "gone"), ""),)),
        "has another .*model.safetensors": made._replace(files=((str(model), "0" * 64),)),
    }
    for words, other in others.items():
        with pytest.raises(LudusError, match=rf"^node \S+ {words}"):
            other.check()
    wrong = tuple((name, "0.1" if name == "numba" else version) for name, version in made.packages)
    with pytest.raises(LudusError, match=r"has numba .*, and the work needs 0\.1: install the same on every node$"):
        made._replace(packages=wrong).check()


def test_the_files_of_players_are_found_in_their_names(tmp_path: Path) -> None:
    run, sheet = tmp_path / "run", tmp_path / "my.kif"
    run.mkdir()
    for path in (run / "model.safetensors", run / "config.toml", sheet):
        path.write_text("")
    named = stamps.files_in([f"td:{run}(plies=1)", f"{sheet}", "random"])
    assert named == [run / "model.safetensors", run / "config.toml", sheet]


def test_a_node_without_ludus_or_with_another_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert errand.objection(errand.source_of(), "attic") == ""
    assert "node attic has another ludus" in errand.objection("0" * 64, "attic")
    assert errand.do(b"", b"", b"", "0" * 64, "/", None)[0] == "error"
    monkeypatch.setattr(errand, "source_of", lambda: "")
    assert errand.objection("0" * 64, "attic") == "node attic has no ludus: install it there, the same as here"


def test_what_goes_to_a_node_needs_no_ludus() -> None:
    source = Path(errand.__file__).read_text()
    top = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert not [line for line in top if "ludus" in line]


# --- words of the command line ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["rey", "ray://", "ray://host", "http://host:80", "host:99999", ""])
def test_workers_that_make_no_sense(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["arena", GAME, *PLAYERS, "--workers", words])
    said = f"ludus: can't read '{words}' as workers; write local, ray, ray://HOST:PORT or HOST:PORT\n"
    assert (ended.value.code, capsys.readouterr().err) == (2, said)


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NotInstalledError, match=r"^workers of Ray need the ray extra: pip install 'ludus\[ray\]'$"):
        workers("ray")


def test_the_command_line_plays_elsewhere_too(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    found = []
    for more in ([], ["--workers", "local", "--jobs", "2", "--patience", "100"]):
        with pytest.raises(SystemExit):
            main(["arena", GAME, *PLAYERS, "--games", "40", "--json", *more])
        found.append(json.loads(capsys.readouterr().out)["players"])
    assert found[0] == found[1]


# --- Ray, and a stand-in for it ---------------------------------------------------------------------------------------


class FakeRay(types.ModuleType):
    """As much of Ray as is used here. The newest task is done first; `plan` says how often tasks come to nothing."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.tasks: dict[int, Any] = {}
        self.cancelled: list[int] = []
        self.most, self.up, self.cores = 0, False, 2
        self.plan: list[Any] = []  # what the next tasks come to; (kind, value), an exception, or None: as they should
        self.fault: Exception | None = None
        kinds = ("RayError", "OutOfMemoryError", "WorkerCrashedError", "NodeDiedError", "ObjectLostError")
        base = type("RayError", (Exception,), {})
        self.exceptions = types.SimpleNamespace(
            **{kind: base if kind == "RayError" else type(kind, (base,), {}) for kind in kinds}
        )
        self.cloudpickle = types.ModuleType("ray.cloudpickle")
        self.cloudpickle.register_pickle_by_value = lambda module: None  # type: ignore[attr-defined]

    def is_initialized(self) -> bool:
        return self.up

    def init(self, address: str | None, **_: Any) -> None:
        if self.fault is not None:
            raise self.fault
        self.up = True

    def shutdown(self) -> None:
        self.up = False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cores)}

    def put(self, value: Any) -> Any:
        return value

    def remote(self, **_: Any) -> Any:
        def submit(common: bytes, header: bytes, call: bytes, *_: Any) -> int:
            self.tasks[len(self.tasks)] = (common, call)
            self.most = max(self.most, len(self.tasks) - self.done)
            return len(self.tasks) - 1

        return lambda do: types.SimpleNamespace(remote=submit)

    done = 0

    def wait(self, references: list[int], **_: Any) -> tuple[list[int], list[int]]:
        return references[-1:], references[:-1]

    def get(self, reference: int) -> tuple[str, Any, str]:
        self.done += 1
        fate = self.plan.pop(0) if self.plan else None
        if isinstance(fate, Exception):
            raise fate
        if fate is not None:
            return *fate, "attic"
        common, call = self.tasks[reference]
        where, arguments = pickle.loads(call)
        return (
            "answer",
            pickle.dumps(function(where)(*pickle.loads(common), *arguments, tell=lambda value: None)),
            "attic",
        )

    def cancel(self, reference: int, force: bool) -> None:
        self.cancelled.append(reference)


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setitem(sys.modules, "ray.cloudpickle", fake.cloudpickle)
    return fake


def test_few_more_tasks_are_given_away_than_there_are_places(ray: FakeRay) -> None:
    with workers("ray") as crew:
        assert gathered(crew.map(squares(50))) == [number**2 for number in range(50)]
        assert (crew.places, ray.most) == (2, 4)
        assert ludus.arena(GAME, PLAYERS, 100, jobs=crew).rows == ludus.arena(GAME, PLAYERS, 100).rows
    assert not ray.up


def test_nodes_that_join_get_work_too(ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "COUNT", -1.0)  # counts every time
    with workers("ray") as crew:
        outcomes = crew.map(squares(100))
        first = next(outcomes)
        ray.cores = 20
        assert gathered([first, *outcomes]) == [number**2 for number in range(100)]
        assert (crew.places, ray.most) == (20, 22)


def test_what_ends_with_its_machine_is_done_again_but_not_for_ever(ray: FakeRay) -> None:
    with workers("ray") as crew:
        ray.plan = [("ended", "ended with code -15")] * 3
        assert gathered(crew.map(squares(1))) == [0]
        ray.plan = [("ended", "ended with code -11")] * 9
        with pytest.raises(LostError, match=r"^square 0, on node attic: ended with code -11$"):
            gathered(crew.map(squares(1)))
        assert len(ray.plan) == 9 - cluster.TRIES


def test_what_a_cluster_says_is_passed_on_in_a_line(ray: FakeRay) -> None:
    errors = ray.exceptions
    said = {
        "^square 0: its node has too little memory, and Ray ended it$": errors.OutOfMemoryError("…"),
        "^square 0: Ray has lost it 4 times$": errors.NodeDiedError("…"),
        "^square 0: Ray could not do it: the last line$": errors.RayError("much\nto\nread\n  the last line\n"),
        "^square 0, on node attic: ValueError: no$": ("raised", "ValueError: no"),
        "^node attic: there is no file$": ("error", "there is no file"),
    }
    with workers("ray") as crew:
        for words, fate in said.items():
            ray.plan = [fate]
            with pytest.raises(LudusError, match=words):
                gathered(crew.map(squares(1)))


def test_who_stops_asking_cancels_what_is_under_way(ray: FakeRay) -> None:
    with workers("ray", jobs=1) as crew:
        outcomes = crew.map(squares(9))
        next(outcomes)
        outcomes.close()
        assert len(ray.cancelled) == 2


def test_a_cluster_that_does_not_answer(ray: FakeRay) -> None:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))  # and nobody listens
        port = made.getsockname()[1]
        for address, usual in ((f"ray://127.0.0.1:{port}", "10001"), (f"127.0.0.1:{port}", "6379")):
            with pytest.raises(LudusError, match=rf"^nobody answers at {address} \(.*\): start Ray there, .* {usual} "):
                workers(address)


def test_something_else_than_a_cluster_answers(ray: FakeRay) -> None:
    with socket.create_server(("127.0.0.1", 0)) as made:
        address = f"ray://127.0.0.1:{made.getsockname()[1]}"

        def answer() -> None:
            door, _ = made.accept()
            with door:
                door.recv(100)
                door.sendall(b"HTTP/1.1 400 Bad Request")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(LudusError, match=rf"^what answers at {address} is not Ray: start Ray there"):
            workers(address)
        thread.join()
    with pytest.raises(LudusError, match=r"^10001 is the port of Ray's clients: write ray://host:10001"):
        workers("host:10001")


def test_a_cluster_with_other_versions(ray: FakeRay) -> None:
    ray.fault = RuntimeError("Version mismatch: The cluster was started with:\n    Ray: 2.9\n    Python: 3.8.0\n")
    with pytest.raises(LudusError) as error:
        workers("ray")
    assert str(error.value).startswith(
        "the cluster has another Ray or Python than this machine; both sides need the same."
    )
    assert "Ray: 2.9 Python: 3.8.0" in str(error.value)
    ray.fault = ConnectionError("no route\nto it")
    with pytest.raises(LudusError, match=r"^can't work with Ray at this machine: no route to it$"):
        workers("ray")


def test_shards_are_found_by_name() -> None:
    assert function("shards:square") is work.square
