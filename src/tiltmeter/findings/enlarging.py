"""What a tilt's uncertainty is made of, and what more people or templates would make of it.

The variance of a mean over crossed samples is V = V_people + V_templates + V_words less what they
share. Each of these holds the noise of one person in one sentence, which is taken off where it
would count twice; what is left is people's own, templates' own, and a rest. With a times as many
people and b times as many templates

    V(a, b) = own_people / a + own_templates / b + noise / (a b) + rest

so no number of people helps where templates alone are too few.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

PEOPLE, TEMPLATES, WORDS, NOISE = range(4)
"""Where each source stands in the last axis of variances and degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What a tilt's variance is made of, for some rows."""

    variance: Array
    """(rows,): of the tilt, se²."""
    sources: Array
    """(rows, 4): what people, templates, words and noise each add by themselves."""
    df: Array
    """(rows, 4): degrees of freedom of each; noise has none of its own."""

    def of(self, rows: NDArray[np.intp]) -> Uncertainty:
        """Some of the rows."""
        return Uncertainty(self.variance[rows], self.sources[rows], self.df[rows])


def uncertainty(se: ArrayLike, errors: ArrayLike, df: ArrayLike) -> Uncertainty:
    """From standard errors, of the tilt (rows,) and of each source (rows, 4); NaN is not there.

    >>> made = uncertainty([5.0], [[3.0, 4.0, np.nan, 0.0]], [[9.0, 8.0, np.nan, np.nan]])
    >>> made.variance, made.sources
    (array([25.]), array([[ 9., 16.,  0.,  0.]]))
    """
    sources, free = (
        np.nan_to_num(np.asarray(one, np.float64), posinf=np.inf) for one in (errors, df)
    )
    sources, free = np.broadcast_arrays(sources**2, free)
    return Uncertainty(np.asarray(se, np.float64) ** 2, sources, free)


def enlarged(made: Uncertainty, people: ArrayLike, templates: ArrayLike) -> tuple[Array, Array]:
    """Standard error and degrees of freedom with so many times as many people and templates.

    The latter are V² / Σ(V_s² / df_s) (Satterthwaite 1946), at most Σ df_s.

    >>> made = uncertainty([5.0], [[3.0, 4.0, 0.0, 0.0]], [[9.0, 8.0, 0.0, 0.0]])
    >>> enlarged(made, 1, 1)  # 625 / (81/9 + 256/8) = 625 / 41
    (array([5.]), array([15.24390244]))
    >>> enlarged(made, 4, 4)[0]  # a quarter of the variance
    array([2.5])
    """
    a, b = np.asarray(people, np.float64), np.asarray(templates, np.float64)
    v_people, v_templates, v_words, v_noise = np.moveaxis(made.sources, -1, 0)
    noise = np.minimum(v_noise, np.minimum(v_people, v_templates))
    own_people, own_templates = v_people - noise, v_templates - noise
    rest = np.maximum(made.variance - own_people - own_templates - noise, 0.0)
    left = noise / (a * b)
    total = own_people / a + own_templates / b + left + rest
    each = own_people / a + left, own_templates / b + left, np.maximum(v_words - noise, 0.0) + left
    free = (
        made.df[..., PEOPLE] * a,
        made.df[..., TEMPLATES] * b,
        made.df[..., WORDS] * np.ones_like(a),
    )
    return np.sqrt(total), _satterthwaite(total, each, free)


def _satterthwaite(total: Array, each: tuple[Array, ...], free: tuple[Array, ...]) -> Array:
    spent = sum(
        np.divide(one**2, df, out=np.zeros(total.shape), where=np.asarray(df) > 0)
        for one, df in zip(each, free, strict=True)
    )
    most = np.broadcast_to(sum(free), total.shape)
    found = np.divide(total**2, spent, out=np.array(most, np.float64), where=np.asarray(spent) > 0)
    return np.asarray(np.minimum(found, most), np.float64)
