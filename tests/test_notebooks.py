"""In notebooks: what shows itself, curves that grow while a run goes on, a board to click, and the examples as they stand."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ludus
from ludus import showing
from ludus.errors import LudusError, NotInstalledError
from ludus.lab.notebook import NotebookView, usual_progress
from ludus.lab.progress import Progress
from ludus.play.table import Table

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
TINY = {"games": 40, "evaluation_games": 10, "evaluate_every": 20}


def whole(html: str) -> ET.Element:
    """HTML that is well formed: what a notebook shows as it is meant."""
    return ET.fromstring(f"<div>{html}</div>")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return ludus.train("tictactoe", method="table", out=tmp_path_factory.mktemp("run") / "a", **TINY)


# --- what shows itself -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["backgammon", "ludo", "quoridor", "tictactoe"])
def test_a_position_is_its_board_and_its_text(name: str) -> None:
    position = ludus.game(name).start()
    html = position._repr_html_()
    assert whole(html).find(".//{http://www.w3.org/2000/svg}svg") is not None
    assert position.text.split()[0] in "".join(whole(html).itertext())


def test_a_result_is_a_table_and_a_frame() -> None:
    result = ludus.arena("tictactoe", ["random", "random"], games=10, seed=1, jobs=1)
    words = "".join(whole(result._repr_html_()).itertext())
    assert "tictactoe: 10 games" in words
    assert "random#2" in words
    frame = result.to_frame()
    assert list(frame["player"]) == ["random", "random#2"]
    assert frame["wins"].sum() == 10
    other = result.to_frame("polars")
    assert type(other).__module__.startswith("polars")
    assert other.columns == list(frame.columns)
    assert other["win_rate"].to_list() == list(frame["win_rate"])


def test_an_analysis_is_a_board_and_its_moves() -> None:
    position = ludus.game("tictactoe").start()
    seen = position.analyse("mcts(simulations=20)")
    table = whole(seen._repr_html_()).find(".//tbody")
    assert table is not None
    assert [row[0].text for row in table] == [str(judged.move) for judged in seen.moves]
    assert list(seen.to_frame()["move"]) == [str(judged.move) for judged in seen.moves]
    dice = ludus.game("backgammon").start().analyse("random")
    assert list(dice.to_frame().columns) == ["outcome", "chance"]
    assert "chance is due" in dice._repr_html_()
    end = position
    for move in ("mark 1 1", "mark 2 1", "mark 1 2", "mark 2 2", "mark 1 3"):
        end = end.play(move)
    assert list(end.analyse("random").to_frame()["score"]) == [1.0, 0.0]
    assert "the game is over" in end.analyse("random")._repr_html_()


def test_a_run_is_its_curve_and_its_record(run: Any) -> None:
    assert whole(run._repr_html_()).find(".//{http://www.w3.org/2000/svg}svg") is not None
    assert "40 of 40 games" in run._repr_html_()
    assert sorted(set(run.to_frame()["games"])) == [0, 20, 40]
    assert set(run.to_frame("polars")["opponent"]) == {row["name"] for row in run.evaluations()[0]["opponents"]}


def test_a_game_is_a_picture_that_moves_and_its_steps() -> None:
    table = Table(ludus.game("tictactoe"), seed=1, seats=0, names=["<me>", "random"])
    table.take([table.read("mark 2 2", 0)])
    html = table._repr_html_()
    assert "animate" in html
    assert "1. <me>" in "".join(whole(html).itertext())
    assert list(table.to_frame()["move"]) == ["( mark 2 2 )"]


def test_a_frame_of_what_is_not_installed_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(NotInstalledError, match=r"pip install pandas, or ask for to_frame\('polars'\)"):
        showing.frame([{"a": 1}])
    with pytest.raises(LudusError, match="unknown kind of frame 'panda'; did you mean 'pandas'"):
        showing.frame([{"a": 1}], "panda")


# --- while a run goes on ---------------------------------------------------------------------------------------------


def test_the_view_of_a_training_changes_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    display = pytest.importorskip("IPython.display")
    shown: list[str] = []
    handle = SimpleNamespace(update=lambda html: shown.append(html.data))

    def show(html: Any, display_id: bool) -> Any:
        assert display_id
        shown.append(html.data)
        return handle

    monkeypatch.setattr(display, "display", show)
    ludus.train("tictactoe", method="table", out=tmp_path / "a", progress=NotebookView(), **TINY)
    curves = [html.count("<svg") for html in shown]
    assert curves[0] == 0
    assert curves[-1] == 1
    assert "40 of 40 games, finished" in shown[-1]
    assert len({html for html in shown if "<svg" in html}) >= 3  # a curve for each evaluation
    whole(shown[-1])


def test_a_training_is_silent_where_there_is_no_notebook() -> None:
    assert type(usual_progress()) is Progress


# --- a board to click ------------------------------------------------------------------------------------------------


@pytest.fixture
def board() -> Any:
    pytest.importorskip("anywidget")
    return ludus.widget(ludus.game("backgammon").start().play("31"), seed=1)


def test_clicks_make_a_move_and_the_position_changes(board: Any) -> None:
    heard: list[str] = []
    board.observe(lambda change: heard.append(change["new"].kind), "position")
    assert ["p8", "p5", "8/5", "8 to 5"] in [[*touch[:3], "8 to 5"] for touch in board.touches]
    before = board.svg
    board.hear({"touch": "8/5"})
    assert (heard, board.svg != before, board.can) == ([], True, ["undo"])
    board.hear({"touch": "6/5"})
    assert (heard, board.words, board.touches, board.can) == (["chance"], "Chance is due", [], ["roll", "undo"])
    board.hear({"roll": True})
    assert (heard, board.position.turn) == (["chance", "decision"], 1)


def test_a_touch_and_a_move_can_be_taken_back(board: Any) -> None:
    first = board.position
    board.hear({"touch": "8/5"})
    board.hear({"undo": True})
    assert [touch[2] for touch in board.touches].count("8/5") == 1
    board.hear({"move": "8/5 6/5"})
    assert board.position.kind == "chance"
    board.hear({"undo": True})
    assert (board.position, board.can) == (first, [])


def test_what_can_not_be_done_is_said_on_the_board(board: Any) -> None:
    for message, complaint in (
        ({"touch": "8/4 "}, "can't be touched now"),
        ({"move": "1/2"}, "1/2"),
        ({"roll": True}, "no chance event is due here"),
        ({"dance": 1}, "nobody understands"),
        ("nonsense", "nobody understands"),
    ):
        board.hear(message)
        assert complaint in board.trouble
    board.hear({"touch": "8/5"})
    assert board.trouble == ""


def test_a_board_can_be_set_and_shows_any_game(board: Any) -> None:
    board.position = ludus.game("tictactoe").start()
    assert len(board.moves) == 9
    assert board.can == []
    board.hear({"touch": board.touches[0][2]})
    assert len(board.moves) == 8
    with pytest.raises(LudusError, match="a board shows a position, not str"):
        ludus.widget("backgammon")


def test_without_anywidget_the_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.adapters import notebook

    monkeypatch.setattr(notebook, "_made", None)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(NotInstalledError, match=r"pip install 'ludus\[notebook\]'"):
        ludus.widget(ludus.game("tictactoe").start())


# --- the examples ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_an_example_runs_from_the_first_cell_to_the_last(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    book = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), "examples are kept without outputs"
    client.NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()  # fmt: skip
    shown = json.dumps([output.get("data", {}) for cell in book.cells for output in cell.get("outputs", [])])
    assert "<svg" in shown
    assert (
        "ludus-board" in shown
        or "application/vnd.jupyter.widget-view+json" in shown
        or path.stem == "train_and_compare"
    )
    if path.stem == "train_and_compare":  # the view of the training, which ends with its curve
        first = next(cell for cell in book.cells if cell.cell_type == "code")
        assert "finished" in first.outputs[0]["data"]["text/html"]
