"""Restricted maximum likelihood for crossed random intercepts, after one reduction over sentences.

With H = I + Σ_k γ_k Z_k Z_k' and γ_k = σ_k²/σ², all that the likelihood needs of the sentences is
A = Z'MZ, b = Z'My and c = y'My, where M takes the fixed effects out. With T = (I + AD)⁻¹, where D
holds each column's γ, and ν = n − p, the criterion to be minimised is

    −2ℓ(γ) = log|I + AD| + ν log Q(γ),    Q = c − b'DTb = r + a'Tb,

where a = A⁻b, and r = c − a'b is what is left when the factors count as fixed too; the second form
loses no digits where r is a small part of c.

After Patterson and Thompson (1971); Newton where it curves upwards, else Fisher scoring.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.stats.random_effects import Array, Codes, Reduced, moments, some

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


def criterion(of: Reduced, ratios: Array) -> Criterion:
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


def smallest(of: Reduced, start: Array) -> tuple[Array, Flags, Codes]:
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


def first_guess(of: Reduced) -> Array:
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
