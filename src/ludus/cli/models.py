"""The commands `ludus models …`: what models there are, what is in one, bringing one here, and taking one elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.options import Json, new_app, print_json, print_list
from ludus.errors import LudusError

app = new_app(no_args_is_help=True, help="Models: the files that learned players play by.")

Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A name that 'ludus models list' shows, a file, or a run's folder.")
]
Folder = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Another folder of models.")]


@app.command("list")
def list_models(folder: Folder = None, as_json: Json = False) -> None:
    """List the models that come with ludus, and those that were fetched.

    \b
    Examples:
      ludus models list
      ludus models list --folder ~/models --json
    """
    from ludus.nets import shelf

    if folder is not None and not folder.is_dir():
        raise LudusError(f"there is no folder {folder}")
    found = shelf.models_in(folder) if folder is not None else shelf.shipped() | shelf.models_in(shelf.folder())
    rows = {name: _about(path) for name, path in found.items()}
    if as_json:
        print_json(rows)
    elif rows:
        print_list((name, _line(row)) for name, row in rows.items())
    else:
        print(f"there are no models in {folder}")


def _about(path: Path) -> dict[str, Any]:
    """What a model says of itself; one that is not good does not keep others from being listed."""
    from ludus.nets import shelf

    try:
        return shelf.about(path)
    except LudusError as error:
        return {"file": str(path), "error": str(error)}


def _line(row: dict[str, Any]) -> str:
    if "error" in row:
        return str(row["error"])
    games = f", {row['games']:,} games" if isinstance(row["games"], int) else ""
    return f"{row['game']}: player {row['player']}, method {row['method']}{games}, {row['bytes'] / 1e6:.2f} MB"


@app.command()
def info(model: Model, as_json: Json = False) -> None:
    """Show what a model is for, how it was made, and what it holds; the file is checked on the way.

    \b
    Examples:
      ludus models info backgammon
      ludus models info runs/first --json
    """
    from ludus.nets import shelf

    row = shelf.about(shelf.find(model))
    if as_json:
        print_json(row)
        return
    tensors = row.pop("tensors")
    print_list((key.replace("_", " "), f"{value:,}" if key in ("bytes", "games", "numbers") and value else str(value)) for key, value in row.items())  # fmt: skip
    for name, (kind, shape) in tensors.items():
        print(f"  {name}: {kind} {' × '.join(map(str, shape))}")


@app.command()
def fetch(
    source: Annotated[str, typer.Argument(metavar="ADDRESS|FILE", help="https://…/model.safetensors, or a file.")],
    name: Annotated[str | None, typer.Option(help="What to call it.  [default: as the file, or its folder]")] = None,
    sha256: Annotated[str | None, typer.Option(metavar="DIGEST", help="What the file's SHA-256 must be.")] = None,
    folder: Folder = None,
) -> None:
    """Bring a model here: it is checked, and kept whole or not at all. Such files hold numbers and words, no code.

    \b
    Examples:
      ludus models fetch https://example.org/strong.safetensors --sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
      ludus models fetch runs/first/model.safetensors --name first
    """
    from ludus.nets import shelf

    path = shelf.fetch(source, name, sha256, folder)
    row = shelf.about(path)
    print(f"{path}: {_line(row)}")
    called = path if folder is not None else path.name.removesuffix(shelf.END)
    print(f"SHA-256 {row['sha256']}; play by it as {row['player']}:{called}")


@app.command()
def export(
    model: Model,
    onnx: Annotated[Path | None, typer.Option("--onnx", metavar="FILE", help="Write it as ONNX.")] = None,
    half: Annotated[
        Path | None, typer.Option("--half", metavar="FILE", help="Write it with numbers of half precision.")
    ] = None,
) -> None:
    """Write a model for other programs, or in half the room. ONNX needs the extra: pip install 'ludus[onnx]'.

    \b
    Examples:
      ludus models export backgammon --onnx backgammon.onnx
      ludus models export runs/mine --half mine.safetensors
    """
    from ludus.nets import shelf, storage
    from ludus.nets.onnx import export as write

    if onnx is None and half is None:
        raise LudusError("say how to write it: --onnx FILE or --half FILE")
    if onnx is not None:
        write(shelf.find(model), onnx)
        print(f"{onnx} written")
    if half is not None:
        storage.halve(shelf.find(model), half)
        print(f"{half} written")
