"""The shapes on a Ludo board: what is printed on squares, and the signs by which colours are told apart without colour."""

from __future__ import annotations

import math

from ludus.games.svg import length


def circle(x: float, y: float, r: float, fill: str, more: str = "") -> str:
    """A circle; `more` are further attributes."""
    return f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(r)}" fill="{fill}"{" " + more if more else ""}/>'


def star(x: float, y: float, ink: str) -> str:
    """A star, from which pieces jump."""
    points = []
    for i in range(10):
        radius, angle = (12.5, 5.2)[i % 2], math.pi * (i / 5 - 0.5)
        points.append(f"{length(x + radius * math.cos(angle))},{length(y + 0.8 + radius * math.sin(angle))}")
    return (
        f'<polygon points="{" ".join(points)}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"/>'
    )


def shield(x: float, y: float, ink: str) -> str:
    """A shield, for safe squares."""
    shape = f"M{length(x - 9)} {length(y - 9)}q9 0 9 -3q0 3 9 3v7q0 8 -9 13q-9 -5 -9 -13z"
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="1.8" stroke-linejoin="round"/>'


def globe(x: float, y: float, ink: str) -> str:
    """A globe, as ludopy calls its safe squares."""
    r = 11
    shape = (
        f"M{length(x - r)} {length(y)}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0h{2 * r}M{length(x)} {length(y - r)}"
        f"a5 {r} 0 0 0 0 {2 * r}a5 {r} 0 0 0 0 {-2 * r}"
    )
    return f'<path d="{shape}" fill="none" stroke="{ink}" stroke-width="1.6"/>'


def sign(owner: int, x: float, y: float, r: float, more: str) -> str:
    """A colour's sign, as large as a circle of that radius: a disc for red, a triangle for green, a square for yellow, a diamond for blue."""
    if owner == 0:
        return f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(0.82 * r)}" {more}/>'
    if owner == 1:
        corners = [(0.0, -1.0), (0.92, 0.66), (-0.92, 0.66)]
    elif owner == 2:
        corners = [(0.75, 0.75), (-0.75, 0.75), (-0.75, -0.75), (0.75, -0.75)]
    else:
        corners = [(0.0, -1.05), (0.82, 0.0), (0.0, 1.05), (-0.82, 0.0)]
    points = " ".join(f"{length(x + r * right)},{length(y + r * down)}" for right, down in corners)
    return f'<polygon points="{points}" {more}/>'
