"""Systems' stored outputs, as Lakkaraju et al. 2023 keep theirs, read for a rating.

    files ──names──▶ system, dataset ──columns, rows──▶ one table ──datasets, rules──▶ results

A table with the columns Gender, Emotion and Sentiment for each system and dataset; Race where the
dataset has it. What is guessed, counted or left out stands in the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.columns import fold_name
from tiltmeter.corpora.rating_results.datasets import (
    SEVERAL,
    Datasets,
    broken_rules,
    confounded,
    contradictions,
    dataset_name,
    infer_datasets,
    like_rows,
    one_spelling,
    said_again,
    scored_apart,
    spellings,
    without_repeats,
)
from tiltmeter.corpora.rating_results.files import SUBJECT, listed, result_files
from tiltmeter.corpora.rating_results.rows import (
    CellFaults,
    ResultTable,
    absent_axes,
    against_custom,
    axis_problems,
    both_ways,
    columns_of,
    places_of,
    polarity_of_words,
    said_rows,
    understood,
    unknown_columns,
)
from tiltmeter.errors import CorpusError, Problem, ScoreFileError, cap_problems
from tiltmeter.table_files import read_table

AXES = ("race", "gender")
KEPT = (
    *("system", "group", "words", "emotion_word", "polarity", "own", "file"),
    *("raw", "text", "key", "line"),
)
"""The columns of understood rows that are kept once their cells are checked, axes aside."""
MAYBE_ONE = (
    *({"male", "man", "men", "m"}, {"female", "woman", "women", "f"}),
    {"european", "europeanamerican"},
)
"""Ways to write what may be one group."""


@dataclass(frozen=True, slots=True)
class RatingResults:
    """What systems answered, sentence by sentence."""

    rows: pl.DataFrame
    """system, group, words, an axis each (null: NA), emotion_word, polarity, raw (null: missing);
    and text, file, line."""
    notes: tuple[str, ...]
    """What was guessed, counted and left out, for people."""
    confounded: Datasets
    ranges: Mapping[str, tuple[float, float]]
    """The lowest and the highest score by system; without those that answered nothing."""
    axes: tuple[str, ...]
    """Those on which somebody has a value."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their names."""
        return tuple(self.rows["system"].unique().sort())

    @property
    def datasets(self) -> tuple[tuple[str, str], ...]:
        """Group and set of words of each dataset, in order."""
        return tuple(sorted(self.confounded))


def read_rating_results(
    path: Path,
    *,
    axes: Sequence[str] | Mapping[str, Sequence[str]] = AXES,
    columns: Mapping[str, str] = {},
    positive: Sequence[str] = (),
    negative: Sequence[str] = (),
    encoding: str | None = None,
) -> RatingResults:
    """Read stored outputs from a file or a folder of files; everything wrong is said at once.

    `axes` are the columns with people's groups, perhaps with the groups that are expected;
    `columns` says which column of a file is which of ours; `positive` and `negative` say what
    further emotion words are. Scores stay as they are.
    """
    path, wanted = Path(path), _as_ours(tuple(axes))
    unknown = unknown_columns(columns, wanted)
    _raise([*axis_problems(wanted), *unknown, *both_ways(positive, negative)])
    files, aside = result_files(path)
    polarity = polarity_of_words(positive, negative)
    opened, problems = list[ResultTable](), list[Problem]()
    for file in files:
        try:
            table = read_table(file.path, encoding)
        except CorpusError as error:
            problems += error.problems
            continue
        opened.append(ResultTable(file, table, columns_of(table, wanted, columns)))
        problems += opened[-1].columns.problems
    _raise(problems or list(absent_axes(wanted, [(one.table, one.columns) for one in opened])))
    found = tuple(axis for axis in wanted if any(axis in one.columns.axes for one in opened))
    faults, wordless, parts = CellFaults(), Counter[str](), list[pl.DataFrame]()
    for one in opened:
        said = said_rows(one)
        mine = [axis for axis in found if axis in one.columns.axes]
        part = understood(said, mine, polarity)
        faults.see(part, one.table)
        wordless[str(one.table.path)] += said.height - part.height
        absent = [pl.lit(None, pl.String).alias(axis) for axis in found if axis not in mine]
        parts.append(part.with_columns(absent).select(*KEPT[:3], *found, *KEPT[3:]))
    every = pl.concat(parts)
    _raise([*faults, *_nothing(path, every)])
    rows, inferred = infer_datasets(one_spelling(every, found), found)
    _raise(list(_other_groups(rows, axes)))
    again = said_again(rows)
    _raise([*broken_rules(rows, found), *cap_problems(scored_apart(again), SEVERAL)])
    single = without_repeats(rows, again, found)
    alike = like_rows(single, found)
    notes = (
        *guessed(opened),
        *against_custom(positive, negative),
        *inferred,
        *recognised(every, found),
        *left_out(opened, wordless),
        *once_more(every.height - single.height),
        *unanswered(single),
        *contradictions(alike, found),
        *maybe_one(alike, found),
        *unequal(single),
        *aside,
    )
    held = tuple(axis for axis in found if single[axis].null_count() < single.height)
    results = _in_order(single, found)
    return RatingResults(results, notes, confounded(alike, found), _ranges(single), held)


def _as_ours(axes: Sequence[str]) -> tuple[str, ...]:
    """The axes, each once; race and gender in lower case however they were asked for."""
    known = {axis.casefold(): axis for axis in AXES}
    return tuple(dict.fromkeys(known.get(axis.casefold(), axis) for axis in axes))


def _raise(problems: Sequence[Problem]) -> None:
    if problems:
        raise ScoreFileError(SUBJECT, problems)


def _nothing(path: Path, rows: pl.DataFrame) -> Iterator[Problem]:
    if rows.is_empty():
        what = "no row has an emotion word; expected one in every row, such as grim or happy"
        yield Problem(str(path), what)
    elif rows["raw"].null_count() == rows.height:
        what = f"all {rows.height:,} scores are missing"
        yield Problem(str(path), f"{what}; expected numbers in the column Sentiment")


def _other_groups(
    rows: pl.DataFrame, axes: Sequence[str] | Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Groups that are not among those expected, and groups expected that nobody is in."""
    for asked, groups in axes.items() if isinstance(axes, Mapping) else ():
        (axis,) = _as_ours([asked])
        if not groups or axis not in rows.columns:
            continue
        found = rows[axis].drop_nulls().unique().sort().to_list()
        wanted = {group.casefold() for group in groups}
        for group in found:
            if group.casefold() not in wanted:
                place = places_of(rows.filter(pl.col(axis) == group).head(1))[0]
                expected = f"expected one of {', '.join(groups)}, as --axis says"
                yield Problem(place, f"{axis} is {group!r}; {expected}")
        there = {group.casefold() for group in found}
        for group in groups:
            if group.casefold() not in there:
                what = f"--axis names the group {group!r} of {axis}, but no row holds it"
                yield Problem("", f"{what}; found {', '.join(found)}")


def _in_order(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The rows in an order that no file and no line decides."""
    keys = ("system", "group", "words", "emotion_word", *axes, "text", "raw", "file", "line")
    columns = ("system", "group", "words", *axes, "emotion_word", "polarity", "raw", "text")
    return rows.select(*columns, "file", "line").sort(keys, nulls_last=True)


def _ranges(rows: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """The lowest and the highest score by system."""
    raw = pl.col("raw")
    found = rows.drop_nulls("raw").group_by("system").agg(raw.min().alias("low"), raw.max())
    return {system: (low, high) for system, low, high in found.sort("system").rows()}


# ---------------------------------------------------------------- notes


def guessed(opened: Sequence[ResultTable]) -> Iterator[str]:
    """Notes on what was read off the names of files and folders."""
    unsaid = [one.file for one in opened if "system" not in one.columns.ours]
    for by_folder, what in ((False, "file"), (True, "folder")):
        files = [file for file in unsaid if file.named.by_folder is by_folder]
        if files:
            pairs = [f"{file.path.name} → {file.named.system}" for file in files]
            yield f"system ← the name of the {what}: {listed(pairs, 3)}"
    for ours, what in (("group", "group"), ("words", "set of words")):
        pairs = [
            f"{one.file.path.name} → {getattr(one.file.named, ours)}"
            for one in opened
            if getattr(one.file.named, ours) and not {ours, "dataset"} & one.columns.ours.keys()
        ]
        if pairs:
            yield f"{what} ← the name of the file or folder: {listed(pairs, 3)}"


def left_out(opened: Sequence[ResultTable], wordless: Mapping[str, int]) -> Iterator[str]:
    """Notes on rows and columns that were not read, or read under another name."""
    for one in opened:
        name, scores = one.table.path.name, one.columns.ours["sentiment"]
        yield from (f"{name}: {note}" for note in one.table.notes)
        if count := wordless[str(one.table.path)]:
            yield f"{name}: left out {count:,} rows without an emotion word"
        if scores.lower() != "sentiment":
            yield f"{name}: sentiment ← {scores!r}"
    wordless_files = [
        one.table.path.name for one in opened if not {"emotion", "word"} & one.columns.ours.keys()
    ]
    if wordless_files:
        what = (
            f"no column 'Emotion' in {listed(wordless_files, 3)}: which words are said is not known"
        )
        yield f"{what}, and classes are compared over all sentences"
    unread = sorted({repr(name) for one in opened for name in one.columns.unread})
    if unread:
        yield f"columns not read: {listed(unread)}; to compare groups by one: --axis NAME"


def recognised(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[str]:
    """Notes on groups that are read under another name than the files write."""
    for axis in axes:
        told = [
            f"{group!r} as {ours}"
            for group, ours in sorted(spellings(rows, axis).items())
            if group.casefold() != ours.casefold()
        ]
        if told:
            yield f"{axis}: read {', '.join(told)}"


def maybe_one(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[str]:
    """Notes on groups that are kept apart and may be one."""
    for axis in axes:
        groups = rows[axis].drop_nulls().unique().sort().to_list()
        for alike in _alike(groups):
            both = " and ".join(map(repr, alike))
            yield (
                f"{axis}: {both} are kept apart as the files write them; "
                "write them alike if they mean the same people"
            )


def _alike(groups: Sequence[str]) -> Iterator[list[str]]:
    """Groups that differ only in hyphens and the like, or that have a word for one group."""
    kinds: Iterable[frozenset[str] | set[str]] = {frozenset({fold_name(group)}) for group in groups}
    for kind in (*MAYBE_ONE, *sorted(kinds, key=sorted)):
        found = [group for group in groups if fold_name(group) in kind]
        if len(found) > 1:
            yield found


def unequal(rows: pl.DataFrame) -> Iterator[str]:
    """Notes on datasets that some systems lack, or have fewer sentences of."""
    systems = set(rows["system"].unique())
    sizes = rows.group_by("group", "words", "system").agg(n=pl.len())
    sizes = sizes.sort("group", "words", "system")
    for part in sizes.partition_by("group", "words", maintain_order=True):
        name = dataset_name(part["group"][0], part["words"][0])
        lacking = sorted(systems - set(part["system"]))
        if lacking:
            yield f"{name}: no outputs of {listed(lacking)}"
        if part["n"].n_unique() > 1:
            counts = [f"{system} {size:,}" for system, size in part.select("system", "n").rows()]
            yield f"{name}: not as many sentences of each system: {listed(counts)}"


def once_more(many: int) -> Iterator[str]:
    """A note on rows that were left out, if any were."""
    if many:
        yield f"left out {many:,} rows that say the same once more"


def unanswered(rows: pl.DataFrame) -> Iterator[str]:
    """Notes on the scores that are missing, by system."""
    missing = pl.col("raw").null_count().alias("missing")
    found = rows.group_by("system").agg(missing, pl.len().alias("n"))
    for system, none, count in found.sort("system").rows():
        if none == count:
            yield f"{system}: no score at all in {count:,} rows"
        elif none:
            yield f"{system}: {none:,} of {count:,} scores are missing"
