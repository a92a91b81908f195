"""What `tiltmeter rate` prints: a rating for each system and group, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table
from tiltmeter.cli.score_page import show_stored

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.flow import Ratings
    from tiltmeter.measures import RatingStudy

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
    from tiltmeter.report import column_words

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
    from tiltmeter.report import may_be_chance

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
    from tiltmeter.report import attributes_beyond

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
    from tiltmeter.report import beyond_words

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
