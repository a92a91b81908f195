"""What `tiltmeter plan` prints: what there is, what it can tell, what a margin takes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table
from tiltmeter.cli.score_page import together

if TYPE_CHECKING:
    from tiltmeter.flow import Plan
    from tiltmeter.measures import Spreads

Row = dict[str, Any]

SCHEMA_VERSION = 1
DIGITS = 10
NOISES = {"people": "people", "templates": "templates", "words": "words", "noise": "sentences"}
NONE = "no number"
ENOUGH = "enough"


def show_plan(found: Plan) -> None:
    """Print the plan as small tables, then what cannot be done, then how it was reckoned."""
    rows = _shown(found.table.to_dicts())
    _show_units(found, rows)
    planned = [row for row in rows if row["reason"] is None]
    if planned:
        if not found.assumed:
            _show_noise(planned)
        _show_reach(planned)
        _show_needs(planned)
    say()
    facts(together(_notes(rows)))
    _show_manner(found)


def plan_json(found: Plan) -> str:
    """The plan as JSON, at ten significant digits, with what determines it."""
    import polars as pl

    rows = found.table.with_columns(pl.col(pl.Float64).round_sig_figs(DIGITS)).to_dicts()
    head = {"schema_version": SCHEMA_VERSION, "plan": found.facts}
    return json.dumps(head | {"rows": rows}, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _show_units(found: Plan, rows: Sequence[Row]) -> None:
    edition = f" ({found.edition})" if found.edition else ""
    heading(f"What there is in {found.corpus}{edition}")
    columns = ("contrast", "people a group", "templates", "words", "pairs")
    once = {row["contrast"]: row for row in rows}
    cells = [
        (name, *(f"{row[key]:,}" for key in ("people", "templates", "words", "pairs")))
        for name, row in once.items()
    ]
    table(columns, cells, right=columns[1:])


def _show_noise(rows: Sequence[Row]) -> None:
    from tiltmeter.report import points

    heading("The noise of these systems: standard deviations in points of 100")
    columns = ("system", "axis", *NOISES.values())
    cells = [(*_named(row), *(points(row[f"sd_{name}"]) for name in NOISES)) for row in rows]
    table(columns, cells, right=columns[2:])


def _show_reach(rows: Sequence[Row]) -> None:
    from tiltmeter.report import points, short

    heading("What it can tell, in points of 100")
    columns = (*_names(rows), "standard error", "df", "tilted from", "even within")
    cells = [
        (*_named(row), points(row["se"]), short(row["df"]),
         *(points(row[name]) for name in ("tilted_from", "even_within")))
        for row in rows
    ]  # fmt: skip
    table(columns, cells, right=columns[len(_names(rows)) :])


def _show_needs(rows: Sequence[Row]) -> None:
    from tiltmeter.report import points

    heading("People in each group, or templates, to show even what does not tilt")
    columns = (*_names(rows), "margin", "people", "or templates", "or both")
    cells = [
        (*_named(row), f"±{points(row['margin'])}", _units(row, "people"), _units(row, "templates"),
         _both(row))
        for row in rows
    ]  # fmt: skip
    table(columns, cells, right=columns[len(_names(rows)) :])


def _names(rows: Sequence[Row]) -> tuple[str, ...]:
    return ("axis",) if rows[0]["system"] is None else ("system", "axis")


def _named(row: Row) -> tuple[str, ...]:
    axis = str(row["shown"])
    return (axis,) if row["system"] is None else (str(row["system"]), axis)


def _shown(rows: Sequence[Row]) -> list[Row]:
    """Rows under names that tell them apart: an axis' contrasts, and a system's tasks."""
    per_axis = Counter(axis for axis, _ in {(row["axis"], row["contrast"]) for row in rows})
    tasks = len({row["task"] for row in rows}) > 1
    return [
        row
        | {"shown": row["axis"] if per_axis[row["axis"]] == 1 else row["contrast"]}
        | ({"system": f"{row['system']}, {row['task']}"} if tasks else {})
        for row in rows
    ]


def _units(row: Row, kind: str) -> str:
    needed = row[f"needed_{kind}"]
    if needed is None:
        return NONE
    return ENOUGH if needed <= row[kind] else f"{needed:,}"


def _both(row: Row) -> str:
    people, templates = row["both_people"], row["both_templates"]
    if people is None:
        return NONE
    enough = people <= row["people"] and templates <= row["templates"]
    return ENOUGH if enough else f"{people:,} and {templates:,}"


# ---------------------------------------------------------------- words


def _notes(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """What cannot be planned, and what no number of people or of templates would do."""
    for row in rows:
        whose = " on ".join(_named(row))
        if row["reason"]:
            yield whose, row["reason"]
            continue
        for kind, others in (("people", "templates and words"), ("templates", "people and words")):
            if row[f"needed_{kind}"] is None:
                what = f"no number of {kind} alone would do"
                yield whose, f"{what}: {others} contribute more than the margin allows"
        if row["se"] == 0:
            yield whose, "it scores the groups alike in every pair; there is no noise to plan with"


def _show_manner(found: Plan) -> None:
    """Level, family, power, and the noise assumed."""
    facts(
        [
            ("tilted from", "the smallest tilt that would be called tilted, beyond the margin"),
            ("even within", "the margin within which a system without a tilt would be shown even"),
            ("sureness", f"each with {100 * found.power:g} % power, {_shared(found)}"),
            *_assumed(found),
        ]
    )


def _shared(found: Plan) -> str:
    among = "1 comparison" if found.family == 1 else f"{found.family:,} comparisons"
    return f"at level {found.level:g} after Bonferroni correction for {among}"


def _assumed(found: Plan) -> Iterator[tuple[str, str]]:
    if found.assumed:
        yield "noise assumed", f"{_spoken(found.assumed)}; name a system to plan with its own"
    elif found.typical and found.table["system"].n_unique() > 1:
        yield "noise, median", f"{_spoken(found.typical)}, where there is any"


def _spoken(spreads: Spreads) -> str:
    from tiltmeter.report import points

    parts = [f"{NOISES[name]} {points(sd)}" for name, sd in asdict(spreads).items()]
    return f"{', '.join(parts)} points"
