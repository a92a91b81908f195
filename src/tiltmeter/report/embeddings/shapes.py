"""Marks that are told apart without colour: circle, triangle, square, diamond, cross."""

from __future__ import annotations

SHAPES = ("circle", "triangle", "square", "diamond", "cross", "down")
SIGNS = {
    "circle": "●", "triangle": "▲", "square": "■", "diamond": "◆", "cross": "✕", "down": "▼"
}  # fmt: skip
"""The same in letters, for a key."""


def mark(shape: str, x: float, y: float, r: float, kind: str = "") -> str:
    """One mark around a point.

    >>> mark("diamond", 10, 10, 4, "a")
    '<path class="a" d="M10 6l4 4-4 4-4 -4z"/>'
    """
    named = f' class="{kind}"' if kind else ""
    if shape == "circle":
        return f'<circle{named} cx="{x:g}" cy="{y:g}" r="{r:g}"/>'
    return f'<path{named} d="{_outline(shape, x, y, r)}"/>'


def _outline(shape: str, x: float, y: float, r: float) -> str:
    x, y = round(x, 1), round(y, 1)
    if shape == "triangle":
        return f"M{x:g} {y - r:g}l{r:g} {2 * r:g}h{-2 * r:g}z"
    if shape == "down":
        return f"M{x:g} {y + r:g}l{r:g} {-2 * r:g}h{-2 * r:g}z"
    if shape == "square":
        return f"M{x - r:g} {y - r:g}h{2 * r:g}v{2 * r:g}h{-2 * r:g}z"
    if shape == "cross":
        return f"M{x - r:g} {y - r:g}l{2 * r:g} {2 * r:g}m0 {-2 * r:g}l{-2 * r:g} {2 * r:g}"
    return f"M{x:g} {y - r:g}l{r:g} {r:g}{-r:g} {r:g}{-r:g} {-r:g}z"
