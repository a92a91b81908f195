"""Where verdicts miss their level: a tilt that comes from few names, which a small list may lack.

In the first group one name in 2, 5, 10, 20 or 50 is scored higher than all others, by so much that
the group's tilt is two margins. A list of twenty that happens to have none of them looks perfectly
even.
"""

from __future__ import annotations

import numpy as np

from performance_page import table
from simulated_systems import BATCH, Scene
from simulated_verdicts import MARGIN, percent
from tiltmeter.findings import p_beyond, p_within
from tiltmeter.measures import crossed_tilt

ONE_IN = (2, 5, 10, 20, 50)
LEVEL, NOISE, TILT = 0.05, 0.01, 2 * MARGIN


def rare(place: Scene, systems: int) -> str:
    """How often such a tilt is called tilted, and how often even, on the second axis."""
    rows = [_row(place, one, systems) for one in ONE_IN]
    columns = (
        "names that are scored higher",
        "by",
        "none on the list",
        "*tilted*",
        "*even*, wrong",
    )
    return table(columns, rows)


def _row(place: Scene, one_in: int, systems: int) -> tuple[str, ...]:
    contrast, side = place.contrasts[1], place.sides[1]
    rng = np.random.default_rng(one_in)
    found = []
    for start in range(0, systems, BATCH):
        many = min(BATCH, systems - start)
        liked = rng.random((many, int(place.person.max()) + 1)) < 1 / one_in
        scores = 0.5 + NOISE * rng.standard_normal((many, place.sentences.height))
        scores += np.where((side > 0) & liked[:, place.person], TILT * one_in, 0.0)
        made = crossed_tilt(place.sentences, scores, contrast, place.axes)
        found.append(np.array([made.value, made.se, made.df]))
    value, se, df = np.concatenate(found, axis=1)
    tilted, even = (test(value, se, df, MARGIN) < LEVEL for test in (p_beyond, p_within))
    none = f"{100 * (1 - 1 / one_in) ** 20:.1f} %"
    return f"1 in {one_in}", f"{100 * TILT * one_in:g} points", none, percent(tilted), percent(even)
