"""What must hold of stored outputs, what is mended in them, and what is only said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.corpora.design import PHRASES, known_groups
from tiltmeter.corpora.rating_results.datasets import dataset_name
from tiltmeter.corpora.rating_results.files import shows
from tiltmeter.corpora.table_file import capped
from tiltmeter.errors import Problem

DATASET = ["system", "group", "words"]
SEVERAL = "sentences with several scores"


def spellings(tallies: pl.DataFrame, axis: str) -> dict[str, str]:
    """How each group of an axis is written: female and male as we do, others as most rows do.

    Groups that differ only in case are one. Others are never joined: `F` is female where nobody
    is called female otherwise.
    """
    written = dict(tallies.group_by(axis).agg(pl.col("n").sum()).drop_nulls(axis).rows())
    best = dict[str, str]()
    for group in sorted(written, key=lambda group: (-written[group], group)):
        best.setdefault(group.casefold(), group)
    known = dict[str, str]()
    if axis == "gender":
        known = known_groups(axis, best.values())
        known |= {group: fold for fold, group in best.items() if fold in PHRASES}
    return {group: known.get(best[group.casefold()], best[group.casefold()]) for group in written}


def broken_rules(tallies: pl.DataFrame, axes: Sequence[str]) -> list[Problem]:
    """Everything wrong with the rows of all files together, single sentences aside."""
    return [
        *capped(_unshown(tallies, axes), "names like this"),
        *capped(_groupless(tallies, axes), "files like this"),
        *capped(_in_two_files(tallies), "datasets in several files"),
    ]


def _unshown(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[Problem]:
    """Names with characters that do not show, which could hide what they are."""
    for column in (*DATASET, *axes, "emotion_word"):
        first = rows.select(column, "place").drop_nulls().unique(column, maintain_order=True)
        for value, place in first.rows():
            if not shows(value):
                what = f"{column.replace('_', ' ')} is {value!r}, with characters that do not show"
                yield Problem(place, f"{what}; expected plain text")


def _groupless(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[Problem]:
    """Files in which nobody has a value on any axis."""
    somebody = pl.any_horizontal(pl.col(axes).is_not_null())
    for part in rows.partition_by("file", maintain_order=True):
        if not part.select(somebody.any()).item():
            what = f"nobody has a value for {' or '.join(axes)}; expected groups to compare"
            yield Problem(part["file"][0], f"{what}, or say which column holds them: --axis NAME")


def _in_two_files(rows: pl.DataFrame) -> Iterator[Problem]:
    """A system's dataset in several files; parts are told apart by a system column and a text."""
    told = (pl.col("own") & (pl.col("keyed") == pl.col("n"))).all()
    found = rows.group_by(DATASET, maintain_order=True).agg(
        pl.col("file").unique(maintain_order=True), told.alias("told")
    )
    for system, group, words, files, parts in found.rows():
        if len(files) > 1 and not parts:
            where = f"{dataset_name(group, words)} in {' and '.join(files)}"
            what = f"the system {system!r} has {where}; expected one file"
            yield Problem("", f"{what}; rename one, or add a System column to both")


def scored_apart(rows: pl.DataFrame) -> Iterator[Problem]:
    """Sentences that one system scored twice in one dataset, and differently."""
    keyed = rows.drop_nulls(["key", "raw"])
    found = keyed.group_by(*DATASET, "key", maintain_order=True).agg("raw", "place")
    for *dataset, key, scores, places in found.filter(pl.col("raw").list.n_unique() > 1).rows():
        first = dict(reversed(list(zip(scores, places, strict=True))))
        both = " and ".join(f"{score:g} ({first[score]})" for score in sorted(first))
        what = f"the system {dataset[0]!r} has the scores {both} for {key!r}"
        where = dataset_name(*dataset[1:])
        yield Problem(places[-1], f"{what} in {where}; expected one score for each sentence")


def without_repeats(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """Each sentence once for a system, dataset and group of people."""
    keyed = rows.filter(pl.col("key").is_not_null()).sort("raw", nulls_last=True)
    single = keyed.unique([*DATASET, *axes, "key"], keep="first", maintain_order=True)
    return pl.concat([single, rows.filter(pl.col("key").is_null())])


def one_spelling(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The rows with groups that differ only in case written alike."""
    for axis in axes:
        rows = rows.with_columns(pl.col(axis).replace(spellings(rows, axis)))
    return rows
