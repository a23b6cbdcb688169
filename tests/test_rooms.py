"""The plan of the house, checked: imports go one way, functions stay small, and what is public says what it does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import rooms

EDGES = rooms.imports()
Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_no_room_imports_from_one_below_it() -> None:
    assert rooms.upward(EDGES) == []


def test_no_modules_import_each_other_not_even_inside_functions() -> None:
    assert rooms.cycles(EDGES) == []


def test_the_checks_see_what_is_wrong() -> None:
    assert rooms.upward({"games.ludo": {"papers.ludo"}}) == ["games.ludo → papers.ludo"]
    assert rooms.upward({"attic": set()}) == ["attic lies in no room of the list"]
    assert rooms.cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_imports_inside_functions_are_seen() -> None:
    # `ludus play` imports the lab only when somebody trains from its menu.
    assert "lab" in EDGES["play.menu"]


def test_the_picture_in_the_docs_is_that_of_today() -> None:
    picture = rooms.SOURCE.parent.parent / "docs" / "pictures" / "rooms.svg"
    assert picture.read_text() == rooms.draw(EDGES), "draw it again: python tools/rooms.py docs/pictures/rooms.svg"


# --- functions -------------------------------------------------------------------------------------------------------

MOST_PARAMETERS = 8


def functions(path: Path) -> Iterator[tuple[Function, bool]]:
    """All functions of a file, and whether each is public: reached by names without an underscore, and not nested in another."""

    def walk(node: ast.AST, public: bool) -> Iterator[tuple[Function, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                yield child, public and not child.name.startswith("_")
                yield from walk(child, False)
            elif isinstance(child, ast.ClassDef):
                yield from walk(child, public and not child.name.startswith("_"))
            else:
                yield from walk(child, public)

    yield from walk(ast.parse(path.read_text()), True)


FILES = sorted(rooms.SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(rooms.SOURCE)))
def test_functions_have_few_parameters_and_public_ones_a_docstring(path: Path) -> None:
    for function, public in functions(path):
        where = f"{path.name}:{function.lineno} {function.name}"
        a = function.args
        assert len(a.posonlyargs) + len(a.args) + len(a.kwonlyargs) <= MOST_PARAMETERS, f"{where}: use a small tuple"
        typed_only = any(isinstance(d, ast.Name) and d.id == "overload" for d in function.decorator_list)
        assert not public or typed_only or ast.get_docstring(function), f"{where} has no docstring"
