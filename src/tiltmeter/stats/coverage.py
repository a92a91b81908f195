"""Whom a population of names holds, and the tilt without any cut-off (METHODS §10.3).

A population of "names common among Black Americans" is made by a cut-off: at least 80 % of a name's
bearers. It leaves most people out, and not alike: 92 % of Black and 60 % of White bearers. With b
the bearers of a name and s the share of them in a group,

    coverage of a group = Σ_(names inside) b s / Σ_(all names) b s
    θ = Σ b s₁ t / Σ b s₁ − Σ b s₂ t / Σ b s₂        over all names, t a name's effect

θ needs no cut-off: every bearer counts, by what their name does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ArgumentError

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


def group_coverage(bearers: Array, shares: Array, inside: Flags) -> Array:
    """The share of each group's bearers whose names a population holds, (groups,).

    `bearers` (names,) and `shares` (groups, names), from 0 to 1, are of all names there are;
    `inside` (groups, names) marks the names that stand for each group in the population, or
    (names,) those that stand for any. A group without bearers is NaN.

    Of 100 Anns 90 are White and 10 Black; of 50 Kims 20 and 30. A population of Anns holds 90 of
    110 White and 10 of 40 Black bearers.

    >>> shares = np.array([[0.9, 0.4], [0.1, 0.6]])
    >>> group_coverage(np.array([100.0, 50.0]), shares, np.array([True, False])).round(3)
    array([0.818, 0.25 ])
    """
    _check_shares(shares, bearers)
    people = bearers * shares
    whole = people.sum(axis=1)
    held = np.where(inside, people, 0.0).sum(axis=1)
    coverage: Array = np.divide(held, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return coverage


@dataclass(frozen=True, slots=True)
class BearersTilt:
    """The difference between two groups' bearers; arrays of shape (rows,)."""

    value: Array
    first: Array
    """The mean effect over the first group's bearers."""
    second: Array
    se: Array
    """Over the names drawn; 0 where all came."""
    df: Array
    n: NDArray[np.int64]
    """Names with an effect."""
    covered: Array
    """(rows, 2): the share of each group's bearers whose names have an effect, as estimated."""


def tilt_without_cutoff(
    effects: Array,
    bearers: Array,
    first: Array,
    second: Array,
    probability: Array | None = None,
    totals: tuple[float, float] | None = None,
) -> BearersTilt:
    """The tilt between all bearers of two groups, whatever their names.

    `effects` (rows, names), NaN where there is none; `bearers`, `first` and `second` (names,): how
    many bear a name, and the share of them in each group. `probability` (names,) is that of being
    drawn; None: all names came. `totals` are both groups' bearers over all names, where known: then
    `covered` says what part of them the names with an effect stand for. The variance is that of a
    difference of two ratios, linearised, by Σ (1 − π) e².

    Anns' effect is 1, Kims' 4: White (90·1 + 20·4)/110 = 1.545, Black (10·1 + 30·4)/40 = 3.25.

    >>> tilt = tilt_without_cutoff(
    ...     np.array([[1.0, 4.0]]), np.array([100.0, 50.0]), np.array([0.9, 0.4]),
    ...     np.array([0.1, 0.6]))
    >>> tilt.first.round(3), tilt.second, tilt.value.round(3), tilt.se
    (array([1.545]), array([3.25]), array([-1.705]), array([0.]))
    """
    shares = np.stack([first, second])
    _check_shares(shares, bearers)
    chance = np.ones(bearers.size) if probability is None else probability
    known = ~np.isnan(effects)
    t = np.where(known, effects, 0.0)
    counted = bearers / np.where(chance > 0, chance, 1.0)
    means, totals_seen, parts = list[Array](), list[Array](), list[Array]()
    for share in shares:
        weight = np.where(known, counted * share, 0.0)
        whole = weight.sum(axis=1)
        h = np.divide(weight, whole[:, None], out=np.zeros(weight.shape), where=whole[:, None] > 0)
        means.append(np.where(whole > 0, (h * t).sum(axis=1), np.nan))
        totals_seen.append(whole)
        parts.append(h)
    value, seen = means[0] - means[1], np.stack(totals_seen, axis=1)
    most = np.maximum(*parts)
    residual = parts[0] * (t - np.nan_to_num(means[0])[:, None])
    residual -= parts[1] * (t - np.nan_to_num(means[1])[:, None])
    left = np.where(most < 1.0, (1.0 - chance) / np.maximum(1.0 - most, 1e-12), 0.0)
    variance = (left * residual**2).sum(axis=1)
    spread = (1.0 - chance) * (parts[0] ** 2 + parts[1] ** 2)
    spent = (spread**2).sum(axis=1)
    df = np.divide(spread.sum(axis=1) ** 2, spent, out=np.ones(spent.shape), where=spent > 0)
    every = seen.max(axis=0) if totals is None else np.asarray(totals, np.float64)
    return BearersTilt(
        value, means[0], means[1], np.where(np.isnan(value), np.nan, np.sqrt(variance)),
        df - 1.0, known.sum(axis=1), seen / np.where(every > 0, every, np.nan),
    )  # fmt: skip


def _check_shares(shares: Array, bearers: Array) -> None:
    if shares.shape[-1] != bearers.size:
        message = f"{shares.shape[-1]:,} names; expected {bearers.size:,}, one for each of bearers"
        raise ArgumentError("shares", f"has {message}")
    if not ((shares >= 0.0) & (shares <= 1.0)).all():
        low, high = float(np.min(shares)), float(np.max(shares))
        bounds = f"from {low:g} to {high:g}; divide percent by 100"
        raise ArgumentError("shares", f"lies from 0 to 1; found {bounds}")
