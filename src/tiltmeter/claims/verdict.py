"""Whether a difference, or a share of people moved, is beyond a margin that matters."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from tiltmeter.schemas import Verdict

Array = NDArray[np.float64]


@cache
def thresholds() -> dict[str, Any]:
    """What verdicts are held to where nobody says otherwise, with the reasons."""
    return tomllib.loads(files(__package__).joinpath("thresholds.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Margins:
    """Differences that matter, in parts of the scale: one for all, or by axis or contrast."""

    default: float = field(default_factory=lambda: float(thresholds()["margin"]))
    by_axis: Mapping[str, float] = field(default_factory=dict)
    """By `gender`, or by `gender:female-male`."""

    def of(self, axis: str, contrast: str = "") -> float:
        """The margin of a comparison.

        >>> Margins(0.01, {"race": 0.02}).of("race", "African American-European American")
        0.02
        """
        own = self.by_axis.get(axis, self.default)
        return self.by_axis.get(f"{axis}:{contrast}", own)

    def to_dict(self) -> dict[str, float]:
        """For run.json."""
        return {"default": self.default, **dict(sorted(self.by_axis.items()))}


def p_decides(value: ArrayLike, se: ArrayLike, df: ArrayLike, margin: ArrayLike) -> Array:
    """The smallest level at which the interval lies within the margin, or wholly beyond it.

    2 P(T ≤ −| |θ̂| − m | / se): of *even* where θ̂ lies within the margin, of *tilted* elsewhere.

    >>> p_decides([0.03, 0.005], [0.01, 0.0025], [10.0, 10.0], 0.01).round(4)  # 2 P(T < -2)
    array([0.0734, 0.0734])
    """
    size, error, free, bound = _alike(np.abs(value), se, df, margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2.0 * stdtr(free, -np.abs(size - bound) / error)
    return np.where(error == 0, np.where(size == bound, 1.0, 0.0), p)


def p_beyond(value: ArrayLike, se: ArrayLike, df: ArrayLike, margin: ArrayLike) -> Array:
    """The p-value of |θ| ≤ margin; small where the difference is surely larger.

    >>> p_beyond([0.03, 0.01], [0.01, 0.01], [10.0, 10.0], 0.01).round(4)  # P(T > 2) + P(T < -4) …
    array([0.038 , 0.5367])
    """
    size, error, free, bound = _alike(np.abs(value), se, df, margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(free, (bound - size) / error) + stdtr(free, -(size + bound) / error)
    certain = np.where(size > bound, 0.0, 1.0)
    return np.where(error == 0, certain, np.minimum(p, 1.0))


def p_within(value: ArrayLike, se: ArrayLike, df: ArrayLike, margin: ArrayLike) -> Array:
    """The p-value of |θ| ≥ margin, the larger of two one-sided tests'; small where it is smaller.

    >>> p_within([0.0, 0.01], [0.005, 0.005], [10.0, 10.0], 0.01).round(4)  # P(T < -2), P(T < 0)
    array([0.0367, 0.5   ])
    """
    size, error, free, bound = _alike(np.abs(value), se, df, margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(free, (size - bound) / error)
    certain = np.where(size < bound, 0.0, 1.0)
    return np.where(error == 0, certain, p)


def verdicts(value: Array, p: Array, margin: Array, level: float) -> NDArray[np.str_]:
    """Tilted, even or undecided, from corrected p-values; not estimable where there is none.

    >>> value, p = np.array([0.03, 0.0, 0.02, np.nan]), np.array([0.01, 0.02, 0.6, np.nan])
    >>> verdicts(value, p, np.full(4, 0.01), 0.05)
    array(['tilted', 'even', 'undecided', 'not_estimable'], dtype='<U13')
    """
    inside = np.abs(value) < margin
    decided = np.where(inside, Verdict.EVEN, Verdict.TILTED)
    estimable = np.where(p < level, decided, Verdict.UNDECIDED)
    return np.where(np.isnan(p), Verdict.NOT_ESTIMABLE, estimable)


def _alike(*given: ArrayLike) -> list[Array]:
    return list(np.broadcast_arrays(*(np.asarray(one, np.float64) for one in given)))
