r"""What adjustment does, for papers: impact as in the paper's Table 5, and effects of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.report.ratings.die_table import POLARITIES, die_table
from tiltmeter.report.ratings.latex_layout import (
    DAGGERED,
    Key,
    by_system,
    laid_out,
    name_column,
    named_block,
    names,
    printed,
)
from tiltmeter.report.ratings.material import DISCRETISED, RatingMaterial
from tiltmeter.report.slugs import unique_slugs
from tiltmeter.report.tables.latex_text import number

DIE_HEADS = (
    *("System", "Words", r"$E[S \mid e]$", r"$E[S \mid do(e)]$", r"DIE\,\%", r"Max.\ DIE\,\%"),
)
ATE_HEADS = ("System", "Words", "Naive", "Adjusted", "Matched", "Unmatched", r"Change\,\%")
EMPTY = "$^{e}$: over the classes that have such words; others have none."
Part = tuple[str, str, pl.DataFrame]
"""A column, a variant, and their rows."""


def effect_latex_tables(material: RatingMaterial) -> dict[str, str]:
    """Two tables for each column and variant, by their files' names without an ending."""
    impact = _parts("die", material, die_table(material.effects))
    effects = _parts("ate", material, material.ates)
    return {name: die_latex(material, name, *part) for name, part in impact.items()} | {
        name: ate_latex(material, name, *part) for name, part in effects.items()
    }


def _parts(kind: str, material: RatingMaterial, frame: pl.DataFrame) -> dict[str, Part]:
    if frame.is_empty():
        return {}
    slugs = unique_slugs(frame["column"].unique(maintain_order=True))
    found = (
        (
            f"{kind}-{slug}-{variant}",
            (column, variant, frame.filter(column=column, variant=variant)),
        )
        for variant in material.variants
        for column, slug in slugs.items()
    )
    return {name: part for name, part in found if part[2].height}


def die_latex(
    material: RatingMaterial, label: str, column: str, variant: str, frame: pl.DataFrame
) -> str:
    """Means before and after the adjustment, and the impact of it."""
    said = [
        f"{printed(column)}: mean score of negative and positive words before and after backdoor "
        "adjustment, and its impact (DIE). *: the largest of a system.",
        "X: the mean before is 0." if frame["x"].any() else "",
        EMPTY if _some_empty(frame) else "",
    ]
    rows = {key: list(map(_die_cells, own)) for key, own in by_system(frame)}
    caption = " ".join(filter(None, said))
    return _laid_out(material, label, variant, "lllr", DIE_HEADS, rows, caption)


def _laid_out(
    material: RatingMaterial,
    label: str,
    variant: str,
    columns: str,
    heads: Sequence[str],
    rows: Mapping[Key, Sequence[Sequence[str]]],
    caption: str,
) -> str:
    """A table of systems and sets of words."""
    told = names(material)
    blocks = [named_block(told, key, variant, own) for key, own in rows.items()]
    marked = f"{caption} {DAGGERED}" if variant == DISCRETISED else caption
    return laid_out(label, f"{name_column(told)}l{columns}", [heads], blocks, marked, tight=True)


def _some_empty(frame: pl.DataFrame) -> bool:
    return any(frame[f"empty_{one}"].fill_null("").ne("").any() for one in POLARITIES)


def _die_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    before, after = (
        ", ".join(number(row[f"{what}_{one}"], 2) for one in POLARITIES)
        for what in ("observed", "interventional")
    )
    each = ", ".join(
        _die(row[f"die_{one}"], row[f"x_{one}"]) + ("$^{e}$" if row[f"empty_{one}"] else "")
        for one in POLARITIES
    )
    largest = _die(row["largest"], row["x"]) + ("*" if row["worst"] else "")
    return printed(row["words"]), f"({before})", f"({after})", f"({each})", largest


def _die(value: float | None, x: bool | None) -> str:
    return "X" if x else number(value, 2)


def ate_latex(
    material: RatingMaterial, label: str, column: str, variant: str, frame: pl.DataFrame
) -> str:
    """Effects of a positive word: as seen, adjusted and by matching."""
    caption = (
        f"{printed(column)}: average effect of a positive word on the score: as seen, with "
        "backdoor adjustment, and by propensity-score matching, with the sentences that found no "
        "match."
    )
    rows = {key: list(map(_ate_cells, own)) for key, own in by_system(frame)}
    return _laid_out(material, label, variant, "rrrrr", ATE_HEADS, rows, caption)


def _ate_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        printed(row["words"]),
        *(number(row[one], 2) for one in ("naive", "adjusted", "matched")),
        "--" if row["unmatched"] is None else f"{row['unmatched']:,}",
        _die(row["change"], row["x"]),
    )
