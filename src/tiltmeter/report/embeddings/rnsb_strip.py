"""The strip: RNSB of each embedding beside what ordinary words drawn by chance get."""

from __future__ import annotations

from collections.abc import Iterable

from tiltmeter.report.embeddings.axis import Axis, axis_for
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.rows import Row, lists_of, names_of, rows_of
from tiltmeter.report.embeddings.tracks import (
    END,
    START,
    Panel,
    Track,
    banded,
    dotted,
    grid,
    spanned,
    upright,
)
from tiltmeter.report.embeddings.units import p_told, rnsb_told

CHANCE = 0.05
"""The largest p that counts as more uneven than ordinary words."""


def rnsb_panels(material: EmbeddingMaterial) -> list[Panel]:
    """A panel for each list, a row for each embedding, all on one scale, the most uneven first."""
    rows = rows_of(material.rnsb)
    axis = axis_for(_reach(rows), START, END, least=0.001, many=3)
    order = sorted(names_of(material), key=lambda name: -_mean(rows, name))
    panels = []
    for of, title in lists_of(material).items():
        own = {str(row["embedding"]): row for row in rows if row["list"] == of}
        tracks = tuple(_track(own[name], axis) for name in order if name in own)
        panels.append(Panel(title, axis, ("even", "more uneven"), tracks))
    return panels


def beyond(row: Row) -> bool | None:
    """Whether terms are more uneven than ordinary words mostly are; None where nobody knows."""
    return None if row["p_adjusted"] is None else bool(row["p_adjusted"] <= CHANCE)


def beside_chance(row: Row) -> str:
    """The same in a few words."""
    told = {
        True: "more uneven than ordinary words",
        False: "no difference from ordinary words detected",
    }
    more = beyond(row)
    return "" if more is None else f"{told[more]}, {p_told(row['p_adjusted'])}"


def _reach(rows: Iterable[Row]) -> list[float | None]:
    return [row[name] for row in rows for name in ("rnsb", "high", "even_high")]


def _mean(rows: Iterable[Row], name: str) -> float:
    own = [row["rnsb"] for row in rows if row["embedding"] == name and row["rnsb"] is not None]
    return sum(own) / len(own) if own else -1.0


def _track(row: Row, axis: Axis) -> Track:
    name = str(row["embedding"])
    if row["rnsb"] is None:
        return Track(name, grid(axis), "–", "", f"refused: {row['reason'] or 'no number'}")
    number, spread = rnsb_told(row["rnsb"], row["low"], row["high"])
    cell = (
        grid(axis)
        + banded(axis, row["even_low"], row["even_high"], "chance")
        + upright(axis, row["by_chance"], "by-chance")
        + spanned(axis, row["low"], row["high"])
        + dotted(axis, row["rnsb"], "hollow" if beyond(row) is False else "")
    )
    missing = row["n_terms"] - row["n_found"]
    about = f"without {missing} of {row['n_terms']} terms" if missing else ""
    return Track(name, cell, number, spread, beside_chance(row) or "not held against chance",
                 about=about)  # fmt: skip
