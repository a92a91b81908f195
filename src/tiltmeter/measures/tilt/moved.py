"""The share of people whom a system moves by more than a margin, by group.

A mean may bury them: +16 points for aunt and uncle against −16 for sister and brother is no tilt at
all. A name is moved where its effect lies further than the margin from the middle name, the median
of all names of its population, each name alike; a couple where its two differ by more.

Who met a part of the frames has an effect known up to chance, and so is the middle of a draw. Then
the lower end of a share counts those who are surely moved, the upper end those who may be, and the
share itself is of effects drawn in to the spread that they have without that chance (Louis 1984).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiltmeter.measures.contrasts import Contrast
from tiltmeter.measures.stats.survey import Share, share
from tiltmeter.measures.tilt.couple_sums import Couples
from tiltmeter.measures.tilt.people_sums import Effects

Array = NDArray[np.float64]
Places = NDArray[np.int64]

DOUBT = float(ndtri(0.95))
"""Errors that an effect may lie from where it was seen, either way."""
ALIKE = 51
"""People with effects about as large, whose spreads over frames are averaged."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Whom systems move, of one group or of one contrast's couples; a share for each row."""

    group: str
    shares: tuple[Share, ...]
    up: tuple[int, ...]
    """How many of those moved lie above the middle."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Everybody's effect beside the middle name, (rows, people); NaN where there is none."""

    value: Array
    low: Array
    """The least and the most that it may be: the middle and the effect known up to chance."""
    high: Array

    def beyond(self, margin: float) -> tuple[NDArray[np.bool_], ...]:
        """Who lies beyond a margin; who surely does; who may."""
        sure = (self.low > margin) | (self.high < -margin)
        possible = (self.high > margin) | (self.low < -margin)
        return np.abs(self.value) > margin, sure, possible


def apart_from_middle(effects: Effects) -> Apart:
    """How far everybody lies from the middle name of their match.

    In a draw a name stands for 1/π names of its population.
    """
    chance = effects.people["probability"].to_numpy()
    counted = 1.0 / np.where(chance > 0, chance, 1.0)
    census = chance >= 1.0
    value, low, high = (np.full(effects.value.shape, np.nan) for _ in range(3))
    match = effects.people["match"]
    for one in match.unique(maintain_order=True):
        mine = np.flatnonzero((match == one).to_numpy())
        for row in range(len(value)):
            seen = effects.value[row, mine]
            middle, least, most = weighted_median(seen, counted[mine])
            if census[mine].all() or not (chance[mine] > 0).any():
                least = most = middle  # all names of the population, or a list as it is
            apart = seen - middle
            error = _error(apart, effects.noise[row, mine] * effects.left[mine])
            reach = DOUBT * error
            value[row, mine] = apart * _drawn_in(apart, error, counted[mine])
            low[row, mine], high[row, mine] = seen - most - reach, seen - least + reach
    return Apart(value, low, high)


def _error(apart: Array, noise: Array) -> Array:
    """The standard error of effects over frames, averaged over people with effects as large."""
    known = np.flatnonzero(~np.isnan(apart))
    found = np.zeros(apart.size)
    if not known.size or not noise[known].any():
        return found
    order = known[np.argsort(np.abs(apart[known]), kind="stable")]
    sums = np.concatenate([[0.0], np.cumsum(noise[order])])
    at = np.arange(order.size)
    start = np.clip(at - ALIKE // 2, 0, max(order.size - ALIKE, 0))
    end = np.minimum(start + ALIKE, order.size)
    found[order] = np.sqrt(np.maximum((sums[end] - sums[start]) / (end - start), 0.0))
    return found


def _drawn_in(apart: Array, error: Array, counted: Array) -> float:
    """√λ, λ the part of the effects' variance that is not chance."""
    known = ~np.isnan(apart)
    weight = counted[known] / counted[known].sum() if known.any() else counted[:0]
    spread = float((weight * apart[known] ** 2).sum())
    chance = float((weight * error[known] ** 2).sum())
    return float(np.sqrt(max(0.0, 1.0 - chance / spread))) if spread > 0 else 1.0


def weighted_median(values: Array, weight: Array) -> tuple[float, float, float]:
    """The value below and above which lies half the weight, and its 95 % interval; NaN of none.

    The interval is Woodruff's (1952): where the weight below it is half, give or take its error.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0]))
    (2.0, 1.0, 3.0)
    >>> weighted_median(np.array([1.0, 2.0]), np.array([1.0, 1.0]))[0]
    1.5
    """
    known = ~np.isnan(values)
    if not known.any():
        return float("nan"), float("nan"), float("nan")
    order = np.argsort(values[known], kind="stable")
    ranked, own = values[known][order], weight[known][order]
    below = np.cumsum(own) / own.sum()
    error = 0.5 * float(ndtri(0.975)) / np.sqrt(own.sum() ** 2 / (own**2).sum())
    least, most = (
        float(ranked[min(int(np.searchsorted(below, at)), ranked.size - 1)])
        for at in (0.5 - error, 0.5 + error)
    )
    at = int(np.searchsorted(below, 0.5 * (1.0 - 1e-12)))
    middle = float(ranked[at])
    if at + 1 < ranked.size and abs(below[at] - 0.5) <= 1e-9:
        middle = float((ranked[at] + ranked[at + 1]) / 2.0)
    return middle, min(least, middle), max(most, middle)


def moved_names(effects: Effects, axis: str, margin: float) -> list[Moved]:
    """For each group of an axis, the share of its people whom each row moves beyond a margin."""
    apart = apart_from_middle(effects)
    beyond, sure, possible = apart.beyond(margin)
    known = ~np.isnan(apart.value)
    weight, chance = (effects.people[name].to_numpy() for name in ("weight", "probability"))
    found = []
    for group in effects.people[axis].drop_nulls().unique(maintain_order=True):
        mine = np.flatnonzero((effects.people[axis] == group).fill_null(False).to_numpy())
        shares, up = [], []
        for row in range(len(known)):
            some = mine[known[row, mine]]
            marks = (one[row, some] for one in (beyond, sure, possible))
            first, *doubt = marks
            shares.append(share(first, weight[some], chance[some], *doubt))
            up.append(int((apart.value[row, some] > margin).sum()))
        found.append(Moved(str(group), tuple(shares), tuple(up)))
    return found


def moved_couples(couples: Couples, contrast: Contrast, margin: float) -> Moved:
    """The share of couples whose two are scored apart by more than a margin."""
    there = couples.n > 0
    each = np.divide(couples.total, couples.n, out=np.full(there.shape, np.nan), where=there)
    spread = np.maximum(couples.squares - np.nan_to_num(couples.n * each**2), 0.0)
    noise = np.divide(
        spread, couples.n * (couples.n - 1.0), out=np.zeros(there.shape), where=couples.n > 1
    )
    left = 1.0 - couples.met / max(float(couples.frames.height), 1.0)
    reach = DOUBT * np.sqrt(noise * np.clip(left, 0.0, 1.0))
    beyond, sure, possible = Apart(each, each - reach, each + reach).beyond(margin)
    chance = couples.people["probability"].to_numpy()
    shares, up = [], []
    for row, values in enumerate(each):
        known = there[row]
        marks = (one[row, known] for one in (beyond, sure, possible))
        first, *doubt = marks
        shares.append(share(first, np.ones(int(known.sum())), chance[known], *doubt))
        up.append(int((values[known] > margin).sum()))
    return Moved(contrast.name, tuple(shares), tuple(up))
