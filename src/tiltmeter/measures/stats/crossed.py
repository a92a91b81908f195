"""The variance of a mean whose numbers share people, templates and words.

A mean of differences θ̂ = Σ S_c / N is made of clusters c, each with a sum S_c of n_c numbers. Had
other clusters been drawn, it would be another mean; with h_c = n_c / N its variance is estimated by

    V = κ Σ_c (S_c − n_c θ̂)² / (1 − h_c) / N²

The divisor makes it unbiased where the numbers are independent (CR2, Bell & McCaffrey 2002) and κ
where clusters differ (it is 1 where they are alike in size); its degrees of freedom are
Satterthwaite's, G − 1 for G clusters alike in size. Sources that are crossed are added, and what
they share is taken off once:

    V = V_a + V_b − V_shared,   never less than either of the first two
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.members import members

Array = NDArray[np.float64]

ROUNDING = 1e-14
"""A sum of squares that is a smaller part of what it is made of, is nothing."""


@dataclass(frozen=True, slots=True)
class Source:
    """What one kind of cluster adds to the variance of each row's mean."""

    rows: Array
    """(rows, clusters): their squares add up to `variance`; linear in the numbers."""
    variance: Array
    """(rows,); 0 where there is one cluster only, which is then held fixed."""
    df: Array
    """(rows,); 0 where it is held fixed."""
    clusters: int
    """How many there are."""


def source(sums: Array, n: Array, whole: Array | None = None) -> Source:
    """What clusters add: their sums and counts, (rows, clusters), about their own mean.

    `whole` (rows,) is how many numbers the mean is of, where these clusters hold a part of them.

    >>> found = source(np.array([[1.0, 3.0, 8.0]]), np.ones((1, 3)))
    >>> found.variance, found.df  # 1, 3, 8 have variance 13; 13 / 3, and 3 − 1
    (array([4.33333333]), array([2.]))
    """
    total = n.sum(axis=1, keepdims=True)
    share = over(n, total)
    apart = sums - n * over(sums.sum(axis=1, keepdims=True), total)
    apart = np.where(apart**2 < ROUNDING * (sums**2).sum(axis=1, keepdims=True), 0.0, apart)
    left, among = 1.0 - share, np.count_nonzero(n, axis=1)
    free = (among > 1)[:, None] & (n > 0) & (left > ROUNDING)
    grown, df = _unequal(np.where(free, share, 0.0), np.where(free, left, 1.0))
    scale = np.where(
        free, np.sqrt(np.where(free, grown[:, None] / np.where(free, left, 1.0), 0)), 0
    )
    scaled = apart * scale / np.maximum(total if whole is None else whole[:, None], 1)
    return Source(
        scaled, (scaled**2).sum(axis=1), np.where(among > 1, df, 0.0), int(among.max(initial=0))
    )


def _unequal(share: Array, left: Array) -> tuple[Array, Array]:
    """κ and the degrees of freedom of clusters of unequal size, (rows,) each.

    With x_c independent, V = Σ g_c² (x_c − Σ h x)², g² = h²/(1 − h); its mean over Σ h² gives κ,
    and (tr Q)² / tr Q² the degrees of freedom.
    """
    weight, squares = share**2 / left, (share**2).sum(axis=1)
    a0, a1, a2 = ((weight * share**power).sum(axis=1) for power in range(3))
    first = a0 * (1.0 + squares) - 2.0 * a1
    cross = squares**2 * a0**2 + 2.0 * a2 * a0 + 2.0 * a1**2 - 4.0 * squares * a1 * a0
    own = 1.0 - 2.0 * share + squares[:, None]
    second = cross + (weight**2 * (own**2 - (own - 1.0) ** 2)).sum(axis=1)
    return over(squares, first), over(first**2, second)


def stratified(
    sums: Array, n: Array, stratum: NDArray[np.int64], whole: Array | None = None
) -> Source:
    """What clusters add that are drawn from their own stratum each, all strata at once.

    The sum of the `source` of each; `stratum` (clusters,) counts from 0 up.

    >>> sums, n = np.array([[1.0, 3.0, 8.0, 2.0, 6.0]]), np.ones((1, 5))
    >>> found = stratified(sums, n, np.array([0, 0, 0, 1, 1]))
    >>> each = [source(sums[:, some], n[:, some], np.array([5.0])) for some in ([0, 1, 2], [3, 4])]
    >>> np.allclose(found.variance, each[0].variance + each[1].variance)
    True
    """
    if not stratum.size:
        return Source(n[:, :0], np.zeros(len(n)), np.zeros(len(n)), 0)
    add = members(stratum, int(stratum.max()) + 1)

    def of_own(values: Array) -> Array:
        """For each cluster what its stratum comes to."""
        spread: Array = (values @ add)[:, stratum]
        return spread

    share = over(n, of_own(n))
    apart = sums - n * over(of_own(sums), of_own(n))
    apart = np.where(apart**2 < ROUNDING * of_own(sums**2), 0.0, apart)
    among = (n > 0).astype(np.float64) @ add
    left = 1.0 - share
    free = (among[:, stratum] > 1) & (n > 0) & (left > ROUNDING)
    taken, rest = np.where(free, share, 0.0), np.where(free, left, 1.0)
    weight, squares = taken**2 / rest, taken**2 @ add
    a0, a1, a2 = ((weight * taken**power) @ add for power in range(3))
    first = a0 * (1.0 + squares) - 2.0 * a1
    cross = squares**2 * a0**2 + 2.0 * a2 * a0 + 2.0 * a1**2 - 4.0 * squares * a1 * a0
    own = 1.0 - 2.0 * taken + squares[:, stratum]
    second = cross + (weight**2 * (own**2 - (own - 1.0) ** 2)) @ add
    grown = over(squares, first)[:, stratum]
    scale = np.where(free, np.sqrt(grown / rest), 0.0)
    total = n.sum(axis=1) if whole is None else whole
    rows = apart * scale / np.maximum(total, 1)[:, None]
    variance, df = rows**2 @ add, np.where(among > 1, over(first**2, second), 0.0)
    spent, most = over(variance**2, df).sum(axis=1), df.sum(axis=1)
    added = variance.sum(axis=1)
    return Source(
        rows, added, np.where(spent > 0, over(added**2, spent), most),
        int(among.max(axis=0, initial=0).sum()),
    )  # fmt: skip


def crossed(first: Array, second: Array, shared: Array) -> Array:
    """The variance from two crossed sources.

    >>> crossed(np.array([3.0, 1.0]), np.array([2.0, 1.0]), np.array([1.0, 1.5]))
    array([4., 1.])
    """
    found: Array = np.maximum(first + second - shared, np.maximum(first, second))
    return found


def satterthwaite(variance: Array, sources: list[Source]) -> Array:
    """Degrees of freedom of a variance put together from sources: V² / Σ (V_s² / df_s)."""
    spent = sum((over(one.variance**2, one.df) for one in sources), np.zeros(variance.shape))
    most = sum((one.df for one in sources), np.zeros(variance.shape))
    return np.where(spent > 0, np.minimum(over(variance**2, spent), most), most)


def over(top: Array, bottom: Array) -> Array:
    """The quotient, 0 where there is nothing to divide by.

    >>> over(np.array([1.0, 2.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    top, bottom = np.broadcast_arrays(top, bottom)
    quotient: Array = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom > 0)
    return quotient
