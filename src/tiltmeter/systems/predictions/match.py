"""Which sentence of the corpus each row of a file is for: by its ID, else by its text."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiltmeter.files import GUARDED
from tiltmeter.systems.predictions.columns import Columns
from tiltmeter.systems.predictions.table import ROW, OtherSentences, ScoreTable

NTH = "*nth"
"""The sentence's place in the corpus."""

MISSPELT, RIGHT = "dissapointed", "disappointed"
"""A word as one edition of the published EEC spells it, and as the other does."""

UNEVEN = rf"[^\x20-\x7e]|  |^[ ']| $|{MISSPELT}"
"""What a text holds that is not yet as it is compared."""

MYSTERY = "mystery"
"""Stands in the IDs that SemEval gave the sentences of the EEC."""

PUBLISHED = "Equity-Evaluation-Corpus.csv"


@dataclass(frozen=True, slots=True)
class Sentences:
    """The corpus' sentences as rows are looked up in them."""

    ids: pl.DataFrame
    """NTH, id and text."""
    keys: pl.DataFrame
    """NTH and key, the text as it is compared."""
    corpora: frozenset[str] | None = None

    @property
    def size(self) -> int:
        """How many there are."""
        return self.ids.height


@dataclass(frozen=True, slots=True)
class Match:
    """The rows for a sentence of the corpus, with its NTH; a text may stand there twice."""

    rows: pl.DataFrame
    on: str
    notes: tuple[str, ...] = ()


def sentences_to_match(sentences: pl.DataFrame) -> Sentences:
    """The corpus made ready to look rows up in."""
    ids = sentences.select("id", "text").with_row_index(NTH)
    named = frozenset(sentences["corpus"].unique()) if "corpus" in sentences.columns else None
    return Sentences(ids, ids.select(NTH, text_key("text").alias("key")), named)


def text_key(column: str) -> pl.Expr:
    """A text as it is compared: spaces evened out, letters composed, a misspelt word put right."""
    even = pl.col(column).str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()
    return _unguarded(even).str.replace_all(MISSPELT, RIGHT, literal=True)


def _unguarded(text: pl.Expr) -> pl.Expr:
    """The text without what a table of ours puts before one that a spreadsheet would compute."""
    return text.str.replace(GUARDED, "${1}")


def match(table: ScoreTable, columns: Columns, corpus: Sentences) -> Match:
    """The rows of the corpus, or OtherSentences when there is none."""
    frame = table.frame
    by_id = _on_id(frame, columns, corpus) if columns.id is not None else None
    if by_id is not None and by_id.height:
        return _confirmed(table, by_id, columns, corpus)
    rows = _on_text(frame, columns, corpus) if columns.text is not None else frame.clear()
    if not rows.height:
        raise OtherSentences(_strange(table, columns, corpus))
    return Match(rows, "text")


def _on_id(frame: pl.DataFrame, columns: Columns, corpus: Sentences) -> pl.DataFrame:
    named = frame.with_columns(as_text(frame, columns.id).str.strip_chars().alias("*id"))
    if named["*id"].str.starts_with("'").any():
        strange = ~pl.col("*id").is_in(corpus.ids["id"].implode())
        plain = pl.when(strange).then(_unguarded(pl.col("*id"))).otherwise("*id")
        named = named.with_columns(plain.alias("*id"))
    return named.join(
        corpus.ids.select(NTH, pl.col("id").alias("*id")),
        on="*id",
        how="inner",
        maintain_order="left",
    )


def _on_text(frame: pl.DataFrame, columns: Columns, corpus: Sentences) -> pl.DataFrame:
    """The rows found by text; few texts need evening out, which is slow."""
    said = frame.with_columns(as_text(frame, columns.text).alias("key"))
    uneven = said["key"].str.contains(UNEVEN).fill_null(False)
    keyed = [said.filter(~uneven), said.filter(uneven).with_columns(text_key("key"))]
    found = [part.join(corpus.keys, on="key", how="inner").drop("key") for part in keyed]
    return pl.concat(found).sort(ROW, NTH)


def as_text(frame: pl.DataFrame, column: int | None) -> pl.Expr:
    """A column as text, 1.0 as "1"; null where it is of a kind that has none."""
    name = str(column)
    kind = frame.schema[name]
    if kind.is_nested() or kind == pl.Binary:
        return pl.lit(None, pl.String)
    if kind.is_float():
        whole = pl.col(name).cast(pl.Int64, strict=False)
        return pl.when(whole == pl.col(name)).then(whole).cast(pl.String)
    return pl.col(name).cast(pl.String)


def _confirmed(table: ScoreTable, rows: pl.DataFrame, columns: Columns, corpus: Sentences) -> Match:
    """The rows found by ID, unless their texts tell of other sentences: IDs can agree by chance."""
    if columns.text is None:
        return Match(rows, "ID")
    other = _other_texts(rows, columns, corpus)
    if 2 * other.height > rows.height:
        by_text = _on_text(table.frame, columns, corpus)
        if by_text[NTH].n_unique() > rows.height - other.height:
            note = f"its IDs stand for other sentences in the corpus ({table.at(other[ROW])})"
            return Match(by_text, "text", (f"{note}, so they are not used",))
    where = f"{other.height:,}, {table.at(other[ROW])}" if other.height else ""
    note = f"rows whose text is not the sentence's, joined on the ID all the same: {where}"
    return Match(rows, "ID", (note,) if where else ())


def _other_texts(rows: pl.DataFrame, columns: Columns, corpus: Sentences) -> pl.DataFrame:
    """The rows whose text is given and is not their sentence's."""
    said = rows.select(ROW, NTH, as_text(rows, columns.text).alias("*said"))
    joined = said.join(corpus.ids.select(NTH, "text"), on=NTH, how="left", maintain_order="left")
    unlike = joined.filter(pl.col("*said") != pl.col("text"))
    return unlike.filter(text_key("*said") != text_key("text"))


def _strange(table: ScoreTable, columns: Columns, corpus: Sentences) -> str:
    """Why no row is of the corpus, and what to pass instead."""
    first = _first(table, columns.id) or _first(table, columns.text)
    ours = corpus.ids["id" if columns.id is not None else "text"]
    expected = f"the corpus has {ours[0]!r}" if ours.len() else "the corpus is empty"
    found = f"none of its {table.frame.height:,} rows is of the corpus: found {first!r}, {expected}"
    mystery = _mystery(table, columns)
    if mystery is None or corpus.ids["id"].str.contains(MYSTERY, literal=True).any():
        return found
    texts = "no texts" if columns.text is None else "no text of the corpus"
    what = f"it has SemEval's IDs, such as {mystery!r}, and {texts}"
    return f"{what}; pass the authors' file that says which is which: --corpus {PUBLISHED}"


def _first(table: ScoreTable, column: int | None) -> str | None:
    """The first value of a column, cut to what a message can show."""
    if column is None:
        return None
    values = table.frame.select(as_text(table.frame, column).alias("value"))["value"].drop_nulls()
    return str(values[0])[:60] if values.len() else None


def _mystery(table: ScoreTable, columns: Columns) -> str | None:
    """The first of SemEval's IDs for the EEC."""
    if columns.id is None:
        return None
    ids = table.frame.select(as_text(table.frame, columns.id).alias("id"))["id"]
    found = ids.filter(ids.str.contains(MYSTERY, literal=True).fill_null(False))
    return str(found[0])[:60] if found.len() else None
