"""Networks and learners on disk: safetensors files with metadata, written whole or not at all, and checked when read.

A file carries a digest of its numbers, so that a flipped bit is an error and never a silently different player.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from ludus.errors import LudusError, brief
from ludus.files import MEGABYTE, read_regular, write_atomically
from ludus.nets import formats

FORMAT = "ludus"
LARGEST = 8_000 * MEGABYTE  # that is read


def _digest(tensors: dict[str, np.ndarray], facts: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


def save(path: Path, tensors: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
    """Write tensors and the facts about them (anything JSON can hold)."""
    from safetensors.numpy import save as pack

    facts = {"format": FORMAT, "format_version": formats.FORMAT, **facts}
    header = {"ludus": json.dumps(facts, sort_keys=True), "sha256": _digest(tensors, facts)}
    write_atomically(path, _in_order(pack({k: np.asarray(v, order="C") for k, v in tensors.items()}, header)))


def _in_order(data: bytes) -> bytes:
    """The same file with a header in alphabetical order, and not in any: what is equal then also is as a file."""
    length = int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8 : 8 + length]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # tensors begin at a multiple of 8 bytes
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


def load(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read tensors and facts back; LudusError if the file is not one of ours, or not whole. Numbers of half precision are read as single ones."""
    return unpacked(read_regular(path, LARGEST), path)


def unpacked(data: bytes, path: Path | str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The tensors and facts of a file's content; `path` is what errors call it."""
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpack

    try:
        tensors = unpack(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")]).get("__metadata__", {})
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise LudusError(f"{path} is damaged or not a model: {brief(error)}") from error
    try:
        facts = json.loads(header["ludus"])
        stated = header["sha256"]
        version = facts["format_version"]
    except (KeyError, ValueError, TypeError, RecursionError):
        raise LudusError(f"{path} is a safetensors file, but was not written by ludus") from None
    if type(version) is not int or version not in range(1, formats.FORMAT + 1):
        raise LudusError(f"{path} has format version {brief(version)}; this ludus reads versions 1 to {formats.FORMAT}")
    if _digest(tensors, facts) != stated:
        raise LudusError(f"{path} is damaged: its numbers do not match their digest")
    for name, tensor in tensors.items():
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            raise LudusError(f"{path} makes no sense: it holds numbers that are not finite, in {brief(name)}")
    if version == 1 and "settings" in facts:
        try:
            # Who saves the facts again saves them in the newest format.
            facts = formats.upgraded(facts) | {"format_version": formats.FORMAT}
        except (KeyError, TypeError, AttributeError) as error:
            raise LudusError(f"{path} makes no sense: its settings are not those of a training ({error})") from None
    return {k: v.astype(np.float32) if v.dtype == np.float16 else v for k, v in tensors.items()}, facts


def halve(source: Path, target: Path) -> None:
    """Write a model's file again with numbers of half precision: half as large, and hardly another player."""
    tensors, facts = load(source)
    if facts.get("kind") != "model":
        raise LudusError(f"{source} is no model, but a {brief(facts.get('kind'))}: it would not go on as it was")
    with np.errstate(over="ignore"):
        halves = {name: np.asarray(t, np.float16 if t.dtype == np.float32 else t.dtype) for name, t in tensors.items()}
    for name, tensor in halves.items():
        if tensor.dtype == np.float16 and not np.isfinite(tensor).all():
            raise LudusError(f"{source} holds numbers beyond 65,504, in {name}: half precision can't hold them")
    save(target, halves, facts)
