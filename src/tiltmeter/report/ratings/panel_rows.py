"""The records of a stored panel: everything that is wrong with them, and its rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from tiltmeter.errors import Problem

Record = dict[str, Any]
KEYS = ("system", "task", "variant")
VARIANTS = ("continuous", "discretised")
MEASURES = ("wrs", "die", "ate")
Row = tuple[str, str, str, str, float | None, bool, int | None]


def panel_rows(systems: list[Record]) -> Iterator[Row]:
    """A row for each system, variant and column."""
    for one in systems:
        key = one["system"], one["task"], one["variant"]
        for column, cell in one["groups"].items():
            psi = cell["psi"]
            yield *key, column, None if psi is None else float(psi), cell["x"], cell["rating"]


def head_problems(told: Record) -> list[Problem]:
    """What is wrong apart from the systems."""
    found = []
    if not _whole(told["levels"]) or told["levels"] < 1:
        found.append(Problem("levels", f"is {told['levels']!r}; expected a whole number from 1 on"))
    if not isinstance(told.get("run"), dict):
        found.append(Problem("run", "is missing; expected how the ratings came about"))
    for name in ("confidence", "weights"):
        values = told.get(name)
        if not isinstance(values, list) or not values or not all(map(_number, values)):
            found.append(Problem(name, f"is {_shown(values)}; expected a list of numbers"))
    found.extend(_column_problems(told.get("columns")))
    if not isinstance(told["systems"], list):
        found.append(Problem("systems", f"is {_shown(told['systems'])}; expected a list"))
    return found


def _column_problems(columns: object) -> Iterator[Problem]:
    if not isinstance(columns, list) or not columns:
        yield Problem("columns", f"is {_shown(columns)}; expected a list of the rating's columns")
        return
    for nth, one in enumerate(columns, 1):
        where = f"columns, no. {nth}"
        if not isinstance(one, dict) or not _text(one.get("column")):
            yield Problem(where, f"is {_shown(one)}; expected a record with a column's name")
        elif one.get("measure") not in MEASURES:
            expected = ", ".join(MEASURES)
            yield Problem(where, f"measure is {_shown(one.get('measure'))}; expected {expected}")


def row_problems(told: Record) -> list[Problem]:
    """What is wrong with the systems; what stands twice is wrong too."""
    columns = {one["column"] for one in told["columns"]}
    seen: set[tuple[str, ...]] = set()
    found: list[Problem] = []
    for nth, one in enumerate(told["systems"], 1):
        own = list(_system_problems(f"systems, no. {nth}", one, columns, told["levels"]))
        found.extend(own)
        if own:
            continue
        key = tuple(one[name] for name in KEYS)
        if key in seen:
            found.append(Problem(f"systems, no. {nth}", f"{key} stands there twice; expected once"))
        seen.add(key)
    return found


def _system_problems(where: str, one: object, columns: set[str], levels: int) -> Iterator[Problem]:
    if not isinstance(one, dict):
        yield Problem(where, f"is {_shown(one)}; expected a record")
        return
    for name in KEYS:
        if not _text(one.get(name)):
            yield Problem(where, f"{name} is {_shown(one.get(name))}; expected a text")
    if one.get("variant") not in VARIANTS:
        expected = " or ".join(VARIANTS)
        yield Problem(where, f"variant is {_shown(one.get('variant'))}; expected {expected}")
    if not isinstance(one.get("groups"), dict):
        yield Problem(where, f"groups is {_shown(one.get('groups'))}; expected a record")
        return
    for column, cell in one["groups"].items():
        yield from _cell_problems(f"{where}, {_shown(column)}", column in columns, cell, levels)


def _cell_problems(where: str, known: bool, cell: object, levels: int) -> Iterator[Problem]:
    if not known:
        yield Problem(where, "is none of the columns that the file lists")
    if not isinstance(cell, dict) or not {"psi", "x", "rating"} <= set(cell):
        yield Problem(where, f"is {_shown(cell)}; expected a record with psi, x and rating")
        return
    psi, x, rating = cell["psi"], cell["x"], cell["rating"]
    if psi is not None and not (_number(psi) and psi >= 0):
        yield Problem(where, f"psi is {_shown(psi)}; expected a number from 0 on, or null")
    if not isinstance(x, bool):
        yield Problem(where, f"x is {_shown(x)}; expected true or false")
    if rating is not None and not (_whole(rating) and 1 <= rating <= levels):
        yield Problem(where, f"rating is {_shown(rating)}; expected 1 to {levels}, or null")


def _number(value: object) -> bool:
    """Whether a value is a finite number that fits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31


def _text(value: object) -> bool:
    """Whether a value is a text that UTF-8 can hold."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: object) -> str:
    """A value in a message, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
