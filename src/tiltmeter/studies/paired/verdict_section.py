"""Verdicts counted, and what is behind each: intervals, people moved, other ways to ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.numbers import DASH, POINTS, count, points
from tiltmeter.schemas import Verdict
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.strip import size_text
from tiltmeter.studies.paired.submissions import (
    KEYS,
    ContrastPanel,
    ShownFinding,
    ShownSubmission,
    ShownVerdict,
)
from tiltmeter.studies.paired.verdict_wording import (
    SAID_OF,
    MovedShare,
    between,
    margin_text,
    percent,
)
from tiltmeter.studies.paired.wording import interval_towards_higher

NAMED = 5
"""Tilted systems that the answer names."""
REST: dict[str, str] = {
    Verdict.EVEN: "even within it",
    Verdict.UNDECIDED: "undecided",
    Verdict.NO_SIGNAL: "without a signal",
    Verdict.NOT_ESTIMABLE: "not estimable",
}
SOURCES = ("people", "floor", "words", "noise")
SOURCES_TOLD = {
    "people": "people", "floor": "people not seen", "words": "words", "noise": "frames a name"
}  # fmt: skip
OTHER_WAYS = {
    "tilt_by_names": "each name alike",
    "tilt_matched": "names about equally common",
}
TINY = 1e-4
"""Points below which no part of an error is worth naming."""


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """The verdicts of one contrast in a few words."""

    lead: str
    text: str
    tilted: tuple[tuple[str, str, str], ...] = ()
    """System, its address on the page, and how much for which task: the largest first."""
    more: str = ""
    """How many more there are than are named."""


@dataclass(frozen=True, slots=True)
class MovedCell:
    """People moved, of one group."""

    group: str
    moved: str
    between: str


@dataclass(frozen=True, slots=True)
class OtherWay:
    """The same tilt asked in another way."""

    asked: str
    size: str
    interval: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One submission's claim."""

    submission: ShownSubmission
    verdict: str
    size: str
    higher: str
    interval: str
    """The one that decides."""
    these: str
    """These people, other sentences."""
    widest: str
    """Which part of the error is largest."""
    moved: tuple[MovedCell, ...]
    plain: str
    """The difference with its sign, to be read beside the other ways."""
    other_ways: tuple[OtherWay, ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """One contrast of one corpus, by names or by couples."""

    panel: ContrastPanel
    corpus: str
    """Named where there are several."""
    units: str
    """How many people, templates and words there are."""
    rows: tuple[ClaimRow, ...]
    covered: str
    """How much of the weight matched names cover, where it is not all."""

    @property
    def asked_otherwise(self) -> list[str]:
        """The other ways that were asked."""
        return list(
            dict.fromkeys(way.asked for row in self.rows for way in row.other_ways if way.size)
        )


def verdict_summary(
    panels: Sequence[ContrastPanel], of: Sequence[ShownSubmission]
) -> VerdictSummary | None:
    """How many systems are tilted, even and undecided; None where nothing was held to a margin.

    `panels` is one contrast, or those of all groups of an axis beside the average of all.
    """
    judged = [
        (one, some, panel)
        for panel in panels
        for one in of
        if (some := one.told.get(panel.key)) and some.tilt is not None
    ]
    if not judged:
        return None
    verdicts = [some.tilt.verdict for _, some, _ in judged if some.tilt]
    margin = margin_text(next(some.tilt.margin for _, some, _ in judged if some.tilt))
    if len(judged) == 1 and (one := judged[0][1].tilt):
        return _one(one, margin)
    tilted = sorted(
        (found for found in judged if found[1].tilt and found[1].tilt.verdict == Verdict.TILTED),
        key=lambda found: -abs(found[1].value or 0.0),
    )
    named = tuple(
        (one.system, one.anchor, f"{one.task}, {_much(panel, some)}")
        for one, some, panel in tilted[:NAMED]
    )
    rest_of = len(tilted) - len(named)
    first, lead = _lead(verdicts, margin)
    rest = ", ".join(
        f"{many:,} {'is' if many == 1 else 'are'} {said}"
        for kind, said in REST.items()
        if kind != first and (many := verdicts.count(kind))
    )
    more = f" and {rest_of:,} more" if rest_of else ""
    return VerdictSummary(lead, f"{rest}." if rest else "", named, more)


def _lead(verdicts: Sequence[str], margin: str) -> tuple[str, str]:
    """What is said first, and of which verdict: who tilts, else what most systems are.

    "None tilts" would be misread where most are undecided.
    """
    many = {
        kind: verdicts.count(kind) for kind in (Verdict.TILTED, Verdict.UNDECIDED, Verdict.EVEN)
    }
    first = Verdict.TILTED if many[Verdict.TILTED] else max(many, key=lambda kind: many[kind])
    of = f"{many[first]:,} of {len(verdicts):,}"
    one = many[first] == 1
    said = {
        Verdict.TILTED: f"{of} {'tilts' if one else 'tilt'} by more than {margin}.",
        Verdict.UNDECIDED: f"{of} {'is' if one else 'are'} undecided at {margin}.",
        Verdict.EVEN: f"{of} {'is' if one else 'are'} even within {margin}.",
    }
    if not many[first]:
        return Verdict.TILTED, f"None of {len(verdicts):,} tilts by more than {margin}."
    return first, said[first]


def _one(tilt: ShownVerdict, margin: str) -> VerdictSummary:
    """One system's verdict and its sentence."""
    leads: dict[str, str] = {
        Verdict.TILTED: f"Tilted by more than {margin}.",
        Verdict.EVEN: f"Even within {margin}.",
        Verdict.UNDECIDED: f"Undecided at a margin of {margin}.",
        Verdict.NO_SIGNAL: "No signal.",
    }
    return VerdictSummary(leads.get(tilt.verdict, "No verdict."), tilt.sentence)


def _much(panel: ContrastPanel, told: ShownFinding) -> str:
    size, unit, _ = size_text(told)
    return f"{size} {unit} {panel.towards((told.value or 0) > 0)}"


def these_people_words(told: ShownFinding) -> str:
    """The interval of these people over other sentences, after a comma; nothing without one."""
    tilt = told.tilt
    if tilt is None or told.value is None or tilt.low_these is None or tilt.high_these is None:
        return ""
    if tilt.low_these == tilt.high_these:
        return ", the same in every sentence"
    return f", 95 % interval {_interval(told.value, tilt.low_these, tilt.high_these, told.unit)}"


def claim_tables(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
) -> Iterator[Claimed]:
    """Every claim of every corpus with what stands behind it."""
    if material.tilts is None or material.tilts.is_empty():
        return
    known = _known(material)
    for corpus, panels in enumerate(by_corpus):
        mine = [one for one in of if one.corpus == corpus]
        for panel in panels:
            rows = tuple(row for one in mine if (row := _row(material, one, panel, known)))
            if rows:
                title = material.compared[corpus].title if len(by_corpus) > 1 else ""
                units = _units(material, mine, panel, known)
                yield Claimed(panel, title, units, rows, _covered(material, mine, panel, known))


Known = Mapping[tuple[str, ...], Mapping[str, Any]]


def _known(material: AuditResults) -> Known:
    """The estimates behind the claims, by what they are of, their kind and their measure."""
    rows = material.paired_estimates.filter(pl.col("measure").str.starts_with("tilt_"))
    return {
        (*(str(row[name]) for name in (*KEYS, "subset", "measure")),): row
        for row in rows.iter_rows(named=True)
    }


def _key(material: AuditResults, one: ShownSubmission, panel: ContrastPanel) -> tuple[str, ...]:
    corpus = material.compared[one.corpus]
    return (one.system, one.task, corpus.name, corpus.edition, *panel.key)


def _row(
    material: AuditResults, one: ShownSubmission, panel: ContrastPanel, known: Known
) -> ClaimRow | None:
    told = one.told.get(panel.key)
    if told is None or told.tilt is None or told.value is None:
        return None
    key = _key(material, one, panel)
    size, unit, spread = size_text(told)
    these = these_people_words(told).removeprefix(", ").removeprefix("95 % interval ")
    return ClaimRow(
        one,
        SAID_OF[told.tilt.verdict],
        f"{size} {unit}" if unit else DASH,
        panel.towards(told.value > 0) if told.value and unit else "",
        spread or DASH,
        these or DASH,
        _widest(key, known),
        tuple(_moved(part, panel) for part in told.moved),
        _signed(told.value, size),
        tuple(
            _other_way(known.get((*key, measure)), asked, told.unit)
            for measure, asked in OTHER_WAYS.items()
        ),
    )


def _moved(one: MovedShare, panel: ContrastPanel) -> MovedCell:
    """How many of a group, and the share with its interval."""
    group = "" if panel.people == "couples" else one.group
    many = f"{one.moved:,} of {one.people:,}"
    share = f", {percent(one.share)}" if one.share is not None and one.moved else ""
    return MovedCell(group, many + share, between(one))


def _other_way(row: Mapping[str, Any] | None, asked: str, unit: str) -> OtherWay:
    if row is None or row["value"] is None:
        return OtherWay(asked, "", "")
    if row["low"] is None or row["high"] is None or not row["se"]:
        return OtherWay(asked, points(row["value"]), "")
    size, low, high = interval_towards_higher(row["value"], row["low"], row["high"], unit)
    if row["value"] < 0:
        low, high = (_turned(end) for end in (high, low))
    return OtherWay(asked, _signed(row["value"], size), f"{low} to {high}")


def _signed(value: float, size: str) -> str:
    """A size with the sign of its value, unless it reads as nothing."""
    number = size[:1].isdigit() and any(digit in "123456789" for digit in size)
    return f"−{size}" if value < 0 and number else size


def _turned(text: str) -> str:
    """A number with the other sign."""
    if not any(digit in "123456789" for digit in text):
        return text
    return text.removeprefix("−") if text.startswith("−") else f"−{text}"


def _interval(value: float, low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None:
        return DASH
    _, start, end = interval_towards_higher(value, low, high, unit)
    return f"{start} to {end}"


def _widest(key: tuple[str, ...], known: Known) -> str:
    """The part of the error that is largest; a dash where none is worth naming."""
    sources = {
        name: float(known.get((*key, f"tilt_{name}"), {}).get("value") or 0.0) for name in SOURCES
    }
    name = max(sources, key=lambda one: sources[one])
    if sources[name] * POINTS < TINY:
        return DASH
    return f"{SOURCES_TOLD[name]} (error {points(sources[name])})"


def _units(
    material: AuditResults, of: Sequence[ShownSubmission], panel: ContrastPanel, known: Known
) -> str:
    """What the mean is over."""
    for one in of:
        key = _key(material, one, panel)
        names = ("people", "these_people", "words")
        found = [known.get((*key, f"tilt_{name}")) for name in names]
        if all(found):
            people, templates, words = (int(row["n"]) for row in found if row)
            units = count(people, "couple" if panel.people == "couples" else "name")
            return f"{units}, {count(templates, 'template')}, {count(words, 'emotion word')}"
    return ""


def _covered(
    material: AuditResults, of: Sequence[ShownSubmission], panel: ContrastPanel, known: Known
) -> str:
    """What share of the people have somebody about equally common on the other side."""
    for one in of:
        row = known.get((*_key(material, one, panel), "tilt_matched"))
        if row and row["statistic"] is not None:
            return percent(float(row["statistic"]))
    return ""
