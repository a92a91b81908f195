"""A change between two versions, or since a baseline, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.claims.changes import ChangeVerdict, DriftVerdict, WhyUndecided
from tiltmeter.report.numbers import POINTS, count, decimals, fixed, interval, p_value, points
from tiltmeter.report.phrases import called, listed
from tiltmeter.studies.paired.verdict_wording import COUPLES, by_whom, margin_text
from tiltmeter.studies.paired.wording import Phrases, Sides, seen_on, sides_of

# A change between two versions as one plain sentence; WORDS.md governs


Row = Mapping[str, Any]

ORDER = (
    ChangeVerdict.WORSE, ChangeVerdict.UNDECIDED, ChangeVerdict.NO_SIGNAL,
    ChangeVerdict.NOT_ESTIMABLE, ChangeVerdict.BETTER, ChangeVerdict.SAME,
)  # fmt: skip
"""What a reader should see first."""

VERSIONS = ("old_system", "new_system", "task")
COMPARISON = (*VERSIONS, "corpus", "edition", "axis", "contrast", "subset")

NO_SPREAD = "exact: the same in every sentence"
"""Said of a change that does not vary, in place of an interval without width."""

SPOKEN: dict[str, str] = {
    ChangeVerdict.SAME: "same within the margin",
    ChangeVerdict.BETTER: "better",
    ChangeVerdict.WORSE: "worse",
    ChangeVerdict.UNDECIDED: "undecided",
    ChangeVerdict.NO_SIGNAL: "no signal",
    ChangeVerdict.NOT_ESTIMABLE: "not estimable",
}


def weight(row: Mapping[str, Any]) -> tuple[int, float]:
    """What sorts changes: the verdicts that matter most first, larger changes of size first."""
    return ORDER.index(row["verdict"]), -abs(row["size_change"] or 0.0)


def with_change_sentences(judged: pl.DataFrame, phrases: Phrases) -> pl.DataFrame:
    """The changes, each with its sentence."""
    told = [sentence(row, sides_of(row, phrases)) for row in judged.iter_rows(named=True)]
    return judged.with_columns(sentence=pl.Series(told, dtype=pl.String))


def sentence(row: Row, sides: Sides) -> str:
    """One change in one sentence."""
    if row["verdict"] == ChangeVerdict.NOT_ESTIMABLE:
        who = f"{versions(row)} {by_whom(row)}"
        return f"Not estimable for {who} ({seen_on(row)}): {row['reason']}."
    if row["verdict"] == ChangeVerdict.NO_SIGNAL:
        return f"No signal from {versions(row)} ({seen_on(row)}): {row['reason']}."
    says = {
        ChangeVerdict.SAME: _same,
        ChangeVerdict.BETTER: _resized,
        ChangeVerdict.WORSE: _resized,
        ChangeVerdict.UNDECIDED: _undecided,
    }
    besides = f" Besides, {row['reason']}." if row["reason"] else ""
    return f"{says[row['verdict']](row, sides)}{besides}"


def versions(row: Row) -> str:
    """The two versions: one name where both have it."""
    if row["old_system"] == row["new_system"]:
        return called(row["new_system"])
    return f"{called(row['old_system'])} → {called(row['new_system'])}"


def tilt(value: float | None, sides: Sides, places: int | None = None) -> str:
    """A tilt in words, with so many decimals: `0.10 points higher about women`.

    >>> sides = Sides("about women", "about men")
    >>> tilt(0.001, sides), tilt(-0.00003, sides, 1), tilt(0.0, sides)
    ('0.10 points higher about women', 'about 0', 'no difference')
    """
    if value is None:
        return "not estimable"
    if not value:
        return "no difference"
    size = points(abs(value)) if places is None else fixed(POINTS * abs(value), places)
    if not any(digit in "123456789" for digit in size):
        return "about 0"
    return f"{size} points {sides.towards(value > 0)}"


def places_of(row: Row) -> int:
    """How many decimals a change and both tilts are told with."""
    half = (row["change_high"] - row["change_low"]) / 2
    size = max(abs(row["change"]), half) or max(abs(row["old"]), abs(row["new"]))
    return decimals(POINTS * size)


def in_points(value: float) -> str:
    """A size with its unit.

    >>> in_points(0.01), in_points(0.0003)
    ('1.0 points', '0.030 points')
    """
    return f"{points(value)} points"


def change_interval(row: Row, value: str = "change", ends: str = "change") -> tuple[str, str]:
    """A change and its interval, in points."""
    told = interval(row[value], row[f"{ends}_low"], row[f"{ends}_high"], POINTS)
    if row[f"{ends}_low"] == row[f"{ends}_high"]:
        return told[0], NO_SPREAD
    return told[0], f"95 % interval {told[1]} to {told[2]}"


def _from_to(row: Row, sides: Sides) -> str:
    old, new = (tilt(row[one], sides, places_of(row)) for one in ("old", "new"))
    return f"from {old} to {new}"


def _people(row: Row) -> str:
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    return f"{count(row['n'], _people_unit(row))}{dropped}"


def _people_unit(row: Row) -> str:
    return "couple" if row["subset"] == COUPLES else "name"


def _whose(row: Row) -> str:
    """Which tilt it is: `the gender tilt of vader by names`."""
    return f"the {row['axis']} tilt of {versions(row)} {by_whom(row)}"


def _resized(row: Row, sides: Sides) -> str:
    """Better or worse: the tilt shrank or grew."""
    size, spread = change_interval(row, "size_change", "size")
    moved = "grew" if row["verdict"] == ChangeVerdict.WORSE else "shrank"
    word = "Worse" if row["verdict"] == ChangeVerdict.WORSE else "Better"
    return (
        f"{word}: {_whose(row)} {moved} by {size.removeprefix('−')} points of 100, "
        f"{_from_to(row, sides)} ({seen_on(row)}; {spread}, "
        f"{p_value(row['p_size_adjusted'])} after correction, {_people(row)})."
    )


def _same(row: Row, sides: Sides) -> str:
    start = f"Same within {margin_text(row['margin'])}: {_whose(row)}"
    if not row["change"] and not row["change_se"]:
        now = f", {tilt(row['new'], sides)}" if row["unit"] == "scale" else ""
        return f"{start} is as it was{now} ({seen_on(row)}; {NO_SPREAD}, {_people(row)})."
    size, spread = change_interval(row)
    sure = "" if row["change_low"] <= 0 <= row["change_high"] else ", surely but by less than that"
    return (
        f"{start} changed by {size} points{sure}, {_from_to(row, sides)} ({seen_on(row)}; "
        f"{spread}, {p_value(row['p_same_adjusted'])} after correction, {_people(row)})."
    )


def _undecided(row: Row, sides: Sides) -> str:
    size, spread = change_interval(row)
    return (
        f"Undecided: {_whose(row)} changed by {size} points, {_from_to(row, sides)} "
        f"({seen_on(row)}; {spread}, {_people(row)}). {why_open(row)}"
    )


def why_open(row: Row) -> str:
    """Why a change is undecided, and what would decide it."""
    margin = margin_text(row["margin"])
    why = {
        WhyUndecided.MAY_EXCEED: f"A change of more than {margin} fits the data too.",
        WhyUndecided.MOVED_MAY_EXCEED: f"It surely changed; by more than {margin} or by less is "
        "not shown.",
        WhyUndecided.MAY_BE_NONE: f"With other {_people_unit(row)}s like these there may be no "
        "change.",
        WhyUndecided.MANY_LOOKS: "By itself this would be a change; allowing for all "
        f"{row['family']:,} comparisons made, there may be none.",
        WhyUndecided.WHICH_LARGER: f"It surely changed. {_which_larger(row)}",
    }
    return f"{why[row['undecided_because']]} {needed(row)}"


def _which_larger(row: Row) -> str:
    """What is open where a change is certain."""
    turned = row["old"] * row["new"] < 0
    if turned and not row["total"] and not row["total_se"]:
        return "It turned around, and the tilt is as large as it was."
    start = "It turned around, and whether" if turned else "Whether"
    return f"{start} the tilt is now larger or smaller than it was is not shown."


def needed(row: Row) -> str:
    """How many people would decide it, if the change is as seen."""
    unit = f"{_people_unit(row)}s"
    if row["needed_people"] is None:
        return f"No number of {unit} would decide it."
    many = f"{row['needed_people']:,.0f} {unit} (here {row['n']:,})"
    return f"If it is as seen, about {many} would decide it."


def short_versions(row: Row) -> str:
    """The two versions in a table."""
    same = row["old_system"] == row["new_system"]
    return row["new_system"] if same else f"{row['old_system']} → {row['new_system']}"


def change_numbers(row: Row) -> list[str]:
    """Either tilt, the change and its interval, with the same decimals."""
    if row["change_low"] is None or row["unit"] != "scale":
        return ["–"] * 4
    told = interval(row["change"], row["change_low"], row["change_high"], POINTS)
    before, now = (fixed(POINTS * row[one], places_of(row)) for one in ("old", "new"))
    exact = row["change_low"] == row["change_high"]
    return [before, now, told[0], "exact" if exact else f"{told[1]} to {told[2]}"]


# What became of a system's answers, in plain sentences


SAID: dict[str, str] = {
    DriftVerdict.DRIFTED: "drifted",
    DriftVerdict.STEADY: "steady within the margin",
    DriftVerdict.UNDECIDED: "undecided",
    DriftVerdict.NOT_ESTIMABLE: "not estimable",
}


def drift_answer(verdict: str, answers: pl.DataFrame, changes: pl.DataFrame) -> str:
    """The verdict in one sentence."""
    margin = margin_text(answers["margin"][0])
    if verdict == DriftVerdict.STEADY:
        return f"Steady: neither the answers nor any tilt moved by {margin} beyond noise."
    if verdict == DriftVerdict.UNDECIDED:
        return f"Undecided: {_open(answers, changes)} moved by {margin} or more."
    what = []
    if DriftVerdict.DRIFTED in answers["verdict"].to_list():
        what.append(f"answers moved by more than {margin} beyond noise")
    tilts = changes.filter(pl.col("verdict").is_in([ChangeVerdict.BETTER, ChangeVerdict.WORSE]))
    many = f"{tilts.height} of {count(changes.height, 'tilt')} changed"
    if tilts.height or not what:
        what.append(many if tilts.height else f"a tilt moved by more than {margin}")
    return f"Drifted: {' and '.join(what)}."


def _open(answers: pl.DataFrame, changes: pl.DataFrame) -> str:
    """What may have moved, as far as the data tell."""
    tilts = changes.filter(pl.col("verdict") != ChangeVerdict.SAME).height
    of = f"{tilts} of {count(changes.height, 'tilt')} may have"
    if set(answers["verdict"]) == {DriftVerdict.STEADY}:
        return f"answers are steady, but {of}"
    return f"answers and {of}" if tilts else "answers may have"


def answers_sentence(row: Row) -> str:
    """How far one system's answers moved, beside its own noise."""
    where = f"({row['task']}, {row['corpus']})"
    if not row["texts"]:
        return f"{versions(row)} {where}: no text has an answer before and now."
    changed = f"{row['changed']:,} of {count(row['texts'], 'answer')} changed"
    start = f"{versions(row)} {where}: {changed}"
    if not row["changed"]:
        return f"{start}: every text has the answer of the baseline."
    return f"{start}, the most by {_signed(row['largest'], row)}; {_beyond(row)}"


def _beyond(row: Row) -> str:
    apart = f"an answer of then and one of now are {_size(row['apart'], row)} apart on average"
    if row["beyond"] is None:
        return f"{apart}. {_capital(row['reason'])}."
    apart = f"{apart}, two of one time {_size(row['noise'], row)}"
    if row["beyond_low"] is None:
        return f"{apart}. {_capital(row['reason'])}."
    told = interval(row["beyond"], row["beyond_low"], row["beyond_high"], _times(row))
    alike = row["beyond_low"] == row["beyond_high"]
    ends = "the same for every text," if alike else f"95 % interval {told[1]} to {told[2]}"
    spread = f"{told[0]}{_score_unit(row)}, {ends}"
    if row["beyond_high"] < 0:
        return f"{apart}: the noise is larger than it was ({spread} beyond it)."
    if row["beyond_low"] <= 0:
        return f"{apart}: no more than noise ({spread} beyond it)."
    return f"{apart}: more than noise ({spread} beyond it)."


def shift_words(row: Row) -> str:
    """The mean change with its direction and interval."""
    if row["shift"] is None:
        return "–"
    if not row["shift"]:
        return "0"
    if row["shift_low"] is None:
        return _signed(row["shift"], row)
    told = interval(row["shift"], row["shift_low"], row["shift_high"], _times(row))
    return f"{told[0]}{_score_unit(row)} ({told[1]} to {told[2]})"


def counts(row: Row) -> Iterator[tuple[str, str, str]]:
    """What a page shows large: label, number, what it means."""
    share = f"{100 * row['changed'] / row['texts']:.0f} %" if row["texts"] else "–"
    yield "answers changed", f"{row['changed']:,} of {row['texts']:,}", f"{share} of texts"
    yield "mean change", shift_words(row), "now minus then"
    yield "largest change", _signed(row["largest"], row), "of one text’s mean answer"
    yield "then and now apart", _size(row["apart"], row), "one answer of each, on average"
    if row["noise"] is not None:
        yield "its own noise", _size(row["noise"], row), "two answers at one time, on average"


def _times(row: Row) -> float:
    return POINTS if row["unit"] == "scale" else 1.0


def _score_unit(row: Row) -> str:
    return " points" if row["unit"] == "scale" else " of its own units"


def _size(value: float | None, row: Row) -> str:
    if value is None:
        return "–"
    size = points(abs(value)) if row["unit"] == "scale" else f"{abs(value):.3g}"
    return f"{size}{_score_unit(row)}"


def _signed(value: float, row: Row) -> str:
    return f"{'−' if value < 0 else '+'}{_size(value, row)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# The question of two versions and its answer, to be read in ten seconds


SHOWN = (
    ChangeVerdict.WORSE,
    ChangeVerdict.BETTER,
    ChangeVerdict.NO_SIGNAL,
    ChangeVerdict.NOT_ESTIMABLE,
)
"""Of many changes, those that are told."""
FEW = 6
"""Changes that are each told in full at the head of the page."""


@dataclass(frozen=True, slots=True)
class ChangeCard:
    """One change at the head of the page."""

    title: str
    verdict: str
    sentence: str


def question(changes: pl.DataFrame) -> str:
    """What the page asks."""
    names = changes.select("old_system", "new_system").unique(maintain_order=True).rows()
    if len(names) == 1:
        old, new = names[0]
        between = "between two audits of " + called(new) if old == new else (
            f"from {called(old)} to {called(new)}"
        )  # fmt: skip
        return f"Did the tilt change {between}?"
    return f"Did the tilt change in these {len(names)} systems?"


def answer(changes: pl.DataFrame) -> str:
    """How many changes have each verdict, the weightiest first."""
    many = changes["verdict"].value_counts().rows()
    counts = {str(verdict): int(number) for verdict, number in many}
    if changes.height == 1:
        return f"{_capital(_spoken(next(iter(counts)), changes))}."
    parts = [f"{counts[one]} {_spoken(one, changes)}" for one in ORDER if one in counts]
    of = f"Of {count(changes.height, 'comparison')}: "
    return f"{of}{', '.join(parts)}."


def _spoken(verdict: str, changes: pl.DataFrame) -> str:
    margins = changes["margin"].unique().to_list()
    if verdict == ChangeVerdict.SAME and len(margins) == 1:
        return f"same within {margin_text(margins[0])}"
    return SPOKEN[verdict]


def cards(changes: pl.DataFrame) -> list[ChangeCard]:
    """Every change where there are few; else those that are worse, better or cannot be judged."""
    rows = sorted(changes.to_dicts(), key=weight)
    if len(rows) > FEW:
        rows = [row for row in rows if row["verdict"] in SHOWN][:FEW]
    return [ChangeCard(_title(row, rows), row["verdict"], row["sentence"]) for row in rows]


def _title(row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """What tells a change from the others: axis, people, contrast, versions, task, corpus."""
    names = ("new_system", "task", "corpus")
    apart = [called(str(row[name])) for name in names if len({one[name] for one in rows}) > 1]
    several = len({one["contrast"] for one in rows if one["axis"] == row["axis"]}) > 1
    whom = f"{row['axis']} {by_whom(row)}"
    return " · ".join([whom, *([row["contrast"]] if several else ()), *apart])


def unpaired_words(unpaired: pl.DataFrame) -> Iterator[str]:
    """What has no counterpart in the other audit."""
    for (audit,), part in unpaired.group_by("audit", maintain_order=True):
        names = [f"{system} ({task})" for system, task in part.select("system", "task").rows()]
        yield f"Only in the {audit} audit, so not compared: {listed(names, most=6)}."
