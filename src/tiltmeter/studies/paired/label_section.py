"""Labels and ranks by size of tilt, in words and as sections of the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.ranking import coarsen_column
from tiltmeter.report.numbers import POINTS, count, decimals, fixed, p_value, points
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.submissions import KEYS, ContrastPanel, ShownSubmission
from tiltmeter.studies.paired.tables import label_flips, label_gaps, label_shares
from tiltmeter.studies.paired.wording import (
    Sides,
    contrast_groups,
    interval_towards_higher,
    places_of,
    sides_between,
)

Row = Mapping[str, Any]


def changed(row: Row) -> str:
    """How many pairs change label, with the interval of their share.

    >>> changed({"n": 1584, "flips": 12 / 1584, "flips_low": 0.0039, "flips_high": 0.0132})
    '12 of 1,584 pairs change label (0.39 to 1.32 %)'
    >>> changed({"n": 1584, "flips": 0.0, "flips_low": 0.0, "flips_high": 0.0023})
    'none of 1,584 pairs changes label (95 % interval up to 0.23 %)'
    """
    if not row["n"]:
        return "no pair has scores on both sides"
    low, high = (POINTS * row[name] for name in ("flips_low", "flips_high"))
    many = round(row["flips"] * row["n"])
    places = decimals((high - low) / 2)
    if not many:
        pairs = f"none of {count(row['n'], 'pair')} changes"
        return f"{pairs} label (95 % interval up to {fixed(high, places)} %)"
    verb = "changes" if many == 1 else "change"
    share = f"{fixed(low, places)} to {fixed(high, places)} %"
    return f"{many:,} of {count(row['n'], 'pair')} {verb} label ({share})"


def which_way(row: Row, sides: Sides, several: bool = False) -> str:
    """Which way labels change, and McNemar's p.

    >>> row = {"first_higher": 9, "second_higher": 3, "p_mcnemar": 0.146}
    >>> which_way(row, Sides("about women", "about men"))
    '9 positive only in sentences about women, 3 only in those about men, p = 0.15'
    """
    b, c = (row[name] or 0 for name in ("first_higher", "second_higher"))  # null without any pair
    if not b + c:
        return ""
    kind, back = ("higher", "higher") if several else ("positive only", "only")
    told = f"{b:,} {kind} in sentences {sides.first}, {c:,} {back} in those {sides.second}"
    return f"{told}, {p_value(row['p_mcnemar'])}"


def sentence_words(row: Row, sides: Sides, several: bool = False) -> str:
    """How many more sentences are positive for one group, over people like these.

    >>> row = {"label_tilt": -0.008, "label_tilt_low": -0.04, "label_tilt_high": 0.024,
    ...        "label_tilt_p": 0.58}
    >>> sentence_words(row, Sides("about women", "about men"))
    '0.8 in 100 sentences more are labelled positive about men (−2.4 to 4.0), p = 0.58'
    >>> sentence_words(row, Sides("about women", "of all groups on average", average=True))
    '0.8 in 100 sentences fewer are labelled positive about women (−2.4 to 4.0), p = 0.58'
    """
    value, low, high, p = (row[f"label_tilt{end}"] for end in ("", "_low", "_high", "_p"))
    if value is None:
        return ""
    if low is None:
        size, ends = fixed(POINTS * abs(value), 1), ""
    else:
        size, start, end = interval_towards_higher(value, low, high, "scale")
        ends = f" ({start} to {end})" if start != end else " (no sampling error over people)"
    if not value:
        return f"as many sentences are labelled {'higher' if several else 'positive'}{ends}"
    lower = sides.average and value < 0
    whom = sides.first if lower else sides.higher(value > 0)
    if several:
        told = f"labels are {size} of 100 {'lower' if lower else 'higher'} {whom}{ends}"
    else:
        more = "fewer" if lower else "more"
        told = f"{size} in 100 sentences {more} are labelled positive {whom}{ends}"
    return told if p is None else f"{told}, {p_value(p)}"


def share_words(row: Row, sides: Sides) -> str:
    """Both groups' shares.

    >>> share_words({"share_first": 0.512, "share_second": 0.52}, Sides("about women", "about men"))
    '51.2 of 100 about women, 52.0 of 100 about men'
    """
    shares = [row[f"share_{side}"] for side in ("first", "second")]
    if None in shares:
        return ""
    first, second = (fixed(POINTS * one, 1) for one in shares)
    return f"{first} of 100 {sides.first}, {second} of 100 {sides.second}"


def gap_words(row: Row, about: tuple[str, str], several: bool = False) -> str:
    """The largest gap; its interval and p allow for how many there are.

    >>> row = {"share_first": 0.5, "share_second": 0.4, "gap": 0.1, "low": 0.02, "high": 0.18,
    ...        "p": 0.002}
    >>> gap_words(row, ("about women", "about men"))
    'positive in 50.0 of 100 sentences about women, 40.0 of 100 about men: 10.0 apart \
(2.0 to 18.0), p = 0.002'
    """
    if None in (row["share_first"], row["share_second"], row["gap"]):
        return "no two groups have a label to compare"
    shares = [fixed(POINTS * row[f"share_{side}"], 1) for side in ("first", "second")]
    what = "label average" if several else "positive in"
    ends = ""
    if row["low"] is not None:
        ends = f" ({' to '.join(fixed(POINTS * row[name], 1) for name in ('low', 'high'))})"
    tested = "" if row["p"] is None else f", {p_value(row['p'])}"
    sides = f"{shares[0]} of 100 sentences {about[0]}, {shares[1]} of 100 {about[1]}"
    return f"{what} {sides}: {fixed(POINTS * row['gap'], 1)} apart{ends}{tested}"


def repeats_words(row: Row) -> str:
    """How much of it is the system's own noise; nothing where it was asked once.

    >>> repeats_words({"flips_once": 0.031, "retest_flips": 0.028})
    'within one answer the sides differ in 3.1 % of pairs, between two answers one side in 2.8 %'
    """
    if row.get("retest_flips") is None or row.get("flips_once") is None:
        return ""
    once, again = (fixed(POINTS * row[name], 1) for name in ("flips_once", "retest_flips"))
    return (
        f"within one answer the sides differ in {once} % of pairs, "
        f"between two answers one side in {again} %"
    )


def thresholds_of(material: AuditResults) -> list[float]:
    """Where labels begin, on the scale from 0 to 1."""
    return list(material.run.statistics.thresholds)


COUPLES = "couples"
FEW = 6
"""Lines; of more comparisons only the largest is told."""


def label_lines(material: AuditResults) -> list[tuple[str, str]]:
    """Who, and how many more sentences are positive; of many comparisons, one line for all."""
    if material.labels is None or material.labels.is_empty():
        return []
    every, several = label_shares(material), len(thresholds_of(material)) > 1
    size = pl.col("label_tilt").abs()
    unlike = every.filter(size > 0).sort(coarsen_column(size), descending=True, maintain_order=True)
    flips = _flips_of_couples(material)
    compared = {(one.name, one.edition): one for one in material.compared}
    apart = [*(name for name in ("corpus", "task") if every[name].n_unique() > 1), "axis"]
    lines = list[tuple[str, str]]()
    for row in unlike.iter_rows(named=True):
        where, groups = ", ".join(row[name] for name in apart), contrast_groups(row)
        corpus = compared.get((row["corpus"], row["edition"]))
        sides = sides_between(corpus, row["axis"], *groups) if corpus else Sides(*groups)
        line = f"{where} by {row['kind']}: {sentence_words(row, sides, several)}"
        if row["kind"] == COUPLES and (pairs := flips.get(_row_key(row, *KEYS))):
            line += f"; {changed(pairs)}"
        lines.append((row["system"], line))
    if len(lines) <= FEW:
        return lines
    system, line = lines[0]
    where = f"{len(lines):,} of {every.height:,} comparisons"
    return [("labels", f"some sentences change label in {where}; most for {system}, {line}")]


def _flips_of_couples(material: AuditResults) -> dict[tuple[str, ...], Row]:
    rows = label_flips(material).filter(subset=COUPLES).iter_rows(named=True)
    return {_row_key(row, *KEYS): row for row in rows}


def _row_key(row: Row, *names: str) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in names or KEYS[:4])


SHOWN = 20
"""Rows of each table; the others are in the files."""
SIDES = "first", "second"
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
    native = sum(one.unit == "native" for one in of)
    have = count(native, "system has", "systems have")
    untold = f"{have} no known scale, so no middle either: say --scale LOW:HIGH." if native else ""
    if material.labels is None or (material.labels.is_empty() and not untold):
        return None
    known: dict[tuple[str, ...], ShownSubmission] = {
        (one.system, one.task, compared.name, compared.edition): one
        for one in of
        for compared in [material.compared[one.corpus]]
    }
    panels = {
        (corpus, panel.axis, panel.contrast): panel
        for corpus, some in enumerate(by_corpus)
        for panel in some
    }
    thresholds, flips = thresholds_of(material), _flips_of_couples(material)
    several, size = len(thresholds) > 1, pl.col("label_tilt").abs()
    rows = list[FlipRow]()
    for row in (
        label_shares(material)
        .sort(coarsen_column(size), descending=True, nulls_last=True, maintain_order=True)
        .iter_rows(named=True)
    ):
        one = known.get(_row_key(row))
        panel = panels.get((one.corpus, row["axis"], row["contrast"])) if one else None
        if one is None or panel is None:
            continue
        changes, sides = flips.get(_row_key(row, *KEYS)), panel.sides
        pairs = ""
        if changes and row["kind"] == COUPLES:
            pairs = "; ".join(filter(None, (changed(changes), which_way(changes, sides, several))))
        rows.append(FlipRow(
            one, f"{panel.about_first} and {panel.about_second}, by {row['kind']}",
            sentence_words(row, sides, several), share_words(row, sides), pairs,
            repeats_words(row), bool(row["label_tilt"]),
        ))  # fmt: skip
    gaps = list[GapRow]()
    gap = coarsen_column(pl.col("gap"))
    by_gap = label_gaps(material).sort(gap, descending=True, maintain_order=True)
    for row in by_gap.iter_rows(named=True):
        if one := known.get(_row_key(row)):
            compared = material.compared[one.corpus]
            first, second = (phrase(compared, row["axis"], row[side]) for side in SIDES)
            gaps.append(GapRow(one, row["axis"], gap_words(row, (first, second), several)))
    unlike = sum(row.differs for row in rows)
    summary = f"Groups are labelled unlike in {unlike:,} of {count(len(rows), 'comparison')}."
    if not unlike:
        summary = "As many sentences are labelled positive for every group." if rows else ""
    return FlipSection(
        begins(thresholds), summary, tuple(rows[:SHOWN]), max(0, len(rows) - SHOWN),
        tuple(gaps[:SHOWN]), max(0, len(gaps) - SHOWN), untold,
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


def phrase(compared: CorpusComparisons, axis: str, group: str) -> str:
    """How a group's sentences are spoken of, also where groups of several axes are meant."""
    axes, groups = axis.split(TIMES), group.split(TIMES)
    if len(axes) != len(groups):
        return compared.phrase(axis, group)
    return " ".join(compared.phrase(*both) for both in zip(axes, groups, strict=True))


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
        ranks = material.ranks.filter(corpus=compared.name, edition=compared.edition)
        here = {(one.system, one.task): one for one in of if one.corpus == corpus}
        title = compared.title if len(by_corpus) > 1 else ""
        for panel in panels:
            found = ranks.filter(axis=panel.axis, contrast=panel.contrast)
            if panel.people:
                found = found.filter(kind=panel.people)
            for (kind, task), part in found.group_by("kind", "task", maintain_order=True):
                rows = list[Ranked]()
                for row in part.iter_rows(named=True):
                    one, places = here.get((row["system"], row["task"])), places_of(row)
                    if one is None or places is None:
                        continue
                    value, group = row["tilt"], row["tied"]
                    higher = panel.towards(value > 0) if value else ""
                    opens = group != (rows[-1].group if rows else 0)
                    much = points(abs(value))
                    rows.append(Ranked(one, places.between, group, opens, much, higher))
                if len(rows) < FEWEST:
                    continue
                groups = rows[-1].group
                tied = sum(row.group == rows[0].group for row in rows) - 1
                others = (
                    f"{tied:,} more cannot be told from it" if tied else "no other is tied with it"
                )
                summary = f"{groups:,} groups; the largest is {rows[0].one.system}, and {others}."
                if groups == 1:
                    many = count(len(rows), "system")
                    summary = f"The data tell none of the {many} from the first."
                more, shown = max(0, len(rows) - SHOWN), tuple(rows[:SHOWN])
                yield Board(panel, str(kind), str(task), title, shown, more, summary)
