"""One system in two languages: whether its effects differ between corpora that match.

Two corpora match where they are of different languages and have the same axes and groups, as the
English and the Spanish corpus of Anglo and Latino names do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from tiltmeter.studies.regression.effects import COEFFICIENT, LEAST_SQUARES, MARGINAL

ENGLISH = "en"
"""The language that another is held against."""
COMPARED = (COEFFICIENT, MARGINAL, LEAST_SQUARES)
KEYS = ("task", "axis", "contrast", "reference", "measure", "unit")
SIDES = ("first", "second")
DIFFERENCES = pl.Schema(
    dict.fromkeys(("system", *KEYS), pl.String())
    | {
        f"{name}_{side}": pl.String() if name in ("corpus", "language") else pl.Float64()
        for side in SIDES
        for name in ("corpus", "language", "value", "low", "high")
    }
    | dict.fromkeys(("difference", "se", "low", "high", "df", "p"), pl.Float64())
)


class CorpusAxis(Protocol):
    """An axis and its groups."""

    @property
    def name(self) -> str:
        """As in `gender`."""

    @property
    def groups(self) -> Sequence[str]:
        """As in `female`, `male`."""


class LanguageCorpus(Protocol):
    """A corpus, or its comparisons: its language, and its groups by axis."""

    @property
    def name(self) -> str:
        """As in `eec`."""

    @property
    def language(self) -> str:
        """Its code."""

    @property
    def axes(self) -> Sequence[CorpusAxis]:
        """Each with its groups."""


def corpora_match(one: LanguageCorpus, other: LanguageCorpus) -> bool:
    """Whether two corpora ask the same in two languages."""
    ours, theirs = ({axis.name: set(axis.groups) for axis in of.axes} for of in (one, other))
    return ours == theirs and one.language != other.language


def between_languages(estimates: pl.DataFrame, corpora: Sequence[LanguageCorpus]) -> pl.DataFrame:
    """Every effect of a system that answers two matching corpora, and whether the two differ.

    English is the second of two where it is one of them. The two are taken as independent. Where
    both corpora have the same names they lean the same way if at all, and the test is rather too
    careful.
    """
    rows = estimates.filter(pl.col("measure").is_in(COMPARED), pl.col("value").is_not_null())
    found = [pl.DataFrame(schema=DIFFERENCES)]
    for at, one in enumerate(corpora):
        for other in corpora[at + 1 :]:
            if corpora_match(one, other):
                both = (other, one) if one.language == ENGLISH else (one, other)
                found.append(_differences(rows, *both))
    return pl.concat(found)


def _differences(rows: pl.DataFrame, first: LanguageCorpus, second: LanguageCorpus) -> pl.DataFrame:
    """Effects side by side, with Welch's test of whether they differ."""
    numbers = ("value", "se", "low", "high", "df")
    ours, theirs = (
        _common_names(rows.filter(corpus=one.name), one.language).select("system", *KEYS, *numbers)
        for one in (first, second)
    )
    both = ours.join(
        theirs, on=["system", *KEYS], suffix="_second", how="inner", maintain_order="left"
    )
    value = both["value"].to_numpy() - both["value_second"].to_numpy()
    errors = [both[f"se{end}"].to_numpy() for end in ("", "_second")]
    dfs = [both[f"df{end}"].fill_null(float("inf")).to_numpy() for end in ("", "_second")]
    se = np.hypot(*errors)
    with np.errstate(all="ignore"):
        bottom = sum(error**4 / df for error, df in zip(errors, dfs, strict=True))
        df = np.where(bottom > 0, sum(error**2 for error in errors) ** 2 / bottom, np.inf)
        t = np.where(se > 0, value / se, np.where(value == 0, 0.0, np.inf))
        half = stdtrit(df, 0.975) * se
    ends = {
        f"{name}_{side}": column
        for side, of, suffix in zip(SIDES, (first, second), ("", "_second"), strict=True)
        for name, column in {
            "corpus": pl.lit(of.name),
            "language": pl.lit(of.language),
            **{name: pl.col(f"{name}{suffix}") for name in ("value", "low", "high")},
        }.items()
    }
    return both.select("system", *KEYS, **ends).with_columns(
        difference=pl.Series(value),
        se=pl.Series(se),
        low=pl.Series(value - half),
        high=pl.Series(value + half),
        df=pl.Series(np.where(np.isfinite(df), df, np.nan)).fill_nan(None),
        p=pl.Series(2 * stdtr(df, -np.abs(t))),
    )


def _common_names(rows: pl.DataFrame, language: str) -> pl.DataFrame:
    """A corpus' rows, under the names that systems have in every language.

    `svm-tfidf-es` is svm-tfidf in Spanish. Where `svm` and `svm-es` both answer a corpus they are
    two systems, each under its own name.
    """
    every = set(rows["system"])
    short = {name: name.removesuffix(f"-{language}") for name in every}
    names = {name: name if alone in every else alone for name, alone in short.items()}
    return rows.with_columns(system=pl.col("system").replace(names))
