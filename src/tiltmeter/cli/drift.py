"""`tiltmeter drift`: a system asked again and compared with a stored baseline."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.compare import Margin, Undecided, show_changes
from tiltmeter.cli.console import check_places, command_line, print_results, say, visible

if TYPE_CHECKING:
    from tiltmeter.studies.versions.drift import Drift


def show_drift(done: Drift) -> None:
    """Print what is known of the version first, then the verdict and what it rests on."""
    from tiltmeter.studies.versions.wording import answers_sentence, drift_answer

    for note in done.notes:
        say(visible(f"{note}."))
    say(visible(drift_answer(done.verdict, done.answers, done.changes)), style="bold")
    for row in done.answers.to_dicts():
        say(visible(answers_sentence(row)))
    show_changes(done.changes, done.phrases)


def drift(
    baseline: Annotated[
        Path, typer.Argument(metavar="BASELINE", help="An audit's folder (audit … -o BASELINE).")
    ],
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="SYSTEM",
            help="What is asked again, as for `tiltmeter audit`; by default the baseline's own, "
            "if it is a packaged one such as vader.",
        ),
    ] = None,
    called: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="What the baseline calls it, if it has several."),
    ] = None,
    margin: Margin = None,
    level: Annotated[
        float, typer.Option(metavar="P", help="How often any verdict may be false.")
    ] = 0.05,
    sample: opt.Sample = None,
    repeat: Annotated[
        int, typer.Option(metavar="N", help="Ask each text N times; two tell noise from drift.")
    ] = 2,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 where it drifted, 3 where undecided.")
    ] = False,
    undecided: Undecided = "fail",
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the page goes.")
    ] = Path("tiltmeter-drift"),
    force: opt.Force = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the results here; - prints."),
    ] = None,
    open_it: opt.OpenIt = False,
    *,
    check: opt.Check = None,
    max_missing: opt.MaxMissing = 0.01,
    workers: opt.Workers = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of --sample.")] = 0,
    store: opt.StoreAt = None,
    opening: opt.SystemOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Ask a system again: whether it still answers as in a stored audit.

    Stored answers are not used. Each text is asked twice, so that the system's own noise is told
    from drift; the new answers go into the output folder, not into the store.

    Example: tiltmeter drift baseline/ service.toml --sample 20 --gate -o drift

    Example: tiltmeter drift baseline/ vader --repeat 3 --margin 0.02

    Example: tiltmeter drift baseline/ my_model:score --as score --json -
    """
    from tiltmeter import api
    from tiltmeter.cli.options import margins_said
    from tiltmeter.cli.progress import progress_for
    from tiltmeter.studies.versions.notes import check_apart, passes

    check_places(output, force, json_to)
    check_apart(output, (baseline,))
    passes(undecided)
    asking = opt.AskingOptions(
        **asdict(opening), check=check, repeat=repeat, max_missing=max_missing, workers=workers,
        store=store,
    )  # fmt: skip
    how = asking.how()
    del how["tasks"]  # a baseline has its own
    done = api.drift(
        baseline, system, of=called, margin=margins_said(margin or []), level=level, sample=sample,
        seed=seed, **how, progress=progress_for(quiet), command=command_line(),
    )  # fmt: skip
    page = done.report(output, force=force)
    print_results(
        page, json_to, quiet, lambda: show_drift(done), lambda: done.document()[1], open_it=open_it
    )
    if gate and (code := done.gate(undecided).exit_code):
        raise typer.Exit(code)
