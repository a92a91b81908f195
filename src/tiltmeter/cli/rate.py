"""`tiltmeter rate`: a rating for each system, with the evidence behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import (
    check_places,
    command_line,
    end_incomplete,
    facts,
    heading,
    print_results,
    say,
    show_rest,
    table,
)
from tiltmeter.cli.score import show_forecast, show_stored
from tiltmeter.errors import TiltmeterError

if TYPE_CHECKING:
    from tiltmeter.studies.rating.study import Ratings, SystemRatings

Row = Mapping[str, Any]
SHOWN, NAMED = 20, 5
"""Systems a table lists before it only counts the rest, and a sentence does."""
TITLES = {
    "continuous": "Ratings from scores as given",
    "discretised": "Ratings from scores split at 0",
}


def show_ratings(study: Ratings) -> None:
    """Print a table for each variant and task, then what is worth knowing."""
    from tiltmeter.studies.rating.wording import column_words

    several = study.overall["task"].n_unique() > 1
    rated = {(one.system, one.task): one.variants for one in study.systems}
    heading("What is rated")
    facts((name, column_words(row)) for name, row in study.column_rows.items())
    for (variant, task), part in study.overall.group_by("variant", "task", maintain_order=True):
        title = TITLES.get(str(variant), str(variant))
        heading(f"{title}: {task}" if several else title)
        show_table([rated[system, str(task)][str(variant)] for system in part["system"]])
    say()
    for line in legend(study):
        say(line)
    facts(("", note) for note in study.notes)
    show_stored(study.environment.get("stored_scores", ()))


def show_table(rated: list[SystemRatings]) -> None:
    """A row for each system, what is surely tilted last; only some of many."""
    from tiltmeter.ranking import coarsen
    from tiltmeter.studies.rating.wording import DOUBT, may_be_chance

    def grade(row: Row, rating: int | None, *, doubt: bool) -> str:
        """A rating, a mark where it may be chance, and what repeats span where that is not one."""
        if rating is None:
            return "–"
        shown = f"{rating}{DOUBT if doubt else ''}"
        low, high = row["low"], row["high"]
        return shown if low is None or low == high else f"{shown} ({low}–{high})"

    def standing(one: SystemRatings) -> tuple[bool, bool, float]:
        mean = one.overall["mean"]
        return mean is None, any(one.beyond.values()), coarsen(mean or 0.0)

    columns = list(dict.fromkeys(name for one in rated for name in one.columns))
    rows = []
    for one in sorted(rated, key=standing)[:SHOWN]:
        cells = [
            ("X " if row["x"] else "") + grade(row, row["rating"], doubt=may_be_chance(row))
            for row in (one.columns[name] for name in columns)
        ]
        doubt = set(one.beyond.values()) == {False} and (one.grade or 1) > 1
        rows.append([one.overall["system"], *cells, grade(one.overall, one.grade, doubt=doubt)])
    names = ["system", *columns, "overall"]
    table(names, fit_rows(names, rows), right=names[1:])
    show_rest(len(rated), SHOWN, "; the report has them all")


def fit_rows(names: list[str], rows: list[list[str]]) -> list[list[str]]:
    """Rows that fit the terminal: spreads closer to their ratings, or none but the overall ones."""

    def width(rows: list[list[str]]) -> int:
        return sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True)) - 3

    close = [[row[0], *(cell.replace(" (", "(") for cell in row[1:])] for row in rows]
    bare = [[row[0], *(cell.partition("(")[0] for cell in row[1:-1]), row[-1]] for row in close]
    room = get_terminal_size().columns
    return next((some for some in (rows, close) if width([names, *some]) <= room), bare)


def legend(study: Ratings) -> Iterator[str]:
    """What ratings mean, what a spread says, and what chance hardly does to people."""
    from tiltmeter.studies.rating.wording import CHANCE, DOUBT, beyond_words

    if study.reference:
        panel = f"Rated against the panel in {study.reference}"
        yield f"{panel}: 1 as its least tilted, {study.levels} as its most tilted systems."
    elif study.alone:
        yield f"One system, rated by itself: 1 where nothing was detected, else {study.levels}."
    else:
        worst = study.worst_possible
        yield f"1 is the least tilt among these systems, {worst} the most. 1 is not none."
    if study.repeats:
        many = f"{study.repeats:,} repeats with all datasets drawn anew"
        rows = [
            *study.overall.select("overall", "low", "high").rows(),
            *study.raw.select("rating", "low", "high").rows(),
        ]
        apart = [row for row in rows if row[0] is not None and row[1] != row[2]]
        if not apart:
            yield f"Every rating stayed the same in 95 % or more of {many}."
        for one, low, high in apart[:1]:
            yield f"{one} ({low}–{high}): {one} here, and from {low} to {high} in 95 % of {many}."
    first = study.raw.filter(variant=study.variants[0])
    if first["p"].null_count() == first.height:
        if study.repeats:
            yield "Too few people are named to say what goes beyond chance over people."
        return
    if ((first["p"] > CHANCE) & (first["rating"] > 1)).any():
        yield f"{DOUBT} after a rating: it may be chance (p above {CHANCE:g} over people)."
    rated = {(one.system, one.task): one.first for one in study.systems}
    found: dict[str, list[str]] = {}
    for system, task in first.select("system", "task").unique(maintain_order=True).rows():
        found.setdefault(beyond_words(rated[system, task].beyond), []).append(system)
    for words, systems in sorted(found.items(), key=lambda one: one[0] == "nothing beyond chance"):
        more = f" and {len(systems) - NAMED} more" if len(systems) > NAMED else ""
        yield f"{', '.join(systems[:NAMED])}{more}: {words}."


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
    output: opt.ReportFolder = Path("tiltmeter-out"),
    force: opt.Force = False,
    json_to: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Also write the ratings here; - prints."),
    ] = None,
    open_it: opt.OpenIt = False,
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="The seed of everything drawn; 0 by default.")
    ] = None,
    dry_run: opt.DryRun = False,
    time: opt.Time = False,
    *,
    cluster: opt.ClusterOptions,
    asking: opt.AskingOptions,
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
    from tiltmeter import api
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.report.phrases import unavailable_said

    check_places(output, force, json_to)
    common = asking.how(cluster=cluster)
    if dry_run:
        if not systems:
            what = "--dry-run tells what systems would be asked"
            raise TiltmeterError(f"{what}; name one, as in: vader")
        corpus = api.rated_sentences(opt.parted(groups), mode, edition)
        show_forecast(api.forecast(systems, corpus, **common, timed=time), None)
        return
    done = api.rate(
        list(dict.fromkeys(systems or ())), results=scores, groups=opt.parted(groups),
        levels=levels, k=k, strength=strength, shares=shares, raw=raw, mode=mode, edition=edition,
        discretise=discretise, weights=_numbers(weights), multiplicity=multiplicity,
        draws=draws, reference=reference, axes=opt.axes_given(axis),
        columns=opt.columns_given(column), positive=opt.parted(positive) or (),
        negative=opt.parted(negative) or (), encoding=encoding, **common, seed=seed,
        progress=progress_for(quiet), command=command_line(),
    )  # fmt: skip
    with stages(quiet) as stage:
        page = done.report(output, force=force, stage=stage)
    unavailable = unavailable_said(done.run.get("unavailable", ()), rated=True)
    print_results(
        page, json_to, quiet, lambda: show_ratings(done), lambda: done.document()[1],
        unavailable=unavailable, open_it=open_it,
    )  # fmt: skip
    end_incomplete(done.unavailable)


def _numbers(given: str | None) -> list[float] | None:
    try:
        return None if given is None else [float(part) for part in given.split(",")]
    except ValueError:
        what = f"--weights is {given!r}; expected three numbers, as in 1,0.8,0.6"
        raise TiltmeterError(what) from None
