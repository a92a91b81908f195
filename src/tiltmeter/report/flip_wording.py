"""What labels come to, in words: for the page and the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.report.numbers import POINTS, count, decimals, fixed, p_value
from tiltmeter.report.wording import Sides, told_from_above

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


def past_these(row: Row, sides: Sides, several: bool = False) -> str:
    """The label tilt over people, templates and words.

    >>> row = {"label_tilt": -0.008, "label_tilt_low": -0.04, "label_tilt_high": 0.024,
    ...        "label_tilt_p": 0.58}
    >>> past_these(row, Sides("about women", "about men"))
    'positive 0.8 in 100 more often in sentences about men (−2.4 to 4.0), p = 0.58'
    >>> past_these(row, Sides("about women", "of all groups on average", average=True))
    'positive 0.8 in 100 less often in sentences about women (−2.4 to 4.0), p = 0.58'
    """
    value, low, high = (row[f"label_tilt{end}"] for end in ("", "_low", "_high"))
    if value is None or low is None:
        return ""
    size, start, end = told_from_above(value, low, high, "scale")
    if not value:
        return f"as often positive ({start} to {end})"
    what = "labels" if several else "positive"
    lower = sides.average and value < 0
    more = ("lower", "less often") if lower else ("higher", "more often")
    how = f"of 100 {more[0]}" if several else f"in 100 {more[1]}"
    whose = f"in sentences {sides.first if lower else sides.higher(value > 0)}"
    told = f"{what} {size} {how} {whose} ({start} to {end})"
    return f"{told}, {p_value(row['label_tilt_p'])}"


def gap_said(row: Row, about: tuple[str, str], several: bool = False) -> str:
    """The largest gap, and what chance alone gives."""
    shares = [fixed(POINTS * row[f"share_{side}"], 1) for side in ("first", "second")]
    gap = fixed(POINTS * row["gap"], 1)
    what = "label average" if several else "positive in"
    ends = ""
    if row["low"] is not None:
        ends = " to ".join(fixed(POINTS * row[name], 1) for name in ("low", "high")) + "; "
    chance, far = (fixed(POINTS * row[name], 1) for name in ("by_chance", "by_chance_high"))
    sides = f"{shares[0]} of 100 sentences {about[0]}, {shares[1]} of 100 {about[1]}"
    return (
        f"{what} {sides}: {gap} apart ({ends}chance alone gives {chance}, and in one case of "
        f"twenty more than {far}; {p_value(row['p'])})"
    )


def repeats_said(row: Row) -> str:
    """How much of it is the system's own noise; nothing where it was asked once.

    >>> repeats_said({"flips_once": 0.031, "retest_flips": 0.028})
    'within one answer the sides differ in 3.1 % of pairs, between two answers one side in 2.8 %'
    """
    if row.get("retest_flips") is None or row.get("flips_once") is None:
        return ""
    once, again = (fixed(POINTS * row[name], 1) for name in ("flips_once", "retest_flips"))
    return (
        f"within one answer the sides differ in {once} % of pairs, "
        f"between two answers one side in {again} %"
    )
