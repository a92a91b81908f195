"""The numbers of a word test: effect size, interval, p-value; weat.py says what they mean."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures.stats.bootstrap import percentile_interval, resample_counts
from tiltmeter.measures.stats.cosines import associations, cosines, effect_draws, effect_size
from tiltmeter.measures.stats.permutations import DRAWS, permuted
from tiltmeter.measures.vectors.word_tests import SIDES, Held

CORRECTED, PUBLISHED = "corrected", "published"
COVERAGE = 0.7
"""The share of each set's words that an embedding must hold."""
RESAMPLES = 1_000
LEVEL = 0.05
"""Intervals are of 95 %."""
SAME = "all target words are equally close to both sets of attributes"


@dataclass(frozen=True, slots=True)
class Manner:
    """How tests are made."""

    coverage: float = COVERAGE
    resamples: int = RESAMPLES
    """Of the words, for the interval; 0: no interval."""
    seed: int = 0
    permutations: int = DRAWS
    """Divisions drawn where there are too many to try all."""
    mode: str = CORRECTED

    def __post_init__(self) -> None:
        least = {"resamples": 0, "seed": 0, "permutations": 1}
        wrong = [
            f"{name} is {getattr(self, name)!r}; expected a whole number of at least {few}"
            for name, few in least.items()
            if getattr(self, name) < few
        ]
        if not 0 <= self.coverage <= 1:
            wrong.append(f"coverage is {self.coverage!r}; expected a share from 0 to 1")
        if self.mode not in (CORRECTED, PUBLISHED):
            wrong.append(f"mode is {self.mode!r}; expected {CORRECTED} or {PUBLISHED}")
        if wrong:
            raise TiltmeterError(f"word tests cannot be made: {'; '.join(wrong)}")


def numbers_of(held: Held, manner: Manner) -> dict[str, Any]:
    """The effect, its interval and its p-value, or why there is none."""
    of = held.vectors
    first, second = (associations(of[side], of["good"], of["bad"]) for side in SIDES[:2])
    effect = effect_size(first, second)
    if np.isnan(effect):
        return {"reason": SAME}
    draws = manner.permutations
    chance = permuted(first, second, seed=manner.seed, key=held.test.name, draws=draws)
    low, high = _interval(held, manner)
    return {
        "effect": effect,
        "low": low,
        "high": high,
        "p": chance.p,
        "exact": chance.exact,
        "permutations": chance.permutations,
    }


def _interval(held: Held, manner: Manner) -> tuple[float | None, float | None]:
    """The percentile interval of the effect over resamples of words; None where there is none."""
    of, sizes = held.vectors, [len(held.words[side]) for side in SIDES]
    targets = np.concatenate([of["first"], of["second"]])
    similar = cosines(targets, of["good"]), cosines(targets, of["bad"])
    seed = manner.seed * 2**32 + zlib.crc32(held.test.name.encode(errors="replace"))
    draws = [
        effect_draws(similar, (sizes[0], sizes[1]), counts)
        for counts in resample_counts(sizes, manner.resamples, seed)
    ]
    if not draws:
        return None, None
    ends = percentile_interval(np.concatenate(draws)[None, :], LEVEL)
    low, high = (None if np.isnan(end[0]) else float(end[0]) for end in ends)
    return low, high
