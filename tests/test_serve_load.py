"""Many games at once, and the server killed meanwhile: a small run of `tools/serve_load.py`, which does it with 200 games and 50 kills."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent / "tools" / "serve_load.py"


def test_no_acknowledged_move_is_lost_when_the_server_is_killed_among_games() -> None:
    command = [
        sys.executable,
        str(TOOL),
        "--games",
        "12",
        "--seconds",
        "8",
        "--kills",
        "2",
        "--patience",
        "300",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-500:]
    found = json.loads(done.stdout)
    assert found["moves"] > 0
    assert (found["lost_moves"], found["damaged_games"], found["errors"]) == (0, 0, 0)
