"""Worker processes: what they are told, what they answer, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ludus import quantities
from ludus.errors import LudusError
from ludus.scale.processes import EndedError, SilentError, Tell, Worker

# What workers are called to do. They find this module where the tests do.


def add(a: int, b: int, tell: Tell) -> int:
    for number in range(3):
        tell(number)
    print("what is printed does not get between the messages")
    return a + b


def refuse(what: str, tell: Tell) -> None:
    raise LudusError(f"{what} makes no sense")


def end(code: int, tell: Tell) -> None:
    os._exit(code)


def sleep(seconds: float, tell: Tell) -> None:
    tell("going to sleep")
    time.sleep(seconds)


def facts(tell: Tell) -> tuple[int, str | None]:
    return quantities.cores(), os.environ.get("OMP_NUM_THREADS")


def tell_on(path: str, tell: Tell) -> None:
    """As somebody who takes any fault for its own: the caller's end is none."""
    try:
        while True:
            tell("on")
            time.sleep(0.01)
    except BaseException as error:
        Path(path).write_text(repr(error))


def large(size: int, tell: Tell) -> bytes:
    return bytes(size)


HERE = "test_processes"
LONG = 120.0  # seconds for what takes half a second, on a very busy machine


def test_it_answers_and_tells_one_call_after_the_other() -> None:
    heard: list[Any] = []
    with Worker() as worker:
        assert worker.call(f"{HERE}:add", 1, 2, hear=heard.append) == 3
        assert worker.call(f"{HERE}:add", 3, 4, patience=60.0) == 7
        assert len(worker.call(f"{HERE}:large", 5_000_000, patience=60.0)) == 5_000_000
    assert heard == [0, 1, 2]


def test_what_is_wrong_is_said_in_its_words_and_it_goes_on() -> None:
    with Worker() as worker:
        with pytest.raises(LudusError, match=r"^this makes no sense$"):
            worker.call(f"{HERE}:refuse", "this")
        assert worker.call(f"{HERE}:add", 1, 2) == 3


def test_one_that_ends_is_noticed() -> None:
    with Worker() as worker, pytest.raises(EndedError, match="ended with code 7 too early"):
        worker.call(f"{HERE}:end", 7)


def test_one_that_says_nothing_is_ended() -> None:
    with Worker() as worker:
        with pytest.raises(SilentError, match=r"nothing was heard for 0\.2 seconds"):
            worker.call(f"{HERE}:sleep", 600.0, patience=0.2)
        with pytest.raises(EndedError):
            worker.call(f"{HERE}:add", 1, 2)


def test_one_of_one_core_knows_it() -> None:
    with Worker(cores=1) as worker:
        assert worker.call(f"{HERE}:facts") == (1, "1")


@pytest.mark.parametrize("call", ["'test_processes:sleep', 600.0", "'test_processes:tell_on', 'told'"])
def test_it_ends_with_whoever_called_it(call: str, tmp_path: Path) -> None:
    script = (
        "import sys, threading, time\n"
        "from ludus.scale.processes import Worker\n"
        "worker = Worker()\n"
        "threading.Thread(target=lambda: worker.call(CALL), daemon=True).start()\n"
        "print(worker._process.pid, flush=True)\n"
        "time.sleep(600)\n"
    ).replace("CALL", call)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    caller = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    )
    assert caller.stdout is not None
    number = int(caller.stdout.readline())
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    end = time.monotonic() + LONG
    while alive(number) and time.monotonic() < end:
        time.sleep(0.1)
    assert not alive(number)
    assert not (tmp_path / "told").exists()


def alive(number: int) -> bool:
    """Whether a process has neither ended nor waits to be buried."""
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
