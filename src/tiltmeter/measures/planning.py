"""What a corpus can tell before anyone is asked: how far noise of a known size moves its tilt.

A tilt is a weighted sum of scores. If people, templates, words and single sentences each move it by
effects of their own, drawn with standard deviations σ, its variance is

    V = σ_people² C_people + σ_templates² C_templates + σ_words² C_words + σ_noise² C_noise

where C is the sum of the squared shares of a source's units: 1/n for n units alike in size. The
effects of people and of single sentences are on scores; those of templates and words on differences
between two groups, since what a word does to everyone cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from tiltmeter.measures.contrasts import Contrast, comparisons
from tiltmeter.measures.stats.crossed import Source, source, strata
from tiltmeter.measures.tilt.units import OF_NO_WORD, units_of

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spreads:
    """Standard deviations of what people, templates, words and single sentences do."""

    people: float
    templates: float
    words: float
    noise: float


@dataclass(frozen=True, slots=True)
class Design:
    """How much each source of noise counts in one contrast of a corpus."""

    contrast: Contrast
    pairs: int
    people: int
    """In each of the groups compared; where they differ, in the smallest one."""
    templates: int
    words: int
    squares: Array
    """(4,): C of people, templates, words and noise."""
    df: Array
    """(4,): degrees of freedom of each; noise has none of its own."""


def design_of(sentences: pl.DataFrame, contrast: Contrast, axes: Sequence[str]) -> Design:
    """The shares of people, templates and words in one contrast, from the sentences alone."""
    nothing = np.zeros((1, sentences.height))
    found = units_of(sentences, nothing, contrast, axes, np.ones(1))
    if found.pairs.is_empty():
        return Design(contrast, 0, 0, 0, 0, np.zeros(4), np.zeros(4))
    counted = _counted(sentences, contrast, found.pairs["single"])
    names = found.pooled.with_columns(weight=pl.col("weight") / max(found.pairs.height, 1))
    people = strata([_matches(counted, found.pairs), *_strata(names)])
    templates, words = (_clusters(found.pairs[name]) for name in ("template", "word"))
    noise = sum(float((one["weight"] ** 2).sum()) for one in (counted, names))
    no_word = found.pairs["word"].unique().str.starts_with(OF_NO_WORD)
    sources = people, templates, words
    return Design(
        contrast, found.pairs.height, _in_each(counted, names, sentences, contrast),
        templates.clusters, int((~no_word).sum()),
        np.array([*(one.variance[0] for one in sources), noise]),
        np.array([*(one.df[0] for one in sources), 0.0]),
    )  # fmt: skip


def _counted(sentences: pl.DataFrame, contrast: Contrast, single: pl.Series) -> pl.DataFrame:
    """Sentences of pairs with one person on a side, with what each counts for in the mean."""
    found = comparisons(sentences, [contrast])
    both = (found.first - found.second)[single.arg_true().to_numpy()]
    weight = np.asarray(both.sum(axis=0)) / max(found.pairs.height, 1)
    counted = sentences.select("person", "match", contrast.axis).with_columns(weight=weight)
    return counted.filter(pl.col("weight") != 0)


def _matches(counted: pl.DataFrame, pairs: pl.DataFrame) -> Source:
    """Pairs such as my mother and my father, drawn as one: a stratum."""
    n = pairs.filter("single")["match"].value_counts().sort("match")
    each = counted.group_by("match", "person").agg(pl.col("weight").sum())
    squares = each.group_by("match").agg((pl.col("weight") ** 2).sum()).sort("match")
    return _source(n["count"], squares["weight"])


def _strata(names: pl.DataFrame) -> list[Source]:
    """The names of each group and cell."""
    of_one = pl.col("weight").sum() ** 2
    each = names.group_by("stratum", "person").agg(pl.len(), squares=of_one).sort("person")
    parts = each.group_by("stratum", maintain_order=True)
    return [_source(some["len"], some["squares"]) for _, some in parts]


def _clusters(names: pl.Series) -> Source:
    """Templates or words: the squares of the parts of all pairs that each has."""
    n = names.value_counts(name="n")["n"]
    return _source(n, (n / max(names.len(), 1)) ** 2)


def _source(n: pl.Series, squares: pl.Series) -> Source:
    """Clusters of n numbers each; a single one is held fixed and adds nothing."""
    many = n.to_numpy()[None, :].astype(np.float64)
    df = source(np.zeros_like(many), many).df
    added = np.where(df > 0, float(squares.sum()), 0.0)
    return Source(np.zeros_like(many), added, df, many.shape[1])


def _in_each(
    counted: pl.DataFrame, names: pl.DataFrame, sentences: pl.DataFrame, contrast: Contrast
) -> int:
    """How many people each group has, the one with the fewest."""
    groups = contrast.groups or (contrast.first, contrast.second)
    who = pl.concat([counted["person"], names["person"]]).unique()
    among = sentences.filter(pl.col("person").is_in(who.implode()))
    return min(
        among.filter(pl.col(contrast.axis) == group)["person"].n_unique() for group in groups
    )


def expected_errors(design: Design, spreads: Spreads) -> tuple[float, Array]:
    """The standard error of the tilt, and that of people, templates, words and noise alone.

    As measured on scores, so here: each of the first three has the noise in it too.
    """
    added = design.squares * np.array(astuple(spreads)) ** 2
    noise = np.where(np.arange(4) < 3, added[3], 0.0)
    return float(np.sqrt(added.sum())), np.sqrt(added + noise)


def spreads_of(design: Design, errors: ArrayLike) -> Spreads:
    """The standard deviations that would make such standard errors: the same backwards.

    >>> contrast, nought = Contrast("gender", "female", "male"), np.zeros(4)
    >>> made = Design(contrast, 20, 10, 5, 4, np.array([0.2, 0.2, 0.25, 0.1]), nought)
    >>> spreads_of(made, expected_errors(made, Spreads(0.01, 0.02, 0.04, 0.05))[1])
    Spreads(people=0.01, templates=0.02, words=0.04, noise=0.05)
    """
    variances = np.nan_to_num(np.asarray(errors, np.float64)) ** 2
    own = np.maximum(variances - np.where(np.arange(4) < 3, variances[3], 0.0), 0.0)
    sizes = np.divide(own, design.squares, out=np.zeros(4), where=design.squares > 0)
    return Spreads(*(float(np.round(one, 12)) for one in np.sqrt(sizes)))
