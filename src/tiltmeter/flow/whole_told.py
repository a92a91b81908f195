"""What all pairs of a large corpus come to, as its report shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures import GRID_ERROR, Grid, Moments
from tiltmeter.measures import Whole as Summed
from tiltmeter.report import WHISKERS, Whole

Array = NDArray[np.float64]
QUARTILES = np.array([0.25, 0.5, 0.75])


def whole_told(sums: Summed) -> Whole:
    """Boxes and points from grids, means from sums."""
    keys = sums.counts.select("axis", "contrast").rows()
    return Whole(
        counts=sums.counts.select("axis", "contrast", "pairs"),
        boxes={key: _boxes(grid) for key, grid in zip(keys, sums.grids, strict=True)},
        points={
            key: tuple(grid.points(row) for row in range(grid.width.size))
            for key, grid in zip(keys, sums.grids, strict=True)
        },
        words=sums.words,
        word_means=_means(sums.word_sums),
        word_n=sums.word_sums.n,
        matches=sums.matches.select("axis", "contrast", "match"),
        match_means=_means(sums.match_sums),
        match_n=sums.match_sums.n,
        error=GRID_ERROR,
    )


def notes_on_parts(sums: Summed) -> tuple[str, ...]:
    """What differs from a study that holds every pair."""
    error = f"{100 * GRID_ERROR:.3f}".rstrip("0")
    return (
        "the corpus is too large to be held, so its sentences were gone through in parts: means, "
        "intervals and tests are of all pairs, the sign-flip test is left out, quartiles are right "
        f"within {error} points of 100, and of single pairs each system's largest are shown; label "
        "flips, the largest gap between groups, and places by size of tilt are left out",
        *sums.left_out,
    )


def _boxes(grid: Grid) -> Array:
    """Whisker, quartiles and whisker of each submission, as `boxes` gives them of all pairs."""
    found = np.full((grid.width.size, 5), np.nan)
    for row in range(grid.width.size):
        points = grid.points(row)
        if points.size:
            first, median, third = grid.quantiles(row, QUARTILES)
            reach = WHISKERS * (third - first)
            inside = points[(points >= first - reach) & (points <= third + reach)]
            found[row] = (inside.min(), first, median, third, inside.max())
    return found


def _means(sums: Moments) -> Array:
    found: Array = np.where(sums.n > 0, sums.mean, np.nan)
    return found
