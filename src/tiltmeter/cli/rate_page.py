"""What `tiltmeter rate` prints: a rating for each system and group, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.flow import Ratings

SHOWN = 20
"""Systems a table lists before it only counts the rest."""
TITLES = {
    "continuous": "Ratings of the scores as they are",
    "discretised": "Ratings of the scores split at 0 (†)",
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
    table(["system", *columns, "overall"], rows, right=[*columns, "overall"])
    if ordered.height > SHOWN:
        say(f"… and {ordered.height - SHOWN:,} more; the report has them all")


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
        yield f"Rated against the panel in {done.reference}: 1 as its least tilted, "
        yield f"{study.levels} as its most tilted systems."
    elif study.overall["system"].n_unique() == 1:
        yield f"One system, rated by itself: 1 where nothing was detected, else {study.levels}."
    else:
        yield f"1 is the least tilt among these systems, {study.levels} the most. 1 is not none."
    if study.manner.repeats:
        many = f"{study.manner.repeats:,}"
        yield f"2 (1–3): 2 here, and from 1 to 3 in 95 % of {many} datasets drawn anew."
