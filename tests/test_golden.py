"""Encodings, views and schemes show what they showed when their models learned, or say that they are of another version."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import goldens
from goldens import Subject, check, compute, differences, positions, read, subjects, write
from ludus.contract import views
from ludus.games.backgammon.features import Raw
from ludus.kernel import implements
from ludus.papers.ludo.schemes import Alhajry

SUBJECTS = {f"{s.label}-{s.name}": s for s in subjects()}


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_is_shown_is_what_the_golden_file_says(name):
    check(SUBJECTS[name])


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_golden_file_has_enough_to_tell(name):
    golden = read(SUBJECTS[name])
    assert len(golden["states"]) >= 40
    assert len(np.unique(golden["states"], axis=0)) >= 30
    if SUBJECTS[name].kind == "scheme":
        assert len(set(golden["action"].tolist())) >= 5
        assert len(set(golden["reward"].tolist())) >= 5
    else:
        assert len(set(golden["index"].tolist())) >= min(golden["shape"][1] // 3, 100)
    if SUBJECTS[name].kind == "encoding":
        assert set(golden["section"].tolist()) == set(range(golden["shape"][0]))  # positions for all of its networks


def test_all_that_is_offered_has_a_golden_file():
    written = {path.stem.rpartition("-")[0] for path in goldens.FOLDER.glob("*.npz")}
    assert written == set(SUBJECTS)
    assert sum(path.stat().st_size for path in goldens.FOLDER.iterdir()) < 300_000


# --- changes are noticed ---------------------------------------------------------------------------------------------


class Shifted(NamedTuple):
    """TD-Gammon's inputs, with one of them a little larger than it was: by `by`."""

    by: float = 0.01
    version: int = 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        return Raw().shape(game)


@implements(views.features, Shifted)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    count = views.features(Raw(2), game, state, index, value)
    value[0] += encoding.by
    return count


@implements(views.outcome, Shifted)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    views.outcome(Raw(2), game, state, out)


@implements(views.worth, Shifted)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    views.worth(Raw(2), game, prediction, out)


class Generous(NamedTuple):
    """The scheme of a paper, but with a better reward."""

    version: int = 1


@implements(views.options, Generous)
def _(scheme: Any, game: Any, state: Any, seat: int, rng: Any, rows: Any, actions: Any, listed: Any) -> int:
    return views.options(Alhajry(), game, state, seat, rng, rows, actions, listed)


@implements(views.prospects, Generous)
def _(scheme: Any, game: Any, now: Any, seat: int, move: int, rows: Any, actions: Any) -> int:
    return views.prospects(Alhajry(), game, now, seat, move, rows, actions)


@implements(views.reward, Generous)
def _(scheme: Any, game: Any, before: Any, seat: int, action: int, move: int, after: Any, now: Any) -> float:
    return views.reward(Alhajry(), game, before, seat, action, move, after, now) + 0.05


def test_an_encoding_that_changed_is_noticed():
    raw = SUBJECTS["backgammon-raw"]
    check(raw._replace(shown=Shifted(0.0)))
    with pytest.raises(AssertionError, match=r"raw of backgammon changed \(value\).*raise its version.*goldens.py"):
        check(raw._replace(shown=Shifted(0.01)))


def test_a_scheme_that_changed_is_noticed():
    with pytest.raises(AssertionError, match=r"alhajry of ludo-scheme changed \(reward\)"):
        check(SUBJECTS["ludo-scheme-alhajry"]._replace(shown=Generous()))


def test_a_version_without_its_file_is_noticed():
    with pytest.raises(AssertionError, match=r"no golden file backgammon-raw-2\.npz; write it with"):
        check(SUBJECTS["backgammon-raw"]._replace(shown=Shifted(version=2)))


@pytest.mark.parametrize("name", ["backgammon-rich", "quoridor-view-cuts", "ludo-scheme-rossen"])
def test_whatever_changes_is_named(name):
    golden = read(SUBJECTS[name])
    found = compute(SUBJECTS[name], golden)
    assert differences(golden, found) == []
    for part, array in found.items():
        other = array.copy()
        other.flat[-1] += 1
        assert differences(golden, found | {part: other}) == [part]
        assert differences(golden, found | {part: array[:-1]}) == [part]


def test_a_new_version_replaces_the_file_of_the_old_one(tmp_path, monkeypatch):
    monkeypatch.setattr(goldens, "FOLDER", tmp_path)
    old: Subject = SUBJECTS["tictactoe-propositions"]
    write(old)
    check(old)
    assert all(np.array_equal(array, read(old)[name]) for name, array in positions(old).items())
    write(old._replace(shown=NewPropositions()))
    assert [path.name for path in tmp_path.iterdir()] == ["tictactoe-propositions-2.npz"]


class NewPropositions(NamedTuple):
    """Propositions of another version."""

    version: int = 2

    def shape(self, game: Any) -> tuple[int, int, int]:
        return game.encodings()["propositions"].shape(game)


@implements(views.features, NewPropositions)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    index[0], value[0] = 0, 1
    return 1


@implements(views.outcome, NewPropositions)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    out[:] = 0


@implements(views.worth, NewPropositions)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    out[:] = 0
