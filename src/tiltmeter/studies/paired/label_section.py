"""The sections on labels and on ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.numbers import count, points
from tiltmeter.studies.paired.label_wording import (
    changed,
    gap_words,
    repeats_words,
    sentence_words,
    share_words,
    thresholds_of,
    which_way,
)
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.submissions import ContrastPanel, ShownSubmission
from tiltmeter.studies.paired.tables import label_flips, label_gaps, label_shares
from tiltmeter.studies.paired.wording import places_of

SHOWN = 20
"""Rows of each table; the others are in the files."""
COUPLES = "couples"
TIMES = " × "
"""Between axes and between groups, where several are taken together."""


@dataclass(frozen=True, slots=True)
class FlipRow:
    """One system's sentences of one contrast, by names or by couples."""

    one: ShownSubmission
    about: str
    sentences: str
    shares: str
    pairs: str
    """Of couples: how many pairs change label, and which way."""
    repeats: str
    differs: bool
    """Whether the groups are labelled unlike at all."""


@dataclass(frozen=True, slots=True)
class GapRow:
    """One system's largest gap on an axis, or on all together."""

    one: ShownSubmission
    axis: str
    said: str


@dataclass(frozen=True, slots=True)
class FlipSection:
    """What the page tells of labels."""

    begins: str
    """Where labels begin, in words."""
    summary: str
    rows: tuple[FlipRow, ...]
    more: int
    """Rows that only the file has."""
    gaps: tuple[GapRow, ...]
    more_gaps: int
    untold: str
    """Who is left out, and what would help."""


def flip_section(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
) -> FlipSection | None:
    """The section; None where no label was looked at."""
    untold = _untold(of)
    if material.labels is None or (material.labels.is_empty() and not untold):
        return None
    known = {_key(one, material): one for one in of}
    panels = {
        (one.corpus, panel.axis, panel.contrast): panel
        for one in of
        for panel in by_corpus[one.corpus]
    }
    thresholds = thresholds_of(material)
    flips = {
        (*_row_key(row), row["axis"], row["contrast"]): row
        for row in label_flips(material).filter(subset=COUPLES).iter_rows(named=True)
    }
    size = pl.col("label_tilt").abs()
    shares = label_shares(material).sort(size, descending=True, nulls_last=True)
    rows = [
        _row(known[key], panels[panel], row, flips, len(thresholds) > 1)
        for row in shares.iter_rows(named=True)
        if (key := _row_key(row)) in known
        and (panel := (known[key].corpus, row["axis"], row["contrast"])) in panels
    ]
    gaps = label_gaps(material).sort("gap", descending=True).iter_rows(named=True)
    largest = [
        GapRow(one, row["axis"], gap_words(row, _about(material, one, row), len(thresholds) > 1))
        for row in gaps
        if (one := known.get(_row_key(row)))
    ]
    return FlipSection(
        begins(thresholds), _flips_summary(rows), tuple(rows[:SHOWN]), max(0, len(rows) - SHOWN),
        tuple(largest[:SHOWN]), max(0, len(largest) - SHOWN), untold,
    )  # fmt: skip


def begins(thresholds: Sequence[float]) -> str:
    """Where labels begin, in words.

    >>> begins([0.5])
    'positive from the middle of the scale on'
    >>> begins([0.4, 0.6])
    'cut into 3 classes at 40 and 60 of 100'
    """
    if len(thresholds) > 1:
        listed = [f"{100 * one:g}" for one in thresholds]
        said = f"{', '.join(listed[:-1])} and {listed[-1]}"
        return f"cut into {len(thresholds) + 1} classes at {said} of 100"
    if thresholds[0] == 0.5:
        return "positive from the middle of the scale on"
    return f"positive from {100 * thresholds[0]:g} of 100 on"


def _key(one: ShownSubmission, material: AuditResults) -> tuple[str, ...]:
    compared = material.compared[one.corpus]
    return one.system, one.task, compared.name, compared.edition


def _row_key(row: Mapping[str, Any]) -> tuple[str, ...]:
    return row["system"], row["task"], row["corpus"], row["edition"]


def _row(
    one: ShownSubmission,
    panel: ContrastPanel,
    row: Mapping[str, Any],
    flips: Mapping[tuple[str, ...], Mapping[str, Any]],
    several: bool,
) -> FlipRow:
    mine = flips.get((*_row_key(row), row["axis"], row["contrast"]))
    pairs = ""
    if mine and row["kind"] == COUPLES:
        pairs = "; ".join(filter(None, (changed(mine), which_way(mine, panel.sides, several))))
    return FlipRow(
        one, f"{panel.about_first} and {panel.about_second}, by {row['kind']}",
        sentence_words(row, panel.sides, several), share_words(row, panel.sides), pairs,
        repeats_words(row), bool(row["label_tilt"]),
    )  # fmt: skip


def _about(material: AuditResults, one: ShownSubmission, row: Mapping[str, Any]) -> tuple[str, str]:
    compared = material.compared[one.corpus]
    first, second = (phrase(compared, row["axis"], row[side]) for side in ("first", "second"))
    return first, second


def phrase(compared: CorpusComparisons, axis: str, group: str) -> str:
    """How a group's sentences are spoken of, also where groups of several axes are meant."""
    axes, groups = axis.split(TIMES), group.split(TIMES)
    if len(axes) != len(groups):
        return compared.phrase(axis, group)
    return " ".join(compared.phrase(*both) for both in zip(axes, groups, strict=True))


def _flips_summary(rows: Sequence[FlipRow]) -> str:
    """In how many comparisons groups are labelled unlike."""
    some = sum(row.differs for row in rows)
    if not rows:
        return ""
    if not some:
        return "As many sentences are labelled positive for every group."
    return f"Groups are labelled unlike in {some:,} of {count(len(rows), 'comparison')}."


def _untold(of: Sequence[ShownSubmission]) -> str:
    native = sum(one.unit == "native" for one in of)
    if not native:
        return ""
    have = count(native, "system has", "systems have")
    return f"{have} no known scale, so no middle either: say --scale LOW:HIGH."


FEWEST = 2
"""One system has nobody to be ranked with."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One system's line."""

    one: ShownSubmission
    places: str
    group: int
    opens: bool
    """Whether it is the first of its group."""
    size: str
    higher: str


@dataclass(frozen=True, slots=True)
class Board:
    """The systems of one task, contrast and kind, the largest tilt first."""

    panel: ContrastPanel
    kind: str
    """Whom the tilts are about: names or couples."""
    task: str
    corpus: str
    rows: tuple[Ranked, ...]
    more: int
    summary: str


def boards(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
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
                    more, told = max(0, len(rows) - SHOWN), _ranks_summary(rows)
                    yield Board(panel, str(kind), str(task), title, rows[:SHOWN], more, told)


def _rows(
    rows: Sequence[Mapping[str, Any]],
    here: Mapping[tuple[str, str], ShownSubmission],
    panel: ContrastPanel,
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


def _ranks_summary(rows: Sequence[Ranked]) -> str:
    groups = rows[-1].group
    first = sum(row.group == rows[0].group for row in rows)
    if groups == 1:
        return f"The data tell none of the {count(len(rows), 'system')} from the first."
    tied = f"{first - 1:,} more cannot be told from it" if first > 1 else "no other is tied with it"
    return f"{groups:,} groups; the largest is {rows[0].one.system}, and {tied}."
