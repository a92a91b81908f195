"""`tiltmeter score`: get systems' scores of a corpus, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.check_submissions import show_reports, show_set_aside
from tiltmeter.cli.console import end_incomplete, facts, say, show_unavailable, table

if TYPE_CHECKING:
    from tiltmeter.scoring import Scored
    from tiltmeter.scoring.corpus_scores import Run
    from tiltmeter.scoring.forecast import Forecast


NAMED = 3
"""How many systems or files a note names before it only counts the rest."""


def show_run(run: Run) -> None:
    """Print what was asked and found, a row a system, and what is worth knowing of each."""
    from tiltmeter.scoring.provenance import stored_facts

    show_set_aside(run.reports)
    if run.sample:
        say(f"A sample: {run.sample}.")
    rows = [_row(scored) for scored in run.scored]
    columns = ("system", "task", "asked", "stored", "missing", "scale")
    table(columns, rows, right=("asked", "stored", "missing"))
    facts(together((scored.card.name, note) for scored in run.scored for note in scored.remarks))
    show_stored(stored_facts(run.corpus.name, run.scored))
    if run.reports:
        show_reports(run.reports)
    if not sum(scored.asked + scored.check.texts for scored in run.scored):
        say(f"Nothing was asked: {_why_nothing(run)}.")


def show_stored(used: Iterable[Mapping[str, Any]]) -> None:
    """Print how many stored scores were used, of when, and whether they still hold."""
    from datetime import datetime

    from tiltmeter.studies.paired.wording import stored_sentence

    now = datetime.now().astimezone()
    facts(together((str(one["system"]), stored_sentence(one, now)) for one in used))


def _why_nothing(run: Run) -> str:
    known, missing = (sum(getattr(one, n) for one in run.scored) for n in ("known", "missing"))
    if missing and not run.reports:
        return f"as --reuse stored says; {missing:,} sentences have no score"
    return "every score was known already" if known else "no system here needs asking"


def together(notes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Notes with everyone they are true of: `vader, afinn and 3 more`."""
    whose: dict[str, dict[str, None]] = {}
    for name, note in notes:
        whose.setdefault(note, {})[name] = None
    return [(named(list(names)), note) for note, names in whose.items()]


def named(names: Sequence[str], most: int = NAMED) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def _row(scored: Scored) -> tuple[str, ...]:
    resolved = scored.resolved_scale
    scale = f"{resolved.scale}, {resolved.known}" if resolved.scale else "none"
    return (
        scored.card.name, scored.card.task, f"{scored.asked:,}", f"{scored.known:,}",
        f"{scored.missing:,}", scale,
    )  # fmt: skip


def show_forecast(found: list[Forecast], sample: int | None) -> None:
    """Print what scoring would take."""
    if sample is not None:
        say(f"A sample: at most {sample:,} frames.")
    rows = [
        (
            one.system, one.task, f"{one.requests:,}", f"{one.known:,}",
            "unknown" if one.seconds is None else duration(one.seconds),
            _money(one.cost),
        )
        for one in found
    ]  # fmt: skip
    columns = ("system", "task", "new requests", "stored", "time", "cost")
    table(columns, rows, right=columns[2:])
    facts(
        together(
            (one.system, f"for the gate {one.asked_again:,} stored texts are asked again besides")
            for one in found
            if one.asked_again
        )
    )
    say("Nothing was scored: this was a dry run.")


def _money(cost: float) -> str:
    """A cost with two decimals, or two digits where that would hide it.

    >>> _money(0), _money(12.5), _money(0.00864)
    ('0', '12.50', '0.0086')
    """
    if not cost:
        return "0"
    return f"{cost:,.2f}" if cost >= 0.01 else f"{cost:.2g}"


def duration(seconds: float) -> str:
    """Seconds in the unit people read.

    >>> duration(0.2), duration(95), duration(7300)
    ('under 1 s', '2 min', '2.0 h')
    """
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def score(
    systems: opt.SystemSpecs,
    corpus: Annotated[
        str, typer.Option("--corpus", metavar="NAME|FILE", help="The sentences to score.")
    ] = "eec",
    edition: opt.Edition = None,
    *,
    table: opt.TableOptions,
    people: opt.DrawOptions,
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
    systems_in: opt.SystemsIn = None,
    sample: opt.Sample = None,
    seed: Annotated[
        int, typer.Option(metavar="S", help="The seed of people and of the sample.")
    ] = 0,
    dry_run: opt.DryRun = False,
    time: opt.Time = False,
    stream: opt.Stream = None,
    cluster: opt.ClusterOptions,
    asking: opt.AskingOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Score a corpus with one or more systems; what is stored is not asked again.

    Example: tiltmeter score vader textblob --corpus eec -o scores.parquet

    Example: tiltmeter score vader --corpus names-us --people all --dry-run
    """
    from tiltmeter import api
    from tiltmeter.cli.check_submissions import end_checked
    from tiltmeter.cli.progress import progress_for
    from tiltmeter.files import check_ending, write_frame
    from tiltmeter.report.phrases import unavailable_said

    for path in (output, reports):
        if path is not None:
            check_ending(path)
    common = asking.how(systems_in=systems_in, cluster=cluster, sample=sample, seed=seed)
    (loaded,) = opt.corpora_named([corpus], edition, table, people.draw(seed))
    if dry_run:
        if found := api.forecast(systems, loaded, **common, timed=time):
            show_forecast(found, sample)
        end_checked(systems, [loaded], common)
        return
    run = api.score(systems, loaded, **common, stream=stream, progress=progress_for(quiet))
    if reports is not None:
        write_frame(run.files, reports)
    if output is not None:
        write_frame(run.lazy_scores(), output, run.about)
    failed = api.unavailable_in([run])
    show_unavailable(unavailable_said(api.unavailable_facts(failed)), to_errors=quiet)
    if not quiet:
        show_run(run)
        if output is not None:
            part = f" (a sample: {run.sample})" if run.sample else ""
            many = sum(run.size * scored.repeats for scored in run.scored)
            typer.echo(f"{many:,} scores written to {output}{part}", err=True)
    end_incomplete(failed)
