"""Two sentences of one dataset that differ only in who is mentioned, and both scores.

They are of the system with the most tilt and of what drove its rating. Where that goes beyond
chance the pair is a typical one; where it may be chance, or a few names, it is the widest apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from tiltmeter.ranking import coarsen, coarsen_column
from tiltmeter.report import phrases
from tiltmeter.report.first_screen import SentencePair
from tiltmeter.report.numbers import fixed, points
from tiltmeter.studies.rating.study import RatedSystem, Ratings, Row
from tiltmeter.studies.rating.wording import CHANCE

MOST = 1_000_000
"""Pairs of sentences that are looked at; of more, those of the first templates and words."""
DUST = 1e-9
"""Scores as parts of their scale that differ by less are alike."""
SIDES = "first", "second"


def telling_pair(study: Ratings) -> SentencePair | None:
    """Of the first system from the most tilt on that scores any two apart; None without any.

    Nothing is known of single sentences where stored outputs were rated.
    """
    if study.scores is None or study.sentences is None:
        return None
    corpora = {str(one["group"]): one["corpus"] for one in study.run["groups"] if "corpus" in one}
    places = {one.system: nth for nth, one in enumerate(study.systems)}
    for one in reversed(study.systems):
        row = driving_row(one)
        if row is None or row["group"] not in corpora:
            continue
        axes, others = _axes(study, row)
        if not {*axes, *others} <= set(study.sentences.columns):
            continue
        rows = _scored_sentences(
            study.scores, study.sentences, one, corpora[row["group"]], [*axes, *others]
        )
        found = _typical(rows, axes, others) if _beyond(row) else _widest(rows, axes, others)
        if found is None:
            continue
        high, low = (float(found[f"score_{side}"]) for side in SIDES)
        axis = phrases.spoken(row["attribute"])
        which = f"typical for {axis}" if _beyond(row) else f"the widest by {axis} alone"
        return SentencePair(
            found["first"],
            found["second"],
            fixed(100 * high, 1),
            fixed(100 * low, 1),
            where=f"{phrases.called(one.system, 40)}: {points(high - low)} points of "
            f"100 apart, {which}",
            href=f"#system-{places[one.system]}",
            language=found["language"],
            levels=(high, low),
        )
    return None


def driving_row(one: RatedSystem) -> Row | None:
    """The column that says most about a system: beyond chance, then by rating and raw score.

    Those where everybody has the same words come first, and of them those about one attribute.
    """
    rows = [
        row
        for row in one.first.columns.values()
        if row["rating"] is not None and (row["psi"] or row["x"])
    ]

    def size(row: Row) -> tuple[bool, bool, bool, int, float]:
        single = len(phrases.attributes(str(row["attribute"]))) == 1
        psi = coarsen(row["psi"] or 0.0)
        return row["measure"] == "wrs", _beyond(row), single, row["rating"], psi

    return max(rows, key=size, default=None)


def _beyond(row: Row) -> bool:
    return row["p"] is not None and row["p"] <= CHANCE


def _axes(study: Ratings, row: Row) -> tuple[list[str], list[str]]:
    """The attributes that a column is about, and the group's others, in which a pair is alike."""
    axes = phrases.attributes(str(row["attribute"]))
    every = {
        part: None
        for column in study.column_rows.values()
        if column["group"] == row["group"]
        for part in phrases.attributes(str(column["attribute"]))
    }
    return axes, [axis for axis in every if axis not in axes]


def _scored_sentences(
    scores: pl.DataFrame,
    sentences: pl.DataFrame,
    one: RatedSystem,
    corpus: str,
    axes: Sequence[str],
) -> pl.DataFrame:
    """The sentences of a corpus about people of known classes, with a system's scores."""
    own = scores.filter(system=one.system, task=one.task).drop_nulls("score")
    answers = own.group_by("id").agg(pl.col("score").mean())  # of repeats
    sentences = sentences.filter(pl.col("id").str.starts_with(f"{corpus}:")).drop_nulls(axes)
    return sentences.join(answers, on="id", maintain_order="left")


def _pairs(
    rows: pl.DataFrame, axes: Sequence[str], others: Sequence[str], first: str, second: str
) -> pl.DataFrame:
    """Every sentence about `first` beside every one about `second`, alike but for the person."""
    alike = ["frame", "match", *others]
    named = rows.with_columns(group=pl.concat_str(axes, separator=" "))
    sides = [
        named.filter(group=group).select(
            *alike, pl.col("text").alias(side), pl.col("score").alias(f"score_{side}"),
            pl.col("person").alias(f"person_{side}"), "language",
        )
        for side, group in zip(SIDES, (first, second), strict=True)
    ]  # fmt: skip
    many = sides[0].group_by(alike, maintain_order=True).len("n")
    many = many.join(sides[1].group_by(alike).len("m"), on=alike, maintain_order="left")
    few = many.filter((pl.col("n") * pl.col("m")).cum_sum() <= MOST).select(alike)
    pairs = sides[0].join(few, on=alike, maintain_order="left")
    pairs = pairs.join(sides[1].drop("language"), on=alike, maintain_order="left")
    return pairs.with_columns(apart=pl.col("score_first") - pl.col("score_second"))


def _gaps(rows: pl.DataFrame, axes: Sequence[str], others: Sequence[str]) -> pl.DataFrame:
    """first, second, gap, widest: every two classes, as they stand and as far as any two go."""
    alike = ["frame", "match", *others]
    ends = (
        rows.with_columns(group=pl.concat_str(axes, separator=" "))
        .group_by(*alike, "group", maintain_order=True)
        .agg(
            pl.col("score").mean().alias("mean"), pl.col("score").max().alias("most"),
            pl.col("score").min().alias("least"),
        )
    )  # fmt: skip
    both = ends.join(ends, on=alike, suffix="_second", maintain_order="left")
    both = both.filter(pl.col("group") != pl.col("group_second"))
    return both.group_by(
        pl.col("group").alias("first"), pl.col("group_second").alias("second"), maintain_order=True
    ).agg(
        (pl.col("mean") - pl.col("mean_second")).mean().alias("gap"),
        (pl.col("most") - pl.col("least_second")).max().alias("widest"),
    )


def _typical(rows: pl.DataFrame, axes: Sequence[str], others: Sequence[str]) -> Row | None:
    """Of the two classes furthest apart: of the swaps at least as far apart, the median one.

    A swap is two people; of its sentences those furthest apart.
    """
    gaps = _gaps(rows, axes, others).filter(pl.col("gap") > DUST)
    if gaps.is_empty():
        return None
    first, second, gap, _ = _largest_gap(gaps, "gap")
    pairs = _pairs(rows, axes, others, first, second)
    people = ["person_first", "person_second"]
    swaps = pairs.group_by(people, maintain_order=True).agg(
        pl.col("apart").mean().alias("mean"), pl.col("apart").max().alias("widest")
    )
    enough = swaps.filter(pl.col("mean") >= gap - DUST, pl.col("widest") > DUST)
    enough = swaps.filter(pl.col("widest") > DUST) if enough.is_empty() else enough
    if enough.is_empty():
        return None
    ordered = enough.sort(coarsen_column(pl.col("mean")), maintain_order=True)
    swap = ordered.row((enough.height - 1) // 2, named=True)
    return _furthest(pairs.filter(**{name: swap[name] for name in people}))


def _widest(rows: pl.DataFrame, axes: Sequence[str], others: Sequence[str]) -> Row | None:
    gaps = _gaps(rows, axes, others).filter(pl.col("widest") > DUST)
    if gaps.is_empty():
        return None
    first, second, _, _ = _largest_gap(gaps, "widest")
    return _furthest(_pairs(rows, axes, others, first, second))


def _largest_gap(gaps: pl.DataFrame, name: str) -> tuple[Any, ...]:
    """The row whose gap is the largest; of several that are alike the first in the corpus."""
    size = coarsen_column(pl.col(name))
    return gaps.sort(size, descending=True, maintain_order=True).row(0)


def _furthest(pairs: pl.DataFrame) -> Row | None:
    if pairs.is_empty():
        return None
    at = pairs.select((pl.col("apart") >= pl.col("apart").max() - DUST).arg_true().first()).item()
    return pairs.row(int(at), named=True)
