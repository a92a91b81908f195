"""The tables of a rating: like the paper's, and what is behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.report import phrases
from tiltmeter.report.numbers import DASH, fixed, short
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating import wording as chance_words
from tiltmeter.studies.rating.answer import RatingEvidence
from tiltmeter.studies.rating.label import Grade, small_grade
from tiltmeter.studies.rating.material import OVERALL, WRS, RatingMaterial, Row, Subject

# ---- deconfounding impact estimates laid out as in the paper's Table 5: both polarities in a row


POLARITIES = ("negative", "positive")
TOLD = ("observed", "interventional", "die", "x", "empty", "n")
DIE_TABLE_ROW = ["system", "task", "variant", "column", "dataset", "words"]


def die_table(effects: pl.DataFrame) -> pl.DataFrame:
    """A row for each dataset: means before and after, DIE % of both polarities, the largest.

    `largest` is null where there is none; `x` says that a denominator is 0. `worst` marks the
    largest of a system's datasets.
    """
    if effects.is_empty():
        return effects
    cells = [
        pl.col(what).filter(pl.col("polarity") == polarity).first().alias(f"{what}_{polarity}")
        for what in TOLD
        for polarity in POLARITIES
    ]
    rows = effects.group_by(DIE_TABLE_ROW, maintain_order=True).agg(cells)
    return rows.with_columns(
        largest=pl.max_horizontal("die_negative", "die_positive"),
        x=pl.any_horizontal("x_negative", "x_positive").fill_null(False),
    ).with_columns(worst=_worst())


def _worst() -> pl.Expr:
    """An X, or the largest of those above 0 where no dataset has one."""
    own = ["system", "task", "variant", "column"]
    top = (pl.col("largest") == pl.col("largest").max().over(own)) & (pl.col("largest") > 0)
    decided = pl.when(pl.col("x").any().over(own)).then(pl.col("x")).otherwise(top)
    return decided.fill_null(False)


# ---- t-values as the paper prints them: raised numbers for what is rejected, H for what is huge
# Lakkaraju et al. (2023), Tables 4 and 11 to 15: a raised 1 where every level of confidence
# rejects, 2 where all but the highest do, 3 where only the lowest does.

EPSILON = 0.0001
"""What the measure adds to the standard error."""
HUGE = 100.0
T_VALUES_ROW = ["system", "task", "dataset", "words"]


def superscript(levels: int) -> pl.Expr:
    """The raised number of a test, null where no level rejects.

    >>> pl.DataFrame({"rejected": [3, 2, 1, 0]}).select(superscript(3))["superscript"].to_list()
    [1, 2, 3, None]
    """
    rejected = pl.col("rejected").cast(pl.Int64)
    return pl.when(rejected > 0).then(levels + 1 - rejected).alias("superscript")


def huge() -> pl.Expr:
    """Whether a t-value is printed as H: large only because the scores of both classes never vary.

    Then t = (m₁ − m₂) / ε, so that the difference of means over t is no more than ε.

    >>> female = {"t": [-20000.0, 150.0], "mean_first": [-1.0, 0.9], "mean_second": [1.0, 0.0]}
    >>> pl.DataFrame(female).select(huge())["huge"].to_list()
    [True, False]
    """
    size = pl.col("t").abs()
    apart = (pl.col("mean_first") - pl.col("mean_second")).abs()
    return ((size >= HUGE) & (apart < 2 * EPSILON * size)).fill_null(False).alias("huge")


def t_values(material: RatingMaterial) -> pl.DataFrame:
    """Every test, with its raised number and whether it is printed as H."""
    if material.tests.is_empty():
        return material.tests
    return material.tests.with_columns(superscript(len(material.confidence)), huge())


def t_tables(material: RatingMaterial) -> dict[str, tuple[str, str, pl.DataFrame]]:
    """The tests of each column and variant, by the name of their table: column, variant, tests."""
    found = t_values(material)
    if found.is_empty():
        return {}
    slugs = unique_slugs(found["column"].unique(maintain_order=True))
    parts = (
        (column, variant, found.filter(column=column, variant=variant))
        for variant in material.variants
        for column in slugs
    )
    return {f"t-values-wide-{slugs[part[0]]}-{part[1]}": part for part in parts if part[2].height}


def class_pairs(tests: pl.DataFrame) -> list[tuple[str, str]]:
    """Who is compared with whom, in order."""
    return tests.select("first", "second").unique(maintain_order=True).rows()


def wide(tests: pl.DataFrame) -> pl.DataFrame:
    """Like the paper's Table 4: a row for each system and set of words, t and raised number a pair.

    t is signed: above 0 the first class' scores are higher.
    """
    pairs = class_pairs(tests)
    told = [(*pair, what) for pair in pairs for what in ("t", "superscript")]
    names = numbered(
        [*T_VALUES_ROW, *(f"{first} - {second} {what}" for first, second, what in told)]
    )
    cells = [
        pl.col(what).filter(pl.col("first") == first, pl.col("second") == second).first()
        for first, second, what in told
    ]
    named = [cell.alias(name) for cell, name in zip(cells, names[len(T_VALUES_ROW) :], strict=True)]
    return together(tests).group_by(T_VALUES_ROW, maintain_order=True).agg(named)


def together(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a system in one variant and column together, as the paper prints them.

    >>> rows = pl.DataFrame({"variant": "v", "column": "G", "system": [*"bab"], "task": "t"})
    >>> together(rows)["system"].to_list()
    ['b', 'b', 'a']
    """
    own = ["variant", "column", "system", "task"]
    return pl.concat(frame.partition_by(own, maintain_order=True)) if frame.height else frame


# ---- the tables behind ratings: t-values as in the paper's Table 4, adjusted means as in Table 5


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
class EvidenceRows:
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
    blocks: tuple[EvidenceRows, ...]


@dataclass(frozen=True, slots=True)
class DieTable:
    """Means as observed and after the adjustment."""

    blocks: tuple[EvidenceRows, ...]
    empty: tuple[str, ...]
    any_x: bool


@dataclass(frozen=True, slots=True)
class AteTable:
    """Effects of a positive word: naive, adjusted, matched."""

    blocks: tuple[EvidenceRows, ...]


def t_table(
    found: RatingEvidence,
    of: Sequence[Subject],
    variant: str,
    column: str,
    levels: int,
    called: str,
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
) -> Iterator[EvidenceRows]:
    for one, tests in own.items():
        sets = dict.fromkeys(str(row["words"]) for row in tests)
        rows = tuple(
            (words, tuple(cells.get((*one.key, words, *pair), TCell(DASH)) for pair in pairs))
            for words in sets
        )
        if rows:
            yield EvidenceRows(one.system, one.task, rows)


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
        EvidenceRows(
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
    found: RatingEvidence, of: Sequence[Subject], variant: str, columns: Sequence[str]
) -> AteTable | None:
    """The effect of a positive word, three ways."""
    blocks = []
    for one in of:
        rows = [row for name in columns for row in found.ates.get((*one.key, variant, name), ())]
        if rows:
            told = tuple((_words(row, columns), _ate_cells(row)) for row in rows)
            blocks.append(EvidenceRows(one.system, one.task, told))
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


# ---- the ratings of all systems by group, as in the paper's Tables 6 and 7, and the ψ behind
# them


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One system's row."""

    system: str
    task: str
    cells: tuple[Grade, ...]
    psis: tuple[tuple[str, str], ...]
    """ψ of each column, and what chance would give."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The ratings in one variant."""

    variant: str
    title: str
    columns: tuple[tuple[str, str], ...]
    """Each in words, and its code."""
    lines: tuple[MatrixRow, ...]
    notes: tuple[str, ...]
    any_x: bool
    any_doubt: bool
    any_spread: bool


def matrices(material: RatingMaterial, of: Sequence[Subject]) -> Iterator[Matrix]:
    """A table for each variant."""
    rows = material.columns.to_dicts()
    columns = tuple(str(row["column"]) for row in rows)
    for variant in material.variants:
        lines = tuple(_line(one, variant, columns, material.levels) for one in of
                      if variant in one.variants)  # fmt: skip
        cells = [cell for line in lines for cell in line.cells]
        words = wording.VARIANTS.get(variant, variant)
        yield Matrix(
            variant=variant,
            title=f"Ratings from {words}",
            columns=tuple((phrases.column_words(row), str(row["column"])) for row in rows),
            lines=lines,
            notes=tuple(_reasons(of, variant)),
            any_x=any(cell.x for cell in cells),
            any_doubt=any(cell.doubt for cell in cells),
            any_spread=any(cell.spread for cell in cells),
        )


def _line(subject: Subject, variant: str, columns: Sequence[str], levels: int) -> MatrixRow:
    rated = subject.variants[variant]
    absent = {"rating": None, "reason": "not part of this rating", "low": None, "high": None}
    rows: list[Row] = [rated.columns.get(one, absent | {"column": one}) for one in columns]
    whole = {**rated.overall, "column": OVERALL, "rating": rated.grade, "x": False, "reason": None,
             "doubt": rated.may_be_chance}  # fmt: skip
    return MatrixRow(
        subject.system,
        subject.task,
        tuple(small_grade(row, levels) for row in (*rows, whole)),
        tuple((psi_text(row), chance_words.chance_below(row)) for row in rows),
    )


def psi_text(row: Row) -> str:
    """ψ as the paper prints it: a sum of weights, per cent, or X.

    >>> psi_text({"psi": 1.9, "x": False, "measure": "wrs"})
    '1.9'
    >>> psi_text({"psi": 128.5, "x": False, "measure": "die"})
    '128 %'
    >>> psi_text({"psi": None, "x": True, "measure": "die"})
    'X'
    """
    if row.get("x"):
        return "X"
    psi = row.get("psi")
    if psi is None:
        return DASH
    return phrases.weight(psi) if row["measure"] == WRS else phrases.moved(psi)


def _reasons(of: Sequence[Subject], variant: str) -> Iterator[str]:
    """Why cells are empty, each reason once with the systems and columns it holds for."""
    told: dict[str, dict[str, list[str]]] = {}
    for one in of:
        for row in one.variants[variant].columns.values() if variant in one.variants else ():
            if row["rating"] is None:
                why = str(row["reason"] or "no reason given")
                told.setdefault(why, {}).setdefault(one.system, []).append(
                    phrases.column_named(row)
                )
    for why, systems in told.items():
        columns = ", ".join(dict.fromkeys(name for own in systems.values() for name in own))
        yield f"{phrases.listed(list(systems))}, {columns}: {why}."


# ---- the tables of a rating for spreadsheets: like the paper's, and what lies behind them


KEYS = ["system", "task", "variant"]
SPREAD = ("low", "high", "steady")
RAW = (
    *KEYS, "column", "measure", "psi", "x", "rating", *SPREAD, "by_chance", "p", "rests_on",
    "without", "reason", "group", "attribute",
)  # fmt: skip


def rating_tables(material: RatingMaterial) -> dict[str, pl.DataFrame]:
    """Every table, by its file's name without an ending; none that would be empty."""
    found = {
        "ratings": ratings(material),
        "raw-scores": raw_scores(material),
        "t-values": t_values(material),
        **{name: wide(tests) for name, (_, _, tests) in t_tables(material).items()},
        "die": together(die_table(material.effects)),
        "ate": together(material.ates),
        "frequencies": material.frequencies,
        "order": material.order,
        "columns": columns(material),
    }
    return {name: frame for name, frame in found.items() if frame.height}


def ratings(material: RatingMaterial) -> pl.DataFrame:
    """Like the paper's Tables 6 and 7: a rating for each column, then overall, then how steady."""
    cells = list(_cells(material))
    names = numbered([*KEYS, *(name for name, _, _ in cells)])[len(KEYS) :]
    frame = material.overall.select(KEYS)
    for name, (_, rows, source) in zip(names, cells, strict=True):
        told = rows.select(*KEYS, pl.col(source).alias(name))
        frame = frame.join(told, on=KEYS, how="left", maintain_order="left", nulls_equal=True)
    return frame


def _cells(material: RatingMaterial) -> Iterator[tuple[str, pl.DataFrame, str]]:
    """A column's name, the rows it is from, and its name there."""
    own = [(name, material.raw.filter(column=name)) for name in column_names(material)]
    yield from ((name, rows, "rating") for name, rows in own)
    yield from ((name, material.overall, name) for name in (OVERALL, "mean", "dominates"))
    for name, rows in (*own, (OVERALL, material.overall)):
        yield from ((f"{name} {part}", rows, part) for part in SPREAD)


def column_names(material: RatingMaterial) -> list[str]:
    """The columns of the rating table, in order."""
    return material.columns["column"].to_list()


def raw_scores(material: RatingMaterial) -> pl.DataFrame:
    """Like the paper's Tables 2 and 3: ψ in order for each variant and column, X last.

    What has no ψ stands after, with the reason.
    """
    names = [*column_names(material), *material.raw["column"]]
    columns = pl.Enum(list(dict.fromkeys(names)))
    variants = pl.Enum(material.variants)
    return material.raw.select(RAW).sort(
        pl.col("variant").cast(variants),
        pl.col("column").cast(columns),
        "task",
        pl.col("psi").is_null() & ~pl.col("x"),
        "x",
        "psi",
        nulls_last=True,
        maintain_order=True,
    )


def columns(material: RatingMaterial) -> pl.DataFrame:
    """What each column is made from: its diagram, what is adjusted for, its datasets."""
    return material.columns.with_columns(
        pl.col("edges", "sets").list.join("; "), pl.col("datasets", "unobserved").list.join(", ")
    )
