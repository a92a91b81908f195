"""`tiltmeter check-submissions`: files of scores looked through before they are handed in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.results import STDOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tiltmeter.corpora import Corpus

WRONG = 2
"""The exit code where any file has a problem."""


def check_submissions(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE|FOLDER...", help="Files of scores, or folders of them."),
    ],
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="NAME|FILE", help="The sentences; may repeat."),
    ] = None,
    edition: opt.Edition = None,
    column: opt.Columns = None,
    axis: opt.Axes = None,
    language: opt.Language = None,
    encoding: opt.Encoding = None,
    task: opt.Task = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR", help="Labelled texts, which the files must hold scores of too."
        ),
    ] = None,
    scale: opt.GivenScale = None,
    systems_in: opt.SystemsIn = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write what was found; - prints."),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Check files of scores before they are handed in or audited: what each holds, what is wrong.

    Reads them as `tiltmeter audit` would. No system is asked and nothing is written. Ends with 2
    where any file has a problem: it cannot be used, sentences without a score, scores that are all
    the same, outside --scale or upside down, and with --gold labelled texts without a score.

    Example: tiltmeter check-submissions EI-reg_en_anger_pred.txt

    Example: tiltmeter check-submissions submissions/ --gold gold/ --scale 0:1

    Example: tiltmeter check-submissions submissions/ --corpus Equity-Evaluation-Corpus.csv --json -
    """
    from tiltmeter.systems import check_task

    reading = opt.how_to_read(column, axis, language, encoding)
    corpora = opt.corpora_named(corpus or ["eec"], edition, reading)
    tasks = [name for name in map(check_task, task or ()) if name]
    said = {"tasks": tasks, "options": opt.how_to_open(scale, None, None), "gold": gold}
    said = opt.with_systems_in(said, systems_in)
    if not checked(files, corpora, said, json_to, quiet=quiet):
        raise typer.Exit(WRONG)


def checked(
    files: Sequence[Path],
    corpora: Sequence[Corpus],
    said: dict[str, Any],
    json_to: str | None = None,
    *,
    quiet: bool = False,
) -> bool:
    """Whether nothing is wrong with files of scores for any corpus; says what is."""
    from tiltmeter import flow
    from tiltmeter.cli.files_page import show_check
    from tiltmeter.files import check_place, write_text

    if json_to not in (None, STDOUT):
        check_place(Path(json_to))
    found = [flow.check_submissions(files, corpus, **said) for corpus in corpora]
    facts = {"checks": [check.facts for check in found]}
    told = json.dumps(facts, ensure_ascii=False, indent=2) + "\n"
    if json_to == STDOUT:
        typer.echo(told, nl=False)
    elif json_to:
        write_text(told, Path(json_to))
    for check in found if not quiet and json_to != STDOUT else ():
        show_check(check, check.corpus if len(found) > 1 else "")
    return not any(check.wrong for check in found)


def end_checked(
    systems: Sequence[str],
    corpora: Sequence[Corpus],
    common: dict[str, Any],
    gold: Path | None = None,
) -> None:
    """A dry run's look through the files of scores among the systems; what is wrong ends it."""
    from tiltmeter.cli.console import say
    from tiltmeter.systems import is_scores

    files = [Path(spec) for spec in dict.fromkeys(systems) if is_scores(spec)]
    if not files:
        return
    said = {"tasks": common["tasks"], "options": common["options"], "gold": gold}
    sound = checked(files, corpora, said)
    if len(files) == len(set(systems)):  # else the forecast has said so
        say("Nothing was scored: this was a dry run.")
    if not sound:
        raise typer.Exit(WRONG)
