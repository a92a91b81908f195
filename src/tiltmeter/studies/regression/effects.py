"""From fits to tables of effects: coefficients, what they come to in scores, and how sure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.estimates import EstimateBlock
from tiltmeter.stats.moments import members
from tiltmeter.studies.regression.design import AtomReduction, RegressionDesign
from tiltmeter.studies.regression.errors import (
    DUST,
    STEEPEST,
    At,
    Estimated,
    Means,
    clustered,
    estimated,
    group_means,
)
from tiltmeter.studies.regression.fit import Fitted
from tiltmeter.studies.regression.formula import CoefficientRow

# ---- what a regression found, as rows of the `estimates` table


LOGIT, LOG_PRECISION = "logit", "log precision"

COEFFICIENT = "coefficient"
"""β of the Beta regression, with errors over names and templates."""
NAIVE = "coefficient_naive"
"""The same as if all sentences were independent."""
MIXED = "coefficient_mixed"
"""β of a linear model of the logit with random names and templates."""
MARGINAL = "marginal_effect"
"""What the coefficient comes to on the scale of scores."""
MARGINAL_NAIVE, MARGINAL_MIXED = "marginal_effect_naive", "marginal_effect_mixed"
TOTAL, TOTAL_EFFECT = "total", "total_effect"
"""Of a product: all its groups at once against all their references; on the logit, in scores."""
LEAST_SQUARES = "least_squares"
"""The coefficient of ordinary least squares, which the paper prints."""
PRECISION = "precision"
"""γ: what log φ differs by between groups."""

UNITS = {
    COEFFICIENT: LOGIT, NAIVE: LOGIT, MIXED: LOGIT, TOTAL: LOGIT, PRECISION: LOG_PRECISION
}  # fmt: skip
"""Of measures that are not in the unit of the scores."""


def judged_measure(mode: str, errors: str) -> str:
    """The measure that findings are made of: effects on the scale of scores, with these errors.

    >>> judged_measure("corrected", "crossed"), judged_measure("published", "naive")
    ('marginal_effect', 'least_squares')
    """
    if mode == "published":
        return LEAST_SQUARES
    return {"crossed": MARGINAL, "mixed": MARGINAL_MIXED, "naive": MARGINAL_NAIVE}[errors]


@dataclass(frozen=True, slots=True)
class EffectTable:
    """One measure of several effects, for all submissions of a part."""

    measure: str
    effects: Sequence[CoefficientRow]
    numbers: Estimated
    """(submissions, effects)"""


def blocks(
    tables: Sequence[EffectTable],
    subset: str,
    rows: NDArray[np.int64],
    n: NDArray[np.int64],
    dropped: NDArray[np.int64],
) -> Iterator[EstimateBlock]:
    """Every table's effects, one after the other."""
    for table in tables:
        for at, effect in enumerate(table.effects):
            columns = _columns(table.numbers, at) | {"n": n, "n_dropped": dropped}
            yield EstimateBlock(
                effect, subset, table.measure, rows, columns, UNITS.get(table.measure)
            )


def _columns(numbers: Estimated, at: int) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]:
    df = numbers.df[:, at]
    return {
        "value": numbers.value[:, at],
        "se": numbers.se[:, at],
        "low": numbers.low[:, at],
        "high": numbers.high[:, at],
        "statistic": numbers.statistic[:, at],
        "df": np.where(np.isfinite(df), df, np.nan),
        "p": numbers.p[:, at],
    }


# ---- from fits to tables of effects: coefficients, what they come to in scores, and how sure


Array = NDArray[np.float64]


def tables_of(
    fitted: Fitted,
    atoms: AtomReduction,
    design: RegressionDesign,
    precision: Sequence[CoefficientRow],
    mixed: Callable[[], list[EffectTable]] | None = None,
) -> tuple[list[EffectTable], Array]:
    """Every table, and what each person pulls each effect by, (submissions, effects, people)."""
    fine, many = fitted.fine, len(fitted.reasons)
    asked = _Asked(fitted, design, precision)
    beta = fitted.beta
    at = At(beta.parameters[fine], beta.covariance[fine], asked.combinations[fine])
    near = clustered(at, atoms.rows(fine).sums, design, fitted.precision)
    naive = np.einsum(
        "sck,skl,scl->sc", asked.combinations, fitted.beta.covariance, asked.combinations,
        optimize=True,
    )  # fmt: skip
    variance, df = (_put_back(part, fine, many) for part in (near.spread.variance, near.spread.df))
    unending = np.full(naive.shape, np.inf)
    found = [
        *asked.tables(variance, df, {"β": COEFFICIENT, "scores": MARGINAL, "γ": PRECISION}),
        *asked.totals(variance, df),
        *asked.tables(naive, unending, {"β": NAIVE, "scores": MARGINAL_NAIVE}),
        EffectTable(LEAST_SQUARES, design.effects, _least_squares(fitted, design.effects)),
    ]
    if mixed is not None:
        found += mixed()
    pull = _put_back(near.pull[:, asked.places["scores"]], fine, many)
    return found, pull


class _Asked:
    """The combinations of parameters that are wanted, and their values."""

    def __init__(
        self, fitted: Fitted, design: RegressionDesign, precision: Sequence[CoefficientRow]
    ) -> None:
        size = design.mean.shape[1]
        parameters = fitted.beta.parameters
        means = group_means(fitted, design, parameters[:, :size])
        products = [effect for effect in design.effects if effect.total is not None]
        self.effects = {
            "β": design.effects, "scores": design.effects, "γ": tuple(precision),
            "total β": tuple(products), "total scores": tuple(products),
        }  # fmt: skip
        many, width = parameters.shape
        blocks = {
            "β": (_constant([one.coefficient for one in design.effects], many), None),
            "scores": _through(means, [one.groups for one in design.effects]),
            "γ": (_constant([one.coefficient for one in precision], many), None),
            "total β": (_rows(means, [one.total for one in products]), None),
            "total scores": _through(means, [one.total for one in products]),
        }
        parts, values = list[Array](), list[Array]()
        self.places, begin = dict[str, slice](), 0
        for name, (slope, value) in blocks.items():
            wide = np.zeros((many, slope.shape[1], width))
            offset = size if name == "γ" else 0
            wide[:, :, offset : offset + slope.shape[2]] = slope
            parts.append(wide)
            linear = np.einsum("sck,sk->sc", wide, parameters)
            values.append(linear if value is None else value)
            self.places[name] = slice(begin, begin + slope.shape[1])
            begin += slope.shape[1]
        self.combinations, self.values = np.concatenate(parts, 1), np.concatenate(values, 1)

    def tables(self, variance: Array, df: Array, measures: dict[str, str]) -> list[EffectTable]:
        """The tables of some measures with one kind of error."""
        found = list[EffectTable]()
        for name, measure in measures.items():
            at = self.places[name]
            dust = DUST if "scores" in name else DUST * STEEPEST
            numbers = estimated(self.values[:, at], variance[:, at], df[:, at], dust)
            found.append(EffectTable(measure, self.effects[name], numbers))
        return found

    def totals(self, variance: Array, df: Array) -> list[EffectTable]:
        """What the groups of a product come to together."""
        return self.tables(variance, df, {"total β": TOTAL, "total scores": TOTAL_EFFECT})


def _constant(rows: Sequence[Array], many: int) -> Array:
    """The same combinations for every submission."""
    stacked = np.array(rows) if len(rows) else np.zeros((0, 1))
    return np.broadcast_to(stacked, (many, *stacked.shape))


def _through(means: Means, weights: Sequence[Array | None]) -> tuple[Array, Array]:
    """Differences of group means: their slopes in β, and their values."""
    stacked = np.array(weights) if len(weights) else np.zeros((0, means.value.shape[1]))
    return np.einsum("eg,sgp->sep", stacked, means.slope), means.value @ stacked.T


def _rows(means: Means, weights: Sequence[Array | None]) -> Array:
    """Differences of the groups' average rows."""
    stacked = np.array(weights) if len(weights) else np.zeros((0, means.value.shape[1]))
    found: Array = np.einsum("eg,sgp->sep", stacked, means.rows)
    return found


def _put_back(part: Array, which: NDArray[np.bool_], many: int) -> Array:
    """Rows of some submissions among those of all; NaN for the others."""
    found = np.full((many, *part.shape[1:]), np.nan)
    found[which] = part
    return found


def _least_squares(fitted: Fitted, effects: Sequence[CoefficientRow]) -> Estimated:
    """The paper's coefficients, with errors as if sentences were independent."""
    fit = fitted.least_squares
    rows = np.array([one.coefficient for one in effects])
    fine = fitted.least_fine[:, None]
    value = np.where(fine, fit.parameters @ rows.T, np.nan)
    variance = np.einsum("ek,skl,el->se", rows, fit.covariance, rows, optimize=True)
    df = np.broadcast_to(fit.df[:, None], value.shape)
    return estimated(value, variance, df)


# ---- what the coefficients are made of: the means of groups and of names, and who pulls them


Codes = NDArray[np.int64]


def groups_table(
    submissions: pl.DataFrame, design: RegressionDesign, atoms: AtomReduction, fitted: Fitted
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
    submissions: pl.DataFrame, design: RegressionDesign, atoms: AtomReduction, pull: Array
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


def _means(atoms: AtomReduction, place: Codes, size: int) -> tuple[Array, Array]:
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
