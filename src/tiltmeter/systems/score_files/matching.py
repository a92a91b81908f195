"""The scores in a file's rows: whose, for which task and sentence, and a number or why none.

A row is for the sentence with its ID, else for the one with its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.columns import TASKS, fold_name, places_called, score_places, there_are, unclear
from tiltmeter.errors import did_you_mean
from tiltmeter.files import GUARDED
from tiltmeter.systems.protocol import VALENCE
from tiltmeter.systems.score_files.submissions import shown
from tiltmeter.table_files import CROWDED, ROW, SubmissionTable, UnusableTable

OTHER_ALIASES = {
    "id": ("id", "sentence id", "tweet id"),
    "text": ("text", "sentence", "tweet"),
    "system": ("system", "model"),
    "task": ("affect dimension", "task", "dimension"),
}
"""What each column may be called. Not `emotion`: in the EEC that is what a sentence speaks of."""
SCORE_ALIASES = (
    *("intensity score", "intensity", "score", "raw", "prediction", "predicted", "pred"),
    *("sentiment", "sentiment score", "polarity", "compound", "value", "rating", "output"),
)
"""What the column of scores may be called; one called after a task holds that task's scores."""
OURS = ("system", "task", "corpus", "id", "repeat", "raw", "score", "reason")
"""The columns of the scores we write ourselves."""
NTH = "*nth"
"""The sentence's place in the corpus."""

MISSPELT, RIGHT = "dissapointed", "disappointed"
"""A word as one edition of the published EEC spells it, and as the other does."""

UNEVEN = rf"[^\x20-\x7e]|  |^[ ']| $|{MISSPELT}"
"""What a text holds that is not yet as it is compared."""

MYSTERY = "mystery"
"""Stands in the IDs that SemEval gave the sentences of the EEC."""

PUBLISHED = "Equity-Evaluation-Corpus.csv"
REMEMBERED = 4
"""Matches that are kept for the next files."""

KEY = ("system", "task", NTH)

SHOWN = 40
"""How much of what stands in a score's place a reason shows."""

DECIMAL_COMMA = r"^[+-]?\d*,\d+$"


class OtherSentences(UnusableTable):
    """A file is set aside because no row of it is of the corpus."""


# ---------------------------------------------------------------- columns


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The positions of the columns that matter."""

    scores: Mapping[str | None, int]
    """By task where the columns are called after tasks, else the one column under None."""
    id: int | None = None
    text: int | None = None
    system: int | None = None
    task: int | None = None
    corpus: int | None = None
    """Read, like the next two, only in a file we wrote ourselves."""
    repeat: int | None = None
    reason: int | None = None
    systems: Mapping[str, int] = field(default_factory=dict)
    """By the system's name, where each has a column of its own; then `scores` has none."""


def score_columns(names: Sequence[str], systems_in: Sequence[str] = ()) -> ScoreColumns:
    """The columns of a file, or UnusableTable when one is missing or two could be the same.

    `systems_in` names the columns that hold a system each, or patterns of them.
    """
    plain = [fold_name(name) for name in names]
    at = plain.index
    if not systems_in and all(plain.count(name) == 1 for name in OURS):
        return ScoreColumns(
            {None: at("raw")}, at("id"), system=at("system"), task=at("task"), corpus=at("corpus"),
            repeat=at("repeat"), reason=at("reason"),
        )  # fmt: skip
    systems: dict[str, int] = {}
    others = {fold_name(alias) for aliases in OTHER_ALIASES.values() for alias in aliases}
    for pattern in systems_in:
        places = [nth for nth, name in enumerate(names) if name.strip() == pattern]
        places = places or places_called(names, [pattern])
        if len(places) > 1:
            raise UnusableTable(f"{len(places)} columns are called {pattern!r}; rename all but one")
        if not places and any(letter in pattern for letter in "*?["):
            places = [
                nth
                for nth, name in enumerate(names)
                if fnmatchcase(name.strip().casefold(), pattern.casefold())
                and plain[nth] not in others
            ]
        if not places:
            near = did_you_mean(pattern, names) or there_are(names)
            raise UnusableTable(f"no column is called {pattern!r}: {near}")
        for nth in places:
            systems.setdefault(names[nth], nth)
    rest = ["" if nth in systems.values() else name for nth, name in enumerate(names)]
    found = dict[str, int | None]()
    for ours, aliases in OTHER_ALIASES.items():
        places = places_called(rest, aliases)
        if len(places) > 1:
            raise UnusableTable(unclear([names[nth] for nth in places], ours))
        found[ours] = places[0] if places else None
    if found["id"] is None and found["text"] is None:
        what = "no column says which sentence a score is for; expected ID, or Sentence or Tweet"
        raise UnusableTable(f"{what}; {there_are(names)}")
    if not systems_in:
        expected = "Intensity Score, score, prediction, sentiment, value or after a task"
        scores, wrong = score_places(names, SCORE_ALIASES, expected)
        if not scores:
            absent = wrong.startswith("no column")
            wide = " in the first line, or name those that hold a system each with --systems-in"
            raise UnusableTable(f"{wrong}{wide}; {there_are(names)}" if absent else wrong)
        return ScoreColumns(scores, found["id"], found["text"], found["system"], found["task"])
    if found["system"] is not None:
        what = f"the column {names[found['system']]!r} says the system of a row"
        advice = "and --systems-in names columns for it; rename one, or leave it out"
        raise UnusableTable(f"{what}, {advice}")
    return ScoreColumns({}, found["id"], found["text"], task=found["task"], systems=systems)


# ---------------------------------------------------------------- sentences


@dataclass(frozen=True, slots=True)
class Sentences:
    """The corpus' sentences as rows are looked up in them."""

    ids: pl.DataFrame
    """NTH, id and text."""
    keys: pl.DataFrame
    """NTH and key, the text as it is compared."""
    corpora: frozenset[str] | None = None
    matches: list[_KnownMatch] = field(default_factory=list, compare=False, repr=False)
    """Earlier ones: the files of a shared task have the same IDs and texts."""

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


@dataclass(frozen=True, slots=True)
class _KnownMatch:
    """A match of rows with these IDs and texts."""

    said: pl.DataFrame
    """ROW, and the IDs and texts, as far as there are."""
    unit: str
    places: NDArray[np.int64]
    nth: pl.Series
    on: str
    notes: tuple[str, ...]


def sentences_to_match(sentences: pl.DataFrame) -> Sentences:
    """The corpus made ready to look rows up in."""
    ids = sentences.select("id", "text").with_row_index(NTH)
    named = frozenset(sentences["corpus"].unique()) if "corpus" in sentences.columns else None
    return Sentences(ids, ids.select(NTH, text_key("text").alias("key")), named)


def text_key(column: str) -> pl.Expr:
    """A text as it is compared: spaces evened out, letters composed, a misspelt word put right."""
    even = pl.col(column).str.normalize("NFC").str.replace_all(r"\s+", " ").str.strip_chars()
    return _remove_guard(even).str.replace_all(MISSPELT, RIGHT, literal=True)


def _remove_guard(text: pl.Expr) -> pl.Expr:
    """The text without what a table of ours puts before one that a spreadsheet would compute."""
    return text.str.replace(GUARDED, "${1}")


def match(table: SubmissionTable, columns: ScoreColumns, corpus: Sentences) -> Match:
    """The rows of the corpus, or OtherSentences when there is none."""
    keys = {"id": columns.id, "text": columns.text}
    named = {str(nth): name for name, nth in keys.items() if nth is not None}
    said = table.frame.select(ROW, *named).rename(named)
    for known in corpus.matches:
        if known.unit == table.unit and known.said.equals(said):
            rows = table.frame[known.places].with_columns(known.nth)
            return Match(rows, known.on, known.notes)
    found = _match(table, columns, corpus)
    places = np.searchsorted(said[ROW].to_numpy(), found.rows[ROW].to_numpy())
    new = _KnownMatch(said, table.unit, places, found.rows[NTH], found.on, found.notes)
    corpus.matches[:] = [*corpus.matches[1 - REMEMBERED :], new]
    return found


def _match(table: SubmissionTable, columns: ScoreColumns, corpus: Sentences) -> Match:
    """The rows found by ID, else by text.

    Where most of the texts beside the IDs are of other sentences, the IDs agree by chance.
    """
    frame = table.frame
    by_id = frame.clear()
    if columns.id is not None:
        by_id = frame.with_columns(as_text(frame, columns.id).str.strip_chars().alias("*id"))
        if by_id["*id"].str.starts_with("'").any():
            strange = ~pl.col("*id").is_in(corpus.ids["id"].implode())
            plain = pl.when(strange).then(_remove_guard(pl.col("*id"))).otherwise("*id")
            by_id = by_id.with_columns(plain.alias("*id"))
        ids = corpus.ids.select(NTH, pl.col("id").alias("*id"))
        by_id = by_id.join(ids, on="*id", how="inner", maintain_order="left")
    if by_id.height and columns.text is None:
        return Match(by_id, "ID")
    if by_id.height:
        texts = by_id.select(ROW, NTH, as_text(by_id, columns.text).alias("*text"))
        joined = texts.join(
            corpus.ids.select(NTH, "text"), on=NTH, how="left", maintain_order="left"
        )
        unlike = joined.filter(pl.col("*text") != pl.col("text"))
        other = unlike.filter(text_key("*text") != text_key("text"))
        if 2 * other.height > by_id.height:
            by_text = _on_text(frame, columns, corpus)
            if by_text[NTH].n_unique() > by_id.height - other.height:
                note = f"its IDs stand for other sentences in the corpus ({table.at(other[ROW])})"
                return Match(by_text, "text", (f"{note}, so they are not used",))
        where = f"{other.height:,}, {table.at(other[ROW])}" if other.height else ""
        note = f"rows whose text is not the sentence's, joined on the ID all the same: {where}"
        return Match(by_id, "ID", (note,) if where else ())
    rows = _on_text(frame, columns, corpus) if columns.text is not None else frame.clear()
    if rows.height:
        return Match(rows, "text")
    # Why no row is of the corpus, and what to pass instead
    values = {
        name: frame.select(as_text(frame, column).alias(name))[name].drop_nulls()
        for name, column in (("id", columns.id), ("text", columns.text))
        if column is not None
    }
    firsts = (str(column[0])[:60] for column in values.values() if column.len())
    first = next(filter(None, firsts), None)
    ours = corpus.ids["id" if columns.id is not None else "text"]
    expected = f"the corpus has {ours[0]!r}" if ours.len() else "the corpus is empty"
    what = f"none of its {frame.height:,} rows is of the corpus: found {first!r}, {expected}"
    ids_given = values.get("id", pl.Series([], dtype=pl.String))
    semeval = ids_given.filter(ids_given.str.contains(MYSTERY, literal=True))
    if semeval.len() and not corpus.ids["id"].str.contains(MYSTERY, literal=True).any():
        texts_given = "no texts" if columns.text is None else "no text of the corpus"
        what = f"it has SemEval's IDs, such as {str(semeval[0])[:60]!r}, and {texts_given}"
        what += f"; pass the authors' file that says which is which: --corpus {PUBLISHED}"
    raise OtherSentences(what)


def _on_text(frame: pl.DataFrame, columns: ScoreColumns, corpus: Sentences) -> pl.DataFrame:
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


# ---------------------------------------------------------------- scores


@dataclass(frozen=True, slots=True)
class JoinFacts:
    """How a file's rows were joined to the corpus' sentences."""

    rows: int
    """How many rows the file has."""
    other: int
    """How many are not of the corpus."""
    duplicated: int
    """How many say the same once more."""
    on: str
    notes: tuple[str, ...]


def score_rows(
    table: SubmissionTable, columns: ScoreColumns, corpus: Sentences, task: str | None
) -> tuple[pl.DataFrame, JoinFacts]:
    """The scores of a file, or UnusableTable when they cannot be trusted.

    The frame has system (null: the file names none), task, NTH, raw and reason: one row for each
    system, task and sentence.
    """
    notes = list(table.notes)
    own = table
    if columns.corpus is not None and columns.repeat is not None:
        # A file of ours may hold other corpora and further repeats
        frame, corpus_name = table.frame, pl.col(str(columns.corpus)).cast(pl.String)
        if corpus.corpora is not None:
            frame = frame.filter(corpus_name.is_in(list(corpus.corpora)))
            if not frame.height:
                there = table.frame.select(corpus_name).to_series().drop_nulls().unique().sort()
                ours = ", ".join(sorted(corpus.corpora))
                raise UnusableTable(
                    f"its scores are of the corpus {', '.join(there)}; this one is {ours}"
                )
        repeat = pl.col(str(columns.repeat))
        first_round = frame.filter(repeat == repeat.min())
        if more := frame.height - first_round.height:
            notes.append(f"further answers to the same texts left out: {more:,}")
        own = replace(table, frame=first_round)
    found = match(own, columns, corpus)
    notes += found.notes
    rows = found.rows.with_columns(system=pl.lit(None, pl.String), task=pl.lit(task or VALENCE))
    if columns.system is not None:
        names = as_text(rows, columns.system).str.strip_chars().replace("", None)
        distinct = rows.select(names.alias("system"))["system"].drop_nulls().unique()
        rows = rows.with_columns(system=names.replace({name: shown(name) for name in distinct}))
    if columns.task is not None:
        tasks = as_text(rows, columns.task).str.strip_chars().str.to_lowercase().replace("", None)
        rows = rows.with_columns(task=tasks.fill_null(pl.col("task")))
    strange = rows.filter(~pl.col("task").is_in(TASKS))
    if strange.height:
        what = f"rows for tasks that are not measured: {strange.height:,}, such as "
        what += _quote(strange["task"][0])
        if strange.height == rows.height:
            raise UnusableTable(f"{what} ({table.at(strange[ROW])}); expected {', '.join(TASKS)}")
        rows = rows.filter(pl.col("task").is_in(TASKS))
        notes.append(what)
    other = table.frame.height - int(rows[ROW].n_unique())
    parts = [
        _parse_scores(table, rows, nth, named, columns.reason)
        for named, nth in columns.scores.items()
    ]
    for system, nth in columns.systems.items():
        part = _parse_scores(table, rows, nth, None, columns.reason)
        text = part.filter(pl.col("said").is_not_null())
        if text.height > part["raw"].count():  # a few odd cells are missing scores
            where = f"{table.at(text[ROW].head(1))}: {_quote(text['said'][0])}"
            what = f"the column {table.names[nth]!r} holds text, as in {where}"
            advice = "expected the scores of a system: leave it out of --systems-in"
            raise UnusableTable(f"{what}; {advice}")
        parts.append(part.with_columns(system=pl.lit(shown(system))))
    parsed = pl.concat(parts)
    commas = parsed.filter(pl.col("said").str.contains(DECIMAL_COMMA))
    if commas.height:
        first = commas["said"][0]
        what = f"found the score {first!r} ({table.at(commas[ROW])}), with a decimal comma"
        raise UnusableTable(
            f"{what}; expected a point, as in {first.replace(',', '.')}; write it anew"
        )
    if parsed["raw"].null_count() == parsed.height:
        first = f"{parsed['reason'][0]} ({table.at(parsed[ROW].head(1))})"
        raise UnusableTable(
            f"not one of its {parsed.height:,} scores is a number; the first: {first}"
        )
    single = _single(table, parsed)
    duplicated = 0
    if single.height < parsed.height:
        duplicated = parsed[ROW].n_unique() - single[ROW].n_unique()
    missing = single.filter(pl.col("raw").is_null())
    if missing.height:
        first = f"{missing['reason'][0]} ({table.at(missing[ROW])})"
        notes.append(f"rows without a score: {missing.height:,}, the first because {first}")
    facts = JoinFacts(table.frame.height, other, duplicated, found.on, tuple(notes))
    return single.drop(ROW), facts


def _parse_scores(
    table: SubmissionTable, rows: pl.DataFrame, column: int, named: str | None, reason: int | None
) -> pl.DataFrame:
    """One column of scores as numbers, and why a row has none: as the file says, or as we see it.

    `named` is the task that the column is called after.
    """
    kind = rows.schema[str(column)]
    if kind.is_nested() or kind == pl.Binary:
        what = f"the column {table.names[column]!r} holds {kind}; expected numbers"
        raise UnusableTable(what)
    cell = pl.col(str(column)).cast(pl.String).str.strip_chars().replace("", None)
    number = pl.col(str(column)) if kind.is_numeric() else cell
    raw = number.cast(pl.Float64, strict=False)
    usable = (raw.is_finite() & ~pl.col(CROWDED)).fill_null(False)
    crowded = pl.format(f"{table.unit} {{}} has more cells than there are column names", ROW)
    start = pl.col("said").str.slice(0, SHOWN).str.replace_all(r"\p{C}", "\ufffd")
    text = (
        pl.when(CROWDED).then(crowded)
        .when(pl.col("said").is_null()).then(pl.lit("the score is empty"))
        .otherwise(pl.format("'{}' is not a number", start))
    )  # fmt: skip
    return rows.select(
        "system",
        pl.lit(named).alias("task") if named else pl.col("task"),
        NTH,
        pl.when(usable).then(raw).alias("raw"),
        pl.when(~usable).then(cell).alias("said"),
        (pl.lit(None, pl.String) if reason is None else as_text(rows, reason)).alias("reason"),
        ROW,
        CROWDED,
    ).with_columns(reason=pl.when(pl.col("raw").is_null()).then(pl.col("reason").fill_null(text)))


def _single(table: SubmissionTable, parsed: pl.DataFrame) -> pl.DataFrame:
    """One row for each sentence: rows that agree are kept once, rows that differ are refused."""
    key = [NTH] if one_submission(parsed) else KEY
    if parsed.select(key).is_duplicated().any():
        found = parsed.group_by(KEY, maintain_order=True).agg("raw", ROW)
        apart = found.filter(pl.col("raw").list.drop_nulls().list.n_unique() > 1)
        if apart.height:
            # The sentences that have two scores, the first with its values
            first = apart.row(0, named=True)
            values = " and ".join(
                str(value) for value in dict.fromkeys(first["raw"]) if value is not None
            )
            where = table.at(pl.Series(first[ROW]))
            what = f"found {values} for the same sentence ({where})"
            more = f", and {apart.height - 1:,} more sentences with several scores"
            raise UnusableTable(
                f"{what}{more if apart.height > 1 else ''}; expected one score for each"
            )
        parsed = parsed.sort(pl.col("raw").is_null(), maintain_order=True)
        parsed = parsed.unique(KEY, keep="first", maintain_order=True).sort(
            ROW, maintain_order=True
        )
    return parsed.select(*KEY, "raw", "reason", ROW)


def one_submission(rows: pl.DataFrame) -> bool:
    """Whether the file names no system, and all rows are for one task, as in most submissions."""
    task = rows["task"]
    return rows["system"].null_count() == rows.height and bool((task == task.first()).all())


def _quote(said: str) -> str:
    return repr(said if len(said) <= SHOWN else said[:SHOWN] + "…")
