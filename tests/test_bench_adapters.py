"""The benchmark of environments: that it steps what it says, and names peers that are not there."""

from __future__ import annotations

import importlib.util

import pytest

from ludus.bench import adapters, openspiel
from ludus.bench import games as bench
from ludus.kernel import JIT


@pytest.mark.skipif(not JIT, reason="takes too long in plain Python")
def test_environments_are_measured(monkeypatch):
    monkeypatch.setattr(adapters, "VECTORS", (("tictactoe", "random"),))
    for part in (adapters, openspiel):
        monkeypatch.setattr(part, "STEPS", 5)
    rows = bench.bench("adapters", seconds=0.001)
    assert [row["name"] for row in rows] == [
        "OpenSpiel, tictactoe",
        "OpenSpiel, backgammon",
        "OpenSpiel, quoridor",
        "openspiel:connect_four in ludus",
        "Gymnasium, 256 games of tictactoe against random",
        "Gymnasium, one game of backgammon against random",
        "PettingZoo, tictactoe",
        "PettingZoo, connectfour",
        "PettingZoo, backgammon",
    ]
    assert all(row["value"] > 0 and row["unit"] == "steps/s" for row in rows)
    for row in rows:
        assert row["peer"].startswith(("PettingZoo ", "OpenSpiel ", "not installed: "))


def test_what_is_not_installed_is_said(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    rows = bench.bench("adapters", seconds=0.001)
    assert [(row["value"], row["peer"]) for row in rows] == [
        (None, "not installed: OpenSpiel"), (None, "not installed: Gymnasium"),
    ]  # fmt: skip
