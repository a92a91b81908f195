"""The authors' Equity-Evaluation-Corpus.csv, recognised and checked against the generated corpus.

We never ship that file. A user's own copy keeps its IDs and its wording, the misspelt edition's
too; what each sentence compares comes from the generated corpus, joined on the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.table_file import TableFile, capped, folded
from tiltmeter.errors import CorpusError, Problem

COLUMNS = ("ID", "Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word")
"""The columns of the authors' file."""

CHECKED = {"Gender": "gender", "Race": "race", "Emotion": "emotion", "Emotion word": "emotion_word"}
"""Their columns that must say the same as ours."""

RACES = {"african american": "african american", "european": "european american"}
"""Their names of the groups in ours; K&M call European Americans European in the file."""

MISSPELT, RIGHT = "dissapointed", "disappointed"
"""A word in one of the two editions that circulate, and as the other one spells it."""

SHOWN = 3
"""How many examples a note gives."""

KEY, LINE = "*key", "*line"


def is_published(columns: Iterable[str]) -> bool:
    """True for a file with the columns of the authors' file, in any order and case."""
    return {folded(name) for name in columns} >= {folded(name) for name in COLUMNS}


def published_corpus(table: TableFile, reference: Corpus) -> Corpus:
    """The user's copy of the published file as the corpus it is, with all that differs noted."""
    theirs = _rows(table)
    ours = reference.sentences().with_columns(_key("text"))
    joined = theirs.join(
        ours.drop("id", "text"), on=KEY, how="inner", suffix="*ours", maintain_order="left"
    )
    extra = theirs.join(ours, on=KEY, how="anti", maintain_order="left")
    _must_be_recognised(table, theirs, extra, reference)
    if problems := [*_empty(table, theirs), *_repeated(table, theirs)]:
        raise CorpusError(f"{table.path.name} cannot be used as the published corpus", problems)
    missing = ours.join(theirs, on=KEY, how="anti", maintain_order="left")
    notes = (*table.notes, *_notes(table, reference, joined, missing, extra))
    sentences = joined.select(reference.columns)
    return replace(reference, size=joined.height, write=sentences.iter_slices, notes=notes)


def _rows(table: TableFile) -> pl.DataFrame:
    """The file's rows with our names for the ID and sentence, its own for what is checked."""
    if strange := [name for name, kind in table.frame.schema.items() if kind != pl.String]:
        what = f"the columns {', '.join(strange)} hold lists or bytes; expected text"
        raise CorpusError(f"{table.path.name} cannot be read", [Problem(table.at(), what)])
    named = {folded(name): name for name in reversed(table.frame.columns)}
    kept = {"ID": "id", "Sentence": "text"} | {name: name for name in CHECKED}
    rows = table.frame.select(
        pl.col(named[folded(name)]).alias(alias) for name, alias in kept.items()
    )
    return rows.with_columns(table.lines.alias(LINE), _key("text"))


def _key(text: str) -> pl.Expr:
    """The sentence as it is joined on: spaces evened out, the misspelt word put right."""
    even = pl.col(text).str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()
    return even.str.replace_all(MISSPELT, RIGHT, literal=True).alias(KEY)


def _must_be_recognised(
    table: TableFile, theirs: pl.DataFrame, extra: pl.DataFrame, reference: Corpus
) -> None:
    """Raise unless at least half of the file's sentences are the corpus's."""
    matched = theirs.height - extra.height
    if 2 * matched >= theirs.height:
        return
    what = (
        f"found {matched:,} of its {theirs.height:,} sentences among the {reference.size:,} of the "
        f"generated corpus; expected at least half. The first that is not: {_first(table, extra)}. "
        "To read the file as a table of your own, say which column is what: --column text=Sentence"
    )
    subject = f"{table.path.name} has the columns of the published {reference.title} but not"
    raise CorpusError(f"{subject} its sentences", [Problem(table.at(), what)])


def _first(table: TableFile, rows: pl.DataFrame) -> str:
    return f"{rows['text'][0] or ''!r} ({table.among(rows[LINE].head(1))})"


def _empty(table: TableFile, theirs: pl.DataFrame) -> Iterator[Problem]:
    for name, column in (("ID", "id"), ("Sentence", "text")):
        lines = theirs.filter(pl.col(column).is_null())[LINE]
        if lines.len():
            what = f"{name} is empty in {table.among(lines)}; expected a value"
            yield Problem(table.at(lines[0]), what)


def _repeated(table: TableFile, theirs: pl.DataFrame) -> Iterator[Problem]:
    """IDs and sentences that stand more than once, in either spelling."""
    for name, column in (("ID", "id"), ("sentence", KEY)):
        found = theirs.drop_nulls(column).group_by(column, maintain_order=True).agg(LINE)
        yield from capped(
            [
                Problem(
                    table.at(lines[1]),
                    f"the {name} {value!r} stands in {table.among(lines)}; expected it once",
                )
                for value, lines in found.filter(pl.col(LINE).list.len() > 1).rows()
            ],
            f"{name}s that stand more than once",
        )


def _notes(
    table: TableFile,
    reference: Corpus,
    joined: pl.DataFrame,
    missing: pl.DataFrame,
    extra: pl.DataFrame,
) -> Iterator[str]:
    """What was recognised, and everything in which the file and the generated corpus differ."""
    yield f"recognised as the published {reference.title}; its IDs and wording are kept"
    yield f"{joined.height:,} of {reference.size:,} sentences matched the generated corpus"
    if misspelt := int(joined["text"].str.contains(MISSPELT, literal=True).sum()):
        yield f"{misspelt:,} sentences spell {MISSPELT!r}, as one edition of the file does"
    if missing.height:
        yield f"missing from the file: {missing.height:,}, such as {_some(missing['text'])}"
    if extra.height:
        where = f"in {table.among(extra[LINE])}, such as {_some(extra['text'])}"
        yield f"not in the generated corpus, so set aside: {extra.height:,}, {where}"
    yield from _disagreements(table, joined)


def _some(texts: pl.Series) -> str:
    return ", ".join(repr(text) for text in texts.head(SHOWN).fill_null("").to_list())


def _disagreements(table: TableFile, joined: pl.DataFrame) -> Iterator[str]:
    """Rows whose own columns contradict the generated corpus, whose values are used."""
    differs = [_label(name).ne_missing(_label(ours)) for name, ours in CHECKED.items()]
    apart = joined.filter(pl.any_horizontal(differs))
    if not apart.height:
        return
    row = apart.row(0, named=True)
    first = apart.head(1).select(d.alias(n) for n, d in zip(CHECKED, differs, strict=True))
    said = [
        f"{name} {row[name] or 'nothing'} where ours is {row[CHECKED[name]] or 'nothing'}"
        for name, differ in first.row(0, named=True).items()
        if differ
    ]
    names = ", ".join(CHECKED)
    yield (
        f"rows that differ from the generated corpus in {names}: {apart.height:,}; ours is used; "
        f"the first, {table.at(row[LINE])}, says {' and '.join(said)}"
    )


def _label(column: str) -> pl.Expr:
    """A label as it is compared: whatever its case and hyphens, under our names."""
    plain = pl.col(column).str.to_lowercase().str.replace_all("-", " ", literal=True)
    right = plain.str.strip_chars().str.replace_all(MISSPELT, RIGHT, literal=True)
    return right.replace(RACES) if column == "Race" else right
