"""The ratings of all systems by group, as in the paper's Tables 6 and 7, and the ψ behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.report.numbers import DASH
from tiltmeter.report.ratings import chance_words, phrases, wording
from tiltmeter.report.ratings.cards import Grade, small_grade
from tiltmeter.report.ratings.material import OVERALL, WRS, RatingMaterial
from tiltmeter.report.ratings.rated import Row, Subject


@dataclass(frozen=True, slots=True)
class Line:
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
    lines: tuple[Line, ...]
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


def _line(subject: Subject, variant: str, columns: Sequence[str], levels: int) -> Line:
    rated = subject.variants[variant]
    absent = {"rating": None, "reason": "not part of this rating", "low": None, "high": None}
    rows: list[Row] = [rated.columns.get(one, absent | {"column": one}) for one in columns]
    whole = {**rated.overall, "column": OVERALL, "rating": rated.grade, "x": False, "reason": None,
             "doubt": rated.may_be_chance}  # fmt: skip
    return Line(
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
