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
CHANCE = 0.05
"""How often chance may reach what is called beyond chance."""
TITLES = {
    "continuous": "Ratings from scores as given",
    "discretised": "Ratings from scores split at 0 (†)",
}


def show_ratings(done: Ratings) -> None:
    """Print a table for each variant and task, then what is worth knowing."""
    study = done.study
    several = study.overall["task"].n_unique() > 1
    for (variant, task), part in study.overall.group_by("variant", "task", maintain_order=True):
        title = TITLES.get(str(variant), str(variant))
        heading(f"{title}: {task}" if several else title)
        _show_table(study.raw.filter(variant=variant, task=task), part)
    say()
    for line in _legend(done):
        say(line)
    facts(("", note) for note in done.notes)
    show_stored(done.environment.get("stored_scores", ()))


def _show_table(raw: pl.DataFrame, overall: pl.DataFrame) -> None:
    columns = raw["column"].unique(maintain_order=True).to_list()
    ordered = overall.sort("mean", nulls_last=True, maintain_order=True)
    cells = {(row["system"], row["column"]): _cell(row) for row in raw.iter_rows(named=True)}
    rows = [
        [
            row["system"],
            *(cells[row["system"], column] for column in columns),
            _rating(row["overall"], row["low"], row["high"]),
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
    mark = "X " if row["x"] else ""
    return mark + _rating(row["rating"], row["low"], row["high"])


def _rating(rating: int | None, low: int | None, high: int | None) -> str:
    """A rating, and what repeats span where it is not always the same."""
    if rating is None:
        return "–"
    if low is None or high is None or low == high:
        return str(rating)
    return f"{rating} ({low}–{high})"


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
    """Where chance hardly sets people so far apart, system by system."""
    first = study.raw.filter(variant=study.raw["variant"][0])
    if first["p"].null_count() == first.height:
        if study.manner.repeats:
            yield "Too few people are named to say what goes beyond chance over people."
        return
    small = first.filter(first["p"] <= CHANCE)
    found = small.group_by("system", "task", maintain_order=True).agg("column").rows()
    said = [f"{system} in {', '.join(columns)}" for system, _, columns in found]
    more = f"; and {len(said) - NAMED} more" if len(said) > NAMED else ""
    shown = f"{'; '.join(said[:NAMED])}{more}" if said else "none"
    yield f"Beyond chance (p ≤ {CHANCE:g} over people): {shown}."
