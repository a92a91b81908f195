"""A change between two versions, or since a baseline, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from tiltmeter.claims.changes import ChangeVerdict, DriftVerdict, WhyUndecided
from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import POINTS, count, decimals, fixed, interval, p_value, points
from tiltmeter.report.phrases import called, listed
from tiltmeter.studies.paired.verdict_wording import COUPLES, by_whom, margin_text
from tiltmeter.studies.paired.wording import Phrases, Sides, seen_on, sides_of

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
    return ORDER.index(row["verdict"]), -coarsen(abs(row["size_change"] or 0.0))


def with_change_sentences(judged: pl.DataFrame, phrases: Phrases) -> pl.DataFrame:
    """The changes, each with its sentence."""
    texts = [sentence(row, sides_of(row, phrases)) for row in judged.iter_rows(named=True)]
    return judged.with_columns(sentence=pl.Series(texts, dtype=pl.String))


def sentence(row: Row, sides: Sides) -> str:
    """One change in one sentence."""
    if row["verdict"] == ChangeVerdict.NOT_ESTIMABLE:
        who = f"{versions(row)} {by_whom(row)}"
        return f"Not estimable for {who} ({seen_on(row)}): {row['reason']}."
    if row["verdict"] == ChangeVerdict.NO_SIGNAL:
        return f"No signal from {versions(row)} ({seen_on(row)}): {row['reason']}."
    whose = f"the {row['axis']} tilt of {versions(row)} {by_whom(row)}"
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    people = f"{count(row['n'], _people_unit(row))}{dropped}"
    old, new = (tilt(row[one], sides, places_of(row)) for one in ("old", "new"))
    from_to = f"from {old} to {new} ({seen_on(row)}"
    same = f"Same within {margin_text(row['margin'])}: {whose}"
    size, spread = change_interval(row)
    if row["verdict"] == ChangeVerdict.UNDECIDED:
        text = (
            f"Undecided: {whose} changed by {size} points, {from_to}; {spread}, {people}). "
            f"{why_open(row)}"
        )
    elif row["verdict"] != ChangeVerdict.SAME:
        size, spread = change_interval(row, "size_change", "size")
        worse = row["verdict"] == ChangeVerdict.WORSE
        text = (
            f"{'Worse' if worse else 'Better'}: {whose} {'grew' if worse else 'shrank'} by "
            f"{size.removeprefix('−')} points of 100, {from_to}; {spread}, "
            f"{p_value(row['p_size_adjusted'])} after correction, {people})."
        )
    elif row["change"] or row["change_se"]:
        around_0 = row["change_low"] <= 0 <= row["change_high"]
        text = (
            f"{same} changed by {size} points{'' if around_0 else ', surely but by less than that'}"
            f", {from_to}; {spread}, {p_value(row['p_same_adjusted'])} after correction, {people})."
        )
    else:
        now = f", {tilt(row['new'], sides)}" if row["unit"] == "scale" else ""
        text = f"{same} is as it was{now} ({seen_on(row)}; {NO_SPREAD}, {people})."
    return f"{text} Besides, {row['reason']}." if row["reason"] else text


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
    size, low, high = interval(row[value], row[f"{ends}_low"], row[f"{ends}_high"], POINTS)
    exact = row[f"{ends}_low"] == row[f"{ends}_high"]
    return size, NO_SPREAD if exact else f"95 % interval {low} to {high}"


def _people_unit(row: Row) -> str:
    return "couple" if row["subset"] == COUPLES else "name"


def why_open(row: Row) -> str:
    """Why a change is undecided, and what would decide it."""
    margin, unit = margin_text(row["margin"]), f"{_people_unit(row)}s"
    turned = row["old"] * row["new"] < 0
    start = "It turned around, and whether" if turned else "Whether"
    larger = f"{start} the tilt is now larger or smaller than it was is not shown."
    if turned and not row["total"] and not row["total_se"]:
        larger = "It turned around, and the tilt is as large as it was."
    why = {
        WhyUndecided.MAY_EXCEED: f"A change of more than {margin} fits the data too.",
        WhyUndecided.MOVED_MAY_EXCEED: f"It surely changed; by more than {margin} or by less is "
        "not shown.",
        WhyUndecided.MAY_BE_NONE: f"With other {unit} like these there may be no change.",
        WhyUndecided.MANY_LOOKS: "By itself this would be a change; allowing for all "
        f"{row['family']:,} comparisons made, there may be none.",
        WhyUndecided.WHICH_LARGER: f"It surely changed. {larger}",
    }
    needed = f"No number of {unit} would decide it."
    if row["needed_people"] is not None:
        many = f"{row['needed_people']:,.0f} {unit} (here {row['n']:,})"
        needed = f"If it is as seen, about {many} would decide it."
    return f"{why[row['undecided_because']]} {needed}"


def short_versions(row: Row) -> str:
    """The two versions in a table."""
    same = row["old_system"] == row["new_system"]
    return row["new_system"] if same else f"{row['old_system']} → {row['new_system']}"


def change_numbers(row: Row) -> list[str]:
    """Either tilt, the change and its interval, with the same decimals."""
    if row["change_low"] is None or row["unit"] != "scale":
        return ["–"] * 4
    change, low, high = interval(row["change"], row["change_low"], row["change_high"], POINTS)
    before, now = (fixed(POINTS * row[one], places_of(row)) for one in ("old", "new"))
    exact = row["change_low"] == row["change_high"]
    return [before, now, change, "exact" if exact else f"{low} to {high}"]


# ---------------------------------------------------------------- answers of a system asked again


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
        tilts = changes.filter(pl.col("verdict") != ChangeVerdict.SAME).height
        which = f"{tilts} of {count(changes.height, 'tilt')} may have"
        if set(answers["verdict"]) == {DriftVerdict.STEADY}:
            what = f"answers are steady, but {which}"
        else:
            what = f"answers and {which}" if tilts else "answers may have"
        return f"Undecided: {what} moved by {margin} or more."
    moved = []
    if DriftVerdict.DRIFTED in answers["verdict"].to_list():
        moved.append(f"answers moved by more than {margin} beyond noise")
    changed = changes.filter(pl.col("verdict").is_in([ChangeVerdict.BETTER, ChangeVerdict.WORSE]))
    if changed.height:
        moved.append(f"{changed.height} of {count(changes.height, 'tilt')} changed")
    elif not moved:
        moved.append(f"a tilt moved by more than {margin}")
    return f"Drifted: {' and '.join(moved)}."


def answers_sentence(row: Row) -> str:
    """How far one system's answers moved, beside its own noise."""
    where = f"({row['task']}, {row['corpus']})"
    if not row["texts"]:
        return f"{versions(row)} {where}: no text has an answer before and now."
    changed = f"{row['changed']:,} of {count(row['texts'], 'answer')} changed"
    start = f"{versions(row)} {where}: {changed}"
    if not row["changed"]:
        return f"{start}: every text has the answer of the baseline."
    apart = (
        f"{start}, the most by {_signed(row['largest'], row)}; an answer of then and one of now "
        f"are {_size(row['apart'], row)} apart on average"
    )
    if row["beyond"] is not None:
        apart = f"{apart}, two of one time {_size(row['noise'], row)}"
    if row["beyond"] is None or row["beyond_low"] is None:
        return f"{apart}. {_capital(row['reason'])}."
    beyond, low, high = interval(row["beyond"], row["beyond_low"], row["beyond_high"], _times(row))
    alike = row["beyond_low"] == row["beyond_high"]
    ends = "the same for every text," if alike else f"95 % interval {low} to {high}"
    noise = "no more than noise" if row["beyond_low"] <= 0 else "more than noise"
    if row["beyond_high"] < 0:
        noise = "the noise is larger than it was"
    return f"{apart}: {noise} ({beyond}{_score_unit(row)}, {ends} beyond it)."


def shift_words(row: Row) -> str:
    """The mean change with its direction and interval."""
    if row["shift"] is None:
        return "–"
    if not row["shift"]:
        return "0"
    if row["shift_low"] is None:
        return _signed(row["shift"], row)
    shift, low, high = interval(row["shift"], row["shift_low"], row["shift_high"], _times(row))
    return f"{shift}{_score_unit(row)} ({low} to {high})"


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


# ---------------------------------------------------------------- the head of a page


SHORTLY: dict[str, str] = {
    WhyUndecided.MAY_EXCEED: "more than {margin} fits the data too",
    WhyUndecided.MOVED_MAY_EXCEED: "whether by more than {margin} is open",
    WhyUndecided.MAY_BE_NONE: "with other {unit} it may not",
    WhyUndecided.MANY_LOOKS: "allowing for all comparisons it may not",
    WhyUndecided.WHICH_LARGER: "whether it grew is open",
}
"""Why a change is undecided, after how far the tilt was seen to move."""
SYSTEMS = ("old_system", "new_system")


def question(changes: pl.DataFrame) -> str:
    """What the page asks."""
    names = changes.select(SYSTEMS).unique(maintain_order=True).rows()
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
    return f"Of {count(changes.height, 'comparison')}: {', '.join(parts)}."


def _spoken(verdict: str, changes: pl.DataFrame) -> str:
    margins = changes["margin"].unique().to_list()
    if verdict == ChangeVerdict.SAME and len(margins) == 1:
        return f"same within {margin_text(margins[0])}"
    return SPOKEN[verdict]


FIRST = (ChangeVerdict.WORSE, ChangeVerdict.BETTER, *ORDER)
"""What the first screen shows first: what surely changed."""


def ranked(changes: pl.DataFrame) -> list[dict[str, Any]]:
    """Every change with its place among them (`nth`), what surely changed first, then by size.

    Of changes that are alike those of couples come first, then as they stand.
    """
    rows = changes.with_row_index("nth").to_dicts()
    sizes = [coarsen(abs(row["change"] or 0.0)) for row in rows]
    return sorted(
        rows,
        key=lambda row: (FIRST.index(row["verdict"]), -sizes[row["nth"]], row["subset"] != COUPLES),
    )


def lead(changes: pl.DataFrame, phrases: Phrases) -> str:
    """What the changes come to, in one sentence."""
    rows = ranked(changes)
    top, verdicts = rows[0], {row["verdict"] for row in rows}
    systems = {verdict: len({(row["old_system"], row["new_system"]) for row in rows
                             if row["verdict"] == verdict}) for verdict in verdicts}  # fmt: skip
    many = changes.select(SYSTEMS).n_unique()
    of = f" of {many} systems" if many > 1 else ""
    if verdicts == {ChangeVerdict.SAME}:
        exactly = all(row["change"] == 0 and row["change_se"] == 0 for row in rows)
        how = "exactly as it was" if exactly else _spoken(ChangeVerdict.SAME, changes)
        the = "the " if not exactly and how.startswith("same") else ""
        return f"{'Every tilt' if len(rows) > 1 else 'The tilt'}{of} is {the}{how}."
    whose = f"the {top['axis']} tilt {by_whom(top)}" if many == 1 else (
        f"the {top['axis']} tilt of {versions(top)} {by_whom(top)}"
    )  # fmt: skip
    if top["verdict"] in (ChangeVerdict.WORSE, ChangeVerdict.BETTER):
        grew = "grew" if top["verdict"] == ChangeVerdict.WORSE else "shrank"
        size = change_interval(top, "size_change", "size")[0].removeprefix("−")
        if many == 1:
            sides = sides_of(top, phrases)
            old, new = (tilt(top[one], sides, places_of(top)) for one in ("old", "new"))
            return f"{_capital(whose)} {grew} by {size} points: from {old} to {new}."
        counts = [
            f"{systems[verdict]} tilt {word} than before"
            for verdict, word in ((ChangeVerdict.WORSE, "more"), (ChangeVerdict.BETTER, "less"))
            if verdict in systems
        ]
        return f"Of {many} systems, {' and '.join(counts)}; {whose} {grew} most, by {size} points."
    if top["verdict"] == ChangeVerdict.UNDECIDED:
        size = change_interval(top)[0].removeprefix("−")
        why = SHORTLY[top["undecided_because"]].format(
            margin=margin_text(top["margin"]).removesuffix(" of 100"),
            unit=f"{_people_unit(top)}s",
        )
        if many > 1:
            open_ = sum(row["verdict"] == ChangeVerdict.UNDECIDED for row in rows)
            return (
                f"No tilt of {many} systems surely grew or shrank; {open_} of {len(rows):,} "
                f"{'is' if open_ == 1 else 'are'} undecided."
            )
        return f"Undecided: the {top['axis']} tilt moved by {size} points; {why}."
    return f"{_capital(SPOKEN[top['verdict']])}: {top['reason']}."


def unpaired_words(unpaired: pl.DataFrame) -> Iterator[str]:
    """What has no counterpart in the other audit."""
    for (audit,), part in unpaired.group_by("audit", maintain_order=True):
        names = [f"{system} ({task})" for system, task in part.select("system", "task").rows()]
        yield f"Only in the {audit} audit, so not compared: {listed(names, most=6)}."
