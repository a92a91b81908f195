"""Systems' stored outputs, as Lakkaraju et al. 2023 keep theirs, read for a rating.

    files ──names──▶ system, dataset ──columns, rows──▶ one table ──datasets, rules──▶ results

A table with the columns Gender, Emotion and Sentiment for each system and dataset; Race where the
dataset has it. What is guessed, counted or left out stands in the notes. Files are gone through
some rows at a time; where there are many, like rows are counted and not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from tiltmeter.corpora.rating_results.columns import absent_axes, axis_problems, unknown_columns
from tiltmeter.corpora.rating_results.counting import Once, counted_rows
from tiltmeter.corpora.rating_results.datasets import confounded, contradictions, settled
from tiltmeter.corpora.rating_results.files import SUBJECT, result_files
from tiltmeter.corpora.rating_results.gathering import FEW, Gathered
from tiltmeter.corpora.rating_results.notes import (
    guessed,
    left_out,
    like_rows,
    maybe_one,
    once_more,
    recognised,
    unanswered,
    unequal,
)
from tiltmeter.corpora.rating_results.passing import Passing
from tiltmeter.corpora.rating_results.records import Records
from tiltmeter.corpora.rating_results.results import RatingResults, Split, nowhere, ranges_of
from tiltmeter.corpora.rating_results.rules import (
    SEVERAL,
    broken_rules,
    one_spelling,
    scored_apart,
    without_repeats,
)
from tiltmeter.corpora.rating_results.words import against_custom, both_ways, polarity_of_words
from tiltmeter.corpora.table_file import capped
from tiltmeter.corpora.text_blocks import BLOCK
from tiltmeter.errors import Problem, ScoreFileError, TiltmeterError

AXES = ("race", "gender")


def read_rating_results(
    path: Path,
    *,
    axes: Sequence[str] | Mapping[str, Sequence[str]] = AXES,
    columns: Mapping[str, str] = {},
    positive: Sequence[str] = (),
    negative: Sequence[str] = (),
    encoding: str | None = None,
    split: Split = nowhere,
    few: int = FEW,
    block: int = BLOCK,
) -> RatingResults:
    """Read stored outputs from a file or a folder of files; everything wrong is said at once.

    `axes` are the columns with people's groups, perhaps with the groups that are expected;
    `columns` says which column of a file is which of ours; `positive` and `negative` say what
    further emotion words are. Scores stay as they are. Of more than `few` rows those with like
    scores are counted; `split` says from the systems' ranges which scores of each are never taken
    together.
    """
    path, wanted = Path(path), _as_ours(tuple(axes))
    unknown = unknown_columns(columns, wanted)
    _raise([*axis_problems(wanted), *unknown, *both_ways(positive, negative)])
    files, aside = result_files(path)
    polarity = polarity_of_words(positive, negative)
    passing = Passing(files, wanted, polarity, encoding, block, columns)
    with Records() as records:
        gathered = Gathered(wanted, records, few)
        for rows in passing.rows():
            gathered.add(rows)
        _raise(passing.problems or list(absent_axes(wanted, passing.tables)))
        _raise([*passing.faults, *_nothing(path, gathered)])
        found = tuple(axis for axis in wanted if passing.has(axis))
        tallies, inferred = settled(one_spelling(gathered.tallies, found), found)
        _raise(list(_other_groups(tallies, axes)))
        once = _once(gathered, tallies, found, split, passing)
    told, rows = once.tallies, once.rows
    notes = (
        *guessed(passing.opened),
        *against_custom(positive, negative),
        *inferred,
        *recognised(gathered.tallies, found),
        *left_out(passing.opened, passing.wordless),
        *once_more(gathered.height - int(told["n"].sum())),
        *unanswered(told),
        *contradictions(told, found),
        *maybe_one(told, found),
        *unequal(told),
        *aside,
        *(() if gathered.listed else like_rows(gathered.height, few)),
    )
    held = tuple(axis for axis in found if told[axis].null_count() < told.height)
    return RatingResults(rows, notes, confounded(told, found), ranges_of(told), held)


def _once(
    gathered: Gathered,
    tallies: pl.DataFrame,
    axes: Sequence[str],
    split: Split,
    passing: Passing,
) -> Once:
    """Each sentence once, listed or counted, or everything wrong with them."""
    halves, unclear = dict[str, float](), None
    try:
        halves |= {} if gathered.listed else split(ranges_of(tallies))
    except TiltmeterError as error:  # said when nothing else is wrong
        unclear = error
    once = (
        _listed(tallies, axes)
        if gathered.listed
        else counted_rows(gathered, tallies, axes, halves, passing.again)
    )
    _raise([*broken_rules(tallies, axes), *once.problems])
    if unclear is not None:
        raise unclear
    return once


def _listed(rows: pl.DataFrame, axes: Sequence[str]) -> Once:
    problems = capped(scored_apart(rows), SEVERAL)
    single = without_repeats(rows, axes)
    return Once(single, _ordered(single, axes), problems)


def _as_ours(axes: Sequence[str]) -> tuple[str, ...]:
    """The axes, each once; race and gender in lower case however they were asked for."""
    known = {axis.casefold(): axis for axis in AXES}
    return tuple(dict.fromkeys(known.get(axis.casefold(), axis) for axis in axes))


def _other_groups(
    tallies: pl.DataFrame, axes: Sequence[str] | Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Groups that are not among those expected, and groups expected that nobody is in."""
    for asked, groups in axes.items() if isinstance(axes, Mapping) else ():
        (axis,) = _as_ours([asked])
        if not groups or axis not in tallies.columns:
            continue
        found = tallies[axis].drop_nulls().unique().sort().to_list()
        wanted = {group.casefold() for group in groups}
        for group in found:
            if group.casefold() not in wanted:
                place = tallies.filter(pl.col(axis) == group)["place"][0]
                expected = f"expected one of {', '.join(groups)}, as --axis says"
                yield Problem(place, f"{axis} is {group!r}; {expected}")
        there = {group.casefold() for group in found}
        for group in groups:
            if group.casefold() not in there:
                what = f"--axis names the group {group!r} of {axis}, but no row holds it"
                yield Problem("", f"{what}; found {', '.join(found)}")


def _raise(problems: Sequence[Problem]) -> None:
    if problems:
        raise ScoreFileError(SUBJECT, problems)


def _nothing(path: Path, gathered: Gathered) -> Iterator[Problem]:
    if not gathered.height:
        what = "no row has an emotion word; expected one in every row, such as grim or happy"
        yield Problem(str(path), what)
    elif gathered.missing == gathered.height:
        what = f"all {gathered.height:,} scores are missing"
        yield Problem(str(path), f"{what}; expected numbers in the column Sentiment")


def _ordered(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The rows in an order that no file and no line decides."""
    keys = ("system", "group", "words", "emotion_word", *axes, "text", "raw", "file", "line")
    columns = ("system", "group", "words", *axes, "emotion_word", "polarity", "raw", "text")
    return rows.sort(keys, nulls_last=True).select(*columns, "file", "line")
