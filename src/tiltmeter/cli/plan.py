"""`tiltmeter plan`: what tilt a corpus can show or rule out, and what more names would."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import STDOUT, check_json_place, facts, give_json, heading, say
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
    from tiltmeter.report.numbers import points

    rows = _named_rows(found.table.to_dicts())
    if planned := [row for row in rows if row["reason"] is None]:
        if not found.assumed:
            heading("How far these systems tell people apart: standard deviations in points of 100")
            _show_claims(planned, ("people", "may be", "words", "sentences"), lambda row: (
                points(row["sd_people"]),
                "" if row["sd_low"] is None
                else f"{points(row['sd_low'])} to {points(row['sd_high'])}",
                points(row["sd_words"]), points(row["sd_noise"]),
            ))  # fmt: skip
        edition = f" ({found.edition})" if found.edition else ""
        heading(f"What {found.corpus}{edition} can tell, in points of 100")
        _show_claims(planned, ("people", "interval", "even within", "tilted from"), lambda row: (
            f"{row['people']:,}", _half(row["half_width"]), *(points(row[name]) for name in REACH)
        ))  # fmt: skip
        _show_more(_named_rows(found.more.to_dicts()))
    say()
    facts(together(_notes(rows)))
    facts(_manner(found))


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


def _show_claims(
    rows: Sequence[Row], columns: Sequence[str], cells: Callable[[Row], tuple[str, ...]]
) -> None:
    """A line for each system and claim."""
    keys = ("axis", "by") if rows[0]["system"] is None else ("system", "axis", "by")
    lines = [(*_whose(row), row["kind"], *cells(row)) for row in rows]
    show_rows((*keys, *columns), lines, right=columns)


def _show_more(rows: Sequence[Row]) -> None:
    """A table for each system: what so many names a cell would tell."""
    from tiltmeter.report.numbers import points

    for system in dict.fromkeys(row["system"] for row in rows):
        mine = [row for row in rows if row["system"] == system]
        whose = mine[0]["population"]
        drawn = f"drawn by lot from {whose}" if whose else "like these, in all their sentences"
        heading(f"What more names would tell{f' of {system}' if system else ''}, {drawn}")
        bounded = any(row["half_width_high"] > row["half_width"] for row in mine)
        most = ("at most",) if bounded else ()
        columns = ("axis", "a cell", "sentences", "interval", *most, "even within", "tilted from")
        cells = [
            (row["shown"], "all" if row["census"] else f"{row['people']:,}",
             f"{row['sentences']:,}", _half(row["half_width"]),
             *((_half(row["half_width_high"]),) if bounded else ()),
             *(points(row[name]) for name in REACH))
            for row in mine
        ]  # fmt: skip
        show_rows(columns, cells, right=columns[1:])


def _half(width: float) -> str:
    """Half an interval; in a census whose words move nothing there is nothing to be unsure of."""
    from tiltmeter.report.numbers import points

    return f"±{points(width)}" if width else "none"


def _whose(row: Row) -> tuple[str, ...]:
    axis = str(row["shown"])
    return (axis,) if row["system"] is None else (str(row["system"]), axis)


def _named_rows(rows: Sequence[Row]) -> list[Row]:
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
        whose = " on ".join(_whose(row))
        within = f"even within {points(row['margin'])} what does not tilt"
        if row["reason"]:
            yield whose, row["reason"]
        elif row["kind"] == NAMES and row["needed_people"]:
            yield whose, f"about {row['needed_people']:,} names a cell show {within}"
        elif row["kind"] == NAMES:
            why = "emotion words add more than it allows"
            yield whose, f"no number of names shows {within}: {why}"


def _manner(found: Plan) -> Iterator[tuple[str, str]]:
    """What the columns are; level, family and power; the spreads assumed."""
    among = "1 claim" if found.family == 1 else f"{found.family:,} claims"
    shared = f"at level {found.level:g} after Bonferroni correction for {among}"
    yield "interval", "half the width of the interval that decides"
    yield "even within", "the margin within which a system without a tilt would be shown even"
    yield "tilted from", "the smallest tilt that would be called tilted, beyond the margin"
    yield "sureness", f"each with {100 * found.power:g} % power, {shared}"
    if found.assumed:
        yield "assumed", f"{_spreads_text(found.assumed)}; name a system to plan with its own"
        return
    if (found.table["sd_high"] > 0).any():
        what = "the spread of people nine times in ten, if these were drawn by lot"
        yield "may be", f"{what}; a list may lack the names that a lexicon knows"
    if found.typical and found.table["system"].n_unique() > 1:
        yield "median", _spreads_text(found.typical)


def _spreads_text(spreads: Spreads) -> str:
    from tiltmeter.report.numbers import points

    named = (
        ("people", spreads.people), ("couples", spreads.couples), ("words", spreads.words),
        ("sentences", spreads.noise), ("emotion words move scores by", spreads.moves),
    )  # fmt: skip
    return f"{', '.join(f'{name} {points(sd)}' for name, sd in named)} points"


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

    check_json_place(json_to)
    how = asking.how()
    if folder and any(table.reading.values()):
        what = "--column, --axis, --language and --encoding say how a table is read"
        raise TiltmeterError(f"{what}, and --from reads none; leave them out")
    drawn = draw.draw()
    if folder and any(one is not None for one in drawn.values()):
        what = "--people, --frames and --weights say who is drawn"
        raise TiltmeterError(f"{what}, and --from has its people; leave them out")
    spreads = None
    given = {"people": sd_people, "couples": sd_couples, "words": sd_words, "noise": sd_noise,
             "moves": moves}  # fmt: skip
    if assumed := {name: sd for name, sd in given.items() if sd is not None}:
        spreads = replace(api.TYPICAL, **assumed)
    found = api.plan(
        list(dict.fromkeys(systems)) if systems else None,
        corpus if folder else opt.corpora_named([corpus], edition, table, drawn)[0],
        folder=folder, margin=margins_said(margin or []),
        spreads=spreads,
        level=level, family=family, power=power,
        **how,
        progress=progress_for(quiet),
    )  # fmt: skip
    give_json(json_to, plan_json(found))
    if not quiet and json_to != STDOUT:
        show_plan(found)
