"""From fits to tables of effects: coefficients, what they come to in scores, and how sure they are.

Errors allow for names and templates; the same sums tell which names pull an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit, stdtr, stdtrit

from tiltmeter.claims.estimates import EstimateBlock
from tiltmeter.stats.beta import Sums, derivatives, information, shape_of
from tiltmeter.stats.clustered import CombinationVariance, cluster_crossed, cr2, remainder
from tiltmeter.stats.mixed import fit_mixed
from tiltmeter.stats.moments import members
from tiltmeter.studies.regression.design import CoefficientRow, Errors, RegressionDesign
from tiltmeter.studies.regression.fit import Fitted, squeezed

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

AT_ONCE = 2_000_000
"""Numbers of clusters' information, or of what atoms add, held in memory at a time."""
SINGULAR = 1e-10
"""The least eigenvalue, of a matrix scaled to ones, below which nothing is left without a name."""
DUST = 1e-6
"""Part of the scale that counts as 0."""
NO_ERROR = 1e-2
"""Part of the dust below which an error is a rounding error."""
NO_VALUE = 1e-4
"""Part of the dust below which a value is a rounding error, whose sign would say something."""
LEVEL = 0.95
STEEPEST = 4.0
"""A score moves by a quarter of what the logit does, at most: dust on the logit is so much more."""


def crossed_errors(fitted: Fitted, combinations: Array) -> tuple[CombinationVariance, Array]:
    """Errors of combinations, (submissions, c, k), that allow for names and templates as clusters.

    Also (submissions, c, people): how much lower each would be without a person; NaN where it could
    not be told without them, and wherever there is no fit.
    """
    many, wanted, size = combinations.shape
    design, sums = fitted.design, fitted.atoms.sums
    each = max(design.people.height * size * size, design.cell.size * wanted)
    step = max(1, AT_ONCE // (1 + each))
    variance, df = np.full((2, many, wanted), np.nan)
    pull = np.full((many, wanted, design.people.height), np.nan)
    fine = np.flatnonzero(fitted.fine)
    for rows in (fine[begin : begin + step] for begin in range(0, fine.size, step)):
        beta = fitted.beta
        some = (beta.parameters[rows], beta.covariance[rows], combinations[rows])
        found, pull[rows] = _some_errors(*some, sums.rows(rows), design)
        variance[rows], df[rows] = found.variance, found.df
    return CombinationVariance(variance, df), pull


def _some_errors(
    parameters: Array, covariance: Array, combinations: Array, sums: Sums, design: RegressionDesign
) -> tuple[CombinationVariance, Array]:
    shape = shape_of(design.mean, design.precision, parameters).at(design.cell)
    mean, precision = design.mean[design.cell], design.precision[design.cell]
    slopes, (of_eta, of_both, of_zeta) = derivatives(sums, shape), information(sums.n, shape)

    def of_clusters(codes: Codes, many: int) -> tuple[Array, Array]:
        """The score and the information of clusters: (s, many, k) and (s, many, k, k)."""
        one = np.ones((len(codes), 1))
        score = [
            _cluster_sums(slopes.eta, mean, one, codes, many),
            _cluster_sums(slopes.zeta, precision, one, codes, many),
        ]
        both = _cluster_sums(of_both, mean, precision, codes, many)
        top = [_cluster_sums(of_eta, mean, mean, codes, many), both]
        last = _cluster_sums(of_zeta, precision, precision, codes, many)
        bottom = [np.swapaxes(both, 2, 3), last]
        whole = np.concatenate([np.concatenate(row, axis=3) for row in (top, bottom)], axis=2)
        return np.concatenate(score, axis=2)[..., 0], whole

    names = of_clusters(design.person, design.people.height)
    by_name, by_template, rest = cr2(*names, covariance, combinations), None, None
    if len(design.templates) > 1:
        templates = of_clusters(design.template, len(design.templates))
        by_template = cr2(*templates, covariance, combinations)
        reach, p = combinations @ covariance, mean.shape[1]
        in_mean = (reach[:, :, :p] @ mean.T) * slopes.eta[:, None]
        in_precision = (reach[:, :, p:] @ precision.T) * slopes.zeta[:, None]
        rest = _remainder(in_mean + in_precision, sums.n, design)
    return cluster_crossed(by_name, by_template, rest), _pulls(*names, combinations)


def _cluster_sums(weight: Array, left: Array, right: Array, codes: Codes, many: int) -> Array:
    """Sums over clusters of weights times the products of two designs' columns.

    (s, many, columns of the left, columns of the right)
    """
    pairs = (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)
    atoms, width = pairs.shape
    places = (codes[:, None] * width + np.arange(width)).ravel()
    ends = np.arange(0, atoms * width + 1, width)
    add = csr_array((pairs.ravel(), places, ends), shape=(atoms, many * width))
    found: Array = (weight @ add).reshape(len(weight), many, left.shape[1], right.shape[1])
    return found


def _remainder(moved: Array, n: Array, design: RegressionDesign) -> CombinationVariance | None:
    """What is in both parts; nothing where a submission lacks a person in a template.

    `moved` is what each atom adds to combinations, (s, c, atoms).
    """
    rest = remainder(moved, design.person, design.template, design.group)
    if rest is None:
        return None
    place = design.person * len(design.templates) + design.template
    many = design.people.height * len(design.templates)
    complete = ((n @ members(place, many)) > 0).all(axis=1)[:, None]
    return CombinationVariance(
        np.where(complete, rest.variance, 0.0), np.where(complete, rest.df, np.inf)
    )


def _pulls(scores: Array, info: Array, combinations: Array) -> Array:
    """One Newton step from the fit to that without a person: (H − H_i)⁻¹ S_i."""
    left = info.sum(axis=1, keepdims=True) - info
    scale = np.sqrt(np.maximum(np.einsum("sgkk->sgk", left), np.finfo(np.float64).tiny))
    level = left / (scale[..., :, None] * scale[..., None, :])
    singular = np.linalg.eigvalsh(level)[..., 0] < SINGULAR
    level = np.where(singular[..., None, None], np.eye(level.shape[-1]), level)
    step = np.linalg.solve(level, (scores / scale)[..., None])[..., 0] / scale
    step = np.where(singular[..., None], np.nan, step)
    found: Array = combinations @ np.swapaxes(step, 1, 2)
    return found


@dataclass(frozen=True, slots=True)
class TestedValues:
    """Numbers with their uncertainty, (submissions, effects)."""

    value: Array
    se: Array
    low: Array
    high: Array
    statistic: Array
    df: Array
    """Infinite: the normal distribution."""
    p: Array


def t_test(value: Array, variance: Array, df: Array, dust: float = DUST) -> TestedValues:
    """A t-test of 0 and its 95 % interval.

    A value and an error below `dust` are 0, and so is a value that is but a rounding error; a value
    above it without any error is certain.
    """
    known = np.isfinite(value) & np.isfinite(variance) & (df > 0)
    with np.errstate(all="ignore"):
        se = np.sqrt(np.where(known, np.maximum(variance, 0.0), np.nan))
        none = (np.abs(value) < dust) & (se < dust)
        naught = none | (np.abs(value) < NO_VALUE * dust)
        value, se = np.where(naught, 0.0, value), np.where(none | (se < NO_ERROR * dust), 0.0, se)
        t = np.where(none, 0.0, value / se)
        p = 2.0 * stdtr(df, -np.abs(t))
        half = np.where(se > 0, stdtrit(df, 0.5 + LEVEL / 2.0) * se, 0.0)
    value, df, p = (np.where(known, column, np.nan) for column in (value, df, p))
    finite = np.where(np.isfinite(t) & known, t, np.nan)
    return TestedValues(value, se, value - half, value + half, finite, df, p)


@dataclass(frozen=True, slots=True)
class GroupMeans:
    """The mean score that the model gives each group, with everything else as it stands."""

    value: Array
    """(submissions, groups)"""
    slope: Array
    """(submissions, groups, p): its derivative in β."""
    rows: Array
    """(submissions, groups, p): the average row of the design."""


def group_means(fitted: Fitted, beta: Array) -> GroupMeans:
    """Every sentence's mean, had it been of each group; averaged over sentences."""
    n, settings = fitted.cells.sums.n, fitted.design.settings
    with np.errstate(all="ignore"):
        weight = n / n.sum(axis=1, keepdims=True)
        mu = expit(np.einsum("gcp,sp->sgc", settings, beta, optimize=True))
    weighed = mu * (1.0 - mu) * weight[:, None, :]
    return GroupMeans(
        np.einsum("sgc,sc->sg", mu, weight),
        np.einsum("sgc,gcp->sgp", weighed, settings, optimize=True),
        np.einsum("sc,gcp->sgp", weight, settings, optimize=True),
    )


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
