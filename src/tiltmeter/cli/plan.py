"""`tiltmeter plan`: what tilt a corpus can show or rule out, and what more names would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt

if TYPE_CHECKING:
    from tiltmeter.flow import Plan
    from tiltmeter.measures import Spreads

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
    people: opt.People = None,
    frames: opt.Frames = None,
    weights: opt.Weights = None,
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
    column: opt.Columns = None,
    axis: opt.Axes = None,
    language: opt.Language = None,
    encoding: opt.Encoding = None,
    task: opt.Task = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the plan as JSON; - prints."),
    ] = None,
    scale: opt.GivenScale = None,
    reuse: opt.Reuse = "missing",
    check: opt.Check = None,
    repeat: opt.Repeat = 1,
    max_missing: opt.MaxMissing = 0.01,
    workers: opt.Workers = None,
    store: opt.StoreAt = None,
    base_url: opt.BaseUrl = None,
    parse: opt.Parse = None,
    temperature: opt.Temperature = None,
    trust: opt.Trust = None,
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
    from tiltmeter import flow
    from tiltmeter.cli.margins import margins_said
    from tiltmeter.cli.progress import progress_for
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.files import check_place

    if json_to not in (None, STDOUT):
        check_place(Path(str(json_to)))
    common = opt.how_to_score(
        opt.how_to_open(scale, base_url, trust, parse, temperature),
        task, store, reuse=reuse, repeat=repeat,
        check=check, max_missing=max_missing, workers=workers, sample=None, seed=0,
    )  # fmt: skip
    reading = opt.how_to_read(column, axis, language, encoding)
    if folder and any(reading.values()):
        what = "--column, --axis, --language and --encoding say how a table is read"
        raise TiltmeterError(f"{what}, and --from reads none; leave them out")
    draw = opt.how_to_draw(people, frames, weights)
    if folder and any(one is not None for one in draw.values()):
        what = "--people, --frames and --weights say who is drawn"
        raise TiltmeterError(f"{what}, and --from has its people; leave them out")
    found = flow.plan(
        list(dict.fromkeys(systems)) if systems else None,
        corpus if folder else opt.corpora_named([corpus], edition, reading, draw)[0],
        folder=folder, margin=margins_said(margin or []),
        spreads=_spreads(sd_people, sd_couples, sd_words, sd_noise, moves),
        level=level, family=family, power=power,
        **{name: common[name] for name in ("tasks", "options", "store", "settings")},
        progress=progress_for(quiet),
    )  # fmt: skip
    _give(found, json_to, quiet)


def _spreads(*given: float | None) -> Spreads | None:
    """The standard deviations assumed, the typical ones where none is given."""
    from dataclasses import astuple

    from tiltmeter.flow import TYPICAL
    from tiltmeter.measures import Spreads

    if all(one is None for one in given):
        return None
    usual = astuple(TYPICAL)
    return Spreads(*(old if new is None else new for new, old in zip(given, usual, strict=True)))


def _give(found: Plan, json_to: str | None, quiet: bool) -> None:
    """Print it, write it, or both, as was asked for."""
    from tiltmeter.cli.plan_page import plan_json, show_plan
    from tiltmeter.files import write_text

    if json_to == STDOUT:
        typer.echo(plan_json(found), nl=False)
    elif json_to:
        write_text(plan_json(found), Path(json_to))
    if not quiet and json_to != STDOUT:
        show_plan(found)
