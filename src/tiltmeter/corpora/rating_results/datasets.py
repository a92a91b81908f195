"""Which dataset stored outputs belong to, whether it is confounded, and what must hold of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from tiltmeter.corpora.design import PHRASES, known_groups
from tiltmeter.corpora.rating_results.files import listed, shows
from tiltmeter.corpora.rating_results.rows import NOT_SAID, POSITIVE, places_of
from tiltmeter.errors import Problem, cap_problems

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
        for said in _said(part, axes, group, words):
            inferred.setdefault(said, set()).add(part["file"][0])
    notes = [f"{said}: {listed(sorted(files), 3)}" for said, files in sorted(inferred.items())]
    schema = dict.fromkeys([*UNIT, "its_group", "its_words"], pl.String)
    found = pl.DataFrame(units, schema, orient="row")
    told = rows.select(UNIT).join(
        found, on=UNIT, how="left", nulls_equal=True, maintain_order="left"
    )
    return rows.with_columns(
        told.select(
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


def _said(part: pl.DataFrame, axes: Sequence[str], group: str, words: str) -> Iterator[str]:
    if part["group"][0] is None:
        held = " and ".join(_held(part, axes))
        apart = "differs between classes" if shares_differ(part, axes) else "is alike"
        told = "words are not said"
        if set(part["emotion_word"].unique()) != {NOT_SAID}:
            told = f"the share of positive words {apart}"
        yield f"group {group} inferred from the rows (values for {held}; {told})"
    if part["words"][0] is None and set(part["emotion_word"].unique()) != {NOT_SAID}:
        found = sorted(set(part["emotion_word"].unique()))
        own = " as in the authors' own data" if set(found) == PUBLISHED_E5 else ""
        yield f"set of words {words} inferred from the words {listed(found)}{own}"


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
    return [
        *cap_problems(_unshown(rows, axes), "names like this"),
        *cap_problems(_groupless(rows, axes), "files like this"),
        *cap_problems(_in_two_files(rows), "datasets in several files"),
    ]


def _unshown(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[Problem]:
    """Names with characters that do not show, which could hide what they are."""
    for column in (*DATASET, *axes, "emotion_word"):
        first = rows.select(column, "file", "line").drop_nulls(column)
        first = first.unique(column, keep="first", maintain_order=True)
        for value, place in zip(first[column], places_of(first), strict=True):
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
    told = (pl.col("own") & pl.col("key").is_not_null()).all()
    found = rows.group_by(DATASET, maintain_order=True).agg(
        pl.col("file").unique(maintain_order=True), told.alias("told")
    )
    for system, group, words, files, parts in found.rows():
        if len(files) > 1 and not parts:
            where = f"{dataset_name(group, words)} in {' and '.join(files)}"
            what = f"the system {system!r} has {where}; expected one file"
            yield Problem("", f"{what}; rename one, or add a System column to both")


def said_again(rows: pl.DataFrame) -> pl.DataFrame:
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


def one_spelling(rows: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """The rows with groups that differ only in case written alike."""
    for axis in axes:
        rows = rows.with_columns(pl.col(axis).replace(spellings(rows, axis)))
    return rows
