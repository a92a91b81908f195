"""What it would take to decide: how many people, or how many templates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.findings.enlarging import PEOPLE, TEMPLATES, Uncertainty, enlarged
from tiltmeter.findings.power import power_even, power_tilted

Array = NDArray[np.float64]

MOST = 2.0**14
"""Times as many as there are; what needs more than that is out of reach."""
STEPS = 22
"""Halvings of a search over the logarithm of a multiple."""


def units_needed(
    value: ArrayLike,
    made: Uncertainty,
    people: ArrayLike,
    templates: ArrayLike,
    margin: ArrayLike,
    level: float,
    power: float = 0.8,
) -> tuple[Array, Array]:
    """How many people, and how many templates, would decide it, if the tilt is as seen.

    A `value` (rows,) inside the margin asks for *even*, one outside for *tilted*; `people` and
    `templates` are how many there are. People are multiplied first, with templates and words as
    they are, then templates with the rest. NaN where no number would do: the other sources alone
    are too much, or the value lies on the margin.

    All noise from 10 people, very many degrees of freedom, no tilt, margin 0.01: for *even* the
    standard error must be 0.01 / 2.9264 = 0.003417. It is 0.01, so (0.01 / 0.003417)² = 8.56 times
    10 people are needed, 86; more templates would not help.

    >>> from tiltmeter.findings.enlarging import uncertainty
    >>> made = uncertainty([0.01], [[0.01, 0, 0, 0]], [[np.inf, 6, 39, 0]])
    >>> units_needed([0.0], made, 10, 7, 0.01, 0.05)
    (array([86.]), array([nan]))
    """
    size, bound = np.broadcast_arrays(np.abs(np.asarray(value, np.float64)), np.asarray(margin))
    asked = size, bound, made, level, power
    return (
        whole(times_needed(*asked, PEOPLE) * np.asarray(people, np.float64)),
        whole(times_needed(*asked, TEMPLATES) * np.asarray(templates, np.float64)),
    )


def times_needed(
    value: Array, margin: Array, made: Uncertainty, level: float, power: float, *sources: int
) -> Array:
    """How many times as many units of these sources decide it, (rows,); NaN where none do."""

    def decided(rows: NDArray[np.intp], log_times: Array) -> NDArray[np.bool_]:
        times = [2.0**log_times if one in sources else 1.0 for one in (PEOPLE, TEMPLATES)]
        se, df = enlarged(made.of(rows), *times)
        inside, asked = value[rows] < margin[rows], (value[rows], se, df, margin[rows], level)
        return np.asarray(np.where(inside, power_even(*asked), power_tilted(*asked)) >= power)

    rows = np.arange(value.size)
    rows = rows[decided(rows, np.full(value.size, np.log2(MOST))) & (value != margin)]
    low, high = np.zeros(rows.size), np.full(rows.size, np.log2(MOST))
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        enough = decided(rows, middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    times = np.full(value.size, np.nan)
    times[rows] = 2.0**high
    return times


def whole(units: Array) -> Array:
    """Rounded up; a thousandth more than a whole number is that number."""
    return np.asarray(np.ceil(units - 1e-3), np.float64)
