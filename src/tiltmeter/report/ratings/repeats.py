"""How sure the ratings are: how often each came up, and whose order is not certain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.ratings import phrases, wording
from tiltmeter.report.ratings.cards import wash
from tiltmeter.report.ratings.material import OVERALL, RatingMaterial
from tiltmeter.report.ratings.rated import Subject

MOST_PAIRS = 20
"""Pairs of systems that are listed."""


@dataclass(frozen=True, slots=True)
class Part:
    """One rating's share of the repeats, as a piece of a bar."""

    rating: int
    x: float
    wide: float
    wash: int
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """How often a system got each rating."""

    system: str
    task: str
    parts: tuple[Part, ...]
    said: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What the repeats say in one variant."""

    variant: str
    called: str
    bars: tuple[Bar, ...]
    columns: tuple[tuple[str, str], ...]
    """Each in words, and its code."""
    pairs: tuple[str, ...]
    pairs_more: int
    pairs_all: int


def steadiness(material: RatingMaterial, of: Sequence[Subject]) -> Iterator[Steadiness]:
    """A record for each variant; none without repeats."""
    if not material.repeats or material.frequencies.is_empty():
        return
    columns = tuple(material.columns["column"].to_list())
    words = tuple((phrases.column_words(row), row["column"]) for row in material.columns.to_dicts())
    shares = _shares(material.frequencies)
    for variant in material.variants:
        bars = [_bar(one, variant, columns, shares, material.levels) for one in of]
        pairs = material.order.filter(
            (pl.col("variant") == variant) & (pl.col("column") == OVERALL)
        )
        unsure = pairs.filter(~pl.col("certain")).rows(named=True)
        yield Steadiness(
            variant,
            wording.VARIANTS.get(variant, variant),
            tuple(bar for bar in bars if bar.parts),
            words,
            tuple(wording.uncertain(row) for row in unsure[:MOST_PAIRS]),
            max(0, len(unsure) - MOST_PAIRS),
            pairs.height,
        )


Shares = dict[tuple[str, str, str, str], dict[int, float]]


def _shares(frequencies: pl.DataFrame) -> Shares:
    found: Shares = {}
    for row in frequencies.iter_rows(named=True):
        if row["rating"] is not None and row["share"]:
            key = row["system"], row["task"], row["variant"], row["column"]
            found.setdefault(key, {})[row["rating"]] = row["share"]
    return found


def _bar(one: Subject, variant: str, columns: Sequence[str], shares: Shares, levels: int) -> Bar:
    own = shares.get((*one.key, variant, OVERALL), {})
    return Bar(
        one.system,
        one.task,
        tuple(_parts(own, levels)),
        _told(own),
        tuple(_told(shares.get((*one.key, variant, column), {})) for column in columns),
    )


def _parts(own: dict[int, float], levels: int) -> Iterator[Part]:
    x = 0.0
    for rating in sorted(own):
        wide = 100 * own[rating]
        yield Part(
            rating,
            round(x, 2),
            round(wide, 2),
            wash(rating, levels),
            f"{rating}" if wide >= 6 else "",
        )
        x += wide


def _told(own: dict[int, float]) -> str:
    """Ratings and their shares in a line.

    >>> _told({2: 0.29, 1: 0.71})
    '1: 71 %, 2: 29 %'
    """
    return ", ".join(f"{rating}: {phrases.percent(own[rating])}" for rating in sorted(own))
