"""What may be said past these sentences: verdicts counted, and both intervals side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.html.strip import told_size
from tiltmeter.report.html.submissions import KEYS, Panel, Submission, Told, Verdict
from tiltmeter.report.material import Material
from tiltmeter.report.numbers import DASH, POINTS, count, p_value, points
from tiltmeter.report.verdict_wording import SAID_OF, margin_told
from tiltmeter.report.wording import told_from_above

NAMED = 5
"""Tilted systems that the answer names."""
REST = {
    "even": "surely even within it",
    "undecided": "undecided",
    "no_signal": "without a signal",
    "not_estimable": "not estimable",
}
MEASURES = ("tilt_people", "tilt_templates", "tilt_words", "tilt_relabelled", "tilt_resampled")


@dataclass(frozen=True, slots=True)
class Held:
    """The verdicts of one contrast in a few words."""

    lead: str
    text: str
    tilted: tuple[tuple[str, str, str], ...] = ()
    """System, its address on the page, and how much for which task: the largest first."""
    more: str = ""
    """How many more there are than are named."""


@dataclass(frozen=True, slots=True)
class Row:
    """One submission's difference, for these sentences and for sentences like these."""

    submission: Submission
    size: str
    higher: str
    these: str
    like_these: str
    widest: str
    """Which draw would change it most."""
    dealt: str
    resampled: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Sampled:
    """One contrast of one corpus."""

    panel: Panel
    title: str
    units: str
    """How many people, templates and words there are."""
    rows: tuple[Row, ...]


def held(panels: Sequence[Panel], of: Sequence[Submission]) -> Held | None:
    """How many systems are tilted, even and undecided; None where nothing was held to a margin.

    `panels` is one contrast, or those of all groups of an axis beside the average of all.
    """
    judged = [
        (one, some, panel)
        for panel in panels
        for one in of
        if (some := one.told.get((panel.axis, panel.contrast))) and some.tilt is not None
    ]
    if not judged:
        return None
    verdicts = [some.tilt.verdict for _, some, _ in judged if some.tilt]
    margin = margin_told(next(some.tilt.margin for _, some, _ in judged if some.tilt))
    if len(judged) == 1 and (one := judged[0][1].tilt):
        return _one(one, margin)
    tilted = sorted(
        (found for found in judged if found[1].tilt and found[1].tilt.verdict == "tilted"),
        key=lambda found: -abs(found[1].value or 0.0),
    )
    named = tuple(
        (one.system, one.anchor, f"{one.task}, {_much(panel, some)}")
        for one, some, panel in tilted[:NAMED]
    )
    rest_of = len(tilted) - len(named)
    lead = f"{_many(len(tilted), len(judged))} by more than {margin}."
    rest = ", ".join(
        f"{many:,} {'is' if many == 1 else 'are'} {said}"
        for kind, said in REST.items()
        if (many := verdicts.count(kind))
    )
    more = f" and {rest_of:,} more" if rest_of else ""
    return Held(lead, f"{rest}." if rest else "", named, more)


def _many(tilted: int, of: int) -> str:
    """As in `1 of 9 surely tilts`: of those undecided nobody knows."""
    tilt = "tilts" if tilted < 2 else "tilt"
    return f"{f'{tilted:,}' if tilted else 'None'} of {of:,} surely {tilt}"


def _one(tilt: Verdict, margin: str) -> Held:
    """One system's verdict and its sentence."""
    leads = {
        "tilted": f"Tilted by more than {margin}.",
        "even": f"Even within {margin}.",
        "undecided": f"Undecided at a margin of {margin}.",
        "no_signal": "No signal.",
    }
    return Held(leads.get(tilt.verdict, "No verdict."), tilt.sentence)


def _much(panel: Panel, told: Told) -> str:
    size, unit, _ = told_size(told)
    return f"{size} {unit} {panel.towards((told.value or 0) > 0)}"


def sampled(
    material: Material, of: Sequence[Submission], by_corpus: Sequence[tuple[Panel, ...]]
) -> Iterator[Sampled]:
    """Every contrast of every corpus with both intervals of each submission."""
    if material.tilts is None or material.tilts.is_empty():
        return
    known = _known(material)
    for corpus, panels in enumerate(by_corpus):
        mine = [one for one in of if one.corpus == corpus]
        for panel in panels:
            rows = [_row(material, one, panel, known) for one in mine]
            kept = tuple(row for row in rows if row)
            if kept:
                title = material.compared[corpus].title if len(by_corpus) > 1 else ""
                yield Sampled(panel, title, _units(material, mine, panel, known), kept)


Known = Mapping[tuple[str, ...], Mapping[str, Any]]


def _known(material: Material) -> Known:
    """The estimates behind a tilt, by what they are of and their measure."""
    rows = material.estimates.filter(
        pl.col("measure").is_in(MEASURES), pl.col("subset") == material.subset
    )
    return {
        (*(str(row[name]) for name in KEYS), str(row["measure"])): row
        for row in rows.iter_rows(named=True)
    }


def _key(material: Material, one: Submission, panel: Panel) -> tuple[str, ...]:
    corpus = material.compared[one.corpus]
    return (one.system, one.task, corpus.name, corpus.edition, panel.axis, panel.contrast)


def _row(material: Material, one: Submission, panel: Panel, known: Known) -> Row | None:
    told = one.told.get((panel.axis, panel.contrast))
    if told is None or told.tilt is None or told.value is None:
        return None
    key = _key(material, one, panel)
    dealt, drawn = (known.get((*key, f"tilt_{name}"), {}) for name in ("relabelled", "resampled"))
    size, unit, _ = told_size(told)
    return Row(
        one,
        f"{size} {unit}",
        panel.towards(told.value > 0) if told.value else "",
        _interval(told.value, told.low, told.high, told.unit),
        _interval(told.value, told.tilt.low, told.tilt.high, told.unit),
        _widest(key, known),
        p_value(dealt.get("p")) if dealt else DASH,
        _interval(told.value, drawn.get("low"), drawn.get("high"), told.unit),
        SAID_OF[told.tilt.verdict],
    )


def _interval(value: float, low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None:
        return DASH
    _, start, end = told_from_above(value, low, high, unit)
    return f"{start} to {end}"


def _widest(key: tuple[str, ...], known: Known) -> str:
    """The source that alone would make the interval widest; a dash where none does anything."""
    sources = {
        name: float(known.get((*key, f"tilt_{name}"), {}).get("value") or 0.0)
        for name in ("people", "templates", "words")
    }
    name = max(sources, key=lambda one: sources[one])
    return f"{name} (±{points(1.96 * sources[name])})" if sources[name] * POINTS > 1e-4 else DASH


def _units(material: Material, of: Sequence[Submission], panel: Panel, known: Known) -> str:
    """What the mean is over."""
    for one in of:
        key = _key(material, one, panel)
        found = [known.get((*key, f"tilt_{name}")) for name in ("people", "templates", "words")]
        if all(found):
            people, templates, words = (int(row["n"]) for row in found if row)
            units = count(people, "person or pair of people", "people or pairs of people")
            return f"{units}, {count(templates, 'template')}, {count(words, 'emotion word')}"
    return ""
