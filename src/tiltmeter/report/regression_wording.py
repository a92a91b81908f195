"""Every effect of a regression as one plain sentence; WORDS.md governs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from tiltmeter.report.numbers import count, p_value, points
from tiltmeter.report.wording import Phrases, amount, size_and_interval
from tiltmeter.tables import FINDINGS

AVERAGE = "average"
"""What a group is held against where there is no reference group."""
UNSETTLED = "the mixed model could not be fitted: too little varies, or too few of its parts do"
"""Where a Beta regression could be fitted and the model that was asked for could not."""
STARS = ((0.01, "***"), (0.05, "**"), (0.10, "*"))
"""p at or below each has these stars, as in Câmara et al. (2022)."""


def stars(p: float | None) -> str:
    """The paper's stars of a p-value.

    >>> stars(0.01), stars(0.05), stars(0.1), stars(0.11), stars(None)
    ('***', '**', '*', '', '')
    """
    return "" if p is None else next((mark for most, mark in STARS if p <= most), "")


def with_regression_sentences(
    judged: pl.DataFrame, phrases: Phrases, fits: pl.DataFrame
) -> pl.DataFrame:
    """The findings table of a regression: what was judged, each with its sentence.

    `fits` has system, task, corpus, people, templates and the reason where there is no fit.
    """
    by_key = {
        (row["system"], row["task"], row["corpus"]): row for row in fits.iter_rows(named=True)
    }
    sentences = [
        effect_sentence(row, phrases, by_key[row["system"], row["task"], row["corpus"]])
        for row in judged.iter_rows(named=True)
    ]
    told = judged.with_columns(sentence=pl.Series(sentences, dtype=pl.String))
    return told.select(*FINDINGS.columns)


def effect_sentence(row: Mapping[str, Any], phrases: Phrases, fit: Mapping[str, Any]) -> str:
    """One effect in one sentence."""
    if row["significance"] == "not_estimable":
        what, why = _compared(row, phrases), fit["reason"] or UNSETTLED
        return f"Cannot be estimated for {row['system']}, {what} ({_seen_on(row)}), because {why}."
    size, spread = size_and_interval(row)
    sure = f"{spread}, {p_value(row['p_adjusted'])} after correction"
    where = f"({_seen_on(row)}; {sure}, {_from(row, fit)})."
    if row["significance"] == "none":
        what = _compared(row, phrases)
        lean = f"; {_told(row, phrases, size)}" if row["value"] else ""
        could = ""
        if row["detectable"] is not None:
            could = f"; the data could have shown one of {_points(row)}"
        inside = f"({_seen_on(row)}{lean}, {sure}, {_from(row, fit)}{could})."
        return f"No difference detected for {row['system']}, {what} {inside}"
    return f"{row['system']}: {_told(row, phrases, size)} {where}"


def parts_of(row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Axis, group and what it is held against, for each axis of an effect.

    >>> parts_of({"axis": "gender:race", "contrast": "female-male:Arab-Anglo",
    ...           "reference": "male:Anglo"})
    [('gender', 'female', 'male'), ('race', 'Arab', 'Anglo')]
    """
    axes = str(row["axis"]).split(":")
    seconds = _split(str(row["reference"]), len(axes))
    contrasts = _split(str(row["contrast"]), len(axes))
    return [
        (axis, contrast.removesuffix(f"-{second}"), second)
        for axis, contrast, second in zip(axes, contrasts, seconds, strict=True)
    ]


def _split(text: str, many: int) -> list[str]:
    """The parts of a product; kept whole where a group's own name holds a colon."""
    parts = text.split(":")
    return parts if len(parts) == many else [text, *[""] * (many - 1)]


def _compared(row: Mapping[str, Any], phrases: Phrases) -> str:
    """What is compared: `sentences about women and about men`."""
    parts = parts_of(row)
    first, second = _sides(row, parts[0], phrases)
    if len(parts) == 1:
        return f"sentences {first} and {second}"
    others = " and ".join(_sides(row, part, phrases)[0] for part in parts[1:])
    beside = " and ".join(_sides(row, part, phrases)[1] for part in parts[1:])
    return f"the difference between sentences {first} and {second}, {others} beside {beside}"


def _told(row: Mapping[str, Any], phrases: Phrases, size: str) -> str:
    """What happened, with its size."""
    parts, up = parts_of(row), row["value"] > 0
    first, second = _sides(row, parts[0], phrases)
    if len(parts) == 1:
        more, less = (first, second) if up else (second, first)
        return f"sentences {more} are scored {size} higher than sentences {less}"
    others = " and ".join(_sides(row, part, phrases)[0] for part in parts[1:])
    beside = " and ".join(_sides(row, part, phrases)[1] for part in parts[1:])
    more = "more" if up else "less"
    return (
        f"what sentences {first} are scored above those {second} is {size} {more} {others} than "
        f"{beside}"
    )


def _sides(row: Mapping[str, Any], part: tuple[str, str, str], phrases: Phrases) -> tuple[str, str]:
    axis, group, second = part
    key = str(row["corpus"]), axis
    first = phrases.get((*key, group), f"marked “{group}”")
    if second == AVERAGE and (*key, second) not in phrases:
        return first, "of all groups on average"
    return first, phrases.get((*key, second), f"marked “{second}”")


def _from(row: Mapping[str, Any], fit: Mapping[str, Any]) -> str:
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    people = f"{count(fit['people'], 'name')} in {count(fit['templates'], 'template')}"
    return f"{count(row['n'], 'sentence')}{dropped}, {people}"


def _points(row: Mapping[str, Any]) -> str:
    return amount(points(row["detectable"]), "scale")


def _seen_on(row: Mapping[str, Any]) -> str:
    edition = "" if row["edition"] == "corrected" else f", {row['edition']} edition"
    return f"{row['task']}, {row['corpus']}{edition}"
