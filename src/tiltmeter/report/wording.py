"""Every finding as one plain sentence; WORDS.md governs.

A sentence says what happened to sentences: how much first, then how sure, and on what it was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import UnavailableSystem
from tiltmeter.report.material import EVERYBODY, Compared
from tiltmeter.report.numbers import POINTS, count, interval, p_value, points, short
from tiltmeter.schemas import AVERAGE, FINDINGS

DETECTED, NOT_DETECTED, NOT_ESTIMABLE = (
    "difference detected",
    "no difference detected",
    "not estimable",
)
SAID = {
    "up": DETECTED, "down": DETECTED, "none": NOT_DETECTED, "not_estimable": NOT_ESTIMABLE,
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


def sides_of(row: Mapping[str, Any], phrases: Phrases) -> Sides:
    """How a finding's two groups are spoken of."""
    second = str(row["reference"])
    first = str(row["contrast"]).removesuffix(f"-{second}")
    axis = str(row["corpus"]), str(row["axis"])
    about, about_other = (phrases.get((*axis, g), f"marked “{g}”") for g in (first, second))
    average = second == AVERAGE and (*axis, second) not in phrases
    return Sides(about, EVERYBODY if average else about_other, average)


def sides_between(compared: Compared, axis: str, first: str, second: str) -> Sides:
    """How two groups of a corpus are spoken of."""
    about = compared.phrase(axis, first), compared.phrase(axis, second)
    return Sides(*about, compared.is_average(axis, second))


def sentence(row: Mapping[str, Any], sides: Sides) -> str:
    """One finding in one sentence."""
    where = f"{on_subset(str(row['subset']), str(row['task']))}"
    if row["significance"] == "not_estimable":
        return _capital(f"{where}{_not_estimable(row, sides)}")
    if not row["value"] and not row["se"]:
        return _capital(f"{where}{_same(row, sides)}")
    if row["significance"] == "none":
        return _capital(f"{where}{_none(row, sides)}")
    return _capital(f"{where}{_detected(row, sides)}", system=not where)


def on_subset(subset: str, task: str) -> str:
    """What a sentence about a subset begins with; nothing for all sentences.

    >>> on_subset("neutral", "valence"), on_subset("emotion:anger", "joy"), on_subset("all", "joy")
    ('on sentences without an emotion word, ', 'on sentences with words of anger, ', '')
    """
    kind, _, name = subset.partition(":")
    said = {
        "all": "",
        "neutral": "on sentences without an emotion word, ",
        "emotion": f"on sentences with {f'words of {name}' if name else 'an emotion word'}, ",
        "own-emotion": f"on sentences with words of {task}, ",
        "template": f"on sentences of template {name}, ",
    }
    return said.get(kind, f"on the subset {subset}, ")


def _detected(row: Mapping[str, Any], sides: Sides) -> str:
    size, spread = size_and_interval(row)
    alike = "" if row["se"] else f", by the same amount in all {count(row['n'], 'pair')}"
    return (
        f"{row['system']} scores {sides.scored(row['value'] > 0, size)}{alike} ({seen_on(row)}; "
        f"{spread}, {p_value(row['p_adjusted'])} after correction, {_pairs(row)})."
    )


def _none(row: Mapping[str, Any], sides: Sides) -> str:
    size, spread = size_and_interval(row)
    lean = f"{size} {sides.towards(row['value'] > 0)}" if row["value"] else "a mean of 0"
    could = ""
    if row["detectable"] is not None:
        could = f"; the data could have shown one of {_size(row['detectable'], row['unit'])}"
    return (
        f"no difference detected for {row['system']} between sentences {sides.first} and the same "
        f"sentences {sides.second} ({seen_on(row)}; {lean}, {spread}, "
        f"{p_value(row['p_adjusted'])} after correction, {_pairs(row)}{could})."
    )


def _same(row: Mapping[str, Any], sides: Sides) -> str:
    return (
        f"no difference detected for {row['system']}: it gives sentences {sides.first} and the "
        f"same sentences {sides.second} the same score in every pair ({seen_on(row)}; "
        f"{p_value(row['p_adjusted'])} after correction, {_pairs(row)})."
    )


def _not_estimable(row: Mapping[str, Any], sides: Sides) -> str:
    total = row["n"] + row["n_dropped"]
    why = (
        f"{row['n']:,} of {count(total, 'pair')} {'has' if row['n'] == 1 else 'have'} scores on "
        "both sides, and a test needs two"
    )
    return (
        f"not estimable for {row['system']}, sentences {sides.first} against the same sentences "
        f"{sides.second} ({seen_on(row)}): {why if total else 'there is no pair to compare'}."
    )


def size_and_interval(row: Mapping[str, Any]) -> tuple[str, str]:
    """How much, and its interval, in the unit people read."""
    size, start, end = told_from_above(row["value"], row["low"], row["high"], row["unit"])
    return amount(size, row["unit"]), f"95 % interval {start} to {end}"


def told_from_above(value: float, low: float, high: float, unit: str) -> tuple[str, str, str]:
    """A size without its sign, and its interval told from the side that is scored higher.

    >>> told_from_above(-0.0223, -0.0237, -0.0209, "scale")
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


def hangs_on_one(row: Mapping[str, Any]) -> bool:
    """Whether a difference at least halves, or turns, without one person or pair."""
    value, without = row["value"], row["without"]
    return bool(value) and (without * value <= 0 or abs(without) <= abs(value) / 2)


def _size(value: float, unit: str) -> str:
    return f"{points(value)} points" if unit == "scale" else f"{short(value)} of its own units"


def seen_on(row: Mapping[str, Any]) -> str:
    """On what a finding was seen: task, corpus, and an edition that is not the usual one."""
    edition = "" if row["edition"] == "corrected" else f", {row['edition']} edition"
    return f"{row['task']}, {row['corpus']}{edition}"


def _pairs(row: Mapping[str, Any]) -> str:
    dropped = f", {row['n_dropped']:,} dropped for a missing score" if row["n_dropped"] else ""
    return f"{count(row['n'], 'pair')}{dropped}"


def _capital(text: str, system: bool = False) -> str:
    """With a capital, unless the sentence begins with a system's own name."""
    return text if system else text[:1].upper() + text[1:]


def unavailable_said(failed: Iterable[UnavailableSystem], rated: bool = False) -> list[str]:
    """The systems of a run that could not be scored, a sentence each; first of all that is said.

    >>> unavailable_said([UnavailableSystem("a", "died", ("eec",))])
    ['a died. It is left out of eec.']
    """
    relative = " Ratings are relative to who is rated: with it the others may be rated otherwise."
    said = []
    for one in failed:
        of = f"left out of {', '.join(one.corpora)}" if one.corpora else "in no result here"
        said.append(f"{one.system} {one.why}. It is {of}.{relative if rated else ''}")
    return said
