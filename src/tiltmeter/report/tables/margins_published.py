"""Tables 3 to 5 of Câmara et al. (2022), from systems trained anew and as the paper prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.comparison import subset_words
from tiltmeter.report.numbers import DASH
from tiltmeter.report.regression_names import COEFFICIENT, LEAST_SQUARES, language_name
from tiltmeter.report.results import Results
from tiltmeter.report.tables.margins import Line, Margins, Number, lines_of, task_order
from tiltmeter.report.tables.margins_words import Effect, caption, effect_order

ILLEGIBLE = f"{DASH} in a row of the paper: cannot be read in our copy."
OF_PAPER = "“published”: as the paper prints it."
BELOW = {"beta": COEFFICIENT, "least-squares": LEAST_SQUARES}
"""The two scales, and the measure of each."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One of the paper's tables, in both scales."""

    number: int
    beta: Margins
    """Ours, of Beta regression with errors over names and templates."""
    least_squares: Margins
    """Ours and the paper's rows, on its scale and with its errors."""


def reproduced_tables(results: Results) -> list[Reproduced]:
    """The tables that the audits at hand give, in the paper's order."""
    if results.effects is None:
        return []
    parts = results.effects.partition_by("table", maintain_order=True)
    return sorted((_reproduced(results, part) for part in parts), key=lambda one: one.number)


def _reproduced(results: Results, mine: pl.DataFrame) -> Reproduced:
    number = int(mine["table"][0])
    return Reproduced(number, *(_table(results, mine, number, scale) for scale in BELOW))


def _table(results: Results, mine: pl.DataFrame, number: int, scale: str) -> Margins:
    effects = _effects(mine)
    lines, notes = list[Line](), list(_notes(mine))
    for (language, corpus), rows in mine.group_by("language", "corpus", maintain_order=True):
        said = f"{language_name(str(language))} ({corpus})"
        for (recipe,), alike in rows.group_by("recipe", maintain_order=True):
            lines += lines_of(alike, BELOW[scale], said)
            if BELOW[scale] == LEAST_SQUARES and results.published_effects is not None:
                printed = results.published_effects.filter(corpus=corpus, recipe=recipe)
                lines += _published(printed, said, effects)
    if any(line.published for line in lines):
        unread = any(one.value is None for line in lines if line.published
                     for one in line.numbers.values())  # fmt: skip
        notes += [OF_PAPER, *([ILLEGIBLE] if unread else [])]
    titles = " and ".join(mine["title"].unique(maintain_order=True))
    ending = "" if BELOW[scale] == COEFFICIENT else f"-{scale}"
    return Margins(
        name=f"margins-table-{number}{ending}",
        title=f"Table {number}",
        caption=caption(titles, effects, BELOW[scale], [subset_words("own-emotion")]),
        effects=effects,
        tasks=task_order(mine["task"].to_list()),
        lines=tuple(lines),
        notes=tuple(notes),
    )


def _effects(mine: pl.DataFrame) -> tuple[Effect, ...]:
    rows = mine.select("axis", "contrast", "reference").unique(maintain_order=True)
    return effect_order(rows.rows())


def _published(
    printed: pl.DataFrame, language: str, effects: tuple[Effect, ...]
) -> Iterator[Line]:  # fmt: skip
    """The paper's rows, under the contrasts that our effects have."""
    contrast: Mapping[str, str] = {axis: contrast for axis, contrast, _ in effects}
    for (name,), rows in printed.group_by("name", maintain_order=True):
        told = rows.select("task", "axis", "value", "stars").iter_rows()
        numbers = {
            (task, axis, contrast[axis]): Number(value, stars)
            for task, axis, value, stars in told
            if axis in contrast
        }
        yield Line(language, str(name), numbers, published=True)


def _notes(mine: pl.DataFrame) -> Iterator[str]:
    """Why numbers of ours are missing."""
    missing = mine.drop_nulls("reason").unique(["corpus", "system", "task"], maintain_order=True)
    for (reason,), rows in missing.group_by("reason", maintain_order=True):
        who = ", ".join(
            f"{system} ({task})" for system, task in rows.select("system", "task").rows()
        )
        yield f"{DASH} cannot be estimated, because {reason}: {who}."
