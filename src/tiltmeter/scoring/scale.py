"""Which scale a system's answers are on, and its scores from 0 to 1.

Declared by the user or the adapter; else seen from the answers, if all lie in 0..1 or −1..1; else
there is none, and tilt is measured in native units. Never from the smallest and largest answer.
"""

from __future__ import annotations

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
    raw = scores["raw"].drop_nulls()
    scale, how = declared, "declared"
    if declared is None:
        scale, how = _seen(raw)
    if scale is None:
        return Settled(None, how)
    if raw.is_empty() or scale.low <= _number(raw.min()) <= _number(raw.max()) <= scale.high:
        return Settled(scale, how)
    out = scores.filter((pl.col("raw") < scale.low) | (pl.col("raw") > scale.high))
    first = f"{out['raw'][0]:g} for {out['text'][0]!r}" if out.height else ""
    return Settled(scale, how, out.height, first)


def _seen(raw: pl.Series) -> tuple[Scale | None, str]:
    if raw.is_empty():
        return None, "no answer to see it from"
    low, high = _number(raw.min()), _number(raw.max())
    for scale in (UNIT, SIGNED):
        if scale.low <= low and high <= scale.high:
            return scale, "seen from the answers, which all lie within it"
    found = str(Scale(low, high))
    return None, f"unbounded: answers from {found}; say --scale LOW:HIGH if you know it"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def on_unit(raw: pl.Expr, scale: Scale | None) -> pl.Expr:
    """The answers from 0 to 1; null without a scale, outside where the answer is outside."""
    if scale is None:
        return pl.lit(None, pl.Float64)
    return (raw - scale.low) / scale.width
