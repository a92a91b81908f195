"""Outputs that systems gave elsewhere, as the groups of a rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora import (
    RATING_GROUPS,
    RatingResults,
    load_rating_group,
)
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.rating_groups import phrases_of
from tiltmeter.measures import (
    SENTIMENT,
    WORD,
    Diagram,
    RatingGroup,
    stored_group,
)
from tiltmeter.systems import SIGNED, UNIT, Scale, Scales

NUMBERED = {name.removeprefix("rating-"): name for name in RATING_GROUPS}


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored outputs ready to be rated."""

    groups: list[RatingGroup]
    systems: list[str]
    scales: dict[str, Scale]
    notes: tuple[str, ...]
    phrases: dict[str, dict[str, dict[str, str]]]
    """How the numbered groups' corpora speak of their people, by attribute and class."""


def stored_groups(results: RatingResults, wanted: Sequence[str], declared: Scales) -> Stored:
    """The groups that are wanted, all where none is named; each system's rows are its own."""
    there = list(dict.fromkeys(group for group, _ in results.datasets))
    if absent := [name for name in wanted if name not in there]:
        found = ", ".join(there)
        raise TiltmeterError(f"--groups asks for {absent[0]!r}; the stored outputs hold {found}")
    systems = list(results.systems)
    scales = _scales(results.ranges, declared)
    groups = [
        _group(name, results, systems, scales) for name in there if not wanted or name in wanted
    ]
    _check_words(groups, there)
    notes = (*results.notes, *_told(scales, declared), *_outside(results, scales))
    phrases = {
        one.name: phrases_of(load_rating_group(NUMBERED[one.name]))
        for one in groups
        if one.name in NUMBERED
    }
    return Stored(groups, systems, scales, notes, phrases)


def _check_words(groups: Sequence[RatingGroup], there: Sequence[str]) -> None:
    """Refuse a group that is rated by its emotion words where these are not said."""
    lacking = [
        group.name
        for group in groups
        if group.confounded and group.sentences["polarity"].null_count()
    ]
    if lacking:
        what = f"group {lacking[0]}: words depend on the person there, so it is rated by them"
        others = ",".join(name for name in there if name not in lacking)
        leave = f", or rate the others: --groups {others}" if others else ""
        raise TiltmeterError(f"{what}; expected a column 'Emotion' in its files{leave}")


def _scales(ranges: Mapping[str, tuple[float, float]], declared: Scales) -> dict[str, Scale]:
    """Each system's scale, declared or inferred from all its scores."""
    declared.check(ranges)
    return {
        system: declared.of(system) or _inferred(system, *ends) for system, ends in ranges.items()
    }


def _inferred(system: str, low: float, high: float) -> Scale:
    """0..1 or −1..1, whichever holds all of a system's scores."""
    for one in (UNIT, SIGNED):
        if one.low <= low and high <= one.high:
            return one
    what = f"{system} scores from {low:g} to {high:g}, which is neither 0..1 nor −1..1"
    raise TiltmeterError(f"{what}; say the scale with --scale {system}=LOW:HIGH")


def _told(scales: dict[str, Scale], declared: Scales) -> Iterator[str]:
    """Each scale, how it is known, and whose it is."""
    whose: dict[tuple[Scale, bool], list[str]] = {}
    for system, its in scales.items():
        whose.setdefault((its, declared.of(system) is not None), []).append(system)
    for (one, known), systems in whose.items():
        how = "declared" if known else "inferred: every score lies within it"
        yield f"{', '.join(systems)}: scale {one}, {how}"


def _outside(results: RatingResults, scales: dict[str, Scale]) -> Iterator[str]:
    """Scores that the given scale does not hold: they are kept, and stand beyond −1..1."""
    for system, (low, high) in results.ranges.items():
        if low < scales[system].low or scales[system].high < high:
            what = f"{system}: scores from {Scale(low, high)}, outside the scale {scales[system]}"
            yield f"{what}, kept as they are"


def _group(
    name: str, results: RatingResults, systems: list[str], scales: dict[str, Scale]
) -> RatingGroup:
    rows = results.rows.filter(group=name)
    axes = tuple(axis for axis in results.axes if rows[axis].null_count() < rows.height)
    sets = rows["words"].unique().sort().to_list()
    confounded = any(results.confounded[name, words] for words in sets)
    known = {system: scales.get(system, SIGNED) for system in systems}
    low = pl.col("system").replace_strict({one: its.low for one, its in known.items()})
    width = pl.col("system").replace_strict({one: its.width for one, its in known.items()})
    score = 2 * (pl.col("raw") - low) / width - 1
    return stored_group(
        name,
        axes,
        _diagram(name, axes, confounded),
        rows.with_columns(score.alias("score")),
        {system: (its.low, its.high) for system, its in known.items()},
        {words: f"{NUMBERED.get(name, name)}-{words}" for words in sets},
    )


def _diagram(name: str, axes: tuple[str, ...], confounded: bool) -> Diagram:
    """The paper's diagram of a numbered group; else what was seen of its words."""
    plan = load_rating_group(NUMBERED[name]).rating if name in NUMBERED else None
    if plan is not None and {node for edge in plan.edges for node in edge} >= set(axes):
        return Diagram(tuple(plan.edges), tuple(plan.unobserved))
    tested = [(axis, SENTIMENT) for axis in axes]
    drawn = [(axis, WORD) for axis in axes if confounded]
    return Diagram((*tested, (WORD, SENTIMENT), *drawn))
