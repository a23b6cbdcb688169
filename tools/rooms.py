"""The rooms of ludus and who imports whom: checks that imports go one way, and draws the picture of docs/architecture.md.

    python tools/rooms.py                              # check, and list the edges
    python tools/rooms.py docs/pictures/rooms.svg      # check, and draw

Imports inside functions count like any other: a cycle is a cycle, wherever it hides. Registries that find things by name are
not imports; they are how a room is reached from above without being known there.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "ludus"

# A room may import only from rooms before it.
ORDER = (
    "errors", "files", "names", "showing", "system", "quantities", "spec", "waiting", "kernel", "scale", "contract", "games", "batch", "nets", "search", "players", "methods",
    "matches", "bench", "lab", "papers", "comparing", "adapters", "play", "analysing", "records", "ggp", "web", "cli",
)  # fmt: skip
FOUNDATION = ("errors", "files", "names", "showing", "system", "quantities", "spec", "waiting")  # drawn as one
ROOT = ("__init__", "__main__")  # the front door: finds everything by name


def modules() -> dict[str, Path]:
    """All modules of the package, by their dotted name without `ludus.`; a package by its own name."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def imports() -> dict[str, set[str]]:
    """For each module the modules of ludus that it imports, at the top, inside functions or for types."""
    known = modules()
    edges: dict[str, set[str]] = {}
    for name, path in known.items():
        edges[name] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ludus":
                base = node.module.removeprefix("ludus").removeprefix(".")
                for alias in node.names:
                    full = f"{base}.{alias.name}" if base else alias.name
                    edges[name].add(full if full in known else base)
            elif isinstance(node, ast.Import):
                edges[name] |= {a.name.removeprefix("ludus.") for a in node.names if a.name.startswith("ludus.")}
        edges[name] -= {name, ""}
    return edges


def room(module: str) -> str:
    """The room that a module lies in."""
    return module.split(".")[0]


def upward(edges: dict[str, set[str]]) -> list[str]:
    """Imports that go against the order of the rooms."""
    place = {name: i for i, name in enumerate(ORDER)}
    wrong = []
    for module, targets in edges.items():
        if room(module) in ROOT:
            continue
        if room(module) not in place:
            wrong.append(f"{module} lies in no room of the list")
            continue
        wrong += [
            f"{module} → {target}"
            for target in sorted(targets)
            if room(target) not in ROOT and place.get(room(target), 99) > place[room(module)]
        ]
    return wrong


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import each other, directly or by way of others (Tarjan's components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in edges.get(node, ()):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            group = []
            while True:
                group.append(stack.pop())
                if group[-1] == node:
                    break
            if len(group) > 1:
                found.append(sorted(group))

    for module in edges:
        if module not in index:
            visit(module)
    return found


def room_edges(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Which rooms import from which."""
    found: dict[str, set[str]] = {name: set() for name in ORDER}
    for module, targets in edges.items():
        if room(module) not in ROOT:
            found[room(module)] |= {room(t) for t in targets} - {room(module), *ROOT}
    return found


# --- the picture -----------------------------------------------------------------------------------------------------

BOX, GAP, ROW = (104, 34), 26, 78


def draw(edges: dict[str, set[str]]) -> str:
    """The rooms as an SVG: each below all that it imports from; only the edges that do not follow from others."""
    rooms = {n: {t for t in ts if t not in FOUNDATION} for n, ts in room_edges(edges).items() if n not in FOUNDATION}
    level: dict[str, int] = {}
    for name in ORDER:
        if name in rooms:
            level[name] = 1 + max((level[t] for t in rooms[name]), default=-1)
    reach: dict[str, set[str]] = {}
    for name in level:
        reach[name] = set().union(*(reach[t] | {t} for t in rooms[name])) if rooms[name] else set()
    direct = {n: {t for t in ts if not any(t in reach[o] for o in ts if o != t)} for n, ts in rooms.items()}
    rows: dict[int, list[str]] = {}
    for name, at in level.items():
        rows.setdefault(at, []).append(name)
    width = max(len(row) for row in rows.values()) * (BOX[0] + GAP) + GAP
    height = (len(rows) + 1) * ROW
    middle: dict[str, tuple[float, float]] = {}
    for at, row in rows.items():
        left = (width - len(row) * (BOX[0] + GAP) + GAP) / 2
        for i, name in enumerate(row):
            middle[name] = (left + i * (BOX[0] + GAP) + BOX[0] / 2, ROW * (at + 1) + BOX[1] / 2)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        'font-family="sans-serif" font-size="15" role="img" aria-label="The rooms of ludus: each imports from those above it">',
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
    ]
    for name, targets in direct.items():
        x, y = middle[name][0], middle[name][1] - BOX[1] / 2
        for target in sorted(targets):
            u, v = middle[target][0], middle[target][1] + BOX[1] / 2
            bend = (y - v) / 2
            out.append(
                f'<path d="M{x:g} {y:g} C{x:g} {y - bend:g} {u:g} {v + bend:g} {u:g} {v:g}" fill="none" stroke="#777" stroke-width="1.3"/>'
            )
    base = (GAP, 14, width - 2 * GAP)
    out.append(
        f'<rect x="{base[0]}" y="{base[1]}" width="{base[2]:g}" height="{BOX[1]}" rx="6" fill="#eee" stroke="#999"/>'
    )
    out.append(
        f'<text x="{width / 2:g}" y="{base[1] + 22}" text-anchor="middle" fill="#333">{", ".join(FOUNDATION)}</text>'
    )
    for name, (x, y) in middle.items():
        out.append(
            f'<rect x="{x - BOX[0] / 2:g}" y="{y - BOX[1] / 2:g}" width="{BOX[0]}" height="{BOX[1]}" rx="6" fill="#e8f0f8" stroke="#0072B2"/>'
            f'<text x="{x:g}" y="{y + 5:g}" text-anchor="middle" fill="#222">{name}</text>'
        )
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    """Check, and draw if a file is named."""
    edges = imports()
    for name, targets in room_edges(edges).items():
        print(f"{name}: {', '.join(t for t in ORDER if t in targets) or '–'}")
    wrong = [f"upwards: {edge}" for edge in upward(edges)] + [f"cycle: {' ↔ '.join(group)}" for group in cycles(edges)]
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(draw(edges))
        print(f"drawn: {sys.argv[1]}")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
