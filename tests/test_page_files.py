"""The files of the page, without a browser: they fit together, load nothing from elsewhere, and are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ludus

PAGE = Path(ludus.__file__).parent / "web" / "page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
OURS = [path for path in FILES if path.suffix in (".js", ".css", ".html") and path.parent.name != "vendor"]
MODULES = [path for path in OURS if path.suffix == ".js"]

_import = re.compile(r'import\s*\{([^}]*)\}\s*from\s*"([^"]+)"')
_export = re.compile(r"^export (?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def exports(path: Path) -> set[str]:
    """The names that a module offers. In a bundle they stand in one list at its end: `export{a as h,b as html}`."""
    text = path.read_text()
    if path.parent.name == "vendor":
        return {each.split()[-1] for each in re.findall(r"export\{([^}]*)\}", text)[-1].split(",")}
    return set(_export.findall(text))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_what_a_module_imports_is_there_and_used(path: Path) -> None:
    text = path.read_text()
    for names, source in _import.findall(text):
        module = (path.parent / source).resolve()
        assert module.is_file(), f"{source} is missing"
        for name in filter(None, map(str.strip, names.split(","))):
            assert name in exports(module), f"{source} does not export {name}"
            assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{name} is imported and not used"


def test_what_the_first_file_links_to_is_there() -> None:
    links = re.findall(r'(?:href|src)="([^"#]+)"', (PAGE / "index.html").read_text())
    assert links
    assert [link for link in links if not (PAGE / link).is_file()] == []


def test_the_page_has_no_script_or_style_in_its_html() -> None:
    # The content security policy refuses both.
    text = (PAGE / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text) == []


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.relative_to(PAGE).as_posix())
def test_nothing_is_loaded_from_elsewhere(path: Path) -> None:
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)\S+", path.read_text()) == []


def test_the_whole_page_is_less_than_400_kb() -> None:
    assert sum(path.stat().st_size for path in FILES) < 400_000
