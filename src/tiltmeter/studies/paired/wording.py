"""Every finding as one plain sentence; ranks, repeats and stored scores in words.

A sentence says what happened to sentences: how much first, then how sure, and on what it was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import POINTS, count, interval, p_value, points, short
from tiltmeter.report.phrases import on_subset
from tiltmeter.schemas import AVERAGE, FINDINGS, Significance
from tiltmeter.studies.paired.results import EVERYBODY, AuditResults, CorpusComparisons

DETECTED, NOT_DETECTED, NOT_ESTIMABLE = (
    "difference detected",
    "no difference detected",
    "not estimable",
)
SAID = {
    Significance.UP: DETECTED, Significance.DOWN: DETECTED, Significance.NONE: NOT_DETECTED,
    Significance.NOT_ESTIMABLE: NOT_ESTIMABLE,
    "untested": "not tested over other sentences",
}  # fmt: skip
"""What a significance is called."""

DUST = 1e-6
"""Part of the scale below which a difference is nothing."""

Phrases = Mapping[tuple[str, str, str], str]
"""By corpus, axis and group: what follows "sentences", as in "about women"."""


@dataclass(frozen=True, slots=True)
class Sides:
    """How the two groups of a contrast are spoken of."""

    first: str
    second: str
    average: bool = False
    """Whether the second is no group, but the average of all."""

    def higher(self, up: bool) -> str:
        """The group that is scored higher: `about women`."""
        return self.first if up else self.second

    def towards(self, up: bool) -> str:
        """Who is scored higher; beside the average of all, whether the group is, or lower.

        >>> Sides("about women", "about men").towards(False)
        'higher about men'
        >>> Sides("about women", EVERYBODY, average=True).towards(False)
        'lower about women'
        """
        return f"lower {self.first}" if self.average and not up else f"higher {self.higher(up)}"

    def scored(self, up: bool, size: str) -> str:
        """What happened, after "scores".

        >>> Sides("about women", "about men").scored(False, "2 points of 100")
        'sentences about men 2 points of 100 higher than the same sentences about women'
        >>> Sides("about women", EVERYBODY, average=True).scored(False, "2 points of 100")
        'sentences about women 2 points of 100 lower than the same sentences of all groups on \
average'
        """
        if self.average and not up:
            return f"sentences {self.first} {size} lower than the same sentences {self.second}"
        more, less = self.higher(up), self.higher(not up)
        return f"sentences {more} {size} higher than the same sentences {less}"


def with_sentences(judged: pl.DataFrame, phrases: Phrases) -> pl.DataFrame:
    """The findings table: what was judged, each with its sentence."""
    sentences = [sentence(row, sides_of(row, phrases)) for row in judged.iter_rows(named=True)]
    told = judged.with_columns(sentence=pl.Series(sentences, dtype=pl.String))
    return told.select(*FINDINGS.columns)


def contrast_groups(row: Mapping[str, Any]) -> tuple[str, str]:
    """Both groups of a finding's contrast.

    >>> contrast_groups({"contrast": "African American-European American",
    ...                  "reference": "European American"})
    ('African American', 'European American')
    """
    second = str(row["reference"])
    return str(row["contrast"]).removesuffix(f"-{second}"), second


def sides_of(row: Mapping[str, Any], phrases: Phrases) -> Sides:
    """How a finding's two groups are spoken of."""
    groups = contrast_groups(row)
    axis = str(row["corpus"]), str(row["axis"])
    first, second = (phrases.get((*axis, group), f"marked “{group}”") for group in groups)
    average = groups[1] == AVERAGE and (*axis, AVERAGE) not in phrases
    return Sides(first, EVERYBODY if average else second, average)


def sides_between(compared: CorpusComparisons, axis: str, first: str, second: str) -> Sides:
    """How two groups of a corpus are spoken of."""
    about = compared.phrase(axis, first), compared.phrase(axis, second)
    return Sides(*about, compared.is_average(axis, second))


def sentence(row: Mapping[str, Any], sides: Sides) -> str:
    """One finding in one sentence; with a capital, unless it begins with a system's own name."""
    where = on_subset(str(row["subset"]), str(row["task"]))
    system, value, seen = row["system"], row["value"], seen_on(row)
    pairs = count(row["n"], "pair")
    if row["significance"] == Significance.NOT_ESTIMABLE:
        total, have = row["n"] + row["n_dropped"], "has" if row["n"] == 1 else "have"
        why = "there is no pair to compare"
        if total:
            scored = f"{row['n']:,} of {count(total, 'pair')} {have} scores on both sides"
            why = f"{scored}, and a test needs two"
        return _capital(
            f"{where}not estimable for {system}, sentences {sides.first} against the same "
            f"sentences {sides.second} ({seen}): {why}."
        )
    dropped = f", {row['n_dropped']:,} dropped for a missing score" if row["n_dropped"] else ""
    tested = f"{p_value(row['p_adjusted'])} after correction, {pairs}{dropped}"
    if not value and not row["se"]:
        return _capital(
            f"{where}no difference detected for {system}: it gives sentences {sides.first} and "
            f"the same sentences {sides.second} the same score in every pair ({seen}; {tested})."
        )
    size, spread = size_and_interval(row)
    if row["significance"] == Significance.NONE:
        lean = f"{size} {sides.towards(value > 0)}" if value else "a mean of 0"
        could = ""
        if row["detectable"] is not None:
            could = f"; the data could have shown one of {_size(row['detectable'], row['unit'])}"
        return _capital(
            f"{where}no difference detected for {system} between sentences {sides.first} and the "
            f"same sentences {sides.second} ({seen}; {lean}, {spread}, {tested}{could})."
        )
    alike = "" if row["se"] else f", by the same amount in all {pairs}"
    text = f"{system} scores {sides.scored(value > 0, size)}{alike} ({seen}; {spread}, {tested})."
    return f"{_capital(where)}{text}"


def size_and_interval(row: Mapping[str, Any]) -> tuple[str, str]:
    """How much, and its interval, in the unit people read."""
    size, start, end = interval_towards_higher(row["value"], row["low"], row["high"], row["unit"])
    return amount(size, row["unit"]), f"95 % interval {start} to {end}"


def interval_towards_higher(
    value: float, low: float, high: float, unit: str
) -> tuple[str, str, str]:
    """A size without its sign, and its interval told from the side that is scored higher.

    >>> interval_towards_higher(-0.0223, -0.0237, -0.0209, "scale")
    ('2.2', '2.1', '2.4')
    """
    on_scale = unit == "scale"
    start, end = (low, high) if value >= 0 else (-high, -low)
    told = interval(abs(value), start, end, POINTS if on_scale else 1.0)
    if value and not told[0].strip("0.,"):
        return (points(abs(value)) if on_scale else short(abs(value))), *told[1:]
    return told


def amount(size: str, unit: str) -> str:
    """A size with its unit.

    >>> amount("2.2", "scale"), amount("1", "scale"), amount("12", "native")
    ('2.2 points of 100', '1 point of 100', '12 of its own units')
    """
    if unit != "scale":
        return f"{size} of its own units"
    return f"{size} {'point' if size == '1' else 'points'} of 100"


def rests_on(row: Mapping[str, Any], unit: str, sides: Sides) -> str:
    """What a difference would be without whom it depends on most; nothing if the same, or 0."""
    value, without = row["value"], row["without"]
    if not value:
        return ""
    now = f"{_size(abs(value), unit)} {sides.towards(value > 0)}"
    left = f"{_size(abs(without), unit)} {sides.towards(without > 0)}"
    if abs(without) < DUST * max(abs(value), 1.0 if unit == "scale" else 0.0):
        left = "0"
    if left == now:
        return ""
    return (
        f"Over all sentences the difference is {now}. It depends most on sentences with "
        f"“{row['person']}”; without them it would be {left}."
    )


def driven_by_one_person(row: Mapping[str, Any]) -> bool:
    """Whether a difference at least halves, or turns, without one person or pair."""
    value, without = row["value"], row["without"]
    return bool(value) and (without * value <= 0 or abs(without) <= abs(value) / 2)


def _size(value: float, unit: str) -> str:
    return f"{points(value)} points" if unit == "scale" else f"{short(value)} of its own units"


def seen_on(row: Mapping[str, Any]) -> str:
    """On what a finding was seen: task, corpus, and an edition that is not the usual one."""
    edition = "" if row["edition"] == "corrected" else f", {row['edition']} edition"
    return f"{row['task']}, {row['corpus']}{edition}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Places:
    """The best and the worst rank that the data allow a system, among how many."""

    best: int
    worst: int
    of: int

    @property
    def said(self) -> str:
        """The places, as in `3–17 of 219`.

        >>> Places(3, 17, 219).said, Places(1, 1, 2).said
        ('3–17 of 219', '1 of 2')
        """
        return f"{self.between} of {self.of:,}"

    @property
    def between(self) -> str:
        """The places alone, as in `3–17`."""
        return f"{self.best:,}" if self.best == self.worst else f"{self.best:,}–{self.worst:,}"


def places_of(row: Mapping[str, Any]) -> Places | None:
    """A row's places; None where it has none."""
    found = [row.get(name) for name in ("rank_best", "rank_worst", "of")]
    if None in found:
        return None
    best, worst, of = (int(one) for one in found if one is not None)
    return Places(best, worst, of)


OF_ONE = ("system", "task", "corpus", "edition")
MOST = 12
"""Systems that are told of; the numbers of all are in the files."""


def noise_sentences(material: AuditResults) -> list[str]:
    """A sentence for each system that was asked more than once, the noisiest first.

    How far answers to one sentence stand apart, and what that adds to each difference.
    """
    if material.labels is None:
        return []
    found = list[tuple[float, str]]()
    repeats = material.labels.filter(pl.col("measure").is_in(["retest", "retest_sd"]))
    for (system, task, corpus, _), part in repeats.group_by(OF_ONE, maintain_order=True):
        added, spread = (part.filter(measure=name) for name in ("retest", "retest_sd"))
        if added.is_empty() or spread.is_empty():
            continue
        on_scale, sd = spread["unit"][0] == "scale", float(spread["value"][0])
        number, unit = (points, "points") if on_scale else (short, "of its own units")
        asked = f"{system} ({task}, {corpus}) was asked {added['n'][0]} times"
        by_axis = ", ".join(
            f"{number(value)} for {axis}" for axis, value in added.select("axis", "value").rows()
        )
        found.append((sd, (
            f"{asked}. Its answers to the same sentence differ by {number(sd)} {unit} (standard "
            "deviation); that alone adds to the standard error of the mean difference "
            f"{by_axis}. Both intervals hold it already."
        ) if sd else f"{asked} and answered the same each time."))  # fmt: skip
    return [text for _, text in sorted(found, key=lambda one: -coarsen(one[0]))[:MOST]]


Facts = Mapping[str, Any]
"""As in `stored_scores` of an audit's environment: system, task, corpus, used, first and last (when
they were written), asked_again, agreement, reason, few_for_price."""

FOUND = {
    "same": "the same",
    "vary": "answers vary from one asking to the next; --repeat measures by how much",
}
NAMED = 3
"""Systems that are named before the rest is only counted."""


def moment_text(moment: str, today: datetime | None = None) -> str:
    """A moment to the minute: on `today` in its time zone and, in its year, without it; else UTC.

    >>> moment_text("2026-11-16T22:53:01+00:00")
    '16 Nov 2026 22:53 UTC'
    """
    if today is None:
        return f"{datetime.fromisoformat(moment).astimezone(UTC):%-d %b %Y %H:%M} UTC"
    here = datetime.fromisoformat(moment).astimezone(today.tzinfo)
    return f"{here:%-d %b %H:%M}" if here.year == today.year else f"{here:%-d %b %Y}"


def stored_sentence(facts: Facts, today: datetime | None = None) -> str:
    """A system's stored scores in a line; on `today`, in its time zone, else in UTC.

    >>> stored_sentence({"used": 8640, "first": "2026-11-16T22:53:01+00:00",
    ...     "last": "2026-11-16T22:53:09+00:00", "asked_again": 16, "agreement": "same"})
    '8,640 stored scores of 16 Nov 2026 22:53 UTC used, 16 asked again: the same'
    """
    ends = (facts.get(name) for name in ("first", "last"))
    times = [moment_text(end, today) for end in ends if end]
    when = f" of {' to '.join(dict.fromkeys(times))}" if times else ""
    used = f"{count(facts['used'], 'stored score')}{when} used"
    again, agreement = facts.get("asked_again", 0), facts.get("agreement")
    if agreement == "no answer":
        return f"{used}; {again:,} were to be asked again, without an answer: {facts['reason']}"
    if agreement in FOUND:
        few = "only " * bool(facts.get("few_for_price"))
        why = ", since each has a price" * bool(few)
        return f"{used}, {few}{again:,} asked again{why}: {FOUND[agreement]}"
    if agreement == "not wanted":
        return f"{used}, none asked again, as --reuse stored says"
    return f"{used}, none asked again (see --check)"


def stored_lines(every: Iterable[Facts], today: datetime | None = None) -> Iterator[str]:
    """The same of several systems, each sentence once with all that it is true of."""
    whose: dict[str, dict[str, None]] = {}
    for one in every:
        whose.setdefault(stored_sentence(one, today), {})[str(one["system"])] = None
    for said, those in whose.items():
        names = list(those)
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        yield f"{', '.join(names[:NAMED])}{more}: {said}"
