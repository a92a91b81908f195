"""`tiltmeter corpus …`: list, show, export, check, and begin a corpus."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from tiltmeter.cli.help_text import CommandsByHeading

if TYPE_CHECKING:
    from tiltmeter.corpora import Corpus

T = TypeVar("T")

app = typer.Typer(
    help="The sentences: Equity Evaluation Corpora, rating datasets, or your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
    cls=CommandsByHeading,
)

Name = Annotated[str, typer.Argument(metavar="NAME|FILE", help="A corpus by name, or a file.")]
Edition = Annotated[
    str | None,
    typer.Option(metavar="EDITION", help="corrected (default) or published.", show_default=False),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="For a table: which of its columns is which, as in text=Sentence. Others are guessed.",
    ),
]
Axes = Annotated[
    list[str] | None,
    typer.Option(
        "--axis",
        metavar="AXIS[=G1,G2]",
        help="For a table: a column to compare on, and its groups, first minus second.",
    ),
]
Language = Annotated[
    str | None, typer.Option(metavar="CODE", help="For a table: its language, as in en.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="For a table: its encoding, if not UTF-8.")
]
Words = Annotated[
    str | None,
    typer.Option(
        metavar="SET", help="For your own file with [rating]: the set of words of one dataset."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="S", min=0, help="Rating groups 2, 4: draw with this seed.", show_default="0"
    ),
]
Case = Annotated[
    int | None,
    typer.Option(
        "--k", metavar="K", help="Rating groups 2, 4: who gets positive words.", show_default="1"
    ),
]
Strength = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE", help="Rating groups 2, 4: 0.5 (even) to 1 (always).", show_default="0.9"
    ),
]
Shares = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Rating groups 2, 4: your own shares of positive words, by axis, instead of K.",
    ),
]


@app.command("list")
def list_corpora() -> None:
    """List the corpora Tiltmeter knows by name.

    Example: tiltmeter corpus list
    """
    from tiltmeter.cli.corpus_page import show_list

    show_list()


@app.command()
def show(
    name: Name,
    edition: Edition = None,
    column: Columns = None,
    axis: Axes = None,
    language: Language = None,
    encoding: Encoding = None,
    words: Words = None,
    seed: Seed = None,
    k: Case = None,
    strength: Strength = None,
    shares: Shares = None,
) -> None:
    """Show what a corpus compares: axes, groups, counts, templates, provenance, example pairs.

    Example: tiltmeter corpus show eec-es --edition published
    """
    from tiltmeter.cli.corpus_page import show_corpus

    how = {"words": words, "seed": seed, "k": k, "strength": strength, "shares": shares}
    show_corpus(_load(name, edition, column, axis, language, encoding, how))


@app.command()
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
    column: Columns = None,
    axis: Axes = None,
    language: Language = None,
    encoding: Encoding = None,
    words: Words = None,
    seed: Seed = None,
    k: Case = None,
    strength: Strength = None,
    shares: Shares = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")] = False,
) -> None:
    """Write a corpus' sentences, one a row, for your own tools.

    Example: tiltmeter corpus export eec-ar -o eec-ar.parquet
    """
    from tiltmeter.corpora import write_corpus, write_csv
    from tiltmeter.errors import OutputError
    from tiltmeter.reading import is_there

    how = {"words": words, "seed": seed, "k": k, "strength": strength, "shares": shares}
    corpus = _load(name, edition, column, axis, language, encoding, how)
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
    column: Columns = None,
    axis: Axes = None,
    language: Language = None,
    encoding: Encoding = None,
    words: Words = None,
    seed: Seed = None,
    k: Case = None,
    strength: Strength = None,
    shares: Shares = None,
) -> None:
    """Report whether a corpus holds together: balance, repeats, wording, names, review.

    A corpus that cannot be used is an error (exit 2), with everything wrong in it at once. What
    is only worth knowing is a note, and does not fail.

    Example: tiltmeter corpus check eec-ar --edition published
    """
    from tiltmeter.cli.corpus_page import show_check
    from tiltmeter.corpora import check_corpus
    from tiltmeter.writing import check_ending, write_frame

    if output is not None:
        check_ending(output)
    how = {"words": words, "seed": seed, "k": k, "strength": strength, "shares": shares}
    report = check_corpus(_load(name, edition, column, axis, language, encoding, how))
    show_check(report, every=every)
    if output is not None:
        write_frame(report.pairs, output)
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
    column: list[str] | None,
    axis: list[str] | None,
    language: str | None,
    encoding: str | None,
    how: dict[str, Any],
) -> Corpus:
    """The corpus as the options say it is read and, for a rating dataset, drawn."""
    from tiltmeter.corpora import load_corpus

    return load_corpus(
        name,
        edition,
        columns=_once("--column", (_pair(text) for text in column or ())),
        axes=_once("--axis", (_axis(text) for text in axis or ())),
        language=language,
        encoding=encoding,
        **how,
    )


def _once(option: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """The pairs by name; a name given twice is an error, not a choice."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise typer.BadParameter(f"{option} {name} is given twice; say it once")
        found[name] = value
    return found


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    name, _, groups = text.partition("=")
    return name.strip(), tuple(group.strip() for group in groups.split(",") if group.strip())


def _pair(text: str) -> tuple[str, str]:
    ours, equals, theirs = text.partition("=")
    if not equals or not ours.strip() or not theirs.strip():
        raise typer.BadParameter(f"--column takes OURS=THEIRS, as in text=Sentence; found {text!r}")
    return ours.strip(), theirs.strip()
