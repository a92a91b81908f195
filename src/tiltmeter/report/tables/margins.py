"""Tables 3 to 5 of Câmara et al. (2022) for a run: systems down, effects of each task across.

Two tasks stand beside each other, the next two below them, as in print. Where there are more than
three effects every effect has a line of its own and the tasks stand across.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.numbers import DASH, fixed
from tiltmeter.report.regression_wording import stars
from tiltmeter.report.tables.margins_words import (
    Effect,
    effect_title,
)

EMOTIONS = ("anger", "fear", "joy", "sadness")
"""The paper's order."""
ACROSS = 3
"""Effects that can stand across the page."""
BESIDE = 2
"""Tasks that then stand beside each other."""
PLACES = 3
"""Decimals, as in the paper."""


@dataclass(frozen=True, slots=True)
class Number:
    """One coefficient and its stars; no value where it cannot be estimated."""

    value: float | None
    stars: str = ""

    def __str__(self) -> str:
        """As printed, without the stars' raise."""
        return DASH if self.value is None else f"{fixed(self.value, PLACES)}{self.stars}"


@dataclass(frozen=True, slots=True)
class Line:
    """A system on a corpus."""

    language: str
    """With the corpus: `English (eec)`."""
    system: str
    numbers: Mapping[tuple[str, str, str], Number]
    """By task, axis and contrast; nothing where the system has no such submission."""
    published: bool = False
    """Whether a paper printed it."""

    @property
    def label(self) -> str:
        """The system, and whether a paper printed its numbers."""
        return f"{self.system} (published)" if self.published else self.system

    def shown(self, task: str, effect: Effect) -> Number | None:
        """One number, or None where there is no such submission."""
        return self.numbers.get((task, *effect[:2]))


@dataclass(frozen=True, slots=True)
class Margins:
    """A table as in print, numbers still numbers."""

    name: str
    """Its file's name without an ending."""
    title: str
    caption: str
    effects: tuple[Effect, ...]
    """Axis, contrast and reference of every column, in the order of print."""
    tasks: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    """Why a number is missing."""

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands over the effects: Race, Gender, Race × gender."""
        return tuple(effect_title(one, self.effects) for one in self.effects)

    @property
    def wide(self) -> bool:
        """Whether the effects stand across the page."""
        return len(self.effects) <= ACROSS

    @property
    def parts(self) -> list[tuple[str, ...]]:
        """The tasks that stand beside each other, one part below the other."""
        if not self.wide:
            return [self.tasks]
        return [self.tasks[at : at + BESIDE] for at in range(0, len(self.tasks), BESIDE)]

    @property
    def blocks(self) -> list[tuple[str, list[Line]]]:
        """The lines of each language, in their order."""
        found = dict[str, list[Line]]()
        for line in self.lines:
            found.setdefault(line.language, []).append(line)
        return list(found.items())

    @property
    def columns(self) -> list[tuple[Effect, str]]:
        """Every effect and what stands over it."""
        return list(zip(self.effects, self.heads, strict=True))


def task_order(tasks: Sequence[str]) -> tuple[str, ...]:
    """The tasks in the paper's order, then others by name.

    >>> task_order(["valence", "joy", "anger"])
    ('anger', 'joy', 'valence')
    """
    return tuple(sorted(set(tasks), key=lambda one: ((*EMOTIONS, one).index(one), one)))


def print_frame(table: Margins) -> pl.DataFrame:
    """The table as it is printed, every cell a text; for spreadsheets."""
    rows = list[dict[str, str]]()
    for line in table.lines:
        start = {"language": line.language, "system": line.label}
        if table.wide:
            cells = {
                f"{task}: {head}": _text(line.shown(task, effect))
                for task in table.tasks
                for effect, head in table.columns
            }
            rows.append(start | cells)
            continue
        for effect, head in table.columns:
            cells = {task: _text(line.shown(task, effect)) for task in table.tasks}
            rows.append(start | {"effect": head} | cells)
    return pl.DataFrame(rows)


def _text(shown: Number | None) -> str:
    return "" if shown is None else str(shown)


def lines_of(estimates: pl.DataFrame, measure: str, language: str) -> Iterator[Line]:
    """A line a system, with the numbers of one measure."""
    rows = estimates.filter(measure=measure)
    for (system,), mine in rows.group_by("system", maintain_order=True):
        told = mine.select("task", "axis", "contrast", "value", "p").iter_rows()
        numbers = {
            (task, axis, contrast): Number(value, "" if value is None else stars(p))
            for task, axis, contrast, value, p in told
        }
        yield Line(language, str(system), numbers)
