"""What became of a system's answers, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from tiltmeter.report.numbers import POINTS, count, interval, points
from tiltmeter.report.verdict_wording import margin_told
from tiltmeter.report.versions.wording import versions

Row = Mapping[str, Any]

SAID = {
    "drifted": "drifted",
    "steady": "steady within the margin",
    "undecided": "undecided",
    "not_estimable": "not estimable",
}


def drift_answer(verdict: str, answers: pl.DataFrame, changes: pl.DataFrame) -> str:
    """The verdict in one sentence."""
    margin = margin_told(answers["margin"][0])
    if verdict == "steady":
        return f"Steady: neither the answers nor any tilt moved by {margin} beyond noise."
    if verdict == "undecided":
        return f"Undecided: {_open(answers, changes)} moved by {margin} or more."
    what = []
    if "drifted" in answers["verdict"].to_list():
        what.append(f"answers moved by more than {margin} beyond noise")
    tilts = changes.filter(pl.col("verdict").is_in(["better", "worse"]))
    many = f"{tilts.height} of {count(changes.height, 'tilt')} changed"
    if tilts.height or not what:
        what.append(many if tilts.height else f"a tilt moved by more than {margin}")
    return f"Drifted: {' and '.join(what)}."


def _open(answers: pl.DataFrame, changes: pl.DataFrame) -> str:
    """What may have moved, as far as the data tell."""
    tilts = changes.filter(pl.col("verdict") != "same").height
    of = f"{tilts} of {count(changes.height, 'tilt')} may have"
    if set(answers["verdict"]) == {"steady"}:
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
    spread = f"{told[0]}{_unit(row)}, {ends}"
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
    return f"{told[0]}{_unit(row)} ({told[1]} to {told[2]})"


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


def _unit(row: Row) -> str:
    return " points" if row["unit"] == "scale" else " of its own units"


def _size(value: float | None, row: Row) -> str:
    if value is None:
        return "–"
    size = points(abs(value)) if row["unit"] == "scale" else f"{abs(value):.3g}"
    return f"{size}{_unit(row)}"


def _signed(value: float, row: Row) -> str:
    return f"{'−' if value < 0 else '+'}{_size(value, row)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
