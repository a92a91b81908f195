"""The tilt among names equally common, in narrow strata and by regression (METHODS §10.2).

Names of one group are often rarer than those of the other, and a system that does not know rare
names then shows a tilt that goes with how common names are. A stratum of "10,000 and more" does not
set that right: it compares 51 thousand bearers with 3.1 million. So, by cell of the other axes:

- only the common support counts: from the larger of both groups' least bearers to the smaller of
  their most;
- strata are narrow, at most half as wide again in bearers (×1.5), all alike on the logarithm;
- a stratum counts by its overlap, w₁w₂/(w₁ + w₂), which is largest where both groups are at home
  (Li, Morgan & Zaslavsky 2018), and not at all unless each group has two names in it.

    θ = Σ_c a_c Σ_s o_cs (t̄₁cs − t̄₂cs) / Σ_s o_cs

The other way is a regression on the common support, for each cell t = α + θ g + f(log b) + e, with
f a natural cubic spline and HC3 errors. Both are about names like these, not about these names, so
they have an error even where all names of a population came. Where nothing overlaps both are NaN:
not estimable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.errors import ArgumentError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int64]

WIDEST = 1.5
"""How many times the least bearers of a stratum its most may be."""
KNOTS = 5
"""Of the spline, at Harrell's quantiles."""
HARRELL = {
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
    6: (0.05, 0.23, 0.41, 0.59, 0.77, 0.95),
}
"""Quantiles at which to put so many knots (Harrell, Regression Modeling Strategies, 2.4)."""


@dataclass(frozen=True, slots=True)
class NamesByBearers:
    """The names of both groups of a contrast; arrays of shape (names,)."""

    is_first: Flags
    """Whether a name is of the first group; else it is of the second."""
    bearers: Array
    cell: Codes
    """Which cell of the other axes it is of, from 0 up; cells count alike."""
    weight: Array
    """What each counts, as in the claim: 1, bearers, or w/π of names drawn."""

    def __post_init__(self) -> None:
        sizes = {values.shape for values in (self.is_first, self.bearers, self.cell, self.weight)}
        if len(sizes) > 1:
            raise ArgumentError("names", f"has arrays of shapes {sorted(sizes)}; expected one")
        if not (self.bearers > 0).all():
            raise ArgumentError("bearers", "holds numbers below 1; leave those names out")


@dataclass(frozen=True, slots=True)
class EquallyCommonTilt:
    """The tilt among names equally common; arrays of shape (rows,), NaN where not estimable."""

    value: Array
    se: Array
    df: Array
    n_first: int
    """Names that are compared."""
    n_second: int
    strata: int
    """0 of a regression."""
    log_first: float
    """The mean logarithm of bearers of the first group as compared; NaN where nothing is."""
    log_second: float
    overlap: float
    """The share of the weight of all names that lies where names are compared."""
    left_out: tuple[int, ...]
    """Cells in which nothing overlaps, and which do not count."""

    @property
    def is_estimable(self) -> bool:
        """Whether anything overlaps."""
        return self.n_first > 0

    def reach(self, level: float = 0.95) -> Array:
        """Half the width of the interval at a level."""
        free = np.where(self.df > 0, self.df, np.nan)
        quantile = stdtrit(free, (1.0 + level) / 2.0)
        return np.asarray(np.where(self.se > 0, self.se * quantile, self.se))


@dataclass(frozen=True, slots=True)
class _Stratum:
    """Names of both groups that are about equally common, in one cell."""

    first: Codes
    second: Codes
    overlap: float


def tilt_in_strata(
    effects: Array, names: NamesByBearers, widest: float = WIDEST
) -> EquallyCommonTilt:
    """The mean difference within strata of bearers, by overlap; cells alike.

    `effects` is (rows, names), without NaN: leave out names without an effect.

    Strata 100 to 150 and 1,000 to 1,500. In the first the differences are 1 and the weights 2 and
    2, overlap 1; in the second 4, weights 2 and 6, overlap 12/8 = 1.5: θ = (1 + 6)/2.5 = 2.8.

    >>> bearers = np.array([100.0] * 4 + [1000.0] * 8)
    >>> first = np.array([True] * 2 + [False] * 2 + [True] * 2 + [False] * 6)
    >>> effects = np.where(first, np.where(bearers > 500, 4.0, 1.0), 0.0)[None]
    >>> tilt = tilt_in_strata(effects, NamesByBearers(
    ...     first, bearers, np.zeros(12, np.int64), np.ones(12)))
    >>> tilt.value, tilt.overlap, tilt.strata
    (array([2.8]), 1.0, 2)
    """
    if not widest > 1.0:
        raise ArgumentError("widest", f"is a number above 1; found {widest!r}")
    _check_effects(effects, names)
    by_cell = {
        cell: list(_strata(names, np.flatnonzero(names.cell == cell), widest))
        for cell in np.unique(names.cell).tolist()
    }
    cells = {cell: strata for cell, strata in by_cell.items() if strata}
    left_out = tuple(cell for cell, strata in by_cell.items() if not strata)
    if not cells:
        return _not_estimable(len(effects), left_out)
    rows = len(effects)
    value, variance, spent = np.zeros(rows), np.zeros(rows), np.zeros(rows)
    logs, logarithm = np.zeros(2), np.log(names.bearers)
    for strata in cells.values():
        whole = sum(stratum.overlap for stratum in strata) * len(cells)
        for stratum in strata:
            share = stratum.overlap / whole
            for side, (sign, at) in enumerate(((1.0, stratum.first), (-1.0, stratum.second))):
                h = names.weight[at] / names.weight[at].sum()
                mean = effects[:, at] @ h
                part = share**2 * ((h**2 / (1.0 - h)) * (effects[:, at] - mean[:, None]) ** 2)
                seen = part.sum(axis=1)
                value += sign * share * mean
                variance += seen
                spent += seen**2 / (1.0 / float((h**2).sum()) - 1.0)
                logs[side] += share * float(logarithm[at] @ h)
    df = np.divide(variance**2, spent, out=np.full(rows, np.inf), where=spent > 0)
    every = [stratum for strata in cells.values() for stratum in strata]
    first, second = (
        np.concatenate([getattr(stratum, side) for stratum in every])
        for side in ("first", "second")
    )
    compared = float(names.weight[first].sum() + names.weight[second].sum())
    return EquallyCommonTilt(
        value, np.sqrt(variance), df, first.size, second.size, len(every),
        float(logs[0]), float(logs[1]), compared / float(names.weight.sum()), left_out,
    )  # fmt: skip


def tilt_by_spline(effects: Array, names: NamesByBearers, knots: int = KNOTS) -> EquallyCommonTilt:
    """The group's coefficient beside a natural spline of log bearers; cells alike.

    Weighted least squares on the common support of each cell, with HC3 errors (MacKinnon & White
    1985). `effects` is (rows, names), without NaN. A cell needs more names than coefficients, and
    two of each group.
    """
    if knots not in HARRELL:
        raise ArgumentError("knots", f"is one of {', '.join(map(str, HARRELL))}; found {knots!r}")
    _check_effects(effects, names)
    rows, fits, left_out = len(effects), list[tuple[Array, Array, float]](), list[int]()
    logs, sizes, compared = list[tuple[float, float]](), np.zeros(2, np.int64), 0.0
    for cell in np.unique(names.cell).tolist():
        at = _common_support(names, np.flatnonzero(names.cell == cell))
        first = names.is_first[at]
        logarithm = np.log(names.bearers[at])
        basis = natural_spline(logarithm, knots) if at.size else np.zeros((0, 0))
        design = np.column_stack([first.astype(np.float64), np.ones(at.size), basis])
        enough = min(int(first.sum()), int((~first).sum())) > 1 and at.size > design.shape[1]
        if not enough or np.linalg.matrix_rank(design) < design.shape[1]:
            left_out.append(cell)
            continue
        weight = names.weight[at]
        fits.append(_weighted_fit(effects[:, at], design, weight))
        logs.append((
            float(np.average(logarithm[first], weights=weight[first])),
            float(np.average(logarithm[~first], weights=weight[~first])),
        ))  # fmt: skip
        sizes += [int(first.sum()), int((~first).sum())]
        compared += float(weight.sum())
    if not fits:
        return _not_estimable(rows, tuple(left_out))
    value = np.mean([fit[0] for fit in fits], axis=0)
    parts = [fit[1] / len(fits) ** 2 for fit in fits]
    variance = np.sum(parts, axis=0)
    spent = np.sum([part**2 / fit[2] for part, fit in zip(parts, fits, strict=True)], axis=0)
    df = np.divide(variance**2, spent, out=np.full(rows, np.inf), where=spent > 0)
    log_first, log_second = np.mean(logs, axis=0)
    return EquallyCommonTilt(
        value, np.sqrt(variance), df, int(sizes[0]), int(sizes[1]), 0, float(log_first),
        float(log_second), compared / float(names.weight.sum()), tuple(left_out),
    )  # fmt: skip


def natural_spline(x: Array, knots: int = KNOTS) -> Array:
    """The columns of a natural cubic spline without its intercept, (n, knots − 1).

    x itself, and truncated cubes that are linear beyond the outer knots (Stone & Koo 1985). With
    few different x there are fewer knots, and with less than three only x; a constant x has none.
    """
    if np.ptp(x) == 0:
        return np.zeros((x.size, 0))
    t = np.unique(np.quantile(x, HARRELL[knots]))
    unit = (x - x.mean()) / x.std()
    if t.size < 3:
        return np.asarray(unit[:, None])
    size = (t[-1] - t[0]) ** 2

    def cube(knot: float) -> Array:
        return np.asarray(np.maximum(x - knot, 0.0) ** 3 / size)

    gap = t[-1] - t[-2]
    columns = [unit]
    for knot in t[:-2]:
        near, far = (t[-1] - knot) / gap, (t[-2] - knot) / gap
        columns.append(cube(knot) - near * cube(t[-2]) + far * cube(t[-1]))
    return np.column_stack(columns)


def _weighted_fit(effects: Array, design: Array, weight: Array) -> tuple[Array, Array, float]:
    """The first coefficient of each row, its HC3 variance, (rows,) each, and degrees of freedom.

    These are of as many names as the coefficient rests on, (Σ r²)²/Σ r⁴ with r what each adds to
    it: by bearers a few names may carry it all.
    """
    root = np.sqrt(weight / weight.mean())
    q, r = np.linalg.qr(design * root[:, None])
    y = effects * root
    coordinates = y @ q
    leverage = np.minimum((q**2).sum(axis=1), 1.0 - 1e-9)
    residual = (y - coordinates @ q.T) / (1.0 - leverage)
    reach = q @ np.linalg.inv(r)[0]  # what each name adds to the coefficient
    names = float((reach**2).sum() ** 2 / (reach**4).sum())
    df = max(1.0, min(names - 1.0, float(weight.size - design.shape[1])))
    return coordinates @ np.linalg.inv(r)[0], (residual**2) @ reach**2, df


def _common_support(names: NamesByBearers, at: Codes) -> Codes:
    """The names of a cell between the larger least and the smaller most of both groups."""
    first = names.is_first[at]
    if first.all() or not first.any():
        return at[:0]
    bearers = names.bearers[at]
    low = max(bearers[first].min(), bearers[~first].min())
    high = min(bearers[first].max(), bearers[~first].max())
    support: Codes = at[(bearers >= low) & (bearers <= high)]
    return support


def _strata(names: NamesByBearers, cell: Codes, widest: float) -> Iterator[_Stratum]:
    """The strata of a cell in which each group has two names or more."""
    at = _common_support(names, cell)
    if not at.size:
        return
    logarithm = np.log(names.bearers[at])
    low, width = float(logarithm.min()), float(np.ptp(logarithm))
    count = max(1, int(np.ceil(width / np.log(widest) - 1e-9)))
    place = np.zeros(at.size, np.int64)
    if width > 0:
        place = np.minimum((count * (logarithm - low) / width).astype(np.int64), count - 1)
    for stratum in np.unique(place):
        some = at[place == stratum]
        first, second = some[names.is_first[some]], some[~names.is_first[some]]
        if min(first.size, second.size) > 1:
            w1, w2 = float(names.weight[first].sum()), float(names.weight[second].sum())
            yield _Stratum(first, second, w1 * w2 / (w1 + w2))


def _not_estimable(rows: int, left_out: tuple[int, ...]) -> EquallyCommonTilt:
    none, nan = np.full(rows, np.nan), float("nan")
    return EquallyCommonTilt(none, none, none, 0, 0, 0, nan, nan, 0.0, left_out)


def _check_effects(effects: Array, names: NamesByBearers) -> None:
    if effects.ndim != 2 or effects.shape[1] != names.bearers.size:
        expected = f"(rows, {names.bearers.size:,})"
        raise ArgumentError("effects", f"has the shape {effects.shape}; expected {expected}")
    if np.isnan(effects).any():
        raise ArgumentError("effects", "holds NaN; leave out names without an effect")
