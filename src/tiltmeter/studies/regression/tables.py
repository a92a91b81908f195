"""The regressions of a run as plain tables: coefficients, fits, groups, names, languages."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tiltmeter.studies.paired.results import AuditResults, RegressionStudy
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    PRECISION,
    TOTAL,
    TOTAL_EFFECT,
)
from tiltmeter.studies.regression.wording import (
    stars,
)

KEYS = [
    "corpus", "edition", "mode", "system", "task", "subset", "axis", "contrast", "reference"
]  # fmt: skip
NUMBERS = {
    COEFFICIENT: ("", "se", "low", "high", "df", "p", "stars"),
    COEFFICIENT_NAIVE: ("se", "p", "stars"),
    COEFFICIENT_MIXED: ("", "se", "df", "p", "stars"),
    MARGINAL: ("", "se", "low", "high", "p"),
    MARGINAL_MIXED: ("", "low", "high", "p"),
    TOTAL: ("", "se", "p"),
    TOTAL_EFFECT: ("", "low", "high", "p"),
    LEAST_SQUARES: ("", "se", "p", "stars"),
    PRECISION: ("", "se", "p"),
}
"""Which numbers of a measure stand in the long table; "" is its value."""


def regression_tables(material: AuditResults) -> dict[str, pl.DataFrame]:
    """Every plain table, by its file's name without an ending; none without a regression."""
    if not material.regressed:
        return {}
    found = {
        "regression-coefficients": coefficients(material.regressed),
        "regression-fits": _stacked(material.regressed, "fits"),
        "regression-groups": _stacked(material.regressed, "groups"),
        "regression-names": _stacked(material.regressed, "people"),
    }
    if material.languages is not None:
        found["regression-languages"] = material.languages
    return found


def coefficients(regressed: Sequence[RegressionStudy]) -> pl.DataFrame:
    """A row a submission and effect: coefficient, its size in scores, and what others would say.

    Columns are named after their measure, `coefficient_se`; the value itself is `coefficient`.
    What was not measured in this run has no column; what cannot be estimated is null, with the
    reason.
    """
    found = list[pl.DataFrame]()
    for one in regressed:
        marks = pl.Series("stars", [stars(p) for p in one.estimates["p"]], pl.String)
        rows = one.estimates.with_columns(marks)
        wide = rows.filter(measure=COEFFICIENT).select(*KEYS, "n", "n_dropped")
        for measure, names in NUMBERS.items():
            mine = rows.filter(measure=measure)
            if mine.height:
                columns = {
                    "_".join(filter(None, (measure, name))): name or "value" for name in names
                }
                wide = wide.join(
                    mine.select(*KEYS, **columns), on=KEYS, how="left", maintain_order="left"
                )
        judged = one.findings.select(*KEYS[:-1], "p_adjusted", "significance")
        reasons = one.fits.select("system", "task", "reason")
        last = ("n", "n_dropped", "reason")
        found.append(
            wide.join(judged, on=KEYS[:-1], how="left", maintain_order="left")
            .join(reasons, on=["system", "task"], how="left", maintain_order="left")
            .select(*KEYS, pl.exclude(*KEYS, *last), *last)
        )
    return pl.concat(found, how="diagonal")


def _stacked(regressed: Sequence[RegressionStudy], name: str) -> pl.DataFrame:
    """One table of every corpus; an axis that a corpus lacks is null there."""
    frames: list[tuple[str, pl.DataFrame]] = [(one.corpus, getattr(one, name)) for one in regressed]
    named = [frame.select(pl.lit(corpus).alias("corpus"), pl.all()) for corpus, frame in frames]
    return pl.concat(named, how="diagonal")
