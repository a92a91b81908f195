"""Outputs that systems gave elsewhere, as the groups of a rating."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
    RatingDataset,
    RatingGroup,
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
    sets = rows["words"].unique().sort()
    datasets = tuple(
        RatingDataset(
            f"{NUMBERED.get(name, name)}-{words}", words.upper(), _places(rows["words"] == words)
        )
        for words in sets
    )
    confounded = any(results.confounded[name, words] for words in sets)
    return RatingGroup(
        name,
        axes,
        _diagram(name, axes, confounded),
        rows,
        _scores(rows, systems, scales),
        datasets,
        within=("system", "words"),
        scales=tuple((its.low, its.high) for its in (scales.get(one, SIGNED) for one in systems)),
    )


def _places(those: pl.Series) -> NDArray[np.int64]:
    return those.arg_true().to_numpy().astype(np.int64)[np.newaxis]


def _diagram(name: str, axes: tuple[str, ...], confounded: bool) -> Diagram:
    """The paper's diagram of a numbered group; else what was seen of its words."""
    plan = load_rating_group(NUMBERED[name]).rating if name in NUMBERED else None
    if plan is not None and {node for edge in plan.edges for node in edge} >= set(axes):
        return Diagram(tuple(plan.edges), tuple(plan.unobserved))
    tested = [(axis, SENTIMENT) for axis in axes]
    drawn = [(axis, WORD) for axis in axes if confounded]
    return Diagram((*tested, (WORD, SENTIMENT), *drawn))


def _scores(
    rows: pl.DataFrame, systems: list[str], scales: dict[str, Scale]
) -> NDArray[np.float64]:
    """(systems, rows) on −1..1: a system has scores in its own rows and none in the others'."""
    raw = rows["raw"].to_numpy().astype(np.float64)
    found = np.full((len(systems), rows.height), np.nan)
    for place, system in enumerate(systems):
        mine = (rows["system"] == system).to_numpy()
        if system in scales:
            scale = scales[system]
            found[place, mine] = 2 * (raw[mine] - scale.low) / scale.width - 1
    return found
