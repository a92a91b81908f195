"""Standard errors that allow for shared names, templates and words; least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.moments import members

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """Fits of every submission; NaN where there is none."""

    parameters: Array
    """(submissions, p)"""
    covariance: Array
    """(submissions, p, p), as if sentences were independent and spread alike."""
    df: Array
    """(submissions,): scores minus parameters."""


def fit_least_squares(n: Array, total: Array, squares: Array, design: Array) -> LeastSquares:
    """Fit from n, Σ y and Σ y² of each cell, (submissions, cells); `design` is (cells, p).

    Câmara et al. (2022) print least-squares coefficients under the name of Beta coefficients; so
    does the published mode. Σ (y − ŷ)² is summed within cells and between them, so that no digits
    are lost.
    """
    size = design.shape[1]
    normal = np.einsum("sc,cj,ck->sjk", n, design, design, optimize=True)
    parameters = np.full((len(n), size), np.nan)
    covariance = np.full((len(n), size, size), np.nan)
    df = n.sum(axis=1) - size
    fine = (np.linalg.matrix_rank(normal, hermitian=True) == size) & (df > 0)
    if fine.any():
        inverse = np.linalg.inv(normal[fine])
        found = np.einsum("sjk,sc,ck->sj", inverse, total[fine], design, optimize=True)
        many, sums = n[fine], total[fine]
        with np.errstate(all="ignore"):
            mean = np.where(many > 0, sums / many, 0.0)
            within = np.where(many > 0, squares[fine] - sums * mean, 0.0)
        between = many * (mean - found @ design.T) ** 2
        residual = np.sum(np.maximum(within, 0.0) + between, axis=1)
        parameters[fine] = found
        covariance[fine] = inverse * (residual / df[fine])[:, None, None]
    return LeastSquares(parameters, covariance, np.where(fine, df, np.nan))


# A group of names is seen in some templates. Another ten names, or another seven templates, would
# have given another estimate; its variance has a part from either. With the score sums S_g of the
# clusters of one kind and the information H = Σ H_g,
#     V = H⁻¹ (Σ_g A_g S_g S_g' A_g') H⁻¹,    A_g = (I − H_g H⁻¹)^(−1/2)
# is CR2 (Bell & McCaffrey 2002): without bias where sentences are independent, however few clusters
# there are. Its degrees of freedom are Satterthwaite's. What names and templates share is in both
# parts and is taken off once, as in Clark's (1973) quasi F':
#     V = V_names + V_templates − V_names×templates,  but never less than either of the first two
# In a balanced design that is the classical analysis of variance with names nested in groups and
# crossed with templates.

Codes = NDArray[np.int64]

ROUNDING = 1e-14
"""A sum of squares that is a smaller part of what it is the difference of, is nothing."""
WHOLE = 1e-10
"""A share of the information this near to 1 is a cluster that alone knows a parameter."""


@dataclass(frozen=True, slots=True)
class CombinationVariance:
    """The variance of some combinations of parameters, (submissions, combinations)."""

    variance: Array
    df: Array


def cr2(
    scores: Array, information: Array, inverse: Array, combinations: Array
) -> CombinationVariance:
    """One kind of cluster.

    `scores` (s, clusters, k) and `information` (s, clusters, k, k) are the sums of each cluster;
    `inverse` (s, k, k) is what turns a sum of scores into a change of the estimate; `combinations`
    (s, c, k) what is asked for.
    """
    whole = information.sum(axis=1)
    adjust, inner = _adjusted(information, whole)
    reach = combinations @ inverse  # (s, c, k)
    weight = np.einsum("sck,sgkl->sgcl", reach, adjust)
    moved = np.einsum("sgcl,sgl->sgc", weight, scores)
    return CombinationVariance(np.sum(moved**2, axis=1), _satterthwaite(weight, information, inner))


def _adjusted(information: Array, whole: Array) -> tuple[Array, Array]:
    """(I − H_g H⁻¹)^(−1/2) of every cluster, and H⁻¹.

    With H = L L', it is L (I − L⁻¹ H_g L'⁻¹)^(−1/2) L⁻¹, and what stands in brackets is symmetric.
    A parameter that one cluster alone knows is left out, as in clubSandwich.
    """
    low = np.linalg.cholesky(whole)
    up = np.linalg.inv(low)
    share = up[:, None] @ information @ np.swapaxes(up, 1, 2)[:, None]
    values, vectors = np.linalg.eigh((share + np.swapaxes(share, 2, 3)) / 2.0)
    rest = 1.0 - np.clip(values, 0.0, 1.0)
    root = np.where(rest > WHOLE, 1.0 / np.sqrt(np.maximum(rest, WHOLE)), 0.0)
    middle = (vectors * root[..., None, :]) @ np.swapaxes(vectors, 2, 3)
    return low[:, None] @ middle @ up[:, None], np.swapaxes(up, 1, 2) @ up


def _satterthwaite(weight: Array, information: Array, inner: Array) -> Array:
    """(tr B)² / tr B², B the covariance of the clusters' parts if sentences were independent.

    B_gh = w_g' ([g = h] H_g − H_g H⁻¹ H_h) w_h = [g = h] o_g − u_g' u_h, with u_g = L' H_g w_g and
    H⁻¹ = L L'; so that tr B² = Σ o_g (o_g − 2 |u_g|²) + ‖Σ u_g u_g'‖² without B itself.
    """
    turned = np.swapaxes(weight, 2, 3)  # (s, g, k, c)
    seen = information @ turned
    own = np.swapaxes(np.sum(turned * seen, axis=2), 1, 2)  # (s, c, g)
    low = np.linalg.cholesky(inner)
    u = (np.swapaxes(low, 1, 2)[:, None] @ seen).transpose(0, 3, 1, 2)  # (s, c, g, k)
    length, gram = np.sum(u * u, axis=3), np.swapaxes(u, 2, 3) @ u
    trace = np.sum(own - length, axis=2)
    square = np.sum(own * (own - 2.0 * length), axis=2) + np.sum(gram * gram, axis=(2, 3))
    sound = square > ROUNDING * np.sum(own, axis=2) ** 2
    found: Array = np.divide(trace**2, square, out=np.full(trace.shape, np.nan), where=sound)
    return found


def remainder(
    moved: Array, person: Codes, template: Codes, group: Codes
) -> CombinationVariance | None:
    """What person and template leave over.

    `moved` (s, c, atoms) is what each atom adds to the estimate, `group` the group of each person.
    None where not every person stands in every template, or there are too few to tell it apart:
    then nothing is taken off, and the errors are rather too large.
    """
    people, templates = len(group), int(template.max(initial=-1)) + 1
    there = np.zeros((people, templates), bool)
    there[person, template] = True
    sizes = np.bincount(group)
    if not there.all() or templates < 2 or sizes[sizes > 0].min() < 2:
        return None
    add = members(person * templates + template, people * templates)
    flat = moved.reshape(-1, person.size) @ add
    table = flat.reshape(*moved.shape[:2], people, templates)
    left, free = table - table.mean(axis=3, keepdims=True), np.zeros(people)
    for one in np.flatnonzero(sizes):
        mine = group == one
        left[:, :, mine] -= left[:, :, mine].mean(axis=2, keepdims=True)
        free[mine] = (sizes[one] - 1) / sizes[one]
    share = (templates - 1) / templates
    parts = np.sum(left**2, axis=3) / (free * share)  # (s, c, people)
    by_group = np.stack([parts[:, :, group == one].sum(axis=2) for one in np.flatnonzero(sizes)])
    freedom = (sizes[sizes > 0] - 1) * (templates - 1)
    variance = by_group.sum(axis=0)
    with np.errstate(all="ignore"):
        df = variance**2 / np.sum(by_group**2 / freedom[:, None, None], axis=0)
    return CombinationVariance(variance, np.where(variance > 0, df, np.inf))


def cluster_crossed(
    names: CombinationVariance,
    templates: CombinationVariance | None,
    rest: CombinationVariance | None,
) -> CombinationVariance:
    """Both kinds of cluster together."""
    if templates is None:
        return names
    parts = [names, templates] if rest is None else [names, templates, rest]
    signs = (1.0, 1.0, -1.0)
    total = sum(sign * part.variance for sign, part in zip(signs, parts, strict=False))
    larger = np.where(names.variance >= templates.variance, names.df, templates.df)
    least = np.maximum(names.variance, templates.variance)
    with np.errstate(all="ignore"):
        uncertain = sum((part.variance**2 / part.df for part in parts), np.zeros_like(least))
        df = np.where(total > least, total**2 / uncertain, larger)
    return CombinationVariance(np.maximum(total, least), df)


# A mean of differences θ̂ = Σ S_c / N is made of clusters c, each with a sum S_c of n_c numbers.
# Had other clusters been drawn, it would be another mean; with h_c = n_c / N its variance is
# estimated by
#     V = κ Σ_c (S_c − n_c θ̂)² / (1 − h_c) / N²
# The divisor makes it unbiased where the numbers are independent (CR2, Bell & McCaffrey 2002) and κ
# where clusters differ (it is 1 where they are alike in size); its degrees of freedom are
# Satterthwaite's, G − 1 for G clusters alike in size. Sources that are crossed are added, and what
# they share is taken off once:
#     V = V_a + V_b − V_shared,   never less than either of the first two


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


def crossed_variance(first: Array, second: Array, shared: Array) -> Array:
    """The variance from two crossed sources.

    >>> crossed_variance(np.array([3.0, 1.0]), np.array([2.0, 1.0]), np.array([1.0, 1.5]))
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
