"""t-values as the paper prints them: raised numbers for what is rejected, H for what is huge.

Lakkaraju et al. (2023), Tables 4 and 11 to 15: a raised 1 where every level of confidence rejects,
2 where all but the highest do, 3 where only the lowest does.
"""

from __future__ import annotations

import polars as pl

from tiltmeter.report.ratings.material import RatingMaterial
from tiltmeter.report.slugs import numbered, unique_slugs

EPSILON = 0.0001
"""What the measure adds to the standard error."""
HUGE = 100.0
ROW = ["system", "task", "dataset", "words"]


def superscript(levels: int) -> pl.Expr:
    """The raised number of a test, null where no level rejects.

    >>> pl.DataFrame({"rejected": [3, 2, 1, 0]}).select(superscript(3))["superscript"].to_list()
    [1, 2, 3, None]
    """
    rejected = pl.col("rejected").cast(pl.Int64)
    return pl.when(rejected > 0).then(levels + 1 - rejected).alias("superscript")


def huge() -> pl.Expr:
    """Whether a t-value is printed as H: large only because the scores of both classes never vary.

    Then t = (m₁ − m₂) / ε, so that the difference of means over t is no more than ε.

    >>> female = {"t": [-20000.0, 150.0], "mean_first": [-1.0, 0.9], "mean_second": [1.0, 0.0]}
    >>> pl.DataFrame(female).select(huge())["huge"].to_list()
    [True, False]
    """
    size = pl.col("t").abs()
    apart = (pl.col("mean_first") - pl.col("mean_second")).abs()
    return ((size >= HUGE) & (apart < 2 * EPSILON * size)).fill_null(False).alias("huge")


def t_values(material: RatingMaterial) -> pl.DataFrame:
    """Every test, with its raised number and whether it is printed as H."""
    if material.tests.is_empty():
        return material.tests
    return material.tests.with_columns(superscript(len(material.confidence)), huge())


def t_tables(material: RatingMaterial) -> dict[str, tuple[str, str, pl.DataFrame]]:
    """The tests of each column and variant, by the name of their table: column, variant, tests."""
    found = t_values(material)
    if found.is_empty():
        return {}
    slugs = unique_slugs(found["column"].unique(maintain_order=True))
    parts = (
        (column, variant, found.filter(column=column, variant=variant))
        for variant in material.variants
        for column in slugs
    )
    return {f"t-values-wide-{slugs[part[0]]}-{part[1]}": part for part in parts if part[2].height}


def class_pairs(tests: pl.DataFrame) -> list[tuple[str, str]]:
    """Who is compared with whom, in order."""
    return tests.select("first", "second").unique(maintain_order=True).rows()


def wide(tests: pl.DataFrame) -> pl.DataFrame:
    """Like the paper's Table 4: a row for each system and set of words, t and raised number a pair.

    t is signed: above 0 the first class' scores are higher.
    """
    pairs = class_pairs(tests)
    told = [(*pair, what) for pair in pairs for what in ("t", "superscript")]
    names = numbered([*ROW, *(f"{first} - {second} {what}" for first, second, what in told)])
    cells = [
        pl.col(what).filter(pl.col("first") == first, pl.col("second") == second).first()
        for first, second, what in told
    ]
    named = [cell.alias(name) for cell, name in zip(cells, names[len(ROW) :], strict=True)]
    return together(tests).group_by(ROW, maintain_order=True).agg(named)


def together(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a system in one variant and column together, as the paper prints them.

    >>> rows = pl.DataFrame({"variant": "v", "column": "G", "system": [*"bab"], "task": "t"})
    >>> together(rows)["system"].to_list()
    ['b', 'b', 'a']
    """
    own = ["variant", "column", "system", "task"]
    return pl.concat(frame.partition_by(own, maintain_order=True)) if frame.height else frame
