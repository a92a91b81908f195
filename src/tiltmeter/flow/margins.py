"""Tables 3 to 5 of Câmara et al. (2022) from the audits of a reproduction, beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tiltmeter.flow.auditing import Audit
from tiltmeter.flow.regression_told import speaks
from tiltmeter.measures import between_languages
from tiltmeter.training import PAPER_TASKS, TABLES_3_TO_5, effect_cells

MEASURES = ("coefficient", "coefficient_naive", "marginal_effect", "least_squares")
NUMBERS = ("value", "se", "low", "high", "df", "p", "n")
TABLE_OF = {row.corpus: row.table for row in TABLES_3_TO_5}
"""In which table of the paper a corpus stands."""
RECIPES = tuple(dict.fromkeys(row.ours for row in TABLES_3_TO_5))
PUBLISHED = pl.Schema(
    {"table": pl.Int64()}
    | dict.fromkeys(("language", "corpus", "name", "recipe", "task", "axis"), pl.String())
    | {"value": pl.Float64(), "stars": pl.String()}
)


def effects_of(audits: Mapping[str, Audit], recipes: Mapping[str, str]) -> pl.DataFrame | None:
    """The regressions of the paper's systems, emotions and corpora; None where there are none.

    `audits` are by language; `recipes` has the recipe of each system.
    """
    found = [
        _effects(language, done, corpus, recipes)
        for language, done in audits.items()
        for corpus in TABLE_OF
    ]
    there = [frame for frame in found if frame is not None and frame.height]
    return pl.concat(there) if there else None


def _effects(
    language: str, done: Audit, corpus: str, recipes: Mapping[str, str]
) -> pl.DataFrame | None:
    one = next((one for one in done.regressions.told if one.corpus == corpus), None)
    if one is None:
        return None
    title = next(each.title for each in done.material.compared if each.name == corpus)
    recipe = pl.col("system").replace_strict(recipes, default=None, return_dtype=pl.String)
    rows = one.estimates.with_columns(recipe=recipe).filter(
        pl.col("measure").is_in(MEASURES),
        pl.col("task").is_in(PAPER_TASKS),
        pl.col("recipe").is_in(RECIPES),
    )
    reasons = one.fits.select("system", "task", "reason")
    return rows.join(reasons, on=["system", "task"], how="left", maintain_order="left").select(
        pl.lit(TABLE_OF[corpus], pl.Int64).alias("table"),
        pl.lit(language).alias("language"), "corpus", pl.lit(title).alias("title"),
        *("system", "recipe", "task", "axis", "contrast", "reference", "measure"),
        *(*NUMBERS, "reason"),
    )  # fmt: skip


def published_effects(corpora: Sequence[str]) -> pl.DataFrame:
    """What the paper prints of these corpora, a row a number."""
    rows = [
        (row.table, row.language, row.corpus, row.name, row.ours, task, axis, value, stars)
        for row in TABLES_3_TO_5
        if row.corpus in corpora
        for task, axis, value, stars in effect_cells(row)
    ]
    return pl.DataFrame(rows, PUBLISHED, orient="row")


def across_languages(audits: Mapping[str, Audit]) -> pl.DataFrame | None:
    """Every system that was trained in two languages: whether its effects differ between them."""
    estimates = [one.estimates for done in audits.values() for one in done.regressions.told]
    corpora = [speaks(run.corpus) for done in audits.values() for run in done.runs]
    if not estimates:
        return None
    found = between_languages(pl.concat(estimates), corpora)
    return found if found.height else None


def group_phrases(audits: Mapping[str, Audit]) -> dict[tuple[str, str], str]:
    """How the sentences of each axis' groups are spoken of."""
    return {
        (axis.name, group): phrase
        for done in audits.values()
        for one in done.material.compared
        for axis in one.axes
        for group, phrase in axis.phrases.items()
    }
