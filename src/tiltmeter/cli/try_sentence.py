"""`tiltmeter try`: one sentence, two people, both scores, at once."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltmeter.cli import options as opt


def try_sentence(
    systems: opt.SystemSpecs,
    sentence: Annotated[
        str,
        typer.Argument(
            metavar="SENTENCE", help="With what changes in braces: 'My {sister|brother} sings.'"
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
) -> None:
    """Score the variants of one sentence and show the difference; nothing is stored.

    Several braces change together: '{She|He} lost {her|his} keys.' makes two sentences.

    Example: tiltmeter try vader "My {sister|brother} feels angry."
    """
    from dataclasses import replace

    from tiltmeter import flow
    from tiltmeter.cli.try_page import show_tried
    from tiltmeter.systems import check_task

    options = opt.how_to_open(scale, base_url, trust, parse, temperature)
    if task:
        options = replace(options, task=check_task(task))
    for spec in systems:
        show_tried(flow.try_sentence(spec, sentence, options))
