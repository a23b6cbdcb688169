"""A program that speaks lines: started when it is first asked, given so long for an answer, started anew after a fault, ended with us.

Some engines go on for ever when nobody talks to them any more. So each has a keeper, a small process that holds one end of a pipe of ours: when
that closes, however we ended, it ends the engine and what the engine started.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import IO, NamedTuple, NoReturn, TypeVar

from ludus.errors import LudusError, NotInstalledError, brief

T = TypeVar("T")

LONGEST = 1 << 16  # characters of a line: more are another line
WAITING = 10_000  # lines that nobody has read yet; then the engine waits
LAST_WORDS = 20  # lines of what it said on stderr that are kept
GRACE = 10.0  # seconds for its last words to arrive, once it has ended
MERCY = 0.5  # seconds to end by itself, once its input is closed

_KEEPER = """
import os, signal, subprocess, sys, threading
try:
    engine = subprocess.Popen(sys.argv[2:], start_new_session=True)
except OSError as error:
    sys.exit(f"it can't be started: {error.strerror}")
def end():
    try:
        os.killpg(engine.pid, signal.SIGKILL)
    except OSError:
        pass
def ended():
    code = engine.wait()
    end()
    os._exit(code if code >= 0 else 128 - code)
threading.Thread(target=ended, daemon=True).start()
for standard in (0, 1, 2):
    os.close(standard)
os.read(int(sys.argv[1]), 1)
end()
os._exit(1)
"""


def command_of(text: str | None, player: str) -> list[str]:
    """The program and its arguments in the path of a player's name. They are split as a shell would; no shell ever sees them.

    >>> import sys
    >>> command_of(f"{sys.executable} -m 'my engine'", "qtp")[1:]
    ['-m', 'my engine']
    """
    if not (text or "").strip():
        raise LudusError(
            f"player '{player}' needs the command of an engine: {player}:COMMAND, as in '{player}:./engine --level 3'"
        )
    try:
        words = shlex.split(text or "")
        found = shutil.which(words[0])
    except ValueError as error:  # a quote without its end, or a name that no file has
        raise LudusError(f"can't read the command in '{player}:{brief(text)}': {error}") from None
    if found is None:
        raise LudusError(f"player '{player}:{brief(text)}': there is no program '{brief(words[0])}' that can be run")
    return [found, *words[1:]]


def installed(program: str, player: str, install: str) -> str:
    """Where a program is that a player needs; NotInstalledError says how to get it."""
    usual = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games", "/usr/local/games"])
    found = shutil.which(program, path=usual)
    if found is None:
        raise NotInstalledError(f"player '{player}' needs the program {program}: {install}")
    return found


class _Running(NamedTuple):
    """An engine that runs, and what it has said."""

    process: subprocess.Popen[str]
    lines: queue.Queue[str | None]  # None: it will say no more
    errors: deque[str]
    end: Callable[..., None]


class Engine:
    """A program that is asked by lines, and answers by lines.

    >>> engine = Engine("echo", [sys.executable, "-c", "print('hello', input())"], patience=60)
    >>> engine.ask("world", lambda line: line.partition("hello ")[2] or None)
    'world'
    """

    def __init__(self, name: str, command: Iterable[str], patience: float) -> None:
        self.name, self.command, self.patience = name, list(command), patience
        self._running: _Running | None = None

    @property
    def running(self) -> bool:
        """Whether it was started, and no fault was found with it since. It may have ended by itself."""
        return self._running is not None

    def start(self) -> None:
        """Start it, unless it runs."""
        if self._running is None:
            self._running = _started(self.command)
            weakref.finalize(self, self._running.end)

    def end(self, mercy: float = MERCY) -> None:
        """End it, after so many seconds if not before. It may be started again."""
        if self._running is not None:
            self._running.end(mercy)
            self._running = None

    def tell(self, line: str) -> None:
        """Send a line that nothing is answered to."""
        self.start()
        assert self._running is not None
        pipe = self._running.process.stdin
        assert pipe is not None
        with contextlib.suppress(OSError):  # it has ended: whoever waits for an answer will notice
            pipe.write(line + "\n")
            pipe.flush()

    def ask(self, line: str, answer: Callable[[str], T | None], patience: float | None = None) -> T:
        """Send a line, and wait for one of which `answer` makes something; others are passed over. LudusError if there is none in time."""
        try:
            self.tell(line)
            return self.hear(line, answer, patience)
        except BaseException:  # Ctrl-C, too: what it would say later is no answer to the next question
            self.end(mercy=0)
            raise

    def hear(self, line: str, answer: Callable[[str], T | None], patience: float | None = None) -> T:
        """Wait for the answer to a line that it was told. Whoever stops listening before has to end it."""
        return self._answered(line, answer, self.patience if patience is None else patience)

    def _answered(self, line: str, answer: Callable[[str], T | None], patience: float) -> T:
        assert self._running is not None
        deadline, last = time.monotonic() + patience, ""
        while True:
            left = deadline - time.monotonic()
            try:
                said = self._running.lines.get(timeout=max(left, 0))
            except queue.Empty:
                left = 0
            if left <= 0:  # it is silent, or talks without end
                heard = f"nothing but '{brief(last)}'" if last else "nothing"
                self.blame(f"said {heard} to '{brief(line)}' within {patience:g} seconds")
            if said is None:
                self.blame(f"{self._ending()} when asked '{brief(line)}'")
            found = answer(said)
            if found is not None:
                return found
            last = said or last

    def _ending(self) -> str:
        """How it came that it says no more."""
        assert self._running is not None
        try:
            return f"ended with code {self._running.process.wait(GRACE)}"
        except subprocess.TimeoutExpired:
            return "closed its output"

    def blame(self, what: str) -> NoReturn:
        """Raise LudusError that says what the engine did wrong, and what it last said on stderr; end it."""
        errors = self._running.errors if self._running is not None else ()
        self.end(mercy=0)
        last = next((line for line in reversed(errors) if line.strip()), None)
        said = "" if last is None else f"; on stderr: {brief(' '.join(last.split()), 200)}"
        raise LudusError(f"player '{brief(self.name)}': the engine {what}{said}")


def _started(command: list[str]) -> _Running:
    lifeline, ours = os.pipe()
    kept = os.name == "posix"
    keeper = [sys.executable, "-I", "-S", "-c", _KEEPER, str(lifeline)] if kept else []
    try:
        process = subprocess.Popen(
            [*keeper, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            pass_fds=[lifeline] if kept else [],
            start_new_session=True,  # Ctrl-C reaches us alone, and we end it
        )
    except OSError as error:
        os.close(ours)
        raise LudusError(f"'{brief(shlex.join(command))}' can't be started: {error.strerror}") from None
    finally:
        os.close(lifeline)
    lines: queue.Queue[str | None] = queue.Queue(WAITING)
    errors: deque[str] = deque(maxlen=LAST_WORDS)
    over, once = threading.Event(), threading.Lock()
    assert process.stdout is not None
    assert process.stderr is not None
    hearing = threading.Thread(target=_hear, args=(process.stderr, errors), daemon=True)
    hearing.start()
    threading.Thread(target=_read, args=(process.stdout, lines, over, hearing), daemon=True).start()

    def end(mercy: float = MERCY) -> None:
        with once:
            if over.is_set():
                return
            over.set()
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(mercy)
        os.close(ours)  # the keeper ends what is left of it
        if not kept:
            process.kill()
        process.wait()
        hearing.join(GRACE)

    return _Running(process, lines, errors, end)


def _read(pipe: IO[str], lines: queue.Queue[str | None], over: threading.Event, hearing: threading.Thread) -> None:
    """Pass on what an engine says, until it ends; when nobody wants to hear it any more, read it all the same, or it would wait for us."""
    for line in _lines(pipe):
        while not over.is_set():
            with contextlib.suppress(queue.Full):
                lines.put(line.rstrip("\r\n"), timeout=0.1)
                break
    hearing.join(GRACE)  # its last words come before the news of its end
    while not over.is_set():
        with contextlib.suppress(queue.Full):
            lines.put(None, timeout=0.1)
            break


def _hear(pipe: IO[str], errors: deque[str]) -> None:
    """Keep an engine's last words on stderr."""
    for line in _lines(pipe):
        errors.append(line)


def _lines(pipe: IO[str]) -> Iterable[str]:
    with pipe, contextlib.suppress(ValueError, OSError):
        while line := pipe.readline(LONGEST):
            yield line
