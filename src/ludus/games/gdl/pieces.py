"""Pieces of rulesheets, drawn by their names: colours and roles as discs, chess pieces by their signs, x and o as such, the rest as tiles with words."""

from __future__ import annotations

from collections.abc import Iterable

from ludus.games.svg import box, length, write

# By colour: light, body, rim, and what is written on it.
_FACE = {
    "white": ("#fffaf0", "#e6d6b8", "#a88f66", "#3a2a18"),
    "black": ("#5a5560", "#26232b", "#0d0c10", "#f4ead8"),
    "red": ("#f7b0a8", "#cf3a2b", "#6e1410", "#fff"),
    "yellow": ("#fff3b0", "#f2c230", "#9a7200", "#5c4300"),
    "green": ("#9fe0a8", "#2f9e44", "#14532d", "#fff"),
    "blue": ("#a9cdfb", "#2f6fd0", "#123a78", "#fff"),
    "orange": ("#ffd2a1", "#e8790c", "#8a4300", "#fff"),
    "purple": ("#e3c1f5", "#8e44ad", "#4e1f63", "#fff"),
}
_OTHERS = ("white", "black", "red", "green", "blue", "yellow")  # of roles that are not called by a colour
_CHESS = {"king": "♚", "queen": "♛", "rook": "♜", "bishop": "♝", "knight": "♞"}
_PLAIN = ("man", "piece", "stone", "disc", "disk", "checker", "pawn")  # names of pieces that need no sign
_SELF = ("at", "here", "position")  # where the only role is
_TILES = {"lit": "#ffd75e", "on": "#ffd75e", "gold": "#f2c230", "wall": "#8a5a33", "full": "#8a5a33"}
_TILE = "#f2e2c4"
_INK = "#3a2a18"


def is_tile(word: str, roles: tuple[str, ...]) -> bool:
    """Whether a name is shown as a tile with that name on it.

    >>> [is_tile(word, ("white", "black")) for word in ("white man", "x", "gold")]
    [False, False, True]
    """
    return _letter(word, roles) == "" and _colour(word, roles) == ""


def _letter(word: str, roles: tuple[str, ...]) -> str:
    """x or o, where a name stands for one of them."""
    return word[0] if word in ("x", "o", *(role for role in roles if role in ("xplayer", "oplayer"))) else ""


def _colour(word: str, roles: tuple[str, ...]) -> str:
    """The colour of a piece, by what it or its role is called."""
    if word in _SELF and len(roles) == 1:
        return _OTHERS[0]
    parts = word.split()
    for part in parts:
        if part in _FACE:
            return part
    owners = [i for i, role in enumerate(roles) if role in parts]
    if owners:
        return _OTHERS[owners[0] % len(_OTHERS)]
    return _OTHERS[0] if any(part in _CHESS for part in parts) else ""


def definitions(key: str, words: Iterable[str], roles: tuple[str, ...]) -> list[str]:
    """The paints that some pieces need."""
    out = []
    for colour in sorted({_colour(word, roles) for word in words} - {""}):
        light, body, rim, _ = _FACE[colour]
        out.append(
            f'<radialGradient id="{key}-{colour}" cx="0.38" cy="0.32" r="0.75"><stop offset="0" stop-color="{light}"/>'
            f'<stop offset="0.65" stop-color="{body}"/><stop offset="1" stop-color="{rim}"/></radialGradient>'
        )
    return out


def draw(key: str, word: str, roles: tuple[str, ...], spot: tuple[float, float, float], shown: str) -> list[str]:
    """A piece at (x, y) in a square of some size; `shown` is the name that a tile has."""
    x, y, size = spot
    if letter := _letter(word, roles):
        return _cross(x, y, 0.27 * size) if letter == "x" else _ring(x, y, 0.27 * size)
    colour = _colour(word, roles)
    if not colour:
        return _tile(word, shown, x, y, size)
    _, _, rim, ink = _FACE[colour]
    r, at = 0.38 * size, f'cx="{length(x)}" cy="{length(y)}"'
    out = [
        f'<circle cx="{length(x)}" cy="{length(y + 2)}" r="{length(r)}" fill="#000" fill-opacity="0.33"/>',
        f'<circle {at} r="{length(r)}" fill="url(#{key}-{colour})" stroke="{rim}"/>',
        f'<circle {at} r="{length(0.72 * r)}" fill="none" stroke="{rim}" stroke-opacity="0.4" stroke-width="1.5"/>',
    ]
    if sign := _sign(word, colour, roles):
        high = round(1.15 * r if len(sign) == 1 else 1.6 * r / len(sign))
        out.append(write(x, y + 0.36 * high, sign, high, ink, "bold"))
    return out


def _sign(word: str, colour: str, roles: tuple[str, ...]) -> str:
    """What is written on a disc: colours are not told apart by everybody, white and black are."""
    parts = roles[0].split() if word in _SELF else word.split()
    if chess := next((part for part in parts if part in _CHESS), ""):
        return _CHESS[chess]
    kind = [part for part in parts if part not in (colour, *roles, *_PLAIN)]
    if kind:
        return "".join(part[:2] for part in kind)[:3]
    owner = next((part for part in parts if part in (colour, *roles)), "")
    return "" if owner in ("white", "black") else owner[:1].upper()


def _cross(x: float, y: float, r: float) -> list[str]:
    shape = f"M{length(x - r)} {length(y - r)}l{length(2 * r)} {length(2 * r)}m0 -{length(2 * r)}l-{length(2 * r)} {length(2 * r)}"
    style = f'fill="none" stroke="#26232b" stroke-width="{length(0.5 * r)}" stroke-linecap="round"'
    return [f'<path d="{shape}" {style}/>']


def _ring(x: float, y: float, r: float) -> list[str]:
    style = f'fill="none" stroke="#8f3b2b" stroke-width="{length(0.5 * r)}"'
    return [f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(1.05 * r)}" {style}/>']


def _tile(word: str, shown: str, x: float, y: float, size: float) -> list[str]:
    side, fill = 0.86 * size, _TILES.get(word, _TILE)
    high = min(0.42 * size, 1.45 * side / max(len(shown), 1))
    ink = "#fff" if fill == _TILES["wall"] else _INK
    return [
        box(x - side / 2, y - side / 2, side, side, fill, 5, 'stroke="#6e5233" stroke-width="1"'),
        write(x, y + 0.34 * high, shown, round(high), ink),
    ]
