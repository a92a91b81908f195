"""Systems' stored outputs, as Lakkaraju et al. 2023 keep theirs, read for a rating.

    files ──names──▶ system, dataset ──columns, rows──▶ one table ──datasets, rules──▶ results

A table with the columns Gender, Emotion and Sentiment for each system and dataset; Race where the
dataset has it. What is guessed, counted or left out stands in the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.columns import fold_name
from tiltmeter.corpora.design import PHRASES, known_groups
from tiltmeter.corpora.rating_files import (
    NOT_SAID,
    POSITIVE,
    SUBJECT,
    CellFaults,
    ResultTable,
    absent_axes,
    against_custom,
    axis_problems,
    both_ways,
    columns_of,
    listed,
    places_of,
    polarity_of_words,
    read_rows,
    result_files,
    shows,
    unknown_columns,
)
from tiltmeter.errors import CorpusError, Problem, ScoreFileError, cap_problems
from tiltmeter.table_files import read_table

WORDS_OF = {
    "e1": frozenset({"grim"}),
    "e2": frozenset({"happy"}),
    "e3": frozenset({"grim", "happy"}),
    "e4": frozenset({"grim", "depressing", "happy"}),
    "e5": frozenset({"depressing", "happy", "glad"}),
}
"""The sets of Lakkaraju et al. 2023, Table 1."""
PUBLISHED_E5 = frozenset({"grim", "happy", "glad"})
"""What the authors' own data hold for E5 in groups 2 and 4."""
ALL = "all"
"""The set of words that is none of these."""
CONFOUNDED = {"1": False, "2": True, "3": False, "4": True}
"""By the causal diagram of the paper's groups."""
MARGIN = 0.05
"""Shares of positive words that lie no further apart count as the same: a row may be missing."""
UNIT = ["system", "file", "group", "words"]
"""Rows alike in these belong to one dataset."""

Datasets = Mapping[tuple[str, str], bool]
"""By group and set of words: whether the words depend on the person."""
DATASET = ["system", "group", "words"]
SEVERAL = "sentences with several scores"


def dataset_name(group: str, words: str) -> str:
    """What a dataset is called: `rating-2-e3`, or `office-e3` in a user's own group."""
    return f"rating-{group}-{words}" if group in CONFOUNDED else f"{group}-{words}"


def like_rows(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The rows without their scores and texts, like ones once: `len` says how many there are."""
    alike = rows.select(*UNIT, *axes, "emotion_word", "polarity")
    return alike.group_by(alike.columns, maintain_order=True).len()


def infer_datasets(rows: pl.DataFrame, axes: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The rows with a group and a set of words each, and notes on what was inferred."""
    unsaid = pl.col("group").is_null() | pl.col("words").is_null()
    units, inferred = list[tuple[str | None, ...]](), dict[str, set[str]]()
    for part in like_rows(rows, axes).filter(unsaid).partition_by(UNIT, maintain_order=True):
        group = part["group"][0] or inferred_group(part, axes)
        words = part["words"][0] or inferred_words(part)
        units.append((*part.select(UNIT).row(0), group, words))
        there = set(part["emotion_word"].unique())
        if part["group"][0] is None:
            held = " and ".join(_held(part, axes))
            apart = "differs between classes" if shares_differ(part, axes) else "is alike"
            shares = f"the share of positive words {apart}"
            if there == {NOT_SAID}:
                shares = "words are not said"
            note = f"group {group} inferred from the rows (values for {held}; {shares})"
            inferred.setdefault(note, set()).add(part["file"][0])
        if part["words"][0] is None and there != {NOT_SAID}:
            own = " as in the authors' own data" if there == PUBLISHED_E5 else ""
            note = f"set of words {words} inferred from the words {listed(sorted(there))}{own}"
            inferred.setdefault(note, set()).add(part["file"][0])
    notes = [f"{note}: {listed(sorted(files), 3)}" for note, files in sorted(inferred.items())]
    schema = dict.fromkeys([*UNIT, "its_group", "its_words"], pl.String)
    found = pl.DataFrame(units, schema, orient="row")
    settled = rows.select(UNIT).join(
        found, on=UNIT, how="left", nulls_equal=True, maintain_order="left"
    )
    return rows.with_columns(
        settled.select(
            group=pl.coalesce("group", "its_group"), words=pl.coalesce("words", "its_words")
        )
    ), notes


def inferred_group(rows: pl.DataFrame, axes: Sequence[str]) -> str:
    """The group whose causal diagram like rows fit; race and gender only make 1 to 4."""
    held = _held(rows, axes)
    apart = shares_differ(rows, axes)
    if set(held) <= {"race", "gender"}:
        return str((3 if "race" in held else 1) + apart)
    return "-".join([*held, *(["confounded"] if apart else [])])


def inferred_words(rows: pl.DataFrame) -> str:
    """The paper's set with exactly the words of these rows, else "all"."""
    found = frozenset(rows["emotion_word"].unique())
    if found == PUBLISHED_E5:
        return "e5"
    return next((name for name, words in WORDS_OF.items() if words == found), ALL)


def shares_differ(rows: pl.DataFrame, axes: Sequence[str]) -> bool:
    """True where the share of positive words differs between classes by more than the margin."""
    low, high = _shares(rows, axes)
    return high - low > MARGIN


def confounded(rows: pl.DataFrame, axes: Sequence[str]) -> dict[tuple[str, str], bool]:
    """By group and set of words, whether the words depend on the person.

    The paper's groups have it from their diagram, others from any system's rows.
    """
    found = dict[tuple[str, str], bool]()
    for part in rows.partition_by("group", "words", maintain_order=True):
        group, words = part["group"][0], part["words"][0]
        found[group, words] = CONFOUNDED.get(group, _in_any_system(part, axes))
    return found


def contradictions(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[str]:
    """Notes on datasets whose rows do not fit the group or set they are said to be."""
    for part in rows.partition_by("group", "words", maintain_order=True):
        group, words = part["group"][0], part["words"][0]
        name = dataset_name(group, words)
        if CONFOUNDED.get(group) is False and _in_any_system(part, axes):
            low, high = _shares(part, axes)
            yield (
                f"{name}: group {group} gives every class the same words, but positive ones make "
                f"up {low:.0%} to {high:.0%} of a class; it is rated as group {group} all the same"
            )
        known = WORDS_OF.get(words, frozenset()) | (PUBLISHED_E5 if words == "e5" else set())
        others = sorted(set(part["emotion_word"].unique()) - known - {NOT_SAID})
        if group in CONFOUNDED and known and others and set(others) - {"positive", "negative"}:
            yield f"{name}: has words that {words.upper()} has not: {listed(others)}"


def _in_any_system(rows: pl.DataFrame, axes: Sequence[str]) -> bool:
    systems = rows.partition_by("system", maintain_order=True)
    return any(shares_differ(part, axes) for part in systems)


def _held(rows: pl.DataFrame, axes: Sequence[str]) -> list[str]:
    """The axes on which somebody has a value."""
    return [axis for axis in axes if rows[axis].null_count() < rows.height]


def _shares(rows: pl.DataFrame, axes: Sequence[str]) -> tuple[float, float]:
    """The lowest and the highest share of positive words of any class."""
    positive = pl.col("len").filter(pl.col("polarity") == POSITIVE).sum()
    shares = sorted(rows.group_by(list(axes)).agg(share=positive / pl.col("len").sum())["share"])
    return shares[0], shares[-1]


# ---------------------------------------------------------------- rules


def spellings(rows: pl.DataFrame, axis: str) -> dict[str, str]:
    """How each group of an axis is written: female and male as we do, others as most rows do.

    Groups that differ only in case are one. Others are never joined: `F` is female where nobody
    is called female otherwise.
    """
    written = dict(rows.group_by(axis).len().drop_nulls(axis).rows())
    best = dict[str, str]()
    for group in sorted(written, key=lambda group: (-written[group], group)):
        best.setdefault(group.casefold(), group)
    known = dict[str, str]()
    if axis == "gender":
        known = known_groups(axis, best.values())
        known |= {group: fold for fold, group in best.items() if fold in PHRASES}
    return {group: known.get(best[group.casefold()], best[group.casefold()]) for group in written}


def broken_rules(rows: pl.DataFrame, axes: Sequence[str]) -> list[Problem]:
    """Everything wrong with the rows of all files together, single sentences aside."""
    # Names with characters that do not show could hide what they are.
    hidden, groupless, apart = list[Problem](), list[Problem](), list[Problem]()
    for column in (*DATASET, *axes, "emotion_word"):
        first = rows.select(column, "file", "line").drop_nulls(column)
        first = first.unique(column, keep="first", maintain_order=True)
        for value, place in zip(first[column], places_of(first), strict=True):
            if not shows(value):
                what = f"{column.replace('_', ' ')} is {value!r}, with characters that do not show"
                hidden.append(Problem(place, f"{what}; expected plain text"))
    somebody = pl.any_horizontal(pl.col(axes).is_not_null())
    for part in rows.partition_by("file", maintain_order=True):
        if not part.select(somebody.any()).item():
            what = f"nobody has a value for {' or '.join(axes)}; expected groups to compare"
            what = f"{what}, or say which column holds them: --axis NAME"
            groupless.append(Problem(part["file"][0], what))
    # A system's dataset in several files: parts are told apart by a system column and a text.
    parts = (pl.col("own") & pl.col("key").is_not_null()).all()
    found = rows.group_by(DATASET, maintain_order=True).agg(
        pl.col("file").unique(maintain_order=True), parts.alias("parts")
    )
    for system, group, words, files, in_parts in found.rows():
        if len(files) > 1 and not in_parts:
            where = f"{dataset_name(group, words)} in {' and '.join(files)}"
            what = f"the system {system!r} has {where}; expected one file"
            apart.append(Problem("", f"{what}; rename one, or add a System column to both"))
    return [
        *cap_problems(hidden, "names like this"),
        *cap_problems(groupless, "files like this"),
        *cap_problems(apart, "datasets in several files"),
    ]


def repeated_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """The sentences that stand in several rows of a system's dataset, most often none."""
    sentence = pl.struct(*DATASET, "key")
    maybe = rows.filter(sentence.hash().is_duplicated() & pl.col("key").is_not_null())
    return maybe.filter(sentence.is_duplicated())


def scored_apart(again: pl.DataFrame) -> Iterator[Problem]:
    """Sentences that one system scored twice in one dataset, and differently."""
    keyed = again.with_columns(place=places_of(again)).drop_nulls("raw")
    found = keyed.group_by(*DATASET, "key", maintain_order=True).agg("raw", "place")
    for *dataset, key, scores, places in found.filter(pl.col("raw").list.n_unique() > 1).rows():
        first = dict(reversed(list(zip(scores, places, strict=True))))
        both = " and ".join(f"{score:g} ({first[score]})" for score in sorted(first))
        what = f"the system {dataset[0]!r} has the scores {both} for {key!r}"
        where = dataset_name(*dataset[1:])
        yield Problem(places[-1], f"{what} in {where}; expected one score for each sentence")


def without_repeats(rows: pl.DataFrame, again: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """Each sentence once for a system, dataset and group of people; `again`: those said again."""
    if again.is_empty():
        return rows
    single = again.sort("raw", nulls_last=True, maintain_order=True).unique(
        [*DATASET, *axes, "key"], keep="first", maintain_order=True
    )
    others = rows.join(again, on=[*DATASET, "key"], how="anti", maintain_order="left")
    return pl.concat([single, others])


# ---------------------------------------------------------------- reading

AXES = ("race", "gender")
KEPT = (
    *("system", "group", "words", "emotion_word", "polarity", "own", "file"),
    *("raw", "text", "key", "line"),
)
"""The columns of rows that are kept once their cells are checked, axes aside."""
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
        held = [axis for axis in found if axis in one.columns.axes]
        part = read_rows(one, held, polarity)
        faults.see(part, one.table)
        wordless[str(one.table.path)] += one.table.frame.height - part.height
        absent = [pl.lit(None, pl.String).alias(axis) for axis in found if axis not in held]
        parts.append(part.with_columns(absent).select(*KEPT[:3], *found, *KEPT[3:]))
    every = pl.concat(parts)
    problems = list(faults)
    if every.is_empty():
        what = "no row has an emotion word; expected one in every row, such as grim or happy"
        problems.append(Problem(str(path), what))
    elif every["raw"].null_count() == every.height:
        what = f"all {every.height:,} scores are missing"
        problems.append(Problem(str(path), f"{what}; expected numbers in the column Sentiment"))
    _raise(problems)
    alike = every  # groups that differ only in case written alike
    for axis in found:
        alike = alike.with_columns(pl.col(axis).replace(spellings(alike, axis)))
    rows, inferred = infer_datasets(alike, found)
    _raise(list(_other_groups(rows, axes)))
    repeated = repeated_rows(rows)
    _raise([*broken_rules(rows, found), *cap_problems(scored_apart(repeated), SEVERAL)])
    single = without_repeats(rows, repeated, found)
    again, alike = every.height - single.height, like_rows(single, found)
    notes = (
        *guessed(opened),
        *against_custom(positive, negative),
        *inferred,
        *recognised(every, found),
        *left_out(opened, wordless),
        *([f"left out {again:,} rows that say the same once more"] if again else ()),
        *unanswered(single),
        *contradictions(alike, found),
        *maybe_one(alike, found),
        *unequal(single),
        *aside,
    )
    # in an order that no file and no line decides
    keys = ("system", "group", "words", "emotion_word", *found, "text", "raw", "file", "line")
    columns_kept = ("system", "group", "words", *found, "emotion_word", "polarity", "raw", "text")
    ordered = single.select(*columns_kept, "file", "line").sort(keys, nulls_last=True)
    raw = pl.col("raw")
    ends = single.drop_nulls("raw").group_by("system").agg(raw.min().alias("low"), raw.max())
    ranges = {system: (low, high) for system, low, high in ends.sort("system").rows()}
    with_values = tuple(_held(single, found))
    return RatingResults(ordered, notes, confounded(alike, found), ranges, with_values)


def _as_ours(axes: Sequence[str]) -> tuple[str, ...]:
    """The axes, each once; race and gender in lower case however they were asked for."""
    known = {axis.casefold(): axis for axis in AXES}
    return tuple(dict.fromkeys(known.get(axis.casefold(), axis) for axis in axes))


def _raise(problems: Sequence[Problem]) -> None:
    if problems:
        raise ScoreFileError(SUBJECT, problems)


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
    """Notes on groups that are kept apart and may be one.

    They differ only in hyphens and the like, or have a word for one group.
    """
    for axis in axes:
        groups = rows[axis].drop_nulls().unique().sort().to_list()
        for kind in (*MAYBE_ONE, *({name} for name in sorted(set(map(fold_name, groups))))):
            alike = [repr(group) for group in groups if fold_name(group) in kind]
            if len(alike) > 1:
                yield (
                    f"{axis}: {' and '.join(alike)} are kept apart as the files write them; "
                    "write them alike if they mean the same people"
                )


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


def unanswered(rows: pl.DataFrame) -> Iterator[str]:
    """Notes on the scores that are missing, by system."""
    missing = pl.col("raw").null_count().alias("missing")
    found = rows.group_by("system").agg(missing, pl.len().alias("n"))
    for system, none, count in found.sort("system").rows():
        if none == count:
            yield f"{system}: no score at all in {count:,} rows"
        elif none:
            yield f"{system}: {none:,} of {count:,} scores are missing"
