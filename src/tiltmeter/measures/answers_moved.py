"""A system asked again: how far its answers moved, and how much of that is its own noise.

For each text, answers before are held against answers now, and answers now against each other. Two
answers drawn from the same noise are as far apart in either case, whatever that noise looks like,

    beyond = mean |before − now| − mean |now − now′|

so `beyond` is 0 in expectation where nothing moved (half the energy distance of Székely and Rizzo
2013, where there are answers before to hold against each other too). Its mean over texts is tested
by a t-test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from tiltmeter.measures.stats.paired import DUST

Array = NDArray[np.float64]

LEVEL = 0.95
FEWEST = 2
"""Texts that have a spread."""


@dataclass(frozen=True, slots=True)
class TextMean:
    """A mean over texts, and its 95 % interval; NaN where texts are too few."""

    value: float
    se: float
    df: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AnswersMoved:
    """What became of a system's answers to the same texts."""

    texts: int
    """Texts with an answer before and now."""
    missing: int
    """Texts without one or the other."""
    changed: int
    """Texts whose mean answer is another than before, by more than dust."""
    largest: float
    """The largest change of a mean answer, with its sign."""
    apart: float
    """Mean |before − now|, an answer of each."""
    noise: float | None
    """Mean distance between two answers to one text at one time; None where each was asked once."""
    shift: TextMean
    """The mean change, with its sign."""
    beyond: TextMean | None
    """`apart` less `noise`."""


def moved_answers(old: pl.DataFrame, new: pl.DataFrame, width: float = 1.0) -> AnswersMoved:
    """Hold answers before against answers now; each frame has text, repeat and score.

    >>> told = lambda *scores: pl.DataFrame(
    ...     {"text": ["a"] * len(scores), "repeat": range(len(scores)), "score": scores})
    >>> found = moved_answers(told(0.1), told(0.4, 0.6))
    >>> print(round(found.apart, 3), round(found.noise, 3))  # (0.3 + 0.5)/2; |0.4 − 0.6|
    0.4 0.2
    """
    before, after = (_answers(frame) for frame in (old, new))
    both = before.join(after, on="text", how="inner", suffix="_now", maintain_order="left")
    every = pl.concat([before["text"], after["text"]]).n_unique()
    then, now = (both[name].list.mean().to_numpy() for name in ("scores", "scores_now"))
    change = np.where(np.abs(now - then) < DUST * width, 0.0, now - then)
    rows = both.select("scores", "scores_now").rows()
    apart = np.array([_between(*row) for row in rows])
    noise = np.array([_within(*row) for row in rows])
    twice = ~np.isnan(noise)
    some = change.size > 0
    return AnswersMoved(
        texts=change.size,
        missing=every - change.size,
        changed=int(np.count_nonzero(change)),
        largest=float(change[np.argmax(np.abs(change))]) if some else 0.0,
        apart=float(apart.mean()) if some else float("nan"),
        noise=float(noise[twice].mean()) if twice.any() else None,
        shift=_mean(change),
        beyond=_mean((apart - noise)[twice]) if twice.any() else None,
    )


def _answers(frame: pl.DataFrame) -> pl.DataFrame:
    """Every text with its answers; a text of several sentences counts once."""
    known = frame.filter(pl.col("score").is_not_null())
    once = known.unique(["text", "repeat"], keep="first", maintain_order=True)
    return once.group_by("text", maintain_order=True).agg(scores=pl.col("score"))


def _between(old: list[float], new: list[float]) -> float:
    return float(np.abs(np.subtract.outer(np.array(old), np.array(new))).mean())


def _within(old: list[float], new: list[float]) -> float:
    """The mean distance between two answers at one time, old and new alike where both repeat."""
    told = [_spread(np.array(one)) for one in (old, new) if len(one) > 1]
    return float(np.mean(told)) if told else float("nan")


def _spread(answers: Array) -> float:
    many = len(answers)
    return float(np.abs(np.subtract.outer(answers, answers)).sum() / (many * (many - 1)))


def _mean(values: Array) -> TextMean:
    n = values.size
    value = float(values.mean()) if n else float("nan")
    if n < FEWEST:
        return TextMean(value, *(float("nan"),) * 4)
    se = float(values.std(ddof=1) / np.sqrt(n))
    reach = se * float(stdtrit(n - 1.0, (1.0 + LEVEL) / 2.0))
    return TextMean(value, se, n - 1.0, value - reach, value + reach)
