"""`tiltmeter corpus …`: list, show, export, check, and begin a corpus."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.help_text import CommandsByHeading

if TYPE_CHECKING:
    from tiltmeter.corpora import Corpus


app = typer.Typer(
    help="The sentences: Equity Evaluation Corpora, names of a population, rating datasets, "
    "or your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=CommandsByHeading,
)

Name = Annotated[str, typer.Argument(metavar="NAME|FILE", help="A corpus by name, or a file.")]
Edition = Annotated[
    str | None,
    typer.Option(metavar="EDITION", help="corrected (default) or published.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class RatingDataOptions:
    """How a dataset of the rating is drawn."""

    words: Annotated[
        str | None,
        typer.Option(
            metavar="SET", help="For your own file with [rating]: the set of words of one dataset."
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="S",
            min=0,
            show_default="0",
            help="Populations and rating groups 2, 4: draw with this seed.",
        ),
    ] = None
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            metavar="K",
            show_default="1",
            help="Rating groups 2, 4: who gets positive words.",
        ),
    ] = None
    strength: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            show_default="0.9",
            help="Rating groups 2, 4: 0.5 (even) to 1 (always).",
        ),
    ] = None
    shares: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Rating groups 2, 4: your own shares of positive words, by axis, instead of K.",
        ),
    ] = None


@app.command("list")
def list_corpora() -> None:
    """List the corpora Tiltmeter knows by name.

    Example: tiltmeter corpus list
    """
    from tiltmeter.cli.corpus_page import show_list

    show_list()


@app.command()
@opt.with_groups
def show(
    name: Name,
    edition: Edition = None,
    *,
    table: opt.TableOptions,
    draw: opt.DrawOptions,
    rating: RatingDataOptions,
) -> None:
    """Show what a corpus compares: axes, groups, counts, templates, provenance, example pairs.

    Example: tiltmeter corpus show eec-es --edition published

    Example: tiltmeter corpus show names-us --people 600
    """
    from tiltmeter.cli.corpus_page import show_corpus

    show_corpus(_load(name, edition, table, draw, rating))


@app.command()
@opt.with_groups
def export(
    name: Name,
    edition: Edition = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A .csv, .tsv, .jsonl or .parquet file; CSV to standard output without it.",
        ),
    ] = None,
    *,
    table: opt.TableOptions,
    draw: opt.DrawOptions,
    rating: RatingDataOptions,
    quiet: opt.Quiet = False,
) -> None:
    """Write a corpus' sentences, one a row, for your own tools.

    Example: tiltmeter corpus export eec-ar -o eec-ar.parquet

    Example: tiltmeter corpus export names-us --people 50 -o names.csv
    """
    from tiltmeter.corpora import write_corpus, write_csv
    from tiltmeter.errors import OutputError
    from tiltmeter.files import is_there

    corpus = _load(name, edition, table, draw, rating)
    if output is not None and is_there(output) and is_there(name) and output.samefile(name):
        raise OutputError(f"{output} is the corpus' own file, and the export would replace it")
    if output is None:
        guarded = write_csv(corpus, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        guarded = write_corpus(corpus, output)
        if not quiet:
            typer.echo(f"{corpus.size:,} sentences written to {output}", err=True)
    if guarded and not quiet:
        kept = "JSONL and Parquet hold them as they are"
        what = f"{guarded:,} texts have ' before them, so that no spreadsheet computes them"
        typer.echo(f"{what}; {kept}", err=True)


@app.command()
@opt.with_groups
def check(
    name: Name,
    edition: Edition = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the pairs that differ by more than the person, in any format of export.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Print all such pairs, not only the first.")
    ] = False,
    *,
    table: opt.TableOptions,
    draw: opt.DrawOptions,
    rating: RatingDataOptions,
) -> None:
    """Report whether a corpus holds together: balance, repeats, wording, names, review.

    A corpus that cannot be used is an error (exit 2), with everything wrong in it at once. What
    is only worth knowing is a note, and does not fail.

    Example: tiltmeter corpus check eec-ar --edition published
    """
    from tiltmeter.cli.corpus_page import show_check
    from tiltmeter.corpora import check_corpus
    from tiltmeter.files import check_ending, write_frame

    if output is not None:
        check_ending(output)
    report = check_corpus(_load(name, edition, table, draw, rating))
    if output is not None:
        write_frame(report.pairs, output)
    show_check(report, every=every)
    if output is not None:
        typer.echo(f"{report.pairs.height:,} pairs written to {output}", err=True)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a small commented corpus to start your own from.

    Example: tiltmeter corpus new mine.toml
    """
    from tiltmeter.corpora import write_starter

    write_starter(file, force=force)
    typer.echo(f"{file} written; edit it, then: tiltmeter corpus check {file}", err=True)


def _load(
    name: str,
    edition: str | None,
    table: opt.TableOptions,
    draw: opt.DrawOptions,
    rating: RatingDataOptions,
) -> Corpus:
    """The corpus as the options say it is read and drawn."""
    from tiltmeter.corpora import load_corpus

    return load_corpus(name, edition, **table.reading, **asdict(rating), **draw.draw())
