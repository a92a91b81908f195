"""`tiltmeter reproduce`: train what the papers audited, audit it, put both side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import command_line
from tiltmeter.errors import IncompleteError


def reproduce(
    data: Annotated[
        Path, typer.Option(metavar="DIR", help="A folder with SemEval-2018's own files.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Only these systems; all that run here if none."),
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where everything goes.")
    ] = Path("reproduction"),
    language: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Only en, es or ar; may repeat.")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(metavar="TASK", help="Only this task; may repeat.")
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE=FILE",
            help="Word vectors for a language; may repeat. Default: GloVe for en; es and ar: made "
            "of the training tweets.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The seed of the fits.")] = 0,
    store: opt.StoreAt = None,
    quiet: opt.Quiet = False,
) -> None:
    """Train and audit the papers' systems; compare with the papers.

    Every model is audited on the Equity Evaluation Corpora of its language. The page,
    results.html, says what was found and where it differs from the papers and why. Takes minutes
    and can be stopped at any time: run again, it goes on where it was.

    Example: tiltmeter reproduce --data semeval2018 -o reproduction

    Example: tiltmeter reproduce svm-tfidf --language en --data semeval2018
    """
    from tiltmeter import api
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.cli.train import GridLines, by_language, show_skill

    with stages(quiet) as stage:
        found = api.reproduce(
            data, output, recipes=names or [], languages=language or [], tasks=task or [],
            vectors=by_language(vectors or []), seed=seed, store=store, stage=stage,
            watch=GridLines(stage, quiet), progress=progress_for(quiet),
            command=command_line(),
        )  # fmt: skip
    if quiet:
        return
    show_skill(found.skill, found.published)
    for missing in (*found.left_out, *found.failed):
        typer.echo(f"Not trained here: {missing}")
    typer.echo(f"The results are in {output / 'results.html'}")
    if found.failed:
        raise IncompleteError(f"{len(found.failed)} models could not be trained; see above")
