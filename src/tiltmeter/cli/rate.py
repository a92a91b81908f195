"""`tiltmeter rate`: a rating for each system, with the evidence behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.results import (
    check_places,
    command_line,
    end_incomplete,
    tell_answer,
    tell_files,
)


def rate(
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEM...",
            help="A name from `tiltmeter systems`, a trained model's folder, module:callable, a "
            "URL, a .toml description, or hf:, cmd:, sklearn:, openai: and what follows.",
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Rate stored outputs instead: tables with Gender, Race, Emotion and Sentiment.",
        ),
    ] = None,
    levels: Annotated[
        int | None,
        typer.Option(metavar="L", help="Rate from 1 to L; 3 by default, 2 for one system alone."),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="G,G,…",
            help="Groups of datasets: 1, 2, 3, 4 (all by default), or .toml files of your own.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="K", help="Who gets positive words in groups 2 and 4: 0 to 6."),
    ] = None,
    strength: Annotated[
        float | None,
        typer.Option(metavar="P", help="The share of positive words that k gives; 0.9 as usual."),
    ] = None,
    shares: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Shares of positive words of your own: gender, race, positive."
        ),
    ] = None,
    raw: Annotated[
        str | None,
        typer.Option(metavar="R", help="What groups 2 and 4 are rated on: die (default) or ate."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="corrected (default) or published, as in the paper."),
    ] = None,
    edition: Annotated[
        str | None,
        typer.Option(metavar="EDITION", help="The sentences; by default those of the mode."),
    ] = None,
    discretise: Annotated[
        str,
        typer.Option(metavar="HOW", help="Rate scores split at 0: both (default), yes or no."),
    ] = "both",
    weights: Annotated[
        str | None,
        typer.Option(metavar="W,W,W", help="What a rejection at 95, 70 and 60 % counts."),
    ] = None,
    multiplicity: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Correct t-tests: none (default), bonferroni, holm, bh."),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(metavar="N", help="Draw all anew N times, to tell how sure a rating is."),
    ] = 200,
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A stored ratings.json: rate against its panel, on its terms."
        ),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS[=G1,G2]",
            help="With --scores: a column with people's groups, and which they are; may repeat.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=THEIRS",
            help="With --scores: which column is which, as in sentiment=Score; may repeat.",
        ),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="W,W,…", help="With --scores: further positive words.")
    ] = None,
    negative: Annotated[
        str | None, typer.Option(metavar="W,W,…", help="With --scores: further negative words.")
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --scores: the tables' encoding, if not UTF-8."),
    ] = None,
    task: opt.Task = None,
    output: opt.ReportFolder = Path("tiltmeter-out"),
    force: opt.Force = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the ratings here; - prints."),
    ] = None,
    open_it: opt.OpenIt = False,
    scale: opt.GivenScale = None,
    reuse: opt.Reuse = "missing",
    check: opt.Check = None,
    repeat: opt.Repeat = 1,
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="The seed of everything drawn; 0 by default.")
    ] = None,
    dry_run: opt.DryRun = False,
    time: opt.Time = False,
    max_missing: opt.MaxMissing = 0.01,
    workers: opt.Workers = None,
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
    """Rate systems, 1 to L, by how far their scores depend on who a sentence is about.

    1 is the least tilt among the systems rated, L the most. Groups 1 and 3 test whether gender and
    race move scores; in groups 2 and 4 they also decide which words are said.

    Example: tiltmeter rate textblob vader biased-female random -o out

    Example: tiltmeter rate my_model:score --reference out/ratings.json -o new

    Example: tiltmeter rate --scores results/ --levels 5 -o out

    Example: tiltmeter rate vader textblob --mode published --groups 1,3,mine.toml -o out
    """
    from tiltmeter import flow
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.cli.rate_page import show_ratings
    from tiltmeter.report import ratings_json, unavailable_said

    check_places(output, force, json_to)
    common = opt.how_to_score(
        opt.how_to_open(scale, base_url, trust, parse, temperature),
        task, store, reuse=reuse, repeat=repeat,
        check=check, max_missing=max_missing, workers=workers, sample=None, seed=0,
        engine=engine, ray_address=ray_address, ray_gpus=ray_gpus, shards=shards,
    )  # fmt: skip
    if dry_run:
        _forecast(systems or [], opt.parted(groups), mode, edition, common | {"timed": time})
        return
    done = flow.rate(
        list(dict.fromkeys(systems or ())), results=scores, groups=opt.parted(groups),
        levels=levels, k=k, strength=strength, shares=shares, raw=raw, mode=mode, edition=edition,
        discretise=discretise, weights=_numbers(weights), multiplicity=multiplicity,
        draws=draws, reference=reference, axes=opt.axes_given(axis),
        columns=opt.columns_given(column), positive=opt.parted(positive) or (),
        negative=opt.parted(negative) or (), encoding=encoding, tasks=common["tasks"],
        options=common["options"], store=common["store"], settings=common["settings"], seed=seed,
        progress=progress_for(quiet),
        command=command_line(),
    )  # fmt: skip
    told = unavailable_said(done.run.get("unavailable", ()), rated=True)
    tell_answer(json_to, quiet, lambda: show_ratings(done), told)
    with stages(quiet) as stage:
        page = done.report(output, force=force, stage=stage)
    tell_files(page, json_to, quiet, lambda: ratings_json(done.material))
    if open_it:
        typer.launch(page.resolve().as_uri())
    end_incomplete(done.unavailable)


def _forecast(
    systems: list[str],
    groups: list[str] | None,
    mode: str | None,
    edition: str | None,
    common: dict[str, Any],
) -> None:
    """What would be asked, how long it would take, at what cost."""
    from tiltmeter import flow
    from tiltmeter.cli.score_page import show_forecast
    from tiltmeter.errors import TiltmeterError

    if not systems:
        raise TiltmeterError("--dry-run tells what systems would be asked; name one, as in: vader")
    corpus = flow.rated_sentences(groups, mode, edition)
    show_forecast(flow.forecast(systems, corpus, **common), None)


def _numbers(given: str | None) -> list[float] | None:
    from tiltmeter.errors import TiltmeterError

    try:
        return None if given is None else [float(part) for part in given.split(",")]
    except ValueError:
        what = f"--weights is {given!r}; expected three numbers, as in 1,0.8,0.6"
        raise TiltmeterError(what) from None
