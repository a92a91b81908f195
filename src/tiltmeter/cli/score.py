"""`tiltmeter score`: get systems' scores of a corpus, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

SystemSpecs = Annotated[
    list[str],
    typer.Argument(
        metavar="SYSTEM...",
        help="A name from `tiltmeter systems`, a file or folder of scores, module:callable, "
        "a URL, a .toml description, or hf:, cmd:, sklearn:, openai: and what follows.",
    ),
]


def score(
    systems: SystemSpecs,
    corpus: Annotated[
        str, typer.Option("--corpus", metavar="NAME|FILE", help="The sentences to score.")
    ] = "eec",
    edition: Annotated[
        str | None, typer.Option(metavar="EDITION", help="corrected (default) or published.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the scores (.parquet, .csv, .tsv, .jsonl).",
        ),
    ] = None,
    reports: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For files of scores: write what each held, matched, missed and doubled.",
        ),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="valence, anger, fear, joy or sadness; may repeat."),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(metavar="LOW:HIGH", help="The systems' scale, where they do not say it."),
    ] = None,
    reuse: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="missing: ask what is not stored; never: ask all anew; stored: ask nothing.",
        ),
    ] = "missing",
    repeat: Annotated[
        int, typer.Option(metavar="N", help="Ask each text N times, to see how answers vary.")
    ] = 1,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", help="Only N whole frames, drawn evenly over the templates."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the sample.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked, how long, at what cost.")
    ] = False,
    max_missing: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Stop when more than this share has no score."),
    ] = 0.01,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="How many side by side; default: the cores.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where scores are kept; default: $TILTMETER_STORE."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="For openai: where the server stands.")
    ] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE", help="For sklearn: a type the file may hold; may repeat."),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")] = False,
) -> None:
    """Score a corpus with one or more systems; what is stored is not asked again.

    Example: tiltmeter score vader textblob --corpus eec -o scores.parquet
    """
    from tiltmeter import flow
    from tiltmeter.cli.progress import progress_for
    from tiltmeter.cli.score_page import show_forecast, show_run
    from tiltmeter.corpora import load_corpus
    from tiltmeter.scoring import Settings
    from tiltmeter.systems import Options, check_task, parse_scale
    from tiltmeter.writing import check_ending, write_frame

    for path in (output, reports):
        if path is not None:
            check_ending(path)
    given = parse_scale(scale) if scale else None
    wanted = [name for name in (check_task(name) for name in task or ()) if name]
    common: dict[str, Any] = {
        "tasks": wanted,
        "options": Options(scale=given, base_url=base_url, trust=tuple(trust or ())),
        "store": store,
        "settings": Settings(cast("Any", reuse), repeat, max_missing, workers, given),
        "sample": sample,
        "seed": seed,
    }
    loaded = load_corpus(corpus, edition)
    if dry_run:
        show_forecast(flow.forecast(systems, loaded, **common), sample)
        return
    run = flow.score(systems, loaded, **common, progress=progress_for(quiet))
    if not quiet:
        show_run(run)
    if reports is not None:
        write_frame(run.files, reports)
    if output is not None:
        write_frame(run.scores, output, run.about)
        if not quiet:
            part = f" (a sample: {run.sample})" if run.sample else ""
            typer.echo(f"{run.scores.height:,} scores written to {output}{part}", err=True)
