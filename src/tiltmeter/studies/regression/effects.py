"""From fits to tables of effects: coefficients, what they come to in scores, and how sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.estimates import EstimateBlock
from tiltmeter.stats.mixed import fit_mixed
from tiltmeter.stats.moments import members
from tiltmeter.studies.regression.errors import (
    DUST,
    STEEPEST,
    TestedValues,
    crossed_errors,
    group_means,
    t_test,
)
from tiltmeter.studies.regression.fit import Fitted
from tiltmeter.studies.regression.formula import CoefficientRow, Errors
from tiltmeter.studies.regression.sums import squeezed

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

LOGIT, LOG_PRECISION = "logit", "log precision"

COEFFICIENT = "coefficient"
"""β of the Beta regression, on the logit, with errors over names and templates."""
COEFFICIENT_NAIVE = "coefficient_naive"
"""The same as if all sentences were independent."""
COEFFICIENT_MIXED = "coefficient_mixed"
"""β of a linear model of the logit with random names and templates."""
MARGINAL = "marginal_effect"
"""What the coefficient comes to on the scale of scores."""
MARGINAL_NAIVE, MARGINAL_MIXED = "marginal_effect_naive", "marginal_effect_mixed"
TOTAL, TOTAL_EFFECT = "total", "total_effect"
"""Of a product: all its groups at once against all their references; on the logit, in scores."""
LEAST_SQUARES = "least_squares"
"""The coefficient of ordinary least squares, which Câmara et al. (2022) print."""
PRECISION = "precision"
"""γ: what log φ differs by between groups."""

UNITS = {
    **dict.fromkeys((COEFFICIENT, COEFFICIENT_NAIVE, COEFFICIENT_MIXED, TOTAL), LOGIT),
    PRECISION: LOG_PRECISION,
}
"""Of measures that are not in the unit of the scores."""
ON_SCORES = {
    Errors.CROSSED: MARGINAL, Errors.MIXED: MARGINAL_MIXED, Errors.NAIVE: MARGINAL_NAIVE
}  # fmt: skip


def judged_measure(mode: str, errors: str) -> str:
    """The measure that findings are made of: effects on the scale of scores, with these errors.

    >>> judged_measure("corrected", "crossed"), judged_measure("published", "naive")
    ('marginal_effect', 'least_squares')
    """
    return LEAST_SQUARES if mode == "published" else ON_SCORES[Errors(errors)]


@dataclass(frozen=True, slots=True)
class EffectTable:
    """One measure of several effects, for all submissions of a part."""

    measure: str
    effects: Sequence[CoefficientRow]
    numbers: TestedValues
    """(submissions, effects)"""

    def blocks(self, subset: str, rows: Codes, n: Codes, dropped: Codes) -> Iterator[EstimateBlock]:
        """A block of the `estimates` table for each effect."""
        numbers = self.numbers
        df = np.where(np.isfinite(numbers.df), numbers.df, np.nan)
        for at, effect in enumerate(self.effects):
            columns = {
                "value": numbers.value[:, at],
                "se": numbers.se[:, at],
                "low": numbers.low[:, at],
                "high": numbers.high[:, at],
                "statistic": numbers.statistic[:, at],
                "df": df[:, at],
                "p": numbers.p[:, at],
                "n": n,
                "n_dropped": dropped,
            }
            unit = UNITS.get(self.measure)
            yield EstimateBlock(effect, subset, self.measure, rows, columns, unit)


def effect_tables(fitted: Fitted) -> tuple[list[EffectTable], Array]:
    """Every table, and what each person pulls each effect by, (submissions, effects, people)."""
    design, parameters = fitted.design, fitted.beta.parameters
    many, width = parameters.shape
    size = design.mean.shape[1]
    means = group_means(fitted, parameters[:, :size])
    products = tuple(effect for effect in design.effects if effect.total is not None)
    precision = design.precision_effects
    groups = _stack([one.groups for one in design.effects], design.groups.height)
    totals = _stack([one.total for one in products], design.groups.height)
    on_logit = _stack([one.coefficient for one in design.effects], size)
    on_precision = _stack([one.coefficient for one in precision], width - size)
    # Each measure: its effects, the combinations of parameters that it is, (s, e, k), its values
    # where they are not linear in the parameters, and what counts as 0.
    asked: list[tuple[str, Sequence[CoefficientRow], Array, Array | None]] = [
        (COEFFICIENT, design.effects, np.broadcast_to(on_logit, (many, *on_logit.shape)), None),
        (MARGINAL, design.effects, *_through(groups, means.slope, means.value)),
        (PRECISION, precision, np.broadcast_to(on_precision, (many, *on_precision.shape)), None),
        (TOTAL, products, np.einsum("eg,sgp->sep", totals, means.rows), None),
        (TOTAL_EFFECT, products, *_through(totals, means.slope, means.value)),
    ]
    combinations, values = list[Array](), list[Array]()
    places, begin = dict[str, slice](), 0
    for measure, _, slope, value in asked:
        wide = np.zeros((many, slope.shape[1], width))
        offset = size if measure == PRECISION else 0
        wide[:, :, offset : offset + slope.shape[2]] = slope
        combinations.append(wide)
        values.append(np.einsum("sck,sk->sc", wide, parameters) if value is None else value)
        places[measure] = slice(begin, begin + slope.shape[1])
        begin += slope.shape[1]
    combined, value = np.concatenate(combinations, 1), np.concatenate(values, 1)
    crossed, pull = crossed_errors(fitted, combined)
    naive = np.einsum(
        "sck,skl,scl->sc", combined, fitted.beta.covariance, combined, optimize=True
    )  # fmt: skip
    unending = np.full(naive.shape, np.inf)
    tables = list[EffectTable]()
    for names, variance, df in (
        ({one: one for one in places}, crossed.variance, crossed.df),
        ({COEFFICIENT: COEFFICIENT_NAIVE, MARGINAL: MARGINAL_NAIVE}, naive, unending),
    ):
        for measure, effects, _, _ in asked:
            if measure in names:
                at, dust = places[measure], DUST if measure not in UNITS else DUST * STEEPEST
                numbers = t_test(value[:, at], variance[:, at], df[:, at], dust)
                tables.append(EffectTable(names[measure], effects, numbers))
    return [*tables, _least_squares(fitted)], pull[:, places[MARGINAL]]


def _stack(rows: Sequence[Array | None], width: int) -> Array:
    return np.array(rows, np.float64) if len(rows) else np.zeros((0, width))


def _through(weights: Array, slope: Array, value: Array) -> tuple[Array, Array]:
    """Differences of group means: their slopes in β, and their values."""
    return np.einsum("eg,sgp->sep", weights, slope), value @ weights.T


def _least_squares(fitted: Fitted) -> EffectTable:
    """The paper's coefficients, with errors as if sentences were independent."""
    fit, effects = fitted.least_squares, fitted.design.effects
    rows = np.array([one.coefficient for one in effects])
    fine = np.array([reason is None for reason in fitted.least_reasons], bool)[:, None]
    value = np.where(fine, fit.parameters @ rows.T, np.nan)
    variance = np.einsum("ek,skl,el->se", rows, fit.covariance, rows, optimize=True)
    df = np.broadcast_to(fit.df[:, None], value.shape)
    return EffectTable(LEAST_SQUARES, effects, t_test(value, variance, df))


def mixed_tables(fitted: Fitted, values: Array, atom: Codes, frame: Codes) -> list[EffectTable]:
    """The coefficients of a mixed model and what they come to in scores, for every submission.

        logit y = x'β + name + template + template × group + frame + e,  all but β random

    The random effects of template × group let a tilt differ from template to template, as the
    crossed errors do; without them only names would count (Barr et al. 2013). Fitted by REML. The
    logit is of each score, squeezed where some are 0 or 1, so that β is not quite that of a Beta
    regression, which is of the mean. An effect on scores has the degrees of freedom of its
    coefficient. `atom` and `frame` number those of each sentence.
    """
    design, fine = fitted.design, fitted.fine
    logit = np.full(values.shape, np.nan)
    with np.errstate(all="ignore"):
        inside = squeezed(np.clip(values[fine], 0.0, 1.0))
        logit[fine] = np.log(inside) - np.log1p(-inside)
    rows = np.array([effect.coefficient for effect in design.effects])
    person, template = design.person[atom], design.template[atom]
    by_group = template * design.groups.height + design.group[person]
    random = [person, template, by_group, frame]
    fit = fit_mixed(logit, design.mean[design.cell[atom]], random, rows)
    means = group_means(fitted, fit.coefficients)
    weights = np.array([effect.groups for effect in design.effects])
    slopes, effect = _through(weights, means.slope, means.value)
    spread = np.einsum("sep,spq,seq->se", slopes, fit.covariance, slopes, optimize=True)
    # Scores that are alike within each frame leave no spread, and no fit: their effect is 0.
    same = np.isfinite(logit).any(axis=1)
    for one in np.unique(frame):
        low = np.fmin.reduce(logit[:, frame == one], axis=1, initial=np.inf)
        high = np.fmax.reduce(logit[:, frame == one], axis=1, initial=-np.inf)
        same &= high - low < DUST
    none = (np.abs(fitted.least_squares.parameters @ rows.T) < DUST).all(axis=1)
    blind = (~fit.converged & none & same)[:, None]
    value, variance, effect, spread = (
        np.where(blind, 0.0, part) for part in (fit.estimate, fit.se**2, effect, spread)
    )
    df = np.where(blind, np.inf, fit.df)
    return [
        EffectTable(
            COEFFICIENT_MIXED, design.effects, t_test(value, variance, df, STEEPEST * DUST)
        ),
        EffectTable(MARGINAL_MIXED, design.effects, t_test(effect, spread, df)),
    ]


def groups_table(submissions: pl.DataFrame, fitted: Fitted) -> pl.DataFrame:
    """The mean score of every group, as scored and as fitted."""
    design, atoms = fitted.design, fitted.atoms
    n, mean = _means(fitted, design.group[design.person], design.groups.height)
    model = group_means(fitted, fitted.beta.parameters[:, : design.mean.shape[1]]).value
    seen = atoms.sums.n @ members(design.person, design.people.height) > 0
    people = seen.astype(np.int64) @ members(design.group, design.groups.height)
    return _long(submissions, design.groups).with_columns(
        n=pl.Series(n.ravel()).cast(pl.Int64),
        people=pl.Series(people.ravel()).cast(pl.Int64),
        mean=pl.Series(mean.ravel()).fill_nan(None),
        fitted=pl.Series(model.ravel()).fill_nan(None),
    )


def people_table(submissions: pl.DataFrame, fitted: Fitted, pull: Array) -> pl.DataFrame:
    """Every person's mean score, and what they pull each effect by."""
    design = fitted.design
    n, mean = _means(fitted, design.person, design.people.height)
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


def _means(fitted: Fitted, place: Codes, size: int) -> tuple[Array, Array]:
    """Scores and their mean in each place, (submissions, places)."""
    add = members(place, size)
    n = fitted.atoms.sums.n @ add
    with np.errstate(all="ignore"):
        return n, np.where(n > 0, (fitted.atoms.raw.total @ add) / n, np.nan)


def _long(submissions: pl.DataFrame, things: pl.DataFrame) -> pl.DataFrame:
    """Every thing of every submission, a row each."""
    return submissions.select("system", "task").join(
        things, how="cross", maintain_order="left_right"
    )
