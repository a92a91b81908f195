"""`tiltmeter try`: one sentence, two people, both scores, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import (
    STDOUT,
    check_json_place,
    end_incomplete,
    give_json,
    say,
    show_unavailable,
    table,
    visible,
)

if TYPE_CHECKING:
    from tiltmeter.scoring.trial import Trial, Tried
    from tiltmeter.systems import Missing


def show_trial(trial: Trial) -> None:
    """Print the variants and everyone's scores: one system's under each other, several in one."""
    if trial.braced:
        say(visible(f"Swapped: {trial.braced}"))
        say()
    if len(trial.tried) == 1:
        show_tried(trial.tried[0])
        _show_notes(trial)
        return
    for nth, text in enumerate(trial.texts, 1):
        say(visible(f"{nth}  {text}"))
    say()
    numbers = [str(nth) for nth in range(1, len(trial.texts) + 1)]
    rows = [
        (one.card.name, _scale(one), *(_scores(one, answer)[0] for answer in one.answers))
        for one in trial.tried
    ]
    table(("system", "scale", *numbers), rows, right=numbers)
    for one in trial.tried:
        for line in _differences(one):
            say(visible(f"{one.card.name}: {line}"))
    _show_notes(trial)


def _show_notes(trial: Trial) -> None:
    for tried in trial.tried:
        if tried.note:
            say(visible(f"{tried.card.name} {tried.note}"))


def _scale(tried: Tried) -> str:
    return f"{tried.scale}, {tried.resolved_scale.known}" if tried.scale else "none known"


def show_tried(tried: Tried) -> None:
    """Print the variants under each other, with their scores and what lies between them."""
    how = ", inferred" if tried.resolved_scale.known != "declared" else ""
    on = f", scale {tried.scale}{how}" if tried.scale else ", no known scale"
    say(visible(f"{tried.card.name} ({tried.card.task}{on})"), style="bold")
    columns = ("sentence", "score", "of 100") if tried.scale else ("sentence", "score")
    rows = [
        (text, *_scores(tried, answer))
        for text, answer in zip(tried.texts, tried.answers, strict=True)
    ]
    table(columns, rows, right=columns[1:])
    for line in _differences(tried):
        say(visible(line))
    say()


def _scores(tried: Tried, answer: float | Missing) -> tuple[str, ...]:
    """The answer as given, and on a scale of 100 where its scale is known."""
    from tiltmeter.report.numbers import short

    native = _number(answer)
    if native is None:
        return ("–", "–") if tried.scale else ("–",)
    given = short(native, 3)
    return (given, short(100 * tried.scale.to_unit(native), 3)) if tried.scale else (given,)


def _differences(tried: Tried) -> list[str]:
    """Every later variant against the first, in words."""
    from tiltmeter.report.numbers import points, short
    from tiltmeter.systems import Missing

    first, *rest = zip(tried.words, tried.answers, strict=True)
    lines = []
    for words, answer in rest:
        one, other = first[1], answer
        if isinstance(one, Missing) or isinstance(other, Missing):
            reasons = (side.reason for side in (one, other) if isinstance(side, Missing))
            lines.append(f"No score to compare: {next(reasons)}")
            continue
        gap = one - other
        if not gap:
            lines.append(f"The same score with “{first[0]}” and “{words}”.")
            continue
        more, less = (first[0], words) if gap > 0 else (words, first[0])
        size = (
            f"{points(abs(gap) / tried.scale.width)} points of 100"
            if tried.scale
            else f"{short(abs(gap))} of its own units"
        )
        lines.append(f"{size} higher with “{more}” than with “{less}”.")
    return lines


def _number(answer: float | Missing) -> float | None:
    return answer if isinstance(answer, float | int) else None


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
    *,
    opening: opt.SystemOptions,
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

    from tiltmeter import api
    from tiltmeter.systems import check_task

    check_json_place(json_to)
    options = opening.opening()
    if task:
        options = replace(options, task=check_task(task))
    trial = api.try_systems(systems, sentence, options)
    if json_to is not None:
        from tiltmeter.report.json_files import json_line

        give_json(json_to, json_line(trial.to_dict()) + "\n")
    said = [f"{one.system} {one.why}." for one in trial.unavailable]
    show_unavailable(said, to_errors=json_to == STDOUT)
    if json_to != STDOUT:
        show_trial(trial)
    end_incomplete(trial.unavailable)
