"""What simulated systems without a tilt come to, and which verdict each would get with one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulated_systems import Kind, Scene, batches
from tiltmeter.findings import p_beyond, p_within
from tiltmeter.measures import TiltSums, comparisons, crossed_bootstrap, relabelled_p, spread
from tiltmeter.measures.stats.paired import paired_t

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEVEL, MARGIN, RESAMPLES = 0.05, 0.01, 1_000


@dataclass(frozen=True, slots=True)
class Found:
    """What simulated systems without a tilt came to on one contrast, arrays of (systems,)."""

    value: Array
    se: Array
    df: Array
    low: Array
    high: Array
    plain: Array
    """p of the plain paired t-test."""
    dealt: Array
    """p of the permutation test."""
    resampled: Flags
    """Whether the bootstrap's interval holds 0; of the first systems only."""

    def tilted(self, tilt: float, margin: float = MARGIN, level: float = LEVEL) -> Flags:
        """Which would be called tilted with this tilt planted: it moves nothing but the value."""
        return p_beyond(self.value + tilt, self.se, self.df, margin) < level

    def even(self, tilt: float, margin: float = MARGIN, level: float = LEVEL) -> Flags:
        """Which would be called even."""
        return p_within(self.value + tilt, self.se, self.df, margin) < level


def simulated(
    place: Scene, kind: Kind, systems: int, resampled: int, seed: int
) -> dict[str, Found]:
    """What systems of one kind came to on every axis."""
    parts: dict[str, list[list[Array]]] = {one.axis: [] for one in place.contrasts}
    held: dict[str, list[Flags]] = {one.axis: [] for one in place.contrasts}
    rng = np.random.default_rng(seed + 1_000)
    for scores in batches(place, kind, systems, seed):
        for contrast in place.contrasts:
            sums = TiltSums(len(scores), contrast, place.axes, np.ones(len(scores)))
            sums.add(place.sentences, scores)
            made = spread(sums)
            plain = paired_t(_deltas(place, scores, contrast.axis), np.ones(len(scores))).p
            numbers = [made.value, made.se, made.df, made.low, made.high, plain]
            parts[contrast.axis].append([*numbers, relabelled_p(sums, rng)])
            some = scores[: max(0, resampled - sum(map(len, held[contrast.axis])))]
            held[contrast.axis].append(_held(place, some, contrast.axis, rng))
    return {axis: _put_together(found, held[axis]) for axis, found in parts.items()}


def _put_together(found: list[list[Array]], held: list[Flags]) -> Found:
    value, se, df, low, high, plain, dealt = (
        np.concatenate(one) for one in zip(*found, strict=True)
    )
    return Found(value, se, df, low, high, plain, dealt, np.concatenate(held))


def _deltas(place: Scene, scores: Array, axis: str) -> Array:
    contrast = next(one for one in place.contrasts if one.axis == axis)
    found = comparisons(place.sentences, [contrast])
    return np.asarray(((found.first - found.second) @ scores.T).T)


def _held(place: Scene, scores: Array, axis: str, rng: np.random.Generator) -> Flags:
    """Whether the crossed bootstrap's interval holds 0."""
    if not len(scores):
        return np.zeros(0, np.bool_)
    contrast = next(one for one in place.contrasts if one.axis == axis)
    made = crossed_bootstrap(
        place.sentences, scores, contrast, place.axes, resamples=RESAMPLES, rng=rng
    )
    return np.asarray((made.low <= 0) & (made.high >= 0))


def percent(flags: Flags) -> str:
    return f"{100 * flags.mean():.1f} %" if flags.size else "–"
