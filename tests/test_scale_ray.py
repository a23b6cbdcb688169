"""Work on a real Ray: two nodes on this machine, of which one is killed, and all that can go wrong on them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ludus
import shards  # noqa: F401  found by the processes, too
from ludus.errors import LudusError
from ludus.methods import method_class
from ludus.scale.opening import workers
from ludus.scale.shards import LostError, Shard, gathered

pytest.importorskip("ray")
pytestmark = pytest.mark.long

LONG = 300.0  # seconds for what takes a few, on a very busy machine
PLAYERS = ["td", "pubeval"]
HERE = str(Path(__file__).parent)


@contextlib.contextmanager
def cluster_of(nodes: int, **head: Any) -> Iterator[Any]:
    """A cluster of so many nodes with a core each."""
    from ray.cluster_utils import Cluster

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, str(Path(ludus.__file__).parent.parent), before]))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **head})
    try:
        for _ in range(nodes - 1):
            made.add_node(num_cpus=1)
        yield made
    finally:
        import ray

        ray.shutdown()
        made.shutdown()
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_of(2) as made:
        yield made


@pytest.fixture
def crew(cluster: Any) -> Iterator[Any]:
    with workers(cluster.address) as made:
        yield made


def bytes_of(result: Any) -> tuple[bytes, Any]:
    return result.shares.tobytes(), result.rows


def test_games_come_out_the_same_on_two_nodes(crew: Any) -> None:
    assert crew.places == 2
    heard: list[int] = []
    there = ludus.arena("backgammon", PLAYERS, 600, jobs=crew, progress=lambda done, total: heard.append(done))
    assert bytes_of(there) == bytes_of(ludus.arena("backgammon", PLAYERS, 600, jobs=1))
    assert heard == sorted(heard)
    assert heard[-1] == 600


def test_ones_own_player_and_a_trained_one_play_there(crew: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Last:\n    def choose(self, position, rng):\n        return position.moves()[-1]\n"
    )
    run = ludus.train("backgammon", games=20, hidden=2, evaluation_games=2, out=tmp_path / "run")
    players = [f"{tmp_path}/mine.py:Last", run.player_name]
    there = ludus.arena("backgammon", players, 20, jobs=crew)
    assert bytes_of(there) == bytes_of(ludus.arena("backgammon", players, 20, jobs=1))


def test_weights_come_out_the_same_on_two_nodes(crew: Any) -> None:
    def learned(who: Any) -> bytes:
        learner = method_class("selfplay")(hidden=5, batch=12, parts=3).begin(ludus.game("backgammon"), 7, 24)
        if who is not None:
            learner.work_with(who)
        learner.advance()
        learner.advance()
        learner.close()
        return b"".join(array.tobytes() for array in learner.state().values())

    assert learned(crew) == learned(None)


@pytest.mark.parametrize(
    ("shard", "patience", "words"),
    [
        (("shards:stumble", (3,)), None, r"ZeroDivisionError: .* \(shards.py, line \d+\)"),
        (("shards:take_memory", (10**15,)), None, r"MemoryError: Unable to allocate"),
        (("shards:killed", ()), None, "a worker process ended with code -9"),
        (("shards:hang", (600.0,)), 1.0, "nothing was heard for 1 seconds"),
    ],
)
def test_who_fails_is_named_and_the_others_go_on(crew: Any, shard: Any, patience: float | None, words: str) -> None:
    work = [Shard(*shard, "the bad one", patience), *(Shard("shards:square", (n,)) for n in range(4))]
    outcomes = {outcome.number: outcome for outcome in crew.map(work)}
    assert [outcomes[n].result() for n in range(1, 5)] == [0, 1, 4, 9]
    with pytest.raises(LostError, match=rf"^the bad one, on node \S+: {words}"):
        outcomes[0].result()


def test_what_is_killed_with_its_machine_is_done_again(crew: Any, tmp_path: Path) -> None:
    assert gathered(crew.map([Shard("shards:killed_once", (str(tmp_path / "trace"),))])) == ["done"]


def test_another_ludus_is_refused(crew: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "_source", "0" * 64)
    with pytest.raises(LudusError, match=r"^node \S+ has another ludus .*; install the same on every node"):
        ludus.arena("backgammon", PLAYERS, 10, jobs=crew)


def test_another_file_is_refused(crew: Any, tmp_path: Path) -> None:
    model = tmp_path / "model.safetensors"
    model.write_text("one")

    def work() -> Iterator[Shard]:
        model.write_text("another one")
        yield Shard("shards:square", (1,))

    with pytest.raises(LudusError, match=r"^node \S+ has another .*model.safetensors than there was"):
        gathered(crew.map(work(), files=[model]))


def test_ctrl_c_ends_what_is_under_way(crew: Any, tmp_path: Path) -> None:
    outcomes = crew.map([Shard("shards:square", (1,)), *(Shard("shards:note", (str(tmp_path),)) for _ in range(3))])
    assert next(outcomes).result() == 1
    wait_until(lambda: any(tmp_path.iterdir()))
    outcomes.close()  # as Ctrl-C does
    wait_until(lambda: not any(Path("/proc", path.name).exists() for path in tmp_path.iterdir()))
    assert gathered(crew.map([Shard("shards:square", (2,))])) == [4]


def wait_until(true: Any) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_comparison_comes_out_the_same(crew: Any, tmp_path: Path) -> None:
    def results(folder: Path) -> dict[str, bytes]:
        files = [path for path in folder.rglob("*") if path.is_file() and path.name != "costs.json"]
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}

    for name, jobs in (("there", crew), ("here", 1)):
        ludus.compare(["table"], suite="smoke", out=tmp_path / name, seeds=2, jobs=jobs)
    assert results(tmp_path / "there") == results(tmp_path / "here")


def test_a_node_that_is_killed_loses_nothing_and_changes_no_byte() -> None:
    with cluster_of(2) as made, workers(made.address) as crew:
        doomed = made.list_all_nodes()[-1]
        killed = []

        def kill(done: int, total: int) -> None:
            if done and not killed:
                killed.append(done)
                made.remove_node(doomed, allow_graceful=False)

        there = ludus.arena("backgammon", PLAYERS, 2000, jobs=crew, progress=kill)
        assert killed
        assert killed[0] < 2000
    assert bytes_of(there) == bytes_of(ludus.arena("backgammon", PLAYERS, 2000))


def test_a_node_that_runs_out_of_memory_is_named() -> None:
    # It is said to be full from the first byte on.
    system = {"memory_usage_threshold": 0.001, "memory_monitor_refresh_ms": 100, "task_oom_retries": 1}
    words = r"^the hungry one: its node has too little memory"
    with (
        cluster_of(1, _system_config=system) as made,
        workers(made.address) as crew,
        pytest.raises(LostError, match=words),
    ):
        gathered(crew.map([Shard("shards:grow", (LONG,), "the hungry one")]))


# In processes of their own: Ray stays with the process that used it.
SCRIPT = """
import ludus, sys
with ludus.workers(sys.argv[1]) as crew:
    print(crew.places, ludus.arena("tictactoe", ["random", "random"], games=50, jobs=crew).rows[0].wins)
"""


def played_by(where: str, **environment: str) -> str:
    command = [sys.executable, "-c", SCRIPT, where]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=LONG)
    return done.stdout + done.stderr


def test_as_a_job_of_the_cluster(cluster: Any) -> None:
    wins = ludus.arena("tictactoe", ["random", "random"], games=50).rows[0].wins
    assert played_by("ray", RAY_ADDRESS=cluster.address) == f"2 {wins}\n"  # which Ray's Jobs set


def test_from_outside_by_the_client(cluster: Any) -> None:
    wins = ludus.arena("tictactoe", ["random", "random"], games=50).rows[0].wins
    port = free_port()
    command = [sys.executable, "-m", "ray.util.client.server", "--address", cluster.address, "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(port))
        assert played_by(f"ray://127.0.0.1:{port}") == f"2 {wins}\n"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
