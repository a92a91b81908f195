"""Which scale a system's answers are on, and its scores from 0 to 1.

Declared by the user or the adapter; else seen from the answers, if all lie in 0..1 or −1..1; else
there is none, and tilt is measured in native units. Never from the smallest and largest answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from tiltmeter.systems.protocol import SIGNED, UNIT, Scale


@dataclass(frozen=True, slots=True)
class Settled:
    """A system's scale, how it is known, and the answers outside it."""

    scale: Scale | None
    how: str
    outside: int = 0
    first_outside: str = ""


def settle(scores: pl.DataFrame, declared: Scale | None) -> Settled:
    """The scale of one system's answers (columns text, raw)."""
    seen = Seen(declared)
    seen.add(scores["text"], scores["raw"])
    return seen.settled


class Seen:
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
        self._first = self._first or f"{raw[out[0]]:g} for {texts[out[0]]!r}"
        self._outside += out.len()

    @property
    def settled(self) -> Settled:
        """The scale, from all that was seen."""
        if self._declared is not None:
            return Settled(self._declared, "declared", self._outside, self._first)
        if self._low > self._high:
            return Settled(None, "no answer to see it from")
        for scale in (UNIT, SIGNED):
            if scale.low <= self._low and self._high <= scale.high:
                return Settled(scale, "seen from the answers, which all lie within it")
        found = str(Scale(self._low, self._high))
        how = f"unbounded: answers from {found}; say --scale LOW:HIGH if you know it"
        return Settled(None, how)


def on_unit(raw: pl.Expr, scale: Scale | None) -> pl.Expr:
    """The answers from 0 to 1; null without a scale, outside where the answer is outside."""
    if scale is None:
        return pl.lit(None, pl.Float64)
    return (raw - scale.low) / scale.width
