"""The report's files: whole, harmless, the same each time, and true to the results."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from comparisons import SEVEN, THREE, World, made
from ludus.comparing.judging import judge
from ludus.comparing.report import latex, markdown, write_report
from ludus.comparing.report.drawings import looks
from ludus.comparing.results import Comparison, Entered

NAMES = ("report.html", "report.md", "report.tex", "games.csv", "cells.csv", "meetings.csv")
FAILING = World(
    {"sarsa": 0.7, "traces": 0.6, "q": 0.5}, games=SEVEN, seeds=3, rounds=3,
    broken={("nim", "traces"): "ValueError: weights are NaN"},
    skipped={("eightpuzzle", "sarsa"): "it needs two seats"},
)  # fmt: skip
FOUND = made(FAILING)
HOSTILE = (
    "</title></style><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    r"\input{/etc/passwd}%&#_{}$^~",
    "`code` | **bold** [a](javascript:1)\n# head",
    "$\\frac{$ $$ \x1b[31m \u202e",
    "=1+1",
)


def written(comparison: Comparison, folder: Path) -> dict[str, str]:
    paths = write_report(comparison, judge(comparison), folder)
    assert [path.name for path in paths] == list(NAMES)
    return {path.name: path.read_text() for path in paths}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return written(FOUND, tmp_path_factory.mktemp("report"))


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in turn, and no id comes twice."""

    EMPTY = ("meta", "br", "wbr", "img")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.append((name, value or ""))
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.targets.append(value or "")
            self.targets += re.findall(r"url\(([^)]*)\)", value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_is_well_formed_and_no_id_comes_twice(texts: dict[str, str]) -> None:
    page = Page(texts["report.html"])
    assert len(page.ids) == len(set(page.ids))
    assert (
        page.tags.count("svg") == len(SEVEN) + 5
    )  # a learning curve a game; differences, profiles, improvement, ratings, radar
    assert page.tags.count("figcaption") >= 10


def test_the_page_needs_nothing_else(texts: dict[str, str]) -> None:
    text = texts["report.html"]
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert not re.search(r"https?:|//|@import|src=", text)
    assert page.targets
    assert all(target.startswith("#") and target[1:] in page.ids for target in page.targets)


def test_the_page_follows_light_and_dark(texts: dict[str, str]) -> None:
    text = texts["report.html"]
    assert "prefers-color-scheme:dark" in text
    drawings = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert not [d for d in drawings if re.search(r"(fill|stroke): #(333333|ffffff|0072b2)", d, flags=re.IGNORECASE)]
    # matplotlib leaves out the colour of what is black: it comes from the style, and is white in the dark.
    assert "figure svg{fill:var(--c6)" in text


def test_the_parts_come_in_their_order(texts: dict[str, str]) -> None:
    titles = (
        "Methods", "By game", "Learning curves", "Performance profiles", "Probability of improvement", "Ratings", "What games demand",
        "What could have been seen", "Costs", "Self-checks", "Failures", "How it was made",
    )  # fmt: skip
    found = re.findall(r"<h2[^>]*>(.*?)</h2>", texts["report.html"])
    assert found == list(titles)
    sentence = judge(FOUND).sentence
    for name in ("report.html", "report.md"):
        assert texts[name].index(sentence[:20]) < texts[name].index("Methods")


def test_failures_are_named_with_their_reasons(texts: dict[str, str]) -> None:
    for name in ("report.html", "report.md", "report.tex"):
        part = texts[name]
        assert "weights are NaN" in part
        assert "it needs two seats" in part
    assert "failed: ValueError: weights are NaN" in texts["cells.csv"]


def test_the_command_and_what_it_was_made_with_are_told(texts: dict[str, str]) -> None:
    assert FOUND.plan["command"] in texts["report.md"]
    for word in ("0123456789abcdef", "made up", "3.11.2", "hidden=10"):
        assert word in texts["report.html"]


def test_the_same_comparison_gives_the_same_bytes(texts: dict[str, str], tmp_path: Path) -> None:
    assert written(made(FAILING), tmp_path) == texts


def test_games_csv_reads_back_to_the_same_scores(texts: dict[str, str]) -> None:
    rows = list(csv.DictReader(texts["games.csv"].splitlines()))
    seen = {
        (row["game"], row["method"], int(row["seed"]), int(row["games"]), row["opponent"], int(row["round"]), int(row["seat"])): float(row["score"])
        for row in rows
    }  # fmt: skip
    assert len(seen) == len(rows)
    count = 0
    for (game, method, seed), cell in FOUND.cells.items():
        for point in cell.points:
            for opponent, scores in point.scores.items():
                count += scores.size
                for (turn, seat), score in np.ndenumerate(scores):
                    assert seen[game, method, seed, point.games, opponent, turn + 1, seat] == score
    assert count == len(rows)


def test_cells_csv_reads_back_to_the_same_points(texts: dict[str, str]) -> None:
    rows = [row for row in csv.DictReader(texts["cells.csv"].splitlines()) if row["games"]]
    points = [(cell, at) for cell in FOUND.cells.values() for at in range(len(cell.points))]
    for row, (cell, at) in zip(rows, points, strict=True):
        point = cell.points[at]
        assert (row["game"], row["method"], int(row["seed"])) == (cell.game, cell.method, cell.seed)
        assert (int(row["games"]), int(row["positions"])) == (point.games, point.positions)
        assert float(row["seconds"]) == cell.seconds[at]
        assert float(row["score"]) == FOUND.normalised(cell.game, point).mean()


def test_meetings_csv_reads_back_to_the_same_shares(texts: dict[str, str]) -> None:
    rows = list(csv.DictReader(texts["meetings.csv"].splitlines()))
    assert [float(row["share"]) for row in rows] == [x for each in FOUND.meetings for x in each.shares.ravel().tolist()]


# --- names that want to be more than names ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    broken = {("nim", HOSTILE[0]): HOSTILE[1], ("nim", HOSTILE[2]): HOSTILE[2]}
    world = World(dict.fromkeys(HOSTILE, 0.6), games=THREE, seeds=2, rounds=2, broken=broken)
    return written(made(world), tmp_path_factory.mktemp("hostile"))


def test_names_are_no_markup_in_the_page(hostile: dict[str, str]) -> None:
    page = Page(hostile["report.html"])
    assert not {"script", "img"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert any("<script>alert(1)</script>" in words for words in page.words)
    assert "\x1b" not in hostile["report.html"]
    assert "\u202e" not in hostile["report.html"]


def test_names_are_no_markup_in_markdown(hostile: dict[str, str]) -> None:
    # Lines that begin with four spaces are code, and shown as they are.
    text = "\n".join(line for line in hostile["report.md"].splitlines() if not line.startswith("    "))
    assert "<script" not in text
    assert "<img" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    for line in tables:
        assert len(re.findall(r"(?<!\\)\|", line)) >= 3
    assert not re.search(r"(?<!\\)\[a(?<!\\)\]\(", text)
    assert not re.search(r"^# head", text, flags=re.MULTILINE)


def test_rows_of_a_table_in_markdown_have_as_many_cells_as_its_head(hostile: dict[str, str]) -> None:
    width = None
    for line in hostile["report.md"].splitlines():
        if not line.startswith("|"):
            width = None
            continue
        cells = len(re.findall(r"(?<!\\)\|", line))
        width = width or cells
        assert cells == width


def check_latex(text: str) -> None:
    """Braces close, environments close, rows have as many cells as their table has columns, and no command is there but ours."""
    ours = {
        "begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "textbf", "resizebox", "ifdim", "width", "linewidth", "else",
        "fi", "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar", "textquotedbl", "textquotesingle",
        "textasciigrave", "times", "ldots", "alpha", "lambda", "frac", "rightarrow", "leq", "geq",
    }  # fmt: skip
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    body = "\n".join(lines)
    assert set(re.findall(r"\\([A-Za-z]+)", body.replace(r"\\", ""))) <= ours
    bare = re.sub(r"\\[\\{}$&#%_]", "", body)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert not re.search(r"[#~^](?!2\$)", bare)
    assert not re.search(r"%(?!\n)", bare)  # but that at the end of a line of ours
    assert re.findall(r"\\begin\{(\w+)\}", body).count("tabular") == re.findall(r"\\end\{(\w+)\}", body).count(
        "tabular"
    )
    columns = 0
    for line in lines:
        if found := re.match(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", line):
            columns = len(found[1])
        if line.endswith(r" \\"):
            assert len(re.findall(r"(?<!\\)&", line)) == columns - 1
    assert all(ord(letter) < 0x180 for letter in body)


def test_latex_is_sound(texts: dict[str, str]) -> None:
    check_latex(texts["report.tex"])
    assert texts["report.tex"].count(r"\toprule") >= 8


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("whose", ["texts", "hostile"])
def test_latex_compiles(whose: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The tables, put into a paper as their first lines say."""
    report: str = request.getfixturevalue(whose)["report.tex"]
    (tmp_path / "report.tex").write_text(report)
    packages = re.findall(r"\\usepackage(?:\[\w+\])?\{\w+\}", report)
    paper = "\\documentclass{article}" + "".join(packages) + "\\begin{document}\\input{report}\\end{document}"
    (tmp_path / "paper.tex").write_text(paper)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def test_names_are_no_commands_in_latex(hostile: dict[str, str]) -> None:
    check_latex(hostile["report.tex"])
    assert r"\textbackslash{}input\{/etc/passwd\}\%\&\#\_\{\}\$" in hostile["report.tex"]
    comments = [line for line in hostile["report.tex"].splitlines() if line.startswith("%")]
    assert len(comments) == 2  # a name with a line break does not leave its comment


@pytest.mark.parametrize("letter", list(latex.SPECIAL))
def test_each_special_letter_of_latex_is_written_out(letter: str) -> None:
    assert latex.escaped(f"a{letter}b") == f"a{latex.SPECIAL[letter]}b"


def test_csv_keeps_names_as_they_are(hostile: dict[str, str]) -> None:
    rows = csv.DictReader(hostile["games.csv"].splitlines(keepends=True))
    assert {row["method"] for row in rows} == set(HOSTILE)


def test_markdown_writes_every_sign_of_its_own_with_a_backslash() -> None:
    assert markdown.escaped("a|b_c*d`e[f]#") == r"a\|b\_c\*d\`e\[f\]\#"


# --- odd comparisons -------------------------------------------------------------------------------------------------


def test_drawings_tell_methods_apart_without_colours_too() -> None:
    names = [f"examples/methods/a_very_long_name_{number}.py:Method" for number in range(8)]
    found = list(looks(names).values())
    assert len({(str(look.dash), look.marker) for look in found}) == 8
    assert len({look.name for look in found}) == 8


def test_a_report_on_nothing_says_so(tmp_path: Path) -> None:
    broken = {(sheet.name, "a"): "boom" for sheet in THREE}
    found = written(made(World({"a": 0.6}, seeds=2, broken=broken)), tmp_path)
    Page(found["report.html"])
    check_latex(found["report.tex"])
    assert "No training came to its end" in found["report.html"]


def test_curves_of_a_single_point_have_no_speed_to_test(tmp_path: Path) -> None:
    found = made(World({"a": 0.6, "b": 0.6}, games=THREE[:1], seeds=2, rounds=1, meet=False))
    short = {
        key: replace(cell, points=cell.points[-1:], seconds=cell.seconds[-1:]) for key, cell in found.cells.items()
    }
    texts = written(replace(found, cells=short), tmp_path)
    Page(texts["report.html"])
    (pair,) = judge(replace(found, cells=short)).pairs
    assert {each.what for each in pair.differences} == {"end"}


def test_tuning_and_the_hash_of_code_are_told(tmp_path: Path) -> None:
    found = made(World({"a": 0.6}, games=THREE[:1], seeds=2, rounds=1))
    tuned = Entered("a", "a.py:A", {}, "cafe01", tuning={"trials": 20, "best": {"alpha": 0.1}, "seconds": 12.5})
    texts = written(replace(found, methods=(tuned,)), tmp_path)
    for word in ("cafe01", "best: alpha", "12.5"):
        assert word in texts["report.html"]
