"""Shares of pairs of names that differ by more than a margin (METHODS §10.4).

A pair is one name of each group, from the same cell of the other axes. With h the share of each
name in its cell's group, as in the mean of the claim, and a_c the share of each cell,

    first higher = Σ_c a_c Σ_ij h_i h_j [x_i − z_j > m],  first lower likewise,  within: the rest

and net = first higher − first lower. A tilt of another axis shifts nobody: x and z move alike.
These are two-sample U-statistics. With g_i the mean over the other group's names of what a pair of
i comes to, their variance is that of the mean of g over the first group plus that over the second
(Hájek; with names alike it is DeLong's of 1988 for the area under a ROC curve). Names drawn with
probabilities π count as in `survey.hajek`, by (1 − π); a census is exact.

A list in which nobody is shifted has no variance, so to both ends is added what names nobody saw
may do, at half the level on each side (see `unseen`): a share u of one group's names, each at worst
shifted against all others. A name costs a binary search in the other group: n log n in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.unseen import effective_names

Array = NDArray[np.float64]

SAME = 1e-9
"""A difference that is beyond the margin by less than this is rounding, and lies within it."""
DOUBT = float(ndtri(0.95) / np.sqrt(2.0))
"""Errors of each of two names by which their difference may be off: e + f ≤ √2 · √(e² + f²)."""


@dataclass(frozen=True, slots=True)
class DrawnNames:
    """The names of one group in one cell of the other axes; arrays of shape (names,)."""

    effects: Array
    """NaN where there is none: such names are left out."""
    weight: Array | None = None
    """What each counts in the population, as its bearers; None: all alike."""
    probability: Array | None = None
    """Of being drawn: 1 is certain; None or 0: from a population without end."""
    total: float | None = None
    """What all names of the cell's population weigh, where that is known."""
    error: Array | None = None
    """The standard error of each effect over sentences; None: each met every sentence."""
    knowable: float = 1.0
    """The share of the population that the system can know at all; see `unseen_share`."""


@dataclass(frozen=True, slots=True)
class NameCell:
    """Both groups of one cell, and its share of the claim; shares of all cells add up to 1."""

    first: DrawnNames
    second: DrawnNames
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share of pairs, or a difference of two shares, and where it may lie."""

    value: float
    low: float
    high: float
    se: float
    """The root of the variance that was seen, without what unseen names may do."""
    df: float
    """Satterthwaite's, over cells and groups; 0 where nothing was drawn."""


@dataclass(frozen=True, slots=True)
class ShiftedPairs:
    """What share of pairs of a name of each group differs by more than the margin, and where to."""

    first_lower: ShareInterval
    first_higher: ShareInterval
    within: ShareInterval
    net: ShareInterval
    """first_higher − first_lower, from −1 to 1."""
    either: ShareInterval
    """first_higher + first_lower."""
    n_first: int
    """Names with an effect; couples, of word pairs."""
    n_second: int
    census: bool
    """Whether every name of the population came: then intervals have no width."""


def shifted_names(cells: Sequence[NameCell], margin: float, level: float = 0.95) -> ShiftedPairs:
    """Pairs of names of two groups, within cells of the other axes.

    Names of a finite population are weighed so that its known total is what they add up to: those
    certain to come by their own weight, the rest by what is left of the total, by w/π. Where
    effects are known up to an error, the shares are of effects drawn in to the spread that they
    have without it (Louis 1984), and each end of an interval takes errors as bad as they may be.

    Women 1 and 5, men 0 and 2, margin 1: of four pairs, 5 is higher than either man, and 1 is
    within 1 of either.

    >>> women, men = DrawnNames(np.array([1.0, 5.0])), DrawnNames(np.array([0.0, 2.0]))
    >>> pairs = shifted_names([NameCell(women, men)], 1.0)
    >>> pairs.first_higher.value, pairs.first_lower.value, pairs.within.value, pairs.net.value
    (0.5, 0.0, 0.5, 0.5)
    """
    _check(margin, level)
    whole = sum(cell.share for cell in cells)
    if not np.isclose(whole, 1.0):
        raise ArgumentError("cells", f"have shares that add up to {whole:g}; expected 1")
    firsts, seconds = (
        [_Side.of(side) for side in sides]
        for sides in ([cell.first for cell in cells], [cell.second for cell in cells])
    )
    sides = [*firsts, *seconds]
    if not all(side.effects.size for side in sides):
        raise ArgumentError("cells", "holds a cell in which a group has no name with an effect")
    is_in_doubt = any(bool(side.error.any()) for side in sides)
    doubts = (0.0, -DOUBT, DOUBT) if is_in_doubt else (0.0,)
    bounds = [
        [
            _Cell.of(first, second, cell.share, margin, doubt)
            for first, second, cell in zip(firsts, seconds, cells, strict=True)
        ]
        for doubt in doubts
    ]  # the first group's effects as seen, all errors against it, all in its favour
    middle, least, most = bounds if is_in_doubt else bounds * 3
    counts = (
        sum(side.effects.size for side in firsts),
        sum(side.effects.size for side in seconds),
        all(bool(side.is_certain.all()) for side in sides),
    )
    return _summarise(middle, least, most, level, is_in_doubt, counts)


def _summarise(
    middle: Sequence[_Cell],
    least: Sequence[_Cell],
    most: Sequence[_Cell],
    level: float,
    is_in_doubt: bool,
    counts: tuple[int, int, bool],
) -> ShiftedPairs:
    """All numbers, from cells where the first group is as seen, at its least, at its most."""
    net = _interval(middle, least, most, "net", level)
    lower = _interval(middle, most, least, "lower", level)
    higher = _interval(middle, least, most, "higher", level)
    either = _interval(middle, middle, middle, "either", level)
    if is_in_doubt:  # no less than both are at least, no more than both at most
        either = replace(
            either, low=min(either.low, lower.low + higher.low),
            high=max(either.high, min(1.0, lower.high + higher.high)),
        )  # fmt: skip
    within = replace(either, value=1.0 - either.value, low=1.0 - either.high, high=1.0 - either.low)
    return ShiftedPairs(lower, higher, within, net, either, *counts)


def shifted_couples(
    differences: Array,
    margin: float,
    level: float = 0.95,
    *,
    family: NDArray[np.int64] | None = None,
    probability: Array | None = None,
    error: Array | None = None,
) -> ShiftedPairs:
    """Word pairs, such as my mother and my father: the two words of each are its pair.

    `differences` (couples,) are the first word's effect minus the second's, NaN where there is
    none. Couples of one `family` are drawn together; the variance and what unseen couples may do
    are by families. `probability` and `error` are as in `DrawnNames`, by couple.

    Four couples of four families, two of them beyond the margin, one each way: s² of ±1, 0, 0 is
    2/3, and se² = (2/3)/4.

    >>> pairs = shifted_couples(np.array([2.0, -2.0, 0.0, 0.5]), 1.0)
    >>> pairs.net.value, pairs.either.value, round(pairs.net.se**2, 4)
    (0.0, 0.5, 0.1667)
    """
    _check(margin, level)
    known = ~np.isnan(differences)
    if not known.any():
        raise ArgumentError("differences", "holds no couple with a difference")
    size = differences[known]
    chance = np.zeros(size.size) if probability is None else probability[known]
    noise = np.zeros(size.size) if error is None else error[known]
    doubt = np.sqrt(2.0) * DOUBT * noise
    place = np.arange(size.size)
    if family is not None:
        place = np.unique(family[known], return_inverse=True)[1].reshape(-1)
    middle, least, most = (
        [_Cell.of_couples(shift, place, chance, margin)]
        for shift in (_drawn_in(size, noise, np.ones(size.size)), size - doubt, size + doubt)
    )
    counts = (size.size, size.size, bool((chance >= 1.0).all()))
    return _summarise(middle, least, most, level, bool(doubt.any()), counts)


# ---------------------------------------------------------------- one group of one cell


@dataclass(frozen=True, slots=True)
class _Side:
    """One group's names in one cell, without those that have no effect."""

    effects: Array
    """Drawn in to their spread without errors."""
    raw: Array
    share: Array
    """h: they add up to 1."""
    probability: Array
    error: Array
    is_calibrated: bool
    """Whether what the population weighs is known, so that its certain part is fixed."""
    knowable: float

    @property
    def is_certain(self) -> NDArray[np.bool_]:
        return np.asarray(self.probability >= 1.0)

    @classmethod
    def of(cls, names: DrawnNames) -> _Side:
        known = ~np.isnan(names.effects)
        raw = names.effects[known]
        weight, probability, error = (
            np.full(raw.size, default) if values is None else np.asarray(values, np.float64)[known]
            for values, default in (
                (names.weight, 1.0), (names.probability, 0.0), (names.error, 0.0)
            )
        )  # fmt: skip
        counted = weight / np.where(probability > 0, probability, 1.0)
        certain = probability >= 1.0
        rest = 0.0 if names.total is None else names.total - float(weight[certain].sum())
        is_calibrated = rest > 0 and not certain.all()
        if is_calibrated:
            drawn = float(counted[~certain].sum())
            counted = np.where(certain, weight, counted * rest / drawn)
        share = counted / max(float(counted.sum()), 1e-300)
        return cls(
            _drawn_in(raw, error, share), raw, share, probability, error, is_calibrated,
            names.knowable,
        )  # fmt: skip

    def variance(self, values: Array) -> tuple[float, float]:
        """Of the mean of some values over the names drawn, and its degrees of freedom."""
        if self.is_calibrated:  # what is certain is fixed; the rest is a mean of its own
            drawn = ~self.is_certain
            part = float(self.share[drawn].sum())
            seen, df = _mean_variance(
                values[drawn], self.share[drawn] / part, self.probability[drawn]
            )
            return part**2 * seen, df
        return _mean_variance(values, self.share, self.probability)


def _mean_variance(values: Array, share: Array, probability: Array) -> tuple[float, float]:
    """Σ (1 − π) h² (g − ḡ)²/(1 − h), as `survey.hajek`; Satterthwaite's degrees of freedom."""
    drawn = (1.0 - probability) * share**2
    residual = values - _mean(values, share)
    rest = np.maximum(1.0 - share, 1e-12)
    variance = float(np.where(share < 1.0, drawn / rest * residual**2, 0.0).sum())
    squares = float((drawn**2).sum())
    return variance, float(drawn.sum()) ** 2 / squares - 1.0 if squares > 0 else 0.0


def _mean(values: Array, share: Array) -> float:
    """Exactly 1 where all values are."""
    return float((share * values).sum() / share.sum())


def _drawn_in(effects: Array, error: Array, share: Array) -> Array:
    """Effects drawn in to their mean by √λ, λ the part of their variance that is not error."""
    if not error.any():
        return effects
    mean = _mean(effects, share)
    spread = float((share * (effects - mean) ** 2).sum())
    noise = float((share * error**2).sum())
    kept = np.sqrt(max(0.0, 1.0 - noise / spread)) if spread > 0 else 1.0
    drawn: Array = mean + kept * (effects - mean)
    return drawn


# ---------------------------------------------------------------- one cell


@dataclass(frozen=True, slots=True)
class _Cell:
    """What the pairs of one cell come to."""

    lower: float
    higher: float
    share: float
    of_first: tuple[Array, Array]
    """Each first name's share of second names than which it is lower, and higher."""
    of_second: tuple[Array, Array]
    first: _Side
    second: _Side | None
    """None of couples, whose two words are one draw."""

    @classmethod
    def of(cls, first: _Side, second: _Side, share: float, margin: float, doubt: float) -> _Cell:
        x = first.effects if doubt == 0.0 else first.raw + doubt * first.error
        z = second.effects if doubt == 0.0 else second.raw - doubt * second.error
        x_lower, x_higher = _beyond(x, z, second.share, margin)
        z_lower, z_higher = _beyond(z, x, first.share, margin)
        lower, higher = (_mean(part, first.share) for part in (x_lower, x_higher))
        return cls(
            lower, higher, share, (x_lower, x_higher), (z_higher, z_lower), first, second
        )  # fmt: skip

    @classmethod
    def of_couples(
        cls, size: Array, place: NDArray[np.int64], chance: Array, margin: float
    ) -> _Cell:
        """Each family is a name: its share of couples beyond the margin, weighed by couples."""
        sizes = np.bincount(place).astype(np.float64)
        lower, higher = (
            np.bincount(place, marks.astype(np.float64)) / sizes
            for marks in (-size > margin + SAME, size > margin + SAME)
        )
        share, probability = sizes / sizes.sum(), np.bincount(place, chance) / sizes
        side = _Side(sizes, sizes, share, probability, np.zeros(sizes.size), False, 1.0)
        ends = (_mean(lower, share), _mean(higher, share))
        return cls(*ends, 1.0, (lower, higher), (lower, higher), side, None)

    def value(self, which: str) -> float:
        return float(COMBINED[which][0] * self.lower + COMBINED[which][1] * self.higher)

    def spread(self, which: str) -> list[tuple[float, float]]:
        """Variances and degrees of freedom of either group's part."""
        a, b = COMBINED[which]
        parts = [self.first.variance(a * self.of_first[0] + b * self.of_first[1])]
        if self.second is not None:
            parts.append(self.second.variance(a * self.of_second[0] + b * self.of_second[1]))
        return parts


COMBINED = {"lower": (1.0, 0.0), "higher": (0.0, 1.0), "net": (-1.0, 1.0), "either": (1.0, 1.0)}
"""What a lower and a higher pair count in each number."""
BOUNDS = {"lower": (0.0, 1.0), "higher": (0.0, 1.0), "net": (-1.0, 1.0), "either": (0.0, 1.0)}
"""Where each number can lie."""


def _beyond(x: Array, z: Array, share: Array, margin: float) -> tuple[Array, Array]:
    """For each x the share of z that it is lower than, and higher than, by more than the margin."""
    order = np.argsort(z, kind="stable")
    ranked, below = z[order], np.concatenate([[0.0], np.cumsum(share[order])])
    reach = margin + SAME
    higher = below[np.searchsorted(ranked, x - reach, side="left")]
    lower = below[-1] - below[np.searchsorted(ranked, x + reach, side="right")]
    return lower / below[-1], higher / below[-1]


def _interval(
    middle: Sequence[_Cell], least: Sequence[_Cell], most: Sequence[_Cell], which: str, level: float
) -> ShareInterval:
    """The number as seen, and its ends from the cells where it may be least and most."""
    value, se, df = _estimate(middle, which)
    unseen, ends = _unseen(middle, level), list[float]()
    for cells, bound, sign in zip((least, most), BOUNDS[which], (-1.0, 1.0), strict=True):
        at, error, free = _estimate(cells, which)
        seen = error * float(stdtrit(free, (1.0 + level) / 2.0)) if error > 0 else 0.0
        reach = float(np.sqrt(seen**2 + unseen * (bound - at) ** 2))
        ends.append(float(np.clip(at + sign * reach, *BOUNDS[which])))
    return ShareInterval(value, min(ends[0], value), max(ends[1], value), se, df)


def _estimate(cells: Sequence[_Cell], which: str) -> tuple[float, float, float]:
    """A number over all cells, its standard error and degrees of freedom."""
    value = sum(cell.share * cell.value(which) for cell in cells)
    parts = [
        (cell.share**2 * variance, df) for cell in cells for variance, df in cell.spread(which)
    ]
    variance = sum(part for part, _ in parts)
    spent = sum(part**2 / df for part, df in parts if df > 0)
    df = variance**2 / spent if spent > 0 else sum(df for _, df in parts)
    return float(value), float(np.sqrt(variance)), float(df)


def _unseen(cells: Sequence[_Cell], level: float) -> float:
    """Σ u² over both groups, all cells of a group together."""
    groups = [[(cell.share, cell.first) for cell in cells]]
    groups.append([(cell.share, cell.second) for cell in cells if cell.second is not None])
    total = 0.0
    for group in filter(None, groups):
        share = np.concatenate([part * side.share for part, side in group])
        probability = np.concatenate([side.probability for _, side in group])
        knowable = sum(part * side.knowable for part, side in group)
        total += float(effective_names(share[None], probability).unseen(level, knowable)[0]) ** 2
    return total


def _check(margin: float, level: float) -> None:
    if not margin >= 0.0:
        raise ArgumentError("margin", f"is a number from 0 up; found {margin!r}")
    if not 0.0 < level < 1.0:
        raise ArgumentError("level", f"lies between 0 and 1; found {level!r}")
