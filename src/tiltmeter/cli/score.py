"""`tiltmeter score`: get systems' scores of a corpus, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.results import end_incomplete, show_unavailable


def score(
    systems: opt.SystemSpecs,
    corpus: Annotated[
        str, typer.Option("--corpus", metavar="NAME|FILE", help="The sentences to score.")
    ] = "eec",
    edition: opt.Edition = None,
    column: opt.Columns = None,
    axis: opt.Axes = None,
    language: opt.Language = None,
    encoding: opt.Encoding = None,
    people: opt.People = None,
    frames: opt.Frames = None,
    weights: opt.Weights = None,
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
    task: opt.Task = None,
    systems_in: opt.SystemsIn = None,
    scale: opt.GivenScale = None,
    reuse: opt.Reuse = "missing",
    check: opt.Check = None,
    repeat: opt.Repeat = 1,
    sample: opt.Sample = None,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The seed of people and of the sample.")
    ] = 0,
    dry_run: opt.DryRun = False,
    time: opt.Time = False,
    max_missing: opt.MaxMissing = 0.01,
    workers: opt.Workers = None,
    stream: opt.Stream = None,
    engine: opt.Engine = "local",
    ray_address: opt.RayAddress = None,
    ray_gpus: opt.RayGpus = 0.0,
    shards: opt.Shards = None,
    store: opt.StoreAt = None,
    base_url: opt.BaseUrl = None,
    parse: opt.Parse = None,
    temperature: opt.Temperature = None,
    trust: opt.Trust = None,
    quiet: opt.Quiet = False,
) -> None:
    """Score a corpus with one or more systems; what is stored is not asked again.

    Example: tiltmeter score vader textblob --corpus eec -o scores.parquet

    Example: tiltmeter score vader --corpus names-us --people all --dry-run
    """
    from tiltmeter import flow
    from tiltmeter.cli.check_submissions import end_checked
    from tiltmeter.cli.progress import progress_for
    from tiltmeter.cli.score_page import show_forecast, show_run
    from tiltmeter.files import check_ending, write_frame
    from tiltmeter.report import unavailable_said

    for path in (output, reports):
        if path is not None:
            check_ending(path)
    common = opt.how_to_score(
        opt.how_to_open(scale, base_url, trust, parse, temperature),
        task, store, reuse=reuse, repeat=repeat,
        check=check, max_missing=max_missing, workers=workers, sample=sample, seed=seed,
        engine=engine, ray_address=ray_address, ray_gpus=ray_gpus, shards=shards,
    )  # fmt: skip
    common = opt.with_systems_in(common, systems_in)
    reading = opt.how_to_read(column, axis, language, encoding)
    draw = opt.how_to_draw(people, frames, weights, seed)
    (loaded,) = opt.corpora_named([corpus], edition, reading, draw)
    if dry_run:
        if found := flow.forecast(systems, loaded, **common, timed=time):
            show_forecast(found, sample)
        end_checked(systems, [loaded], common)
        return
    run = flow.score(systems, loaded, **common, stream=stream, progress=progress_for(quiet))
    failed = flow.unavailable_in([run])
    show_unavailable(unavailable_said(flow.unavailable_facts(failed)), to_errors=quiet)
    if not quiet:
        show_run(run)
    if reports is not None:
        write_frame(run.files, reports)
    if output is not None:
        write_frame(run.lazy_scores(), output, run.about)
        if not quiet:
            part = f" (a sample: {run.sample})" if run.sample else ""
            many = sum(run.size * scored.repeats for scored in run.scored)
            typer.echo(f"{many:,} scores written to {output}{part}", err=True)
    end_incomplete(failed)
