"""The tables of a rating for spreadsheets: like the paper's, and what lies behind them."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tiltmeter.report.ratings.die_table import die_table
from tiltmeter.report.ratings.material import OVERALL, RatingMaterial
from tiltmeter.report.ratings.t_values import t_tables, t_values, together, wide
from tiltmeter.report.slugs import numbered

KEYS = ["system", "task", "variant"]
SPREAD = ("low", "high", "steady")
RAW = (
    *KEYS, "column", "measure", "psi", "x", "rating", *SPREAD, "by_chance", "p", "rests_on",
    "without", "reason", "group", "attribute",
)  # fmt: skip


def rating_tables(material: RatingMaterial) -> dict[str, pl.DataFrame]:
    """Every table, by its file's name without an ending; none that would be empty."""
    found = {
        "ratings": ratings(material),
        "raw-scores": raw_scores(material),
        "t-values": t_values(material),
        **{name: wide(tests) for name, (_, _, tests) in t_tables(material).items()},
        "die": together(die_table(material.effects)),
        "ate": together(material.ates),
        "frequencies": material.frequencies,
        "order": material.order,
        "columns": columns(material),
    }
    return {name: frame for name, frame in found.items() if frame.height}


def ratings(material: RatingMaterial) -> pl.DataFrame:
    """Like the paper's Tables 6 and 7: a rating for each column, then overall, then how steady."""
    cells = list(_cells(material))
    names = numbered([*KEYS, *(name for name, _, _ in cells)])[len(KEYS) :]
    frame = material.overall.select(KEYS)
    for name, (_, rows, source) in zip(names, cells, strict=True):
        told = rows.select(*KEYS, pl.col(source).alias(name))
        frame = frame.join(told, on=KEYS, how="left", maintain_order="left", nulls_equal=True)
    return frame


def _cells(material: RatingMaterial) -> Iterator[tuple[str, pl.DataFrame, str]]:
    """A column's name, the rows it is from, and its name there."""
    own = [(name, material.raw.filter(column=name)) for name in column_names(material)]
    yield from ((name, rows, "rating") for name, rows in own)
    yield from ((name, material.overall, name) for name in (OVERALL, "mean", "dominates"))
    for name, rows in (*own, (OVERALL, material.overall)):
        yield from ((f"{name} {part}", rows, part) for part in SPREAD)


def column_names(material: RatingMaterial) -> list[str]:
    """The columns of the rating table, in order."""
    return material.columns["column"].to_list()


def raw_scores(material: RatingMaterial) -> pl.DataFrame:
    """Like the paper's Tables 2 and 3: ψ in order for each variant and column, X last.

    What has no ψ stands after, with the reason.
    """
    names = [*column_names(material), *material.raw["column"]]
    columns = pl.Enum(list(dict.fromkeys(names)))
    variants = pl.Enum(material.variants)
    return material.raw.select(RAW).sort(
        pl.col("variant").cast(variants),
        pl.col("column").cast(columns),
        "task",
        pl.col("psi").is_null() & ~pl.col("x"),
        "x",
        "psi",
        nulls_last=True,
        maintain_order=True,
    )


def columns(material: RatingMaterial) -> pl.DataFrame:
    """What each column is made from: its diagram, what is adjusted for, its datasets."""
    return material.columns.with_columns(
        pl.col("edges", "sets").list.join("; "), pl.col("datasets", "unobserved").list.join(", ")
    )
