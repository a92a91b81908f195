"""Which scale a system's answers are on.

Declared by the user or the adapter; else inferred from the answers to all its tasks together, if
they lie in 0..1 or −1..1; else there is none, and tilt is measured in native units. Never from the
smallest and largest answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tiltmeter.systems.protocol import SIGNED, UNIT, Scale, exact

if TYPE_CHECKING:
    import polars as pl


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

    def describe(self, system: str) -> str:
        """As in `scale 0 to 1, inferred: every answer lies within it`; `system` has it."""
        if self.known is ScaleSource.DECLARED:
            return f"scale {self.scale}, declared"
        if self.known is ScaleSource.INFERRED:
            return f"scale {self.scale}, inferred: every answer lies within it"
        if self.known is ScaleSource.UNANSWERED:
            return "scale unknown: there is no answer to infer it from"
        found = Scale(self.low, self.high)
        given = f"--scale {system}=LOW:HIGH if you know it, as in --scale {system}=-5:5"
        return f"scale unbounded: answers from {found}; say {given}"


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


def resolve_scale(
    texts: Sequence[str], answers: Sequence[float | None], declared: Scale | None
) -> ResolvedScale:
    """The scale of a system's answers to a few texts; None, no answer, counts for nothing.

    >>> resolve_scale(["a", "b"], [0.5, 1.5], UNIT).first_outside
    "1.5 for 'b'"
    """
    known = [(one, text) for one, text in zip(answers, texts, strict=True) if one is not None]
    low = min((one for one, _ in known), default=math.inf)
    high = max((one for one, _ in known), default=-math.inf)
    if declared is None:
        return infer_scale(low, high)
    outside = [
        f"{exact(one)} for {text!r}"
        for one, text in known
        if not declared.low <= one <= declared.high
    ]
    first = next(iter(outside), "")
    return ResolvedScale(declared, ScaleSource.DECLARED, low, high, len(outside), first)


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
        import polars as pl

        return pl.lit(None, pl.Float64)
    return (raw - scale.low) / scale.width
