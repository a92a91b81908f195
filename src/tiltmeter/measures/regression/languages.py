"""One system in two languages: whether its coefficients differ between corpora that match.

Two corpora match where they are of different languages and have the same axes and groups, as the
English and the Spanish corpus of Anglo and Latino names do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiltmeter.measures.regression.rows import COEFFICIENT, LEAST_SQUARES, MARGINAL

ENGLISH = "en"
"""The language that another is held against."""
COMPARED = (COEFFICIENT, MARGINAL, LEAST_SQUARES)
ENDS = ("corpus", "language", "value", "low", "high")
DIFFERENCES = pl.Schema(
    dict.fromkeys(
        ("system", "task", "axis", "contrast", "reference", "measure", "unit"), pl.String()
    )
    | {
        f"{name}_{side}": pl.String() if name in ("corpus", "language") else pl.Float64()
        for side in ("first", "second")
        for name in ENDS
    }
    | dict.fromkeys(("difference", "se", "low", "high", "df", "p"), pl.Float64())
)


@dataclass(frozen=True, slots=True)
class Speaks:
    """A corpus, its language, and its groups by axis."""

    corpus: str
    language: str
    axes: Mapping[str, Sequence[str]]


def matching(corpora: Sequence[Speaks]) -> list[tuple[Speaks, Speaks]]:
    """Pairs of corpora that match; English second where it is one of them."""
    found = list[tuple[Speaks, Speaks]]()
    for at, one in enumerate(corpora):
        for other in corpora[at + 1 :]:
            alike = {a: set(g) for a, g in one.axes.items()} == {
                a: set(g) for a, g in other.axes.items()
            }
            if alike and one.language != other.language:
                found.append((other, one) if one.language == ENGLISH else (one, other))
    return found


def system_in(name: str, language: str) -> str:
    """What a system is called whatever its language: `svm-tfidf-es` is svm-tfidf in Spanish.

    >>> system_in("svm-tfidf-es", "es"), system_in("my-service", "es")
    ('svm-tfidf', 'my-service')
    """
    return name.removesuffix(f"-{language}")


def between_languages(estimates: pl.DataFrame, corpora: Sequence[Speaks]) -> pl.DataFrame:
    """Every effect of a system that answers two matching corpora, and whether the two differ.

    The two are taken as independent. Where both corpora have the same names they lean the same way
    if at all, and the test is rather too careful.
    """
    rows = estimates.filter(pl.col("measure").is_in(COMPARED), pl.col("value").is_not_null())
    parts = [_pair(rows, first, second) for first, second in matching(corpora)]
    return pl.concat([pl.DataFrame(schema=DIFFERENCES), *parts])


def _pair(rows: pl.DataFrame, first: Speaks, second: Speaks) -> pl.DataFrame:
    keys = ["family", "task", "axis", "contrast", "reference", "measure", "unit"]
    ours, theirs = (_of(rows, one).select(*keys, *NUMBERS) for one in (first, second))
    both = ours.join(theirs, on=keys, suffix="_second", how="inner", maintain_order="left")
    value = both["value"].to_numpy() - both["value_second"].to_numpy()
    se = np.hypot(both["se"].to_numpy(), both["se_second"].to_numpy())
    df = _welch(both)
    with np.errstate(all="ignore"):
        t = np.where(se > 0, value / se, np.where(value == 0, 0.0, np.inf))
        half = stdtrit(df, 0.975) * se
    return both.select(
        system="family",
        **{name: pl.col(name) for name in keys[1:]},
        **_end("first", first, ""),
        **_end("second", second, "_second"),
    ).with_columns(
        difference=pl.Series(value),
        se=pl.Series(se),
        low=pl.Series(value - half),
        high=pl.Series(value + half),
        df=pl.Series(np.where(np.isfinite(df), df, np.nan)).fill_nan(None),
        p=pl.Series(2 * stdtr(df, -np.abs(t))),
    )  # fmt: skip


NUMBERS = ("value", "se", "low", "high", "df")


def _of(rows: pl.DataFrame, one: Speaks) -> pl.DataFrame:
    """A corpus' rows, under the names that systems have in every language.

    Where `svm` and `svm-es` both answer a corpus they are two systems, each under its own name.
    """
    mine = rows.filter(corpus=one.corpus)
    every = set(mine["system"])
    alone = {name: system_in(name, one.language) for name in every}
    names = {name: name if short in every else short for name, short in alone.items()}
    return mine.with_columns(family=pl.col("system").replace(names))


def _end(side: str, of: Speaks, suffix: str) -> dict[str, pl.Expr]:
    return {
        f"corpus_{side}": pl.lit(of.corpus),
        f"language_{side}": pl.lit(of.language),
    } | {f"{name}_{side}": pl.col(f"{name}{suffix}") for name in ("value", "low", "high")}


def _welch(both: pl.DataFrame) -> NDArray[np.float64]:
    """The degrees of freedom of a difference of two, as Welch's test has them."""
    parts = [
        (both[f"se{end}"].to_numpy() ** 2, both[f"df{end}"].fill_null(float("inf")).to_numpy())
        for end in ("", "_second")
    ]
    with np.errstate(all="ignore"):
        top = sum(square for square, _ in parts) ** 2
        bottom = sum(square**2 / df for square, df in parts)
        return np.where(bottom > 0, top / bottom, np.inf)
