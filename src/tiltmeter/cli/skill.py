"""`tiltmeter skill`: how well systems agree with gold scores, and for whom."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt

if TYPE_CHECKING:
    from tiltmeter.flow import Skill

STDOUT = "-"


def skill(
    systems: opt.SystemSpecs,
    gold: Annotated[
        Path,
        typer.Option(metavar="FILE|DIR", help="Labelled texts: ID or text, score, other columns."),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of the gold with each text's group: its authors, dialect or topic.",
        ),
    ] = None,
    language: Annotated[
        str,
        typer.Option(metavar="CODE", help="en, es or ar, where SemEval's files are in several."),
    ] = "",
    task: opt.Task = None,
    level: Annotated[
        float, typer.Option(metavar="P", help="0.05 gives 95 % intervals, 0.01 gives 99 %.")
    ] = 0.05,
    resamples: Annotated[
        int, typer.Option(metavar="N", help="How often the texts are drawn again.")
    ] = 2_000,
    family: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Correct for N differences; default: all that a measure has."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the resamples.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE",
            help="Write every number, a row each (.csv, .tsv, .jsonl, .parquet).",
        ),
    ] = None,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write it as JSON; - prints."),
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
) -> None:  # fmt: skip
    """State how well systems agree with labelled texts, and for whom.

    Pearson, Spearman and mean absolute error, each with a bootstrap interval. With --by also for
    each group of texts, with the difference between groups and its interval.

    Example: tiltmeter skill vader textblob --gold gold.csv --by dialect

    Example: tiltmeter skill submissions/ --gold gold/ -o skill.csv
    """
    from tiltmeter import flow
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.files import check_ending, check_place

    if output is not None:
        check_ending(output)
        check_place(output)
    if json_to not in (None, STDOUT):
        check_place(Path(json_to))
    common = opt.how_to_score(
        opt.how_to_open(scale, base_url, trust, parse, temperature),
        task, store, reuse=reuse, repeat=repeat,
        check=check, max_missing=max_missing, workers=workers, sample=None, seed=seed,
    )  # fmt: skip
    del common["sample"]
    with stages(quiet) as stage:
        found = flow.skill(
            list(dict.fromkeys(systems)), gold, by=by, language=language, level=level,
            resamples=resamples, family=family, **common, progress=progress_for(quiet), stage=stage,
        )  # fmt: skip
    _give(found, output, json_to, quiet)


def _give(found: Skill, output: Path | None, json_to: str | None, quiet: bool) -> None:
    """Print it, write it, or both, as was asked for."""
    from tiltmeter.cli.skill_page import show_skill, skill_json
    from tiltmeter.files import write_frame, write_text

    if json_to == STDOUT:
        typer.echo(skill_json(found), nl=False)
    elif json_to:
        write_text(skill_json(found), Path(json_to))
    if not quiet and json_to != STDOUT:
        show_skill(found)
    if output is not None:
        write_frame(found.table, output)
        if not quiet:
            typer.echo(f"{found.table.height:,} numbers written to {output}", err=True)
