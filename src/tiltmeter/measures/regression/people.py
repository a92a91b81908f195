"""What the coefficients are made of: the means of groups and of names, and who pulls them."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.regression.design import Design
from tiltmeter.measures.regression.fitting import Fitted
from tiltmeter.measures.regression.reduction import Reduced
from tiltmeter.measures.regression.uncertainty import group_means
from tiltmeter.measures.stats.members import members

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


def groups_table(
    submissions: pl.DataFrame, design: Design, atoms: Reduced, fitted: Fitted
) -> pl.DataFrame:
    """The mean score of every group, as scored and as fitted."""
    group = design.group
    n, mean = _means(atoms, group[design.person], design.groups.height)
    p = design.mean.shape[1]
    model = group_means(fitted, design, fitted.beta.parameters[:, :p]).value
    seen = atoms.sums.n @ members(design.person, design.people.height) > 0
    people = seen.astype(np.int64) @ members(group, design.groups.height)
    return _long(submissions, design.groups).with_columns(
        n=pl.Series(n.ravel()).cast(pl.Int64),
        people=pl.Series(people.ravel()).cast(pl.Int64),
        mean=pl.Series(mean.ravel()).fill_nan(None),
        fitted=pl.Series(model.ravel()).fill_nan(None),
    )


def people_table(
    submissions: pl.DataFrame, design: Design, atoms: Reduced, pull: Array
) -> pl.DataFrame:
    """Every person's mean score, and what they pull each effect by."""
    n, mean = _means(atoms, design.person, design.people.height)
    base = _long(submissions, design.people).with_columns(
        n=pl.Series(n.ravel()).cast(pl.Int64), mean=pl.Series(mean.ravel()).fill_nan(None)
    )
    parts = [
        base.with_columns(
            axis=pl.lit(effect.axis),
            contrast=pl.lit(effect.name),
            pull=pl.Series(pull[:, at].ravel()).fill_nan(None),
        )
        for at, effect in enumerate(design.effects)
    ]
    return pl.concat(parts)


def _means(atoms: Reduced, place: Codes, size: int) -> tuple[Array, Array]:
    """Scores and their mean in each place, (submissions, places)."""
    add = members(place, size)
    n = atoms.sums.n @ add
    with np.errstate(all="ignore"):
        return n, np.where(n > 0, (atoms.raw.total @ add) / n, np.nan)


def _long(submissions: pl.DataFrame, things: pl.DataFrame) -> pl.DataFrame:
    """Every thing of every submission, a row each."""
    return submissions.select("system", "task").join(
        things, how="cross", maintain_order="left_right"
    )
