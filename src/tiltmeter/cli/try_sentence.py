"""`tiltmeter try`: one sentence, two people, both scores, at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.results import STDOUT, end_incomplete, show_unavailable


def try_sentence(
    systems: opt.SystemSpecs,
    sentence: Annotated[
        str,
        typer.Argument(
            metavar="SENTENCE",
            help="The last word of the command. What changes stands in braces, 'My "
            "{sister|brother} sings.'; without braces women and men are swapped, where that can be "
            "done in one way only.",
        ),
    ],
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="valence, anger, fear, joy or sadness.")
    ] = None,
    scale: opt.GivenScale = None,
    base_url: opt.BaseUrl = None,
    parse: opt.Parse = None,
    temperature: opt.Temperature = None,
    trust: opt.Trust = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the scores here; - prints."),
    ] = None,
) -> None:
    """Score one sentence about two people and show the difference; nothing is stored.

    Several braces change together: '{She|He} lost {her|his} keys.' makes two sentences.

    Example: tiltmeter try vader textblob "She feels happy."

    Example: tiltmeter try vader "My {sister|brother} feels angry."
    """
    from dataclasses import replace

    from tiltmeter import flow
    from tiltmeter.cli.try_page import show_trial
    from tiltmeter.files import check_place, write_text
    from tiltmeter.systems import check_task

    if json_to not in (None, STDOUT):
        check_place(Path(str(json_to)))
    options = opt.how_to_open(scale, base_url, trust, parse, temperature)
    if task:
        options = replace(options, task=check_task(task))
    trial = flow.try_systems(systems, sentence, options)
    if json_to is not None:
        from tiltmeter.report import json_line

        told = json_line(trial.told())
        if json_to == STDOUT:
            typer.echo(told)
        else:
            write_text(told + "\n", Path(json_to))
    said = [f"{one.system} {one.why}." for one in trial.unavailable]
    show_unavailable(said, to_errors=json_to == STDOUT)
    if json_to != STDOUT:
        show_trial(trial)
    end_incomplete(trial.unavailable)
