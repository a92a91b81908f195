"""Linear mixed models with crossed random intercepts, by REML, for every submission at once.

    y = Xβ + Σ_k Z_k u_k + e  with  u_k ~ N(0, σ_k² I)  and  e ~ N(0, σ² I)

Sentences are read once; after that the cost depends on the levels of the factors (names, templates
…), not on the sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

DUST = 1e-6
"""A residual below this part of the spread that the fixed effects leave counts as 0."""
SAME = 1e-8
"""Factors whose patterns differ by less than this cannot be told apart."""


@dataclass(frozen=True, slots=True)
class ReducedSentences:
    """Sentences as REML sees them: the design once, the values of s submissions."""

    free: int
    """ν = n − p."""
    inner: Array
    """A = Z'MZ, (q, q)."""
    owner: Array
    """1 where a random column belongs to a factor, (q, K)."""
    toward: Array
    """b = Z'My, (s, q)."""
    rest: Array
    """c = y'My, (s,)."""
    levels: Array
    """a = A⁻b: the factors' levels fitted as fixed effects, (s, q)."""
    least: Array
    """r, the squares these leave, (s,)."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The fixed effects' side: estimates by least squares, and what random effects change."""

    coefficients: Array
    inverse: Array
    """(X'X)⁻¹."""
    lean: Array
    """Z'X(X'X)⁻¹, (q, p)."""
    size: float
    """log|X'X|."""


def reduce_sentences(
    y: Array, x: Array, factors: Sequence[Codes]
) -> tuple[list[int], Fixed, ReducedSentences]:
    """The one pass over sentences: which factors stay, the fixed side, and the random one."""
    basis, root = np.linalg.qr(x)
    blocks = [np.equal.outer(codes, np.unique(codes)).astype(float) for codes in factors]
    free = x.shape[0] - x.shape[1]
    kept = _identifiable([z - basis @ (basis.T @ z) for z in blocks], free)
    z = np.concatenate([np.empty((x.shape[0], 0)), *(blocks[k] for k in kept)], axis=1)
    owner = np.repeat(np.eye(len(kept)), [blocks[k].shape[1] for k in kept], axis=0)
    left = y - (y @ basis) @ basis.T
    cross = z.T @ basis
    invert = np.linalg.inv(root)
    fixed = Fixed(
        coefficients=y @ basis @ invert.T,
        inverse=invert @ invert.T,
        lean=cross @ invert.T,
        size=2.0 * float(np.sum(np.log(np.abs(np.diagonal(root))))),
    )
    inner, moved = z.T @ z - cross @ cross.T, z - basis @ cross.T
    toward, rest = left @ moved, np.sum(left**2, axis=1)
    levels = toward @ np.linalg.pinv(inner, rcond=SAME, hermitian=True)
    least = np.sum((left - levels @ moved.T) ** 2, axis=1)
    return kept, fixed, ReducedSentences(free, inner, owner, toward, rest, levels, least)


def _identifiable(blocks: Sequence[Array], free: int) -> list[int]:
    """The factors whose MZ_kZ_k'M is no combination of M and of those of the factors before."""
    kept: list[int] = []
    for k, block in enumerate(blocks):
        tried = [*(blocks[j] for j in kept), block]
        owner = np.repeat(np.eye(len(tried)), [z.shape[1] for z in tried], axis=0)
        joined = np.concatenate(tried, axis=1)
        products = moments(joined.T @ joined, owner, free)
        size = np.sqrt(np.diagonal(products))
        if size[-2] > SAME * size[-1]:
            unit = products / (size[:, None] * size[None, :])
            kept += [k] if np.linalg.eigvalsh(unit)[0] > SAME else []
    return kept


def leaves_something(y: Array, of: ReducedSentences) -> Codes:
    """Submissions whose values vary, and not only from level to level of the factors."""
    saturated = np.linalg.matrix_rank(of.inner, tol=SAME, hermitian=True) >= of.free
    spare = saturated | (of.least > DUST**2 * of.rest)
    able: Codes = np.flatnonzero(spare & (of.rest > DUST**4 * np.sum(y**2, axis=1)))
    return able


def some(of: ReducedSentences, rows: NDArray[np.int64] | slice) -> ReducedSentences:
    """The same design with the values of some submissions."""
    kept = (part[rows] for part in (of.toward, of.rest, of.levels, of.least))
    return ReducedSentences(of.free, of.inner, of.owner, *kept)


def moments(inner: Array, owner: Array, free: int) -> Array:
    """The products tr(V_i M V_j M) of the parts of the variance, the residual last."""
    traces = np.diagonal(inner) @ owner
    return np.block(
        [[owner.T @ inner**2 @ owner, traces[:, None]], [traces[None, :], np.full((1, 1), free)]]
    )


# With H = I + Σ_k γ_k Z_k Z_k' and γ_k = σ_k²/σ², all that the likelihood needs of the sentences is
# A = Z'MZ, b = Z'My and c = y'My, where M takes the fixed effects out. With T = (I + AD)⁻¹, where D
# holds each column's γ, and ν = n − p, the criterion to be minimised is
#     −2ℓ(γ) = log|I + AD| + ν log Q(γ),    Q = c − b'DTb = r + a'Tb,
# where a = A⁻b, and r = c − a'b is what is left when the factors count as fixed too; the second
# form loses no digits where r is a small part of c. After Patterson and Thompson (1971); Newton
# where it curves upwards, else Fisher scoring.

Flags = NDArray[np.bool_]

ROUNDS = 100
NEAR = 1e-9
"""A step that promises to lower −2ℓ by less than this is the last one."""
LARGEST = 1e10
"""A ratio beyond this says that no residual is left, and there is no fit."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """−2ℓ at a ratio γ for each submission, with what its derivatives are made of."""

    value: Array
    scale: Array
    """σ² = Q/ν."""
    toward: Array
    """g = Tb, (s, q)."""
    trace: Array
    """tr B_kk, (s, K), where B = TA."""
    explained: Array
    """g_k'g_k / σ², (s, K)."""
    squares: Array
    """‖B_kl‖², (s, K, K)."""
    forms: Array
    """g_k'B_kl g_l / σ², (s, K, K)."""


def criterion(of: ReducedSentences, ratios: Array) -> Criterion:
    """−2ℓ and its parts at the ratios γ, shape (s, K)."""
    s, q = of.toward.shape
    weights = ratios @ of.owner.T
    matrix = np.eye(q) + of.inner * weights[:, None, :]
    right = np.concatenate([np.broadcast_to(of.inner, (s, q, q)), of.toward[:, :, None]], axis=2)
    solved = np.linalg.solve(matrix, right)
    inner, toward = solved[:, :, :q], solved[:, :, q]
    squares = of.least + np.sum(of.levels * toward, axis=1)
    scale = np.maximum(squares / of.free, np.finfo(float).tiny)
    outer = toward[:, :, None] * toward[:, None, :]
    return Criterion(
        value=np.linalg.slogdet(matrix)[1] + of.free * np.log(scale),
        scale=scale,
        toward=toward,
        trace=np.diagonal(inner, axis1=1, axis2=2) @ of.owner,
        explained=(toward**2 @ of.owner) / scale[:, None],
        squares=of.owner.T @ (inner**2) @ of.owner,
        forms=of.owner.T @ (outer * inner) @ of.owner / scale[:, None, None],
    )


def smallest(of: ReducedSentences, start: Array) -> tuple[Array, Flags, Codes]:
    """The ratios γ ≥ 0 with the smallest −2ℓ, whether they were reached, and after how many steps.

    Each step goes to the lowest point of a parabola among all γ ≥ 0, and is halved until it helps.
    """
    s = start.shape[0]
    at, step, trial = start.copy(), np.zeros_like(start), start.copy()
    value, reach = np.full(s, np.inf), np.ones(s)
    live, reached, steps = np.arange(s), np.zeros(s, bool), np.zeros(s, np.int64)
    for _ in range(ROUNDS):
        here = criterion(some(of, live), trial[live])
        better = here.value <= value[live] + NEAR
        moved = live[better]
        at[moved], value[moved] = trial[moved], here.value[better]
        step[moved], gain = _step(of.free, here, trial[live], better)
        reach[moved] = 1.0
        reach[live[~better]] /= 2.0
        steps[live] += 1
        near = np.zeros(live.size, bool)
        near[better] = gain < NEAR
        reached[live[near]] = True
        trial[live] = np.maximum(at[live] + reach[live, None] * step[live], 0.0)
        bounded = trial[live].max(axis=1, initial=0.0) < LARGEST
        live = live[~near & bounded & (reach[live] > NEAR)]
        if not live.size:
            break
    return np.where(reached[:, None], trial, at), reached, steps


def first_guess(of: ReducedSentences) -> Array:
    """Ratios γ from moments: b_k'b_k and c set equal to what they are expected to be.

    E b_k'b_k = Σ_l σ_l² ‖A_kl‖² + σ² tr A_kk and E c = Σ_l σ_l² tr A_ll + σ² ν.
    """
    seen = np.column_stack([of.toward**2 @ of.owner, of.rest])
    found = np.linalg.solve(moments(of.inner, of.owner, of.free), seen.T).T
    least = 1e-3 * of.rest / of.free
    ratios: Array = np.maximum(found[:, :-1], 0.0) / np.maximum(found[:, -1], least)[:, None]
    return ratios


def _step(free: int, here: Criterion, at: Array, rows: Flags) -> tuple[Array, Array]:
    """The step to the lowest point of the local parabola, and how much it promises."""
    trace, explained = here.trace[rows], here.explained[rows]
    slope = trace - explained
    ridge = 1.0 + 1e-12 * np.eye(at.shape[1])  # against rounding where a ratio is very large
    fisher = ridge * here.squares[rows] - trace[:, :, None] * trace[:, None, :] / free
    shared = explained[:, :, None] * explained[:, None, :] / free
    newton = 2.0 * here.forms[rows] - here.squares[rows] - shared
    pinned = (at[rows] == 0.0) & (slope > 0.0)
    diagonal = np.eye(at.shape[1], dtype=bool)
    newton = np.where(pinned[:, :, None] | pinned[:, None, :], fisher * diagonal, newton)
    size = np.sqrt(np.diagonal(fisher, axis1=1, axis2=2))
    upward = np.linalg.eigvalsh(newton / (size[:, :, None] * size[:, None, :])) > 1e-3
    curve = np.where(np.all(upward, axis=1)[:, None, None], newton, fisher)
    return lowest(at[rows], slope, curve)


def lowest(at: Array, slope: Array, curve: Array) -> tuple[Array, Array]:
    """The d with at + d ≥ 0 where slope·d + d'·curve·d / 2 is lowest, and how far down that is.

    Every choice of parts that end at 0 is tried, so the answer is exact.

    >>> lowest(np.array([[1.0]]), np.array([[3.0]]), np.array([[[2.0]]]))  # −1.5 would go below 0
    (array([[-1.]]), array([2.]))
    """
    best, depth = np.zeros_like(at), np.zeros(at.shape[0])
    for chosen in product((False, True), repeat=at.shape[1]):
        bound = np.array(chosen, bool)
        step = np.where(bound, -at, 0.0)
        pull = -(slope + (curve @ step[:, :, None])[:, :, 0])[:, ~bound]
        inside = curve[:, ~bound][:, :, ~bound]
        step[:, ~bound] = np.linalg.solve(inside, pull[:, :, None])[:, :, 0]
        down = -np.sum((slope + (curve @ step[:, :, None])[:, :, 0] / 2.0) * step, axis=1)
        lower = np.all(at + step >= 0.0, axis=1) & (down > depth)
        best[lower], depth[lower] = step[lower], down[lower]
    return best, depth


TOGETHER = 32
"""Submissions fitted in one go: each needs a few matrices of random columns × random columns."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A mixed model for each of S submissions; NaN throughout where it did not converge."""

    coefficients: Array
    """β, (S, p)."""
    covariance: Array
    """(X'V⁻¹X)⁻¹, (S, p, p)."""
    estimate: Array
    """The combinations asked for, (S, k)."""
    se: Array
    df: Array
    """Satterthwaite's degrees of freedom, (S, k)."""
    variances: Array
    """σ_k² by factor and σ² last, (S, K + 1); NaN for a factor that was left out."""
    log_likelihood: Array
    """The restricted one, (S,)."""
    converged: Flags
    iterations: NDArray[np.int64]


def fit_mixed(values: Array, design: Array, factors: Sequence[Codes], combinations: Array) -> Mixed:
    """Mixed models of values (S, N) on a design (N, p), a random intercept for each factor (N,).

    A factor that the fixed effects absorb, or that cannot be told from the residual and the
    factors before it, is left out. A component at its bound is exactly 0. Degrees of freedom are
    2v²/(g'Ag) as in lmerTest (Kuznetsova et al. 2017), without the components at 0.

    >>> y = np.array([[1.0, 3.0, 2.0, 4.0, 7.0, 7.0]])
    >>> person = np.array([0, 0, 1, 1, 2, 2])
    >>> fit = fit_mixed(y, np.ones((6, 1)), [person], np.ones((1, 1)))
    >>> fit.variances.round(4).tolist()  # within (2 + 2 + 0)/3; ((8 + 2 + 18)/2 − 4/3)/2, between
    [[6.3333, 1.3333]]
    """
    s, p, k = len(values), design.shape[1], len(combinations)
    fit = Mixed(
        coefficients=np.full((s, p), np.nan),
        covariance=np.full((s, p, p), np.nan),
        estimate=np.full((s, k), np.nan),
        se=np.full((s, k), np.nan),
        df=np.full((s, k), np.nan),
        variances=np.full((s, len(factors) + 1), np.nan),
        log_likelihood=np.full(s, np.nan),
        converged=np.zeros(s, bool),
        iterations=np.zeros(s, np.int64),
    )
    known = ~np.isnan(values)
    _, which = np.unique(np.packbits(known, axis=1), axis=0, return_inverse=True)
    for pattern in range(which.max(initial=-1) + 1):  # submissions that answered the same sentences
        rows = np.flatnonzero(which.ravel() == pattern)
        seen = np.flatnonzero(known[rows[0]])
        y, x = values[np.ix_(rows, seen)], design[seen]
        if seen.size <= p or np.linalg.matrix_rank(x) < p:
            continue
        kept, fixed, reduced = reduce_sentences(y, x, [codes[seen] for codes in factors])
        able = leaves_something(y, reduced)
        for part in np.array_split(able, max(1, -(-able.size // TOGETHER))):
            of = some(reduced, part)
            ratios, reached, fit.iterations[rows[part]] = smallest(of, first_guess(of))
            # A residual that shrinks to nothing is no fit.
            held = reached & (criterion(of, ratios).scale * of.free > DUST**2 * of.rest)
            of, least = some(reduced, part[held]), fixed.coefficients[part[held]]
            _enter(fit, rows[part[held]], kept, of, ratios[held], fixed, least, combinations)
    return fit


def _enter(
    fit: Mixed,
    rows: Codes,
    kept: list[int],
    of: ReducedSentences,
    ratios: Array,
    fixed: Fixed,
    least: Array,
    combinations: Array,
) -> None:
    """β = β_ols − U'Dg and its covariance σ²((X'X)⁻¹ + U'DTU), where U = Z'X(X'X)⁻¹."""
    at, weights = criterion(of, ratios), ratios @ of.owner.T
    matrix = np.eye(weights.shape[1]) + of.inner * weights[:, None, :]
    lean = np.linalg.solve(matrix, np.broadcast_to(fixed.lean, (len(ratios), *fixed.lean.shape)))
    shape = fixed.inverse + fixed.lean.T @ (weights[:, :, None] * lean)
    covariance = at.scale[:, None, None] * (shape + np.swapaxes(shape, 1, 2)) / 2.0
    variance = np.einsum("kp,spr,kr->sk", combinations, covariance, combinations)
    pulls = of.owner.T @ (lean @ combinations.T) ** 2 * at.scale[:, None, None]
    fit.converged[rows] = True
    fit.coefficients[rows] = least - (weights * at.toward) @ fixed.lean
    fit.covariance[rows] = covariance
    fit.estimate[rows] = fit.coefficients[rows] @ combinations.T
    fit.se[rows] = np.sqrt(variance)
    fit.df[rows] = _satterthwaite(of.free, at, ratios > 0.0, variance, pulls)
    fit.variances[rows[:, None], kept] = ratios * at.scale[:, None]
    fit.variances[rows, -1] = at.scale
    constant = of.free * (np.log(2.0 * np.pi) + 1.0) + fixed.size
    fit.log_likelihood[rows] = -0.5 * (at.value + constant)


def _satterthwaite(free: int, at: Criterion, inside: Flags, variance: Array, pulls: Array) -> Array:
    """2v²/(g'Ag): A is twice the inverse of −2ℓ's second derivatives in (γ, log σ²).

    Their choice does not matter at the maximum. pulls: the derivatives of v in γ, (s, K, k).
    """
    s, factors = inside.shape
    curve = np.empty((s, factors + 1, factors + 1))
    curve[:, :-1, :-1] = 2.0 * at.forms - at.squares
    curve[:, :-1, -1] = curve[:, -1, :-1] = at.explained
    curve[:, -1, -1] = free
    taken = np.column_stack([inside, np.ones(s, bool)])
    both = taken[:, :, None] & taken[:, None, :]
    curve = np.where(both, curve, np.eye(factors + 1))
    slope = np.concatenate([pulls, variance[:, None, :]], axis=1) * taken[:, :, None]
    sound = np.all(np.linalg.eigvalsh(curve) > 0.0, axis=1)
    curve[~sound] = np.eye(factors + 1)
    wobble = 2.0 * np.sum(slope * np.linalg.solve(curve, slope), axis=1)
    known = sound[:, None] & (wobble > 0.0)
    return np.where(known, 2.0 * variance**2 / np.where(known, wobble, 1.0), np.nan)
