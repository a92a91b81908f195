"""`tiltmeter rate`: a rating for each system, with the evidence behind it."""

from __future__ import annotations

from collections.abc import Iterator
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
    say,
    table,
    tell_answer,
    tell_files,
)
from tiltmeter.cli.score import show_stored

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.studies.rating.run import Ratings
    from tiltmeter.studies.rating.study import RatingStudy


# ---- what `tiltmeter rate` prints: a rating for each system and group, and how sure it is


SHOWN, NAMED = 20, 5
"""Systems a table lists before it only counts the rest, and a sentence does."""
CHANCE, DOUBT = 0.05, "?"
"""How often chance may reach what is called beyond chance; what marks a rating that may be."""
TITLES = {
    "continuous": "Ratings from scores as given",
    "discretised": "Ratings from scores split at 0 (†)",
}


def show_ratings(done: Ratings) -> None:
    """Print a table for each variant and task, then what is worth knowing."""
    study = done.study
    several = study.overall["task"].n_unique() > 1
    heading("What is rated")
    facts(_columns(study))
    for (variant, task), part in study.overall.group_by("variant", "task", maintain_order=True):
        title = TITLES.get(str(variant), str(variant))
        heading(f"{title}: {task}" if several else title)
        _show_table(study.raw.filter(variant=variant, task=task), part, study.manner.repeats)
    say()
    for line in _legend(done):
        say(line)
    facts(("", note) for note in done.notes)
    show_stored(done.environment.get("stored_scores", ()))


def _columns(study: RatingStudy) -> Iterator[tuple[str, str]]:
    """Each column's code, and what it is about."""
    from tiltmeter.report.phrases import column_words

    for row in study.columns.iter_rows(named=True):
        yield row["column"], column_words(row)


def _show_table(raw: pl.DataFrame, overall: pl.DataFrame, repeats: int) -> None:
    columns = raw["column"].unique(maintain_order=True).to_list()
    beyond = {system: _beyond(raw.filter(system=system), repeats) for system in overall["system"]}
    sure = overall["system"].replace_strict(
        list(beyond), [any(one.values()) for one in beyond.values()]
    )
    ordered = overall.with_columns(sure=sure).sort(
        overall["mean"].is_null(), "sure", "mean", maintain_order=True
    )
    cells = {(row["system"], row["column"]): _cell(row) for row in raw.iter_rows(named=True)}
    rows = [
        [
            row["system"],
            *(cells[row["system"], column] for column in columns),
            _rating(
                row["overall"],
                row["low"],
                row["high"],
                doubt=set(beyond[row["system"]].values()) == {False} and (row["overall"] or 1) > 1,
            ),
        ]
        for row in ordered.head(SHOWN).iter_rows(named=True)
    ]
    names = ["system", *columns, "overall"]
    table(names, _fitting(names, rows), right=names[1:])
    if ordered.height > SHOWN:
        say(f"… and {ordered.height - SHOWN:,} more; the report has them all")


def _fitting(names: list[str], rows: list[list[str]]) -> list[list[str]]:
    """Rows that fit the terminal: spreads closer to their ratings, or none but the overall ones."""
    close = [
        [cell.replace(" (", "(") if nth else cell for nth, cell in enumerate(row)] for row in rows
    ]
    bare = [[row[0], *(cell.partition("(")[0] for cell in row[1:-1]), row[-1]] for row in close]
    room = get_terminal_size().columns
    return next((one for one in (rows, close) if _wide([names, *one]) <= room), bare)


def _wide(rows: list[list[str]]) -> int:
    """How wide a table is: its columns, three blanks between them."""
    return sum(max(map(len, column)) + 3 for column in zip(*rows, strict=True)) - 3


def _cell(row: dict[str, Any]) -> str:
    from tiltmeter.studies.rating.wording import may_be_chance

    mark = "X " if row["x"] else ""
    return mark + _rating(row["rating"], row["low"], row["high"], doubt=may_be_chance(row))


def _rating(rating: int | None, low: int | None, high: int | None, *, doubt: bool) -> str:
    """A rating, a mark where it may be chance, and what repeats span where that is not one."""
    if rating is None:
        return "–"
    shown = f"{rating}{DOUBT if doubt else ''}"
    if low is None or high is None or low == high:
        return shown
    return f"{shown} ({low}–{high})"


def _beyond(rows: pl.DataFrame, repeats: int) -> dict[str, bool | None]:
    from tiltmeter.studies.rating.wording import attributes_beyond

    return attributes_beyond(rows.to_dicts(), repeats)


def _legend(done: Ratings) -> Iterator[str]:
    study = done.study
    if done.reference:
        panel = f"Rated against the panel in {done.reference}"
        yield f"{panel}: 1 as its least tilted, {study.levels} as its most tilted systems."
    elif study.overall.select("system", "task").n_unique() == 1:
        yield f"One system, rated by itself: 1 where nothing was detected, else {study.levels}."
    else:
        yield f"1 is the least tilt among these systems, {_worst(study)} the most. 1 is not none."
    yield from _spread(study)
    yield from _beyond_chance(study)


def _worst(study: RatingStudy) -> int:
    """The worst rating that can be given: no more than there are systems of a task, X aside."""
    sizes = study.overall.group_by("task", "variant").len()["len"].to_list()
    return study.levels if study.raw["x"].any() else min(study.levels, max(sizes))


def _spread(study: RatingStudy) -> Iterator[str]:
    """What a spread says, by one that is shown."""
    if not study.manner.repeats:
        return
    many = f"{study.manner.repeats:,} repeats with all datasets drawn anew"
    names = ("low", "high")
    rows = [
        *study.overall.select("overall", *names).rows(), *study.raw.select("rating", *names).rows()
    ]  # fmt: skip
    apart = [row for row in rows if row[0] is not None and row[1] != row[2]]
    if not apart:
        yield f"Every rating stayed the same in 95 % or more of {many}."
    for rating, low, high in apart[:1]:
        yield f"{rating} ({low}–{high}): {rating} here, and from {low} to {high} in 95 % of {many}."


def _beyond_chance(study: RatingStudy) -> Iterator[str]:
    """What chance hardly does to people, system by system."""
    from tiltmeter.studies.rating.wording import beyond_words

    first = study.raw.filter(variant=study.raw["variant"][0])
    if first["p"].null_count() == first.height:
        if study.manner.repeats:
            yield "Too few people are named to say what goes beyond chance over people."
        return
    if ((first["p"] > CHANCE) & (first["rating"] > 1)).any():
        yield f"{DOUBT} after a rating: it may be chance (p above {CHANCE:g} over people)."
    said: dict[str, list[str]] = {}
    for (system, _), rows in first.group_by("system", "task", maintain_order=True):
        told = beyond_words(_beyond(rows, study.manner.repeats))
        said.setdefault(told, []).append(str(system))
    for told, systems in sorted(said.items(), key=lambda one: one[0] == "nothing beyond chance"):
        more = f" and {len(systems) - NAMED} more" if len(systems) > NAMED else ""
        yield f"{', '.join(systems[:NAMED])}{more}: {told}."


# ---- `tiltmeter rate`: a rating for each system, with the evidence behind it


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
    from tiltmeter.studies.rating.folder import ratings_json

    check_places(output, force, json_to)
    common = asking.how(cluster=cluster)
    if dry_run:
        _forecast(systems or [], opt.parted(groups), mode, edition, common | {"timed": time})
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
    from tiltmeter import api
    from tiltmeter.cli.score import show_forecast
    from tiltmeter.errors import TiltmeterError

    if not systems:
        raise TiltmeterError("--dry-run tells what systems would be asked; name one, as in: vader")
    corpus = api.rated_sentences(groups, mode, edition)
    show_forecast(api.forecast(systems, corpus, **common), None)


def _numbers(given: str | None) -> list[float] | None:
    from tiltmeter.errors import TiltmeterError

    try:
        return None if given is None else [float(part) for part in given.split(",")]
    except ValueError:
        what = f"--weights is {given!r}; expected three numbers, as in 1,0.8,0.6"
        raise TiltmeterError(what) from None
