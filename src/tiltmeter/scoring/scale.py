"""Which scale a system's answers are on, and its scores from 0 to 1.

Declared by the user or the adapter; else inferred from the answers to all its tasks together, if
they lie in 0..1 or −1..1; else there is none, and tilt is measured in native units. Never from the
smallest and largest answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from tiltmeter.systems.protocol import SIGNED, UNIT, Scale, exact


class ScaleSource(StrEnum):
    """How a system's scale is known."""

    DECLARED = "declared"
    """By the system or the user."""
    INFERRED = "inferred"
    """Every answer lies within it."""
    UNBOUNDED = "unbounded"
    """Not at all: answers lie beyond both 0..1 and −1..1."""
    UNANSWERED = "unanswered"
    """Not at all: there is no answer."""


@dataclass(frozen=True, slots=True)
class ResolvedScale:
    """A system's scale, how it is known, and the answers outside it."""

    scale: Scale | None
    known: ScaleSource
    low: float = math.inf
    """The smallest and the largest answer."""
    high: float = -math.inf
    outside: int = 0
    first_outside: str = ""

    @property
    def holds(self) -> bool:
        """Whether every answer lies within the scale, if there is one."""
        scale = self.scale
        return not scale or self.low > self.high or scale.low <= self.low <= self.high <= scale.high

    def __str__(self) -> str:
        """As in `scale 0 to 1, inferred: every answer lies within it`."""
        if self.known is ScaleSource.DECLARED:
            return f"scale {self.scale}, declared"
        if self.known is ScaleSource.INFERRED:
            return f"scale {self.scale}, inferred: every answer lies within it"
        if self.known is ScaleSource.UNANSWERED:
            return "scale unknown: there is no answer to infer it from"
        found = Scale(self.low, self.high)
        return f"scale unbounded: answers from {found}; say --scale LOW:HIGH if you know it"


def infer_scale(low: float, high: float) -> ResolvedScale:
    """The scale of a system whose answers lie from low to high.

    >>> str(infer_scale(-0.02, 0.9).scale), infer_scale(-0.02, 1.1).known.value
    ('−1 to 1', 'unbounded')
    """
    if low > high:
        return ResolvedScale(None, ScaleSource.UNANSWERED)
    for scale in (UNIT, SIGNED):
        if scale.low <= low and high <= scale.high:
            return ResolvedScale(scale, ScaleSource.INFERRED, low, high)
    return ResolvedScale(None, ScaleSource.UNBOUNDED, low, high)


def infer_common_scale(several: Iterable[ResolvedScale]) -> ResolvedScale:
    """The one scale of a system, from what was seen of its tasks and corpora."""
    ends = [(one.low, one.high) for one in several]
    return infer_scale(min(low for low, _ in ends), max(high for _, high in ends))


def resolve_scale(scores: pl.DataFrame, declared: Scale | None) -> ResolvedScale:
    """The scale of one system's answers (columns text, raw)."""
    tracker = ScaleTracker(declared)
    tracker.add(scores["text"], scores["raw"])
    return tracker.resolved


class ScaleTracker:
    """A system's answers looked at, all at once or a block at a time."""

    def __init__(self, declared: Scale | None) -> None:
        self._declared = declared
        self._low, self._high = math.inf, -math.inf
        self._outside, self._first = 0, ""

    def add(self, texts: pl.Series, raw: pl.Series) -> None:
        """Look at further answers; null ones count for nothing."""
        low, high = raw.min(), raw.max()
        if not isinstance(low, int | float) or not isinstance(high, int | float):
            return
        self._low, self._high = min(self._low, low), max(self._high, high)
        scale = self._declared
        if scale is None or scale.low <= low <= high <= scale.high:
            return
        out = ((raw < scale.low) | (raw > scale.high)).fill_null(False).arg_true()
        self._first = self._first or f"{exact(raw[out[0]])} for {texts[out[0]]!r}"
        self._outside += out.len()

    @property
    def resolved(self) -> ResolvedScale:
        """The scale, from all that was seen."""
        if self._declared is None:
            return infer_scale(self._low, self._high)
        return ResolvedScale(
            self._declared, ScaleSource.DECLARED, self._low, self._high, self._outside, self._first
        )


def on_unit(raw: pl.Expr, scale: Scale | None) -> pl.Expr:
    """The answers from 0 to 1; null without a scale, outside where the answer is outside."""
    if scale is None:
        return pl.lit(None, pl.Float64)
    return (raw - scale.low) / scale.width
