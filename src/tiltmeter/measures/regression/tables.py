"""From fits to tables of effects: coefficients, what they come to in scores, and how sure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.regression.clusters import At, clustered
from tiltmeter.measures.regression.design import Design
from tiltmeter.measures.regression.effects import Effect
from tiltmeter.measures.regression.fitting import Fitted
from tiltmeter.measures.regression.reduction import Reduced
from tiltmeter.measures.regression.rows import (
    COEFFICIENT,
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_NAIVE,
    NAIVE,
    PRECISION,
    TOTAL,
    TOTAL_EFFECT,
    Table,
)
from tiltmeter.measures.regression.uncertainty import (
    DUST,
    STEEPEST,
    Estimated,
    Means,
    estimated,
    group_means,
)

Array = NDArray[np.float64]


def tables_of(
    fitted: Fitted,
    atoms: Reduced,
    design: Design,
    precision: Sequence[Effect],
    mixed: Callable[[], list[Table]] | None = None,
) -> tuple[list[Table], Array]:
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
        Table(LEAST_SQUARES, design.effects, _least_squares(fitted, design.effects)),
    ]
    if mixed is not None:
        found += mixed()
    pull = _put_back(near.pull[:, asked.places["scores"]], fine, many)
    return found, pull


class _Asked:
    """The combinations of parameters that are wanted, and their values."""

    def __init__(self, fitted: Fitted, design: Design, precision: Sequence[Effect]) -> None:
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

    def tables(self, variance: Array, df: Array, measures: dict[str, str]) -> list[Table]:
        """The tables of some measures with one kind of error."""
        found = list[Table]()
        for name, measure in measures.items():
            at = self.places[name]
            dust = DUST if "scores" in name else DUST * STEEPEST
            numbers = estimated(self.values[:, at], variance[:, at], df[:, at], dust)
            found.append(Table(measure, self.effects[name], numbers))
        return found

    def totals(self, variance: Array, df: Array) -> list[Table]:
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


def _least_squares(fitted: Fitted, effects: Sequence[Effect]) -> Estimated:
    """The paper's coefficients, with errors as if sentences were independent."""
    fit = fitted.least_squares
    rows = np.array([one.coefficient for one in effects])
    fine = fitted.least_fine[:, None]
    value = np.where(fine, fit.parameters @ rows.T, np.nan)
    variance = np.einsum("ek,skl,el->se", rows, fit.covariance, rows, optimize=True)
    df = np.broadcast_to(fit.df[:, None], value.shape)
    return estimated(value, variance, df)
