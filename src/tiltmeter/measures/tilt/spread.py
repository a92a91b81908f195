"""The mean difference on a subset, and how far it would move with other people and sentences.

    V = V_people + V_sentences − V_noise,   V_sentences = V_templates + V_words − V_frames

with neither less than what it is made of. What is true of one person in one sentence only is both
in the people's and in the sentences' part, and is taken off once; so is what is true of one frame
in those of templates and words. What a person does in one template, or with one word, is counted
in both parts and makes the interval a little wide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiltmeter.measures.stats.crossed import (
    Source,
    crossed,
    over,
    satterthwaite,
    strata,
    stratified,
)
from tiltmeter.measures.stats.paired import DUST, LEVEL
from tiltmeter.measures.tilt.sums import OF_NO_WORD, TiltSums, Within

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Rows = NDArray[np.int64] | slice

EVERY = slice(None)


@dataclass(frozen=True, slots=True)
class Crossed:
    """A mean difference over people, templates and words as crossed samples; arrays (rows,)."""

    value: Array
    se: Array
    """NaN where nobody could be drawn anew: one pair of people is no sample."""
    df: Array
    low: Array
    high: Array
    statistic: Array
    p: Array
    """Two-sided, of no difference."""
    n: Counts
    """Pairs."""
    n_dropped: Counts
    se_people: Array
    """What people alone add to the standard error; so the next two."""
    se_templates: Array
    se_words: Array
    se_noise: Array
    """What is left of one person in one sentence."""
    df_people: Array
    df_templates: Array
    df_words: Array
    people: int
    """Units: a name, or a pair such as my mother and my father."""
    templates: int
    words: int
    over_people: Array
    """(rows, units), linear in the scores; a row's squares add up to its variance over people."""
    over_templates: Array
    over_words: Array


def spread(sums: TiltSums, inside: pl.Expr | None = None, rows: Rows = EVERY) -> Crossed:
    """The mean difference and its uncertainty on the parts of a subset, for some rows."""
    parts = sums.parts.within(inside, rows)
    size = parts.n.sum(axis=1)
    value = over(parts.sums.sum(axis=1), size)
    people = _people(sums, inside, rows, size)
    templates = parts.together("template").source()
    frames = _frames(sums, inside, rows, value, size)
    words, named = _words(sums, parts, frames, rows)
    noise = _noise(sums, inside, rows, size)
    sentences = crossed(templates.variance, words.variance, frames.variance)
    variance = crossed(people.variance, sentences, noise)
    width = sums.width[rows]
    se = np.sqrt(np.where((people.df > 0) & (size > 0), variance, np.nan))
    se = np.where(se < DUST * width, 0.0, se)
    value = np.where(np.abs(value) < DUST * width, 0.0, value)
    df = np.where(np.isnan(se), np.nan, satterthwaite(variance, [people, templates, words]))
    statistic = np.divide(value, se, out=np.full(value.shape, np.nan), where=se > 0)
    reach = np.where(se > 0, se * stdtrit(df, (1.0 + LEVEL) / 2.0), se)
    value = np.where(size > 0, value, np.nan)
    return Crossed(
        value, se, df, value - reach, value + reach, statistic, _p(value, se, statistic, df),
        n=size.astype(np.int64), n_dropped=(parts.size - size).astype(np.int64),
        se_people=np.sqrt(people.variance), se_templates=np.sqrt(templates.variance),
        se_words=np.sqrt(words.variance), se_noise=np.sqrt(noise),
        df_people=people.df, df_templates=templates.df, df_words=words.df,
        people=people.clusters, templates=templates.clusters, words=named,
        over_people=people.rows, over_templates=templates.rows, over_words=words.rows,
    )  # fmt: skip


def _p(value: Array, se: Array, statistic: Array, df: Array) -> Array:
    """Two-sided; without any spread a difference is certain, and so is none."""
    certain = np.where(value == 0, 1.0, 0.0)
    p = np.where(se > 0, 2.0 * stdtr(df, -np.abs(statistic)), certain)
    return np.where(np.isnan(se), np.nan, p)


def _people(sums: TiltSums, inside: pl.Expr | None, rows: Rows, size: Array) -> Source:
    """Pairs of one person a side are a stratum; so are the names of each group and cell."""
    pairs = sums.pairs.within(inside, rows).together("match")
    people = sums.people.within(inside, rows).together("stratum", "person")
    stratum = people.keys["stratum"].rank("dense").cast(pl.Int64).to_numpy() - 1
    drawn = stratified(people.sums, people.n, stratum, size)
    return strata([pairs.source(size), drawn])


def _words(sums: TiltSums, parts: Within, frames: Source, rows: Rows) -> tuple[Source, int]:
    """Words over the templates they stand in, and how many there are; of one template, frames."""
    if parts.keys["template"].n_unique() < 2:
        return frames, frames.clusters
    emotions = parts.keys["emotion"]
    inside = pl.col("emotion").is_in(emotions.drop_nulls().unique().to_list()).fill_null(False)
    if emotions.null_count():
        inside = inside | pl.col("emotion").is_null()
    words = sums.words.within(inside, rows).together("word")
    named = ~words.keys["word"].str.starts_with(OF_NO_WORD)
    return words.source(), int(named.sum())


def _frames(
    sums: TiltSums, inside: pl.Expr | None, rows: Rows, value: Array, size: Array
) -> Source:
    """Σ (S_f − n_f θ̂)² · F/(F − 1) / N² over F frames, from sums of squares."""
    squares, times, n2 = (
        sums.frames[name].within(inside, rows) for name in ("squares", "times_n", "n_squared")
    )
    whole = squares.sums.sum(axis=1)
    apart = whole - 2.0 * value * times.sums.sum(axis=1) + value**2 * n2.sums.sum(axis=1)
    apart = np.where(apart < DUST**2 * whole, 0.0, apart)
    free = max(squares.size - 1.0, 0.0)
    variance = over(apart * squares.size, free * size**2)
    return Source(np.sqrt(variance)[:, None], variance, np.full(size.shape, free), squares.size)


def _noise(sums: TiltSums, inside: pl.Expr | None, rows: Rows, size: Array) -> Array:
    """What neither a person nor a frame accounts for: Σ (x − person − frame)² / N².

    Of J people in F frames (J − 1)(F − 1) such deviations are free, and the sum is scaled to J F.
    """
    pairs, people = (one.within(inside, rows) for one in (sums.pairs, sums.people))
    frames = sums.frames["squares"].within(inside, rows).size
    each = people.keys.select("stratum", "person").unique()
    total = people.left_of("stratum", "person") * _free(each.height, each["stratum"].n_unique())
    if pairs.keys.height:
        s, n = pairs.sums.sum(axis=1), pairs.n.sum(axis=1)
        theta = over(s, n)
        by_frame = sums.frames["single_squares"].within(inside, rows).sums.sum(axis=1)
        frame = by_frame - 2.0 * theta * s + theta**2 * n
        left = np.maximum(pairs.left_of("match") - np.maximum(frame, 0.0), 0.0)
        total = total + left * _free(pairs.keys["match"].n_unique(), 1)
    return over(total * _free(frames, 1), size**2)


def _free(units: int, means: int) -> float:
    """Units over those that are free beside their means; 1 where none is."""
    return units / (units - means) if units > means else 1.0
