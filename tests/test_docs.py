"""What the docs show works as it stands there: the method of docs/methods.md, typed into a file, learns and plays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ludus
from ludus.cli.main import main

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder with the file that the page tells its reader to save."""
    found = re.search(r"```python\n(.*?)```", (DOCS / "methods.md").read_text(), re.DOTALL)
    assert found is not None
    folder = tmp_path_factory.mktemp("newcomer")
    (folder / "lineartd.py").write_text(found[1])
    return folder


def run(line: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 0


TINY = "--games 60 --set evaluation_games=20 --set evaluate_every=60"


def test_it_trains_sweeps_and_plays_as_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(folder)
    run(f"train backgammon --method lineartd.py:LinearTD {TINY} --out runs/linear")
    assert Path("runs/linear/curve.png").exists()
    capsys.readouterr()
    run("arena backgammon run:runs/linear(method=lineartd.py:LinearTD) random --games 20")
    assert "run:runs/linear" in capsys.readouterr().out
    run("methods lineartd.py:LinearTD")
    assert "share of random moves" in capsys.readouterr().out
    run(
        "sweep backgammon --method lineartd.py:LinearTD --over rate=0.01,0.02 --games 20 --set evaluation_games=4 --out sweeps/linear"
    )
    assert Path("sweeps/linear/curves.png").exists()


def test_it_learns_backgammon(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 3,000 games it beats a random player; at the beginning, when all moves are worth the same to it, it does not."""
    monkeypatch.syspath_prepend(str(folder))
    from lineartd import LinearTD  # type: ignore[import-not-found]

    method = LinearTD().begin(ludus.game("backgammon"), seed=1, games=3_000)
    before = ludus.arena("backgammon", [method.player(), "random"], games=400, seed=1).rows[0].win_rate
    while method.games < method.total:
        method.advance()
    after = ludus.arena("backgammon", [method.player(), "random"], games=400, seed=1).rows[0].win_rate
    assert after > before
    assert after > 0.75
