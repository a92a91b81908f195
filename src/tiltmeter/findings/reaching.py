"""How far a study reaches before it is made: what it could call tilted or even, and the cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.findings.enlarging import PEOPLE, TEMPLATES, Uncertainty, enlarged
from tiltmeter.findings.needed import times_needed
from tiltmeter.findings.power import smallest_even, smallest_tilted

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reach:
    """What could be told with a given power; arrays of shape (rows,)."""

    se: Array
    df: Array
    tilted_from: Array
    """The smallest tilt that would be called tilted beyond the margin."""
    even_within: Array
    """The smallest margin within which a system without a tilt would be shown even."""
    people: Array
    """How many times as many people the margin needs, to show even what has no tilt; 1 where there
    are enough, NaN where no number of people alone would do."""
    templates: Array
    both: Array
    """… of people and of templates."""


def reach(made: Uncertainty, margin: ArrayLike, level: float, power: float) -> Reach:
    """What such uncertainty lets a study tell, at a level for each comparison.

    >>> from tiltmeter.findings.enlarging import uncertainty
    >>> found = reach(uncertainty([0.01], [[0.01, 0, 0, 0]], [[np.inf, 6, 39, 0]]), 0.01, 0.05, 0.8)
    >>> found.tilted_from.round(4), found.even_within.round(4)  # 0.01 · (1 + 2.4865), 0.01 · 2.9264
    (array([0.0349]), array([0.0293]))
    >>> found.people.round(2), found.templates  # 2.9264²; templates make no noise here
    (array([8.56]), array([nan]))
    """
    se, df = enlarged(made, 1.0, 1.0)
    bound = np.broadcast_to(np.asarray(margin, np.float64), se.shape)
    asked = np.zeros(se.shape), bound, made, level, power
    return Reach(
        se,
        df,
        smallest_tilted(se, df, bound, level, power),
        smallest_even(se, df, level, power),
        times_needed(*asked, PEOPLE),
        times_needed(*asked, TEMPLATES),
        times_needed(*asked, PEOPLE, TEMPLATES),
    )
