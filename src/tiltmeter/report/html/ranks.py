"""Leaderboards by size of tilt, with the places that the data allow and who is tied with whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.html.submissions import Panel, Submission
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import count, points
from tiltmeter.report.rank_words import places_of

SHOWN = 20
"""Systems of each board; the others are in the file."""
FEWEST = 2
"""One system has nobody to be ranked with."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One system's line."""

    one: Submission
    places: str
    group: int
    opens: bool
    """Whether it is the first of its group."""
    size: str
    higher: str


@dataclass(frozen=True, slots=True)
class Board:
    """The systems of one task, contrast and kind, the largest tilt first."""

    panel: Panel
    kind: str
    """Whom the tilts are about: names or couples."""
    task: str
    corpus: str
    rows: tuple[Ranked, ...]
    more: int
    summary: str


def boards(
    material: Material, of: Sequence[Submission], by_corpus: Sequence[tuple[Panel, ...]]
) -> Iterator[Board]:
    """Every leaderboard with two systems or more."""
    if material.ranks is None:
        return
    for corpus, panels in enumerate(by_corpus):
        compared = material.compared[corpus]
        mine = material.ranks.filter(corpus=compared.name, edition=compared.edition)
        here = {(one.system, one.task): one for one in of if one.corpus == corpus}
        title = compared.title if len(by_corpus) > 1 else ""
        for panel in panels:
            found = mine.filter(axis=panel.axis, contrast=panel.contrast)
            if panel.people:
                found = found.filter(kind=panel.people)
            for (kind, task), part in found.group_by("kind", "task", maintain_order=True):
                rows = tuple(_rows(part.rows(named=True), here, panel))
                if len(rows) >= FEWEST:
                    more, told = max(0, len(rows) - SHOWN), _summary(rows)
                    yield Board(panel, str(kind), str(task), title, rows[:SHOWN], more, told)


def _rows(
    rows: Sequence[Mapping[str, Any]], here: Mapping[tuple[str, str], Submission], panel: Panel
) -> Iterator[Ranked]:
    last = 0
    for row in rows:
        one, places = here.get((row["system"], row["task"])), places_of(row)
        if one is None or places is None:
            continue
        value, group = row["tilt"], row["tied"]
        higher = panel.towards(value > 0) if value else ""
        yield Ranked(one, places.between, group, group != last, points(abs(value)), higher)
        last = group


def _summary(rows: Sequence[Ranked]) -> str:
    groups = rows[-1].group
    first = sum(row.group == rows[0].group for row in rows)
    if groups == 1:
        return f"The data tell none of the {count(len(rows), 'system')} from the first."
    tied = f"{first - 1:,} more cannot be told from it" if first > 1 else "no other is tied with it"
    return f"{groups:,} groups; the largest is {rows[0].one.system}, and {tied}."
