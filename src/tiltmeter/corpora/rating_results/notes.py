"""What people are told of stored outputs: what was guessed, left out, missing or unequal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from tiltmeter.corpora.rating_results.datasets import dataset_name
from tiltmeter.corpora.rating_results.files import listed
from tiltmeter.corpora.rating_results.rows import Opened
from tiltmeter.corpora.rating_results.rules import spellings
from tiltmeter.corpora.table_file import folded

MAYBE_ONE = (
    *({"male", "man", "men", "m"}, {"female", "woman", "women", "f"}),
    {"european", "europeanamerican"},
)
"""Ways to write what may be one group."""


def guessed(opened: Sequence[Opened]) -> Iterator[str]:
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


def left_out(opened: Sequence[Opened], wordless: Mapping[str, int]) -> Iterator[str]:
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


def recognised(tallies: pl.DataFrame, axes: Sequence[str]) -> Iterator[str]:
    """Notes on groups that are read under another name than the files write."""
    for axis in axes:
        told = [
            f"{group!r} as {ours}"
            for group, ours in sorted(spellings(tallies, axis).items())
            if group.casefold() != ours.casefold()
        ]
        if told:
            yield f"{axis}: read {', '.join(told)}"


def maybe_one(rows: pl.DataFrame, axes: Sequence[str]) -> Iterator[str]:
    """Notes on groups that are kept apart and may be one."""
    for axis in axes:
        groups = sorted(set(rows[axis].drop_nulls()))
        for alike in _alike(groups):
            both = " and ".join(map(repr, alike))
            yield (
                f"{axis}: {both} are kept apart as the files write them; "
                "write them alike if they mean the same people"
            )


def _alike(groups: Sequence[str]) -> Iterator[list[str]]:
    """Groups that differ only in hyphens and the like, or that have a word for one group."""
    kinds: Iterable[frozenset[str] | set[str]] = {frozenset({folded(group)}) for group in groups}
    for kind in (*MAYBE_ONE, *sorted(kinds, key=sorted)):
        found = [group for group in groups if folded(group) in kind]
        if len(found) > 1:
            yield found


def unequal(rows: pl.DataFrame) -> Iterator[str]:
    """Notes on datasets that some systems lack, or have fewer sentences of."""
    systems = sorted(set(rows["system"]))
    sizes = rows.group_by("group", "words", "system").agg(pl.col("n").sum())
    sizes = sizes.sort("group", "words", "system")
    for part in sizes.partition_by("group", "words", maintain_order=True):
        name = dataset_name(part["group"][0], part["words"][0])
        lacking = sorted(set(systems) - set(part["system"]))
        if lacking:
            yield f"{name}: no outputs of {listed(lacking)}"
        if part["n"].n_unique() > 1:
            counts = [f"{system} {size:,}" for system, size in part.select("system", "n").rows()]
            yield f"{name}: not as many sentences of each system: {listed(counts)}"


def once_more(many: int) -> Iterator[str]:
    """A note on rows that were left out, if any were."""
    if many:
        yield f"left out {many:,} rows that say the same once more"


def like_rows(rows: int, few: int) -> Iterator[str]:
    """A note on rows that are counted, not listed."""
    yield (
        f"{rows:,} rows, more than {few:,}: sentences with like scores are counted together; the "
        "raw scores are those of all rows, and what is drawn at random is drawn by like scores"
    )


def unanswered(rows: pl.DataFrame) -> Iterator[str]:
    """Notes on the scores that are missing, by system."""
    found = rows.group_by("system").agg(pl.col("missing", "n").sum())
    for system, none, count in found.sort("system").rows():
        if none == count:
            yield f"{system}: no score at all in {count:,} rows"
        elif none:
            yield f"{system}: {none:,} of {count:,} scores are missing"
