r"""The tables of a rating for papers, as Lakkaraju et al. (2023) print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.ratings.cards import is_alone
from tiltmeter.report.ratings.latex_effects import effect_latex_tables
from tiltmeter.report.ratings.latex_layout import (
    DAGGER,
    Key,
    in_lines,
    laid_out,
    name_cell,
    name_column,
    names,
    printed,
)
from tiltmeter.report.ratings.latex_t_values import t_latex_tables
from tiltmeter.report.ratings.material import DISCRETISED, OVERALL, RatingMaterial
from tiltmeter.report.ratings.tables import column_names, raw_scores
from tiltmeter.report.tables.latex_text import escaped, table_row

FEW, SHORT = 8, 120
"""Systems, and characters of their names, that one cell of a partial order holds."""
MEASURES = {"wrs": "WRS", "die": r"DIE\,\%", "ate": r"ATE, change in\,\%"}
SCORES = {
    "continuous": "Scores as the systems give them.",
    DISCRETISED: f"Scores discretised ({DAGGER}): 1 from 0 on, else 0.",
}
NOT_RATED = "A dash: not rated; the file of raw scores says why."


def rating_latex(material: RatingMaterial) -> dict[str, str]:
    """Every table for papers, by its file's name without an ending."""
    tables = {}
    for variant in material.variants:
        tables[f"ratings-{variant}"] = ratings_latex(material, variant)
        tables[f"raw-scores-{variant}"] = order_latex(material, variant)
    return tables | t_latex_tables(material) | effect_latex_tables(material)


def ratings_latex(material: RatingMaterial, variant: str) -> str:
    """Like the paper's Tables 6 and 7: ratings of each column and overall, with their spread."""
    columns, told = column_names(material), names(material)
    cells = {
        (row["system"], row["task"], row["column"]): row
        for row in material.raw.filter(variant=variant).to_dicts()
    }
    rows = [
        table_row(
            name_cell(told, (row["system"], row["task"]), variant),
            *(_rating(cells.get((row["system"], row["task"], one)), "rating") for one in columns),
            _rating(row, OVERALL),
        )
        for row in material.overall.filter(variant=variant).to_dicts()
    ]
    heads = ["System", *map(printed, columns), "Overall"]
    layout = name_column(told) + "r" * (len(columns) + 1)
    caption = _rating_caption(material, variant)
    return laid_out(
        f"ratings-{variant}", layout, [heads], [rows], caption, tight=material.repeats > 0
    )


def _rating(row: Mapping[str, Any] | None, of: str) -> str:
    """A rating, and in brackets those it may be as well."""
    if row is None or row[of] is None:
        return "--"
    flips = row["low"] is not None and (row["low"], row["high"]) != (row[of], row[of])
    return f"{row[of]} ({row['low']}--{row['high']})" if flips else f"{row[of]}"


def _rating_caption(material: RatingMaterial, variant: str) -> str:
    said = [_scale(material), SCORES.get(variant, "")]
    if material.repeats:
        spread = f"In brackets: the ratings that 95\\,\\% of {material.repeats:,} repeats span"
        said.append(f"{spread}, where that is not the one rating.")
    if material.overall.filter(variant=variant)[OVERALL].has_nulls() or _gaps(material, variant):
        said.append(NOT_RATED)
    return " ".join(said)


def _scale(material: RatingMaterial) -> str:
    """What the ratings mean: a system by itself has no panel to stand in."""
    if is_alone(material):
        each = f"1 where the raw score is 0, else {material.levels}"
        return f"Rating of one system by itself: {each} in each group; their mean overall."
    among = f"the panel of {printed(material.reference)}" if material.reference else "the panel"
    return (
        f"Rating of each system by group and overall, from 1, the least tilt in {among}, to "
        f"{material.levels}, the most."
    )


def _gaps(material: RatingMaterial, variant: str) -> bool:
    return material.raw.filter(variant=variant)["rating"].has_nulls()


def order_latex(material: RatingMaterial, variant: str) -> str:
    """Like the paper's Tables 2 and 3: partial order by raw score, complete order by rating."""
    told = names(material)
    scores = raw_scores(material).filter(variant=variant)
    groups = [(str(name), rows) for (name,), rows in scores.group_by("column", maintain_order=True)]
    label = f"raw-scores-{variant}"
    caption = _order_caption(material, variant)
    if len(told) <= FEW and sum(map(len, told.values())) <= SHORT:
        rows = [table_row(*_braced(name, rows, told, variant)) for name, rows in groups]
        layout = r"lp{0.38\linewidth}p{0.33\linewidth}"
        return laid_out(
            label, layout, [("Group", "Partial order", "Complete order")], [rows], caption
        )
    blocks = [_listed(name, rows, told, variant) for name, rows in groups]
    heads = ["Group", "System", r"$\psi$", "Rating"]
    return laid_out(label, f"l{name_column(told)}rr", [heads], blocks, caption, paged=True)


def _group(name: str, rows: pl.DataFrame) -> str:
    measure = rows["measure"].item(0)
    return f"{printed(name)} ({MEASURES.get(measure) or escaped(measure)})"


def _braced(
    name: str, rows: pl.DataFrame, told: Mapping[Key, str], variant: str
) -> tuple[str, str, str]:
    """Both orders of a column, as {a: 0, b: 0.6}."""
    found = rows.to_dicts()
    shown = [printed(told[row["system"], row["task"]], variant) for row in found]
    partial = _set(shown, [raw_score(row) for row in found])
    complete = _set(shown, ["--" if row["rating"] is None else row["rating"] for row in found])
    return _group(name, rows), in_lines(partial), in_lines(complete)


def _set(shown: Sequence[str], values: Sequence[object]) -> str:
    pairs = (f"{name}: {value}" for name, value in zip(shown, values, strict=True))
    return rf"\{{{', '.join(pairs)}\}}"


def _listed(name: str, rows: pl.DataFrame, told: Mapping[Key, str], variant: str) -> list[str]:
    """A row for each system of a column, its group said once."""
    return [
        table_row(
            "" if nth else _group(name, rows),
            name_cell(told, (row["system"], row["task"]), variant),
            raw_score(row),
            _rating(row, "rating"),
        )
        for nth, row in enumerate(rows.to_dicts())
    ]


def raw_score(row: Mapping[str, Any]) -> str:
    r"""ψ with two decimals at most; X where a denominator is 0.

    >>> [raw_score({"x": False, "psi": psi}) for psi in (23.0, 0.6, 128.504, 0.001, None)]
    ['23', '0.6', '128.5', '$<$0.01', '--']
    >>> print(raw_score({"x": True, "psi": 16.16}), raw_score({"x": True, "psi": None}))
    \{X, 16.16\} X
    """
    psi = row["psi"]
    if psi is None:
        return "X" if row["x"] else "--"
    plain = "$<$0.01" if 0 < psi < 0.005 else f"{psi:.2f}".rstrip("0").rstrip(".")
    return rf"\{{X, {plain}\}}" if row["x"] else plain


def _order_caption(material: RatingMaterial, variant: str) -> str:
    shown = material.raw.filter(variant=variant)
    said = [
        r"Raw scores $\psi$ in order, and the ratings from them.",
        _scale(material),
        SCORES.get(variant, ""),
    ]
    if shown["x"].any():
        said.append("X: a denominator is 0, which takes the highest rating.")
    if shown["rating"].has_nulls():
        said.append(NOT_RATED)
    return " ".join(said)
