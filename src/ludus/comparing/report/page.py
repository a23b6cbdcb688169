"""A report as one HTML page that needs nothing else: no script, no file, no network."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from ludus.comparing.judging.figures import plain
from ludus.comparing.report.blocks import Block, Bullets, Command, Document, Grid, Picture, Sure, Text
from ludus.lab.plots import COLOURS, GRID, INK

# Lines keep the colours of all plots; words in a colour are darker, and on a dark page lighter, so that they can be read.
WORDS = ("#005C91", "#A84900", "#00704F", "#A0497C", "#1F72A6", "#8F6200", "#000000")
DARK = ("#56A8E0", "#F08A4B", "#3CC79B", "#E0A0C4", "#8CCBF0", "#F2BC4A", "#FFFFFF")

LONG = 30  # letters of a word that may be broken anywhere


def to_html(document: Document) -> str:
    """The text of report.html."""
    body = "".join(
        f'<section><h2 id="s{number}">{escaped(section.title)}</h2>\n{"".join(map(_block, section.blocks))}</section>\n'
        for number, section in enumerate(document.sections, 1)
    )
    contents = "".join(
        f'<li><a href="#s{number}">{escaped(section.title)}</a></li>\n'
        for number, section in enumerate(document.sections, 1)
    )
    warnings = "".join(f'<p class="warning">{escaped(warning)}</p>\n' for warning in document.warnings)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escaped(document.title)}</title>\n'
        f"<style>{STYLE}</style></head><body><main>\n"
        f'<h1>{escaped(document.title)}</h1>\n<p class="sentence">{escaped(document.sentence)}</p>\n{warnings}'
        f"<nav><ul>\n{contents}</ul></nav>\n{body}</main></body></html>\n"
    )


def escaped(text: str) -> str:
    """A text of which nothing is taken as markup."""
    return html.escape(plain(text))


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return f"<p>{escaped(block.text)}</p>\n"
    if isinstance(block, Command):
        return f"<pre><code>{escaped(block.text)}</code></pre>\n"
    if isinstance(block, Bullets):
        return "<ul>\n" + "".join(f"<li>{escaped(item)}</li>\n" for item in block.items) + "</ul>\n"
    if isinstance(block, Picture):
        drawing = inline(block.svg, block.name, block.title)
        reading = f"<figcaption>{escaped(block.reading)}</figcaption>" if block.reading else ""
        return f'<figure><div class="wide" tabindex="0" role="region" aria-label="{escaped(block.title)}">{drawing}</div>{reading}</figure>\n'
    return _table(block)


def _table(grid: Grid) -> str:
    if not grid.rows:
        return ""

    def row(cells: Sequence[str], tag: str) -> str:
        found = []
        for number, cell in enumerate(cells):
            wide = any(len(word) > LONG for word in cell.split())
            kinds = ["name"] * (number < grid.names) + ["long"] * wide
            kind = f' class="{" ".join(kinds)}"' if kinds else ""
            inner = f"<strong>{escaped(cell)}</strong>" if isinstance(cell, Sure) else escaped(cell)
            scope = ' scope="col"' if tag == "th" else ""
            found.append(f"<{tag}{scope}{kind}>{inner}</{tag}>")
        return f"<tr>{''.join(found)}</tr>\n"

    return (
        f'<figure><div class="wide" tabindex="0" role="region" aria-label="table: {escaped(grid.name)}"><table><thead>{row(grid.heads, "th")}</thead>\n'
        f"<tbody>\n{''.join(row(cells, 'td') for cells in grid.rows)}</tbody></table></div>"
        f"<figcaption>{escaped(grid.reading)}</figcaption></figure>\n"
    )


def inline(svg: str, name: str, title: str) -> str:
    """A drawing of matplotlib as a part of a page: ids that no other drawing has, colours that follow light and dark, and nothing that
    only a file of its own needs.
    """
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", lambda tag: _tag(tag[0], name), text)  # and no words of people between tags
    return text.replace("<svg", f'<svg role="img" aria-label="{escaped(title)}"', 1)


def _tag(tag: str, name: str) -> str:
    tag = re.sub(r'\s+(xmlns(:\w+)?|version)="[^"]*"', "", tag).replace("xlink:href", "href")
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', tag)
    tag = re.sub(r'(href="|url\()#', rf"\1#{name}-", tag)
    return _coloured(tag, "w" if tag.startswith("<text") else "c")


def _coloured(text: str, kind: str) -> str:
    for number, colour in enumerate(COLOURS):
        text = re.sub(rf"(fill|stroke): {colour}\b", rf"\1: var(--{kind}{number})", text, flags=re.IGNORECASE)
    text = re.sub(rf"(fill|stroke): {INK}\b", r"\1: var(--ink)", text, flags=re.IGNORECASE)
    # What is black matplotlib does not write down, as it is SVG's own colour: the style of all drawings has that.
    text = text.replace("fill: #ffffff", "fill: none")  # the page shows through
    return re.sub(rf"(fill|stroke): {GRID}\b", r"\1: var(--line)", text, flags=re.IGNORECASE)


def _variables(lines: tuple[str, ...], texts: tuple[str, ...]) -> str:
    both = [("c", lines), ("w", texts)]
    return ";".join(f"--{kind}{number}:{colour}" for kind, colours in both for number, colour in enumerate(colours))


STYLE = f"""
:root{{color-scheme:light dark;--ink:#222;--soft:#5c5c5c;--line:#ddd8cc;--paper:#fbfaf7;--box:#f0ece0;--rule:#8a7f66;{_variables(COLOURS, WORDS)}}}
@media (prefers-color-scheme:dark){{:root{{--ink:#e8e6e1;--soft:#aaa69c;--line:#3d3b36;--paper:#1b1a18;--box:#2a2825;--rule:#9a8f76;{_variables(DARK, DARK)}}}}}
@media print{{:root{{--ink:#000;--soft:#333;--line:#ccc;--paper:#fff;--box:#f4f4f4;--rule:#555;{_variables(COLOURS, WORDS)}}}nav{{display:none}}}}
*{{box-sizing:border-box}}
body{{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0}}
main{{max-width:66rem;margin:2rem auto;padding:0 1.2rem}}
h1{{overflow-wrap:anywhere;font-size:1.5rem;line-height:1.25;margin-bottom:.4rem}}
h2{{font-size:1.2rem;margin:2.2rem 0 .4rem;border-bottom:1px solid var(--line)}}
.sentence{{font-size:1.25rem;line-height:1.4;margin:.6rem 0 1rem;overflow-wrap:anywhere}}
.warning{{background:var(--box);border-left:.3rem solid #d55e00;padding:.5rem .8rem;margin:.6rem 0;overflow-wrap:anywhere}}
nav ul{{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;font-size:.9rem}}
a{{color:var(--w0)}}
.wide{{overflow-x:auto}}
table{{border-collapse:collapse;min-width:100%;font-size:.84rem;font-variant-numeric:tabular-nums}}
th,td{{padding:.35rem .4rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top;white-space:nowrap}}
th{{white-space:normal;border-bottom:2px solid var(--rule);vertical-align:bottom}}
.name{{text-align:left;white-space:normal}}
.long{{overflow-wrap:anywhere;min-width:11rem}}
figure{{margin:1rem 0 1.6rem;break-inside:avoid}}
figure svg{{fill:var(--c6);display:block;max-width:100%;height:auto;min-width:34rem}}
figcaption{{color:var(--soft);font-size:.9rem;margin-top:.3rem}}
pre{{background:var(--box);padding:.7rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}}
li{{overflow-wrap:anywhere}}
@page{{size:A4 landscape;margin:12mm}}
@media print{{body{{font-size:10pt}}.wide{{overflow:visible}}td{{white-space:normal}}main{{max-width:none;margin:0}}table{{font-size:7.5pt}}th,td{{padding:.15rem .3rem}}figure svg{{min-width:0}}h2{{break-after:avoid}}}}
"""
