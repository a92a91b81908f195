"""`tiltmeter plan`: what tilt a corpus can show or rule out, and what more names would."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import facts, heading, say
from tiltmeter.cli.console import table as show_rows
from tiltmeter.cli.score import together

if TYPE_CHECKING:
    from tiltmeter.studies.planning.design import Spreads
    from tiltmeter.studies.planning.run import Plan


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
    from tiltmeter.report.numbers import points

    heading("How far these systems tell people apart: standard deviations in points of 100")
    columns = (*_names(rows), "by", "people", "may be", "words", "sentences")
    cells = [
        (*_named(row), row["kind"], points(row["sd_people"]), _between(row),
         points(row["sd_words"]), points(row["sd_noise"]))
        for row in rows
    ]  # fmt: skip
    show_rows(columns, cells, right=columns[len(_names(rows)) + 1 :])


def _between(row: Row) -> str:
    from tiltmeter.report.numbers import points

    if row["sd_low"] is None:
        return ""
    return f"{points(row['sd_low'])} to {points(row['sd_high'])}"


def _show_reach(found: Plan, rows: Sequence[Row]) -> None:
    from tiltmeter.report.numbers import points

    edition = f" ({found.edition})" if found.edition else ""
    heading(f"What {found.corpus}{edition} can tell, in points of 100")
    columns = (*_names(rows), "by", "people", "interval", "even within", "tilted from")
    cells = [
        (*_named(row), row["kind"], f"{row['people']:,}", _half(row["half_width"]),
         *(points(row[name]) for name in REACH))
        for row in rows
    ]  # fmt: skip
    show_rows(columns, cells, right=columns[len(_names(rows)) + 1 :])


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
    from tiltmeter.report.numbers import points

    most = ("at most",) if several else ()
    columns = ("axis", "a cell", "sentences", "interval", *most, "even within", "tilted from")
    cells = [
        (row["shown"], "all" if row["census"] else f"{row['people']:,}", f"{row['sentences']:,}",
         _half(row["half_width"]), *((_half(row["half_width_high"]),) if several else ()),
         *(points(row[name]) for name in REACH))
        for row in rows
    ]  # fmt: skip
    show_rows(columns, cells, right=columns[1:])


def _half(width: float) -> str:
    """Half an interval; in a census whose words move nothing there is nothing to be unsure of."""
    from tiltmeter.report.numbers import points

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


def _notes(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """What cannot be planned, and how many names a margin takes."""
    from tiltmeter.report.numbers import points

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
    from tiltmeter.report.numbers import points

    said = (
        ("people", spreads.people), ("couples", spreads.couples), ("words", spreads.words),
        ("sentences", spreads.noise), ("emotion words move scores by", spreads.moves),
    )  # fmt: skip
    return f"{', '.join(f'{name} {points(sd)}' for name, sd in said)} points"


STDOUT = "-"


def plan(
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEM",
            help="Systems to plan with, as in `tiltmeter audit`; without one: --sd-people.",
        ),
    ] = None,
    corpus: Annotated[
        str, typer.Option("--corpus", metavar="NAME|FILE", help="The sentences to plan with.")
    ] = "eec",
    margin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[AXIS=]M",
            help="The difference that matters, a part of the scale; 0.01 by default; may repeat.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="Plan with the scores in an audit's folder."),
    ] = None,
    *,
    draw: opt.DrawOptions,
    sd_people: Annotated[
        float | None,
        typer.Option(
            metavar="SD",
            help="Without a system: how far names move scores, a standard deviation in parts of "
            "the scale.",
        ),
    ] = None,
    sd_couples: Annotated[
        float | None,
        typer.Option(metavar="SD", help="… how far couples such as mother and father differ."),
    ] = None,
    sd_words: Annotated[
        float | None,
        typer.Option(metavar="SD", help="… how far emotion words move the tilt."),
    ] = None,
    sd_noise: Annotated[
        float | None,
        typer.Option(metavar="SD", help="… how far single sentences' scores scatter besides."),
    ] = None,
    moves: Annotated[
        float | None,
        typer.Option(metavar="SD", help="… how far emotion words move scores."),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="P", help="The level that verdicts will be held to.")
    ] = 0.05,
    family: Annotated[
        int | None,
        typer.Option(metavar="N", help="Share the level among N claims; default: the rows."),
    ] = None,
    power: Annotated[
        float, typer.Option(metavar="P", help="How sure to be of a verdict; 0.8: four in five.")
    ] = 0.8,
    edition: opt.Edition = None,
    table: opt.TableOptions,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the plan as JSON; - prints."),
    ] = None,
    asking: opt.AskingOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Say what tilt a corpus can show or rule out, by names and by couples, and what more names do.

    Verdicts are about people like these, so they depend on how many there are and how far a system
    tells them apart: by its own scores, by an audit's folder, or as assumed.

    Example: tiltmeter plan --margin 0.01 --corpus eec

    Example: tiltmeter plan vader glove-lexicon --margin 0.01 --margin race=0.02

    Example: tiltmeter plan vader --corpus names-us --people 100

    Example: tiltmeter plan --from tiltmeter-out --json -
    """
    from tiltmeter import api
    from tiltmeter.cli.options import margins_said
    from tiltmeter.cli.progress import progress_for
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.files import check_place

    if json_to not in (None, STDOUT):
        check_place(Path(str(json_to)))
    how = asking.how()
    if folder and any(table.reading.values()):
        what = "--column, --axis, --language and --encoding say how a table is read"
        raise TiltmeterError(f"{what}, and --from reads none; leave them out")
    drawn = draw.draw()
    if folder and any(one is not None for one in drawn.values()):
        what = "--people, --frames and --weights say who is drawn"
        raise TiltmeterError(f"{what}, and --from has its people; leave them out")
    found = api.plan(
        list(dict.fromkeys(systems)) if systems else None,
        corpus if folder else opt.corpora_named([corpus], edition, table, drawn)[0],
        folder=folder, margin=margins_said(margin or []),
        spreads=_spreads(sd_people, sd_couples, sd_words, sd_noise, moves),
        level=level, family=family, power=power,
        **how,
        progress=progress_for(quiet),
    )  # fmt: skip
    _give(found, json_to, quiet)


def _spreads(*given: float | None) -> Spreads | None:
    """The standard deviations assumed, the typical ones where none is given."""
    from dataclasses import astuple

    from tiltmeter.studies.planning.design import Spreads
    from tiltmeter.studies.planning.run import TYPICAL

    if all(one is None for one in given):
        return None
    usual = astuple(TYPICAL)
    return Spreads(*(old if new is None else new for new, old in zip(given, usual, strict=True)))


def _give(found: Plan, json_to: str | None, quiet: bool) -> None:
    """Print it, write it, or both, as was asked for."""
    from tiltmeter.files import write_text

    if json_to == STDOUT:
        typer.echo(plan_json(found), nl=False)
    elif json_to:
        write_text(plan_json(found), Path(json_to))
    if not quiet and json_to != STDOUT:
        show_plan(found)
