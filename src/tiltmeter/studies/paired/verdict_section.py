"""Verdicts counted, and what is behind each: intervals, people moved, other ways to ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.ranking import coarsen
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
Estimate = Mapping[str, Any]
"""A row of the estimates behind the claims."""
UNITS = "tilt_people", "tilt_these_people", "tilt_words"
"""Estimates whose numbers say what a mean is over: people, templates, words."""
SOURCES = {
    "tilt_people": "people", "tilt_floor": "people not seen", "tilt_words": "words",
    "tilt_noise": "frames a name",
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

    `panels` is one contrast, or those of all groups of an axis beside the average of all. Who tilts
    is said first, else what most systems are: "none tilts" would be misread where most are
    undecided.
    """
    judged = [
        (one, panel, finding, finding.tilt)
        for panel in panels
        for one in of
        if (finding := one.told.get(panel.key)) and finding.tilt is not None
    ]
    if not judged:
        return None
    *_, tilt = judged[0]
    margin = margin_text(tilt.margin)
    if len(judged) == 1:
        leads: dict[str, str] = {
            Verdict.TILTED: f"Tilted by more than {margin}.",
            Verdict.EVEN: f"Even within {margin}.",
            Verdict.UNDECIDED: f"Undecided at a margin of {margin}.",
            Verdict.NO_SIGNAL: "No signal.",
        }
        return VerdictSummary(leads.get(tilt.verdict, "No verdict."), tilt.sentence)
    verdicts = [one.verdict for *_, one in judged]
    many: dict[str, int] = {kind: verdicts.count(kind) for kind in Verdict}
    most = max((Verdict.UNDECIDED, Verdict.EVEN), key=lambda kind: many[kind])
    first = most if many[most] and not many[Verdict.TILTED] else Verdict.TILTED
    number = f"{many[first]:,} of {len(judged):,}"
    lead = {
        Verdict.TILTED: f"{number} tilt{'s' * (many[first] == 1)} by more than {margin}.",
        Verdict.UNDECIDED: f"{number} {_are(many[first])} undecided at {margin}.",
        Verdict.EVEN: f"{number} {_are(many[first])} even within {margin}.",
    }[first]
    if not many[first]:
        lead = f"None of {len(judged):,} tilts by more than {margin}."
    rest = ", ".join(
        f"{many[kind]:,} {_are(many[kind])} {words}"
        for kind, words in REST.items()
        if kind != first and many[kind]
    )
    tilted = sorted(
        (one for one in judged if one[3].verdict == Verdict.TILTED),
        key=lambda one: -coarsen(abs(one[2].value or 0.0)),
    )
    named = list[tuple[str, str, str]]()
    for one, panel, finding, _ in tilted[:NAMED]:
        size, unit, _ = size_text(finding)
        much = f"{size} {unit} {panel.towards((finding.value or 0) > 0)}"
        named.append((one.system, one.anchor, f"{one.task}, {much}"))
    more = f" and {len(tilted) - NAMED:,} more" if len(tilted) > NAMED else ""
    return VerdictSummary(lead, f"{rest}." if rest else "", tuple(named), more)


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


def these_people_words(finding: ShownFinding) -> str:
    """The interval of these people over other sentences, after a comma; nothing without one."""
    tilt, value = finding.tilt, finding.value
    if tilt is None or value is None or tilt.low_these is None or tilt.high_these is None:
        return ""
    if tilt.low_these == tilt.high_these:
        return ", the same in every sentence"
    _, start, end = interval_towards_higher(value, tilt.low_these, tilt.high_these, finding.unit)
    return f", 95 % interval {start} to {end}"


def claim_tables(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    by_corpus: Sequence[tuple[ContrastPanel, ...]],
) -> Iterator[Claimed]:
    """Every claim of every corpus with what stands behind it."""
    if material.tilts is None or material.tilts.is_empty():
        return
    behind: dict[tuple[str, ...], dict[str, Estimate]] = {}
    for row in material.paired_estimates.filter(
        pl.col("measure").str.starts_with("tilt_")
    ).iter_rows(named=True):
        key = tuple(str(row[name]) for name in (*KEYS, "subset"))
        behind.setdefault(key, {})[row["measure"]] = row
    for corpus, panels in enumerate(by_corpus):
        compared = material.compared[corpus]
        title = compared.title if len(by_corpus) > 1 else ""
        for panel in panels:
            rows, units, covered = list[ClaimRow](), "", ""
            for one in of:
                if one.corpus != corpus:
                    continue
                key = one.system, one.task, compared.name, compared.edition, *panel.key
                estimates, finding = behind.get(key, {}), one.told.get(panel.key)
                if not units and all(name in estimates for name in UNITS):
                    people, templates, words = (int(estimates[name]["n"]) for name in UNITS)
                    units = (
                        f"{count(people, 'couple' if panel.people == 'couples' else 'name')}, "
                        f"{count(templates, 'template')}, {count(words, 'emotion word')}"
                    )
                matched = estimates.get("tilt_matched", {}).get("statistic")
                if not covered and matched is not None:
                    covered = percent(float(matched))
                if finding and finding.tilt and finding.value is not None:
                    rows.append(_claim_row(one, panel, finding, finding.tilt, estimates))
            if rows:
                yield Claimed(panel, title, units, tuple(rows), covered)


def _claim_row(
    one: ShownSubmission,
    panel: ContrastPanel,
    finding: ShownFinding,
    tilt: ShownVerdict,
    estimates: Mapping[str, Estimate],
) -> ClaimRow:
    value, (size, unit, spread) = finding.value or 0.0, size_text(finding)
    these = these_people_words(finding).removeprefix(", ").removeprefix("95 % interval ")
    errors = {
        words: float(estimates.get(name, {}).get("value") or 0.0) for name, words in SOURCES.items()
    }
    largest = max(errors, key=lambda words: coarsen(errors[words]))
    widest = f"{largest} (error {points(errors[largest])})"
    moved = tuple(
        MovedCell(
            "" if panel.people == "couples" else part.group,
            f"{part.moved:,} of {part.people:,}"
            + (f", {percent(part.share)}" if part.share is not None and part.moved else ""),
            between(part),
        )
        for part in finding.moved
    )
    ways = list[OtherWay]()
    for measure, asked in OTHER_WAYS.items():
        row = estimates.get(measure)
        if row is None or row["value"] is None:
            ways.append(OtherWay(asked, "", ""))
        elif row["low"] is None or row["high"] is None or not row["se"]:
            ways.append(OtherWay(asked, points(row["value"]), ""))
        else:
            much, low, high = interval_towards_higher(
                row["value"], row["low"], row["high"], finding.unit
            )
            if row["value"] < 0:  # told from the second group's side: each end with the other sign
                low, high = (
                    end.removeprefix("−") if end.startswith("−") else _signed(-1.0, end)
                    for end in (high, low)
                )
            ways.append(OtherWay(asked, _signed(row["value"], much), f"{low} to {high}"))
    return ClaimRow(
        one, SAID_OF[tilt.verdict], f"{size} {unit}" if unit else DASH,
        panel.towards(value > 0) if value and unit else "", spread or DASH, these or DASH,
        widest if errors[largest] * POINTS >= TINY else DASH, moved, _signed(value, size),
        tuple(ways),
    )  # fmt: skip


def _signed(value: float, size: str) -> str:
    """A size with the sign of its value, unless it reads as nothing."""
    number = size[:1].isdigit() and any(digit in "123456789" for digit in size)
    return f"−{size}" if value < 0 and number else size
