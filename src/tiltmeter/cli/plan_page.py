"""What `tiltmeter plan` prints: what there is, what it can tell, what more names would tell."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table
from tiltmeter.cli.score_page import together

if TYPE_CHECKING:
    from tiltmeter.flow import Plan
    from tiltmeter.measures import Spreads

Row = dict[str, Any]

SCHEMA_VERSION = 2
DIGITS = 10
NAMES = "names"
REACH = ("even_within", "tilted_from")


def show_plan(found: Plan) -> None:
    """Print the plan as small tables, then what cannot be done, then how it was reckoned."""
    rows = _shown(found.table.to_dicts())
    planned = [row for row in rows if row["reason"] is None]
    if planned:
        if not found.assumed:
            _show_spreads(planned)
        _show_reach(found, planned)
        _show_more(_shown(found.more.to_dicts()))
    say()
    facts(together(_notes(rows)))
    _show_manner(found)


def plan_json(found: Plan) -> str:
    """The plan as JSON, at ten significant digits, with what determines it."""
    import polars as pl

    rows, more = (
        one.with_columns(pl.col(pl.Float64).round_sig_figs(DIGITS)).to_dicts()
        for one in (found.table, found.more)
    )
    head = {"schema_version": SCHEMA_VERSION, "plan": found.facts}
    whole = head | {"rows": rows, "more": more}
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _show_spreads(rows: Sequence[Row]) -> None:
    from tiltmeter.report import points

    heading("How far these systems tell people apart: standard deviations in points of 100")
    columns = (*_names(rows), "by", "people", "may be", "words", "sentences")
    cells = [
        (*_named(row), row["kind"], points(row["sd_people"]), _between(row),
         points(row["sd_words"]), points(row["sd_noise"]))
        for row in rows
    ]  # fmt: skip
    table(columns, cells, right=columns[len(_names(rows)) + 1 :])


def _between(row: Row) -> str:
    from tiltmeter.report import points

    if row["sd_low"] is None:
        return ""
    return f"{points(row['sd_low'])} to {points(row['sd_high'])}"


def _show_reach(found: Plan, rows: Sequence[Row]) -> None:
    from tiltmeter.report import points

    edition = f" ({found.edition})" if found.edition else ""
    heading(f"What {found.corpus}{edition} can tell, in points of 100")
    columns = (*_names(rows), "by", "people", "interval", "even within", "tilted from")
    cells = [
        (*_named(row), row["kind"], f"{row['people']:,}", _half(row["half_width"]),
         *(points(row[name]) for name in REACH))
        for row in rows
    ]  # fmt: skip
    table(columns, cells, right=columns[len(_names(rows)) + 1 :])


def _show_more(rows: Sequence[Row]) -> None:
    """A table for each system: what so many names a cell would tell."""
    for system in dict.fromkeys(row["system"] for row in rows):
        mine = [row for row in rows if row["system"] == system]
        whose = mine[0]["population"]
        drawn = f"drawn by lot from {whose}" if whose else "like these, in all their sentences"
        heading(f"What more names would tell{f' of {system}' if system else ''}, {drawn}")
        several = any(row["half_width_high"] > row["half_width"] for row in mine)
        _show_sizes(mine, several=several)


def _show_sizes(rows: Sequence[Row], *, several: bool) -> None:
    from tiltmeter.report import points

    most = ("at most",) if several else ()
    columns = ("axis", "a cell", "sentences", "interval", *most, "even within", "tilted from")
    cells = [
        (row["shown"], "all" if row["census"] else f"{row['people']:,}", f"{row['sentences']:,}",
         _half(row["half_width"]), *((_half(row["half_width_high"]),) if several else ()),
         *(points(row[name]) for name in REACH))
        for row in rows
    ]  # fmt: skip
    table(columns, cells, right=columns[1:])


def _half(width: float) -> str:
    """Half an interval; in a census whose words move nothing there is nothing to be unsure of."""
    from tiltmeter.report import points

    return f"±{points(width)}" if width else "none"


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


# ---------------------------------------------------------------- words


def _notes(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """What cannot be planned, and how many names a margin takes."""
    from tiltmeter.report import points

    for row in rows:
        whose = " on ".join(_named(row))
        if row["reason"]:
            yield whose, row["reason"]
        elif row["kind"] == NAMES:
            within = f"even within {points(row['margin'])} what does not tilt"
            if row["needed_people"]:
                yield whose, f"about {row['needed_people']:,} names a cell show {within}"
            else:
                yield (
                    whose,
                    (f"no number of names shows {within}: emotion words add more than it allows"),
                )


def _show_manner(found: Plan) -> None:
    """Level, family, power, and the spreads assumed."""
    facts(
        [
            ("interval", "half the width of the interval that decides"),
            ("even within", "the margin within which a system without a tilt would be shown even"),
            ("tilted from", "the smallest tilt that would be called tilted, beyond the margin"),
            ("sureness", f"each with {100 * found.power:g} % power, {_shared(found)}"),
            *_assumed(found),
        ]
    )


def _shared(found: Plan) -> str:
    among = "1 claim" if found.family == 1 else f"{found.family:,} claims"
    return f"at level {found.level:g} after Bonferroni correction for {among}"


def _assumed(found: Plan) -> Iterator[tuple[str, str]]:
    if found.assumed:
        yield "assumed", f"{_spoken(found.assumed)}; name a system to plan with its own"
        return
    if (found.table["sd_high"] > 0).any():
        what = "the spread of people nine times in ten, if these were drawn by lot"
        yield "may be", f"{what}; a list may lack the names that a lexicon knows"
    if found.typical and found.table["system"].n_unique() > 1:
        yield "median", _spoken(found.typical)


def _spoken(spreads: Spreads) -> str:
    from tiltmeter.report import points

    said = (
        ("people", spreads.people), ("couples", spreads.couples), ("words", spreads.words),
        ("sentences", spreads.noise), ("emotion words move scores by", spreads.moves),
    )  # fmt: skip
    return f"{', '.join(f'{name} {points(sd)}' for name, sd in said)} points"
