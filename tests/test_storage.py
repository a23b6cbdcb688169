"""Files of weights: what is written comes back, and anything else is an error that names the file, never another player."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as pack

from ludus.errors import LudusError
from ludus.nets import storage

WEIGHTS = {"w": np.arange(12, dtype=np.float32).reshape(3, 4), "b": np.array([0.5, -0.5], np.float32)}
FACTS = {"kind": "model", "game": "backgammon", "counters": {"games": 100}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    storage.save(path, WEIGHTS, FACTS)
    return path


def test_weights_and_facts_come_back_as_they_were(file: Path) -> None:
    tensors, facts = storage.load(file)
    assert tensors.keys() == WEIGHTS.keys()
    for name, tensor in WEIGHTS.items():
        assert tensors[name].dtype == tensor.dtype
        assert np.array_equal(tensors[name], tensor)
    assert {key: facts[key] for key in FACTS} == FACTS


def test_half_the_room_for_hardly_other_numbers(file: Path, tmp_path: Path) -> None:
    weights = {"w": np.linspace(-9, 9, 4000, dtype=np.float32), "n": np.arange(3)}
    storage.save(file, weights, FACTS)
    storage.halve(file, tmp_path / "half.safetensors")
    tensors, facts = storage.load(tmp_path / "half.safetensors")
    assert tensors["w"].dtype == np.float32
    assert tensors["w"] == pytest.approx(weights["w"], rel=1e-3, abs=1e-6)
    assert np.array_equal(tensors["n"], weights["n"])
    assert {key: facts[key] for key in FACTS} == FACTS
    assert (tmp_path / "half.safetensors").stat().st_size < 0.6 * file.stat().st_size


@pytest.mark.parametrize(
    ("weights", "facts", "words"),
    [
        ({"w": np.array([1e5], np.float32)}, FACTS, "beyond 65,504, in w"),
        (WEIGHTS, FACTS | {"kind": "checkpoint"}, "is no model, but a checkpoint"),
    ],
)
def test_what_can_not_be_halved(weights: dict, facts: dict, words: str, tmp_path: Path) -> None:
    storage.save(tmp_path / "a.safetensors", weights, facts)
    with pytest.raises(LudusError, match=words):
        storage.halve(tmp_path / "a.safetensors", tmp_path / "half.safetensors")
    assert not (tmp_path / "half.safetensors").exists()


def test_what_is_equal_makes_equal_files(file: Path, tmp_path: Path) -> None:
    """safetensors writes its header in any order; twenty times the same one by chance is hardly possible."""
    for number in range(20):
        again = tmp_path / f"{number}.safetensors"
        storage.save(again, dict(reversed(WEIGHTS.items())), dict(reversed(FACTS.items())))
        assert again.read_bytes() == file.read_bytes()


def test_an_array_without_any_axis_stays_one(tmp_path: Path) -> None:
    storage.save(tmp_path / "a", {"w": np.array(2.5)}, FACTS)
    found = storage.load(tmp_path / "a")[0]["w"]
    assert (found.shape, found.item()) == ((), 2.5)


def test_a_file_of_an_older_format_can_be_saved_again(tmp_path: Path) -> None:
    settings = {"method": "traces", "hidden": 40, "games": 100}
    storage.save(tmp_path / "old", WEIGHTS, FACTS | {"format_version": 1, "settings": settings})
    tensors, facts = storage.load(tmp_path / "old")
    assert (facts["settings"], facts["training"]) == ({"hidden": 40}, {"games": 100})
    storage.save(tmp_path / "new", tensors, facts)
    assert storage.load(tmp_path / "new")[1] == facts


def test_other_programs_can_read_the_file(file: Path) -> None:
    from safetensors import safe_open

    with safe_open(file, framework="np") as opened:
        assert json.loads(opened.metadata()["ludus"])["game"] == "backgammon"
        assert np.array_equal(opened.get_tensor("w"), WEIGHTS["w"])


def test_an_array_that_is_a_view_of_another_is_stored_as_what_it_shows(tmp_path: Path) -> None:
    storage.save(tmp_path / "a", {"w": WEIGHTS["w"].T}, FACTS)
    assert np.array_equal(storage.load(tmp_path / "a")[0]["w"], WEIGHTS["w"].T)


def test_a_file_cut_short_anywhere_is_an_error(file: Path) -> None:
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(LudusError, match=r"model\.safetensors"):
            storage.load(file)


def test_a_flipped_bit_anywhere_is_an_error_or_changes_nothing(file: Path) -> None:
    """Blanks that pad the header may change; nothing that is read may."""
    whole = file.read_bytes()
    before = storage.load(file)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0x10
        file.write_bytes(damaged)
        with contextlib.suppress(LudusError):
            tensors, facts = storage.load(file)
            assert facts == before[1]
            assert all(np.array_equal(tensors[name], before[0][name]) for name in before[0])


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "damaged or not a model"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "damaged or not a model"),
        (pack(WEIGHTS), "not written by ludus"),
        (pack(WEIGHTS, {"ludus": "{", "sha256": ""}), "not written by ludus"),
        (pack(WEIGHTS, {"ludus": '{"format_version": 99}', "sha256": ""}), "format version 99"),
        (pack(WEIGHTS, {"ludus": '{"format_version": 1}', "sha256": ""}), "do not match their digest"),
    ],
)
def test_a_foreign_file_is_named_as_such(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "foreign.safetensors"
    path.write_bytes(content)
    with pytest.raises(LudusError, match=complaint) as caught:
        storage.load(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="there is no file"):
        storage.load(tmp_path / "none.safetensors")
    with pytest.raises(LudusError, match=str(tmp_path)):
        storage.load(tmp_path)


# --- writing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_full_disk_leaves_the_old_file_and_no_rubbish(
    file: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = file.read_bytes()
    monkeypatch.setattr(os, failing, full)
    with pytest.raises(LudusError, match="No space left on device") as caught:
        storage.save(file, {"w": np.zeros(1000, np.float32)}, FACTS)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_writer_that_is_interrupted_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    before = file.read_bytes()
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        storage.save(file, {"w": np.zeros(1000, np.float32)}, FACTS)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LudusError, match=str(tmp_path / "file" / "model")):
        storage.save(tmp_path / "file" / "model", WEIGHTS, FACTS)
