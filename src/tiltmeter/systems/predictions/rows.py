"""The scores in a file's rows: whose, for which task and sentence, and a number or why none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tiltmeter.systems.predictions.columns import Columns
from tiltmeter.systems.predictions.match import NTH, Sentences, as_text, match
from tiltmeter.systems.predictions.submissions import shown
from tiltmeter.systems.predictions.table import CROWDED, ROW, ScoreTable, Unusable
from tiltmeter.systems.protocol import TASKS, VALENCE

KEY = ("system", "task", NTH)

SHOWN = 40
"""How much of what stands in a score's place a reason shows."""

DECIMAL_COMMA = r"^[+-]?\d*,\d+$"


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """One row for each system (null: the file names none), task and sentence that a file has."""

    frame: pl.DataFrame
    """system, task, NTH, raw, reason, ROW."""
    rows: int
    """How many rows the file has."""
    other: int
    duplicated: int
    on: str
    notes: tuple[str, ...]


def score_rows(
    table: ScoreTable, columns: Columns, corpus: Sentences, task: str | None
) -> ScoreRows:
    """The scores of a file, one for each sentence, or Unusable when they cannot be trusted."""
    wanted, set_apart = _wanted(table, columns, corpus)
    found = match(wanted, columns, corpus)
    rows, notes = _answered(table, found.rows, columns, task)
    other = table.frame.height - int(rows[ROW].n_unique())
    parsed = pl.concat(_columns(table, rows, columns))
    _must_hold_numbers(table, parsed)
    single = _single(table, parsed)
    duplicated = parsed[ROW].n_unique() - single[ROW].n_unique()
    said = (*table.notes, *set_apart, *found.notes, *notes, *_gaps(table, single))
    return ScoreRows(single, table.frame.height, other, duplicated, found.on, said)


def _wanted(table: ScoreTable, columns: Columns, corpus: Sentences) -> tuple[ScoreTable, list[str]]:
    """The table without the other corpora and further repeats that a file of ours may hold."""
    if columns.corpus is None or columns.repeat is None:
        return table, []
    frame, notes = table.frame, list[str]()
    if corpus.corpora is not None:
        there = sorted(frame[str(columns.corpus)].cast(pl.String).drop_nulls().unique())
        frame = frame.filter(
            pl.col(str(columns.corpus)).cast(pl.String).is_in(list(corpus.corpora))
        )
        if not frame.height:
            ours = ", ".join(sorted(corpus.corpora))
            raise Unusable(f"its scores are of the corpus {', '.join(there)}; this one is {ours}")
    repeat = pl.col(str(columns.repeat))
    first = frame.filter(repeat == repeat.min())
    if first.height < frame.height:
        notes.append(f"further answers to the same texts left out: {frame.height - first.height:,}")
    return ScoreTable(table.names, first, table.unit, table.notes), notes


def _answered(
    table: ScoreTable, rows: pl.DataFrame, columns: Columns, task: str | None
) -> tuple[pl.DataFrame, list[str]]:
    """The rows with their system and a task we know, and notes on those that have another."""
    named = rows.with_columns(
        _system(rows, columns).alias("system"), _task(rows, columns, task).alias("task")
    )
    strange = named.filter(~pl.col("task").is_in(TASKS))
    if not strange.height:
        return named, []
    first = _quoted(strange["task"][0])
    what = f"rows for tasks that are not measured: {strange.height:,}, such as {first}"
    if strange.height == named.height:
        raise Unusable(f"{what} ({table.at(strange[ROW])}); expected {', '.join(TASKS)}")
    return named.filter(pl.col("task").is_in(TASKS)), [what]


def _system(rows: pl.DataFrame, columns: Columns) -> pl.Expr:
    if columns.system is None:
        return pl.lit(None, pl.String)
    given = as_text(rows, columns.system).str.strip_chars().replace("", None)
    names = rows.select(given.alias("system"))["system"].drop_nulls().unique()
    return given.replace({name: shown(name) for name in names})


def _task(rows: pl.DataFrame, columns: Columns, task: str | None) -> pl.Expr:
    """Each row's task as it says itself, else the one given, else valence."""
    otherwise = pl.lit(task or VALENCE)
    if columns.task is None:
        return otherwise
    said = as_text(rows, columns.task).str.strip_chars().str.to_lowercase().replace("", None)
    return said.fill_null(otherwise)


def _columns(table: ScoreTable, rows: pl.DataFrame, columns: Columns) -> Iterator[pl.DataFrame]:
    """Every column of scores as numbers: the one, one for each task, or one for each system."""
    for task, nth in columns.scores.items():
        yield _parsed(table, rows, nth, task, columns.reason)
    for system, nth in columns.systems.items():
        found = _parsed(table, rows, nth, None, columns.reason)
        _must_be_of_numbers(table, found, nth)
        yield found.with_columns(system=pl.lit(shown(system)))


def _must_be_of_numbers(table: ScoreTable, parsed: pl.DataFrame, nth: int) -> None:
    """Refuse a column among the systems' that holds text; a few odd cells are missing scores."""
    text = parsed.filter(pl.col("said").is_not_null())
    if text.height <= parsed["raw"].count():
        return
    first = f"{table.at(text[ROW].head(1))}: {_quoted(text['said'][0])}"
    what = f"the column {table.names[nth]!r} holds text, as in {first}"
    raise Unusable(f"{what}; expected the scores of a system: leave it out of --systems-in")


def _parsed(
    table: ScoreTable, rows: pl.DataFrame, column: int, named: str | None, reason: int | None
) -> pl.DataFrame:
    """One column of scores as numbers; `named` is the task it is called after."""
    kind = rows.schema[str(column)]
    if kind.is_nested() or kind == pl.Binary:
        what = f"the column {table.names[column]!r} holds {kind}; expected numbers"
        raise Unusable(what)
    said = pl.col(str(column)).cast(pl.String).str.strip_chars().replace("", None)
    number = pl.col(str(column)) if kind.is_numeric() else said
    raw = number.cast(pl.Float64, strict=False)
    usable = (raw.is_finite() & ~pl.col(CROWDED)).fill_null(False)
    return rows.select(
        "system",
        pl.lit(named).alias("task") if named else pl.col("task"),
        NTH,
        pl.when(usable).then(raw).alias("raw"),
        pl.when(~usable).then(said).alias("said"),
        (pl.lit(None, pl.String) if reason is None else as_text(rows, reason)).alias("reason"),
        ROW,
        CROWDED,
    ).with_columns(_reason(table.unit).alias("reason"))


def _reason(unit: str) -> pl.Expr:
    """Why a row has no score: as the file says itself, or as we see it."""
    crowded = pl.format(f"{unit} {{}} has more cells than there are column names", ROW)
    shown_part = pl.col("said").str.slice(0, SHOWN).str.replace_all(r"\p{C}", "\ufffd")
    empty = pl.col("said").is_null()
    seen = pl.when(CROWDED).then(crowded).when(empty).then(pl.lit("the score is empty"))
    text = seen.otherwise(pl.format("'{}' is not a number", shown_part))
    return pl.when(pl.col("raw").is_null()).then(pl.col("reason").fill_null(text))


def _must_hold_numbers(table: ScoreTable, parsed: pl.DataFrame) -> None:
    """Raise when no score is a number, or one is written with a decimal comma."""
    commas = parsed.filter(pl.col("said").str.contains(DECIMAL_COMMA))
    if commas.height:
        first = commas["said"][0]
        what = f"found the score {first!r} ({table.at(commas[ROW])}), with a decimal comma"
        raise Unusable(f"{what}; expected a point, as in {first.replace(',', '.')}; write it anew")
    if parsed["raw"].null_count() == parsed.height:
        first = f"{parsed['reason'][0]} ({table.at(parsed[ROW].head(1))})"
        raise Unusable(f"not one of its {parsed.height:,} scores is a number; the first: {first}")


def _single(table: ScoreTable, parsed: pl.DataFrame) -> pl.DataFrame:
    """One row for each sentence: rows that agree are kept once, rows that differ are refused."""
    if parsed.select(KEY).is_duplicated().any():
        found = parsed.group_by(KEY, maintain_order=True).agg("raw", ROW)
        apart = found.filter(pl.col("raw").list.drop_nulls().list.n_unique() > 1)
        if apart.height:
            raise Unusable(_apart(table, apart))
        parsed = parsed.sort(pl.col("raw").is_null(), maintain_order=True)
        parsed = parsed.unique(KEY, keep="first", maintain_order=True).sort(
            ROW, maintain_order=True
        )
    return parsed.select(*KEY, "raw", "reason", ROW)


def _apart(table: ScoreTable, apart: pl.DataFrame) -> str:
    """The sentences that have two scores, the first with its values."""
    first = apart.row(0, named=True)
    values = " and ".join(str(value) for value in dict.fromkeys(first["raw"]) if value is not None)
    where = table.at(pl.Series(first[ROW]))
    what = f"found {values} for the same sentence ({where})"
    more = f", and {apart.height - 1:,} more sentences with several scores"
    return f"{what}{more if apart.height > 1 else ''}; expected one score for each"


def _quoted(said: str) -> str:
    return repr(said if len(said) <= SHOWN else said[:SHOWN] + "…")


def _gaps(table: ScoreTable, single: pl.DataFrame) -> Iterator[str]:
    missing = single.filter(pl.col("raw").is_null())
    if missing.height:
        first = f"{missing['reason'][0]} ({table.at(missing[ROW])})"
        yield f"rows without a score: {missing.height:,}, the first because {first}"
