"""The record of a run as TensorBoard's event files, for those who watch their trainings there. Needs its package."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.lab.metrics import Line
from ludus.methods.base import TAKEN


def require_tensorboard() -> None:
    """LudusError if the package is not there."""
    try:
        import tensorboard.summary.writer.event_file_writer  # noqa: F401
    except ImportError:
        raise LudusError("--tensorboard needs one more package: pip install 'ludus[tensorboard]'") from None


class Events:
    """Writes lines of a record as scalars, into a new event file of a folder."""

    def __init__(self, folder: Path, games: int) -> None:
        require_tensorboard()
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._event, self._summary = Event, Summary
        try:
            self._writer = EventFileWriter(str(folder))
            if games:
                # TensorBoard then forgets what earlier files said of later games, which this run says again.
                self._writer.add_event(Event(step=games + 1, session_log=SessionLog(status=SessionLog.START)))
        except OSError as error:
            raise LudusError(f"can't write to {folder}: {error.strerror}") from error

    def add(self, line: Line) -> None:
        """Write one line."""
        words = ["games_per_second", *(word for word in line if word not in TAKEN)]
        scalars: dict[str, Any] = {f"learning/{word}": line[word] for word in words}
        for row in line.get("opponents", ()):
            scalars[f"win_rate/{row['name']}"] = row["win_rate"]
            scalars[f"points_per_game/{row['name']}"] = row["points_per_game"]
        values = [self._summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        event = self._event(step=line["games"], wall_time=time.time(), summary=self._summary(value=values))
        try:
            self._writer.add_event(event)
        except OSError as error:
            raise LudusError(f"can't write events for TensorBoard: {error.strerror}") from error

    def close(self) -> None:
        """Write what is still waiting."""
        self._writer.close()
