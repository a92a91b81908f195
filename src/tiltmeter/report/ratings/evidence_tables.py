"""The tables behind ratings: t-values as in the paper's Table 4, adjusted means as in Table 5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.numbers import DASH, fixed, short
from tiltmeter.report.ratings.die_table import die_table
from tiltmeter.report.ratings.driving import Evidence
from tiltmeter.report.ratings.material import RatingMaterial
from tiltmeter.report.ratings.rated import Row, Subject
from tiltmeter.report.ratings.t_values import huge, superscript

NUMBERS = {
    **dict.fromkeys(("mean_first", "mean_second", "t", "df", "critical", "p"), pl.Float64),
    "rejected": pl.Int64,
}
"""What columns of tests hold, also where no test could be made."""


@dataclass(frozen=True, slots=True)
class TCell:
    """A t-value without its sign, its raised number, and which class is scored higher."""

    text: str
    raised: str = ""
    higher: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One system's rows of a table: the word set, then cells."""

    system: str
    task: str
    rows: tuple[tuple[str, tuple[TCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class TTable:
    """The t-tests of one column."""

    column: str
    """In words, with its code."""
    pairs: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class DieTable:
    """Means as observed and after the adjustment."""

    blocks: tuple[Block, ...]
    empty: tuple[str, ...]
    any_x: bool


@dataclass(frozen=True, slots=True)
class AteTable:
    """Effects of a positive word: naive, adjusted, matched."""

    blocks: tuple[Block, ...]


def t_table(
    found: Evidence, of: Sequence[Subject], variant: str, column: str, levels: int, called: str
) -> TTable | None:
    """The t-values of a column: systems and word sets down, pairs of classes across."""
    own = {one: found.tests.get((*one.key, variant, column), []) for one in of}
    rows = [row for tests in own.values() for row in tests]
    if not rows:
        return None
    pairs = tuple(dict.fromkeys((row["first"], row["second"]) for row in rows))
    told = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=NUMBERS)
    marked = told.with_columns(superscript(levels), huge())
    cells: dict[tuple[str, ...], TCell] = {
        (row["system"], row["task"], row["words"], row["first"], row["second"]): _t_cell(row)
        for row in marked.iter_rows(named=True)
    }
    return TTable(called, pairs, tuple(_t_blocks(own, pairs, cells)))


def _t_blocks(
    own: dict[Subject, list[Row]],
    pairs: Sequence[tuple[str, str]],
    cells: dict[tuple[str, ...], TCell],
) -> Iterator[Block]:
    for one, tests in own.items():
        sets = dict.fromkeys(str(row["words"]) for row in tests)
        rows = tuple(
            (words, tuple(cells.get((*one.key, words, *pair), TCell(DASH)) for pair in pairs))
            for words in sets
        )
        if rows:
            yield Block(one.system, one.task, rows)


def _t_cell(row: Row) -> TCell:
    if row["t"] is None:
        return TCell(DASH)
    raised = "" if row["superscript"] is None else str(row["superscript"])
    higher = "" if not raised else "◂" if row["t"] > 0 else "▸"
    if row["huge"]:
        return TCell("H", raised, higher)
    return TCell(fixed(abs(row["t"]), 2) if abs(row["t"]) >= 0.005 else "0", raised, higher)


def effect_table(
    material: RatingMaterial, of: Sequence[Subject], variant: str, columns: Sequence[str]
) -> DieTable | None:
    """Means by polarity before and after the adjustment, DIE % and the larger of the two."""
    own = material.effects.filter(
        (pl.col("variant") == variant) & pl.col("column").is_in(list(columns))
    )
    if own.is_empty():
        return None
    told: dict[tuple[str, str], list[Row]] = {}
    for row in die_table(own).iter_rows(named=True):
        told.setdefault((row["system"], row["task"]), []).append(row)
    blocks = tuple(
        Block(
            one.system,
            one.task,
            tuple((_words(row, columns), _effects(row)) for row in told[one.key]),
        )
        for one in of
        if one.key in told
    )
    return DieTable(blocks, tuple(_empty(own)), bool(own["x"].any()))


def _effects(row: Row) -> tuple[TCell, ...]:
    sides = ("negative", "positive")
    means = [
        TCell(_mean(row[f"{what}_{side}"]), "*" if row[f"empty_{side}"] else "")
        for what in ("observed", "interventional")
        for side in sides
    ]
    dies = [TCell("X" if row[f"x_{side}"] else _percent(row[f"die_{side}"])) for side in sides]
    largest = TCell("X" if row["x"] else _percent(row["largest"]))
    return (*means, *dies, largest)


def _empty(effects: pl.DataFrame) -> Iterator[str]:
    """Which classes have no sentence of a polarity, said once for each dataset."""
    rows = effects.filter(pl.col("empty") != "").unique(
        ["dataset", "polarity", "empty"], maintain_order=True
    )
    for row in rows.iter_rows(named=True):
        yield f"{row['dataset']}: no {row['polarity']} sentence for {row['empty']}"


def ate_table(
    found: Evidence, of: Sequence[Subject], variant: str, columns: Sequence[str]
) -> AteTable | None:
    """The effect of a positive word, three ways."""
    blocks = []
    for one in of:
        rows = [row for name in columns for row in found.ates.get((*one.key, variant, name), ())]
        if rows:
            told = tuple((_words(row, columns), _ate_cells(row)) for row in rows)
            blocks.append(Block(one.system, one.task, told))
    return AteTable(tuple(blocks)) if blocks else None


def _ate_cells(row: Row) -> tuple[TCell, ...]:
    means = (TCell(_mean(row[name])) for name in ("naive", "adjusted", "matched"))
    change = TCell("X" if row["x"] else _percent(row["change"]))
    left = DASH if row["unmatched"] is None else f"{row['unmatched']:,}"
    return (*means, TCell(left), change)


def _words(row: Row, columns: Sequence[str]) -> str:
    return str(row["words"]) if len(columns) == 1 else f"{row['column']} {row['words']}"


def _mean(value: float | None) -> str:
    return DASH if value is None else fixed(value, 2)


def _percent(value: float | None) -> str:
    if value is None:
        return DASH
    return fixed(value, 1) if value >= 1 else short(value) if value else "0"
